"""Test minimal edits of a formula text: what the graph leaves unchanged stays as it was written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import edits
from autodiff_viz.graph.edits import with_frames, with_group
from autodiff_viz.graph.model import Graph, Group, Node, Region, Rule
from autodiff_viz.language.amend import amended
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.strategies import graphs, with_groups, with_regions

TEXT = """# A fork.
x = 0.6   # radians

a = sin( x )
with checkpoint("r"):
    b = (a * 2.0) + exp(a)  # two uses of a
"""


def edit(action, *arguments) -> str | None:
    return amended(TEXT, action(parse(TEXT), *arguments))


def test_a_text_that_says_the_graph_stays_as_it_is():
    assert amended(TEXT, parse(TEXT)) == TEXT


def test_a_moved_node_changes_nothing_in_the_text():
    assert edit(edits.with_positions, {"a": (10.0, 20.0)}) == TEXT


def test_a_number_changes_where_it_stands():
    assert edit(edits.with_param, "x", "value", 0.75) == TEXT.replace("0.6", "0.75")


def test_a_rule_is_put_round_its_line():
    expected = TEXT.replace("a = sin( x )", "a = stop_gradient(sin(x))")
    assert edit(edits.with_rule, "a", Rule("stop")) == expected


def test_a_rule_is_put_round_a_step_inside_an_expression():
    expected = TEXT.replace("exp(a)", "stop_gradient(exp(a))")
    assert edit(edits.with_rule, "exp_1", Rule("stop")) == expected


def test_a_change_within_a_changed_line_is_written_once():
    graph = edits.with_rule(parse(TEXT), "mul_1", Rule("stop"))
    found = amended(TEXT, edits.with_rule(graph, "b", Rule("stop")))
    assert found is not None
    assert parse(found) == edits.with_rule(graph, "b", Rule("stop"))
    assert "# two uses of a" in found


@pytest.mark.parametrize(
    "graph",
    [
        edits.with_output(parse(TEXT), "a"),
        Graph(),
    ],
    ids=["output", "empty"],
)
def test_where_more_than_a_piece_changes_there_is_no_text(graph):
    assert amended(TEXT, graph) is None


def test_lines_of_removed_nodes_go_and_the_others_stay():
    found = edit(edits.without_nodes, ["a"])
    assert found == TEXT.replace("a = sin( x )\n", "").replace("(a * 2.0) + exp(a)", "(x * 2.0) + exp(x)")


def test_a_new_name_is_written_in_every_place():
    found = edit(edits.renamed, "a", "c")
    assert found == TEXT.replace("a = sin( x )", "c = sin(x)").replace(
        "(a * 2.0) + exp(a)", "(c * 2.0) + exp(c)"
    )


LOOP = """# Three steps.
x = 1.0  # begins here
w = 0.5
def block(h):
    return w * h  # a step
for i in range(3):
    x = block(x)
y = square(x)
# done
"""


def looped(*new: Node, output: str = "y", **changed: Node) -> str | None:
    graph = parse(LOOP)
    nodes = (changed.get(node.name, node) for node in graph.nodes)
    return amended(LOOP, replace(graph, nodes=(*nodes, *new), output=output))


def test_a_new_node_gets_a_line_and_loops_and_functions_stay():
    assert looped(Node("q", "sin", ("y",)), output="q") == LOOP + "q = sin(y)\n"


def test_a_new_node_that_is_read_above_the_end_stands_before_its_reader():
    found = looped(Node("q", "sin", ("x_2",)), y=Node("y", "square", ("q",)))
    assert found == LOOP.replace("y = square(x)", "q = sin(x_2)\ny = square(q)")


def test_a_new_node_without_a_name_of_its_own_is_written_where_it_is_read():
    text = "x = 2.0  # here\ny = sin(x) * 3.0\n"
    graph = parse(text)
    between = replace(graph["y"], slots=("tanh_1", 3.0))
    nodes = tuple(between if node.name == between.name else node for node in graph.nodes)
    after = replace(graph, nodes=(*nodes, Node("tanh_1", "tanh", ("sin_1",))))
    assert amended(text, after) == "x = 2.0  # here\ny = tanh(sin(x)) * 3.0\n"


def test_a_new_node_beside_the_output_leaves_the_output():
    assert looped(Node("q", "exp", ("w",))) == LOOP + "q = exp(w)\nreturn y\n"


def test_a_removed_node_leaves_the_loop():
    graph = edits.without_nodes(parse(LOOP), ["y"])
    assert amended(LOOP, edits.with_output(graph, "x_2")) == LOOP.replace("y = square(x)\n", "")


def test_a_number_changes_beside_a_loop_and_not_in_one_of_its_steps():
    assert amended(LOOP, edits.with_param(parse(LOOP), "w", "value", 0.25)) == LOOP.replace("0.5", "0.25")
    assert amended(LOOP, edits.with_rule(parse(LOOP), "x_1", Rule("stop"))) is None


def test_frames_round_a_loop_write_it_out():
    assert amended(LOOP, with_group(parse(LOOP), Group("g", frozenset("y")))) is None


def test_a_text_with_mistakes_is_no_text_of_any_graph():
    assert amended("y = sin(", parse(TEXT)) is None


NOTES = """# A fork.
x = 0.6   # radians

# what it becomes
a = sin(
    x
)
with checkpoint("r"):  # twice
    b = (a * 2.0) + exp(a)  # two uses of a

c = cos(x)
z = b + c
"""


def test_lines_put_into_a_group_keep_their_comments():
    assert amended(NOTES, with_group(parse(NOTES), Group("g", frozenset("a")))) == NOTES.replace(
        "# what it becomes\na = sin(\n    x\n)\n",
        'with group("g"):\n    # what it becomes\n    a = sin(\n        x\n    )\n',
    )


def test_a_block_goes_into_a_group_with_its_head_as_it_is():
    graph = with_group(parse(NOTES), Group("g", parse(NOTES).regions[0].nodes))
    assert amended(NOTES, graph) == NOTES.replace(
        'with checkpoint("r"):  # twice\n    b =',
        'with group("g"):\n    with checkpoint("r"):  # twice\n        b =',
    )


def test_lines_come_out_of_a_block_that_goes():
    found = amended(NOTES, edits.without_region(parse(NOTES), "r"))
    assert found == NOTES.replace('with checkpoint("r"):  # twice\n    b', "b")


def test_lines_of_one_group_come_together():
    found = amended(NOTES, with_group(parse(NOTES), Group("g", frozenset("ac"))))
    assert found is not None
    assert found.count("with group") == 1
    assert all(note in found for note in ("# A fork.", "# radians", "# what it becomes", "# twice"))


def test_a_line_of_which_a_step_alone_is_in_a_group_is_written_anew():
    assert amended(NOTES, with_group(parse(NOTES), Group("g", frozenset({"exp_1"})))) is None


@given(graphs(empty=False), st.data())
def test_other_blocks_are_said_by_the_same_lines(graph, data):
    text = show(graph)
    bare = replace(graph, regions=(), groups=())
    other = data.draw(with_groups(data.draw(with_regions(bare)))) if graph.nodes else graph
    found = amended(text, other)
    assert found is None or parse(found, other) == other


def test_a_region_and_a_number_change_at_once():
    graph = edits.with_param(parse(NOTES), "x", "value", 0.75)
    graph = with_frames(graph, [Region("r", frozenset({"c"}))], [])
    found = amended(NOTES, graph)
    assert found is not None
    assert "x = 0.75   # radians" in found
    assert parse(found) == graph
