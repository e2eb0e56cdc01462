"""Describe a training for the page: its nodes' diagnoses, what ran in a step, what changed between phases."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autodiff_viz.display.numbers import State
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.order import descendants, order
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import scalar
from autodiff_viz.training.course import Phase
from autodiff_viz.training.state import Settings, learned

# Diagnoses of nodes: dead units, frozen parameters, vanishing and exploding gradients.


SILENT = frozenset({"relu"})  # ops whose units can die: no gradient passes where they are 0
VANISHING = 1e-4  # share of the largest norm of a parameter's gradient, below which a gradient vanishes
EXPLODING = 1e3  # norm of a gradient


def states(found: Trace) -> dict[str, State]:
    """Return the diagnoses, a word or two for a card and a sentence, by name of the nodes that have one."""
    dead = {node.name: _dead(found, node) for node in found.graph.nodes if node.op in SILENT}
    parameters = learned(found.graph)
    moving = [node.name for node in parameters if not frozen(found, node)]
    # All cotangents are multiplied by the seed, such as a loss scale, which the thresholds leave out.
    seed = norm(found.seed)
    seed = seed if np.isfinite(seed) and seed else 1.0
    sizes = {name: norm(found.cotangent[name]) / seed for name in moving}
    divided = "" if seed == 1.0 else ", divided by the seed,"
    fed = {node.name: _fed(node.name, sizes, divided) for node in parameters}
    return {name: state for name, state in {**dead, **fed}.items() if state}


def frozen(found: Trace, node: Node) -> bool:
    """Return whether training cannot change a parameter, whatever the numbers are."""
    return node.rule.kind == STOP or found.cotangent.is_symbolic_zero(node.name)


def _dead(found: Trace, node: Node) -> State | None:
    """Return the share of units that are 0 for every example; None if there is none."""
    value = found.value[node.name]
    silent = np.all(value == 0, axis=0) if value.ndim > 1 else np.atleast_1d(value == 0)
    count = int(silent.sum())
    if not count:
        return None
    share = f"{100 * count / silent.size:.0f}%"
    every = " for every example" if value.ndim > 1 else ""
    return f"dead {share}", f"{count} of {silent.size} units are 0{every}: no gradient passes there."


def _fed(name: str, sizes: dict[str, float], divided: str) -> State | None:
    """Return the diagnosis of a parameter by the norm of the cotangent that arrives for a seed of 1."""
    if name not in sizes:
        return "frozen", "A stop is on every way back to it: training leaves it as it is."
    size, largest = sizes[name], max((s for s in sizes.values() if np.isfinite(s)), default=0.0)
    if not np.isfinite(size):
        return "not finite", "What arrives is not finite: the next update spoils it."
    if size > EXPLODING:
        return "exploding", f"What arrives{divided} has norm {scalar(size, 3)}, above {scalar(EXPLODING)}."
    if size < VANISHING * largest:
        whose = next(other for other, its_size in sizes.items() if its_size == largest)
        return "vanishing", (
            f"What arrives{divided} has norm {scalar(size, 3)}, less than {scalar(VANISHING)} of what "
            f"{whose} gets ({scalar(largest, 3)})."
        )
    return None


# The log of a step, in the format of the Swift tutorial on checkpointing.


LINES = 12  # limit of units in a log


def units(graph: Graph) -> dict[str, frozenset[str]]:
    """Return the log's units with their nodes: groups and checkpoint regions, and the layers outside them."""
    frames = {}
    for frame in graph.frames:
        if frame.nodes:  # one around a single node has the node's name, which says more
            frames[frame.name if len(frame.nodes) > 1 else next(iter(frame.nodes))] = frame.nodes
    framed = frozenset().union(*frames.values())
    parameters = {node.name for node in learned(graph)}
    layers = {
        node.name: frozenset({node.name})
        for node in graph.nodes
        if node.name not in framed and parameters.intersection(name for _, name in node.wires)
    }
    return {**frames, **layers}


def unit_runs(graph: Graph, runs: Mapping[str, Runs]) -> dict[str, tuple[int, int]]:
    """Return (forward, backward) runs of each unit: the largest among its nodes."""
    counts = {}
    for name, nodes in units(graph).items():
        inside = [runs[n] for n in nodes if n in runs and graph[n].op != INPUT]
        if inside:
            counts[name] = max(r.forward for r in inside), max(r.backward for r in inside)
    return counts


def run_line(graph: Graph, runs: Mapping[str, Runs]) -> str:
    """Return the runs of all units in one line, such as "conv: forward 1, backward 1"."""
    counts = unit_runs(graph, runs)
    texts = [
        f"{name}: forward {forward}" + (f", backward {backward}" if backward else "")
        for name, (forward, backward) in list(counts.items())[:LINES]
    ]
    more = [f"and {len(counts) - LINES} more"] if len(counts) > LINES else []
    return "; ".join([*texts, *more])


def step_log(graph: Graph, runs: Mapping[str, Runs], step: int, loss: float) -> str:
    """Return the log of a step in the tutorial's format; a unit is repeated as often as it runs."""
    counts = list(unit_runs(graph, runs).items())[:LINES]
    forth = [f"    Applying {name}" for name, (forward, _) in counts for _ in range(forward)]
    back = [f"    Applying {name}" for name, (_, backward) in counts[::-1] for _ in range(backward)]
    head = [f"Step {step}", "  Running original computation..."]
    return "\n".join([*head, *forth, f"  Loss: {scalar(loss, 8)}", "  Running backpropagation...", *back])


def _reached(graph: Graph) -> tuple[str, ...]:
    """Return the nodes that a gradient can reach, parameters and their descendants, in graph order."""
    moved = descendants(graph, [node.name for node in learned(graph)])
    return tuple(node.name for node in order(graph) if node.name in moved)


# The name of a phase: what changed since the one before.


def phase_name(before: Phase, after: Phase) -> str:
    """Return in a few words what changed between two phases."""
    old, new = before.graph, after.graph
    had, has = ({region.name: region for region in graph.regions} for graph in (old, new))
    regions = [name for name in dict.fromkeys([*had, *has]) if had.get(name) != has.get(name)]
    changes = [
        *_rules(old, new),
        *(f"checkpoint {name}" if name in has else f"no checkpoint {name}" for name in regions),
        *_settings(before.settings, after.settings),
    ]
    if not changes:
        changes = ["other inputs" if old.by_name.keys() == new.by_name.keys() else "another graph"]
    return changes[0] if len(changes) == 1 else f"{changes[0]} and {len(changes) - 1} more"


def _rules(old: Graph, new: Graph) -> list[str]:
    """Return the changes of rules and mutes."""
    both = [(old[n.name], n) for n in new.nodes if n.name in old]
    ruled = [
        f"{b.rule.kind.replace('_', ' ')} at {b.name}"
        if b.rule.kind != FOLLOW
        else f"no {a.rule.kind} at {b.name}"
        for a, b in both
        if a.rule != b.rule
    ]
    muted = [f"{'muted' if b.muted else 'not muted'} {b.name}" for a, b in both if a.muted != b.muted]
    return [*ruled, *muted]


def _settings(old: Settings, new: Settings) -> list[str]:
    """Return the changes of the learning rate and of the loss scale."""
    rate = [f"rate {new.rate:g}"] if old.rate != new.rate else []
    scaling = [(each.loss_scale, each.growth_interval) for each in (old, new)]
    if scaling[0] == scaling[1]:
        return rate
    return [*rate, "no loss scale" if new.loss_scale is None else f"loss scale {new.loss_scale:,.0f}"]


TRAINING = ExplanationKind(
    key="training",
    title="Training",
    what_it_says="What becomes of the loss, the gradients and the parameters, step by step.",
    public=("train", "training_to_python"),
    needs=lambda graph: bool(learned(graph)),
)
