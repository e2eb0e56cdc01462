"""Test that steps of loops and calls of functions are groups in a graph too large to be read without."""

from __future__ import annotations

import pytest

from autodiff_viz.canvas.arrange import closed_at_first
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.reading.reading import read

TRAINING = """
import jax, jax.numpy as jnp
w, b = 0.5, 0.1
x = jnp.array([0.5, -1.0, 2.0])
t = jnp.array([1.0, 0.0, 0.5])
def loss(w, b):
    return jnp.mean((jnp.tanh(w * x + b) - t) ** 2)
for i in range({steps}):
    gw, gb = jax.grad(loss, argnums=(0, 1))(w, b)
    w = w - 0.1 * gw
    b = b - 0.1 * gb
y = loss(w, b)
"""
LOSS = {"mul", "add", "tanh", "sub", "square", "mean"}
STEP = sorted([*LOSS, "grad", "grad", "mul", "mul", "sub", "sub"])
"""Ops of the text by hand: those of the loss, its two derivatives and the two updates."""


def ops(graph, group):
    return sorted(node.op for node in graph.nodes if node.name in group.nodes)


def test_each_step_of_a_long_training_is_a_group_that_is_closed_at_first():
    graph = read(TRAINING.format(steps=6)).graph
    groups = {group.name: group for group in graph.groups}
    steps = [groups[f"for i {i}"] for i in range(6)]
    assert [ops(graph, step) for step in steps[1:]] == [STEP] * 5
    assert ops(graph, steps[0]) == sorted([*STEP, "input", "input"])  # with the first w and b
    losses = [group for name, group in groups.items() if name.startswith("loss")]
    assert [set(ops(graph, one)) for one in losses] == [LOSS] * 7  # in each step, and after them
    assert len(groups) == 13
    # What is seen first: the steps, the last loss, x and t.
    alone = {node.name for node in graph.nodes}.difference(*(group.nodes for group in graph.groups))
    assert alone == {"x", "t"}
    assert closed_at_first(graph) == {*(step.name for step in steps), "loss"}
    assert parse(show(graph)) == graph
    assert not list(frame_problems(graph))


def test_a_graph_that_can_be_read_has_none():
    assert not read(TRAINING.format(steps=1)).graph.groups


def test_a_loop_has_all_of_its_steps_as_groups_or_none():
    text = "import numpy as np\nx = np.float32(0.5)\nfor i in range({}):\n    x = np.sin(x) * x + np.cos(x)\n"
    assert len(read(text.format(64)).graph.groups) == 64
    assert not read(text.format(65)).graph.groups


@pytest.mark.parametrize(("before", "calls"), [(0, 0), (70, 1)])
def test_what_holds_most_of_the_nodes_is_no_group(before, calls):
    more = "x = np.sin(x)\n" * before
    body = "    x = np.cos(x)\n" * 60
    graph = read(f"import numpy as np\nx = 0.5\n{more}def run(x):\n{body}    return x\ny = run(x)\n").graph
    assert [len(group.nodes) for group in graph.groups] == [60] * calls
