"""Edit the formula's text and move sliders; these edits are sent with those of the canvas."""

from __future__ import annotations

from autodiff_viz.graph import limits
from autodiff_viz.views.actions import resampled, set_input, typed
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab


def _type(lab: Lab, edit: Edit) -> Lab:
    """Set the formula's text."""
    text = edit["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    return typed(lab, text[: limits.TEXT + 1], edit.get("fresh") is not False)


def _slide(lab: Lab, edit: Edit) -> Lab:
    """Set the value of an input; no effect if it no longer exists, since a slider's message may be late."""
    name, value = edit["name"], edit["value"]
    if not isinstance(name, str) or not is_number(value):
        raise ValueError(value)
    return set_input(lab, name, float(value), edit.get("fresh") is not False) if name in lab.graph else lab


def is_number(value: object) -> bool:
    """Return whether an input may have this value."""
    return type(value) in (int, float) and abs(value) <= limits.NUMBER  # false for NaN


EDITS: Edits = {"type": _type, "slide": _slide, "resample": lambda lab, edit: resampled(lab)}
