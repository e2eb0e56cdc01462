"""Test seeds, inputs in place of the graph's own, dtypes; and the messages about those that do not fit."""

import math

import jax
import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Node, Rule, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import REWRITE
from autodiff_viz.language.parse import parse

LINE = parse("x = 2.0\ny = 3.0 * x")
VECTOR = parse("x = [1.0, 2.0, 3.0]\ny = x * x")


def test_a_scalar_output_has_the_seed_1_and_nothing_to_note():
    found = trace(LINE)
    assert (float(found.seed), found.notes) == (1.0, ())


def test_a_seed_scales_every_cotangent():
    assert float(trace(LINE, seed=-2.5).gradient["x"]) == -7.5


def test_a_vector_output_is_seeded_with_ones_and_the_trace_says_so():
    found = trace(VECTOR)
    np.testing.assert_array_equal(found.gradient["x"], [2.0, 4.0, 6.0])
    (note,) = found.notes
    assert "shape [3]" in note
    assert "gradient of the sum" in note


def test_an_array_seed_picks_a_row_of_the_jacobian():
    found = trace(VECTOR, seed=[0.0, 1.0, 0.0])
    np.testing.assert_array_equal(found.gradient["x"], [0.0, 4.0, 0.0])
    assert found.notes == ()


def test_one_number_is_a_seed_for_every_element():
    np.testing.assert_array_equal(trace(VECTOR, seed=10.0).gradient["x"], [20.0, 40.0, 60.0])


@pytest.mark.parametrize("seed", [[1.0, 2.0], [[1.0, 2.0, 3.0]] * 2, "one"])
def test_a_seed_that_does_not_fit_is_a_problem_at_the_output(seed):
    with pytest.raises(
        GraphError, match=r"The seed does not fit the output 'y', which has shape \[3\]"
    ) as error:
        trace(VECTOR, seed=seed)
    assert [(p.code, p.node) for p in error.value.problems] == [("seed-shape", "y")]


def test_inputs_take_the_place_of_the_graphs_own():
    found = trace(LINE, {"x": 5.0})
    assert (float(found.value["y"]), float(found.inputs["x"])) == (15.0, 5.0)


def test_an_input_may_take_another_shape():
    np.testing.assert_array_equal(trace(LINE, {"x": [1.0, 2.0]}).value["y"], [3.0, 6.0])


def test_an_input_of_another_shape_is_verified_and_counted_in_that_shape():
    found = trace(parse("x = rewrite(1.0, lambda v: 2.0 * v)\ny = sum(softmax(x))"), {"x": [1.0, 2.0]})
    assert verify(found).agrees
    assert found.runs["softmax_1"] == Runs(1, 0, 0)
    assert (2,) in {residual.shape for residual in found.residuals}


def test_an_input_that_the_ops_cannot_take_is_a_problem_at_the_node():
    graph = parse("x = [1.0, 2.0]\ny = x + [1.0, 2.0]")
    with pytest.raises(GraphError, match="cannot take these shapes") as error:
        trace(graph, {"x": [1.0, 2.0, 3.0]})
    assert error.value.problems[0].node == "y"


@pytest.mark.parametrize("name", ["nowhere", "y"])
def test_only_inputs_can_be_set(name):
    with pytest.raises(GraphError, match=f"There is no input '{name}'.\nThe inputs of this graph: x."):
        trace(LINE, {name: 1.0})


@pytest.mark.parametrize("value", ["many", [[1.0], [2.0, 3.0]], object()])
def test_an_input_is_a_number_or_an_array(value):
    with pytest.raises(GraphError, match="value of input 'x' is not a number or an array of numbers"):
        trace(LINE, {"x": value})


def test_an_input_has_a_limit_on_its_size_which_the_message_quotes():
    with pytest.raises(GraphError, match=f"At most {limits.ELEMENTS} elements"):
        trace(LINE, {"x": np.zeros(limits.ELEMENTS + 1)})


def test_a_computed_tensor_has_the_same_limit():
    graph = parse("x = input(shape=(300,), seed=0)\ny = expand_dims(x, axis=1) * x")
    with pytest.raises(GraphError, match=f"90000 elements; at most {limits.ELEMENTS}"):
        trace(graph)


def test_float64_has_float64s_digits():
    graph = parse("x = 1.0\ny = x / 3.0")
    assert float(trace(graph, dtype="float64").value["y"]) == 1 / 3
    assert float(trace(graph).value["y"]) == float(np.float32(1) / np.float32(3))


def test_float64_leaves_jax_as_it_was():
    trace(LINE, dtype="float64")
    assert not jax.config.jax_enable_x64


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "int32", ""])
def test_no_other_dtype(dtype):
    with pytest.raises(ValueError, match="it must be 'float32', 'float64', 'float16' or 'bfloat16'"):
        trace(LINE, dtype=dtype)


def test_a_random_input_is_the_same_draw_in_both_dtypes():
    graph = parse("x = input(shape=(3, 4), seed=5)\ny = sum(x)")
    single, double = trace(graph), trace(graph, dtype="float64")
    np.testing.assert_array_equal(single.value["x"], double.value["x"])


@pytest.mark.parametrize(
    ("graph", "codes"),
    [
        (
            Graph((Node("x", INPUT, (), params(value=1.0)), Node("y", "sin", (None,))), (), "y"),
            {"empty-slot"},
        ),
        (Graph((Node("y", "sin", ("z",)),), (), "y"), {"unknown-node"}),
        (Graph((Node("a", "sin", ("b",)), Node("b", "sin", ("a",))), (), "a"), {"cycle"}),
        (
            Graph((Node("x", INPUT, (), params(value=1.0)), Node("y", "sine", ("x",))), (), "y"),
            {"unknown-op"},
        ),
        (Graph((Node("x", INPUT, (), params(value=1.0)),) * 2, (), "x"), {"duplicate-name"}),
        (Graph((Node("x", INPUT, (), params(value=1.0)), Node("y", "add", ("x",))), (), "y"), {"arity"}),
        (Graph((Node("x", INPUT, (), params(value=1.0)),), (), None), {"no-output"}),
        (Graph((Node("x", INPUT, (), params(value=1.0)),), (), "y"), {"unknown-node"}),
    ],
)
def test_a_graph_that_cannot_run_says_why(graph, codes):
    with pytest.raises(GraphError) as error:
        trace(graph)
    assert codes <= {problem.code for problem in error.value.problems}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("y = rewrite(sum(x), lambda v: [1.0, 2.0])", r"shape \[2\] where \[\] is needed"),
        (
            "y = custom(sum(x), pullback=lambda v, x, y: [1.0, 2.0, 3.0])",
            r"shape \[3\] where \[2\] is needed",
        ),
        ("y = backward_as(sum(x), x)", r"'y' has shape \[\], but its alternative has shape \[2\]"),
    ],
)
def test_a_rule_whose_shapes_do_not_fit_is_a_problem_at_its_node(line, words):
    with pytest.raises(GraphError, match=words) as error:
        trace(parse("x = [1.0, 2.0]\n" + line))
    assert {problem.node for problem in error.value.problems} == {"y"}


def test_every_mistake_is_named_at_once():
    graph = parse("x = [1.0, 2.0]\na = x + [1.0, 2.0, 3.0]\nb = x @ [1.0]\nc = sin(x)")
    with pytest.raises(GraphError) as error:
        trace(graph)
    assert [problem.node for problem in error.value.problems] == ["a", "b"]


DRAWS = {
    "input": lambda seed: Node("w", INPUT, (), params(shape=(2,), seed=seed)),
    "noise": lambda seed: Node("w", "uniform", (), params(shape=(2,), seed=seed)),
    "noise in a rule": lambda seed: Node(
        "w", "exp", (1.0,), (), Rule(REWRITE, Lambda(("v",), (Call("normal", (), params(seed=seed)),)))
    ),
}


@pytest.mark.parametrize("seed", [-1, limits.SEED + 1, 2**40, 1.5, True])
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_seed_out_of_range_is_named_with_its_node_and_the_limit(draw, seed):
    with pytest.raises(GraphError, match=rf"The seed of .* from 0 to {limits.SEED}\.") as caught:
        trace(Graph((draw(seed),), (), "w"))
    assert {problem.node for problem in caught.value.problems} == {"w"}


def test_the_largest_seed_draws():
    graph = Graph((Node("w", "uniform", (), params(seed=limits.SEED)),), (), "w")
    assert 0 <= trace(graph).value["w"] < 1


@pytest.mark.parametrize("low", ["0", math.nan, 2e30, (1.0, 2.0)])
def test_a_range_of_noise_that_is_no_number_is_a_problem(low):
    graph = Graph((Node("w", "uniform", (), params(low=low)),), (), "w")
    with pytest.raises(GraphError, match="The low of 'uniform'"):
        trace(graph)
