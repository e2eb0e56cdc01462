"""Test explanations of graphs with grad nodes, against plain JAX, hand work and central differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from tests.engine.references.random_grads import random_text
from tests.seeds import seeded

# f = x^2 y + y^3: gradient (2 x y, x^2 + 3 y^2), Hessian [[2y, 2x], [2x, 6y]] = [[4, 2], [2, 12]] at (1, 2)
HESSIAN = "x = 1.0\ny = 2.0\nf = square(x) * y + y ** 3.0\n"
MAML = (
    "theta = 2.0\nx = 1.5\ninner = x * square(theta)\ng = {}grad(inner, theta){}\n"
    "loss = 0.5 * square(theta - 0.1 * g)"
)


def test_forward_over_reverse_is_a_column_of_the_hessian():
    for by, column in (("x", (4.0, 2.0)), ("y", (2.0, 12.0))):
        found = av.jvp(av.parse(f"{HESSIAN}g = grad(f, {by})"), {"x": 1.0, "y": 0.0})
        np.testing.assert_allclose(found.tangent["g"], column[0])
        both = av.jvp(found.trace, {"x": 1.0, "y": 1.0})
        np.testing.assert_allclose(both.tangent["g"], sum(column))
        np.testing.assert_allclose(both.passed["g", 2], column[1] if by == "x" else column[0])
        assert both.balanced


@pytest.mark.parametrize("rule", ["rewrite({}, lambda v: v)", "scale_gradient({}, 2.0)"])
def test_a_rule_inside_blocks_forward_mode_as_in_jax(rule):
    """A custom_vjp inside calls itself in its forward pass, so that jax.jvp of the gradient raises."""
    graph = av.parse(f"x = 1.0\nq = {rule.format('sin(x)')}\nz = q * x\ng = grad(z, x)\no = g * 2.0")
    found = av.jvp(graph, {"x": 1.0})
    assert found.blocked == ("q", "g")
    assert "o" not in found.tangent
    assert av.verify_tangents(found).agrees


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_random_graphs_forward_and_reverse_mode_agree_with_the_whole_program(seed):
    graph = av.parse(random_text(seeded(seed)))
    if not av.problems(graph):
        found = av.jvp(graph, {"x": 1.0, "w": -0.5}, dtype="float64")
        assert av.verify_tangents(found).agrees
        assert av.verify(found.trace).agrees


COEFFICIENTS = st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4)


@pytest.mark.nightly
@settings(max_examples=8, deadline=None)
@given(COEFFICIENTS, st.sampled_from(["x", "w"]), st.sampled_from(["x", "w"]))
def test_a_gradient_of_a_gradient_is_that_of_jax_grad(numbers, inner, outer):
    """Order two inside, and the pass differentiates once more: the third derivative."""
    a, b, c, d = numbers
    text = (
        f"x = 0.6\nw = 0.4\nz = {a!r} * sin(x * w) + {b!r} * exp(w) * x ** 3.0"
        f" + {c!r} * tanh(x) * w + {d!r} * w\n"
        f"g = grad(z, {inner})\nh = grad(g, {outer})\no = h * x"
    )

    def z(p):
        x, w = p
        return a * jnp.sin(x * w) + b * jnp.exp(w) * x**3 + c * jnp.tanh(x) * w + d * w

    def h(p):
        return jax.grad(lambda q: jax.grad(z)(q)[int(inner == "w")])(p)[int(outer == "w")]

    found = av.trace(av.parse(text), dtype="float64")
    with jax.enable_x64(True):
        at = jnp.array([0.6, 0.4])
        wanted, value = jax.grad(lambda p: h(p) * p[0])(at), h(at)
    np.testing.assert_allclose(found.value["h"], value, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([found.gradient["x"], found.gradient["w"]], wanted, rtol=1e-9, atol=1e-12)


def test_the_paths_of_a_number_beside_a_tensor_that_the_gradient_reads():
    """d loss/dl = 1 down one path; through g nothing, since g runs l again."""
    text = "x = [1.0, 2.0]\nw = 0.5\nl = mean_squared_error(x * w, [3.0, 6.0])\ng = grad(l, w)\n"
    found = av.paths(av.trace(av.parse(f"{text}loss = l + 0.1 * square(g)")), "l")
    assert [(path.nodes, float(path.product)) for path in found.paths] == [(("l", "loss"), 1.0)]


def test_the_rule_check_of_a_gradient_moves_what_it_reads():
    """g = 2 x theta: 2 x = 3 by theta and 2 theta = 4 by x, and so along the whole sweep."""
    found = av.rule_check(av.trace(av.parse(MAML.format("", ""))), "g")
    assert [along.by for along in found.along] == ["theta", "x"]
    assert not found.blocked
    for along, slope in zip(found.along, (3.0, 4.0), strict=True):
        np.testing.assert_allclose(along.true, slope, atol=1e-9)
        np.testing.assert_allclose(along.declared, slope, atol=1e-9)
        np.testing.assert_allclose(along.difference, slope, atol=1e-5)
        assert along.adjoint.holds


def test_the_rule_check_of_a_scaled_gradient_keeps_the_rules_inside():
    """q = x^2 whose gradient is halved, z = q^2: g = 2 q x, its slope 2 q + 2 x * x by the rule; times 3."""
    text = "x = 3.0\nq = scale_gradient(x * x, 0.5)\nz = square(q)\ng = scale_gradient(grad(z, x), 3.0)"
    (found,) = av.rule_check(av.trace(av.parse(text)), "g").along
    np.testing.assert_allclose(found.true[found.at_here], 2 * 9 + 2 * 3 * 3, rtol=1e-9)
    np.testing.assert_allclose(found.declared[found.at_here], 3 * 36.0, rtol=1e-9)
    assert av.rule_check(av.trace(av.parse(text)), "g").blocked


def test_first_order_maml_has_the_values_of_maml_and_other_gradients():
    """loss 0.98 in both: d/dtheta is 1.4 (1 - 0.1 * 2 x) = 0.98 through g, and 1.4 with a stop on it."""
    a, b = (av.trace(av.parse(MAML.format(*rule))) for rule in (("", ""), ("stop_gradient(", ")")))
    found = av.compare(a, b)
    assert (found.equal_values, found.equal_gradients) == (True, False)
    np.testing.assert_allclose(found.gradients["theta"], (0.98, 1.4), rtol=1e-6)
    np.testing.assert_allclose(found.gradients["x"], (-0.56, 0.0), rtol=1e-6)
    assert found.changed_nodes == ("g",)
    assert found.first_wire == ("g", 1)
    assert found.sentence.startswith("Equal values, different gradients")


def test_a_gradient_equals_the_same_one_written_out_in_ops():
    """2 x theta in place of grad(inner, theta): every number that both have is equal."""
    written = MAML.replace("{}grad(inner, theta){}", "2.0 * x * theta").format()
    found = av.compare(av.parse(MAML.format("", "")), av.parse(written))
    assert found.equal_values
    assert found.equal_gradients
    np.testing.assert_allclose(found.gradients["theta"], (0.98, 0.98), rtol=1e-6)


def test_another_x_is_another_graph():
    found = av.compare(av.parse(f"{HESSIAN}g = grad(f, x)"), av.parse(f"{HESSIAN}g = grad(f, y)"))
    np.testing.assert_allclose(found.values["g"], (4.0, 13.0))  # 2 x y and x^2 + 3 y^2
    assert found.changed_nodes == ("g",)
    assert not found.equal_values
