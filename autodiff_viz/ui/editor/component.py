"""The canvas as a Streamlit component: sends a drawing to the browser, receives its edits exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.ui.component import Edit, draw


def canvas(drawing: dict[str, Any], *, key: str, on_edit: Callable[[list[Edit]], None]) -> None:
    """Draw `drawing` and call `on_edit` with the edits that the user makes on it.

    Args:
      drawing: as `web/types.js` describes it, without `key` and `ack`. Coordinates are pixels; numbers
        that are shown come as text.
      key: of the element.
      on_edit: called with the new edits, as `ui.component.draw` says.
    """
    draw("editor", drawing, key=key, on_edit=on_edit)
