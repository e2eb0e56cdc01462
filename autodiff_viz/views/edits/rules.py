"""Rules and checkpoint regions, put on and taken off on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_viz.graph import edits
from autodiff_viz.graph.housing import WHOLE, mended, region_of, renamed_region, with_members
from autodiff_viz.graph.model import Graph, Region
from autodiff_viz.graph.mute import with_muted
from autodiff_viz.graph.names import numbered
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.actions import set_function, set_policy, set_rules
from autodiff_viz.views.drawing import places
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.lab import Lab, committed
from autodiff_viz.views.notices import offering, take_in


def _names(given: Any) -> frozenset[str]:
    if not isinstance(given, list):
        raise TypeError(given)
    return frozenset(str(name) for name in given)


def _checkpoint(lab: Lab, edit: Edit) -> Lab:
    names = _names(edit["nodes"])
    name = numbered("block", {region.name for region in lab.graph.regions})
    graph = _mendable(
        lambda: edits.with_region(lab.graph, Region(name, names)),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: {"kind": "checkpoint", "nodes": sorted(whole)},
    )
    return committed(lab, graph, f"Checkpoint {name}")


def _uncheckpoint(lab: Lab, edit: Edit) -> Lab:
    region = edit["region"]
    return committed(lab, edits.without_region(lab.graph, region), f"Remove checkpoint {region}")


def _region(lab: Lab, edit: Edit) -> Lab:
    """Which nodes a region holds."""
    name, names = region_of(lab.graph, edit["region"]).name, _names(edit["nodes"])
    graph = _mendable(
        lambda: with_members(lab.graph, {name: names}),
        lambda: mended(lab.graph, name, names),
        names,
        lambda whole: {"kind": "region", "region": name, "nodes": sorted(whole)},
    )
    return committed(lab, graph, f"Nodes of {name}")


def _house(lab: Lab, edit: Edit) -> Lab:
    """Nodes dragged into regions and out of them, together with where they were dropped."""
    positions = {str(name): (float(x), float(y)) for name, (x, y) in edit["positions"].items()}
    moved = edits.with_positions(lab.graph, {**places(lab.graph).positions, **positions})
    joins, leaves = _changes(lab.graph, edit["join"]), _changes(lab.graph, edit["leave"])
    members = {
        name: (region_of(lab.graph, name).nodes | joins.get(name, frozenset()))
        - leaves.get(name, frozenset())
        for name in {**joins, **leaves}
    }

    def wider() -> frozenset[str] | None:
        return mended(lab.graph, *next(iter(members.items()))) if len(joins) == 1 and not leaves else None

    def again(whole: frozenset[str]) -> Edit:
        name = next(iter(joins))
        join = {name: sorted(whole - region_of(lab.graph, name).nodes)}
        return {"kind": "house", "positions": edit["positions"], "join": join, "leave": {}}

    whole = next(iter(members.values()), frozenset())
    graph = _mendable(lambda: with_members(moved, members), wider, whole, again)
    return committed(lab, graph, _housed(positions, joins, leaves))


def _changes(graph: Graph, given: Any) -> dict[str, frozenset[str]]:
    return {region_of(graph, name).name: _names(names) for name, names in given.items()}


def _housed(positions: dict[str, Any], joins: dict[str, Any], leaves: dict[str, Any]) -> str:
    who = next(iter(positions)) if len(positions) == 1 else f"{len(positions)} nodes"
    where = [f"into {name}" for name in sorted(joins)] + [f"out of {name}" for name in sorted(leaves)]
    return f"Move {who} {' and '.join(where) or 'on the canvas'}"


def _mendable(
    change: Callable[[], Graph],
    wider: Callable[[], frozenset[str] | None],
    names: frozenset[str],
    again: Callable[[frozenset[str]], Edit],
) -> Graph:
    """`change`, or its refusal with an offer of the smallest set of nodes with which it would do."""
    try:
        return change()
    except GraphError as error:
        first: Problem = error.problems[0]
        whole = wider() if first.code in WHOLE else None
        if whole is None or whole == names:
            raise
        raise GraphError(offering(first, take_in(whole - names), again(whole))) from None


def _policy(lab: Lab, edit: Edit) -> Lab:
    return set_policy(lab, region_of(lab.graph, edit["region"]).name, edit["policy"], _names(edit["saved"]))


def _rename_region(lab: Lab, edit: Edit) -> Lab:
    old, new = region_of(lab.graph, edit["region"]).name, str(edit["name"]).strip()
    return committed(lab, renamed_region(lab.graph, old, new), f"Rename {old} to {new}")


def _mute(lab: Lab, edit: Edit) -> Lab:
    names, on = [str(name) for name in edit["nodes"]], edit["on"] is True
    graph = with_muted(lab.graph, names, on)
    changed = [name for name in names if graph[name].muted != lab.graph[name].muted]
    where = changed[0] if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{'Mute' if on else 'Unmute'} {where}")


EDITS: Edits = {
    "mute": _mute,
    "rules": lambda lab, edit: set_rules(lab, [str(name) for name in edit["nodes"]], edit["rule"]),
    "function": lambda lab, edit: set_function(lab, edit["node"], str(edit["text"])),
    "checkpoint": _checkpoint,
    "uncheckpoint": _uncheckpoint,
    "region": _region,
    "house": _house,
    "policy": _policy,
    "rename_region": _rename_region,
}
