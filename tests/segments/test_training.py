"""Test that the chain's loss curve is that of joint training, which PyTorch makes too."""

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.segments.compute import curves, most_steps
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin

MLP = parse("""x = input(shape=(8, 3), seed=1)
y = input(shape=(8, 2), seed=2)
w1 = parameter(shape=(3, 5), init="he_normal", seed=3)
b1 = parameter(shape=(5,), init="zeros", seed=0)
h = cut(relu(dense(x, w1, b1)))
w2 = parameter(shape=(5, 2), init="glorot_uniform", seed=4)
b2 = parameter(shape=(2,), init="zeros", seed=0)
out = cut(dense(h, w2, b2))
loss = mean_squared_error(out, y)
""")
NOISY = parse("x = input(shape=(4, 6), seed=0)\nw = parameter(shape=(6, 6), seed=1)\n"
              "h = cut(dropout(sin(x @ w), seed=3))\nloss = mean(square(h @ w - x))")  # fmt: skip


@pytest.mark.parametrize(("name", "rate"), [("sgd", 0.1), ("adam", 0.02)])
def test_the_chain_takes_pytorchs_steps_of_the_joint_model(name, rate):
    torch = pytest.importorskip("torch")
    start = begin(MLP, Settings(name, rate)).parameters
    theirs = {key: torch.tensor(np.array(array), requires_grad=True) for key, array in start.items()}
    given = {key: torch.tensor(np.array(array)) for key, array in trace(MLP).inputs.items()}
    make = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[name]
    optimiser, losses = make(list(theirs.values()), rate), []
    for _ in range(15):
        optimiser.zero_grad()
        hidden = torch.relu(given["x"] @ theirs["w1"] + theirs["b1"])
        loss = ((hidden @ theirs["w2"] + theirs["b2"] - given["y"]) ** 2).mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    found = curves(MLP, Settings(name, rate), 15)
    np.testing.assert_allclose(found.chain, losses, rtol=2e-5)
    np.testing.assert_allclose(found.joint, losses, rtol=2e-5)
    assert found.difference <= 1e-6


def test_the_broken_way_starts_alike_and_does_not_learn():
    found = curves(MLP, Settings("sgd", 0.1), 15)
    assert found.apart[0] == found.joint[0]
    assert found.joint[-1] < 0.7 * found.joint[0]
    assert found.apart[-1] > found.apart[0]


def test_noise_is_the_same_in_all_ways_and_new_in_each_step_as_in_training():
    found = curves(NOISY, Settings("sgd", 0.05), 6)
    assert found.difference <= 1e-6
    records = advance(NOISY, begin(NOISY, Settings("sgd", 0.05)), 6, Settings("sgd", 0.05))[1]
    np.testing.assert_allclose(found.chain, records.loss, rtol=1e-5)


def test_too_much_work_is_refused_with_what_is_possible():
    with pytest.raises(GraphError, match=f"At most {limits.SEGMENT_STEPS} steps") as caught:
        curves(MLP, Settings(), limits.SEGMENT_STEPS + 1)
    assert caught.value.problems[0].code == "too-much-work"
    large = parse("w = parameter(shape=(240, 240), seed=0)\nh = cut(sin(w))\nloss = mean(h * w * w * w)")
    assert most_steps(trace(large)) == limits.SEGMENT_WORK // (5 * 240 * 240 + 1)


def test_a_graph_without_cuts_has_no_segments_to_train():
    with pytest.raises(GraphError, match="No cut divides"):
        curves(parse("w = parameter(2.0)\nloss = square(w)"), Settings(), 3)
