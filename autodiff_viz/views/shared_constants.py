"""Constants that Python and the browser share; `ui/web/constants.js` is generated from them."""

from __future__ import annotations

from typing import Any

from autodiff_viz.figures.tensor import INKS
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, PARAMETER
from autodiff_viz.language.show import show_literal
from autodiff_viz.views import arranging, cards, delta, heat, numbers, records, spacing
from autodiff_viz.views.edits.adding import LETTERS, NEW
from autodiff_viz.views.flows import DECADES
from autodiff_viz.views.lean import USUAL
from autodiff_viz.views.learned import NEW_PARAMETER
from autodiff_viz.views.palette import RANDOM


def shared_constants() -> dict[str, Any]:
    """Return sizes in px, limits and texts as JSON; `ui/web/types.js` describes the fields."""
    return {
        "card": {"w": cards.WIDTH, "h": cards.HEIGHT, "slot": cards.SLOT},
        "pictured": dict(zip("wh", cards.PICTURED, strict=True)),
        "group": {
            "w": cards.GROUP_WIDTH,
            "head": cards.GROUP_HEAD,
            "foot": cards.GROUP_FOOT,
            "port": cards.PORT,
            "numbers": cards.GROUP_NUMBERS,
            "steps": cards.GROUP_STEPS,
        },
        "frame": {"pad": spacing.FRAME, "level": spacing.LEVEL, "tab": 2 * spacing.TAB},
        "paste": {"step": arranging.STEP, "same": arranging.SAME},
        "limits": {
            "branches": limits.BRANCHES,
            "document": limits.JSON,
            "edits": limits.EDITS,
            "line": limits.LINE,
            "name": limits.NAME,
        },
        "drawings": delta.KEPT,
        "usual": {name: field for name, field in USUAL.items() if name not in "wh"},
        "alternative": records.ALTERNATIVE,
        "letters": LETTERS,
        "inputs": {INPUT: _written(NEW[INPUT]), PARAMETER: _written(NEW_PARAMETER), RANDOM: _written(())},
        "nothing": records.DASH,
        "minus": numbers.MINUS,
        "vector": cards.VECTOR,
        "decades": DECADES,
        "heat": {"alphabet": heat.ALPHABET, "shades": heat.SHADES, "marks": heat.NAN, "inks": INKS},
    }


def _written(params: Any) -> dict[str, str]:
    """Return the card text of a new input's value, and the value as editable text."""
    value = dict(params).get("value")
    if value is None:
        return {"value": records.DASH}
    return {"value": numbers.scalar(value), "literal": show_literal(value)}
