"""Test local factors along an input against derivatives by hand and plain JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.sweep.compute import LocalSweep, local_sweep, sweep
from autodiff_viz.language.parse import parse

X = np.linspace(-2.0, 2.0, 9)


def swept(text: str, dtype: str = "float64") -> LocalSweep:
    found = trace(parse(text), dtype=dtype)
    return local_sweep(found, sweep(found, "x", X))


def test_a_factor_is_the_derivative_of_the_op_and_not_of_what_comes_after_it():
    local = swept("x = 0.5\ny = 3.0\na = sin(x)\nb = a * y\nz = b / a - 2.0 * x").local
    a = np.sin(X)
    with np.errstate(all="ignore"):  # a is 0 at 0
        expected = {
            ("a", 0): np.cos(X),
            ("b", 0): np.full(9, 3.0),
            ("b", 1): a,
            ("div_1", 0): 1 / a,
            ("div_1", 1): -3 * a / a**2,
        }
    for wire, factor in expected.items():
        np.testing.assert_allclose(local[wire], factor, rtol=1e-12, atol=1e-15, err_msg=str(wire))


def test_where_nothing_arrives_the_factor_is_known_all_the_same():
    """No quotient of what is passed and what arrives could say it: 0 / 0."""
    local = swept("x = 0.5\na = sin(x)\nz = scale_gradient(a * a, 0.0) + stop_gradient(exp(a)) * 0.0").local
    np.testing.assert_allclose(local["a", 0], np.cos(X), rtol=1e-12)
    assert not [wire for wire in local if wire[0] == "exp_1"]  # a stop has no factor


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_in_every_dtype_it_is_what_plain_jax_gives(dtype):
    local = swept("x = 0.5\nz = tanh(x) * 2.0", dtype).local
    expected = [jax.grad(jnp.tanh)(jnp.asarray(x, dtype)) for x in X]
    np.testing.assert_allclose(
        local["tanh_1", 0].astype(float),
        np.array(expected, float),
        rtol=2e-6 if dtype == "float32" else 2**-7,
    )


def test_a_rule_that_changes_the_cotangent_is_followed():
    """2 r arrives, from the square after it, and v * v makes 4 r^2 of it; log passes 1 over what it reads."""
    found = swept("x = 0.5\nr = rewrite(log(x * x + 1.0), lambda v: v * v)\nz = r * r")
    r = np.log(X**2 + 1)
    np.testing.assert_allclose(found.changed["r"], (2 * r) ** 2, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.local["r", 0], 1 / (X**2 + 1), rtol=1e-12)


def test_what_does_not_depend_on_the_input_and_what_is_no_number_is_left_out():
    found = swept("x = 0.5\nk = 2.0\nw = [1.0, 2.0]\nm = k * k\nh = w * x\nz = sum(h) + m + x")
    assert found == LocalSweep({}, {})  # a sum has the factors 1


def test_a_grad_node_has_the_second_derivative():
    found = swept("x = 0.5\nz = x ** 3.0\ng = grad(z, x)\ny = g * 1.0")
    np.testing.assert_allclose(found.local["g", 1], 6 * X, rtol=1e-12, atol=1e-15)
