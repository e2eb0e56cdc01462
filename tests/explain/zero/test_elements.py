"""Test why nothing arrives at single elements of a tensor: by hand, by NumPy, and element by element."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.zero.compute import why_zero
from autodiff_viz.explain.zero.elements import (
    CANCELLED,
    DISCONNECTED,
    FLAT,
    STOPPED,
    UNDERFLOW,
    zero_elements,
)
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.references.scalar_graphs import scalar_graphs


def why(text: str, name: str = "x"):
    return why_zero(trace(parse(text)), name)


ELEMENTS = {
    "a dead relu": (
        "x = [-1.0, 2.0, -3.0, 4.0]\nz = sum(relu(x))", [(FLAT, 2, ("relu_1",))],
        "Nothing arrives at 2 of 4 elements: dead relu 'relu_1'.",
    ),
    "an index": (
        "x = [1.0, 2.0, 3.0]\ny = x[1:]\nz = sum(y * y)", [(DISCONNECTED, 1, ())],
        "Nothing arrives at 1 of 3 elements: no path to the output.",
    ),
    "an index and a relu": (
        "x = [1.0, 2.0, -3.0, 4.0]\ny = relu(x)\nz = sum(y[1:])",
        [(DISCONNECTED, 1, ()), (FLAT, 1, ("y",))],
        "Nothing arrives at 1 of 4 elements: no path to the output; 1 of 4 elements: dead relu 'y'.",
    ),
    "a stop on one half": (
        "x = [1.0, 2.0, 3.0]\na = stop_gradient(x[:2])\nz = sum(a) + x[2]", [(STOPPED, 2, ("a",))],
        "Nothing arrives at 2 of 3 elements: stopped at 'a'.",
    ),
    "weights of 0 in a product of matrices": (
        "x = [[1.0, 2.0]]\nw = [[1.0], [0.0]]\nz = sum(x @ w)", [(FLAT, 1, ("matmul_1",))],
        "Nothing arrives at 1 of 2 elements: the derivative of 'matmul_1' is 0.",
    ),
    "all but the largest": (
        "x = [3.0, 1.0, 2.0]\nz = max(x)", [(FLAT, 2, ("z",))],
        "Nothing arrives at 2 of 3 elements: the derivative of 'z' is 0.",
    ),
    "all but the largest of each window, and one outside of all": (
        "x = [[[[1.0], [4.0], [9.0]], [[3.0], [2.0], [9.0]]]]\np = max_pool(x, window=2)\nz = sum(p)",
        [(DISCONNECTED, 2, ()), (FLAT, 3, ("p",))], "",
    ),
    "sorted behind those that are read": (
        "x = [3.0, 1.0, 2.0]\nz = sum(sort(x)[:1])", [(FLAT, 2, ("sort_1",))], "",
    ),
    "places of the largest": (
        "x = [3.0, 1.0]\na = argmax(x)\nz = a + x[0]", [(FLAT, 1, ("a",))], "",
    ),
    "too small in one": (
        "x = [1.0, 1.0]\na = x * [1.0, 1e-30]\nz = sum(a * [1.0, 1e-30])", [(UNDERFLOW, 1, ("a",))],
        "Nothing arrives at 1 of 2 elements: too small for float32 at 'a'.",
    ),
    "a mean taken off": (
        "x = [1.0, 2.0]\nc = x - mean(x)\nz = sum(c)", [(CANCELLED, 2, ("x",))], "",
    ),
    "a constant weight of 0": (
        "x = [1.0, 2.0]\nz = dot(x, [1.0, 0.0])", [(FLAT, 1, ("z",))],
        "Nothing arrives at 1 of 2 elements: the derivative of 'z' is 0.",
    ),
    "a column of 0": (
        "x = [1.0, 2.0]\nz = sum([[1.0, 0.0], [2.0, 0.0]] @ x)", [(FLAT, 1, ("matmul_1",))], "",
    ),
    "a squared error with itself": (
        "x = [1.0, 2.0]\nz = mean_squared_error(x, x) + stop_gradient(x[0])",
        [(FLAT, 2, ("mean_squared_error_1",))], "",
    ),
    "a softmax of one element": (
        "x = [[1.0], [2.0]]\nz = sum(softmax(x) * 3.0) + x[0, 0]", [(FLAT, 1, ("softmax_1",))], "",
    ),
    "a second derivative with a weight of 0": (
        "x = [1.0, 2.0]\ns = sum(x * x * [1.0, 0.0])\ng = grad(s, x)\nz = sum(g)", [(FLAT, 1, ("g",))], "",
    ),
    "a kernel of 0": (
        "x = [[[[1.0], [2.0]]]]\nc = conv2d(x, [[[[0.0]]]], [0.0])\nz = sum(c) + x[0, 0, 0, 0]",
        [(FLAT, 1, ("c",))], "",
    ),
    "rows that no place names": (
        "x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]\nz = sum(take(x, [2.0, 0.0, -1.0], axis=0))",
        [(DISCONNECTED, 2, ())], "",
    ),
    "a place that is computed": (
        "x = [1.0, 5.0, 3.0]\nz = take(x, argmax(x))", [(FLAT, 2, ("z",))], "",
    ),
    "an update outside": (
        "x = [1.0, 5.0, 3.0]\nz = sum(at_add([0.0, 0.0], [1.0, 2.0, 0.0], x))", [(DISCONNECTED, 1, ())], "",
    ),
    "a softmax that is added up": (  # both halves: 1/2 (1 - 1/2 - 1/2)
        "x = [1.0, 1.0]\nz = sum(softmax(x))", [(CANCELLED, 2, ("softmax_1",))],
        "Contributions that are not 0 add up to 0 at 'softmax_1'.",
    ),
    "a softmax that is added up, and one element": (
        "x = [1.0, 1.0]\nz = sum(softmax(x)) + x[0]", [(CANCELLED, 1, ("softmax_1",))], "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ELEMENTS)
def test_of_a_tensor_each_element_has_its_cause(case):
    text, expected, sentence = ELEMENTS[case]
    found = why(text)
    assert [(part.kind, part.count, part.at) for part in found.elements] == expected
    if sentence:
        assert found.sentence == sentence


THROUGH_A_STACK = {
    "a dead relu": (
        "x = 1.0\nc = stack([x, 2.0])\nz = sum(relu(c - [3.0, 0.0]))",
        (FLAT, ("relu_1",)), "Every path from 'x' to 'z' is closed: the derivative of 'relu_1' is 0 here.",
    ),
    "the smaller of two": (
        "x = -1.0\nz = max(stack([x, 0.0]))",
        (FLAT, ("z",)), "Every path from 'x' to 'z' is closed: the derivative of 'z' is 0 here.",
    ),
    "the smaller ones of four": (
        "x = [-1.0, -2.0]\nz = max(concatenate([x, [0.0, 1.0]]))",
        (FLAT, ("z",)), "Every path from 'x' to 'z' is closed: the derivative of 'z' is 0 here.",
    ),
    "the other element": (
        "x = 1.0\nz = stack([x, 2.0])[1]",
        (DISCONNECTED, ()), "No element that 'z' reads is computed from 'x', so no gradient arrives.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", THROUGH_A_STACK)
def test_what_only_puts_elements_together_is_not_to_blame(case):
    """Each derivative of a stack is 1 where it puts the element: what gets 0 there passes 0 on."""
    text, expected, sentence = THROUGH_A_STACK[case]
    found = why(text)
    assert (found.kind, found.at) == expected
    assert found.sentence == sentence


@pytest.mark.parametrize("end", ["max(b)", "max(stack([b, 0.0]))", "maximum(b, 0.0)"])
def test_of_numbers_that_are_equal_in_float16_alone_each_gets_a_part_that_is_lost_later(end):
    """-1e-10 is no number of float16: equal to 0 it gets a half, and 1e-10 of a half is lost at 'a'."""
    text = f"x = -1.0\na = x * 1e-5\nb = a * 1e-5\ny = {end}".replace("max(b)", "max(b * [1.0, 0.0])")
    found = trace(parse(text), dtype="float16")
    assert found.cotangent["b"] == 0.5
    reason = why_zero(found, "x")
    assert (reason.kind, reason.at) == (UNDERFLOW, ("a",))
    assert (
        reason.sentence == "Every path from 'x' to 'y' is closed: float16 leaves 0 of what 'a' passes back."
    )
    assert why_zero(trace(parse(text)), "x").at == ("y",)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize("case", ["a column of 0", "a constant weight of 0", "a squared error with itself"])
def test_a_factor_of_0_is_a_path_in_every_dtype(case, dtype):
    text, expected, _ = ELEMENTS[case]
    found = why_zero(trace(parse(text), dtype=dtype), "x")
    assert [(part.kind, part.count, part.at) for part in found.elements] == expected


@pytest.mark.nightly
def test_only_ops_that_select_elements_by_an_index_have_no_path_to_some():
    """All inputs are 0, so almost every factor is. `first` has no path to what follows its first operand."""
    without = set()
    for op in OPS.values():
        shapes, given = op.examples[0] if op.slots and not op.of_graph else ((), ())
        names = [f"x{i}" for i in range(len(shapes))]
        zeros = {name: np.zeros(shape) for name, shape in zip(names, shapes, strict=True)}
        inputs = [Node(n, INPUT, (), params(shape=zeros[n].shape, seed=0)) for n in names]
        graph = Graph(
            (*inputs, Node("y", op.name, (*names,), params(**dict(given))), Node("z", "sum", ("y",)))
        )
        found = trace(replace(graph, output="z"), zeros) if names else None
        parts = [part for n in names for part in zero_elements(found, n)]
        without |= {op.name for part in parts if part.kind == DISCONNECTED}
    assert without == {"first", "getitem", "at_set", "take", "take_along_axis"}


def test_a_dead_unit_is_mended_where_others_fire():
    found = why("x = [-1.0, 2.0]\nz = sum(relu(x) * 3.0)")
    assert found.mend == "Leak the relu relu_1"
    np.testing.assert_allclose(trace(found.cure).cotangent["x"], [0.03, 3.0], rtol=1e-6)
    assert why("x = [1.0, 2.0, 3.0]\nz = sum(x[1:])").cure is None


@pytest.mark.parametrize("dead", [0, 1, 3, 5])
def test_the_counts_of_dead_units_are_those_of_numpy(dead):
    draws = np.random.default_rng(dead)
    x, w = draws.normal(size=(1, 4)).round(2), draws.normal(size=(4, 8)).round(2)
    w[: dead // 2] = 0.0
    text = f"x = {x.tolist()}\nw = {w.tolist()}\nh = x @ w\nz = sum(relu(h) * 2.0)"
    silent = int((x @ w <= 0).sum())
    assert [(p.kind, p.count) for p in why(text, "h").elements] == [(FLAT, silent)] * bool(silent)
    alive = w[:, (x @ w > 0)[0]]
    unfed = int((alive == 0).all(axis=1).sum())
    found = why(text, "x")
    assert (found.elements[0].count if found else 0) == unfed


@given(scalar_graphs(max_nodes=8), st.data())
@settings(max_examples=8)
def test_each_element_has_the_reason_of_the_scalar_graph_with_its_numbers(graph, data):
    inputs = [node.name for node in graph.nodes if node.op == INPUT]
    numbers = st.sampled_from([-2.5, -0.5, 0.0, 0.25, 1.5])
    drawn = {name: np.array([data.draw(numbers) for _ in range(3)]) for name in inputs}
    whole = trace(graph, drawn)
    parts = [trace(graph, {name: array[i] for name, array in drawn.items()}) for i in range(3)]
    if not all(np.isfinite(part.value[graph.output]) for part in parts):
        return
    for name in inputs:
        reasons = [reason for part in parts if (reason := why_zero(part, name))]
        found = why_zero(whole, name)
        elements = found.elements if found else ()
        assert {part.kind: part.count for part in elements} == Counter(reason.kind for reason in reasons)
        for part in elements:
            blamed = {at for reason in reasons if reason.kind == part.kind for at in reason.at}
            assert {*part.at} == blamed
