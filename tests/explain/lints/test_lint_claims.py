"""Test that what lints claim is true: read from the trace, or computed again with NumPy and differences."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.explain.lints import declared, draws, idle, lengths, values
from autodiff_viz.explain.lints import slopes as slope_lints
from autodiff_viz.graph import edits
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, INPUT, Rule
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.language.show import shadows
from tests.engine.references.random_grads import random_text
from tests.explain.claims import unclaimed
from tests.explain.lints.test_lints import CASES
from tests.explain.test_cures import valid
from tests.seeds import seeded

DTYPES = "float64", "float32", "float16", "bfloat16"
NAN = [float("nan"), 0.0]
"""What the words of a lint say whatever the numbers are: the gradient is NaN; the unit is 0."""


def slopes(found: av.Trace, name: str, index: tuple, wanted: str) -> tuple[float, float]:
    """Slopes below and above one element of an input: of the output's value, or of the input's gradient."""
    point = found.inputs[name].astype(np.float64)
    step = 1e-5 * max(1.0, float(np.abs(point[index]).max(initial=0.0)))  # of its own size

    def at(move: float) -> float:
        moved = point.copy()
        moved[index] += move
        there = av.trace(found.graph, {**found.inputs, name: moved}, found.seed, dtype="float64")
        value = np.sum(there.value[found.output] * found.seed)
        return float(value if wanted == "value" else there.gradient[name].sum())

    return (at(0.0) - at(-step)) / step, (at(step) - at(0.0)) / step


def check_slopes(claim: Claim, found: av.Trace) -> None:
    """Check the slope on both sides and JAX's, at the element that has them."""
    (_, name), (true, declared) = claim.names, claim.numbers
    places = np.argwhere(found.gradient[name].astype(np.float64) == declared)
    both = [slopes(found, name, tuple(at), "value") for at in places]
    assert any(np.allclose(each, true, rtol=1e-3, atol=1e-3) for each in both)


def check_second(claim: Claim, found: av.Trace) -> None:
    """Check the slope of the gradient, unless there is a stop, whose value moves here and not there."""
    (output, name), (_, slope, *_) = claim.names, claim.numbers
    assert output == found.output
    if not any(node.rule.kind == STOP for node in found.graph.nodes):
        both = slopes(found, name, (...,), "gradient")
        assert np.isclose(np.mean(both), slope, rtol=1e-3, atol=1e-3)


def check_trap(claim: Claim, found: av.Trace, near: Claim | None) -> None:
    """Check that the slope of the op is not finite, and the gradient NaN, here or where the text says so."""
    choice, op = claim.names
    assert found.graph[choice].op == "where"
    assert op in ancestors(found.graph, [choice])
    there = found
    if near:
        [name], [number] = near.names, near.numbers
        if found.graph[name].op != INPUT:
            return
        there = av.trace(
            replace(found.graph, output=choice),
            {**found.inputs, name: np.full(found.inputs[name].shape, number)},
            dtype=found.dtype,
        )
    passed = [there.passed[op, slot] for slot, _ in there.graph[op].wires]
    assert not all(np.isfinite(each).all() for each in passed)
    assert any(np.isnan(each).any() for each in there.gradient.values())


def check_region(claim: Claim, found: av.Trace) -> None:
    """Check what is kept and what is live with a region and without, both without those around it."""
    [name] = claim.names
    [region] = [each for each in found.graph.regions if each.name == name]
    graph = found.graph
    for other in found.graph.regions:
        graph = edits.without_region(graph, other.name) if region.nodes < other.nodes else graph
    for each, number in zip((graph, edits.without_region(graph, name)), claim.numbers, strict=True):
        again = av.trace(each, found.inputs, found.seed, dtype=found.dtype)
        kept = sum(residual.elements for residual in again.residuals)
        assert number == (kept if claim.kind == idle.KEPT else av.memory(again).peak)


def check_draws(claim: Claim, found: av.Trace) -> None:
    """Check with JAX's own generator that both draws are made of the bits of one key."""
    [seed] = claim.numbers
    assert {found.graph[name].param("seed", 0) for name in claim.names} == {seed}
    key = jax.random.key(seed)
    unit = [np.asarray(draw(key, (64,))) for draw in (jax.random.normal, jax.random.uniform)]
    np.testing.assert_array_equal(np.argsort(unit[0]), np.argsort(unit[1]))
    kept = np.asarray(jax.random.bernoulli(key, 0.5, (64,)))
    np.testing.assert_array_equal(kept, unit[1] < 0.5)
    for name in claim.names:
        node, value = found.graph[name], found.value[name].ravel()
        if node.op == "dropout":
            continue
        value = value.astype(float)
        drawn = (value - value.mean()) / (value.std() or 1)
        same = getattr(jax.random, node.op)(key, value.shape, np.float32)
        same = (same - same.mean()) / (same.std() or 1)
        np.testing.assert_allclose(drawn, same, atol=1e-4 if found.dtype in ("float32", "float64") else 2e-2)


def check_lengths(claim: Claim, found: av.Trace) -> None:
    """Check the counts of two nodes, or with values alone that no score depends on another sample."""
    name, scores = claim.names
    if claim.kind == lengths.LENGTHS:
        assert claim.numbers == (found.value[name].size, found.value[scores].size)
        return
    x = found.graph[name].slots[BY]
    if found.graph[x].op != INPUT:
        return
    point, before = found.inputs[x].astype(float), found.value[scores].astype(float)
    for at in np.ndindex(before.squeeze().shape):
        moved = point.copy()
        moved[at] += 0.5
        after = av.trace(found.graph, {**found.inputs, x: moved}, dtype=found.dtype).value[scores]
        changed = np.argwhere((after.astype(float) != before).reshape(before.squeeze().shape))
        assert {tuple(each) for each in changed} <= {at}


def check_claim(claim: Claim, found: av.Trace, near: Claim | None) -> None:
    """Check one claim."""
    graph = found.graph
    if claim.kind == values.NOT_TAKEN:
        check_trap(claim, found, near)
    elif claim.kind == values.NEAR:
        assert claim.names[0] in graph
    elif claim.kind == slope_lints.SLOPES:
        check_slopes(claim, found)
    elif claim.kind == slope_lints.MET:
        assert {*claim.names} <= ancestors(graph, [found.output])
    elif claim.kind == values.PAIRS:
        [name], [*shapes, result] = claim.names, claim.numbers
        reads = [s if isinstance(s, str) else None for s in graph[name].op_slots]
        assert found.value[name].shape == result == np.broadcast_shapes(*shapes)
        assert all(r is None or found.value[r].shape == s for r, s in zip(reads, shapes, strict=True))
        assert result not in shapes
    elif claim.kind == values.DEAD:
        [name], [units, count, columns, rows] = claim.names, claim.numbers
        assert found.value[name].shape == (rows, columns)
        assert len(units) == count
        assert not found.value[name][:, units].any()
        assert not any(found.passed[name, slot][:, units].any() for slot, _ in graph[name].wires)
    elif claim.kind in (idle.KEPT, idle.PEAK):
        check_region(claim, found)
    elif claim.kind == idle.IDLE:
        [name] = claim.names
        assert graph[name].rule.kind == STOP
        without = edits.with_rule(graph, name, Rule(FOLLOW))
        again = av.trace(without, found.inputs, found.seed, dtype=found.dtype)
        for each, gradient in found.gradient.items():
            np.testing.assert_array_equal(gradient.astype(float), again.gradient[each].astype(float))
    elif claim.kind == idle.NOT_REACHED:
        assert all(not graph[name].wires for name in claim.names)
    elif claim.kind == draws.SEED:
        check_draws(claim, found)
    elif claim.kind in (lengths.LENGTHS, lengths.APART):
        check_lengths(claim, found)
    elif claim.kind == declared.SHADOW:
        name, argument = claim.names
        assert argument in graph
        assert argument in graph[name].rule.function.args
    elif claim.kind == declared.BLIND:
        assert {graph[name].rule.kind for name in claim.names} <= declared.REVERSE_ONLY
    elif claim.kind == slope_lints.SECOND:
        check_second(claim, found)
    else:
        assert claim.kind == slope_lints.RULED_BY
        assert all(graph[name].rule.kind != FOLLOW or graph[name].op == GRAD for name in claim.names)


def check_all(text: str, dtype: str) -> int:
    """Check all lints of a formula; return how many there are."""
    found = av.trace(av.parse(text), dtype=dtype)
    hints = av.lints(found)
    expressions = [shadow.means for shadow in shadows(found.graph)]
    for hint in hints:
        message = hint.message
        for each in expressions:
            message = message.replace(each, "")
        assert hint.claims
        assert not unclaimed(message, hint.claims, NAN, found.graph.by_name.keys() - {"a", "y"}), hint
        near = next((claim for claim in hint.claims if claim.kind == values.NEAR), None)
        for claim in hint.claims:
            check_claim(claim, found, near)
    return len(hints)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_the_hints_on_graphs_made_by_hand_are_true(name):
    text, expected = CASES[name]
    counts = [check_all(text, dtype) for dtype in DTYPES]
    assert not expected or any(counts)


@pytest.mark.sampled(80)
@pytest.mark.parametrize("seed", range(0, 400, 4))
def test_so_are_those_on_random_programs(seed):
    texts = [*valid(range(seed, seed + 4)), random_text(seeded(seed))]
    assert [check_all(text, DTYPES[seed // 4 % len(DTYPES)]) for text in texts]


def test_a_stop_between_the_ends_of_a_grad_node_is_a_constant_of_it():
    """Without the stop's value n is no function of w any more, so the grad node reads it."""
    text = (
        "x = 0.6\nw = 0.4\nn = stop_gradient(grad(x + w, x) * w)\nm = backward_as(exp(0.3 * n), x * w)\n"
        "g = grad(m, w)\nout = m + g"
    )
    assert check_all(text, "float64") == 0
