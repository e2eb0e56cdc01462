"""The sliders as a Streamlit component: one row per scalar input.

Streamlit's own slider and number box would be two widgets for one number, and each message carries the
state of both: while several messages are under way, an old number in the one would undo the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.ui.component import Edit, draw
from autodiff_viz.views.compose import Slider

Moved = Callable[[str, float, bool], None]


def sliders(rows: Iterable[Slider], document: int, *, key: str, on_move: Moved) -> None:
    """Draw the sliders and call `on_move(name, value, fresh)` for each move.

    Args:
      rows: the inputs, in the order in which they are shown.
      document: which graph this is; what was moved in another one no longer counts.
      key: of the element.
      on_move: `fresh` says whether the move begins a new gesture.
    """

    def deliver(edits: list[Edit]) -> None:
        for edit in edits:
            if is_move(edit):
                on_move(edit["name"], float(edit["value"]), edit.get("fresh") is not False)

    data: dict[str, Any] = {
        "document": document,
        "limit": limits.NUMBER,
        "rows": [[row.name, row.value, row.low, row.high] for row in rows],
    }
    draw("sliders", data, key=key, on_edit=deliver)


def is_move(edit: Edit) -> bool:
    """Whether an edit from the browser has a name and a number within the limits."""
    name, value = edit.get("name"), edit.get("value")
    if edit["kind"] != "move" or not isinstance(name, str) or type(value) not in (int, float):
        return False
    return abs(value) <= limits.NUMBER  # not so for NaN
