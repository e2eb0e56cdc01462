"""Test the rule check: declared, true and difference, against derivatives by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.explain.rule_check.compute import adjoint_statement
from autodiff_viz.graph.model import INPUT
from tests.engine.references.scalar_graphs import scalar_graphs, without_rules

WIDE = " All in float64; the graph is in float32."


def checked(text: str, name: str, **pair) -> av.RuleCheck:
    return av.rule_check(av.trace(av.parse(text.replace("; ", "\n"))), name, **pair)


def at_present(found: av.Along) -> tuple[float, float, float]:
    at = found.at_here
    return found.declared[at], found.true[at], found.difference[at]


def test_a_straight_through_estimator_differs_on_purpose():
    """Learned step size: round is passed straight through; its own derivative is 0."""
    text = "x = 1.3; s = 0.5; c = clip(x / s, -3.0, 3.0); q = backward_as(round(c), c); y = q * s"
    found = checked(text, "q")
    (along,) = found.along
    assert at_present(along) == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert (along.by, along.gap, along.where) == ("c", 1.0, pytest.approx(2.6))
    assert along.differs
    assert not along.adjoint.holds
    assert not found.blocked


@pytest.mark.parametrize(
    ("op", "slope", "below", "above"),
    [
        ("maximum(x, 0.0)", 0.5, 0.0, 1.0),
        ("relu(x)", 0.0, 0.0, 1.0),
        ("where(greater(x, 0.0), x, 0.0)", 0.0, 0.0, 1.0),
        ("abs(x)", 1.0, -1.0, 1.0),
        ("clip(x, 0.0, 1.0)", 0.5, 0.0, 1.0),
    ],
)
def test_at_a_corner_jax_chooses_a_slope_between_the_sides(op, slope, below, above):
    """jax #37821; the sides are those of the function."""
    found = checked(f"x = 0.0; y = {op}", "y")
    along = next(a for a in found.along if a.by == "x")
    at = along.at_here
    assert along.true[at] == slope
    assert below <= slope <= above
    if not op.startswith("where"):  # there the condition is a node of its own
        assert along.corner[at]
        assert along.difference[at] == pytest.approx((below + above) / 2)
    assert along.gap == 0.0


def test_the_transpose_test_by_hand():
    """With u = [1, -1] and v = [2, 1]: W u = [-1, -1], W'v = [5, 8]; both products are -3."""
    text = "W = [[1.0, 2.0], [3.0, 4.0]]; u = [1.0, -1.0]; Ju = W @ u; y = dot(Ju, [2.0, 1.0])"
    trace = av.trace(av.parse(text.replace("; ", "\n")))
    only = av.parse("u = [1.0, -1.0]\nJu = [[1.0, 2.0], [3.0, 4.0]] @ u\ny = dot(Ju, [2.0, 1.0])")
    found = av.rule_check(av.trace(only), "Ju", u=[1.0, -1.0], v=[2.0, 1.0])
    assert found.along[0].adjoint == av.Adjoint(-3.0, -3.0)
    assert all(along.adjoint.holds for along in av.rule_check(trace, "Ju").along)


def test_a_wrong_pullback_fails_the_transpose_test_and_a_true_one_passes():
    text = "x = 1.0; y = 2.0; f = custom(sin(x), pullback=lambda v, x, s: v * {}); z = f * y"
    true, wrong = checked(text.format("cos(x)"), "f"), checked(text.format("sin(x)"), "f")
    assert true.blocked
    assert wrong.blocked
    assert true.along[0].adjoint.holds
    assert not true.along[0].differs
    assert not wrong.along[0].adjoint.holds
    # |sin x - cos x| is sqrt 2 at most, at -pi/4; a step of the sweep is 0.1
    assert wrong.along[0].gap == pytest.approx(np.sqrt(2), abs=2e-3)
    assert wrong.along[0].where == pytest.approx(-np.pi / 4, abs=0.06)
    assert at_present(wrong.along[0]) == pytest.approx((np.sin(1), np.cos(1), np.cos(1)), abs=1e-9)


def test_the_surrogate_of_a_sign_through_its_own_way():
    """The clipped identity under a sign: declared 1 inside [-1, 1] and 0 outside, true 0."""
    found = checked("x = 1.7; c = clip(x, -1.0, 1.0); y = backward_as(sign(x), c)", "y")
    by_x = found.along[0]
    assert by_x.by == "x"
    inside = np.abs(by_x.positions) < 0.99
    np.testing.assert_array_equal(by_x.declared[inside], 1.0)
    np.testing.assert_array_equal(by_x.declared[np.abs(by_x.positions) > 1.01], 0.0)
    np.testing.assert_array_equal(by_x.true, 0.0)
    assert by_x.corner[np.argmin(np.abs(by_x.positions))]  # the sign jumps at 0
    assert by_x.gap == 1.0
    assert abs(by_x.where) < 1.0
    assert at_present(by_x) == pytest.approx((0.0, 0.0, 0.0))


def test_the_error_of_the_central_difference_of_a_sine():
    """cos 1 (sin h / h - 1) with h = 6e-6 is -3e-12, and rounding some 1e-11; -9e-4 with h = 0.1."""
    (along,) = checked("x = 1.0; y = sin(x)", "y").along
    assert at_present(along) == pytest.approx((np.cos(1), np.cos(1), np.cos(1)), abs=1e-9)
    np.testing.assert_allclose(along.difference, np.cos(along.positions), atol=1e-9)
    assert along.true_gap < 1e-9
    assert not along.corner.any()


def test_other_rules_and_an_input():
    stop = checked("x = [1.0, 2.0]; y = stop_gradient(x * 3.0); z = sum(y)", "y")
    assert at_present(stop.along[0]) == pytest.approx((0.0, 3.0, 3.0), abs=1e-8)
    clipped = checked("x = 2.0; y = rewrite(x * 4.0, lambda v: clip(v, -1, 1)); z = y * 5.0", "y")
    assert float(clipped.v) == 5.0  # a rule of what arrives: 1 in place of 5 is pulled back
    assert at_present(clipped.along[0]) == pytest.approx((4.0, 20.0, 20.0), abs=1e-7)
    assert clipped.blocked
    plain = checked("x = 2.0; y = x * x", "x")
    assert at_present(plain.along[0]) == pytest.approx((1.0, 1.0, 1.0), abs=1e-9)
    both = checked("x = 2.0; y = x * x", "y")
    assert at_present(both.along[0]) == pytest.approx((4.0, 4.0, 4.0), abs=1e-8)
    with pytest.raises(av.GraphError, match="reads no node"):
        checked("x = 1.0; y = 1.0 + 2.0; z = x * y", "y")


@settings(max_examples=12)
@given(graph=scalar_graphs(), data=st.data())
def test_without_a_rule_all_three_agree_on_random_graphs(graph, data):
    plain = without_rules(graph)
    able = [node.name for node in plain.nodes if node.op == INPUT or node.wires]
    trace = av.trace(plain)
    found = av.rule_check(trace, data.draw(st.sampled_from(able)))
    for along in found.along:
        assert along.gap == 0.0
        assert along.adjoint.holds
        one, other = along.true[along.at_here], along.difference[along.at_here]
        assert along.corner[along.at_here] or abs(one - other) <= 1e-5 * (1 + abs(one)), (
            along.by,
            one,
            other,
        )


def test_a_graph_without_the_rule_has_the_true_derivative():
    graph = av.parse("x = 0.3\ny = custom(square(x), pullback=lambda v, x, y: v)")
    without = replace(graph, nodes=tuple(replace(n, rule=av.Rule()) for n in graph.nodes))
    true = av.rule_check(av.trace(graph), "y").along[0].true
    np.testing.assert_array_equal(true, av.rule_check(av.trace(without), "y").along[0].declared)


def test_where_the_slope_is_infinite_nothing_agrees_and_nothing_is_refuted():
    """The root at 0 (row 20): its slope is infinite, and to the left of 0 there is no root."""
    found = av.rule_check(av.trace(av.parse("x = 0.0\ny = sqrt(x)")), "y")
    assert (
        found.sentence == "No rule: JAX's derivative is ∞ at x = 0, so there is no slope to compare. "
        f"Where y has no finite value, nothing is compared.{WIDE}"
    )
    assert adjoint_statement(found.worst).text.startswith("There is no finite derivative here: ")


def test_where_jax_has_nan_the_central_difference_is_said():
    """Row R2: u ** 0 is 1 on both sides of 0, and JAX's slope there is 0 times infinity."""
    found = av.rule_check(av.trace(av.parse("u = 0.0\nn = 0.0\ny = u ** n")), "y")
    assert found.along[0].by == "u"
    assert (
        found.sentence == f"No rule: JAX's derivative is NaN at u = 0, where central differences say 0.{WIDE}"
    )


def test_a_step_is_called_one():
    """The floor at 1 is flat on both sides and jumps between them."""
    said = av.rule_check(av.trace(av.parse("x = 1.0\ny = floor(x)")), "y").sentence
    assert said.endswith(f"one of the slopes that meet at this corner or step.{WIDE}")


def test_a_rule_inside_a_grad_node_is_no_fault_of_the_differences():
    """Row R7: g = 2 round(x) is flat, and JAX, which goes by the rules inside, has 2.

    Written with stops g = 2 (x - a + b), of which it reads a and b: by x alone that is a line of slope 2.
    """
    text = "x = 3.2\nq = x - stop_gradient(x) + stop_gradient(round(x))\ny = square(q)\ng = grad(y, x)"
    said = av.rule_check(av.trace(av.parse(text)), "g").sentence
    assert said.startswith(
        "No rule: JAX's derivative is 2 at x = 3.2, and central differences agree everywhere"
    )
    text = "x = 3.2\nq = backward_as(round(x), x)\ny = square(q)\ng = grad(y, x)"
    said = av.rule_check(av.trace(av.parse(text)), "g").sentence
    assert said.startswith(
        "No rule: JAX's derivative is 2 at x = 3.2, and central differences are another number"
    )


def test_the_adjoint_test_of_a_rule_that_clips_takes_what_arrives():
    """Row 31: 2 arrives at h1 and is clipped to 1, so that half of the transpose is passed back."""
    text = "w = 2.0\nh1 = rewrite(w * 1.0, lambda v: clip(v, -1.0, 1.0))\nh2 = w * h1"
    side = av.rule_check(av.trace(av.parse(text)), "h1").worst.adjoint
    assert side.left == 2 * side.right
    assert not side.holds
    said = adjoint_statement(av.rule_check(av.trace(av.parse(text)), "h1").worst).text
    assert "It is not the transpose of the derivative: ⟨v, Ju⟩" in said


def test_rounding_of_large_slopes_is_no_difference():
    """exp(100) is 2.7e43 (row 29): a difference of 1e36 is its 8th digit."""
    said = av.rule_check(av.trace(av.parse("x = 100.0\ny = exp(x)")), "y").sentence
    assert said.endswith(f"and central differences agree everywhere.{WIDE}")


def test_the_sentence_says_that_its_numbers_are_in_float64_where_the_graph_has_others():
    """Row 29: exp(100) is infinite in float32, and 2.7e43 in float64."""
    graph = av.parse("x = 100.0\ny = exp(x)")
    for dtype in ("float32", "float16", "bfloat16"):
        said = av.rule_check(av.trace(graph, dtype=dtype), "y").sentence
        assert "is 2.688e43 at x = 100" in said
        assert said.endswith(f" All in float64; the graph is in {dtype}.")
    assert "float" not in av.rule_check(av.trace(graph, dtype="float64"), "y").sentence


def test_what_is_not_finite_is_written_as_everywhere():
    found = av.trace(av.parse("p = 0.0\na = log(p)\ny = p * a"))
    with pytest.raises(av.GraphError, match="'a' is \u2212∞ at present"):
        av.rule_check(found, "y")
