"""Give the reason of a right answer in a sentence, with the numbers of the trace."""

from __future__ import annotations

import re

import numpy as np

from autodiff_viz.asking.answers import MOST, written_shape
from autodiff_viz.asking.case import Case
from autodiff_viz.asking.question import COTANGENT, COUNTS, KEPT, RUNS, VALUE
from autodiff_viz.display.numbers import bracketed, fork_terms, short, wire_numbers, written
from autodiff_viz.engine.live_path.passes import Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.compare.compute import (
    Comparison,
    compare,
    describe_both,
    describe_tensor,
    in_both,
    passed_together,
    wire_end,
)
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.explain.zero.compute import ZeroReason, why_zero
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.graph.text import listed, quoted, scalar
from autodiff_viz.ops.catalog import OPS

DIGITS = 4
TERMS = 5  # of a sum that is written out
TIMES = {"*": "·", "-": "−"}  # of infix signs, as the lab writes them


CANCELS = "Terms cancel: without rounding it is {exactly}."


def reason_of(case: Case) -> str:
    """Return why a number is what it is."""
    if np.array_equal(case.full, case.computed, equal_nan=True):
        return _reason(case)
    exactly = describe_tensor(case.full) if case.full.any() else "exactly 0"
    return f"{_reason(case)} {CANCELS.format(exactly=exactly)}"


def _reason(case: Case) -> str:
    found, name = case.found, case.producer
    if case.asked.of == KEPT:
        return _of_kept(found)
    if case.asked.of == RUNS:
        return _of_runs(found, name)
    if case.asked.of == VALUE:
        return _of_value(found, name)
    if not np.isfinite(case.full).all() and (origin := nonfinite_origin(found)):
        return ticked(found, origin.sentence)
    if case.asked.of != COTANGENT:
        return _of_wire(case, case.wires[0])
    if not case.computed.any() and (zero := why_zero(found, name)):
        return reason_zero(found, zero)
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
    if numbers := _element_of_wire(case, wire):
        return f"What arrives at `{name}`, times its slopes: {numbers}."
    return f"{came} arrives at `{name}`, and its pullback makes {passed} of it."


def _element_of_wire(case: Case, wire: Wire) -> str:
    """Return one number that a wire brings as a sum: each slope times what arrives; "" if it is long."""
    name, _ = wire
    came = case.found.cotangent[name].astype(np.float64)
    node = case.found.graph[name]
    if len(case.numbers) != 1 or came.size > MOST or node.rule.kind != FOLLOW or not case.within_limits:
        return ""
    if not case.full.size:
        return ""
    terms: list[tuple[float, float]] = []
    for place in np.ndindex(came.shape):
        if not came[place]:
            continue
        one = np.zeros(came.shape)
        one[place] = 1.0
        slopes = case.slope(wire, one)
        picked = None if slopes is None else case.picked(slopes)
        if picked is None:
            return ""
        if picked[0]:
            terms.append((picked[0], float(came[place])))
    total = sum(slope * came for slope, came in terms)
    if not 0 < len(terms) <= TERMS or not np.isclose(total, case.numbers[0], rtol=1e-3):
        return ""
    products = [f"{bracketed(slope, DIGITS)} × {bracketed(came, DIGITS)}" for slope, came in terms]
    return f"{' + '.join(products)} = {scalar(case.numbers[0], DIGITS)}"


def reason_zero(found: Trace, zero: ZeroReason) -> str:
    """Return why nothing arrives: how it could be mended is no part of why it is so."""
    return ticked(found, f"{zero.sentence.partition('. ')[0].removesuffix('.')}.")


def ticked(found: Trace, sentence: str) -> str:
    """Return a sentence of an explanation with the names of nodes in backticks, as questions have them."""
    return re.sub(r"'([^' ]+)'", lambda name: f"`{name[1]}`" if name[1] in found.graph else name[0], sentence)


def _of_kept(found: Trace) -> str:
    """Return whose numbers are kept, and how many of each."""
    kept: dict[str, int] = {}
    for residual in found.residuals:
        of = f"`{residual.producer}`" if residual.producer else "a constant"
        name = f"of {of}" if residual.is_value else f"for the slope of {of}"
        kept[name] = kept.get(name, 0) + residual.elements
    if not kept:
        return "No slope on the way back is made of a number of the way forward."
    names = [f"{count:,} {name}" for name, count in kept.items()]
    return f"Kept for the way back: {listed(names, TERMS)}."


def _of_runs(found: Trace, name: str) -> str:
    """Return why a node runs as often as it does."""
    runs, around = found.runs[name], [each for each in found.graph.regions if name in each.nodes]
    if not runs.backward:
        none = "No checkpoint is around it" if not around else "Nothing on the way back needs it again"
        return f"{none}: it runs forward alone."
    by = listed([quoted(region.name) for region in around], TERMS)
    again = f"{runs.forward} forward + {runs.backward} on the way back, by {by}."
    if runs.dropped:
        again += f" JAX then drops {runs.dropped} of these: no slope needs its result."
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


def reason_same(case: Case, beside: Case, is_same: bool) -> str:
    """Return a number of two graphs, and the one thing in which the graphs part."""
    a, b = (beside, case) if case.letter == "A" else (case, beside)
    sides = [each.full if each.asked.element is None else np.asarray(each.numbers) for each in (a, b)]
    one, other = describe_both([array.reshape(()) if array.size == 1 else array for array in sides])
    numbers = f"It is {one} in both." if is_same else f"It is {one} in A and {other} in B."
    if case.asked.of in COUNTS:
        return f"{numbers} {reason_of(case)}"
    try:
        return f"{numbers} {_parting(compare(a.found, b.found), a.found, b.found)}".strip()
    except GraphError:
        return numbers


def _parting(both: Comparison, a: Trace, b: Trace) -> str:
    """Return where two graphs part: at the first value, or else at the first wire on the way back."""
    values = both.apart["values"]
    name = next((name for name, pair in both.values.items() if name in values and in_both(pair)), None)
    if name is not None:
        one, other = describe_both(both.values[name])
        return f"The graphs part at `{name}`, which is {one} in A and {other} in B."
    if both.first_wire is None:
        return ""
    name, _ = both.first_wire
    one, other = describe_both(passed_together((a.graph, b.graph), both.passed, both.first_wire)[1])
    ends = [wire_end(each.graph, both.first_wire) for each in (a, b)]
    ends = [end and f"`{end}`" for end in ends]
    if len(owners := [letter for letter, each in (("A", a), ("B", b)) if name in each.graph]) == 1:
        here, there = (one, other) if owners == ["A"] else (other, one)
        end = next(filter(None, ends), "")
        to, letter = f" to {end}" if end else "", "AB".replace(owners[0], "")
        return (
            f"Only {owners[0]} has `{name}`, which passes {here} back{to}. In {letter} {there} comes there."
        )
    to_a, to_b = (f" to {end}" if end else "" for end in ends)
    again = to_b if to_a and to_b != to_a else ""  # named twice only where it leads elsewhere
    text = f"which passes {one} back{to_a or to_b} in A and {other}{again} in B"
    return f"The graphs part at `{name}`, {text}."


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
