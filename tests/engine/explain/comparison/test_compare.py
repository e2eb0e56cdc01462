"""Test the comparison of two graphs: questions that people ask, worked out by hand, and random graphs against
the plain-Python tape.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.explain.comparison.compare import Comparison, compare
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import FOLLOW, Graph, Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references import tape
from tests.engine.references.scalar_graphs import scalar_graphs

GRPO = """logp = [-1.2, -0.7]
adv = [1.0, -1.0]
ratio = exp(logp - stop_gradient(logp))
loss = -mean(ratio * adv)"""
TD = """w = 0.5
q = w * 2.0
target = stop_gradient(1.0 + 0.9 * (w * 3.0))
loss = 0.5 * square(target - q)"""
GAN = """theta = 1.0
phi = 0.5
fake = stop_gradient(theta * 2.0)
d = sigmoid(phi * fake)
loss = -log(d)"""
SIMSIAM = """w = 1.0
z1 = w * 2.0
z2 = w * 1.0
loss = 0.5 * (0.5 * square(z1 - stop_gradient(z2)) + 0.5 * square(z2 - stop_gradient(z1)))"""
MAML = "theta = 2.0\ng = stop_gradient(3.0 * theta)\nadapted = theta - 0.1 * g\nloss = 0.5 * square(adapted)"
BPTT = "w = 0.5\nh0 = 1.0\nh1 = w * h0\nh2 = w * stop_gradient(h1)\nh3 = w * h2"
GUMBEL = """logits = log([0.2, 0.5, 0.3])
soft = softmax(logits)
hard = greater(soft, 0.4)
y = hard - stop_gradient(soft) + soft
z = sum(y * [1.0, 2.0, 3.0])
return z"""
SCORE = """mu = 0.3
sigma = 2.0
z = stop_gradient(mu + sigma * 1.5)
logq = -0.5 * square((z - mu) / sigma) - log(sigma)"""
IMPLICIT = """a = 2.0
x1 = 0.5 * (1.0 + a / 1.0)
x2 = 0.5 * (x1 + a / x1)
s = stop_gradient(x2)
x3 = 0.5 * (s + a / s)"""

# formula, wire at which the sweeps part, and by hand the gradients with the stops and without them
TWINS = {
    "the ratio of GRPO": (GRPO, ("stop_gradient_1", 0), {"logp": ([-0.5, 0.5], [0.0, 0.0])}),
    "the target of TD": (TD, ("target", 1), {"w": (-2.7, 0.945)}),
    "the generator of a GAN": (GAN, ("fake", 0), {"theta": (0.0, -0.2689414), "phi": (-0.5378828,) * 2}),
    "SimSiam": (SIMSIAM, ("stop_gradient_2", 0), {"w": (0.5, 1.0)}),
    "MAML of first order": (MAML, ("g", 1), {"theta": (1.4, 0.98)}),
    "truncated in time": (BPTT, ("stop_gradient_1", 0), {"w": (0.5, 0.75)}),
    "the score of a sample": (SCORE, ("z", 0), {"mu": (0.75, 0.0), "sigma": (0.625, -0.5)}),
    "one step of a root": (IMPLICIT, ("s", 0), {"a": (6 / 17, 0.3535659)}),
}


def compared(a: str, b: str) -> Comparison:
    return compare(trace(parse(a)), trace(parse(b)))


@pytest.mark.parametrize("name", TWINS)
def test_twins_have_equal_values_and_the_gradients_worked_out_by_hand(name):
    text, wire, gradients = TWINS[name]
    found = compared(text, text.replace("stop_gradient", ""))
    assert (found.equal_values, found.equal_gradients, found.first_wire) == (True, False, wire)
    for key, by_hand in gradients.items():
        for pair in (found.gradients[key], found.cotangents[key]):
            np.testing.assert_allclose(pair[0], by_hand[0], rtol=2e-5, atol=1e-7)
            np.testing.assert_allclose(pair[1], by_hand[1], rtol=2e-5, atol=1e-7)
        assert (key in found.apart["gradients"]) == (by_hand[0] != by_hand[1])
    stops = {n.name for n in parse(text).nodes if n.rule.kind == "stop"}
    assert {*found.changed_nodes} == stops  # and not what reads them, where a stop is on a wire
    assert found.sentence.startswith("Equal values, different gradients")
    assert f"part at {wire[0]!r}" in found.sentence


def test_the_sentence_says_both_numbers_of_the_wire():
    found = compared(GAN, GAN.replace("stop_gradient", ""))
    assert found.sentence == (
        "Equal values, different gradients of 'theta' (equal for 'phi'): the backward sweeps part at 'fake', "
        "which passes 0 to 'theta' in A and \u22120.2689 in B."
    )


def test_the_sentence_gives_tensors_by_their_norm_and_counts_many_inputs():
    ones = "".join(f"{name} = 1.0\n" for name in "abcd")
    text = f"x = [[3.0], [4.0]]\n{ones}z = sum(stop_gradient(x) * x) * a * b * c * d"
    found = compared(text, text.replace("stop_gradient(x)", "x"))
    assert found.sentence == (
        "Equal values, different gradients of 'x' (equal for 4 others): the backward sweeps part at "
        "'stop_gradient_1', which passes 0 to 'x' in A and \u20165\u2016 in B."
    )


@pytest.mark.parametrize(
    "other",
    [
        GUMBEL.replace("hard - stop_gradient(soft) + soft", "stop_gradient(hard - soft) + soft"),
        GUMBEL.replace("sum(y * [1.0, 2.0, 3.0])", "sum([1.0, 2.0, 3.0] * y)"),
    ],
)
def test_two_ways_to_write_a_straight_through_step_are_equal_in_both(other):
    found = compared(GUMBEL, other)
    assert (found.equal_values, found.equal_gradients) == (True, True)
    np.testing.assert_allclose(found.cotangents["logits"][1], [-0.22, -0.05, 0.27], rtol=2e-5)
    assert found.sentence.startswith("Equal in both")


def test_a_checkpoint_is_equal_in_both_and_the_sentence_says_what_it_changes():
    text = "x = 0.7\nwith checkpoint('c'):\n    a = sin(x)\n    z = sin(a)"
    found = compared(text, "x = 0.7\na = sin(x)\nz = sin(a)")
    assert (found.equal_values, found.equal_gradients, found.first_wire) == (True, True, None)
    assert found.sentence.endswith("only what is kept and what runs again.")


def test_other_inputs_give_different_values_from_there_on():
    found = compared("x = 2.0\nz = x * x", "x = 3.0\nz = x * x")
    assert (found.equal_values, found.changed_nodes) == (False, ("x",))
    assert found.sentence.startswith("Different values: they part at 'x', which is 2 in A and 3 in B")


def test_one_graph_with_other_inputs_and_another_seed():
    graph = parse("x = 2.0\nz = x * x")
    found = compare(trace(graph), trace(graph, inputs={"x": 3.0}))
    assert (found.equal_values, found.changed_nodes) == (False, ("x",))
    found = compare(trace(graph), trace(graph, seed=2.0))
    assert (found.equal_values, found.first_wire, found.gradients["x"]) == (True, ("z", 0), (4.0, 8.0))
    assert found.sentence.endswith("which passes 2 to 'x' in A and 4 in B. The seed is 1 in A and 2 in B.")


def test_a_rule_of_an_input_parts_gradients_at_no_wire():
    found = compared("x = scale_gradient(2.0, 3.0)\nz = x * x", "x = 2.0\nz = x * x")
    assert (found.equal_values, found.equal_gradients, found.first_wire) == (True, False, None)
    assert found.gradients["x"] == (12.0, 4.0)
    assert "at the rule of 'x', whose gradient is 12 in A and 4 in B" in found.sentence


def test_a_finite_gradient_is_not_equal_to_nan_and_nan_is():
    trap = "x = 0.0\nc = less(x, 1.0)\ny = where(c, x, sqrt(x))"
    cured = trap.replace("sqrt(x)", "sqrt(where(c, 1.0, x))")
    assert compared(trap, trap).equal_gradients
    found = compared(trap, cured)
    assert (found.equal_values, found.equal_gradients) == (True, False)
    assert math.isnan(found.gradients["x"][0])
    assert found.gradients["x"][1] == 1.0


EQUAL = {
    "another order of a sum": ("x = 0.1\nz = x + 0.2 + 0.3", "x = 0.1\nz = x + (0.2 + 0.3)"),
    "what a cancellation leaves": ("x = 0.1\nz = (x + 0.7) - x", "x = 0.1\nz = 0.7 + (x - x)"),
    "digits lost beside a large number": (
        "x = 100.0\nz = x + stop_gradient(0.1 * sign(x) - x)",
        "x = 100.0\nz = (x - stop_gradient(x)) + stop_gradient(0.1 * sign(x))",
    ),
    "another name on the way": ("x = 2.0\nc = sin(x)\nz = c * x", "x = 2.0\nd = sin(x)\nz = d * x"),
    "x * x and its square": ("x = 2.0\nz = x * x", "x = 2.0\nz = square(x)"),
}
UNEQUAL = {
    "a hundred thousandth": ("x = 1.0\nz = x * 1.00001", "x = 1.0\nz = x * 1.0"),
    "an overflow": ("x = -110.0\ny = -log(sigmoid(x))", "x = -110.0\ny = softplus(-x)"),
    "another shape": ("x = 1.0\nz = [1.0, 2.0] * x", "x = 1.0\nz = [1.0, 2.0, 3.0] * x"),
}


@pytest.mark.parametrize("name", [*EQUAL, *UNEQUAL])
def test_rounding_is_no_difference_and_everything_else_is(name):
    expected = name in EQUAL
    found = compared(*(EQUAL | UNEQUAL)[name])
    assert (found.equal_values, found.equal_gradients) == (expected, expected)


def test_an_underflow_is_a_difference_though_float64_has_none():
    found = compared("x = 1.0\nz = ((x * 1e-30) * 1e-30) * 1e30", "x = 1.0\nz = x * 1e-30")
    assert (found.equal_values, found.equal_gradients) == (False, True)  # 1e30, 1, 1e-30 on the way back


def test_a_difference_in_the_last_digits_of_float64_is_one_in_float32_beside_it():
    a, b = (parse(f"x = {x}\nz = x * x") for x in (1.0, 1.0000001))
    assert not compare(trace(a, dtype="float64"), trace(b, dtype="float64")).equal_values
    assert compare(trace(a, dtype="float64"), trace(parse("x = 1.0\nz = square(x)"))).equal_values


REFUSED = {
    "not-a-trace": ("x = 1.0", parse("x = 1.0")),
    "no-shared-output": (parse("x = 1.0\nz = sin(x)"), parse("x = 1.0\ny = sin(x)")),
    "no-shared-inputs": (parse("x = 1.0\nz = sin(x)"), parse("y = 1.0\nz = sin(y)")),
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_cannot_be_compared_is_refused_in_words(code):
    with pytest.raises(GraphError) as refused:
        compare(*REFUSED[code])
    assert [problem.code for problem in refused.value.problems] == [code]


# Random graphs: a second graph with one rule less, and by brute force what the two tapes say


def brute_first(a: Graph, b: Graph, tapes: tuple[tape.Tape, tape.Tape]) -> tuple[str, int] | None:
    """The first wire at which two tapes differ, the nodes from the last to the first."""
    for one, other in zip(reversed(a.nodes), reversed(b.nodes), strict=True):
        ends = {}
        for node, found, side in ((one, tapes[0], 0), (other, tapes[1], 1)):
            for slot, end in node.wires:
                key = slot if one.slots == other.slots else end
                ends.setdefault(key, [slot, 0.0, 0.0])[1 + side] += found.passed[node.name, slot]
        parts = sorted(slot for slot, p, q in ends.values() if is_apart(p, q))
        if parts:
            return one.name, parts[0]
    return None


def is_apart(p: float, q: float) -> bool:
    gap = abs(p - q)
    assume(gap < 1e-13 or gap > 1e-6 * max(abs(p), abs(q)) > 1e-12)  # in between it is undecidable
    return gap > 1e-13


@settings(max_examples=100)
@given(graph=scalar_graphs(), data=st.data())
def test_the_sweeps_part_where_two_tapes_do(graph, data):
    ruled = [node for node in graph.nodes if node.rule.kind != FOLLOW]
    assume(ruled)
    chosen = data.draw(st.sampled_from(ruled))
    plain = replace(chosen, rule=Rule(), slots=chosen.op_slots)
    other = replace(graph, nodes=tuple(plain if node is chosen else node for node in graph.nodes))
    tapes = tape.record(graph), tape.record(other)
    found = compare(trace(graph, dtype="float64"), trace(other, dtype="float64"))
    assert found.first_wire == brute_first(graph, other, tapes)
    assert found.equal_values
    equal = [not is_apart(tapes[0].gradient[name], tapes[1].gradient[name]) for name in tapes[0].gradient]
    assert found.equal_gradients == all(equal)
    assert {*found.changed_nodes} <= {chosen.name}


@settings(max_examples=40)
@given(graph=scalar_graphs())
def test_a_graph_is_equal_to_itself_and_in_float32_to_itself_in_float64(graph):
    for dtype in ("float32", "float64"):
        found = compare(trace(graph), trace(graph, dtype=dtype))
        assert (found.equal_values, found.equal_gradients, found.first_wire) == (True, True, None)
        assert found.changed_nodes == ()
