"""Test what every op passes down its wires, against central differences and values published at kinks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS
from tests.ops.references import reference
from tests.ops.samples import (
    WIRED,
    central_difference,
    examples_of,
    last_example_of,
    name_of,
    of_every_example,
    sample,
)  # fmt: skip


def pull_back(op, arrays, params, seed):
    @jax.jit  # one compile is quicker than many single steps
    def pulled(arrays, seed):
        return jax.vjp(lambda *args: op.apply(*args, **params), *arrays)[1](seed)

    return pulled([*map(jnp.asarray, arrays)], jnp.asarray(seed))


def seed_like(value):
    return np.random.default_rng(1).uniform(-2.0, 2.0, np.shape(value))


def swept(op, params, arrays):
    """What is passed to each input, and the value's tangent for tangents drawn as the seed is."""
    value, pullback = jax.vjp(lambda *args: op.apply(*args, **params), *arrays)
    tangents = [jnp.asarray(seed_like(array)) for array in arrays]
    _, moved = jax.jvp(lambda *args: op.apply(*args, **params), arrays, tangents)
    return pullback(jnp.asarray(seed_like(value))), moved


@pytest.fixture(scope="module")
def sweeps():
    return of_every_example(swept, np.float64)


@pytest.mark.parametrize(("op", "shapes", "params"), examples_of(WIRED))
def test_passed_cotangents_are_those_of_central_differences(op, shapes, params, sweeps):
    arrays = sample(op, shapes)

    def function(*args):
        return reference(op.name)(*args, **params)

    seed = seed_like(function(*arrays))
    for slot, passed in enumerate(sweeps[name_of(op, shapes, params)][0]):
        wanted = central_difference(function, arrays, slot, seed)
        np.testing.assert_allclose(passed, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("op", "shapes", "params"), examples_of(WIRED))
def test_forward_mode_and_reverse_mode_agree(op, shapes, params, sweeps):
    passed, moved = sweeps[name_of(op, shapes, params)]
    tangents = map(seed_like, passed)
    sideways = sum(np.vdot(p, t) for p, t in zip(passed, tangents, strict=True))
    np.testing.assert_allclose(np.vdot(seed_like(moved), moved), sideways, rtol=1e-10, atol=1e-12)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("op", "shapes", "params"), last_example_of(WIRED))
def test_passed_cotangents_keep_shape_and_dtype_of_the_inputs(op, shapes, params):
    arrays = sample(op, shapes, np.float32)
    seed = seed_like(reference(op.name)(*arrays, **params)).astype(np.float32)
    for array, passed in zip(arrays, pull_back(op, arrays, params, seed), strict=True):
        assert (passed.shape, passed.dtype) == (array.shape, np.float32)


@pytest.mark.parametrize(
    ("name", "inputs", "slopes"),
    [
        ("relu", (0.0,), (0.0,)),
        ("abs", (0.0,), (1.0,)),
        ("sign", (0.0,), (0.0,)),
        ("round", (0.5,), (0.0,)),
        ("floor", (1.0,), (0.0,)),
        ("maximum", (0.0, 0.0), (0.5, 0.5)),
        ("minimum", (0.0, 0.0), (0.5, 0.5)),
        ("clip", (-1.0, -1.0, 1.0), (0.5, 0.5, 0.0)),
        ("clip", (1.0, -1.0, 1.0), (0.5, 0.0, 0.5)),
        ("clip", (2.0, -1.0, 1.0), (0.0, 0.0, 1.0)),
        ("where", (0.0, 3.0, 4.0), (0.0, 0.0, 1.0)),
        ("greater", (1.0, 1.0), (0.0, 0.0)),
        ("sqrt", (0.0,), (np.inf,)),
        ("log", (0.0,), (np.inf,)),
        ("pow", (0.0, 2.0), (0.0, 0.0)),
        ("identity", (3.0,), (1.0,)),
        ("arccos", (1.0,), (-np.inf,)),
        ("arcsin", (-1.0,), (np.inf,)),
        ("arctan", (np.inf,), (0.0,)),
        ("erf", (np.inf,), (0.0,)),
        ("arccosh", (1.0,), (np.inf,)),
        ("arctanh", (-1.0,), (np.inf,)),
        ("arctanh", (2.0,), (-1 / 3,)),
        ("arcsinh", (1e25,), (0.0,)),
        ("cbrt", (0.0,), (np.inf,)),
        ("rsqrt", (0.0,), (-np.inf,)),
        ("log2", (0.0,), (np.inf,)),
        ("hypot", (0.0, 0.0), (0.5, 0.5)),
        ("hypot", (0.0, 2.0), (0.0, 1.0)),
        ("arctan2", (0.0, 0.0), (np.nan, np.nan)),
        ("logaddexp", (np.inf, np.inf), (1.0, 1.0)),
        ("logaddexp", (-np.inf, -np.inf), (np.nan, np.nan)),
        ("remainder", (3.0, 1.5), (1.0, -2.0)),
        ("norm", (0.0,), (np.nan,)),
        ("norm", (-2.0,), (-1.0,)),
        ("argmax", (1.0,), (0.0,)),
        ("one_hot", (1.0,), (0.0,)),
    ],
)
def test_slope_at_a_kink_or_an_end_is_the_one_that_jax_publishes(name, inputs, slopes):
    value = OPS[name].apply(*map(jnp.float32, inputs))
    passed = pull_back(OPS[name], np.float32(inputs), {}, np.ones(value.shape, np.float32))
    np.testing.assert_array_equal(passed, np.float32(slopes))


@pytest.mark.parametrize(
    ("name", "x", "seed", "wanted"),
    [
        ("max", [2.0, 5.0, 5.0], 1.0, [0.0, 0.5, 0.5]),
        ("min", [2.0, 5.0, 2.0], 1.0, [0.5, 0.0, 0.5]),
        ("sort", [5.0, 2.0, 5.0], [1.0, 10.0, 100.0], [10.0, 1.0, 100.0]),  # equal ones keep their order
        ("prod", [0.0, 4.0, 2.0], 1.0, [8.0, 0.0, 0.0]),
        ("prod", [0.0, 4.0, 0.0], 1.0, [0.0, 0.0, 0.0]),
        ("norm", [0.0, 0.0], 1.0, [np.nan, np.nan]),
        ("norm", [3.0, -4.0], 5.0, [3.0, -4.0]),
        ("cumsum", [1.0, 2.0, 3.0], [1.0, 10.0, 100.0], [111.0, 110.0, 100.0]),
        ("argmax", [2.0, 5.0, 5.0], 1.0, [0.0, 0.0, 0.0]),
        ("argsort", [2.0, 5.0, 5.0], [1.0, 10.0, 100.0], [0.0, 0.0, 0.0]),
    ],
)
def test_ties_zeros_and_running_sums_pass_what_the_docs_say(name, x, seed, wanted):
    (passed,) = pull_back(OPS[name], [np.float32(x)], {}, np.float32(seed))
    np.testing.assert_allclose(passed, wanted, rtol=1e-6)


def test_descending_jax_turns_the_order_of_equal_elements_too():
    seed = np.float32([1.0, 10.0, 100.0])
    (passed,) = pull_back(OPS["sort"], [np.float32([5.0, 2.0, 5.0])], {"descending": True}, seed)
    np.testing.assert_array_equal(passed, [10.0, 100.0, 1.0])


def test_an_update_cuts_the_path_to_what_it_replaces_and_sums_over_copies():
    x, v = np.zeros((2, 3), np.float32), np.float32(5.0)
    seed = np.float32([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    to_x, to_v = pull_back(OPS["at_set"], [x, v], {"index": (0, (1, None, None))}, seed)
    np.testing.assert_array_equal(to_x, [[1.0, 0.0, 0.0], [10.0, 20.0, 30.0]])
    assert float(to_v) == 5.0


PLACES = np.float32([2, 0, -1, 2, 7, -9])  # of three: the last is named three times, two lie outside
ARRIVING = np.float32([1, 10, 100, 1000, 1e4, 1e5])


@pytest.mark.parametrize("name", ["take", "take_along_axis"])
def test_cotangents_of_a_place_add_up_and_one_outside_passes_nothing(name):
    to_x, to_places = pull_back(OPS[name], [np.float32([1, 2, 3]), PLACES], {}, ARRIVING)
    np.testing.assert_array_equal(to_x, [10.0, 0.0, 1101.0])
    np.testing.assert_array_equal(to_places, np.zeros(6))
    whole = PLACES.astype(int)
    (jax_gives,) = jax.vjp(lambda x: jnp.take(x, whole), jnp.ones(3))[1](jnp.asarray(ARRIVING))
    np.testing.assert_array_equal(to_x, jax_gives)


def test_an_update_receives_what_arrives_at_its_place_and_one_outside_nothing():
    seed = np.float32([1, 10, 100])
    to_x, to_places, to_updates = pull_back(OPS["at_add"], [np.zeros(3), PLACES, ARRIVING], {}, seed)
    np.testing.assert_array_equal(to_x, seed)
    np.testing.assert_array_equal(to_places, np.zeros(6))
    np.testing.assert_array_equal(to_updates, [100.0, 1.0, 100.0, 100.0, 0.0, 0.0])


ROWS = np.float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
COLUMN = np.float32([[1.0], [-1.0], [2.0]])
Y_BAR = np.float32([[10.0], [1.0]])


def test_matmul_passes_the_cotangent_times_the_other_matrix_transposed():
    left, right = pull_back(OPS["matmul"], [ROWS, COLUMN], {}, Y_BAR)
    np.testing.assert_array_equal(left, Y_BAR @ COLUMN.T)
    np.testing.assert_array_equal(right, ROWS.T @ Y_BAR)


def test_softmax_passes_what_its_latex_says():
    (passed,) = pull_back(OPS["softmax"], [ROWS[0]], {}, COLUMN[:, 0])
    y = np.exp(ROWS[0]) / np.exp(ROWS[0]).sum()
    np.testing.assert_allclose(passed, y * (COLUMN[:, 0] - (COLUMN[:, 0] * y).sum()), rtol=1e-5)


def test_mean_passes_one_nth():
    (passed,) = pull_back(OPS["mean"], [ROWS], {}, np.float32(12.0))
    np.testing.assert_array_equal(passed, np.full((2, 3), 2.0))
