"""Test mixed precision against hand work, loops in NumPy with ml_dtypes, and Optax on a plain function."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import optax
import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.training import updates
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, advance_plain, begin, plain

TINY = 2.0**-13
SMALL = av.parse(f"w = parameter(1.0)\ny = (w * {TINY}) * {TINY}")
"""Row 32 of the questions: d y/dw = 2^-26, which float16 rounds to 0."""

SLOPE = av.parse("w = parameter(1.0)\nloss = w * 4096.0")
"""With a scale of 16 the gradient is 65,536, which float16 does not have: its largest is 65,504."""

HALVES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


@pytest.fixture(params=["compiled", "walked"])
def either_way(request, monkeypatch):
    """Make steps by the compiled program, and by the live path, as large graphs do."""
    if request.param == "walked":
        monkeypatch.setattr(updates, "COMPILED", 0)


def test_without_a_loss_scale_the_update_is_0_and_with_it_it_is_not(either_way):
    """w loses 2^20 * 2^-26 = 2^-6 in a step; all these are powers of two, so nothing is rounded."""
    rate = 2.0**20
    plain_steps = av.train(SMALL, rate=1024.0, steps=3, dtype="float16")
    assert (float(plain_steps.parameters["w"]), plain_steps.gradient["w"].tolist()) == (1.0, [0.0] * 3)
    without = av.train(SMALL, rate=rate, steps=3, dtype="float16", loss_scale=1.0)
    assert float(without.parameters["w"]) == 1.0
    scaled = av.train(SMALL, rate=rate, steps=3, dtype="float16", loss_scale=1024.0)
    assert scaled.gradient["w"].tolist() == [2.0**-26] * 3
    assert float(scaled.parameters["w"]) == 1.0 - 3 * 2.0**-6
    assert float(scaled.at(0).cotangent["w"]) == 2.0**-16  # what arrives in 16 bits
    assert (scaled.scale.tolist(), scaled.skipped) == ([1024.0] * 3, ())


@pytest.mark.parametrize("dtype", HALVES)
def test_float32_parameters_add_up_what_16_bits_round_away(either_way, dtype):
    """Steps of 2^-14 from 1, where neighbours in float16 are 2^-11 apart below 1, in bfloat16 2^-8."""
    graph = av.parse("w = parameter(1.0)\nloss = w * 1.0")
    rounded = av.train(graph, rate=2.0**-14, steps=64, dtype=dtype)
    summed = av.train(graph, rate=2.0**-14, steps=64, dtype=dtype, loss_scale=1.0)
    assert float(rounded.parameters["w"]) == 1.0
    assert float(summed.parameters["w"]) == 1.0 - 2.0**-8
    assert summed.parameters["w"].dtype == np.float32
    assert summed.loss[-1] == np.float32(HALVES[dtype](1.0 - 63 * 2.0**-14))


def test_a_scale_that_overflows_skips_the_step_and_is_halved_and_grows_again(either_way):
    """By hand: 16 overflows and is halved to 8; two finite steps, and it is 16 again."""
    found = av.train(SLOPE, rate=2.0**-20, steps=8, dtype="float16", loss_scale=16.0, growth_interval=2)
    assert found.scale.tolist() == [16.0, 8.0, 8.0, 16.0, 8.0, 8.0, 16.0, 8.0]
    assert found.skipped == (0, 3, 6)
    assert float(found.parameters["w"]) == 1.0 - 5 * 2.0**-8
    assert found.records.ratio[[0, 3, 6], 0].tolist() == [0.0] * 3
    assert found.notes == ("3 steps: gradient not finite, skipped; the last is step 6.",)


def test_a_scale_that_stays_skips_every_step_it_is_too_large_for(either_way):
    found = av.train(SLOPE, "momentum", steps=2, dtype="float16", loss_scale=16.0)
    assert (float(found.parameters["w"]), found.skipped) == (1.0, (0, 1))
    momentum = jax.tree.leaves(found.course.state.optimiser["w"])
    assert [float(each) for each in momentum] == [0.0]  # a skipped step leaves the optimiser alone
    assert av.train(SLOPE, steps=1, dtype="bfloat16", loss_scale=16.0).skipped == ()
    one = found.further(1, loss_scale=8.0)
    assert (one.skipped, one.scale.tolist()) == ((0, 1), [16.0, 16.0, 8.0])
    assert av.train(SLOPE, steps=1, dtype="float16", loss_scale=16.0).notes == (
        "Step 0: gradient not finite, skipped.",
    )


def test_a_scale_does_not_fall_below_1():
    """0 * inf is no number at any scale."""
    graph = av.parse("w = parameter(0.0)\nloss = sqrt(w) * 0.0")
    found = av.train(graph, steps=4, dtype="float16", loss_scale=4.0, growth_interval=5)
    assert (found.scale.tolist(), found.skipped) == ([4.0, 2.0, 1.0, 1.0], (0, 1, 2, 3))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("scale", [1.0, 1000.0, 3001.0])
def test_a_loop_in_numpy_has_the_same_gradients(either_way, dtype, scale):
    """loss = (w x - 3)^2 / 4096, each operation rounded to 16 bits; division and update in float32.

    Gradients are equal bit for bit as long as the rounded parameters are; XLA may join the product and the
    sum of an update in one rounding, so parameters have room for one.
    """
    kind, rate = HALVES[dtype], np.float32(40.0)
    graph = av.parse(f"x = 1.3\nw = parameter(0.3)\nloss = square(w * x - 3.0) * {2.0**-12}")
    found = av.train(graph, rate=40.0, steps=6, dtype=dtype, loss_scale=scale)
    w, seed = np.float32(0.3), kind(scale)
    for step in range(6):
        x, w16 = kind(1.3), kind(w)
        gap = w16 * x - kind(3.0)
        v = seed * kind(2.0**-12)  # arrives at the square
        gradient = np.float32((v * (kind(2.0) * gap)) * x) / np.float32(seed)
        assert found.loss[step] == np.float32((gap * gap) * kind(2.0**-12))
        assert found.gradient["w"][step] == gradient
        w = w - rate * gradient
    np.testing.assert_allclose(found.parameters["w"], w, rtol=2e-7)


@pytest.mark.parametrize("dtype", HALVES)
def test_optax_on_a_plain_function_takes_the_same_steps_with_adam(dtype):
    """Adam has no epsilon in float16; with float32 parameters it has one."""
    graph = av.parse("x = [1.0, -2.0]\nw = parameter([0.5, 0.25])\nloss = mean(square(w * x - 1.0))")
    found = av.train(graph, "adam", 0.05, 8, dtype=dtype, loss_scale=256.0)
    w, moves, x = jnp.array([0.5, 0.25]), optax.adam(0.05), jnp.array([1.0, -2.0], dtype)
    kept = moves.init(w)

    def scaled(half):
        return jnp.mean(jnp.square(half * x - 1)) * jnp.asarray(256.0, dtype)

    for _ in range(8):
        gradient = jax.grad(scaled)(w.astype(dtype)).astype(jnp.float32) / 256
        with jax.numpy_dtype_promotion("standard"):  # Optax raises a float to a whole number
            change, kept = moves.update(gradient, kept, w)
        w = w + change
    np.testing.assert_allclose(found.parameters["w"], w, rtol=1e-5)


def test_parts_of_a_training_are_the_whole_in_a_worker_too():
    settings = Settings("adam", 0.1, loss_scale=16.0, growth_interval=2)
    graph, dtype = av.parse("w = parameter(3.0)\nloss = square(w) * 700.0"), "float16"
    whole, records = advance(graph, begin(graph, settings, dtype), 6, settings, dtype)
    state, scales = plain(begin(graph, settings, dtype)), []
    for _ in range(3):
        state, part = advance_plain(graph, state, 2, settings, dtype)
        scales.extend(part.scale)
    assert scales == records.scale.tolist()
    assert len({*scales}) > 1
    np.testing.assert_array_equal(state.parameters["w"], whole.parameters["w"])
    assert int(state.scaling.good) == int(whole.scaling.good)


def test_a_loss_scale_may_come_and_go_while_a_training_runs():
    """Without one the parameters are rounded: 1 - 2^-13 is 1 in float16, where 1 - 2^-11 is its neighbour."""
    graph = av.parse("w = parameter(1.0)\nloss = w * 1.0")
    scaled, bare = Settings(rate=2.0**-13, loss_scale=8.0), Settings(rate=2.0**-13)
    state, _ = advance(graph, begin(graph, scaled, "float16"), 1, scaled, "float16")
    assert float(state.parameters["w"]) == 1.0 - 2.0**-13
    state, records = advance(graph, state, 1, bare, "float16")
    assert (state.parameters["w"].dtype, float(state.parameters["w"])) == (np.float16, 1.0)
    assert (state.scaling, records.scale.tolist()) == (None, [1.0])
    state, _ = advance(graph, state, 2, scaled, "float16")
    assert float(state.parameters["w"]) == 1.0 - 2.0**-12


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dtype": "float32", "loss_scale": 8.0}, "this one is float32"),
        ({"loss_scale": 0.0}, "positive number; found 0.0"),
        ({"loss_scale": -1.0}, "positive number"),
        ({"loss_scale": float("inf")}, "positive number"),
        ({"loss_scale": True}, "positive number"),
        ({"loss_scale": "much"}, "positive number; found 'much'"),
        ({"growth_interval": 2}, "there is none"),
        ({"loss_scale": 8.0, "growth_interval": -1}, "growth interval must be a whole number"),
    ],
)
def test_what_is_no_loss_scale_is_refused_in_words(given, said):
    with pytest.raises(GraphError, match=said):
        av.train(SMALL, **{"dtype": "float16", **given})
