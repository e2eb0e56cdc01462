"""Test that what a kernel says about its pullback holds for the pullback."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.live_path.kernels import Kernel, kernel
from autodiff_viz.engine.live_path.op_calls import split
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ops.catalog import OPS

FLOAT = "float32"
SHAPES = [(), (3,), (2, 2)]
HAND_ON = {
    *(("add", shape) for shape in SHAPES),
    *(("identity", shape) for shape in SHAPES),
    ("sum", ()),  # of one number
    ("transpose", ()),
    ("transpose", (3,)),
    ("reshape", (3,)),  # its default is one axis: what there is already
    ("flatten", (2, 2)),  # it flattens all but the first axis
    ("broadcast_to", ()),  # to its default shape
}
"""Ops that hand the cotangent on untouched to every slot, where all slots have this shape."""


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
def test_an_op_that_passes_the_cotangent_unchanged_runs_nothing(name, shapes, slots):
    assert compiled(name, *shapes, slots=slots).passes_unchanged


@pytest.mark.parametrize(
    ("name", "shapes", "slots"),
    [
        ("add", ((), (3,)), (0,)),  # adds the three up
        ("add", ((), (3,)), None),
        ("sub", ((), ()), None),  # passes it unchanged to its first slot alone
        ("sign", ((),), None),  # passes nothing
        ("mul", ((), ()), None),
        ("transpose", ((2, 3),), None),
    ],
)
def test_any_other_does_not(name, shapes, slots):
    assert not compiled(name, *shapes, slots=slots).passes_unchanged


def shapes_of(name: str, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    op = OPS[name]
    return (shape,) * (2 if op.variadic else len(op.slots))


def passes_unchanged(name: str, shape: tuple[int, ...]) -> bool:
    try:
        return compiled(name, *shapes_of(name, shape)).passes_unchanged
    except GraphError:  # the op does not take this shape
        return False


@pytest.mark.nightly
def test_no_other_op_passes_the_cotangent_unchanged():
    assert {
        (name, shape) for name in OPS for shape in SHAPES if OPS[name].slots and passes_unchanged(name, shape)
    } == HAND_ON


@pytest.mark.parametrize(("name", "shape"), sorted(HAND_ON))
def test_what_is_handed_on_is_what_the_pullback_gives(name, shape):
    shapes = shapes_of(name, shape)
    found = compiled(name, *shapes)
    v = np.random.default_rng(1).normal(size=found.shape).astype(FLOAT)
    passed = found.pull(v, *split(OPS[name], ())[1], *(jnp.full(each, 0.5, FLOAT) for each in shapes))
    assert len(passed) == len(shapes)
    for result in passed:
        np.testing.assert_array_equal(result, v)
