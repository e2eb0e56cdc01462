"""Test which slots an op and its pullbacks carry to: those at which JAX lets something arrive."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import pytest

from autodiff_viz.engine.live_path.op_calls import known_op, result_shape, runner, split
from autodiff_viz.engine.live_path.pullbacks import carries
from autodiff_viz.graph.model import params
from autodiff_viz.ops.gradients import PullbackOf
from tests.engine.references.symbolic_zeros import arrives, moves
from tests.ops.samples import WIRED

FLOAT = "float32"


def wrong(name, given, shapes, order: int) -> Iterator[tuple]:
    """The calls, of an op and of its pullbacks up to this order, that carry to other slots than JAX's do."""
    static, leading = split(known_op(name), given)
    shape = result_shape(name, static, shapes, FLOAT)
    of_arrays = runner(known_op(name), static, FLOAT, len(leading))
    arrays = [jax.ShapeDtypeStruct(each, jnp.float32) for each in shapes]
    places = tuple(range(len(leading), len(leading) + len(arrays)))

    def run(*slots: jax.Array) -> jax.Array:
        return of_arrays(*leading, *slots)

    reached = arrives(lambda slots: run(*slots.values()), dict(enumerate(arrays)))
    backward = tuple(slot in reached for slot in range(len(arrays)))
    forward = tuple(moves(run, arrays, slot) for slot in range(len(arrays)))
    found = carries(of_arrays, [*leading, *arrays], places)
    if not (found == backward == forward):
        yield name, shapes, found, backward, forward
    if order:
        for slot in sorted(reached):
            yield from wrong(PullbackOf(name, slot), given, (shape, *shapes), order - 1)


def test_an_op_and_its_pullbacks_carry_to_the_slots_at_which_jax_lets_something_arrive():
    found = []
    for op in WIRED:
        shapes, given = op.examples[-1]
        found += wrong(op.name, params(**given), shapes, 1)
    assert found == []


@pytest.mark.nightly
def test_so_do_the_pullbacks_of_pullbacks_at_every_example():
    found = []
    for op in WIRED:
        for shapes, given in op.examples:
            found += wrong(op.name, params(**given), shapes, 2)
    assert found == []
