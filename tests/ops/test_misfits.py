"""Test the explanations of shape errors: they name what is there, what is needed and the way out."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import MISFITS


def problem(line: str, **shapes: tuple[int, ...]):
    inputs = "\n".join(f"{name} = input(shape={shape}, seed=0)" for name, shape in shapes.items())
    (found,) = diagnose(parse(f"{inputs}\nz = {line}"))
    assert found.node == "z"
    assert "JAX says" not in found.message
    return found


CASES = [
    ("a + b", {"a": (3,), "b": (4,)}, "a is [3] and b is [4].", "3 where b has 4", "one shape"),
    ("a * b", {"a": (4, 3), "b": (4,)}, "b is [4].", "a has 3 where b has 4", "reshape(b, (4, 1))"),
    ("maximum(a, b)", {"a": (2, 3), "b": (3, 2)}, "b is [3, 2].", "3 where b has 2", "reshape(a, (3, 2))"),
    ("where(c, a, b)", {"c": (2,), "a": (3,), "b": (3,)}, "condition is [2]", "a has 3", "one shape"),
    (
        "a @ b",
        {"a": (2, 3), "b": (4, 5)},
        "b is [4, 5].",
        "a, 3, must be as long as the first of b, 4",
        "[3, 5]",
    ),
    ("a @ b", {"a": (2, 3), "b": (4, 3)}, "b is [4, 3].", "a, 3", "transpose(b)"),
    ("a @ b", {"a": (), "b": (4, 3)}, "a is a number", "vectors or matrices", "*"),
    ("a @ b", {"a": (2, 4, 3), "b": (3, 3, 5)}, "b is [3, 3, 5].", "[2], b has [3]", "leading"),
    ("dot(a, b)", {"a": (3,), "b": (4,)}, "b is [4].", "a, 3", "[3]"),
    ("dense(x, w, b)", {"x": (4, 3), "w": (2, 10), "b": (10,)}, "w is [2, 10]", "x, 3,", "[3, 10]"),
    ("dense(x, w, b)", {"x": (4, 3), "w": (3, 10), "b": (9,)}, "b is [9].", "10 outputs", "[10]"),
    ("dense(x, w, b)", {"x": (), "w": (3, 10), "b": (10,)}, "x is a number", "features", "[batch"),
    (
        "conv2d(x, w, b)",
        {"x": (1, 8, 8, 3), "w": (3, 3, 1, 6), "b": (6,)},
        "w is",
        "x, 3, must",
        "[3, 3, 3, 6]",
    ),
    ("conv2d(x, w, b)", {"x": (1, 8, 8, 3), "w": (3, 3, 3, 6), "b": (3,)}, "b is [3].", "6 outputs", "[6]"),
    ("conv2d(x, w, b)", {"x": (8, 8, 3), "w": (3, 3, 3, 6), "b": (6,)}, "x is [8", "has 3", "(1, 8, 8, 3)"),
    ("conv2d(x, w, b)", {"x": (1, 8, 8, 3), "w": (3, 3), "b": (6,)}, "w is [3, 3]", "4 axes", "[3, 3, 3, 1]"),
    ("conv2d(x, w, b)", {"x": (1, 2, 2, 3), "w": (3, 3, 3, 6), "b": (6,)}, "x is", "[2, 2]", "SAME"),
    ("max_pool(x)", {"x": (16, 16)}, "x is [16, 16].", "4 axes", "Reshape x"),
    ("avg_pool(x, window=5)", {"x": (1, 4, 4, 1)}, "x is", "[5, 5] must not be larger", "smaller"),
    ("flatten(x)", {"x": ()}, "x is a number", "no axes", "batch"),
    ("layer_norm(x, a, b)", {"x": (2, 4), "a": (3,), "b": (4,)}, "scale is [3]", "each of the 4", "[4]"),
    ("batch_norm(x, a, b)", {"x": (4,), "a": (4,), "b": (4,)}, "x is [4]", "batch", "matrix"),
    (
        "mean_squared_error(p, t)",
        {"p": (4, 1), "t": (3, 2)},
        "predictions is",
        "4 where targets has 3",
        "shape",
    ),
    (
        "sigmoid_binary_cross_entropy(p, t)",
        {"p": (4,), "t": (5,)},
        "labels is [5].",
        "4 where labels",
        "shape",
    ),
    (
        "softmax_cross_entropy_with_integer_labels(p, t)",
        {"p": (4, 3), "t": (4, 1)},
        "logits is [4, 3] and labels is [4, 1].",
        "each row of logits: [4]",
        "reshape(labels, (4,))",
    ),
    (
        "reshape(x, shape=(4,))",
        {"x": (2, 3)},
        "x is [2, 3].",
        "6 elements, and the shape [4] takes 4",
        "product",
    ),
    ("reshape(x, shape=(4, -1))", {"x": (2, 3)}, "x is [2, 3].", "parts of 4", "divides"),
    ("broadcast_to(x, shape=(2, 4))", {"x": (3,)}, "x is [3].", "3 meets 4", "a 1"),
    ("broadcast_to(x, shape=(4,))", {"x": (2, 4)}, "x is [2, 4].", "2 axes", "reshape"),
    (
        "concatenate([a, b])",
        {"a": (2, 3), "b": (2, 4)},
        "arrays 1 is [2, 4].",
        "axis 1, arrays 0 has 3",
        "axis 1",
    ),
    ("concatenate([a, b])", {"a": (2, 3), "b": (3,)}, "arrays 1 is [3].", "number of axes", "expand_dims"),
    ("concatenate([a, b])", {"a": (), "b": ()}, "a number", "no axis", "stack"),
    ("concatenate([a, b], axis=2)", {"a": (2, 3), "b": (2, 3)}, "arrays 0", "no axis 2", "axis"),
    ("stack([a, b])", {"a": (3,), "b": (4,)}, "arrays 1 is [4].", "one shape", "concatenate"),
    ("sum(x, axis=2)", {"x": (2, 3)}, "x is [2, 3].", "no axis 2", "axis"),
    ("softmax(x)", {"x": ()}, "x is a number", "no axis -1", "vector"),
    ("expand_dims(x, axis=3)", {"x": (2, 3)}, "x is [2, 3].", "no axis 3", "axis"),
    ("transpose(x, axes=(0, 0))", {"x": (2, 3)}, "x is [2, 3].", "0 to 1", "Leave"),
    ("x.at[5].set(1.0)", {"x": (3,)}, "x is [3]", "axis 0: 0 to 2", "-1"),
    ("x.at[0:2].set(a)", {"x": (3,), "a": (3,)}, "v is [3].", "fill x[0:2], which is [2]", "[2]"),
    ("x.at[0].set(a)", {"x": (3,), "a": (3,)}, "v is [3].", "x[0], which is a number", "a number"),
    ("take(x, k, axis=1)", {"x": (3,), "k": (2,)}, "x is [3]", "no axis 1", "axis"),
    ("take_along_axis(x, k)", {"x": (2, 3), "k": (2,)}, "indices is [2]", "axes as x, 2; it has 1", "take(x"),
    (
        "take_along_axis(x, k)",
        {"x": (2, 3), "k": (3, 1)},
        "x is [2, 3]",
        "on axis 0, x has 2, indices 3",
        "shape",
    ),
    ("at_add(x, k, v)", {"x": (3, 2), "k": (4,), "v": (4,)}, "updates is [4].", "which are [4, 2]", "[4, 2]"),
    ("at_add(x, k, v)", {"x": (3,), "k": (), "v": (4,)}, "updates is [4].", "which are a number", "a number"),
    ("at_add(x, k, v, axis=-1)", {"x": (3,), "k": (), "v": ()}, "x is [3]", "counted from the first", ""),
    ("at_add(x, k, v)", {"x": (), "k": (), "v": ()}, "x is a number", "no axis 0", "vector"),
    ("one_hot(x, num_classes=0)", {"x": (3,)}, "x is [3].", "num_classes is 0", "parameters"),
    ("sort(x)", {"x": ()}, "x is a number", "no axis -1", "vector"),
    ("argmax(x, axis=2)", {"x": (2, 3)}, "x is [2, 3].", "no axis 2", "axis"),
    ("cumsum(x, axis=1)", {"x": (3,)}, "x is [3].", "no axis 1", "axis"),
    ("norm(x, axis=-2)", {"x": (3,)}, "x is [3].", "no axis -2", "axis"),
    ("x[5]", {"x": (3,)}, "x is [3].", "axis 0: 0 to 2", "-1"),
]


@pytest.mark.parametrize(("line", "shapes", "found", "needed", "hint"), CASES)
def test_a_shape_mistake_names_the_slots_what_is_there_what_is_needed_and_the_way_out(
    line, shapes, found, needed, hint
):
    said = problem(line, **shapes)
    assert found in said.message
    assert needed in said.message
    assert hint in said.hint


@pytest.mark.parametrize(
    ("line", "mended", "shapes"),
    [
        ("a * b", "a * reshape(b, (4, 1))", {"a": (4, 3), "b": (4,)}),
        ("a @ b", "a @ transpose(b)", {"a": (2, 3), "b": (4, 3)}),
        (
            "softmax_cross_entropy_with_integer_labels(p, t)",
            "softmax_cross_entropy_with_integer_labels(p, reshape(t, (4,)))",
            {"p": (4, 3), "t": (4, 1)},
        ),
    ],
)
def test_what_the_hint_says_mends_it(line, mended, shapes):
    assert problem(line, **shapes).hint
    inputs = "\n".join(f"{name} = input(shape={shape}, seed=0)" for name, shape in shapes.items())
    assert diagnose(parse(f"{inputs}\nz = {mended}")) == ()


def test_a_slot_with_the_name_of_a_node_that_another_slot_reads_is_told_from_it():
    said = problem("dot(b, a)", a=(2,), b=(3,)).message
    assert "a is [3] and b is [2]." in said
    assert said.endswith("In 'z', a stands for 'b' and b stands for 'a'.")
    assert "stands for" not in problem("dot(a, b)", a=(2,), b=(3,)).message


@pytest.mark.parametrize(
    ("op", "slots"), [("stack", ()), ("concatenate", ()), ("matmul", ("x",)), ("sin", ())]
)
def test_a_node_with_another_number_of_inputs_is_told_so(op, slots):
    """No formula says such a graph; who makes one in Python is answered all the same."""
    nodes = (Node("x", "input", (), (("value", (1.0, 2.0)),)), Node("y", op, slots))
    with pytest.raises(GraphError) as caught:
        trace(Graph(nodes, (), "y"))
    assert [problem.code for problem in caught.value.problems] == ["arity"]


def test_every_explanation_is_of_an_op():
    assert MISFITS.keys() <= OPS.keys()
