"""Test the field over a plane of two numbers: by hand, by plain JAX and by float64 differences."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.trace import precision
from autodiff_viz.explain.field.compute import ALL, LEFT, NOT_FINITE, RESTS, Number, path_through, round_up
from autodiff_viz.explain.field.figure import LACKS, drawn, field_figure, field_text, legend
from autodiff_viz.explain.field.view import ACROSS, FIELD, NEXT, UP, offered
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.history import begin
from autodiff_viz.lab.figures import about, choose, chosen
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings
from tests.lab import regression

EVERY = tuple(DTYPES)
TD = """w1 = parameter(1.0)
w2 = parameter(0.5)
v = w1 + 2.0 * w2
after = 2.0 * w1 + w2
target = stop_gradient(1.0 + 0.75 * after)
loss = 0.5 * square(target - v)
"""
GAN = "x = parameter(1.0)\ny = parameter(0.5)\ntheirs = scale_gradient(y, -1.0)\nz = x * theirs\n"
SIMSIAM = """a = parameter(1.0)
b = parameter(0.5)
one = a * 1.5
other = a * 2.0
loss = 0.5 * square(b * one - stop_gradient(other)) + 0.5 * square(b * other - stop_gradient(one))
"""
PLAIN = "x = 0.5\ny = 0.25\nz = sin(x) * exp(y) + x * y * y"


def field_of(text, *given, dtype="float32", **more):
    return av.field(av.trace(av.parse(text), dtype=dtype), *given, **more)


def places(found):
    """The grid in float64."""
    return np.meshgrid(*(along.astype(np.float64) for along in found.axes))


def is_near(found, wanted, dtype, units=8):
    """Whether numbers agree to some units of the last place, of the largest of them."""
    wanted = np.broadcast_to(np.asarray(wanted, np.float64), found.shape)
    room = units * DTYPES[dtype].eps * np.abs(wanted).max(initial=1e-300)
    return bool((np.abs(found.astype(np.float64) - wanted) <= room).all())


# By hand.


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", EVERY)
def test_td_with_a_stop_has_a_curl_and_no_loss(dtype):
    """delta = 1 + 0.75 (2 w1 + w2) - w1 - 2 w2 = 1 + 0.5 w1 - 1.25 w2."""
    found = field_of(TD, dtype=dtype)
    w1, w2 = places(found)
    delta = 1 + 0.5 * w1 - 1.25 * w2
    assert is_near(found.value, delta**2 / 2, dtype)
    assert is_near(found.declared, np.stack([-delta, -2 * delta], -1), dtype)
    assert is_near(found.true, np.stack([0.5 * delta, -1.25 * delta], -1), dtype)
    # d(-2 delta)/dw1 - d(-delta)/dw2 = -1 - 1.25
    np.testing.assert_allclose(found.curl, -2.25, rtol=1e-14)
    assert found.turns
    assert found.bent.any()
    assert "No function has these arrows as its gradient" in found.sentence
    assert "their curl is −2.25 all over the grid" in found.sentence
    assert "At w1 = 1 and w2 = 0.5 the declared gradient is (−0.875, −1.75), the true one (0.4375, −1.09" in (
        found.sentence
    )
    assert "because of stop at target" in found.sentence


RULES = {
    # by hand: which of these rules changes what arrives at x or y
    "a rewrite to itself": ("a = rewrite(x * y, lambda v: v)\nb = stop_gradient(x) * y", ["stop_gradient_1"]),
    "a scale of 1": ("a = scale_gradient(x * y, 1.0)\nb = stop_gradient(x) * y", ["stop_gradient_1"]),
    "the true derivative": (
        "a = custom(square(x), pullback=lambda v, x, y: 2.0 * v * x)\nb = stop_gradient(x) * y",
        ["stop_gradient_1"],
    ),
    "a stop behind a stop": (
        "a = stop_gradient(x * y)\nb = stop_gradient(3.0 * a) + x",
        ["a", "mul_1"],
    ),
    "two that do": ("a = scale_gradient(x * y, 2.0)\nb = stop_gradient(x) * y", ["a", "stop_gradient_1"]),
    "a clip that clips nothing here": (
        "a = rewrite(x * y, lambda v: clip(v, -9.0, 9.0))\nb = scale_gradient(x, 2.0) * y",
        ["scale_gradient_1"],
    ),
}


@pytest.mark.every
@pytest.mark.parametrize("case", RULES)
def test_only_rules_that_change_the_gradient_are_named(case):
    text, changing = RULES[case]
    found = field_of(f"x = 1.0\ny = 2.0\n{text}\nz = a + b")
    assert [node.name for node in found.rules] == changing
    [said] = re.findall(r"because of ([^.]*)\.", found.sentence)
    assert re.findall(r"at (\w+)", said) == changing


def test_jax_itself_would_stop_a_second_time():
    """The reason why the rules hold for one derivative: (w1 - 2 stop(w2))^2 / 2 has the curl 0 + 2."""
    text = "x = 1.0\ny = 0.5\ntarget = stop_gradient(2.0 * y)\nz = 0.5 * square(x - target)"

    def loss(p):
        return 0.5 * (p[0] - jax.lax.stop_gradient(2.0 * p[1])) ** 2

    point = jnp.array([1.0, 0.5])
    assert float(jax.jvp(jax.grad(loss), (point,), (jnp.array([0.0, 1.0]),))[1][0]) == 0.0
    np.testing.assert_array_equal(field_of(text).curl, 2.0)


@pytest.mark.parametrize("dtype", EVERY)
def test_a_game_has_the_curl_minus_two_and_descent_circles_outwards(dtype):
    """Each step multiplies x + iy by 1 + 0.1i."""
    found = field_of(GAN, dtype=dtype, ends=((-4, 4), (-4, 4)), rate=0.1, steps=30)
    x, y = places(found)
    assert is_near(found.declared, np.stack([y, -x], -1), dtype, units=0)
    assert is_near(found.true, np.stack([y, x], -1), dtype, units=0)
    np.testing.assert_array_equal(found.curl, -2.0)
    assert found.turns
    path = (1 + 0.5j) * (1 + 0.1j) ** np.arange(31)
    room = 31 * DTYPES[dtype].eps * abs(path[-1])
    away = found.descent.points.astype(np.float64) - np.stack([path.real, path.imag], -1)
    assert np.abs(away).max() <= room
    assert (np.diff(np.hypot(*found.descent.points.astype(np.float64).T)) > 0).all()
    assert (found.descent.why, found.descent.steps) == (ALL, 30)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", EVERY)
def test_simsiam_has_a_curl_that_grows_with_the_encoder(dtype):
    """With S = 1.5^2 + 2^2 and P = 1.5 * 2: the gradients are a(b^2 S - 2bP) and a^2(bS - 2P)."""
    found = field_of(SIMSIAM, dtype=dtype)
    a, b = places(found)
    square, product = 1.5**2 + 2.0**2, 1.5 * 2.0
    wanted = [a * (b * b * square - 2 * b * product), a * a * (b * square - 2 * product)]
    assert is_near(found.declared, np.stack(wanted, -1), dtype)
    np.testing.assert_allclose(found.curl, -2 * a * product, rtol=1e-12, atol=1e-12)
    assert found.turns
    low, high = np.round(found.curl.min(), 3), np.round(found.curl.max(), 3)
    assert f"goes from {low:g} to {high:g} over the grid".replace("-", "−") in found.sentence


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", EVERY)
def test_a_plain_loss_has_no_curl(dtype):
    found = field_of(PLAIN, dtype=dtype)
    x, y = places(found)
    wanted = [np.cos(x) * np.exp(y) + y * y, np.sin(x) * np.exp(y) + 2 * x * y]
    assert is_near(found.declared, np.stack(wanted, -1), dtype)
    np.testing.assert_allclose(found.curl, 0.0, atol=1e-14)
    assert not found.turns
    assert not found.bent.any()
    assert (
        "Some function has these arrows as its gradient, and descent lowers it: their curl is 0"
        in found.sentence
    )
    assert "which is the true one: no rule changes it" in found.sentence
    assert "no function has" not in found.sentence


def test_a_stop_on_one_number_alone_leaves_no_curl_where_the_numbers_are_not_coupled():
    """x^2 + stop(y)^2: the declared gradient (2x, 0) is that of x^2."""
    found = field_of("x = 1.0\ny = 1.0\nz = square(x) + square(stop_gradient(y))")
    np.testing.assert_array_equal(found.curl, 0.0)
    assert found.bent.all(where=found.axes[1][:, None] != 0)
    assert not found.turns


@pytest.mark.parametrize(
    ("dtype", "share"), [("float32", "0.1 %"), ("float16", "0.78 %"), ("bfloat16", "6.2 %")]
)
def test_rules_that_change_nothing_are_said_to_change_nothing_to_the_digits_of_the_dtype(dtype, share):
    """Eight units of the last place, 2^-10 and 2^-7, or a thousandth."""
    found = field_of("x = 1.0\ny = 2.0\nz = scale_gradient(x * y, 1.0)", dtype=dtype, points=5)
    assert (
        f"(2, 1); it is the true one all over the grid, to {share} of the largest number." in found.sentence
    )


def test_a_curl_is_told_of_the_points_where_it_is_finite():
    """z = x stop(y) where y > 0, and NaN where the root is."""
    text = "x = 1.0\ny = 1.0\nz = x * stop_gradient(sqrt(y) * 0.0 + y)"
    found = field_of(text, ends=((0, 2), (-1, 3)), points=5)
    np.testing.assert_array_equal(found.curl[2:], -1.0)
    assert not np.isfinite(found.curl[0]).any()
    assert "is −1 wherever it is finite on the grid" in found.sentence


# By other ways of computing the same.

RULED = {
    "stop": "x = 0.7\ny = -0.4\ns = stop_gradient(x * y + sin(y))\nz = s * x + s * s",
    "stop at an input": "x = stop_gradient(0.7)\ny = -0.4\nz = sin(x * y) * x",
    "scale": "x = 0.7\ny = -0.4\nt = scale_gradient(tanh(x * y), -0.5)\nz = exp(t) * y",
    "scale at both inputs": "x = scale_gradient(0.7, 2.0)\ny = scale_gradient(-0.4, -1.0)\nz = exp(x * y)",
    "rewrite": "x = 0.7\ny = -0.4\nq = rewrite(x * y, lambda v: v * v + 1.0)\nz = q * q * y",
    "pullback": "x = 0.7\ny = -0.4\nz = custom(x * y, pullback=lambda v, a, b, c: (v * b * c, v * a * a))",
    "backward as": "x = 0.7\ny = -0.4\nr = backward_as(round(4.0 * x), sin(x * y))\nz = r * r * x",
    "backward as a number": "x = 0.7\ny = -0.4\nr = backward_as(x * y, 2.0)\nz = r * x * y",
    "two of them": "x = 0.7\ny = -0.4\na = rewrite(stop_gradient(x) * y, lambda v: v * v)\nz = sin(a * x)",
    "output": "x = 0.7\ny = -0.4\nz = scale_gradient(x * x * y, 3.0)",
}


def differences(text, found, places, step=1e-5):
    """The curl by central differences of the gradient of float64 traces: the live path's."""
    graph = av.parse(text)

    def slope(x, y):
        gradient = av.trace(graph, {"x": x, "y": y}, dtype="float64").gradient
        return float(gradient["x"]), float(gradient["y"])

    for i, j in places:
        x, y = float(found.axes[0][j]), float(found.axes[1][i])
        by_y = (slope(x + step, y)[1] - slope(x - step, y)[1]) / (2 * step)
        by_x = (slope(x, y + step)[0] - slope(x, y - step)[0]) / (2 * step)
        yield by_y - by_x


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", RULED.values(), ids=RULED)
def test_the_curl_is_that_of_float64_differences_under_every_rule(text):
    found = field_of(text, points=7, steps=0)
    places = [(0, 0), (1, 4), (5, 2), (6, 5)]
    wanted = [*differences(text, found, places)]
    np.testing.assert_allclose([found.curl[at] for at in places], wanted, rtol=1e-6, atol=1e-7)
    # These are smooth there, so the verdict follows from the numbers.
    assert found.turns == (np.abs(wanted).max() > 1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("text", RULED.values(), ids=RULED)
def test_the_declared_gradient_is_that_of_a_trace_at_each_point_and_the_true_one_ignores_rules(text, dtype):
    graph = av.parse(text)
    bare = replace(graph, nodes=tuple(replace(n, slots=n.op_slots, rule=av.Rule()) for n in graph.nodes))
    found = av.field(av.trace(graph, dtype=dtype), points=5, steps=0)
    room = 1e-5 if dtype in ("float32", "float64") else 16 * DTYPES[dtype].eps
    for i, j in ((0, 0), (1, 3), (4, 2)):
        at = {"x": found.axes[0][j], "y": found.axes[1][i]}
        for name, other in (("declared", graph), ("true", bare)):
            one = av.trace(other, at, dtype=dtype)
            wanted = np.array([one.gradient["x"], one.gradient["y"]], np.float64)
            numbers = getattr(found, name)[i, j].astype(np.float64)
            np.testing.assert_allclose(numbers, wanted, rtol=room, atol=room * np.abs(wanted).max())
        assert float(found.value[i, j]) == pytest.approx(float(one.value["z"]), rel=room)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", EVERY)
def test_the_numbers_are_those_of_plain_jax(dtype):
    def loss(x, y):
        gate = jax.lax.stop_gradient(jnp.tanh(x * y))
        return jnp.sin(x) * gate + y * y

    text = "x = 0.7\ny = -0.4\ngate = stop_gradient(tanh(x * y))\nz = sin(x) * gate + y * y"
    found = field_of(text, dtype=dtype, points=5)
    with precision(dtype):
        both = jax.vmap(jax.grad(loss, (0, 1)))(*(jnp.asarray(a.ravel()) for a in np.meshgrid(*found.axes)))
    wanted = np.stack(both, -1).reshape(5, 5, 2).astype(np.float64)
    assert is_near(found.declared, wanted, dtype)


def test_an_arriving_seed_and_an_output_of_several_numbers_are_paired():
    """2 x y + 3 y^2."""
    graph = av.parse("x = 1.0\ny = 2.0\nz = stack([x * y, y * y])")
    found = av.field(av.trace(graph, seed=[2.0, 3.0]), points=5)
    x, y = places(found)
    np.testing.assert_array_equal(found.value, 2 * x * y + 3 * y * y)
    np.testing.assert_array_equal(found.declared, np.stack([2 * y, 2 * x + 6 * y], -1))
    assert not found.is_plain
    assert "⟨seed, z⟩" in field_text(av.trace(graph, seed=[2.0, 3.0]), None)


# What is no curl.


@pytest.mark.parametrize(
    ("zero", "corners"),
    [
        ("relu(y) + relu(-y) - abs(y)", 41),
        ("maximum(x - y, 0.0) + maximum(y - x, 0.0) - abs(x - y)", 41),
        ("maximum(y, 0.0) - relu(y)", 41),
    ],
)
def test_a_corner_is_no_curl(zero, corners):
    """x stop(0) has the declared gradient (0, 0), but at a corner JAX's derivatives do not add up to 0."""
    found = field_of(f"x = 1.0\ny = 1.0\nz = x * stop_gradient({zero})", ends=((-2, 2), (-2, 2)), steps=0)
    np.testing.assert_array_equal(found.declared, 0.0)
    assert np.count_nonzero(found.curl) == corners
    assert not found.turns


def test_a_plain_loss_with_corners_has_no_curl():
    text = "x = 1.0\ny = 1.0\nz = relu(x * y) * abs(x - y) + square(maximum(x, y))"
    assert not field_of(text, ends=((-2, 2), (-2, 2)), steps=0).turns


@pytest.mark.nightly
@pytest.mark.parametrize(
    "text",
    [
        "x = 1.0\ny = 1.0\nz = square(1e7 * x + 0.1 * y) - square(1e7 * x) - 2e6 * x * y",
        "x = 1.0\ny = 1.0\nz = (x + y) ** 3.0 - x ** 3.0 - 3.0 * x * x * y - 3.0 * x * y * y - y ** 3.0",
    ],
)
def test_rounding_is_no_curl(text):
    """Mixed second derivatives that cancel to 0; what is left of them is more than their own last digits."""
    found = field_of(text, dtype="float64", ends=((0.3, 1.7), (0.2, 1.9)), steps=0)
    assert not found.turns


def test_a_curl_is_seen_beside_a_corner_and_where_it_is_small():
    text = "x = 1.0\ny = 1.0\nz = relu(x * stop_gradient(y)) + abs(x - y) * 1000.0"
    found = field_of(text, ends=((-2, 2), (-2, 2)), steps=0)
    assert found.turns


# Numbers, draws, grad nodes.


def test_elements_of_tensors_can_be_chosen_and_the_default_takes_parameters_first():
    graph = av.parse("x = 2.0\nw = parameter([[1.0, 2.0], [3.0, 4.0]])\nz = sum(w * w) * x")
    found = av.field(av.trace(graph), "w[1, 0]", "x", points=5)
    assert (found.x, found.y) == ("w[1, 0]", "x")
    np.testing.assert_array_equal(found.point, [3.0, 2.0])
    w, x = places(found)
    np.testing.assert_allclose(found.value, (1 + 4 + w * w + 16) * x, rtol=1e-6)
    np.testing.assert_allclose(found.declared[..., 0], 2 * w * x, rtol=1e-6, atol=1e-6)
    named = av.field(av.trace(graph), points=5)
    assert (named.x, named.y) == ("w[0, 0]", "w[0, 1]")
    assert offered(graph) == ("w[0, 0]", "w[0, 1]", "w[1, 0]", "w[1, 1]", "x")
    assert av.field(av.trace(graph), y="w[0,0]", points=5).x == "w[0, 1]"


@pytest.mark.parametrize("dtype", EVERY)
def test_a_draw_stays_the_same_draw_all_over_the_plane(dtype):
    graph = av.parse("x = 1.0\ny = 0.5\nn = normal(seed=3)\nz = x * n + y * n * x")
    trace = av.trace(graph, dtype=dtype)
    draw = float(trace.value["n"])
    found = av.field(trace, points=5)
    x, y = places(found)
    assert is_near(found.declared, np.stack([draw + y * draw, x * draw], -1), dtype)
    assert not found.turns


def test_dropout_of_what_is_moved_keeps_its_mask():
    graph = av.parse("x = 1.0\ny = 0.5\nz = sum(dropout(stack([x, y, x * y, x]), rate=0.5, seed=1))")
    kept = av.trace(graph, {"x": 1.0, "y": 1.0}).gradient
    found = av.field(av.trace(graph), ends=((0.0, 2.0), (0.0, 2.0)), points=5)
    assert found.axes[0][2] == found.axes[1][2] == 1.0
    np.testing.assert_array_equal(found.declared[2, 2], [kept["x"], kept["y"]])


def test_a_graph_with_a_grad_node_has_both_gradients_and_the_curl_while_no_rule_decides_values():
    """z = (d/dx x^3 y)^2 = 9 x^4 y^2."""
    found = field_of("x = 0.5\ny = 1.0\nf = x * x * x * y\ng = grad(f, x)\nz = g * g", dtype="float64")
    x, y = places(found)
    wanted = np.stack([36 * x**3 * y**2, 18 * x**4 * y], -1)
    np.testing.assert_allclose(found.declared, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.true, wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.curl, 0.0, atol=1e-10)
    assert not found.turns


def test_where_rules_decide_the_value_of_a_grad_node_the_true_gradient_is_left_out_in_words():
    text = "x = 0.5\ny = 1.0\nf = x * x * stop_gradient(x * y)\ng = grad(f, x)\nz = g * g"
    found = field_of(text, points=5)
    assert (found.true, found.curl, found.true_descent, found.turns) == (None, None, None, False)
    assert "Rules also decide the value of 'g', so the true gradient and the curl are left out." in (
        found.sentence
    )
    one = av.trace(av.parse(text), {"x": found.axes[0][3], "y": found.axes[1][1]})
    np.testing.assert_allclose(found.declared[1, 3], [one.gradient["x"], one.gradient["y"]], rtol=1e-6)
    drawn(found)


def test_numbers_that_the_output_does_not_need_have_a_gradient_of_zero():
    found = field_of("x = 1.0\ny = 2.0\nw = 3.0\nz = x * x", "y", "w", points=5)
    np.testing.assert_array_equal(found.declared, 0.0)
    assert (found.descent.why, found.descent.steps) == (RESTS, 0)


# The grid and descent.


def test_the_grid_is_around_the_present_point_or_what_the_slider_has():
    found = field_of("x = 1.5\ny = input(0.25, low=0.0, high=0.5)\nz = x * y")
    assert [*map(float, found.axes[0][[0, 20, 40]])] == [-0.5, 1.5, 3.5]  # 1.25 * 1.5 rounded up to 2
    assert [*map(float, found.axes[1][[0, 20, 40]])] == [0.0, 0.25, 0.5]
    given = field_of("x = 1.5\ny = 0.25\nz = x * y", ends=((0, 1), (0, 1)), points=3)
    assert [*map(float, given.axes[0])] == [0.0, 0.75, 1.5]  # widened to hold the present point
    assert [*map(float, given.axes[1])] == [0.0, 0.5, 1.0]
    assert [round_up(size) for size in (0, 0.3, 1, 1.1, -4, 5.1, 11)] == [1, 1, 1, 2, 5, 10, 20]


def test_positions_of_sixteen_bits_are_different_numbers():
    """Between 1 and 1.0625 bfloat16 has 8 numbers and the end."""
    found = field_of("x = input(1.0, low=1.0, high=1.0625)\ny = 1.0\nz = x * y", dtype="bfloat16")
    np.testing.assert_array_equal(found.axes[0].astype(np.float64), 1 + np.arange(9) / 128)
    assert found.value.shape == (41, 9)


@pytest.mark.parametrize("dtype", EVERY)
def test_descent_is_p_minus_rate_times_gradient_until_it_leaves_the_grid(dtype):
    """z = -x^2 / 2 + y: each step multiplies x by 1.5 and takes 0.5 from y."""
    text = "x = 0.25\ny = 1.0\nz = -0.5 * x * x + y"
    found = field_of(text, dtype=dtype, rate=0.5, ends=((-1, 1), (-8, 8)), points=5)
    points = found.descent.points.astype(np.float64)
    np.testing.assert_allclose(points[:, 0], 0.25 * 1.5 ** np.arange(5), rtol=4 * DTYPES[dtype].eps)
    np.testing.assert_array_equal(points[:, 1], 1 - 0.5 * np.arange(5))
    assert (found.descent.why, points[-2, 0] < 1 < points[-1, 0]) == (LEFT, True)
    assert "Descent by the declared gradient, step size 0.5, leaves the grid in 4 steps." in found.sentence


def test_descent_ends_where_it_rests_or_is_not_finite_or_has_made_its_steps():
    bowl = "x = 1.0\ny = 1.0\nz = square(x) + square(y)"
    assert [(d.why, d.steps) for d in [field_of(bowl, rate=0.5, points=3).descent]] == [(RESTS, 1)]
    assert field_of(bowl, rate=0.1, steps=3, points=3).descent.why == ALL
    none = field_of(bowl, steps=0, points=3)
    assert (none.descent.why, none.descent.points.tolist()) == (ALL, [[1.0, 1.0]])
    np.testing.assert_array_equal(none.gradient, [2.0, 2.0])
    steep = field_of("x = 0.0\ny = 1.0\nz = sqrt(x) * y", rate=1.0, points=3)
    assert (steep.descent.why, steep.descent.steps) == (NOT_FINITE, 0)
    assert "is not finite after 0 steps" in steep.sentence


FLAT = "x = 0.5\ny = 0.5\nz = sigmoid(1000.0 * x - 499.0) + y"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [TD, GAN, SIMSIAM, PLAIN, FLAT])
def test_the_usual_rate_is_round_and_goes_at_most_a_tenth_of_the_grid_at_first_and_at_half_of_the_points(
    text,
):
    found = field_of(text)
    assert re.fullmatch(r"[125]e[+-]\d+", f"{found.rate:.0e}")
    for i, along in enumerate(found.axes):
        steps = found.rate * np.abs(np.stack([found.declared, found.true])[..., i])
        first = found.rate * max(abs(found.gradient[i]), abs(found.true_gradient[i]))
        assert max(np.median(steps), first) <= 0.1 * (along[-1] - along[0]) * 1.0001


def test_the_path_of_a_training_is_that_of_its_parameters():
    """w - 2 (w - 3) 0.1 and b - 2 b 0.1 by hand; c is moved too."""
    graph = av.parse(
        "w = parameter(1.0)\nb = parameter(0.5)\nc = parameter(2.0)\nz = square(w - 3.0) + b * b + c * c"
    )
    trained = av.train(graph, rate=0.1, steps=5)
    found = av.field(trained.at(5), "w", "b", training=trained)
    path = np.array(found.training.points)
    np.testing.assert_allclose(path[:, 0], 3 - 2 * 0.8 ** np.arange(6), rtol=1e-6)
    np.testing.assert_allclose(path[:, 1], 0.5 * 0.8 ** np.arange(6), rtol=1e-6)
    assert (found.training.steps, found.training.others) == ((0, 1, 2, 3, 4, 5), ("c",))
    assert found.axes[0][0] <= 1.0
    assert "The path of the training has each of its steps up to step 5; c was moved too" in found.sentence
    other = av.train(av.parse("x = 1.0\nw = parameter(1.0)\nz = x * w"))
    with pytest.raises(av.GraphError, match="does not move 'x'"):
        av.field(other.at(0), "w", "x", training=other)


def test_a_long_training_has_about_a_hundred_points_with_both_ends():
    graph = av.parse("w = parameter(1.0)\nb = parameter(0.5)\nz = square(w - 3.0) + b * b")
    found = av.field(av.trace(graph), training=av.train(graph, steps=250), points=5)
    assert len(found.training.steps) == 101
    assert found.training.steps[::100] == (0, 250)
    assert "has 101 of its steps up to step 250" in found.sentence


# Refusals.


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"x": "n"}, "unknown-input"),
        ({"x": "z"}, "unknown-input"),
        ({"x": 3}, "not-scalar"),
        ({"x": "w"}, "not-scalar"),
        ({"x": "w[2]"}, "not-scalar"),
        ({"x": "w[0, 0]"}, "not-scalar"),
        ({"x": "x[0]"}, "not-scalar"),
        ({"x": "x", "y": "x"}, "same-number"),
        ({"points": 2}, "bad-number"),
        ({"points": 102}, "bad-number"),
        ({"steps": -1}, "bad-number"),
        ({"steps": 2.5}, "bad-number"),
        ({"rate": float("nan")}, "bad-number"),
        ({"rate": "fast"}, "bad-number"),
        ({"rate": True}, "bad-number"),
        ({"ends": (0, 1)}, "bad-ends"),
        ({"ends": ((0, 1), (1, 0))}, "bad-ends"),
        ({"ends": ((0, 1), (0, float("inf")))}, "bad-ends"),
        ({"ends": "wide"}, "bad-ends"),
        ({"training": 5}, "not-a-training"),
    ],
)
def test_what_cannot_be_is_refused(given, code):
    trace = av.trace(av.parse("x = 1.0\nw = [1.0, 2.0]\nz = sum(w) * x"))
    with pytest.raises(av.GraphError) as refused:
        av.field(trace, **given)
    (problem,) = refused.value.problems
    assert problem.code == code
    assert problem.message.endswith(".")


def test_a_trace_without_two_finite_numbers_or_too_large_a_one_is_refused():
    for text in ("x = 1.0\nz = x * x", "x = 1.0\ny = 2.0\nz = x * x"):
        with pytest.raises(av.GraphError, match="needs two numbers"):
            field_of(text)
    graph = av.parse("x = 1.0\ny = 2.0\nz = x * y")
    with pytest.raises(av.GraphError, match="must be finite"):
        av.field(av.trace(graph, {"x": float("nan")}))
    with pytest.raises(av.GraphError, match="A trace is needed"):
        av.field(graph)
    large = av.parse("w = parameter(shape=(20000,), seed=1)\nz = sum(w * w)")
    with pytest.raises(av.GraphError, match="41 by 41 points of 40,001 numbers"):
        av.field(av.trace(large))


# The figure and the page.


def test_arrows_point_the_way_of_a_step_on_the_screen():
    """The plot is 1.6 wide by 1 high for 8 by 2 units: a step (-2, 1) is (-0.4, 0.5) there."""
    found = field_of("x = 0.0\ny = 0.0\nz = 2.0 * x - y", ends=((-4, 4), (-1, 1)))
    figure = drawn(found)
    (heads,) = [one for one in figure.data if one.name == "declared" and one.mode == "markers"]
    np.testing.assert_allclose(heads.marker.angle, np.degrees(np.arctan2(-0.4, 0.5)))
    assert figure.layout.yaxis.scaleratio == pytest.approx(8 / 2 / 1.6)
    np.testing.assert_array_equal(np.asarray(heads.customdata)[:, 2:], [[2.0, -1.0]] * len(heads.x))
    (shafts,) = [one for one in figure.data if one.name == "declared" and one.mode == "lines"]
    tail, tip = ([shafts.x[i], shafts.y[i]] for i in (0, 1))
    assert (tip[0] - tail[0]) / (tip[1] - tail[1]) == pytest.approx(-2.0)


def test_both_gradients_differ_in_more_than_their_colour_and_the_present_point_is_marked():
    figure = drawn(field_of(TD))
    heads = {one.name: one.marker.symbol for one in figure.data[1:] if one.mode == "markers"}
    assert heads["declared"] != heads["true"]
    lines = {
        one.name: one.line.dash for one in figure.data if "descent" in (one.name or "") and one.line.dash
    }
    assert lines["descent, declared"] != lines["descent, true"]
    present = [one for one in figure.data if one.name == "present"]
    assert [([*one.x], [*one.y]) for one in present] == [([1.0], [0.5])] * 2
    assert [figure.layout.xaxis.title.text, figure.layout.yaxis.title.text] == ["<b>w1</b>", "<b>w2</b>"]


@pytest.mark.parametrize("dtype", EVERY)
def test_the_words_beside_the_figure_have_its_numbers(dtype):
    lines = [unescape(re.sub("<[^>]*>", "", line)) for line in legend(field_of(TD, dtype=dtype, rate=0.25))]
    assert lines[0] == "Your rules turn the way down"
    assert lines[-1].endswith("their curl is −2.25 all over the grid.")  # terms come last
    assert "➤ a step by the declared gradient" in lines
    assert "◉ at present w1 = 1, w2 = 0.5" in lines
    assert any(line.startswith("━ descent, step size 0.25: ") for line in lines)


def test_the_words_beside_the_figure_speak_of_the_curl_where_there_is_one():
    lines = [*legend(field_of("x = 1.0\ny = 2.0\nz = x * x + y"))]  # the gradient of a function has none
    assert len(lines) == 4
    assert not any("curl" in line for line in lines)


def test_where_descent_leaves_the_plot_its_line_ends_one_plot_away():
    found = field_of("x = 1.0\ny = 1.0\nz = 1e6 * x + y", rate=1.0)
    assert found.descent.points[-1, 0] == 1 - 1e6
    (line,) = [one for one in drawn(found).data if one.name == "descent, declared" and one.mode != "markers"]
    assert line.x[-1] == pytest.approx(1 - (found.axes[0][-1] - found.axes[0][0]))


def test_a_graph_without_two_numbers_says_what_to_do():
    trace = av.trace(av.parse("x = 1.0\nz = x * x"))
    assert field_text(trace, None) == LACKS.replace("<br>", " ")
    assert "Add an input, such as x = 1.0" in field_text(trace, None)
    assert not FIELD.is_slow(trace)
    assert FIELD.is_slow(av.trace(av.parse(GAN)))
    field_figure(trace, None)


def test_a_graph_of_many_numbers_has_a_coarser_grid():
    graph = av.parse("w = parameter(shape=(10000,), seed=1)\nz = sum(w * w)")
    figure = field_figure(av.trace(graph), None)
    assert np.shape(figure.data[0].z) == (21, 21)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("<b>w[0]</b>", "<b>w[1]</b>")


def test_the_two_numbers_are_chosen_and_kept_in_a_link_elements_too():
    graph = av.parse("x = 2.0\nw = parameter([1.0, 2.0])\nz = sum(w) * x")
    lab = Lab(begin(graph), figure="field", selected=None)
    assert (chosen(lab, ACROSS), chosen(lab, UP)) == ("w[0]", NEXT)
    assert chosen(replace(lab, selected="x"), ACROSS) == "x"
    lab = choose(choose(lab, ACROSS, "w[1]"), UP, "x")
    assert about(lab, "field") == ("w[1]", "x", None)
    assert choose(lab, UP, "z") is lab
    assert about(from_query(to_query(lab)), "field") == ("w[1]", "x", None)


def test_a_selected_number_says_the_curl_that_rules_make():
    says = [*FIELD.node_says(av.trace(av.parse(GAN)), "y")]
    assert len(says) == 1
    assert says[0].startswith("Over y and x: No function has")
    assert [*FIELD.node_says(av.trace(av.parse(GAN)), "z")] == []
    assert [*FIELD.node_says(av.trace(av.parse(PLAIN)), "x")] == []


def test_a_path_has_gaps_where_a_parameter_was_missing_or_had_other_axes():
    chosen = Number("x", "x", ()), Number("y", "y", ())
    path = path_through(
        [0, 1, 2], [{"x": 1.0, "y": 2.0}, {"x": 1.0}, {"x": np.ones(2), "y": 3.0}], chosen, "xy"
    )
    np.testing.assert_array_equal(path.points, [[1.0, 2.0], [1.0, np.nan], [np.nan, 3.0]])
    assert drawn(av.field(av.trace(av.parse(GAN)), points=3, training=path)).data


def test_the_page_shows_the_path_of_a_training_that_has_stopped():
    """From w = 0.5 and b = 0 each step takes 0.1 * 2 (w - 3) and 0.1 * 2 (b - 1)."""
    lab = regression.lab_of("w = parameter(0.5)\nb = parameter(0.0)\nz = square(w - 3.0) + square(b - 1.0)")
    lab = replace(lab, figure="field", plan=Plan(Settings("sgd", 0.1), 100))
    assert about(lab, "field") == ("w", NEXT, None)
    _, _, path = about(regression.trained(lab, 30), "field")
    steps = np.array(path.steps)
    assert (steps[0], steps[-1], path.others) == (0, 30, ())
    np.testing.assert_allclose(path.points[-1], [3 - 2.5 * 0.8**30, 1 - 0.8**30], rtol=1e-5)
    np.testing.assert_allclose(np.array(path.points)[:, 0], 3 - 2.5 * 0.8**steps, rtol=1e-5)
    assert about(choose(regression.trained(lab, 3), UP, "w"), "field")[2] is None
