"""The formula editor as a Streamlit component: sends the text to the browser, receives what is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.ui.component import Edit, draw
from autodiff_viz.views.formula import words


def formula_editor(data: dict[str, Any], *, key: str, on_type: Callable[[str, bool], None]) -> None:
    """Draw the editor and call `on_type` with what the user types.

    Args:
      data: as `web/types.js` describes it, without `key` and `ack`.
      key: of the element.
      on_type: called with each text in order, and with whether it begins a new stretch of typing (the
        first since the editor got the focus or the text was confirmed).
    """

    def deliver(edits: list[Edit]) -> None:
        for edit in edits:
            text = edit.get("text")
            if isinstance(text, str):
                on_type(text[: limits.TEXT + 1], edit.get("fresh") is not False)

    draw("formula", data, key=key, on_edit=deliver, constants=words)
