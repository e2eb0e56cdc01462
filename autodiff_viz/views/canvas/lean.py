"""Encode a drawing compactly: without empty fields, default values, and fields that equal another field.

`ui/editor/web/state/lean.js` restores them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.views.canvas.cards import HEIGHT, WIDTH

USUAL = {"rule": FOLLOW, "connected": True, "w": WIDTH, "h": HEIGHT, "foot": 0.0}

TWINS = {
    "symbol": "op",
    "text": "literal",
    "valueFull": "value",
    "cotangentFull": "cotangent",
    "passedFull": "passed",
    "tangentFull": "tangent",
    "pushedFull": "pushed",
    "constantFull": "constant",
}
"""Fields that are sent only if they differ from another one."""

BRANCHES = "branches"
"""Field of a group that is sent even if it is empty: it marks a group of branches."""

RECORDS = frozenset({"nodes", "wires"})
"""Fields of a drawing whose records `views/canvas/drawing.py` reuses while they are unchanged."""

Json = Any


class Lean(NamedTuple):
    """Compact drawing with the records that it was made of.

    Attributes:
      drawing: the compact drawing.
      made: (record, compact record) by the id of the record.
    """

    drawing: dict[str, Json]
    made: Mapping[int, tuple[Json, Json]]


NOTHING = Lean({}, {})
"""Stands for the drawing before the first one."""


def leaned(drawing: Mapping[str, Json], last: Lean = NOTHING) -> Lean:
    """Encode a drawing compactly.

    Args:
      last: the previous compact drawing; for a record that is the same object, its compact record is reused.
    """
    made: dict[int, tuple[Json, Json]] = {}

    def known(record: Json) -> Json:
        """Encode a record, or reuse its previous encoding."""
        found = last.made.get(id(record))  # the record is kept, so no other object has its id
        made[id(record)] = found = found or (record, lean(record))
        return found[1]

    fields = {
        name: [known(record) for record in field] if name in RECORDS else lean(field)
        for name, field in drawing.items()
    }
    return Lean(_without_spare(fields), made)


def lean(data: Json) -> Json:
    """Encode JSON compactly, at any depth."""
    kind = type(data)
    if kind is dict:
        return _without_spare({name: lean(field) for name, field in data.items()})
    return [lean(item) for item in data] if kind is list or kind is tuple else data


def _without_spare(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Remove the fields of one object that can be restored."""
    found = {}
    for name, field in fields.items():
        if name in TWINS:
            if field == fields.get(TWINS[name]):
                continue
        elif name in USUAL:
            if field == USUAL[name]:
                continue
        elif field is None or field is False or field == "" or (field == [] and name != BRANCHES):
            continue
        found[name] = field
    return found
