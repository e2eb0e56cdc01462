"""Test documents and links from outside: only what no formula could say is refused, with its place."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from autodiff_viz.engine.trace import trace
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Node, Region, params
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.accepted import exactly
from tests.language.samples import SPECS, automatic
from tests.mutants import packed
from tests.strategies import graphs
from tests.work import lines_run

X = {"name": "x", "op": "input", "params": {"value": [[1.0, 2.0], [3.0, 4.0]]}}


def document(*nodes: dict[str, Any], **rest: Any) -> str:
    return json.dumps({"autodiff_viz": 1, "nodes": nodes, "output": nodes[-1]["name"], **rest})


def node(op: str, slots: Any = ("x",), **rest: Any) -> dict[str, Any]:
    return {"name": "y", "op": op, "slots": slots, **rest}


def refused(text: str) -> Problem:
    with pytest.raises(GraphError) as caught:
        from_json(text)
    with pytest.raises(GraphError):
        from_link(packed(text), limits.JSON)
    return caught.value.problems[0]


@given(graphs(SPECS))
def test_a_graph_survives_json_and_a_link(graph):
    assert exactly(from_json(to_json(graph))) == exactly(graph)
    assert exactly(from_link(to_link(graph))) == exactly(graph)


@given(automatic())
def test_a_graph_with_automatic_names_survives_json(graph):
    assert exactly(from_json(to_json(graph, indent=None))) == exactly(graph)


@pytest.mark.parametrize(
    ("given", "place", "says"),
    [
        ({"shape": [2, 1.0], "seed": 0}, "params.shape", "Found [2, 1.0] where the lengths of the axes"),
        ({"shape": 3, "seed": 0}, "params.shape", "Found 3 where the lengths of the axes"),
        ({"shape": "ab", "seed": 0}, "params.shape", "Found 'ab' where the lengths of the axes"),
        ({"shape": [-2], "seed": 0}, "params.shape", "Found [-2] where the lengths of the axes"),
        ({"shape": [True], "seed": 0}, "params.shape", "Found [true] where the lengths of the axes"),
        ({"shape": [0, 3], "seed": 0}, "params.shape", "an axis that is shorter than 1"),
        ({"shape": [1] * 7, "seed": 0}, "params.shape", "has 7 axes; the limit is 6"),
        ({"shape": [2**20], "seed": 0}, "params.shape", "Found [1048576] where the lengths"),
        ({"shape": [65_536, 2], "seed": 0}, "params.shape", "has 131,072 elements; the limit is 65,536"),
        ({}, "params", "either a value, or a shape"),
        ({"value": 1.0, "shape": [2]}, "params", "either a value, or a shape"),
        ({"value": 1.0, "seed": 3}, "params", "either a value, or a shape"),
        ({"shape": [2], "seed": -1}, "params.seed", "Found -1 where a whole number from 0 to"),
        ({"shape": [2], "seed": False}, "params.seed", "Found False where a whole number from 0 to"),
        ({"shape": [2], "seed": 0, "init": "zeros"}, "params.init", "input has no parameter 'init'"),
        ({"shape": [2], "init": "Zeros", "trainable": True}, "params.init", 'where one of "zeros", "ones"'),
        ({"value": 1.0, "trainable": 1}, "params.trainable", "Found 1 where true or false is needed"),
        ({"value": 1.0, "low": [0.0]}, "params.low", "Found [0.0] where a number"),
        ({"value": 1.0, "axis": 0}, "params.axis", "has no parameter 'axis'"),
    ],
)
def test_an_input_is_held_against_what_inputs_take(given, place, says):
    problem = refused(document({"name": "x", "op": "input", "params": given}))
    assert problem.message.startswith(f"At $.nodes[0].{place}: ")
    assert says in problem.message


@pytest.mark.parametrize(
    ("entries", "place", "says"),
    [
        (node("sum", params={"axis": 0.0}), "params.axis", "Found 0.0 where a whole number, such as 0 or -1"),
        (node("sum", params={"axis": False}), "params.axis", "Found False where a whole number"),
        (node("sum", params={"axis": [0]}), "params.axis", "Found [0] where a whole number"),
        (node("sum", params={"keepdims": 1}), "params.keepdims", "Found 1 where True or False"),
        (node("sum", params={"axes": [0]}), "params.axes", "sum has no parameter 'axes'"),
        (node("getitem", params={"index": 1.5}), "params.index", "Found 1.5 where an index, such as"),
        (node("getitem", params={"index": [[1, 2]]}), "params.index", "Found [[1, 2]] where an index"),
        (node("getitem", params={"index": [[0, 10**9, None]]}), "params.index", "where an index"),
        (node("transpose", params={"axes": [1.0, 0]}), "params.axes", "Found [1.0, 0] where whole numbers"),
        (node("reshape", params={"shape": [-2]}), "params.shape", "Found [-2] where the lengths"),
        (node("broadcast_to", params={"shape": [-1]}), "params.shape", "Found [-1] where the lengths"),
        (node("normal", (), params={"shape": [-1]}), "params.shape", "Found [-1] where the lengths"),
        (node("max_pool", params={"padding": "same"}), "params.padding", "'same' where one of \"VALID\""),
        (node("dropout", params={"seed": 2.0}), "params.seed", "Found 2.0 where a whole number"),
        (node("sin", ()), "slots", "Found 0 where 1 (x) is needed"),
        (node("add", ("x",)), "slots", "Found 1 where 2 (a, b) are needed"),
        (node("stack", ()), "slots", "Found 0 where at least one is needed"),
        (node("backward_as"), "op", "There is no op 'backward_as'"),
        (node("sine"), "op", "There is no op 'sine'"),
        (node("uniform", (), rule={"kind": "backward_as"}), "slots", "differentiated as is missing"),
        (node("sin", rule={"kind": "stop", "args": ["v"], "body": ["v"]}), "rule", "'args' is unknown"),
        (node("sin", rule={"kind": "rewrite"}), "rule", "'args' is missing"),
        (node("sin", rule={"kind": "rewrite", "args": ["if"], "body": [1.0]}), "rule.args[0]", "keeps for"),
        (node("sin", rule={"kind": "rewrite", "args": ["v", "v"], "body": []}), "rule.args", "comes twice"),
        (node("sin", rule={"kind": "rewrite", "args": ["v"], "body": ["w"]}), "rule.body[0]", "no argument"),
    ],
)
def test_a_node_is_held_against_what_its_op_declares(entries, place, says):
    problem = refused(document(X, entries))
    assert problem.message.startswith(f"At $.nodes[1].{place}: ")
    assert says in problem.message


@pytest.mark.parametrize(
    ("term", "place", "says"),
    [
        ({"op": "sine", "args": ["v"]}, "op", "There is no op 'sine'"),
        ({"op": "add", "args": ["v"]}, "args", "Found 1 where 2 (a, b) are needed"),
        ({"op": "input", "args": []}, "op", "There is no op 'input'"),
        ({"op": "sum", "args": ["v"], "params": {"axis": 0.0}}, "params.axis", "Found 0.0 where a whole"),
    ],
)
def test_a_function_is_held_against_what_its_ops_declare(term, place, says):
    rule = {"kind": "rewrite", "args": ["v"], "body": [{"op": "neg", "args": [term]}]}
    problem = refused(document(X, node("sin", rule=rule)))
    assert problem.message.startswith(f"At $.nodes[1].rule.body[0].args[0].{place}: ")
    assert says in problem.message


@pytest.mark.parametrize(
    ("op", "deep"), [("sin", 57), ("concatenate", 28), ("softmax_cross_entropy_with_integer_labels", 30)]
)
def test_a_function_may_be_as_deep_as_a_line_can_say(op, deep):
    def nested(depth: int) -> str:
        term: Any = "v"
        for _ in range(depth):
            term = {"op": op, "args": [term, 1.0] if "labels" in op else [term]}
        return document(X, node("sin", rule={"kind": "rewrite", "args": ["v"], "body": [term]}, cut=True))

    graph = from_json(nested(deep))
    assert exactly(parse(show(graph))) == exactly(graph)
    assert refused(nested(59)).code == "json-limit"


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ({"value": 2.0, "trainable": None}, "x = 2.0"),
        ({"value": 2.0, "trainable": False}, "x = 2.0"),
        ({"value": 2.0, "low": 0, "high": None}, "x = input(2.0, low=0.0)"),
        ({"shape": [2, 3]}, "x = input(shape=(2, 3), seed=0)"),
        ({"shape": [2], "trainable": True, "seed": 4}, "x = parameter(shape=(2,), seed=4)"),
    ],
)
def test_what_an_input_leaves_out_is_what_the_formula_has_by_default(given, same):
    graph = from_json(document({"name": "x", "op": "input", "params": given}))
    assert exactly(graph) == exactly(parse(same)) == exactly(parse(show(graph)))


def test_null_is_a_parameter_that_is_left_out():
    graph = from_json(document(X, node("sum", params={"axis": None})))
    assert exactly(graph) == exactly(parse("x = [[1.0, 2.0], [3.0, 4.0]]\ny = sum(x)"))


@pytest.mark.parametrize("order", [(0.0, 0), (0, 0.0), (False, 0), (0, False)])
def test_a_wrong_axis_spoils_no_right_one_whichever_comes_first(order):
    for axis in order:
        text = document(X, node("sum", params={"axis": axis}))
        if type(axis) is int:
            assert trace(from_json(text)).value["y"].tolist() == [4.0, 6.0]
        else:
            assert refused(text).code == "json-type"


def test_a_whole_number_is_a_number_where_one_is_needed():
    """JAX takes a whole number for one of 32 bits, and this one has a hundred."""
    big = document(node("uniform", (), params={"shape": [2], "low": 0, "high": 10**30}))
    high = from_json(big)["y"].param("high")
    assert (type(high), high) == (float, 1e30)
    assert exactly(parse("y = uniform(shape=(2,), low=0, high=1" + "0" * 30 + ")")) == exactly(from_json(big))
    assert trace(from_json(big)).value["y"].shape == (2,)


def test_an_alternative_has_a_slot_beside_those_that_an_op_may_have():
    text = f"x = 1.0\ny = backward_as(sum(concatenate([{', '.join(['[1.0]'] * 63)}, [2.0]])), x)\nz = y\n"
    text = text.replace("sum(", "(")
    graph = parse(text)
    assert len(graph["y"].slots) == limits.SLOTS + 1
    assert exactly(from_json(to_json(graph))) == exactly(graph)


def test_a_muted_input_is_refused_since_it_has_nothing_to_return():
    problem = refused(document({**X, "muted": True}))
    assert problem.message.startswith("At $.nodes[0].muted: ")


def test_a_region_without_nodes_can_be_sent_as_it_can_be_written():
    graph = parse('x = 1.0\nwith checkpoint("r", policy="dots_saveable"):\n    ...\n')
    assert exactly(from_link(to_link(graph))) == exactly(graph)


@pytest.mark.nightly
def test_a_document_is_refused_whose_formula_is_too_long():
    tensor = [1e15] * limits.ELEMENTS  # 5 characters in the document, and 20 in the formula
    nodes = [{"name": f"x{i}", "op": "input", "params": {"value": tensor}} for i in range(3)]
    text = document(*nodes).replace("1000000000000000.0", "1e15")
    assert "As a formula the graph has" in refused(text).message


@pytest.mark.nightly
def test_a_tensor_of_the_largest_size_can_be_written_with_all_digits():
    numbers = tuple(-1.0 / (3 + i) for i in range(limits.ELEMENTS))
    graph = Graph((Node("x", "input", (), params(value=numbers)),), (), "x")
    assert exactly(parse(show(from_json(to_json(graph, None))))) == exactly(graph)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "slots", [["x", None], ["nobody", "x"]], ids=["empty slots", "wires that lead to nothing"]
)
def test_large_documents_take_linear_work(slots):
    def work(count: int) -> int:
        nodes = [X, *({"name": f"n{i}", "op": "add", "slots": slots} for i in range(count - 1))]
        regions = [{"name": f"r{i}", "nodes": [f"n{j}" for j in range(i, count - 1, 64)]} for i in range(64)]
        text = document(*nodes, regions=regions)

        def read() -> None:
            with suppress(GraphError):
                from_json(text)

        return lines_run(read)

    assert work(2_000) < 3 * work(1_000)  # 2 times were linear, 4 quadratic


def test_of_many_problems_the_first_are_told():
    with pytest.raises(GraphError) as caught:
        from_json(document(X, *({"name": f"n{i}", "op": "sin", "slots": ["nobody"]} for i in range(99))))
    assert len(caught.value.problems) == 50


def test_policies_are_told_by_their_names_and_not_by_their_places(monkeypatch):
    monkeypatch.setattr("autodiff_viz.language.show.POLICIES", (*POLICIES, "a_new_one"))
    nothing_saved = Region("r", frozenset("x"), "save_only_these_names")
    graph = Graph((Node("x", "input", (), params(value=1.0)),), (nothing_saved,), "x")
    assert parse(show(graph)) == graph
