"""Test that what a rule check claims is true: each node, element and number of its sentences.

The op is plain JAX in float64, its slopes are differences of its values; what a rule passes is read from the
trace of a graph that ends at the node.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.sentence import VALUE, Claim
from autodiff_viz.engine.trace import precision
from autodiff_viz.explain.rule_check import compute as kinds
from autodiff_viz.explain.rule_check.compute import adjoint_statement
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, params
from autodiff_viz.graph.order import descendants
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW
from autodiff_viz.ops.catalog import OPS
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.explain.claims import unclaimed
from tests.explain.test_cures import valid

DTYPES = "float64", "float32", "float16", "bfloat16"
EXACT = {"rtol": 1e-6, "atol": 1e-9, "equal_nan": True}
ROUGH = 2e-3  # relative, of slopes that differences find
STEP = 1e-7
SMALLER = 0.25  # of a step, with which it is looked at again
CURVED = 1e-5  # by which a slope of 0 moves over some steps
TRIED = 5  # positions of a sweep


class Reference:
    """The node as a function of the element that is moved, all else being equal."""

    def __init__(self, found: av.Trace, check: av.RuleCheck) -> None:
        along, self.check, self.node = check.worst, check, found.graph[check.node]
        self.values = {name: np.asarray(value, np.float64) for name, value in found.value.items()}
        self.along, self.found = along, found
        later = descendants(found.graph, [along.by]) - {along.by}
        self.way = self.node.rule.kind == BACKWARD_AS and bool(later & {*self.node.op_slots})
        self.counted = np.ones(found.value[check.node].shape, bool)
        if self.node.op != GRAD:
            with precision("float64"):
                self.counted = self._valued()

    def moved(self, at: float) -> np.ndarray:
        """The node that is moved, with the element at `at`."""
        moved = self.values[self.along.by].copy()
        moved[self.along.index] = at
        return moved

    def elements(self, moved: jax.Array) -> jax.Array:
        """The node in plain JAX, each element times that of v."""
        node = self.node
        if node.op == INPUT:
            return moved * self.check.v
        given = {**self.values, self.along.by: moved}
        args = [given[slot] if isinstance(slot, str) else jnp.asarray(slot, float) for slot in node.op_slots]
        return OPS[node.op].apply(*map(jnp.asarray, args), **dict(node.params)) * self.check.v

    def _valued(self) -> np.ndarray:
        """Elements of the node that are finite somewhere in the sweep; of others no sum has a value or slope.

        What is NaN wherever the element is that moves does not depend on it: another one has no value.
        """
        counted = np.isfinite(self.elements(jnp.asarray(self.moved(self.along.here))))
        if counted.size > 1 and not counted.all():
            for at in self.along.positions:
                counted |= np.isfinite(self.elements(jnp.asarray(self.moved(at))))
        return counted if counted.size > 1 and counted.any() else np.ones_like(counted)

    def function(self, moved: jax.Array) -> jax.Array:
        """<v, node>."""
        return jnp.sum(self.elements(moved))

    def value(self, at: float) -> float:
        with precision("float64"), np.errstate(invalid="ignore"):
            return float(np.sum(np.asarray(self.elements(jnp.asarray(self.moved(at))))[self.counted]))

    def true(self, at: float) -> float:
        with precision("float64"):
            return float(jax.grad(self.function)(jnp.asarray(self.moved(at)))[self.along.index])

    def declared(self, at: float) -> float:
        """What the node passes, read from the trace of a graph that ends there."""
        node, by = self.node, self.along.by
        if node.op == INPUT:
            alone = av.trace(
                Graph((node,), (), node.name), {node.name: self.moved(at)}, self.check.v, dtype="float64"
            )
            return float(alone.gradient[node.name][self.along.index])
        reads = {slot for slot in node.slots if isinstance(slot, str)}
        inputs = tuple(Node(name, INPUT, (), params(value=0.0)) for name in reads)
        graph = Graph((*inputs, node), (), node.name)
        given = {**{name: self.values[name] for name in reads}, by: self.moved(at)}
        alone = av.trace(graph, given, self.check.v, dtype="float64")
        return float(alone.gradient[by][self.along.index])

    def side(self, at: float, sign: int) -> float:
        """The slope on one side of a position, which is left out."""
        near, far = STEP * max(1.0, abs(at)), 4 * STEP * max(1.0, abs(at))
        return sign * (self.value(at + sign * far) - self.value(at + sign * near)) / (far - near)

    def slope(self, at: float) -> float | None:
        """The slope at a position; None if its sides have different ones, or the value is far off a line.

        What makes the slopes of a curve differ shrinks with the step, and a corner does not.
        """
        apart, room, whole = self.slopes(at, 1.0)
        if apart <= room:
            return whole
        if not apart < np.inf or self.slopes(at, SMALLER)[0] > 2 * SMALLER * apart:
            return None
        return whole

    def slopes(self, at: float, smaller: float) -> tuple[float, float, float]:
        """How far slopes around a position are apart, how far they may be, and the slope over all of it."""
        step = smaller * STEP * max(1.0, abs(at))
        beside = [self.value(at + i * step) for i in (-4, -1, 0, 1, 4)]
        far_low, low, middle, high, far_high = beside
        whole = (high - low) / (2 * step)
        below, above = (low - far_low) / (3 * step), (far_high - high) / (3 * step)
        size = max(map(abs, (below, above, whole)))
        noise = 1e-15 * abs(middle) / step
        slopes = [below, above, whole, (middle - low) / step, (high - middle) / step]
        if not np.isfinite(size):
            return np.inf, 0.0, whole
        return float(np.ptp(slopes)), ROUGH * size + noise + CURVED, whole


def tried(along: av.Along) -> list[float]:
    """The present value, the worst one and a few others."""
    few = along.positions[:: len(along.positions) // TRIED]
    return [along.here, along.where, *few.tolist()]


def close(one: float, other: float, room: float) -> bool:
    return bool(np.isclose(one, other, rtol=ROUGH, atol=room))


def check_claim(claim: Claim, truth: Reference) -> None:
    """Check one claim."""
    along, here = truth.along, truth.along.here
    if claim.kind == VALUE:
        [name], [number] = claim.names, claim.numbers
        assert number == truth.values[name][along.index]
    elif claim.kind == kinds.ELEMENT:
        assert all(0 <= i < n for i, n in zip(claim.numbers, truth.values[along.by].shape, strict=True))
    elif claim.kind == kinds.PULLED:
        [v] = claim.numbers
        assert np.all(v == 1) or np.array_equal(v, truth.found.cotangent[truth.node.name])
    elif claim.kind == kinds.OVER:
        assert claim.numbers == (along.positions.min(), along.positions.max())
        assert claim.numbers[0] <= here <= claim.numbers[1]
    elif truth.node.op == GRAD or truth.way:
        left_out = claim.kind in (kinds.CORNERS, kinds.UNDEFINED)  # positions of what moves
        assert claim.names == ((along.by,) if left_out else (truth.node.name, along.by))
    elif claim.kind == kinds.TRUE:
        np.testing.assert_allclose(claim.numbers[0], truth.true(here), **EXACT)
    elif claim.kind == kinds.CORNERS:
        assert truth.slope(claim.numbers[0][0]) is None
    elif claim.kind == kinds.OUTSIDE:
        assert claim.names == (truth.node.name, along.by)
        missing = claim.numbers[0]
        beside = set(along.positions) - set(missing)
        assert not any(np.isfinite(truth.value(at)) for at in missing[:: len(missing) // TRIED + 1])
        assert all(np.isfinite(truth.value(at)) for at in sorted(beside)[:: len(beside) // TRIED + 1])
    elif claim.kind == kinds.UNDEFINED:
        assert np.isnan(truth.true(claim.numbers[0][0]))
    elif claim.kind == kinds.DIFFERENCE:
        assert close(claim.numbers[0], (truth.side(here, -1) + truth.side(here, 1)) / 2, 1e-6)
    elif claim.kind == kinds.SIDES:
        sides = [truth.side(here, sign) for sign in (-1, 1)]
        assert np.allclose(claim.numbers, sides, rtol=1e-2, atol=1e-3 * max(map(abs, sides)))
        assert truth.slope(here) is None
    elif claim.kind == kinds.ONE_SIDE:
        sides = [truth.side(here, sign) for sign in (-1, 1)]
        assert np.isclose(claim.numbers[0], sides, rtol=1e-2, atol=2e-3 * max(map(abs, sides))).any()
        assert truth.slope(here) is None
    elif claim.kind == kinds.ANOTHER:
        apart = np.where(along.corner, 0.0, np.abs(along.true - along.difference))
        at = float(along.positions[np.nanargmax(apart)])
        assert close(abs(truth.true(at) - truth.slope(at)), claim.numbers[0], 1e-3)
    elif claim.kind == kinds.AGREE:
        assert truth.slope(here) is not None
        slopes = [(truth.slope(at), truth.true(at)) for at in tried(along)]
        size = max([1.0, *(abs(true) for _, true in slopes if np.isfinite(true))])
        assert all(
            slope is None or np.isnan(true) or close(slope, true, 2e-3 + 1e-6 * size)
            for slope, true in slopes
        )
    elif truth.node.rule.kind != BACKWARD_AS:  # whose alternative moves too
        check_declared(claim, truth)


def check_declared(claim: Claim, truth: Reference) -> None:
    """Check a claim on what a rule passes."""
    along = truth.along
    if claim.kind == kinds.DECLARED:
        np.testing.assert_allclose(claim.numbers[0], truth.declared(along.here), **EXACT)
        return
    numbers = {at: (truth.declared(at), truth.true(at)) for at in tried(along)}
    valued = {at for at in numbers if np.isfinite(truth.value(at))}
    apart = {at: abs(a - b) for at, (a, b) in numbers.items() if np.isfinite([a, b]).all() and at in valued}
    if claim.kind == kinds.EQUAL:
        room = {at: 1e-6 * max(1e-3, abs(numbers[at][1])) for at in apart}
        assert all(apart[at] <= room[at] or truth.slope(at) is None for at in apart)
    else:
        assert claim.kind == kinds.DIFFER
        gap, where = claim.numbers
        assert not np.isfinite(gap) or np.isclose(apart[where], gap, rtol=1e-6)
        assert all(each <= gap * (1 + 1e-6) or truth.slope(at) is None for at, each in apart.items())


def check_all(found: av.Trace, name: str) -> av.RuleCheck | None:
    """Check the sentences on one node."""
    try:
        check = av.rule_check(found, name)
    except av.GraphError:
        assert not found.graph[name].wires or not all(
            np.isfinite(value).all() for value in found.value.values()
        )
        return None
    truth = Reference(found, check)
    said = adjoint_statement(check.worst)
    assert not unclaimed(check.sentence, check.claims, nodes=found.graph.by_name.keys() - {"v"}), check
    assert not unclaimed(said.text, said.claims), said
    for claim in check.claims:
        check_claim(claim, truth)
    if truth.node.rule.kind == FOLLOW and truth.node.op != GRAD:
        left, right = said.claims[0].numbers
        assert not np.isfinite([left, right]).all() or np.isclose(left, right, rtol=1e-6, atol=1e-6)
    return check


FALSE = {
    "steep, not a corner": "x = 0.001\ny = 1.0 / x",
    "a root near 0": "x = 0.001\ny = sqrt(x)",
    "steeper than its step": "x = 300.0\ny = exp(x)",
    "JAX's slope is the mean of both": "x = 0.0\ny = maximum(x, 0.0)",
    "0.1 of 148": "x = 0.0\ny = custom(exp(x), pullback=lambda v, x, y: v * (y + 0.1))",
    "rounding": "x = [1.0, 2.0]\ny = softmax(x)\nz = sum(y)",
    "a step on both sides": "x = 0.0\ny = sign(x)",
    "an infinite slope by each element": "x = [0.0, 0.0]\ny = sqrt(x)\nz = sum(y)",
    "by one element": "x = [1.0, 0.0]\ny = x ** -110.0",
    "a norm at 0": "x = [0.0, 0.0]\ny = norm(x)",
    "NaN at another element": "x = [-110.0, -110.0]\ny = rewrite(x ** 0.5, lambda v: 0.0 * v)\nz = sum(y)",
    "infinite at another element": "x = [0.0, 0.0]\ny = stop_gradient(100.0 / x)\nz = sum(y)",
    "a way to the alternative with NaN on it": (
        "x = 2.0\na = stop_gradient(where(less(x, 1.0), x, sqrt(x)))\ny = backward_as(a / x, a / x)"
    ),
}


@pytest.mark.parametrize("text", FALSE.values(), ids=FALSE.keys())
def test_the_sentences_on_numbers_that_are_hard_to_difference_are_true(text):
    assert check_all(av.trace(av.parse(text), dtype="float64"), "y")


def test_an_element_of_an_input_is_checked():
    """The rule of w passes back half of what comes: 1 in place of 1 + 1 in each element."""
    found = av.trace(av.parse("w = scale_gradient([1.0, 2.0], 0.5)\ny = sum(w)"))
    [along] = av.rule_check(found, "w").along
    assert (along.index, along.here) == ((0,), 1.0)
    assert (along.declared[along.at_here], along.true[along.at_here]) == (0.5, 1.0)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(0, 200, 2))
def test_every_sentence_on_a_random_program_is_true(seed):
    for text in valid(range(seed, seed + 2)):
        found = av.trace(av.parse(text), dtype=DTYPES[seed // 2 % len(DTYPES)])
        assert [check_all(found, name) for name in found.value]


@settings(max_examples=9, deadline=None)
@given(graph=scalar_graphs(), dtype=st.sampled_from(DTYPES), data=st.data())
def test_so_is_that_on_a_node_of_a_random_graph(graph, dtype, data):
    check_all(av.trace(graph, dtype=dtype), data.draw(st.sampled_from([n.name for n in graph.nodes])))


@pytest.mark.nightly
@settings(max_examples=100, deadline=None)
@given(graph=scalar_graphs(), dtype=st.sampled_from(DTYPES))
def test_so_is_that_on_all_nodes_of_many(graph, dtype):
    found = av.trace(graph, dtype=dtype)
    for name in found.value:
        check_all(found, name)
