"""Test `train` against published numbers, loops in NumPy, Optax on a plain function, and hand work."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import autodiff_viz as av

LINE = av.parse("x = [1.0, 2.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [3.0, 6.0])")
"""d loss/dw = 2 * mean(x^2) * (w - 3) = 5 (w - 3); loss = 2.5 (w - 3)^2."""

NET = av.parse(
    """x = input(shape=(8, 3), seed=1)
y = input(shape=(8, 2), seed=2)
w1 = parameter(shape=(3, 5), init="he_normal", seed=3)
b1 = parameter(shape=(5,))
h = tanh(dense(x, w1, b1))
w2 = parameter(shape=(5, 2), init="glorot_uniform", seed=4)
b2 = parameter(shape=(2,))
loss = mean_squared_error(dense(h, w2, b2), y)"""
)
REPLAY = json.loads(Path(__file__).with_name("xor_replay.json").read_text("utf-8"))


def slopes(steps, rate=0.1, start=0.5):
    """w of `LINE` before each step and after the last, worked by hand."""
    found = [start]
    for _ in range(steps):
        found.append(found[-1] - rate * 5 * (found[-1] - 3))
    return np.array(found)


def test_a_line_is_trained_as_worked_by_hand():
    w = slopes(3)
    trained = av.train(LINE, "sgd", 0.1, 3)
    np.testing.assert_allclose(trained.parameters["w"], w[3], rtol=1e-6)
    np.testing.assert_allclose(trained.loss, 2.5 * (w[:3] - 3) ** 2, rtol=1e-6)
    np.testing.assert_allclose(trained.gradient["w"], 5 * (w[:3] - 3), rtol=1e-6)
    np.testing.assert_allclose(trained.value["w"], w[:3], rtol=1e-6)
    np.testing.assert_allclose(trained.cotangent["x"], np.outer(w[:3] * (w[:3] - 3), [1.0, 2.0]), rtol=1e-6)
    assert (trained.steps, trained.optimizer, trained.rate, trained.dtype) == (3, "sgd", 0.1, "float32")


def test_without_more_words_it_is_one_step_of_sgd_at_a_tenth():
    assert float(av.train(LINE).parameters["w"]) == pytest.approx(slopes(1)[1])


def test_the_tutorials_xor_has_its_published_losses_and_cotangents():
    """Source: "Custom differentiation", Swift for TensorFlow; the weights were recovered from its output."""
    graph = av.parse(
        """x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
w1 = parameter(shape=(2, 10))
b1 = parameter(shape=(10,))
layer1 = relu(dense(x, w1, b1))
w2 = parameter(shape=(10, 1))
b2 = parameter(shape=(1,))
yhat = relu(dense(layer1, w2, b2))
loss = mean_squared_error(yhat, [0.0, 1.0, 1.0, 0.0])"""
    )
    weights = {"w1": np.array(REPLAY["W1"]), "w2": np.array(REPLAY["W2"])[:, None]}
    weights |= {"b1": np.zeros(10), "b2": np.zeros(1)}
    trained = av.train(graph, "sgd", REPLAY["learning_rate"], 10, inputs=weights)
    np.testing.assert_allclose(trained.loss, REPLAY["losses"], atol=1e-7)
    np.testing.assert_allclose(trained.cotangent["yhat"][..., 0], REPLAY["dL_dyhat"], atol=1e-7)
    np.testing.assert_allclose(trained.cotangent["layer1"], REPLAY["dL_dlayer1"], atol=1e-7)


def numpy_net(values):
    """(loss, gradient by parameter) of `NET`, the chain rule written out."""
    x, y, w1, b1, w2, b2 = (values[name] for name in ("x", "y", "w1", "b1", "w2", "b2"))
    h = np.tanh(x @ w1 + b1)
    off = h @ w2 + b2 - y
    v = 2 * off / off.size
    below = (v @ w2.T) * (1 - h**2)
    return np.mean(off**2), {"w1": x.T @ below, "b1": below.sum(0), "w2": h.T @ v, "b2": v.sum(0)}


def sgd(kept, gradient, step):
    return -gradient, kept


def momentum(kept, gradient, step):
    kept = gradient + 0.9 * (0 if kept is None else kept)
    return -kept, kept


def adam(kept, gradient, step):
    """Source: Kingma and Ba, https://arxiv.org/abs/1412.6980, algorithm 1."""
    m, v = (0.0, 0.0) if kept is None else kept
    m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
    return -(m / (1 - 0.9 ** (step + 1))) / (np.sqrt(v / (1 - 0.999 ** (step + 1))) + 1e-8), (m, v)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("rule", "rate"), [(sgd, 0.3), (momentum, 0.05), (adam, 0.02)])
def test_a_loop_in_plain_numpy_takes_the_same_steps(rule, rate):
    trained = av.train(NET, rule.__name__, rate, 12, dtype="float64")
    values = {name: np.array(array) for name, array in av.trace(NET, dtype="float64").inputs.items()}
    kept = dict.fromkeys(trained.parameters)
    for step in range(12):
        loss, gradient = numpy_net(values)
        np.testing.assert_allclose(trained.loss[step], loss, rtol=1e-12)
        for name, slope in gradient.items():
            np.testing.assert_allclose(trained.value[name][step], values[name], rtol=1e-10, atol=1e-13)
            np.testing.assert_allclose(trained.gradient[name][step], slope, rtol=1e-10, atol=1e-13)
            update, kept[name] = rule(kept[name], slope, step)
            values[name] = values[name] + rate * update
    for name, array in trained.parameters.items():
        np.testing.assert_allclose(array, values[name], rtol=1e-10, atol=1e-13)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["sgd", "momentum", "adam"])
def test_optax_on_a_plain_function_takes_the_same_steps(name):
    given = dict(av.trace(NET).inputs)
    parameters = {key: jnp.asarray(given.pop(key)) for key in ("w1", "b1", "w2", "b2")}

    @jax.value_and_grad
    def loss_of(p):
        hidden = jnp.tanh(given["x"] @ p["w1"] + p["b1"][None])
        return jnp.mean((hidden @ p["w2"] + p["b2"][None] - given["y"]) ** 2)

    makes = {"sgd": optax.sgd(0.1), "momentum": optax.sgd(0.1, momentum=0.9), "adam": optax.adam(0.1)}
    optimizer, losses = makes[name], []
    state = optimizer.init(parameters)
    for _ in range(8):
        loss, gradient = loss_of(parameters)
        with jax.numpy_dtype_promotion("standard"):
            updates, state = optimizer.update(gradient, state, parameters)
        parameters = optax.apply_updates(parameters, updates)
        losses.append(float(loss))
    trained = av.train(NET, name, 0.1, 8)
    np.testing.assert_allclose(trained.loss, losses, rtol=2e-5)
    for key, array in parameters.items():
        np.testing.assert_allclose(trained.parameters[key], array, rtol=2e-4, atol=2e-6)


def test_one_step_is_a_whole_trace_with_the_rules_of_the_time():
    stopped = av.parse(av.show(LINE).replace("parameter(0.5)", "stop_gradient(parameter(0.5))"))
    before = av.train(LINE, "sgd", 0.1, 2)
    after = before.further(3, graph=stopped)
    w = slopes(2)
    assert [after.at(step).graph["w"].rule.kind for step in range(6)] == ["follow"] * 2 + ["stop"] * 4
    np.testing.assert_allclose(after.value["w"], [*w, w[2], w[2]], rtol=1e-6)
    np.testing.assert_allclose(after.gradient["w"], [*(5 * (w[:2] - 3)), 0, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(after.cotangent["w"][2:], [5 * (w[2] - 3)] * 3, rtol=1e-6)
    assert (before.steps, after.steps) == (2, 5)
    assert av.verify(after.at(4)).agrees


def test_what_moves_a_parameter_is_the_gradient_that_is_shown_whatever_the_rules_are():
    graph = av.parse(
        """x = [0.3, -1.2, 0.8]
w = rewrite(parameter([0.5, 1.5, -0.7]), lambda v: clip(v, -0.2, 0.2))
b = parameter(0.1)
s = parameter(2.0)
h = custom(sin(w * x), pullback=lambda v, u, y: v * y + 0.3)
r = backward_as(round(s * h), s * h)
with checkpoint("last"):
    q = square(r + b) + rewrite(h * s, lambda v: 3.0 * v) + stop_gradient(b * h)
loss = mean(q)"""
    )
    found = av.train(graph, "sgd", 0.05, 5)
    for name in ("w", "b", "s"):
        after = np.concatenate([found.value[name][1:], found.parameters[name][None]])
        assert np.abs(found.gradient[name]).max() > 0
        np.testing.assert_allclose(
            after - found.value[name], -0.05 * found.gradient[name], rtol=1e-4, atol=2e-7
        )
    assert all(av.verify(found.at(step)).agrees for step in range(6))


def test_going_on_is_the_same_as_never_having_paused():
    whole, pieces = av.train(NET, "adam", 0.02, 9), av.train(NET, "adam", 0.02, 4).further(5)
    np.testing.assert_array_equal(whole.loss, pieces.loss)
    for name, array in whole.parameters.items():
        np.testing.assert_array_equal(array, pieces.parameters[name])


def test_another_rate_holds_from_then_on():
    trained = av.train(LINE, "sgd", 0.1, 1).further(rate=0.2)
    assert float(trained.parameters["w"]) == pytest.approx(slopes(1, 0.2, start=slopes(1)[1])[1])
    assert trained.rate == 0.2


def test_more_steps_than_one_call_of_the_engine_makes():
    trained = av.train(LINE, "sgd", 0.001, 600)
    np.testing.assert_allclose(trained.parameters["w"], 3 - 2.5 * 0.995**600, rtol=1e-4)
    np.testing.assert_allclose(trained.at(300).value["w"], 3 - 2.5 * 0.995**300, rtol=1e-4)
    assert trained.loss.shape == trained.value["w"].shape == (600,)


def test_no_step_gives_the_parameters_as_they_begin():
    trained = av.train(LINE, steps=0)
    assert float(trained.parameters["w"]) == 0.5
    assert trained.loss.shape == trained.gradient["w"].shape == (0,)
    assert trained.value["x"].shape == (0, 2)
    assert trained.records.value.shape == (0, len(trained.records.nodes))
    assert float(trained.at(0).value["loss"]) == 2.5 * 2.5**2


def test_given_inputs_are_data_or_where_a_parameter_begins():
    trained = av.train(LINE, "sgd", 0.1, 1, inputs={"x": np.array([2, 2]), "w": np.float64(1.0)})
    # loss = ((2w - 3)^2 + (2w - 6)^2) / 2; by w: 2 (2w - 3) + 2 (2w - 6) = -10 at w = 1
    np.testing.assert_allclose(trained.gradient["w"], [-10.0])
    np.testing.assert_allclose(trained.parameters["w"], 2.0)
    assert float(av.trace(trained.graph).value["w"]) == 1.0


def test_a_seed_draws_other_random_parameters():
    a, b = (av.train(NET, steps=0, seed=seed).parameters["w1"] for seed in (0, 1))
    np.testing.assert_array_equal(a, av.trace(NET).value["w1"])
    assert (a != b).all()


def test_a_parameter_that_came_later_has_nan_before_and_a_longer_one_where_it_was_shorter():
    longer = av.parse("v = parameter([1.0, 1.0])\nu = parameter(2.0)\nloss = sum(v * v) + u")
    trained = av.train(av.parse("v = parameter([3.0])\nloss = sum(v * v)"), "sgd", 0.25, 1)
    trained = trained.further(1, graph=longer)
    np.testing.assert_allclose(trained.gradient["v"], [[6.0, np.nan], [3.0, 2.0]])
    np.testing.assert_allclose(trained.gradient["u"], [np.nan, 1.0])


def test_arrays_of_other_axes_are_read_step_by_step():
    def graph(x):
        return av.parse(f"x = {x}\nw = parameter(1.0)\nloss = sum(w * x)")

    trained = av.train(graph("2.0"), steps=1).further(1, graph=graph("[2.0, 3.0]"))
    np.testing.assert_allclose(trained.gradient["w"], [2.0, 5.0])
    with pytest.raises(av.GraphError, match=r"'x' has another number of axes .*\n.* at\(step\)"):
        trained.value["x"]
    with pytest.raises(KeyError):
        trained.value["nowhere"]


def test_a_loss_that_is_not_finite_is_told_and_the_numbers_are_jaxs():
    trained = av.train(LINE, "sgd", 1e20, 3)
    assert np.isfinite(trained.loss[:1]).all()
    assert not np.isfinite(trained.loss[1:]).any()
    assert trained.notes == ("The loss is not finite from step 1 on.",)
    assert av.train(LINE).notes == ()


def test_nothing_that_is_returned_can_be_written_to():
    trained = av.train(LINE, steps=2)
    found = (trained.loss, trained.parameters["w"], trained.gradient["w"], trained.records.value)
    assert not any(array.flags.writeable for array in found)
    with pytest.raises(TypeError):
        trained.parameters["w"] = 1.0


def test_too_many_numbers_are_read_step_by_step(monkeypatch):
    monkeypatch.setattr("autodiff_viz.training.compute.STACKED", 10)
    trained = av.train(LINE, steps=3)
    with pytest.raises(av.GraphError, match=r"3 steps of \d+ numbers .*\nRead single steps with at"):
        trained.gradient  # noqa: B018
    assert float(trained.at(0).gradient["w"]) == -12.5


WRONG = [
    ({"graph": "w = parameter(1.0)"}, "not-a-graph", "parse"),
    ({"graph": av.parse("x = 1.0\nloss = x * x")}, "no-parameters", "parameter"),
    ({"graph": av.parse("w = parameter([1.0, 2.0])\nloss = w * w")}, "no-loss", r"shape \[2\]"),
    ({"graph": av.parse("w = parameter(1.0)\nloss = ...")}, "empty-slot", "empty"),
    ({"graph": av.Graph()}, "no-output", "empty"),
    ({"optimizer": "adamw"}, "unknown-optimizer", "sgd, momentum, adam"),
    ({"optimizer": optax.adam(0.1)}, "unknown-optimizer", "must be a name"),
    ({"optimizer": ["sgd"]}, "unknown-optimizer", "must be a name"),
    ({"rate": "fast"}, "bad-number", "'fast'"),
    ({"rate": "0.1"}, "bad-number", "'0.1'"),
    ({"rate": None}, "bad-number", "None"),
    ({"rate": True}, "bad-number", "True"),
    ({"rate": float("nan")}, "bad-number", "nan"),
    ({"rate": float("inf")}, "bad-number", "inf"),
    ({"rate": [0.1]}, "bad-number", "one finite number"),
    ({"rate": 1j}, "bad-number", "one finite number"),
    ({"rate": lambda step: 0.1}, "bad-number", "further"),
    ({"steps": -1}, "bad-number", "from 0 to 20,000; found -1"),
    ({"steps": 20_001}, "bad-number", "from 0 to 20,000"),
    ({"steps": 2.0}, "bad-number", "whole number"),
    ({"steps": True}, "bad-number", "whole number"),
    ({"steps": None}, "bad-number", "whole number"),
    ({"seed": -1}, "bad-number", "seed"),
    ({"seed": 2**31}, "bad-number", "seed"),
    ({"seed": 0.5}, "bad-number", "seed"),
    ({"inputs": {"nowhere": 1.0}}, "unknown-input", "x, w"),
    ({"inputs": {1: 1.0}}, "unknown-input", "x, w"),
    ({"inputs": [1.0]}, "bad-input", "mapping"),
    ({"inputs": {"x": "3.0"}}, "bad-input", "not a number"),
    ({"inputs": {"x": None}}, "bad-input", "not a number"),
    ({"inputs": {"x": 1j}}, "bad-input", "not a number"),
    ({"inputs": {"x": 1e300}}, "bad-input", "float32 has no room"),
    ({"inputs": {"x": float("nan")}}, "bad-literal", "not finite"),
    ({"inputs": {"x": []}}, "bad-literal", "no elements"),
    ({"dtype": "float8"}, "bad-dtype", "'float32', 'float64', 'float16' or 'bfloat16'"),
    ({"dtype": None}, "bad-dtype", "'float32', 'float64', 'float16' or 'bfloat16'"),
]


@pytest.mark.parametrize(
    ("given", "code", "says"), WRONG, ids=lambda given: str(given).partition(" at 0x")[0][:40]
)
def test_what_cannot_be_is_a_problem_that_says_how_to_mend_it(given, code, says):
    with pytest.raises(av.GraphError, match=says) as caught:
        av.train(**{"graph": LINE, **given})
    assert caught.value.problems[0].code == code


def test_steps_that_are_left_are_told():
    trained = av.train(LINE, "sgd", 0.0, 3)
    with pytest.raises(av.GraphError, match="from 0 to 19,997"):
        trained.further(20_000)
    for step in (-1, 4, 1.0):
        with pytest.raises(av.GraphError, match="from 0 to 3"):
            trained.at(step)


@pytest.mark.parametrize("number", [np.int64(2), np.uint8(2), jnp.int32(2)])
def test_whole_numbers_of_other_libraries_count(number):
    assert av.train(LINE, steps=number).at(number).value["w"] == pytest.approx(slopes(2)[2])


@pytest.mark.parametrize("dtype", ["float64", np.float64, np.dtype("float64"), jnp.float64])
def test_a_dtype_may_be_written_as_numpy_and_jax_do(dtype):
    trained = av.train(LINE, dtype=dtype)
    assert (trained.dtype, trained.loss.dtype) == ("float64", np.float64)
    assert type(trained.dtype) is str


def test_a_training_is_told_in_a_line():
    said = repr(av.train(LINE, "adam", 0.1, 2))
    assert said.startswith("<Training: 2 steps of adam at rate 0.1, loss 15.625 to ")
    assert len(repr(av.train(NET).gradient)) < 100
