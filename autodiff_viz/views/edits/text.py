"""What is done beside the canvas and sent with its edits: the formula typed, and a slider moved."""

from __future__ import annotations

from autodiff_viz.graph import limits
from autodiff_viz.views.actions import set_input, typed
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab


def _type(lab: Lab, edit: Edit) -> Lab:
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    return typed(lab, text[: limits.TEXT + 1], edit.get("fresh") is not False)


def _slide(lab: Lab, edit: Edit) -> Lab:
    """Nothing when the input has gone: a slider may answer late."""
    name, value = edit["name"], edit["value"]
    if not isinstance(name, str) or not is_number(value):
        raise ValueError(value)
    return set_input(lab, name, float(value), edit.get("fresh") is not False) if name in lab.graph else lab


def is_number(value: object) -> bool:
    """Whether an input may have this value."""
    return type(value) in (int, float) and abs(value) <= limits.NUMBER  # not so for NaN


EDITS: Edits = {"type": _type, "slide": _slide}
