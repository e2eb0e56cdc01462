"""Describe checkpoint regions and groups for the canvas. web/types.js describes the fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from autodiff_viz.branches.train_one import branches_of, some_stopped, trained_alone
from autodiff_viz.canvas.notices import take_in
from autodiff_viz.canvas.records import flow_data, passed, traced
from autodiff_viz.engine.trace import PASSED, Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.graph.edits import mended
from autodiff_viz.graph.model import Graph, Group, Node, Region
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.text import quoted
from autodiff_viz.language.show import show_head
from autodiff_viz.messages.edits import SetRegion, edit_data

EFFORT = 1_000_000  # nodes × regions², up to which a region's correction is computed


def region_data(
    graph: Graph, region: Region, counts: Mapping[str, Runs], problems: Iterable[Problem]
) -> dict[str, Any]:
    """Return the data of a checkpoint region.

    Args:
      counts: run counts of its nodes, where they are known.
    """
    runs = [counts[name] for name in region.nodes if name in counts]
    made = max((r.made for r in runs), default=0)
    # Of a region that JAX runs again, each card says for itself what is dropped of its runs.
    dropped = max((r.dropped for r in runs), default=0) if made == 1 else 0
    faults = [p for p in problems if p.code.startswith("region") and region.name in p.message]
    # The nodes that would make it valid, unless computing them for every region would take long.
    effort = len(graph.nodes) * len(graph.regions) ** 2
    whole = mended(graph, region.name, region.nodes) if faults and effort <= EFFORT else None
    offer = {}
    if whole is not None and whole != region.nodes:
        edit = edit_data(SetRegion(region=region.name, nodes=sorted(whole)))
        offer = {"offer": take_in(whole - region.nodes), "edit": edit}
    return {
        "name": region.name,
        "nodes": sorted(region.nodes),
        "policy": region.policy,
        "saved": sorted(region.saved),
        "head": "" if region.policy == POLICIES[0] else show_head(region),
        "badge": f"\u00d7{made}" if made > 1 else None,
        "dropped": dropped or None,
        "problem": faults[0].message if faults else None,
        "fault": _fault(faults[0]) if faults else None,
        "path": list(faults[0].path) if faults else [],
        **offer,
    }


def _fault(problem: Problem) -> str:
    """Return what is wrong with a region, in the few words that fit on its tab."""
    if problem.code == "region-not-convex":
        return f"needs {problem.path[1]} inside it too"
    if problem.code == "regions-overlap":
        return f"shares {problem.path[0]} with another region"
    return "cannot run as a whole"


def group_data(
    graph: Graph, group: Group, trace: Trace | None, problems: Iterable[Problem]
) -> dict[str, Any]:
    """Return the data of a group.

    The browser collapses it to a card, with one wire from each producer: `sums` has the summed contribution
    of those that stand for several wires.
    """
    faults = [p for p in problems if p.code == "groups-overlap" and quoted(group.name) in p.message]
    wires_into: dict[str, list[tuple[Node, int]]] = {}  # from outside, by producer
    for name in sorted(group.nodes):
        for slot, producer in graph[name].wires:
            if producer not in group.nodes:
                wires_into.setdefault(producer, []).append((graph[name], slot))
    sums = []
    for producer, wires in wires_into.items():
        if len(wires) > 1:
            keys = [key for wire in wires if (key := traced(*wire)) is not None]
            if trace and any((PASSED, *key) in trace.hidden for key in keys):
                sums.append({"from": producer, "hidden": True})  # of those on view it would be another sum
                continue
            arrays = [array for array in (passed(trace, *wire) for wire in wires) if array is not None]
            with np.errstate(all="ignore"):  # inf - inf is NaN
                total = np.sum(arrays, axis=0) if arrays else None
            sums.append({"from": producer, **flow_data(total)})
    data = {
        "name": group.name,
        "nodes": sorted(group.nodes),
        "sums": sums,
        "problem": faults[0].message if faults else None,
    }
    if group.branches:
        data["branches"] = [branch.name for branch in branches_of(graph, group.name)]
        if alone := trained_alone(graph, group.name):
            data["alone"] = alone
        elif some_stopped(graph, group.name):
            data["stopped"] = True
    return data
