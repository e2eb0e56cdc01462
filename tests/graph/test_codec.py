"""Test JSON documents: what is written is read again, and nothing else is."""

import json
from dataclasses import replace

import pytest
from hypothesis import given

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import VERSION, _no_twins, decoded, to_json
from autodiff_viz.graph.model import Graph, Group, Lambda, Node, Rule, params
from autodiff_viz.graph.problem import GraphError
from tests.strategies import graphs

X = Node("x", "input", (), params(value=2.0))
GRAPH = Graph((X, Node("y", "sin", ("x",))), (), "y")


def refused(text: str) -> str:
    with pytest.raises(GraphError) as caught:
        decoded(text)
    return caught.value.problems[0].code


def changed(**entries: object) -> str:
    return json.dumps({**json.loads(to_json(GRAPH)), **entries})


@given(graphs())
def test_a_graph_survives_json(graph):
    assert decoded(to_json(graph)) == graph
    assert decoded(to_json(graph, indent=None)) == graph


def test_the_document_is_the_one_in_the_file_format():
    node = {"name": "x", "op": "input", "params": {"value": [[1.0, 2.0]]}, "position": [0.0, 40.0]}
    document = {"autodiff_viz": 1, "nodes": [node], "output": "x"}
    graph = Graph((Node("x", "input", (), params(value=((1.0, 2.0),)), position=(0.0, 40.0)),), (), "x")
    assert decoded(json.dumps(document)) == graph
    assert json.loads(to_json(graph)) == document


def test_whole_and_broken_numbers_stay_what_they_are():
    graph = Graph((Node("x", "input", (), params(value=1, low=-5.0)),), (), "x")
    back = decoded(to_json(graph))["x"]
    assert (type(back.param("value")), type(back.param("low"))) == (int, float)


def test_an_unfinished_graph_is_read():
    graph = Graph((Node("a", "add", (1.0, None)), Node("b", "sin", ("a",))), (), "b")
    assert decoded(to_json(graph)) == graph


def test_a_cycle_is_refused_since_no_formula_can_say_it():
    loop = Graph((Node("a", "add", ("b", None)), Node("b", "sin", ("a",))), (), "b")
    assert refused(to_json(loop)) == "json-cycle"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "json-syntax"),
        (to_json(GRAPH)[:-5], "json-syntax"),
        ("[" * 100_000, "json-limit"),
        ("[" * 5_000 + "]" * 5_000, "json-limit"),
        (" " * (limits.JSON + 1), "json-limit"),
        ("9" * 10_000, "json-number"),
        ("[]", "json-type"),
        ("{}", "json-missing-key"),
        ('{"autodiff_viz": 1, "autodiff_viz": 1}', "json-duplicate-key"),
        (changed(autodiff_viz=VERSION + 1), "json-version"),
        (changed(autodiff_viz=True), "json-type"),
        (changed(extra=1), "json-unknown-key"),
        (changed(nodes={}), "json-type"),
        (changed(output=3), "json-type"),
        (changed(output="gone"), "json-unknown-node"),
        (changed(output=None), "json-no-output"),
        (changed(nodes=[{"name": "x", "op": "input"}] * 2, output="x"), "json-duplicate-name"),
        (changed(nodes=[{"name": "x"}] * (limits.NODES + 1)), "json-limit"),
        (changed(regions=[{"name": "r", "nodes": ["gone"]}]), "json-unknown-node"),
        (changed(regions=[{"name": "r", "nodes": ["x"], "policy": "all"}]), "json-type"),
        (changed(groups=[{"name": "g", "nodes": ["gone"]}]), "json-unknown-node"),
        (changed(groups=[{"name": "g", "nodes": []}]), "json-empty-group"),
        (changed(groups=[{"name": "g", "nodes": ["x"]}] * 2), "json-duplicate-name"),
        (changed(groups=[{"name": "g", "nodes": ["x"], "copies": 2}]), "json-unknown-key"),
        (changed(groups=[{"name": "g/h", "nodes": ["x"]}]), "json-bad-name"),
        (changed(groups=[{"name": f"g{i}", "nodes": ["x"]} for i in range(65)]), "json-limit"),
        (changed(groups=[{"name": f"g{i}", "nodes": ["x"]} for i in range(7)]), "json-too-deep"),
    ],
)
def test_a_document_that_is_no_graph_is_refused(text, code):
    assert refused(text) == code


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ({"name": "__import__"}, "json-bad-name"),
        ({"name": "été"}, "json-bad-name"),
        ({"name": "\ud800"}, "json-bad-name"),
        ({"name": "n" * (limits.NAME + 1)}, "json-bad-name"),
        ({"op": "os.system"}, "json-bad-op"),
        ({"slots": ["gone"]}, "json-unknown-node"),
        ({"slots": [True]}, "json-type"),
        ({"slots": [{}]}, "json-type"),
        ({"slots": [[1, [2]]]}, "json-number"),
        ({"slots": [[]]}, "json-number"),
        ({"slots": [1e31]}, "json-number"),
        ({"slots": [float("nan")]}, "json-number"),
        ({"slots": [[[[[[[[[[1]]]]]]]]]]}, "json-limit"),
        ({"slots": [1] * (limits.SLOTS + 1)}, "json-limit"),
        ({"params": {"value": [0] * (limits.ELEMENTS + 1)}}, "json-limit"),
        ({"params": {"value": "text"}}, "json-bad-literal"),
        ({"params": {"axis": {}}}, "json-type"),
        ({"params": {"axis": [float("inf")]}}, "json-number"),
        ({"params": {"k" * 70: 1}}, "json-limit"),
        ({"position": [1]}, "json-limit"),
        ({"position": [1e7, 0]}, "json-bad-position"),
        ({"position": ["left", 0]}, "json-type"),
        ({"rule": "stop"}, "json-type"),
        ({"rule": {"kind": "skip"}}, "json-type"),
        ({"rule": {"kind": "rewrite", "args": ["v"]}}, "json-missing-key"),
        ({"rule": {"kind": "rewrite", "args": ["v"], "body": [{"op": "sin"}]}}, "json-missing-key"),
    ],
)
def test_a_node_that_is_none_is_refused(entries, code):
    node = {"name": "x", "op": "sin"} | entries
    assert refused(changed(nodes=[node], output=node["name"])) == code


class Key(str):
    """A key that counts how often keys are compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_a_key_that_comes_twice_is_found_without_comparing_each_with_all():
    keys = [*map(str, range(1_000)), "z", "z"]
    with pytest.raises(GraphError, match="The key 'z' comes twice"):
        _no_twins([(Key(key), 0) for key in keys])
    assert Key.compared < 3 * len(keys)


def test_a_function_that_is_too_deep_is_refused():
    term = "v"
    for _ in range(limits.LAMBDA_TERMS + 1):
        term = {"op": "sin", "args": [term]}
    rule = {"kind": "rewrite", "args": ["v"], "body": [term]}
    assert refused(changed(nodes=[{"name": "x", "op": "input", "rule": rule}], output="x")) == "json-limit"


def test_a_function_that_is_too_long_is_refused():
    body = [{"op": "add", "args": ["v"] * 64, "params": {}}] * 4
    rule = {"kind": "rewrite", "args": ["v"], "body": [{"op": "add", "args": body}]}
    assert "json-lambda-too-long" in refused(
        changed(nodes=[{"name": "x", "op": "input", "rule": rule}], output="x")
    )


def test_the_message_says_where():
    with pytest.raises(GraphError, match=r"^At \$\.nodes\[0\]\.slots\[0\]: Found True where a number"):
        decoded(changed(nodes=[{"name": "x", "op": "sin", "slots": [True]}], output="x"))


def test_a_rule_with_its_function_is_one_object():
    rule = Rule("rewrite", Lambda(("v",), (0.5,)))
    graph = Graph((Node("x", "input", (), params(value=1.0), rule),), (), "x")
    written = json.loads(to_json(graph))["nodes"][0]["rule"]
    assert written == {"kind": "rewrite", "args": ["v"], "body": [0.5]}


def test_a_document_says_the_oldest_version_that_can_hold_its_graph():
    graph = Graph((Node("x", "input", (), (("value", 1.0),)), Node("y", "sin", ("x",))), (), "y")
    assert json.loads(to_json(graph))["autodiff_viz"] == 1
    muted = replace(graph, nodes=(graph.nodes[0], replace(graph.nodes[1], muted=True)))
    assert json.loads(to_json(muted))["autodiff_viz"] == 2
    assert decoded(to_json(muted)) == muted
    assert refused(to_json(muted).replace("true", "1")) == "json-type"


def test_only_a_document_with_groups_has_the_version_for_groups():
    node = {"name": "x", "op": "input", "params": {"value": 2.0}}
    group = {"name": "layer 1", "nodes": ["x"]}
    document = {"autodiff_viz": 3, "nodes": [node], "groups": [group], "output": "x"}
    graph = Graph((X,), (), "x", (Group("layer 1", frozenset("x")),))
    assert json.loads(to_json(graph)) == document
    assert decoded(json.dumps(document)) == graph
    assert json.loads(to_json(replace(graph, groups=())))["autodiff_viz"] == 1


def test_only_a_document_with_branches_has_the_version_for_branches():
    node = {"name": "x", "op": "input", "params": {"value": 2.0}}
    group = {"name": "gate", "nodes": ["x"], "branches": True}
    document = {"autodiff_viz": 4, "nodes": [node], "groups": [group], "output": "x"}
    graph = Graph((X,), (), "x", (Group("gate", frozenset("x"), branches=True),))
    assert json.loads(to_json(graph)) == document
    assert decoded(json.dumps(document)) == graph
    assert refused(json.dumps(document).replace("true", "3")) == "json-type"


def test_only_a_document_with_cuts_has_the_version_for_cuts():
    cut = replace(GRAPH, nodes=(X, replace(GRAPH["y"], cut=True)))
    nodes = [
        {"name": "x", "op": "input", "params": {"value": 2.0}},
        {"name": "y", "op": "sin", "slots": ["x"], "cut": True},
    ]
    assert json.loads(to_json(cut)) == {"autodiff_viz": 4, "nodes": nodes, "output": "y"}
    assert decoded(to_json(cut)) == cut
    assert json.loads(to_json(GRAPH))["autodiff_viz"] == 1


def test_a_cut_at_an_input_is_refused():
    assert refused(changed(nodes=[{"name": "x", "op": "input", "cut": True}], output="x")) == "json-bad-cut"


def test_groups_that_cut_through_each_other_are_read_as_unfinished():
    groups = (Group("g", frozenset("xy")), Group("h", frozenset("yz")))
    graph = Graph((*GRAPH.nodes, Node("z", "sin", ("y",))), (), "z", groups)
    assert decoded(to_json(graph)) == graph
