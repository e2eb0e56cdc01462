"""Test grad nodes as data: what they read, and what documents and edits make of them."""

import json

from autodiff_viz import from_json, from_link, parse, show, to_json, to_link
from autodiff_viz.graph import edits
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.cuts import graph_segments, idle_cuts
from autodiff_viz.graph.grad_nodes import between, on_ways
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.subgraph import extract

TEXT = """theta = 2.0
x = 1.5
b = 0.5
inner = x * square(theta)
side = sin(x) + b
g = grad(inner, theta)
loss = g * side
"""
GRAPH = parse(TEXT)


def test_the_nodes_between_and_what_they_read():
    """`side` reads x too, but the output of the gradient does not depend on it."""
    running = played(GRAPH)
    found = between(running, running["g"])
    assert [node.name for node in found.nodes] == ["square_1", "inner"]
    assert found.reads == ("x",)
    assert running["g"].slots == ("inner", "theta", "x")
    assert played(running) is running
    assert GRAPH["g"].slots == ("inner", "theta")


def test_what_depends_on_x_behind_a_stop_is_read_and_is_on_the_ways():
    """The stop at `s` closes one of two ways: `t` is a constant of the gradient by x."""
    text = "x = 2.0\nw = 3.0\ns = stop_gradient(square(x))\nt = s * w\nz = t * sin(x)\ng = grad(z, x)"
    running = played(parse(text))
    found = between(running, running["g"])
    assert [node.name for node in found.nodes] == ["sin_1", "z"]
    assert found.reads == ("t",)
    assert on_ways(running, running["g"]) == {"x", "s", "t", "sin_1", "z"}


def test_a_document_and_a_link_have_its_own_two_slots_and_a_newer_version():
    document = json.loads(to_json(played(GRAPH)))
    assert document["autodiff_viz"] == 6
    assert next(node for node in document["nodes"] if node["name"] == "g")["slots"] == ["inner", "theta"]
    assert from_json(to_json(GRAPH)) == from_link(to_link(GRAPH)) == GRAPH
    assert show(played(GRAPH)) == show(GRAPH) == TEXT
    assert json.loads(to_json(parse("x = 1.0\ny = sin(x)")))["autodiff_viz"] == 1


def test_edits_keep_it_wired_or_leave_a_slot_empty():
    renamed = edits.renamed(GRAPH, "theta", "w")
    assert renamed["g"].slots == ("inner", "w")
    for name, slot in (("inner", 0), ("theta", 1)):
        left = edits.without_nodes(GRAPH, [name])
        assert left["g"].slots[slot] is None
        assert ("g", slot) in [(p.node, p.slot) for p in problems(left) if p.code == "empty-slot"]
    assert extract(GRAPH, {"g", "inner"})["g"].slots[0] == "inner"


def test_a_cut_that_only_a_grad_node_runs_again_divides_nothing():
    graph = parse("x = 1.0\nz = cut(sin(x))\ny = z * x\ng = grad(y, x)")
    ((name, why),) = idle_cuts(graph)
    assert name == "z"
    assert "only 'g' differentiates it, and runs it again" in why
    assert [segment.nodes for segment in graph_segments(graph)] == [("g",)]


def test_a_grad_node_is_in_the_segment_of_what_it_reads():
    graph = parse("x = 1.0\nz = cut(sin(x))\ny = z * z\ng = grad(y, z)\nout = g + y")
    assert idle_cuts(graph) == ()
    assert [segment.nodes for segment in graph_segments(graph)] == [("z",), ("y", "g", "out")]


def test_cuts_divide_a_graph_with_one_by_what_it_reads():
    """`g` reads x and w: it runs `c` and `z` again in its own segment, and takes nothing from theirs."""
    graph = parse(
        "x = 1.0\nw = 2.0\nc = cut(sin(w * x))\nz = c * c\ng = grad(z, x)\ne = cut(g * w)\nl = e + z"
    )
    assert [part.nodes for part in graph_segments(graph)] == [("mul_1", "c"), ("g", "e"), ("z", "l")]
    assert [part.inputs for part in graph_segments(graph)] == [("w", "x"), ("x", "w"), ()]
    assert [part.takes for part in graph_segments(graph)] == [(), (), ("c", "e")]


def test_it_stands_in_loops_functions_and_groups():
    text = "x = 1.0\nfor i in range(2):\n    y = x ** 3.0\n    x = x - 0.1 * grad(y, x)\n"
    found = parse(text)
    assert [node.slots for node in found.nodes if node.op == "grad"] == [("y_0", "x"), ("y_1", "x_0")]
