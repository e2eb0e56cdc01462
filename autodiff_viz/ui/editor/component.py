"""The canvas as a Streamlit component: sends a drawing to the browser, receives its edits exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.ui.component import Edit, draw
from autodiff_viz.views.cards import HEIGHT, WIDTH
from autodiff_viz.views.drawing import palette


def canvas(drawing: dict[str, Any], *, key: str, on_edit: Callable[[list[Edit]], None]) -> None:
    """Draw `drawing` and call `on_edit` with the edits that the user makes on it.

    Args:
      drawing: as `web/types.js` describes it, without `key`, `ack` and the palette. Coordinates are
        pixels; numbers that are shown come as text.
      key: of the element.
      on_edit: called with the new edits, as `ui.component.draw` says.
    """
    draw("editor", lean(drawing), key=key, on_edit=on_edit, constants=palette)


USUAL = {"rule": FOLLOW, "connected": True, "w": WIDTH, "h": HEIGHT}


def lean(data: Any) -> Any:
    """`data` without what `web/lean.js` puts back: fields that hold nothing or what they usually hold, and
    what another field says already."""
    if isinstance(data, dict):
        fields = {name: lean(field) for name, field in data.items()}
        return {name: field for name, field in fields.items() if not _spare(fields, name, field)}
    return [lean(item) for item in data] if isinstance(data, list | tuple) else data


def _spare(fields: dict[str, Any], name: str, field: Any) -> bool:
    if name == "symbol":
        return field == fields.get("op")
    if name.endswith("Full"):
        return field == fields.get(name.removesuffix("Full"))
    if name in USUAL:
        return field == USUAL[name]
    return field is None or field is False or field in ("", [])
