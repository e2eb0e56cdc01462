"""Diagnose nodes in training: dead units, frozen parameters, vanishing and exploding gradients.

All thresholds are constants of this module.
"""

from __future__ import annotations

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.training.updates import learned
from autodiff_viz.graph.model import STOP, Node
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.views.numbers import norm

SILENT = frozenset({"relu"})  # ops whose units can die: no gradient passes where they are 0
VANISHING = 1e-4  # share of the largest norm of a parameter's gradient, below which a gradient vanishes
EXPLODING = 1e3  # norm of a gradient

State = tuple[str, str]
"""Diagnosis of a node: (a word or two for its card, a sentence)."""


def states(found: Trace) -> dict[str, State]:
    """Return the diagnoses by name, for the nodes that have one."""
    dead = {node.name: _dead(found, node) for node in found.graph.nodes if node.op in SILENT}
    parameters = learned(found.graph)
    moving = [node.name for node in parameters if not frozen(found, node)]
    seed = _seed(found)
    sizes = {name: norm(found.cotangent[name]) / seed for name in moving}
    divided = "" if seed == 1.0 else ", divided by the seed,"
    fed = {node.name: _fed(node.name, sizes, divided) for node in parameters}
    return {name: state for name, state in {**dead, **fed}.items() if state}


def _seed(found: Trace) -> float:
    """Return the size of the seed, by which all cotangents are multiplied, such as a loss scale; 1 for 0."""
    size = norm(found.seed)
    return size if np.isfinite(size) and size else 1.0


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
        whose = next(other for other, found in sizes.items() if found == largest)
        return "vanishing", (
            f"What arrives{divided} has norm {scalar(size, 3)}, less than {scalar(VANISHING)} of what "
            f"{whose} gets ({scalar(largest, 3)})."
        )
    return None
