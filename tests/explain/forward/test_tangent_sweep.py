"""Test that tangents along a line are those at each value alone, and those of `jax.jvp`."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.trace import precision, trace
from autodiff_viz.explain.forward.compute import TangentSweep, jvp, tangent_sweep

POSITIONS = np.linspace(-1.5, 2.0, 8)

GRAPHS = {
    "numbers": "x = 0.5\ny = 2.0\na = sin(x) * y\nz = a + x * x",
    "a stop": "x = 0.5\ny = 2.0\na = stop_gradient(exp(x))\nz = a * x + y",
    "a tensor": "x = 0.5\ny = 2.0\nw = [1.0, -2.0, 3.0]\na = w * x\nz = sum(a * a) * y",
    "an alternative": "x = 0.5\ny = 2.0\na = backward_as(relu(x), x)\nz = a * y",
    "a grad node": "x = 0.5\ny = 2.0\na = x * x * x * y\ng = grad(a, x)\nz = g * x + y",
    "a grad node by a tensor": (
        "x = 0.5\ny = 2.0\nw = [1.0, 2.0]\na = sum(w * w * w) * x\ng = grad(a, w)\nz = sum(g) * y"
    ),
}


def swept(text: str, moved: str, along: str = "x") -> tuple[TangentSweep, dict]:
    graph = av.parse(text)
    directions = {moved: 1.0}
    found = tangent_sweep(jvp(trace(graph, dtype="float64"), directions), along, POSITIONS)
    alone = [jvp(trace(graph, {along: x}, dtype="float64"), directions) for x in POSITIONS]
    return found, alone


@pytest.mark.sampled(4)
@pytest.mark.parametrize("moved", ["x", "y"])
@pytest.mark.parametrize("name", GRAPHS)
def test_each_position_has_the_tangents_that_it_has_alone(name, moved):
    found, alone = swept(GRAPHS[name], moved)
    for kind in ("tangent", "passed"):
        many, single = getattr(found, kind), [getattr(each, kind) for each in alone]
        assert {*many} == {*single[0]}
        for key, array in many.items():
            one = np.stack([each[key] for each in single])
            if key not in found.swept:
                assert np.ptp(one, axis=0) == pytest.approx(0.0)
                array = np.broadcast_to(array, one.shape)
            assert array == pytest.approx(one, rel=1e-12, abs=1e-12)


def test_the_tangent_of_a_gradient_is_the_second_derivative():
    """g = 3 x^2 y, so z = 3 x^3 y + y, and dz/dx = 9 x^2 y."""
    found, _ = swept(GRAPHS["a grad node"], "x")
    assert found.tangent["g"] == pytest.approx(6 * POSITIONS * 2.0)
    assert found.tangent["z"] == pytest.approx(9 * POSITIONS**2 * 2.0)


def test_the_output_moves_as_jax_says():
    def z(x: float) -> float:
        return jax.numpy.sin(x) * 2.0 + x * x

    found, _ = swept(GRAPHS["numbers"], "x")
    with precision("float64"):
        true = [jax.jvp(z, (x,), (1.0,))[1] for x in POSITIONS]
    assert found.tangent["z"] == pytest.approx(np.asarray(true), rel=1e-12)
