"""Test that steps on the live path equal compiled ones; large graphs have no program of their own."""

import numpy as np
import pytest

from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Call, Graph, Lambda, Rule
from autodiff_viz.language.parse import parse
from autodiff_viz.training import steps, updates
from autodiff_viz.training.state import Settings
from autodiff_viz.training.updates import advance, begin
from tests.work import programs_compiled

NET = parse("""x = input(shape=(6, 3), seed=1)
y = input(shape=(6, 2), seed=2)
w1 = parameter(shape=(3, 5), init="he_normal", seed=3)
b1 = parameter(shape=(5,), init="zeros", seed=0)
h = dropout(relu(dense(x, w1, b1)), seed=4)
w2 = parameter(shape=(5, 2), init="glorot_uniform", seed=4)
s = parameter(0.5)
out = h @ w2 * s
loss = mean_squared_error(out, y)
""")
HALF = Rule("rewrite", Lambda(("v",), (Call("mul", ("v", 0.5)),)))
RULED = with_rule(with_rule(NET, "b1", Rule("stop")), "out", HALF)


def trained(graph: Graph, settings: Settings, dtype: str, steps: int):
    return advance(graph, begin(graph, settings, dtype), steps, settings, dtype)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("graph", [NET, RULED], ids=["plain", "ruled"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_both_ways_make_the_same_steps_and_write_down_the_same(monkeypatch, name, graph, dtype):
    settings = Settings(name, 0.05)
    compiled = trained(graph, settings, dtype, 5)
    monkeypatch.setattr(updates, "COMPILED", 0)
    state, records = trained(graph, settings, dtype, 5)
    close = {"rtol": 1e-5 if dtype == "float32" else 1e-12, "atol": 1e-6 if dtype == "float32" else 1e-14}
    for key, array in compiled[0].parameters.items():
        np.testing.assert_allclose(state.parameters[key], array, **close)
    assert state.step == compiled[0].step
    for field in ("loss", "value", "cotangent", "dead", "ratio"):
        np.testing.assert_allclose(getattr(records, field), getattr(compiled[1], field), **close)
    assert (records.nodes, records.parameters) == (compiled[1].nodes, compiled[1].parameters)


def line(nodes: int) -> Graph:
    """y = w, times 1 as often as that, fitted to 3."""
    lines = ["n0 = parameter(1.0)", *(f"n{i + 1} = n{i} * 1.0" for i in range(nodes))]
    return parse("\n".join([*lines, f"loss = square(n{nodes} - 3.0)"]))


def test_a_chain_of_1000_learns_as_by_hand_and_compiles_nothing_more_than_a_short_one():
    settings = Settings("sgd", 0.1)
    trained(line(70), settings, "float32", 1)
    found = []
    assert programs_compiled(lambda: found.append(trained(line(1000), settings, "float32", 3))) == 0
    w = [1.0]
    for _ in range(3):
        w.append(w[-1] - 0.1 * 2 * (w[-1] - 3))
    np.testing.assert_allclose(found[0][1].loss, [(each - 3) ** 2 for each in w[:3]], rtol=1e-5)
    np.testing.assert_allclose(found[0][0].parameters["n0"], w[3], rtol=1e-6)


def test_a_program_that_is_used_stays_when_others_come(monkeypatch):
    monkeypatch.setattr(steps, "KEPT", 2)
    monkeypatch.setattr(steps, "_programs", {})
    settings = Settings("sgd", 0.1)
    graphs = [line(1), line(2), line(3)]
    for graph in (graphs[0], graphs[1], graphs[0], graphs[2]):
        trained(graph, settings, "float32", 1)
    assert programs_compiled(lambda: trained(graphs[0], settings, "float32", 1)) == 0
