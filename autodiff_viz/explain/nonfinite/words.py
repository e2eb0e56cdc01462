"""Write in words where numbers stop being finite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from autodiff_viz.engine.live_path.arrays import on_device, rounded
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.nonfinite import ARRIVES_FINITE, READS_FINITE, Origin, origin_statement
from autodiff_viz.engine.sentence import Claim, Statement, joined
from autodiff_viz.engine.trace import Trace, exact_inputs, precision, trace
from autodiff_viz.explain.nonfinite.cures import is_troubled, other_branch
from autodiff_viz.explain.nonfinite.operands import Factors, before_slope, factors_of, operands_of
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.model import INPUT, Node
from autodiff_viz.graph.order import order
from autodiff_viz.graph.text import MINUS, quoted, scalar
from autodiff_viz.language.printer import ATOM, SIGN, Shown, show_applied
from autodiff_viz.ops.catalog import OPS

DIGITS = 4, 4, 7, 10, 17  # of the numbers of an equation; from the second on 0 has its sign

SEED, GIVEN, EQUATION, FIRST, COUNT = "seed", "given", "equation", "first", "count"
IN_FLOAT64, PASSES, PRODUCT, TOO_LARGE = "in float64", "passes", "product", "too large"
RULE, TRAP, FINITE, FLUSHED = "rule", "trap", "finite", "flushed"
NO_MEND, NO_MEND_BESIDE = "no mend", "no mend beside"
"""Kinds of claims. SEED, GIVEN: the seed, or an input, is not finite. FIRST: a node, and its first number
that is not; EQUATION: what it reads there, and that number; COUNT: how many there are; IN_FLOAT64: what
float64 has in its place; NO_MEND: what it has, not finite either, or NO_MEND_BESIDE at another element.
PASSES: a wire, the node at its other end, and a number on it; PRODUCT: the wire, what arrives, the slope and
the product; TOO_LARGE: the wire, whose slope is finite. RULE: a node with a rule. TRAP: a `where`, and the
node whose branch it does not take. FINITE: output and gradients. FLUSHED: a node, and a number that it reads
and that is not normal, and 0."""


def statement_of(found: Trace, forward: Origin | None, backward: Origin | None, is_cured: bool) -> Statement:
    """Return where numbers stop being finite, and why nothing mends it if so.

    Args:
      forward, backward: the first origin of each pass.
    """
    if not forward and not backward:
        text = "The seed is not finite, so what is pulled back need not be either."
        return Statement(text, (Claim(SEED),))
    statements = [_forward(found, forward)] if forward else []
    statements += [_backward(found, backward)] if backward else []
    # That a `where` computes both branches is said once, of the first pass in which it is the reason.
    traps = (_trap(found, origin) for origin in (forward, backward) if origin)
    statements.append(next(filter(None, traps), Statement()))
    if backward and backward.kind != "NaN":  # an infinity may become NaN further back
        statements.append(_becomes_nan(found))
    if found.output not in found.cotangent:  # of a part of a graph, whose values are all that is known
        return joined(" ", statements)
    if not is_troubled(found):
        statements.append(Statement("Output and gradients are finite all the same.", (Claim(FINITE),)))
    elif forward and not is_cured:
        statements.append(_no_mend(found, forward))
    return joined(" ", statements)


def _forward(found: Trace, origin: Origin) -> Statement:
    """Return where the forward pass stops being finite, as an equation if the op is elementwise."""
    node, value = found.graph[origin.node], found.value[origin.node]
    lost = Statement(f"{origin.lost}." if origin.lost else "", origin.claims)
    if node.op == INPUT:
        given = Statement(
            f"The input {quoted(node.name)} itself is not finite.", (Claim(GIVEN, (node.name,)),)
        )
        return joined(" ", [given, lost])
    bad = value[~np.isfinite(value)]
    number = scalar(bad.flat[0])
    claims = [*origin.claims, Claim(FIRST, (node.name,), (float(bad.flat[0]),))]
    of = f" ({bad.size} of {value.size} elements)" if value.size > 1 else ""
    if of:
        claims.append(Claim(COUNT, (node.name,), (bad.size,)))
    operands = [operand.number for operand in operands_of(found, node.name)]
    if operands:
        # So many digits that the op of the numbers as written, in this dtype, is what the trace has.
        def gives_it(numbers: list[float]) -> bool:
            with precision(found.dtype):
                arrays = [on_device(rounded(number, found.dtype)) for number in numbers]
                result = np.asarray(OPS[node.op].apply(*arrays, **dict(node.params)))
            return _is_same(result, bad.flat[0])

        texts = _written(operands, gives_it)
        shown = [Shown(text, SIGN if text.startswith(MINUS) else ATOM, constant=True) for text in texts]
        equation = show_applied(node.op, shown, node.params).text
        text = f"{quoted(node.name)} is {equation} = {number}{of}"
        claims.append(Claim(EQUATION, (node.name,), (*operands, float(bad.flat[0]))))
    else:
        text = f"{quoted(node.name)} is {number}{of}"
        if not origin.lost:
            text += ", though all that it reads is finite"
            claims.append(Claim(READS_FINITE, (node.name,)))
    flushed = _flushed(found, node.name, operands)
    return joined(" ", [Statement(f"{text}.", tuple(claims)), lost, _in_float64(found, node), flushed])


def _written(numbers: Sequence[float], holds: Callable[[list[float]], bool]) -> list[str]:
    """Write numbers with so many digits that what is said of them holds of the numbers as written.

    exp(88.7228394) is infinite in float32, and exp(88.72) is not; 1 / −0 is −∞, and 1 / 0 is not.
    """
    shortest: list[str] = []
    for i, digits in enumerate(DIGITS):
        texts = [
            f"{MINUS}0" if i > 0 and number == 0 and np.signbit(number) else scalar(number, digits)
            for number in numbers
        ]
        # Judged as a reader would take them: from the text, not from the number.
        if holds([float(text.replace(MINUS, "-").replace("\u221e", "inf")) for text in texts]):
            return texts
        shortest = shortest or texts
    return shortest  # no number of digits does: what was computed is another number than the op of these


def _flushed(found: Trace, name: str, numbers: Sequence[float]) -> Statement:
    """Return which of these numbers XLA takes as 0, if any, since it is so small: 0.5 / 1e-39 is infinite."""
    # XLA flushes subnormal numbers to 0; whether it does so here shows in a sum, not by a limit.
    with precision(found.dtype):
        arrays = {number: on_device(rounded(number, found.dtype)) for number in numbers if number}
        small = [number for number, array in arrays.items() if array + array == 0]
    if not small:
        return Statement()
    text = f"{scalar(small[0])} is below the normal numbers of {found.dtype}: it counts as 0."
    return Statement(text, (Claim(FLUSHED, (name,), (small[0], 0.0)),))


def _is_same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(one == other or (np.isnan(one) and np.isnan(other)))


def _in_float64(found: Trace, node: Node) -> Statement:
    """Return that float64 has a number for a value that the trace's numbers are too small for, if so."""
    if found.dtype == FLOAT64:
        return Statement()
    exact = _exact(found, node.name)  # of the inputs as given, before this dtype rounded them
    if not np.isfinite(exact).all():
        return Statement()
    number = float(exact[~np.isfinite(found.value[node.name])][0])
    text = f"That is {found.dtype}: in float64 it is {scalar(number)}."
    return Statement(text, (Claim(IN_FLOAT64, (node.name,), (number,)),))


def _exact(found: Trace, name: str) -> np.ndarray:
    # The node is the output, since a part of a graph may have none; no value depends on which it is.
    return trace(replace(found.graph, output=name), exact_inputs(found), dtype=FLOAT64).value[name]


def _backward(found: Trace, origin: Origin) -> Statement:
    """Return where the backward pass stops being finite, as a product if what is passed is one."""
    name, slot, node = origin.node, origin.slot, found.graph[origin.node]
    if slot is None or slot == ARRIVING:
        return origin_statement([origin])
    wire, to = (name, slot), node.slots[slot]
    passed = found.passed[wire]
    number = float(passed[~np.isfinite(passed)].flat[0])
    passes = Claim(PASSES, (wire, to), (number,))
    changed = before_slope(found, name)
    # A rule is to blame if what it makes of what arrives is not finite, or if it declares the derivative.
    if changed is None or not np.isfinite(changed).all():
        text = f"The rule of {quoted(name)} passes {scalar(number)} back to {quoted(to)}."
        return Statement(text, (*origin.claims, passes, Claim(RULE, (name,))))
    factors = factors_of(found, wire)
    if factors is None:
        text = (
            f"{quoted(name)} passes {scalar(number)} back to {quoted(to)}, though all that arrives is finite."
        )
        return Statement(text, (*origin.claims, passes, Claim(ARRIVES_FINITE, (name,))))
    product, slope = _product(found, factors), scalar(factors.slope)
    claims = [*origin.claims, Claim(PASSES, (wire, to), (factors.product,)), Claim(PRODUCT, (wire,), factors)]
    text = f"{quoted(name)} passes {product} back to {quoted(to)}"
    if np.isfinite(factors.slope):
        return Statement(f"{text}: too large for {found.dtype}.", (*claims, Claim(TOO_LARGE, (wire,))))
    return Statement(f"{text}: the slope of {node.op} is {slope} there.", tuple(claims))


def _product(found: Trace, factors: Factors) -> str:
    def holds(numbers: Sequence[float]) -> bool:
        one, other = (rounded(number, found.dtype) for number in numbers)
        with np.errstate(invalid="ignore", over="ignore"):
            return _is_same(one * other, np.asarray(factors.product))

    arriving, slope = _written([factors.arriving, factors.slope], holds)
    return f"{arriving} × {slope} = {scalar(factors.product)}"


def _trap(found: Trace, origin: Origin) -> Statement:
    """Return the `where` that does not take an element of the node that is not finite, if any."""
    trap = other_branch(found, origin.node)
    if trap is None:
        return Statement()
    choice, slot = trap
    within = origin.direction == "backward" and origin.slot not in (None, ARRIVING)
    wrong = found.passed[origin.node, origin.slot] if within else found.value[origin.node]
    condition = found.graph[choice].slots[0]
    taken = found.value[condition] if isinstance(condition, str) else np.asarray(condition)
    other = (taken != 0) == (slot != 1)  # where the branch of this slot is not taken
    if not np.any(other & ~np.isfinite(wrong)):
        return Statement()
    text = f"{quoted(choice)} computes both branches, also the one that it does not take."
    return Statement(text, (Claim(TRAP, (choice, origin.node)),))


def _becomes_nan(found: Trace) -> Statement:
    """Return where a NaN begins in the backward pass, as what arrives times the slope."""
    for node in reversed(order(found.graph)):
        for slot, producer in node.wires:
            wire = node.name, slot
            if np.isnan(found.passed[wire]).any():
                factors = factors_of(found, wire, np.isnan)
                equation = _product(found, factors) if factors else "NaN"
                first = "And" if np.isfinite(found.cotangent[node.name]).all() else "Then"
                text = f"{first} {quoted(node.name)} passes {equation} back to {quoted(producer)}."
                product = (Claim(PRODUCT, (wire,), factors),) if factors else ()
                return Statement(text, (Claim(PASSES, (wire, producer), (np.nan,)), *product))
    return Statement()


def _no_mend(found: Trace, origin: Origin) -> Statement:
    """Return why nothing can mend a value that is not finite; nothing where another reason applies."""
    node = found.graph[origin.node]
    if node.op == INPUT:
        return Statement()
    wide, value = _exact(found, node.name).ravel(), found.value[node.name].ravel()
    places = np.flatnonzero(~np.isfinite(wide) & ~np.isfinite(value))
    if not places.size:
        return Statement()
    number = float(wide[places[0]])
    is_first = places[0] == np.argmin(np.isfinite(value))  # of which the sentence has the numbers
    at, there = ("", " there") if is_first else ("at another element ", "")
    same = " too" if _is_same(value[places[0]], wide[places[0]]) else ""
    too = "" if found.dtype == FLOAT64 else f" in {FLOAT64}{same}"
    text = f"There is no mend: {at}{node.op} is {scalar(number)}{there}{too}."
    return Statement(text, (Claim(NO_MEND if is_first else NO_MEND_BESIDE, (node.name,), (number,)),))
