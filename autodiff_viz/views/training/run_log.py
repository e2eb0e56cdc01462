"""Log the computations of a training step, in the format of the Swift tutorial on checkpointing."""

from __future__ import annotations

from collections.abc import Mapping

from autodiff_viz.engine.training.updates import learned
from autodiff_viz.engine.whole_program.remat_counts import Runs
from autodiff_viz.graph.model import INPUT, Frame, Graph
from autodiff_viz.graph.text.text_format import scalar

LINES = 12  # limit of units in a log


def units(graph: Graph) -> dict[str, frozenset[str]]:
    """Return the log's units with their nodes: groups and checkpoint regions, and the layers outside them."""
    frames = {_called(frame): frame.nodes for frame in graph.frames if frame.nodes}
    framed = frozenset().union(*frames.values())
    parameters = {node.name for node in learned(graph)}
    layers = {
        node.name: frozenset({node.name})
        for node in graph.nodes
        if node.name not in framed and parameters.intersection(name for _, name in node.wires)
    }
    return {**frames, **layers}


def _called(frame: Frame) -> str:
    """Return the name of a group or region; around a single node, that of the node."""
    return frame.name if len(frame.nodes) > 1 else next(iter(frame.nodes))


def unit_runs(graph: Graph, runs: Mapping[str, Runs]) -> dict[str, tuple[int, int]]:
    """Return (forward, backward) runs of each unit: the largest among its nodes."""
    found = {}
    for name, nodes in units(graph).items():
        inside = [runs[n] for n in nodes if n in runs and graph[n].op != INPUT]
        if inside:
            found[name] = max(r.forward for r in inside), max(r.backward for r in inside)
    return found


def run_line(graph: Graph, runs: Mapping[str, Runs]) -> str:
    """Return the runs of all units in one line, such as "conv: forward 1, backward 1"."""
    found = unit_runs(graph, runs)
    said = [_said(name, *counts) for name, counts in list(found.items())[:LINES]]
    more = [f"and {len(found) - LINES} more"] if len(found) > LINES else []
    return "; ".join([*said, *more])


def _said(name: str, forward: int, backward: int) -> str:
    """Return the runs of a unit as text."""
    return f"{name}: forward {forward}" + (f", backward {backward}" if backward else "")


def step_log(graph: Graph, runs: Mapping[str, Runs], step: int, loss: float) -> str:
    """Return the log of a step in the tutorial's format; a unit is repeated as often as it runs."""
    found = list(unit_runs(graph, runs).items())[:LINES]
    forth = [f"    Applying {name}" for name, (forward, _) in found for _ in range(forward)]
    back = [f"    Applying {name}" for name, (_, backward) in found[::-1] for _ in range(backward)]
    head = [f"Step {step}", "  Running original computation..."]
    return "\n".join([*head, *forth, f"  Loss: {scalar(loss, 8)}", "  Running backpropagation...", *back])
