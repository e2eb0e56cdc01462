"""List the constants that Python and the browser share; `ui/web/constants.js` is generated from them."""

from __future__ import annotations

from typing import Any

from autodiff_viz.figures.cotangents.tensor import INKS
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, PARAMETER
from autodiff_viz.language.show import show_literal
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.views import numbers
from autodiff_viz.views.canvas import cards, delta, heatmap, records
from autodiff_viz.views.canvas.flows import DECADES
from autodiff_viz.views.canvas.lean import USUAL
from autodiff_viz.views.canvas.palette import RANDOM
from autodiff_viz.views.edits.add_node import LETTERS, NEW
from autodiff_viz.views.glossary import GLOSSARY
from autodiff_viz.views.lab import WRITTEN_OUT
from autodiff_viz.views.layout import coordinates, placing, tabs
from autodiff_viz.views.node import inspector
from autodiff_viz.views.node.layer_parameters import NEW_PARAMETER
from autodiff_viz.views.node.own_data import BYTES, DATA_OF


def shared_constants() -> dict[str, Any]:
    """Return sizes in px, limits and texts as JSON; `ui/web/types.js` describes the fields."""
    return {
        "card": {"w": cards.WIDTH, "h": cards.HEIGHT, "slot": cards.SLOT},
        "pictured": dict(zip("wh", cards.PICTURED, strict=True)),
        "cells": {
            "most": cards.CELLS,
            "beside": cards.BESIDE,
            "head": cards.CELL_HEAD,
            "line": cards.CELL_LINE,
        },
        "group": {
            "w": cards.GROUP_WIDTH,
            "head": cards.GROUP_HEAD,
            "foot": cards.GROUP_FOOT,
            "port": cards.PORT,
            "numbers": cards.GROUP_NUMBERS,
            "steps": cards.GROUP_STEPS,
        },
        "frame": {"pad": coordinates.FRAME, "level": coordinates.LEVEL, "tab": 2 * coordinates.TAB},
        "tab": {
            "h": tabs.HEIGHT,
            "gap": tabs.GAP,
            "near": tabs.NEAR,
            "slack": tabs.SLACK,
            "aside": tabs.ASIDE,
            "under": tabs.UNDER,
        },
        "clear": placing.CLEAR,
        "limits": {
            "branches": limits.BRANCHES,
            "document": limits.JSON,
            "edits": limits.EDITS,
            "line": limits.LINE,
            "message": limits.MESSAGE,
            "name": limits.NAME,
            "npy": BYTES,
        },
        "drawings": delta.KEPT,
        "written_out": WRITTEN_OUT,
        "data_of": DATA_OF,
        "usual": {name: field for name, field in USUAL.items() if name not in "wh"},
        "alternative": records.ALTERNATIVE,
        "letters": LETTERS,
        "inputs": {INPUT: _written(NEW[INPUT]), PARAMETER: _written(NEW_PARAMETER), RANDOM: _written(())},
        "nothing": records.DASH,
        "minus": numbers.MINUS,
        "vector": cards.VECTOR,
        "digits": inspector.DIGITS,
        "decades": DECADES,
        "glossary": GLOSSARY,
        "first_lesson": LESSONS[0].key,
        "heat": {"alphabet": heatmap.ALPHABET, "shades": heatmap.SHADES, "marks": heatmap.NAN, "inks": INKS},
    }


def _written(params: Any) -> dict[str, str]:
    """Return the card text of a new input's value, and the value as editable text."""
    value = dict(params).get("value")
    if value is None:
        return {"value": records.DASH}
    return {"value": numbers.scalar(value), "literal": show_literal(value)}
