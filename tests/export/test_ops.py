"""Test that every op in an exported program computes, and is differentiated, as in the lab."""

import numpy as np
import pytest

from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from tests.export.programs import assert_same, check, run_alone
from tests.ops.samples import OF_ARRAYS, sample

NOISE = [op for op in OF_ARRAYS if not op.slots]


def nested(array):
    return tuple(map(nested, array)) if array.ndim else float(array)


def graph_of(op, example, wired=None):
    """The op of inputs, or of constants in the slots that are not `wired`, with an example's parameters."""
    shapes, given = example
    wired = range(len(shapes)) if wired is None else wired
    values = [nested(array) for array in sample(op, shapes, np.float32)]
    inputs = [Node(f"x{i}", INPUT, (), params(value=values[i])) for i in wired]
    slots = tuple(f"x{i}" if i in wired else value for i, value in enumerate(values))
    return Graph((*inputs, Node("y", op.name, slots, params(**given))), (), "y")


@pytest.mark.nightly
def test_every_op_agrees_in_a_process_without_the_lab(tmp_path):
    graphs = [graph_of(op, op.examples[-1]) for op in OF_ARRAYS]
    results = run_alone([to_python(graph) for graph in graphs], tmp_path)
    for graph, found in zip(graphs, results, strict=True):
        assert_same(graph, found)


SET = [
    pytest.param(op, example, id=f"{op.name}-{example[1]}")
    for op in OF_ARRAYS
    for example in op.examples[:-1]
    if op.params
]


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("op", "example"), SET)
def test_parameters_at_their_defaults_and_set_agree(op, example):
    check(graph_of(op, example))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("op", [op for op in OF_ARRAYS if op.slots], ids=lambda op: op.name)
def test_an_op_of_constants_alone_agrees(op):
    check(graph_of(op, op.examples[0], wired=()))


ONE_CONSTANT = [
    pytest.param(op, slot, id=f"{op.name}-{op.slots[slot]}")
    for op in OF_ARRAYS
    for slot in range(len(op.slots))
    if len(op.slots) > 1
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("op", "slot"), ONE_CONSTANT)
def test_an_op_with_one_constant_agrees(op, slot):
    check(graph_of(op, op.examples[0], wired={*range(len(op.slots))} - {slot}))


@pytest.mark.parametrize("op", NOISE, ids=lambda op: op.name)
def test_noise_is_the_same_draw_in_float64(op):
    check(graph_of(op, op.examples[-1]), dtype="float64")
