"""What a kernel says about its pullback holds for the pullback."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.kernels import Kernel, kernel, split
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ops.catalog import OPS

FLOAT = "float32"


def compiled(name: str, *shapes: tuple[int, ...], slots: tuple[int, ...] | None = None) -> Kernel:
    return kernel(name, (), shapes, tuple(range(len(shapes))) if slots is None else slots, FLOAT)


@pytest.mark.parametrize(
    ("name", "shapes", "slots"),
    [
        ("add", ((), ()), None),
        ("add", ((3,), (3,)), None),
        ("add", ((), (3,)), (1,)),
        ("identity", ((2,),), None),
    ],
)
def test_an_op_that_only_hands_the_cotangent_on_runs_nothing(name, shapes, slots):
    assert compiled(name, *shapes, slots=slots).hands_on


@pytest.mark.parametrize(
    ("name", "shapes", "slots"),
    [
        ("add", ((), (3,)), (0,)),  # adds the three up
        ("add", ((), (3,)), None),
        ("sub", ((), ()), None),  # hands on to its first slot alone
        ("sign", ((),), None),  # passes nothing
        ("mul", ((), ()), None),
        ("transpose", ((2, 3),), None),
    ],
)
def test_any_other_does_not(name, shapes, slots):
    assert not compiled(name, *shapes, slots=slots).hands_on


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_what_is_handed_on_is_what_the_pullback_gives(name, shape):
    op = OPS[name]
    shapes = (shape,) * (2 if op.variadic else len(op.slots))
    try:
        found = compiled(name, *shapes)
    except GraphError:
        pytest.skip("the op does not take this shape")
    if not found.hands_on:
        return
    v = np.random.default_rng(1).normal(size=found.shape).astype(FLOAT)
    arrays = [jnp.full(each, 0.5, FLOAT) for each in shapes]
    for result in found.pull(v, *split(op, ())[1], *arrays):
        np.testing.assert_array_equal(result, v)
