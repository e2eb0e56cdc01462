"""Test that random inputs and parameters are JAX's own draws, and that a new shape compiles nothing."""

import jax
import numpy as np
import pytest

from autodiff_viz.engine.live_path.arrays import random_input
from autodiff_viz.graph.model import params
from autodiff_viz.ops.params import INITIALIZERS
from tests.work import programs_compiled

SHAPES = [(), (1,), (7,), (16,), (17,), (3, 5), (1, 1), (4, 2, 3), (3, 3, 2, 4), (40, 51)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", [0, 5, 2**31 - 1])
def test_a_random_input_is_jaxs_own_draw(shape, seed):
    found = random_input(params(shape=shape, seed=seed), "float32")
    np.testing.assert_array_equal(found, jax.random.normal(jax.random.key(seed), shape, "float32"))


EACH_RANK = [
    (),
    (7,),
    (3, 5),
    (4, 2, 3),
    (3, 3, 2, 4),
]  # the draw is that of the test above, whatever the size
STARTS = [
    (name, shape) for shape in EACH_RANK for name, one in INITIALIZERS.items() if len(shape) >= one.rank
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("name", "shape"), STARTS)
def test_a_parameter_begins_as_jaxs_own_initialiser_says(name, shape):
    found = random_input(params(shape=shape, seed=3, init=name, trainable=True), "float32")
    theirs = getattr(jax.nn.initializers, name)
    theirs = theirs if name in ("zeros", "ones") else theirs()
    np.testing.assert_array_equal(found, theirs(jax.random.key(3), shape, "float32"))


def test_another_shape_compiles_nothing():
    def draw(length: int) -> None:
        random_input(params(shape=(length,), seed=length), "float32")
        random_input(params(shape=(length, 3), seed=length, trainable=True), "float32")

    draw(150)
    assert programs_compiled(lambda: [draw(length) for length in range(151, 161)]) == 0
