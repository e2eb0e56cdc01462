"""Test that layers come with parameters that fit; JAX itself says whether they do."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_viz.canvas.drawing import places
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT
from autodiff_viz.lab.actions import undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.inspector.parameters import set_units, units
from tests.lab.canvas_steps import after

SHAPES = {"dense": (4, 3), "conv2d": (2, 8, 8, 3), "layer_norm": (4, 6), "batch_norm": (5, 6)}


def added(op: str, shape: tuple[int, ...]):
    edit = {"kind": "add", "op": op, "position": [400, 0], "wire": {"from": "x", "slot": 0}}
    return after(edit, text=f"x = input(shape={shape}, seed=0)")


@pytest.mark.parametrize(("op", "shape"), SHAPES.items())
def test_a_layer_added_from_what_it_reads_runs_at_once(op, shape):
    lab = added(op, shape)
    assert diagnose(lab.graph) == ()
    assert trace(lab.graph).value[f"{op}_1"].ndim == len(shape)


def test_a_dense_layer_learns_a_matrix_from_its_features_and_a_bias():
    graph = added("dense", (4, 3)).graph
    rows, columns = trace(graph).value["w_1"].shape
    assert (rows, trace(graph).value["b_1"].shape) == (3, (columns,))
    assert graph["w_1"].is_parameter
    assert not trace(graph).value["b_1"].any()


def test_a_normalisation_begins_as_plain_normalisation():
    found = trace(added("layer_norm", (4, 6)).graph)
    x = found.value["x"]
    plain = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    np.testing.assert_allclose(found.value["layer_norm_1"], plain, atol=1e-4)


def test_a_layer_and_what_it_learns_are_one_step_of_undo():
    assert undone(added("dense", (4, 3))).graph.by_name.keys() == {"x"}


def test_a_layer_that_reads_nothing_yet_gets_its_parameters_later():
    lab = after(
        {"kind": "add", "op": "dense", "position": [400, 0]},
        {"kind": "connect", "from": "x", "to": "dense_1", "slot": 0},
        text="x = input(shape=(4, 3), seed=0)",
    )
    assert lab.graph.by_name.keys() == {"x", "dense_1"}
    assert diagnose(edited(lab, {"kind": "learn", "node": "dense_1"}).graph) == ()


def test_two_layers_begin_with_different_weights():
    edits = [
        {"kind": "add", "op": "dense", "position": [400 * i, 0], "wire": {"from": source, "slot": 0}}
        for i, source in enumerate(["x", "dense_1"], 1)
    ]
    found = trace(after(*edits, text="x = input(shape=(8, 8), seed=0)").graph)
    assert not np.allclose(found.value["w_1"], found.value["w_2"])


def test_parameters_stand_clear_of_all_other_cards():
    lab = added("dense", (4, 3))
    found = places(lab.graph).positions
    for name in ("w_1", "b_1"):
        for other in set(found) - {name}:
            (x, y), (u, v) = found[name], found[other]
            assert abs(x - u) >= 128 or abs(y - v) >= 80


def test_the_outputs_of_a_layer_change_all_that_it_learns():
    lab = set_units(added("conv2d", (2, 8, 8, 3)), "conv2d_1", 7)
    assert units(lab.graph, "conv2d_1") == 7
    assert trace(lab.graph).value["conv2d_1"].shape == (2, 6, 6, 7)


def test_weights_that_two_layers_share_are_left_alone():
    lab = after(
        text="x = input(shape=(4, 3), seed=0)\nw = parameter(shape=(3, 3), seed=1)\n"
        "b = parameter(shape=(3,), seed=0)\ny = dense(dense(x, w, b), w, b)"
    )
    assert units(lab.graph, "y") is None


def test_a_parameter_added_to_an_empty_slot_of_a_layer_has_the_shape_that_fits():
    lab = after(
        {"kind": "add", "op": "dense", "position": [400, 0]},
        {"kind": "connect", "from": "x", "to": "dense_1", "slot": 0},
        {"kind": "add", "op": "parameter", "position": [0, 300], "feeds": {"to": "dense_1", "slot": 1}},
        text="x = input(shape=(4, 3), seed=0)",
    )
    assert lab.graph["w"].param("shape")[0] == 3


def test_the_palette_adds_parameters_and_random_inputs():
    lab = after(
        {"kind": "add", "op": "parameter", "position": [0, 300]},
        {"kind": "add", "op": "random", "position": [0, 600]},
    )
    assert (lab.graph["w"].op, lab.graph["w"].is_parameter) == (INPUT, True)
    assert trace(lab.graph).value["w"] == 0.5
    assert trace(lab.graph).value["u"].shape == (4, 2)  # x, y, z and w are taken
