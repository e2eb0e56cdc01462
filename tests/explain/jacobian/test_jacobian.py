"""Test the Jacobian, by rows and by columns, against hand work, jax.jacrev and jax.jacfwd."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

import autodiff_viz as av
from tests.engine.references.scalar_graphs import scalar_graphs, without_rules

POLAR = "r = 2.0\nt = 0.5235988\ny = stack([r * cos(t), r * sin(t)])"
LAYER = "x = [1.0, 2.0, 3.0]\nw = parameter(shape=(3, 4), seed=1)\ny = softmax(tanh(x @ w))"


def test_polar_coordinates():
    """By hand: [[cos t, -r sin t], [sin t, r cos t]] at r = 2, t = 30 degrees, determinant r."""
    found = av.jacobian(av.trace(av.parse(POLAR)))
    by_hand = [[0.8660254, -1.0], [0.5, 1.7320508]]
    np.testing.assert_allclose(found.rows, by_hand, rtol=2e-6)
    np.testing.assert_allclose(found.columns, by_hand, rtol=2e-6)
    assert found.determinant == pytest.approx(2.0)
    assert (found.backward_sweeps, found.forward_sweeps, found.cheaper) == (2, 2, "")
    column = av.jacobian(av.trace(av.parse(POLAR)), "t")
    np.testing.assert_allclose(column.columns, [[-1.0], [1.7320508]], rtol=2e-6)
    assert (column.backward_sweeps, column.forward_sweeps, column.cheaper) == (2, 1, "forward")
    assert column.determinant is None


@pytest.mark.nightly
def test_jax_jacrev_and_jacfwd_of_a_layer():
    trace = av.trace(av.parse(LAYER))
    x, w = (jnp.asarray(trace.value[name]) for name in "xw")

    def layer(x, w):
        return jax.nn.softmax(jnp.tanh(x @ w))

    for name, argnum, cheaper in (("x", 0, "forward"), ("w", 1, "reverse")):
        found = av.jacobian(trace, name)
        np.testing.assert_allclose(found.rows, jax.jacrev(layer, argnum)(x, w).reshape(4, -1), atol=1e-6)
        np.testing.assert_allclose(found.columns, jax.jacfwd(layer, argnum)(x, w).reshape(4, -1), atol=1e-6)
        assert found.agrees
        assert found.cheaper == cheaper
    both = av.jacobian(trace)
    assert both.by == ("x", "w")
    assert [(size.rows, size.columns) for size in both.sizes] == [(4, 3), (4, 12)]
    hidden = av.jacobian(trace, "tanh_1" if "tanh_1" in trace.graph else trace.graph["y"].slots[0])
    y = np.asarray(trace.value["y"])
    np.testing.assert_allclose(hidden.columns, np.diag(y) - np.outer(y, y), atol=1e-6)


@settings(max_examples=25)
@given(graph=scalar_graphs())
def test_rows_are_columns_unless_a_rule_blocks(graph):
    found = av.jacobian(av.trace(without_rules(graph), dtype="float64"))
    assert found.agrees
    ruled = av.jacobian(av.trace(graph, dtype="float64"))
    np.testing.assert_array_equal(ruled.rows[0], [*av.trace(graph, dtype="float64").gradient.values()])
    assert (ruled.columns is None) == bool(ruled.blocked)
    assert ruled.agrees in (None, True)


def test_nan_in_one_mode_alone_is_said_with_both_numbers():
    """Row 20: backward, 0 times the infinite slope of the root; forward, the tangent of x is selected."""
    found = av.jacobian(av.trace(av.parse("x = 0.0\ny = where(less(x, 1.0), x, sqrt(x))")))
    assert jax.jvp(lambda x: jnp.where(x < 1, x, jnp.sqrt(x)), (0.0,), (1.0,))[1] == 1.0
    assert found.sentence.endswith("They differ: reverse mode has NaN, forward mode 1.")


def test_a_rule_that_blocks_leaves_the_rows():
    text = "x = 1.0\ny = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\nz = f * y"
    found = av.jacobian(av.trace(av.parse(text)))
    assert found.columns is None
    assert found.blocked == ("f",)
    assert found.agrees is None
    np.testing.assert_allclose(found.rows, [[2 * np.cos(1.0), np.sin(1.0)]], rtol=1e-6)
    assert av.jacobian(av.trace(av.parse(text)), "y").agrees


def test_columns_that_differ_are_told():
    found = av.jacobian(av.trace(av.parse(POLAR)))
    wrong = replace(found, columns=found.columns.T)
    assert not wrong.agrees
    assert wrong.gap == pytest.approx(1.5 / 1.7320508, rel=1e-5)


def test_a_large_jacobian_is_refused_in_words():
    trace = av.trace(av.parse("x = input(shape=(600,), seed=1)\ny = sin(x)"))
    with pytest.raises(av.GraphError, match="600 rows and 600 columns") as error:
        av.jacobian(trace)
    assert error.value.problems[0].code == "jacobian-size"
