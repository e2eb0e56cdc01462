"""Test which slots an op and its pullbacks carry to: those at which JAX lets something arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import pytest

from autodiff_viz.engine.live_path.op_calls import runner, split
from autodiff_viz.engine.live_path.pullbacks import carries, pull_of
from autodiff_viz.graph.model import params
from autodiff_viz.ops.op import Op
from tests.engine.references.symbolic_zeros import arrives, moves
from tests.ops.samples import WIRED

FLOAT = "float32"


def wrong(run: Callable, arrays: list, order: int) -> Iterator[tuple]:
    """The functions, this one and its pullbacks up to an order, that carry to other slots than in JAX."""
    reached = arrives(lambda slots: run(*slots.values()), dict(enumerate(arrays)))
    backward = tuple(slot in reached for slot in range(len(arrays)))
    forward = tuple(moves(run, arrays, slot) for slot in range(len(arrays)))
    found = carries(run, arrays, tuple(range(len(arrays))))
    if not (found == backward == forward):
        yield [array.shape for array in arrays], found, backward, forward
    if order:
        v = jax.eval_shape(run, *arrays)
        for slot in sorted(reached):
            pull = pull_of(run, (slot,))
            yield from wrong(lambda *given, pull=pull: pull(*given)[0], [v, *arrays], order - 1)


def wrong_op(op: Op, shapes: tuple, given: dict, order: int) -> list[tuple]:
    static, leading = split(op, params(**given))
    of_arrays = runner(op, static, FLOAT, len(leading))
    arrays = [jax.ShapeDtypeStruct(each, jnp.float32) for each in shapes]
    return [(op.name, *each) for each in wrong(lambda *slots: of_arrays(*leading, *slots), arrays, order)]


@pytest.mark.nightly
def test_an_op_and_its_pullbacks_carry_to_the_slots_at_which_jax_lets_something_arrive():
    found = []
    for op in WIRED:
        found += wrong_op(op, *op.examples[-1], 1)
    assert found == []


@pytest.mark.nightly
def test_so_do_the_pullbacks_of_pullbacks_at_every_example():
    found = []
    for op in WIRED:
        for shapes, given in op.examples:
            found += wrong_op(op, shapes, given, 2)
    assert found == []
