"""Cure numbers that are not finite: try edits until output and gradients are finite."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from autodiff_viz.engine.explain.cure import Cure, fed, joined, retraced, wider, without_rules, written
from autodiff_viz.engine.explain.nonfinite.stable_forms import stable_forms
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import FOLLOW, INPUT, Graph, Literal, Node
from autodiff_viz.graph.structure.order import ancestors, consumers, descendants
from autodiff_viz.graph.text.text_format import MINUS, scalar
from autodiff_viz.ops.catalog import OPS

MOST = 6  # cures in one
EPS = 1e-12
LEAST = -1e9  # stands for minus infinity
CLOSE = {"rtol": 1e-3, "atol": 1e-5}  # of a number that was finite before

SAFE = {"sqrt": (0, 1.0), "log": (0, 1.0), "log1p": (0, 0.0), "div": (1, 1.0), "pow": (0, 1.0)}
"""By op, the slot that decides whether value and derivative are finite, and a number that is harmless there.
Of other ops it is the first wired slot, and 0."""


def is_troubled(found: Trace) -> bool:
    """Return whether the output or anything in the backward pass is not finite."""
    arrays = [*found.passed.values(), *found.cotangent.values(), *found.gradient.values()]
    arrays += [found.value[found.output]] if found.output else []
    return not all(np.isfinite(array).all() for array in arrays)


def nonfinite_cure(found: Trace) -> Cure | None:
    """Return an edit after which output and gradients are finite; None if none is known.

    A number of the output, or of a gradient, that was finite stays what it was, up to `CLOSE`. Where no edit
    is known, a dtype with more bits may have room for the numbers.
    """
    return _edited(found) or _widened(found)


def _widened(found: Trace) -> Cure | None:
    if not is_troubled(found):
        return None
    cures = ((cure, retraced(found, cure)) for cure in wider(found))
    return next((cure for cure, after in cures if after and not is_troubled(after)), None)


def _edited(found: Trace) -> Cure | None:
    steps: list[Cure] = []
    now = found
    while is_troubled(now):
        step = _step(now) if len(steps) < MOST else None
        if step is None:
            return None
        steps.append(step[0])
        now = step[1]
    return joined(steps) if steps and _keeps(found, now) else None


def _step(found: Trace) -> tuple[Cure, Trace] | None:
    """Return the first cure after which the first number that is not finite is so no more, with its trace."""
    for origin in _origins(found):
        for cure in _candidates(found, origin):
            after = retraced(found, cure)
            if after and (not is_troubled(after) or origin not in _origins(after)) and _keeps(found, after):
                return cure, after
    return None


def _origins(found: Trace) -> list[str]:
    """Return the nodes at which numbers stop being finite, those of the forward pass first."""
    return [*dict.fromkeys(origin.node for origin in found.nonfinite_origins)]


def _keeps(found: Trace, after: Trace) -> bool:
    """Return whether each number of output and gradients that was finite is what it was, or close."""
    pairs = [(found.value[found.output], after.value[found.output])]
    pairs += [(array, after.gradient[name]) for name, array in found.gradient.items()]
    return all(one.shape == other.shape and _close(one, other) for one, other in pairs)


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    finite = np.isfinite(one)
    return bool(np.isclose(one[finite], other[finite], **CLOSE).all())


def _candidates(found: Trace, name: str) -> Iterator[Cure]:
    """Yield cures of the node `name`, at which numbers stop being finite: exact ones first."""
    node = found.graph[name]
    if node.rule.kind != FOLLOW:
        yield without_rules(
            [name], f"Remove the rule of {name}", f"{name} passes back its op's own derivative."
        )
    if node.op == INPUT or node.op not in OPS:
        return
    yield from stable_forms(found, name)
    yield from double_wheres(found, node)
    for candidate in (_entropy, _mask, _quotient, _constant_power, _root):
        yield from candidate(found, node)


def other_branch(found: Trace, name: str) -> tuple[str, int] | None:
    """Return (node, slot) of the `where` behind which `name` is, if the node leads to the output only there.

    All ops between them are elementwise, so that each element of `name` is one of the branch.
    """
    graph = found.graph
    for choice in graph.nodes:
        for slot in (1, 2) if choice.op == "where" else ():
            branch = choice.slots[slot]
            if not isinstance(branch, str) or name not in ancestors(graph, [branch]):
                continue
            between = descendants(graph, [name]) & ancestors(graph, [branch])
            if all(OPS[graph[n].op].elementwise for n in between) and _only_by(graph, name, choice, slot):
                return choice.name, slot
    return None


def _only_by(graph: Graph, name: str, choice: Node, slot: int) -> bool:
    """Return whether every path from the node to the output runs through this slot."""
    within = ancestors(graph, [graph.output])
    if choice.name not in within or choice.slots.count(choice.slots[slot]) != 1:
        return False
    cut = edits.with_slot(graph, choice.name, slot, 0.0)
    return name not in ancestors(cut, [graph.output])


def double_wheres(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield the double where: where the branch is not taken, its op reads a harmless number."""
    trap = other_branch(found, node.name)
    if trap is None:
        return
    choice, branch = found.graph[trap[0]], trap[1]
    slot, harmless = SAFE.get(node.op, (next((i for i, _ in node.wires), 0), 0.0))
    if not isinstance(node.slots[slot], str):
        return
    condition, read = written(choice.slots[0]), written(node.slots[slot])
    taken = (read, str(harmless)) if branch == 1 else (str(harmless), read)
    yield Cure(
        partial(fed, target=node.name, slot=slot, text=f"where({condition}, {taken[0]}, {taken[1]})"),
        f"Double where: a second one before {node.name}",
        f"{choice.name} has the same value: where it does not take {node.name}, {node.name} reads "
        f"{harmless:g}.",
    )


def _entropy(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield p log p as 0 at p = 0."""
    if node.op != "log" or not isinstance(node.slots[0], str):
        return
    inner, readers = node.slots[0], [n for n in found.graph.nodes if node.name in n.slots]
    products = all(n.op == "mul" and inner in n.slots for n in readers)
    if readers and products and (found.value[inner] >= 0).all():
        yield Cure(
            partial(fed, target=node.name, slot=0, text=f"where({inner} > 0.0, {inner}, 1.0)"),
            f"Where {inner} is 0, take log 1",
            "0 × log 0 is 0, its limit; nothing else changes.",
        )


def _mask(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a mask of large negative numbers in place of minus infinity."""
    value = found.value[node.name]
    if node.op == "log" and not node.wires and np.isneginf(value).any() and not np.isnan(value).any():
        least = f"{scalar(LEAST, 3)} in place of {MINUS}\u221e"
        yield Cure(
            partial(_constant, name=node.name, literal=_literal(np.maximum(value, LEAST))),
            f"Mask with {least}",
            "After softmax a masked element is 0 as before, unless its whole row is masked. And 0 times the "
            "mask is 0, not NaN.",
        )


def _literal(value: np.ndarray) -> Literal:
    """Return an array as a constant of a graph."""
    if value.ndim == 0:
        return float(f"{value.item():.7g}")
    return tuple(_literal(part) for part in value)


def _constant(graph: Graph, name: str, literal: Literal) -> Graph:
    """Give the readers of a node a constant in its place, and delete it."""
    for reader, slot in consumers(graph)[name]:
        graph = edits.with_constant(graph, reader, slot, literal)
    return edits.without_nodes(graph, [name])


def _quotient(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a quotient that is 0 where both numbers are."""
    if node.op != "div" or not isinstance(node.slots[1], str):
        return
    above, below = (_read(found, node, slot) for slot in (0, 1))
    nothing = np.broadcast_arrays(above, below == 0)
    root = found.graph[node.slots[1]]
    if root.op == "sqrt" and (below == 0).any():
        yield from _root(found, root)
    if nothing[1].any() and not nothing[0][nothing[1]].any():
        yield Cure(
            partial(fed, target=node.name, slot=1, text=f"where({node.slots[1]}, {node.slots[1]}, 1.0)"),
            f"Divide by 1 where {node.slots[1]} is 0",
            "0 / 0 is 0; no other quotient changes.",
        )


def _constant_power(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield 0 to the power 0 without the slope of 0 to the power -1."""
    base = node.slots[0] if node.op == "pow" else None
    if not isinstance(base, str):
        return
    below, power = np.broadcast_arrays(_read(found, node, 0), _read(found, node, 1))
    if (below == 0).any() and not power[below == 0].any():
        yield Cure(
            partial(fed, target=node.name, slot=0, text=f"where({base}, {base}, 1.0)"),
            f"Take 1 to the power 0 where {base} is 0",
            "0 to the power 0 is 1, as before, and its slope is 0.",
        )


def _root(found: Trace, node: Node) -> Iterator[Cure]:
    """Yield a small number inside a root, a power or a logarithm whose operand is 0."""
    if node.op not in ("sqrt", "pow", "log") or not isinstance(node.slots[0], str):
        return
    operand = _read(found, node, 0)
    power = _read(found, node, 1) if node.op == "pow" else np.zeros(())
    if (operand < 0).any() or (node.op == "pow" and (power < 0).any()):
        return
    says = {
        "sqrt": f"The root of 0 is {EPS**0.5:g}, and its slope finite; others change by less.",
        "pow": "Powers of 0 change by less than a millionth; their slope is finite.",
        "log": f"log 0 is {scalar(np.log(EPS), 3)} in place of {MINUS}\u221e.",
    }
    yield Cure(
        partial(fed, target=node.name, slot=0, text=f"{node.slots[0]} + {EPS}"),
        f"Add {EPS:g} inside {node.name}",
        says[node.op],
    )


def _read(found: Trace, node: Node, slot: int) -> np.ndarray:
    """Return the value that a slot reads."""
    held = node.slots[slot]
    return found.value[held] if isinstance(held, str) else np.asarray(held, found.dtype)
