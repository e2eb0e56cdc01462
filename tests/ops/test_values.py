"""Test that every op computes what NumPy or SciPy computes, in any dtype, compiled or mapped."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.op import Refusal
from tests.ops.references import REFERENCES, reference
from tests.ops.samples import (
    OF_ARRAYS,
    WIRED,
    examples_of,
    last_example_of,
    name_of,
    of_every_example,
    sample,
)  # fmt: skip

TOLERANCE = {np.float32: 2e-6, np.float64: 1e-14}


def test_every_op_has_a_reference():
    missing = {op.name for op in WIRED} - set(REFERENCES)
    assert not missing, f"Add a NumPy function for {sorted(missing)} to tests/ops/references.py."


def test_no_reference_is_left_over():
    assert set(REFERENCES) <= set(OPS)


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def compiled(request):
    """A dtype, and the value of every example in it."""
    values = of_every_example(lambda op, params, arrays: op.apply(*arrays, **params), request.param)
    return request.param, values


@pytest.mark.parametrize(("op", "shapes", "params"), examples_of(WIRED))
def test_value_is_that_of_numpy(op, shapes, params, compiled):
    dtype, values = compiled
    value = values[name_of(op, shapes, params)]
    assert value.dtype == dtype
    wanted = reference(op.name)(*sample(op, shapes, dtype), **params)
    assert value.shape == np.shape(wanted)
    np.testing.assert_allclose(value, wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("op", "shapes", "params"), last_example_of(WIRED))
def test_mapping_over_a_batch_gives_what_a_loop_gives(op, shapes, params):
    batch = [sample(op, shapes, np.float32, seed) for seed in range(3)]
    stacked = [jnp.stack(arrays) for arrays in zip(*batch, strict=True)]
    apply = partial(op.apply, **params)
    mapped = jax.jit(jax.vmap(apply))(*stacked)
    looped = np.stack([jax.jit(apply)(*map(jnp.asarray, arrays)) for arrays in batch])
    np.testing.assert_allclose(mapped, looped, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("op", OF_ARRAYS, ids=lambda op: op.name)
def test_defaults_of_the_record_are_those_of_the_function(op):
    shapes, params = next((s, p) for s, p in op.examples if not p)
    arrays = [jnp.asarray(array) for array in sample(op, shapes, np.float32)]
    named = {param.name: param.default for param in op.params}
    np.testing.assert_array_equal(op.apply(*arrays, **params), op.apply(*arrays, **named))


@pytest.mark.parametrize(
    ("name", "inputs", "output"),
    [
        ("round", [-1.5, 0.5, 1.5, 2.5], [-2.0, 0.0, 2.0, 2.0]),
        ("sign", [-2.0, 0.0, 3.0], [-1.0, 0.0, 1.0]),
        ("floor", [-0.5, 0.0, 1.0], [-1.0, 0.0, 1.0]),
        ("softplus", [-1000.0, 0.0, 1000.0], [0.0, np.log(2.0), 1000.0]),
        ("sigmoid", [-1000.0, 0.0, 1000.0], [0.0, 0.5, 1.0]),
        ("log1p", [1e-10], [1e-10]),
        ("expm1", [1e-10], [1e-10]),
        ("softmax", [1000.0, 1000.0], [0.5, 0.5]),
        ("argmax", [1.0, 3.0, 3.0], 1.0),
        ("argsort", [3.0, np.nan, 1.0, 3.0], [2.0, 0.0, 3.0, 1.0]),
        (
            "one_hot",
            [0.4, 0.6, -1.0, 2.0, np.inf],
            [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        ),
        ("arccos", [1.0, 1.5], [0.0, np.nan]),
        # By NumPy and SciPy in float64.
        ("erfc", [-5.0, 5.0, 9.0], [2.0, 1.5374597944280347e-12, 4.137031746513812e-37]),
        ("sinh", [1e-4, -20.0, 90.0], [1e-4, -242582597.70489514, np.inf]),
        ("arcsinh", [1e-4, 1e20, -1e25], [1e-4, 46.74484904044086, -58.257774503015906]),
        ("arccosh", [1.0, 1e20, 0.5], [0.0, 46.74484904044086, np.nan]),
        ("arctanh", [1e-4, 1.0, 2.0], [1e-4, np.inf, np.nan]),
        ("cbrt", [-8.0, 0.0, 1e-30], [-2.0, 0.0, 1e-10]),
        ("log2", [0.0, 8.0], [-np.inf, 3.0]),
        ("log10", [0.001, 1e30], [-3.0, 30.0]),
        ("erf", [-np.inf, 0.0, np.inf], [-1.0, 0.0, 1.0]),
        ("sort", [np.nan, 2.0, -np.inf], [-np.inf, 2.0, np.nan]),
    ],
)
def test_value_at_a_delicate_place(name, inputs, output):
    np.testing.assert_allclose(OPS[name].apply(jnp.float32(inputs)), output, rtol=1e-6)


def test_logsumexp_does_not_overflow():
    np.testing.assert_allclose(
        OPS["logsumexp"].apply(jnp.float32([1000.0, 1000.0])), 1000.0 + np.log(2.0), rtol=1e-6
    )


def test_power_of_a_negative_number_to_a_whole_one_is_a_number():
    pow_ = OPS["pow"].apply
    value, slope = jax.value_and_grad(pow_)(jnp.float32(-3.0), jnp.float32(2.0))
    assert (value, slope) == (9.0, -6.0)


def test_any_number_but_zero_counts_as_true():
    where = OPS["where"].apply
    np.testing.assert_array_equal(
        where(jnp.float32([-0.5, 0.0, 2.0]), jnp.float32(1.0), jnp.float32(9.0)), [1, 9, 1]
    )


def test_a_negative_place_counts_from_the_end_and_one_outside_gives_nan():
    """As the documentation of jax.numpy.take has it, with whole numbers: [10. 13. 10. nan nan]."""
    x, places = jnp.arange(10.0, 14.0), jnp.float32([0, -1, -4, -5, 4])
    wanted = [10.0, 13.0, 10.0, np.nan, np.nan]
    np.testing.assert_array_equal(OPS["take"].apply(x, places), wanted)
    np.testing.assert_array_equal(jnp.take(x, jnp.array([0, -1, -4, -5, 4])), wanted)
    np.testing.assert_array_equal(OPS["take_along_axis"].apply(x, places), wanted)


def test_what_is_added_outside_is_dropped_and_repeated_places_add_up():
    """As x.at[places].add(v), by hand: 1 and 4 go to the first, 2 to the last, 8 and 16 nowhere."""
    places, updates = jnp.float32([0, -1, -3, 3, -4]), jnp.float32([1, 2, 4, 8, 16])
    found = OPS["at_add"].apply(jnp.zeros(3), places, updates)
    np.testing.assert_array_equal(found, [5.0, 0.0, 2.0])
    np.testing.assert_array_equal(jnp.zeros(3).at[places.astype(int)].add(updates), found)


@pytest.mark.parametrize("place", [2.4, 1.6, 2.0])
def test_a_place_is_rounded(place):
    assert OPS["take"].apply(jnp.arange(4.0), jnp.float32(place)) == 2.0


def test_a_negative_axis_is_refused_where_updates_are_added():
    with pytest.raises(Refusal, match="axis is -1; it is counted from the first"):
        OPS["at_add"].apply(jnp.zeros((2, 3)), jnp.float32(0.0), jnp.float32(1.0), axis=-1)


@pytest.mark.parametrize(("index", "shape"), [((3,), (3,)), ((-4,), (3,)), ((0, 0), (3,)), ((0,), ())])
@pytest.mark.parametrize(("name", "more"), [("getitem", ()), ("at_set", (1.0,))])
def test_index_out_of_bounds_is_refused(index, shape, name, more):
    with pytest.raises(IndexError, match=r"out of bounds|too many indices"):
        OPS[name].apply(jnp.zeros(shape), *more, index=index)


@pytest.mark.parametrize(
    ("name", "a", "b", "output"),
    [
        ("hypot", [1e25, 1e-30, np.inf], [1e25, 1e-30, np.nan], [1.4142135e25, 1.4142135e-30, np.inf]),
        (
            "arctan2",
            [0.0, -0.0, np.inf, 1.0],
            [-1.0, -1.0, np.inf, 0.0],
            np.pi * np.array([1, -1, 0.25, 0.5]),
        ),
        (
            "logaddexp",
            [np.inf, -np.inf, 1000.0],
            [0.0, -np.inf, 1000.0],
            [np.inf, -np.inf, 1000.0 + np.log(2.0)],
        ),
        ("remainder", [1.0, -1.0, 7.0, 3.0], [0.1, 3.0, -2.0, np.inf], [0.1, 2.0, -1.0, 3.0]),
    ],
)
def test_value_of_two_numbers_at_a_delicate_place(name, a, b, output):
    """IEEE 754's own, as in C's library; 0.1 of float32 is a bit more than a tenth, so nine fit into 1."""
    np.testing.assert_allclose(OPS[name].apply(jnp.float32(a), jnp.float32(b)), output, rtol=1e-6)
