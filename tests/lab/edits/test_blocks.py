"""Test groups of layers that are added at once: their shapes, gradients, training and names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.canvas.notices import notice_data
from autodiff_viz.canvas.palette import palette
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.subgraph import graft
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.blocks import BLOCKS, block_entries
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.language.parse import parse, parse_addition
from autodiff_viz.training.compute import train
from tests.lab.canvas_steps import after

SHAPES = {
    "mlp": [((3,), (8,)), ((4, 3), (4, 8)), ((2, 4, 3), (2, 4, 8)), ((), (1, 8))],
    "residual": [((3,), (3,)), ((4, 3), (4, 3)), ((), (1, 1))],
    "attention": [((4, 3), (4, 3)), ((2, 4, 3), (2, 4, 3))],
    "transformer": [((4, 3), (4, 3)), ((2, 4, 3), (2, 4, 3))],
    "conv_block": [((2, 6, 6, 3), (2, 3, 3, 4)), ((1, 1, 5, 2), (1, 1, 5, 4))],
    "embedding": [((5,), (5, 8)), ((2, 3), (2, 3, 8)), ((), (8,))],
}
"""By block, shapes of what it reads and of its value."""

CASES = [(name, *shapes) for name, found in SHAPES.items() for shapes in found]


def block(name: str, reads: str | None = "x", **fields) -> dict:
    """Return the edit that adds a block."""
    return {"kind": "block", "block": name, "from": reads, **fields}


def added(name: str, shape: tuple[int, ...]) -> Lab:
    """Return a lab in which a block reads an input of this shape."""
    return after(block(name), text=f"x = input(shape={shape}, seed=0)")


def with_loss(graph: Graph, name: str) -> Graph:
    """Return the graph with the mean of the squares of a node as its output."""
    piece = parse_addition(f"loss = mean(square({name} - 0.5))", graph.by_name)
    return replace(graft(graph, piece).graph, output="loss")


def test_every_block_has_shapes_to_try():
    assert SHAPES.keys() == BLOCKS.keys()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "shape", "gives"), CASES)
def test_a_block_runs_at_once_on_what_it_reads(name, shape, gives):
    lab = added(name, shape)
    assert diagnose(lab.graph) == ()
    assert trace(lab.graph).value[lab.selected].shape == gives


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BLOCKS)
def test_every_parameter_of_a_block_learns(name):
    lab = added(name, SHAPES[name][0][0])
    graph = with_loss(lab.graph, lab.selected)
    learned = [node.name for node in graph.nodes if node.is_parameter]
    found = trace(graph)
    assert learned
    assert all(np.abs(found.cotangent[each]).max() > 0 for each in learned)
    loss = train(graph, optimizer="sgd", rate=0.01, steps=5).loss
    assert loss[-1] < loss[0]


def test_a_block_attends_as_it_is_written_in_numpy():
    found = trace(added("attention", (4, 3)).graph)
    x, q, k, v = (found.value[each].astype(np.float64) for each in ("x", "w_q", "w_k", "w_v"))
    scores = (x @ q) @ (x @ k).T / np.sqrt(3.0)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.value["attention"], weights @ (x @ v), rtol=1e-5)


def test_an_embedding_is_the_row_of_its_table():
    found = trace(edited(edited(start(), {"kind": "new"}), block("embedding", None)).graph)
    np.testing.assert_array_equal(found.value["embedding"], found.value["table"][[0, 3, 7]])


def test_a_block_is_a_group_and_one_step_of_undo():
    lab = added("mlp", (4, 3))
    (group,) = lab.graph.groups
    assert group.nodes == lab.graph.by_name.keys() - {"x"}
    assert lab.history.present.label == "Add mlp to x"
    assert undone(lab).graph.by_name.keys() == {"x"}


def test_two_blocks_have_names_and_seeds_of_their_own():
    lab = edited(added("mlp", (4, 3)), block("mlp", "mlp"))
    assert lab.notice == ()
    assert lab.graph["mlp_1"].slots[0] == "hidden_1"
    assert lab.graph["hidden_1"].slots[0] != "hidden"
    seeds = [node.param("seed") for node in lab.graph.nodes if node.is_parameter]
    assert len(lab.graph.groups) == 2
    assert len(set(seeds)) == len(seeds) == 8
    assert diagnose(lab.graph) == ()


def test_a_block_in_a_wire_feeds_what_read_it():
    lab = after(
        block("residual", feeds={"to": "y", "slot": 0}), text="x = input(shape=(4, 3), seed=0)\ny = sum(x)"
    )
    assert lab.graph["y"].slots == ("residual",)


def test_what_its_author_wrote_stays():
    lab = typed(start(), "# features\nx = input(shape=(4, 3), seed=0)  # four rows\ny = sum(x)\n")
    text = formula_text(edited(lab, block("mlp")))
    assert "# features\nx = input(shape=(4, 3), seed=0)  # four rows\ny = sum(x)\n" in text
    assert parse(text) == parse(formula_text(edited(lab, block("mlp"))))
    assert 'with group("mlp"):' in text


def test_a_block_that_cannot_read_a_node_offers_an_input_of_its_own():
    (notice,) = notice_data(edited(start(), block("attention", "z")).notice)
    assert notice["message"] == "attention reads rows of features; this has shape ()."
    lab = after(notice["edit"])
    assert lab.notice == ()
    assert diagnose(lab.graph) == ()


def test_a_block_of_a_node_without_a_shape_is_refused():
    (notice,) = notice_data(edited(after({"kind": "add", "op": "sin"}), block("mlp", "sin_1")).notice)
    assert "not known yet" in notice["message"]


def test_a_block_whose_parameters_would_be_too_large_is_refused():
    wide = after(text="x = input(shape=(2, 400), seed=0)")
    (notice,) = notice_data(edited(wide, block("residual")).notice)
    assert "160,000 elements" in notice["message"]


@pytest.mark.parametrize("word", ["block", "network", "resnet", "self attention", "cnn", "embed", "gpt"])
def test_words_that_people_type_find_blocks(word):
    entries = block_entries()["ops"]
    assert [entry["op"] for entry in entries if word in (entry["op"], *entry["aliases"])]


def test_no_block_has_the_name_of_an_op():
    ops = {op["op"] for group in palette() for op in group["ops"]}
    assert ops.isdisjoint(BLOCKS)
