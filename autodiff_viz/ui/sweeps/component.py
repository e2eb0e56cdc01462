"""Tables for the sliders as a Streamlit component that shows nothing: an element of its own, so that neither
the drawing nor the sliders are sent again with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.ui.component import Edit, draw
from autodiff_viz.views.scrub import INPUTS


def sweeps(tables: list[dict[str, Any]], *, key: str, on_want: Callable[[dict[str, str]], None]) -> None:
    """Send `tables`, as `views.scrub.tables` makes them, and call `on_want(keys by input)` for those that the
    browser asks for."""

    def deliver(edits: list[Edit]) -> None:
        for edit in edits:
            if is_want(edit):
                on_want(dict(edit["inputs"]))

    draw("sweeps", {"tables": tables}, key=key, on_edit=deliver)


def is_want(edit: Edit) -> bool:
    """Whether an edit from the browser names inputs and keys, and not too many."""
    pairs = edit.get("inputs")
    return (
        edit["kind"] == "want"
        and isinstance(pairs, list)
        and len(pairs) <= INPUTS
        and all(map(_is_pair, pairs))
    )


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)
