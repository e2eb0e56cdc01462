"""Give the stage what a presenter says of the open lesson: its title, its steps, and notes of one."""

from __future__ import annotations

from typing import Any

from autodiff_viz.lab.lessons import lesson_view
from autodiff_viz.lab.state import Lab


def talk_data(lab: Lab) -> dict[str, Any] | None:
    """Return the talk of the open lesson as data; None without one.

    Its texts give numbers away, so that they are notes: the audience sees title and caption alone.
    """
    view = lesson_view(lab)
    if view is None:
        return None
    return {
        "title": view.title,
        "steps": list(view.variants),
        "at": view.variant,
        "caption": view.variants[view.variant] if len(view.variants) > 1 else "",
        "notes": "\n\n".join(filter(None, (view.about, view.text))),
    }
