"""Test training against the tutorial's run, PyTorch, and steps worked out by hand in NumPy."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse, parse_lambda
from autodiff_viz.training import steps as compiled
from autodiff_viz.training.gates import CLIP, REPLACE, SCALE, Change, change_of
from autodiff_viz.training.state import Settings, State
from autodiff_viz.training.steps import AT_ONCE
from autodiff_viz.training.updates import advance, at_step, begin

LINE = parse("x = [1.0, 2.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [3.0, 6.0])")
"""A line through the origin; its slope should become 3. d loss/dw = 2 * mean(x^2) * (w - 3) = 5 (w - 3)."""

MLP = """x = input(shape=(8, 3), seed=1)
y = input(shape=(8, 2), seed=2)
w1 = parameter(shape=(3, 5), init="he_normal", seed=3)
b1 = parameter(shape=(5,))
h = relu(dense(x, w1, b1))
w2 = parameter(shape=(5, 2), init="glorot_uniform", seed=4)
b2 = parameter(shape=(2,))
loss = mean_squared_error(dense(h, w2, b2), y)
"""


def test_plain_steps_are_those_worked_by_hand():
    state = begin(LINE, Settings())
    state, records = advance(LINE, state, 3, Settings("sgd", 0.1))
    slopes = [0.5]
    for _ in range(3):
        slopes.append(slopes[-1] - 0.1 * 5 * (slopes[-1] - 3))
    np.testing.assert_allclose(state.parameters["w"], slopes[-1], rtol=1e-6)
    np.testing.assert_allclose(records.loss, [2.5 * (w - 3) ** 2 for w in slopes[:3]], rtol=1e-6)
    arrived = records.cotangent[:, records.nodes.index("w")]
    np.testing.assert_allclose(arrived, [abs(5 * (w - 3)) for w in slopes[:3]], rtol=1e-6)
    ratio = [abs(0.1 * 5 * (w - 3) / w) for w in slopes[:3]]
    np.testing.assert_allclose(records.ratio[:, 0], ratio, rtol=1e-6)
    assert (state.step, records.first, len(records)) == (3, 0, 3)


def test_norms_are_those_of_the_trace_at_that_step():
    graph, settings = parse(MLP), Settings("adam", 0.01)
    state, _ = advance(graph, begin(graph, settings), 2, settings)
    _, records = advance(graph, state, 1, settings)
    found = at_step(graph, state)
    for column, name in enumerate(records.nodes):
        np.testing.assert_allclose(records.value[0, column], np.linalg.norm(found.value[name]), rtol=1e-5)
        arrived = np.nan if name in ("x", "y") else np.linalg.norm(found.cotangent[name])
        np.testing.assert_allclose(records.cotangent[0, column], arrived, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("name", "rate"), [("sgd", 0.1), ("momentum", 0.02), ("adam", 0.01)])
def test_pytorch_takes_the_same_steps(name, rate):
    torch = pytest.importorskip("torch")
    graph, settings = parse(MLP), Settings(name, rate)
    start = begin(graph, settings)
    theirs = {
        key: torch.tensor(np.array(array), requires_grad=True) for key, array in start.parameters.items()
    }
    given = {key: torch.tensor(np.array(array)) for key, array in trace(graph).inputs.items()}
    make = {
        "sgd": lambda p: torch.optim.SGD(p, rate),
        "momentum": lambda p: torch.optim.SGD(p, rate, momentum=0.9),
        "adam": lambda p: torch.optim.Adam(p, rate),
    }
    optimiser, losses = make[name](list(theirs.values())), []
    for _ in range(10):
        optimiser.zero_grad()
        hidden = torch.relu(given["x"] @ theirs["w1"] + theirs["b1"])
        loss = ((hidden @ theirs["w2"] + theirs["b2"] - given["y"]) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    state, records = advance(graph, start, 10, settings)
    np.testing.assert_allclose(records.loss, losses, rtol=1e-5)
    for key, tensor in theirs.items():
        np.testing.assert_allclose(state.parameters[key], tensor.detach().numpy(), rtol=1e-4, atol=1e-6)


def test_many_steps_are_the_same_as_single_ones():
    graph, settings = parse(MLP), Settings("adam", 0.01)
    start = begin(graph, settings)
    together, records = advance(graph, start, 7, settings)
    single, losses = start, []
    for _ in range(7):
        single, record = advance(graph, single, 1, settings)
        losses.extend(record.loss)
    np.testing.assert_array_equal(records.loss, losses)
    for name in start.parameters:
        np.testing.assert_array_equal(together.parameters[name], single.parameters[name])


TOGGLES = [
    ("h", Rule("stop")),
    ("w1", Rule("stop")),
    ("h", Rule("rewrite", parse_lambda("lambda v: -v"))),
    ("h", Rule("rewrite", parse_lambda("lambda v: v * 0.5"))),
    ("h", Rule("rewrite", parse_lambda("lambda v: clip(v, -0.01, 0.01)"))),
    ("h", Rule("rewrite", parse_lambda("lambda v: 0.25"))),
    ("w2", Rule("rewrite", parse_lambda("lambda v: v / 4.0"))),
]


@pytest.mark.parametrize(("node", "rule"), TOGGLES, ids=lambda x: getattr(x, "kind", x))
def test_a_toggle_compiles_nothing_and_gives_the_gradients_of_the_live_path(node, rule):
    graph, settings = parse(MLP), Settings("sgd", 1.0)
    start, _ = advance(graph, begin(graph, settings), 1, settings)
    known = set(compiled._programs)
    bent = with_rule(graph, node, rule)
    after, _ = advance(bent, start, 1, settings)
    assert set(compiled._programs) == known
    found = at_step(bent, start)
    for name, before in start.parameters.items():
        moved = np.asarray(before) - np.asarray(after.parameters[name])
        np.testing.assert_allclose(moved, found.gradient[name], rtol=1e-4, atol=2e-7)


def test_a_checkpoint_region_compiles_nothing_either():
    graph, settings = parse(MLP), Settings()
    text = MLP.replace("h = relu(", 'with checkpoint("layer"):\n    h = relu(')
    _, plain = advance(graph, begin(graph, settings), 1, settings)
    known = set(compiled._programs)
    _, region = advance(parse(text), begin(graph, settings), 1, settings)
    assert set(compiled._programs) == known
    np.testing.assert_array_equal(plain.cotangent, region.cotangent)


def test_other_rules_are_part_of_the_program():
    text = MLP.replace("relu(dense(x, w1, b1))", "backward_as(relu(dense(x, w1, b1)), dense(x, w1, b1))")
    graph, settings = parse(text), Settings("sgd", 1.0)
    start = begin(graph, settings)
    after, _ = advance(graph, start, 1, settings)
    moved = np.asarray(start.parameters["w1"]) - np.asarray(after.parameters["w1"])
    np.testing.assert_allclose(moved, trace(graph, start.parameters).gradient["w1"], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adam"])
def test_a_stopped_parameter_stays_still_even_with_momentum(optimiser):
    graph, settings = parse(MLP), Settings(optimiser, 0.05)
    state, _ = advance(graph, begin(graph, settings), 5, settings)
    frozen = with_rule(graph, "w1", Rule("stop"))
    after, records = advance(frozen, state, 5, settings)
    np.testing.assert_array_equal(after.parameters["w1"], state.parameters["w1"])
    assert (records.ratio[:, records.parameters.index("w1")] == 0).all()
    assert (records.ratio[:, records.parameters.index("w2")] > 0).all()


def test_behind_a_stop_an_infinite_slope_gives_no_nan():
    """sqrt has an infinite slope at 0; behind a stop nothing arrives there."""
    text = "w = parameter(0.0)\nloss = w * 2.0 + stop_gradient(sqrt(w)) + sign(log(w + 0.0))"
    graph = parse(text)
    after, _ = advance(graph, begin(graph, Settings()), 1, Settings("sgd", 1.0))
    assert float(after.parameters["w"]) == -2.0


RULED = "w = rewrite(parameter(2.0), lambda v: {rule})\nu = parameter(1.0)\na = {a}\nloss = {loss}"
NOTHING = {
    "behind a stop": ("stop_gradient(square(w))", "a + square(u)"),
    "behind a stop further on": ("square(w)", "exp(stop_gradient(sin(a))) + square(u)"),
    "behind a step": ("floor(square(w))", "a + square(u)"),
    "behind a condition": ("w", "where(a, 1.0, 2.0) + square(u)"),
    "beside what something is differentiated as": ("backward_as(sin(w), u)", "a * 0.0 + square(u)"),
    "beside the way to the loss": ("square(w)", "square(u)"),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("rule", ["0.5", "v + 0.5", "cos(v)"])  # a gate, and two that are compiled in
@pytest.mark.parametrize("where", NOTHING)
def test_a_rule_does_nothing_where_nothing_arrives(where, rule, optimiser):
    a, loss = NOTHING[where]
    graph, settings = parse(RULED.format(rule=rule, a=a, loss=loss)), Settings(optimiser, 0.1)
    after, records = advance(graph, begin(graph, settings), 2, settings)
    assert float(after.parameters["w"]) == 2.0
    assert float(after.parameters["u"]) < 1.0
    assert (records.ratio[:, records.parameters.index("w")] == 0).all()


@pytest.mark.parametrize("rule", ["0.5", "v + 0.5"])
def test_a_rule_does_act_where_a_zero_arrives(rule):
    graph = parse(RULED.format(rule=rule, a="w * 0.0", loss="a + square(u)"))
    after, _ = advance(graph, begin(graph, Settings()), 1, Settings("sgd", 0.1))
    assert float(after.parameters["w"]) == np.float32(2.0 - 0.1 * 0.5)


@pytest.mark.parametrize("rule", ["0.5", "v + 0.5"])
def test_a_stop_that_comes_and_goes_compiles_nothing_and_stops_the_rule_before_it(rule):
    settings = Settings("sgd", 0.1)
    graph = parse(RULED.format(rule=rule, a="0.0 * w", loss="a + square(u)"))
    stopped = with_rule(graph, "a", Rule("stop"))
    state, _ = advance(graph, begin(graph, settings), 1, settings)
    known = set(compiled._programs)
    places = [float(state.parameters["w"])]
    for now in (stopped, graph, stopped):
        state, _ = advance(now, state, 1, settings)
        places.append(float(state.parameters["w"]))
    assert set(compiled._programs) == known
    np.testing.assert_allclose(places, [1.95, 1.95, 1.9, 1.9], rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("lambda v: v", Change()),
        ("lambda v: -v", Change(SCALE, -1.0)),
        ("lambda v: 3.0 * v", Change(SCALE, 3.0)),
        ("lambda v: v / 2.0", Change(SCALE, 0.5)),
        ("lambda v: clip(v, -1.0, 2.0)", Change(CLIP, -1.0, 2.0)),
        ("lambda v: 0.5", Change(REPLACE, 0.5)),
        ("lambda v: v * v", None),
        ("lambda v: sin(v)", None),
        ("lambda v: clip(1.0, v, 2.0)", None),
        ("lambda v: 2.0 / v", None),
        ("lambda v: v / 0.0", None),
    ],
)
def test_a_rewrite_is_a_gate_only_where_a_gate_can_do_it(text, change):
    assert change_of(Rule("rewrite", parse_lambda(text))) == change


def test_dropout_draws_anew_in_each_step_and_the_first_as_on_the_canvas():
    text = "x = input(shape=(1, 50), seed=1)\nw = parameter(1.0)\nd = dropout(x * w, seed=3)\nloss = mean(d)"
    graph, still = parse(text), Settings("sgd", 0.0)
    start = begin(graph, still)
    _, records = advance(graph, start, 3, still)
    assert len(set(records.loss.tolist())) == 3
    np.testing.assert_allclose(records.loss[0], trace(graph).value["loss"], rtol=1e-6)
    _, later = advance(graph, State(2, start.parameters, start.optimiser), 1, still)
    assert later.loss[0] == records.loss[2]


def test_the_seed_draws_every_random_parameter_anew_and_no_other():
    text = MLP.replace("b1 = parameter(shape=(5,))", "b1 = parameter([1.0, 2.0, 3.0, 4.0, 5.0])")
    once, again = (begin(parse(text), replace(Settings(), seed=seed)).parameters for seed in (0, 1))
    assert (np.asarray(once["w1"]) != np.asarray(again["w1"])).all()
    np.testing.assert_array_equal(once["b1"], again["b1"])
    np.testing.assert_array_equal(once["w1"], trace(parse(text)).value["w1"])


def test_a_dead_unit_is_one_that_is_0_for_every_example():
    text = "x = [[1.0, -1.0], [2.0, -3.0]]\nw = parameter(1.0)\nh = relu(x * w)\nloss = mean(h)"
    _, records = advance(parse(text), begin(parse(text), Settings()), 1, Settings())
    dead = dict(zip(records.nodes, records.dead[0], strict=True))
    assert (dead["h"], dead["x"]) == (0.5, 0.0)


def test_no_more_steps_than_the_buffer_holds_are_made_at_once():
    state, records = advance(LINE, begin(LINE, Settings()), AT_ONCE + 100, Settings())
    assert (state.step, len(records)) == (AT_ONCE, AT_ONCE)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1.0\nloss = x * x", "no-parameters"),
        ("w = parameter(1.0)\nv = square(w)\nx = 1.0\nloss = x * x", "no-parameters"),
        ("w = parameter([1.0, 2.0])\nloss = w * w", "no-loss"),
        ("w = parameter(1.0)\nloss = ...", "empty-slot"),
    ],
)
def test_what_cannot_be_trained_says_why(text, code):
    with pytest.raises(GraphError) as caught:
        begin(parse(text), Settings())
    assert caught.value.problems[0].code == code


REPLAY = json.loads(Path(__file__).with_name("xor_replay.json").read_text("utf-8"))


def test_the_tutorials_run_of_ten_steps():
    """All ten losses, and at every step what arrives at the prediction and at the hidden layer.

    Source: "Custom differentiation", Swift for TensorFlow; the weights were recovered from its output.
    """
    graph = parse(
        f"""x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [0.0, 1.0, 1.0, 0.0]
w1 = parameter({REPLAY["W1"]})
b1 = parameter({[0.0] * 10})
layer1 = relu(dense(x, w1, b1))
w2 = parameter({[[w] for w in REPLAY["W2"]]})
b2 = parameter([0.0])
yhat = relu(dense(layer1, w2, b2))
loss = mean_squared_error(yhat, y)"""
    )
    settings = Settings("sgd", REPLAY["learning_rate"])
    state = begin(graph, settings)
    for step in range(10):
        found = at_step(graph, state)
        np.testing.assert_allclose(found.value["loss"], REPLAY["losses"][step], atol=1e-7)
        np.testing.assert_allclose(
            found.cotangent["yhat"].ravel(), np.ravel(REPLAY["dL_dyhat"][step]), atol=1e-7
        )
        np.testing.assert_allclose(found.cotangent["layer1"], REPLAY["dL_dlayer1"][step], atol=1e-7)
        state, records = advance(graph, state, 1, settings)
        np.testing.assert_allclose(records.loss[0], REPLAY["losses"][step], atol=1e-7)
