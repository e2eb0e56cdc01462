"""A drawing as it travels: without the fields that hold nothing or what they usually hold, and without what
another field says already. `ui/editor/web/state/lean.js` puts them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.views.cards import HEIGHT, WIDTH

USUAL = {"rule": FOLLOW, "connected": True, "w": WIDTH, "h": HEIGHT}

TWINS = {
    "symbol": "op",
    "text": "literal",
    "valueFull": "value",
    "cotangentFull": "cotangent",
    "passedFull": "passed",
    "constantFull": "constant",
}
"""Fields that travel only where they say something else than another one."""

BRANCHES = "branches"
"""Of a group: an empty list is a group of branches that has none, which is not a group of another kind."""

RECORDS = frozenset({"nodes", "wires"})
"""Fields of a drawing whose records `views/drawing.py` hands on as they are while they show the same."""

Json = Any


class Lean(NamedTuple):
    """A lean drawing; `made` has, by the id of each whole record, the record itself and the lean one."""

    drawing: dict[str, Json]
    made: Mapping[int, tuple[Json, Json]]


NOTHING = Lean({}, {})
"""Before the first drawing."""


def leaned(drawing: Mapping[str, Json], last: Lean = NOTHING) -> Lean:
    """The drawing without what is spare. Of a record that the `last` drawing had already, the same object,
    the lean record is that one's, the same object too."""
    made: dict[int, tuple[Json, Json]] = {}

    def known(record: Json) -> Json:
        found = last.made.get(id(record))  # which nothing else can have while it is kept
        made[id(record)] = found = found or (record, lean(record))
        return found[1]

    fields = {
        name: [known(record) for record in field] if name in RECORDS else lean(field)
        for name, field in drawing.items()
    }
    return Lean(_without_spare(fields), made)


def lean(data: Json) -> Json:
    """JSON without what is spare, at any depth."""
    kind = type(data)
    if kind is dict:
        return _without_spare({name: lean(field) for name, field in data.items()})
    return [lean(item) for item in data] if kind is list or kind is tuple else data


def _without_spare(fields: Mapping[str, Json]) -> dict[str, Json]:
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
