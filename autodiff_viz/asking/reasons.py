"""Give the reason of a right answer in a sentence, with the numbers of the trace."""

from __future__ import annotations

import numpy as np

from autodiff_viz.asking.answers import written_shape
from autodiff_viz.asking.case import Case
from autodiff_viz.asking.question import COTANGENT, COUNTS, KEPT, RUNS, VALUE
from autodiff_viz.display.numbers import fork_terms, short, wire_numbers, written
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.compare.compute import compare
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.explain.zero.compute import why_zero
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.graph.text import listed, quoted
from autodiff_viz.ops.catalog import OPS

DIGITS = 4
TERMS = 5  # of a sum that is written out
TIMES = {"*": "·", "-": "−"}  # of infix signs, as the lab writes them


def reason_of(case: Case) -> str:
    """Return why a number is what it is."""
    found, name = case.found, case.producer
    if case.asked.of == KEPT:
        return _of_kept(found)
    if case.asked.of == RUNS:
        return _of_runs(found, name)
    if case.asked.of == VALUE:
        return _of_value(found, name)
    if not np.isfinite(case.full).all() and (origin := nonfinite_origin(found)):
        return origin.sentence
    if case.asked.of != COTANGENT:
        return _of_wire(case, case.wires[0])
    if not case.full.any() and (zero := why_zero(found, name)):
        return zero.sentence
    if name == found.output and not case.wires:
        return f"The way back begins at `{name}`, with the seed {short(found.seed, DIGITS)}."
    if len(case.wires) == 1:
        return _of_wire(case, case.wires[0])
    over = listed([f"`{each}`" for each in dict.fromkeys(wire[0] for wire in case.wires)], 4)
    if len(case.wires) <= TERMS and (terms := fork_terms(found.graph, found, name)):
        return f"{written(terms, DIGITS, is_sum=True)}: what comes back over {over} adds up."
    return f"What comes back over {over} adds up to {short(found.cotangent[name], DIGITS)}."


def _of_wire(case: Case, wire: Wire) -> str:
    """Return what arrives at a node and what it makes of it."""
    found, (name, slot) = case.found, wire
    node = found.graph[name]
    came, passed = (short(array, DIGITS) for array in (found.cotangent[name], found.passed[wire]))
    if node.rule.kind != FOLLOW:
        return f"{came} arrives at `{name}`, which {KINDS[node.rule.kind].does}: {passed} is passed back."
    if terms := wire_numbers(found, node, slot):
        numbers = written(terms, DIGITS, is_sum=True)
        return f"{came} arrives at `{name}`, and its own slope multiplies it: {numbers}."
    return f"{came} arrives at `{name}`, and its pullback makes {passed} of it."


def _of_kept(found: Trace) -> str:
    """Return whose numbers are kept, and how many of each."""
    kept: dict[str, int] = {}
    for residual in found.residuals:
        of = f"`{residual.producer}`" if residual.producer else "a constant"
        name = of if residual.is_value else f"a slope at {of}"
        kept[name] = kept.get(name, 0) + residual.elements
    if not kept:
        return "No slope on the way back needs a number of the way forward."
    names = [f"{count:,} of {name}" for name, count in kept.items()]
    return f"Kept are {listed(names, TERMS)}: what the slopes are made of."


def _of_runs(found: Trace, name: str) -> str:
    """Return why a node runs as often as it does."""
    runs, around = found.runs[name], [each for each in found.graph.regions if name in each.nodes]
    if not runs.backward:
        none = "No checkpoint is around it" if not around else "Nothing on the way back needs it again"
        return f"{none}: it runs forward alone."
    by = listed([quoted(region.name) for region in around], TERMS)
    again = f"{runs.forward} forward + {runs.backward} on the way back, where {by} runs again."
    if runs.kept < runs.backward:
        again += f" Of those {runs.kept} are needed: JAX drops what no slope is made of."
    return again


def _of_value(found: Trace, name: str) -> str:
    """Return an op with its numbers."""
    node, value = found.graph[name], short(found.value[name], DIGITS)
    if node.op == INPUT:
        return f"`{name}` is an input: {value}."
    held = [found.value[each] if isinstance(each, str) else np.asarray(each) for each in node.op_slots]
    texts = [short(array, DIGITS) for array in held]
    if (infix := OPS[node.op].infix) and len(texts) == 2:
        return f"`{name}` is {texts[0]} {TIMES.get(infix, infix)} {texts[1]} = {value}."
    return f"`{name}` is {node.op}({', '.join(texts)}) = {value}."


def reason_same(found: Trace, pinned: Trace, letter: str, case: Case, other: np.ndarray) -> str:
    """Return how two graphs compare, in the words of the comparison where there are any."""
    sides = [(letter, other), ("AB".replace(letter, ""), case.full)]
    numbers = ", ".join(
        f"in {name} it is {short(array, DIGITS)}" for name, array in sorted(sides, key=lambda s: s[0])
    )
    if case.asked.of in COUNTS:
        return f"{numbers[0].upper()}{numbers[1:]}. {reason_of(case)}"
    try:
        both = compare(pinned, found) if letter == "A" else compare(found, pinned)
    except GraphError:
        return f"{numbers[0].upper()}{numbers[1:]}."
    return f"{numbers[0].upper()}{numbers[1:]}. {both.sentence}"


def reason_shape(case: Case) -> str:
    """Return why an array has its shape."""
    shape, name = written_shape(case.full.shape), case.producer
    if case.asked.of == VALUE:
        node = case.found.graph[name]
        shapes = [written_shape(np.shape(case.found.value[each])) for _, each in node.wires]
        return (
            f"`{name}` is {node.op} of {listed(shapes)}: {shape}."
            if shapes
            else f"`{name}` has the shape {shape}."
        )
    return f"What comes back to `{name}` has one number for each number of its value: {shape}."
