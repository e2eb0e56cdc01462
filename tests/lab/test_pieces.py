"""Test copies, pastes, alignments and arrangements from the canvas."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from autodiff_viz.canvas.cards import pictured, size
from autodiff_viz.canvas.drawing import places
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import order
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show_node
from tests.lab.canvas_steps import after
from tests.strategies import graphs

MANY = """x = 1.0
with checkpoint("r"):
    a = sin(x)
    b = exp(a) * 2.0
z = b + stop_gradient(x)
# positions: x 0 0, a 200 0, b 400 0, exp_1 300 100, z 600 0
"""


def paste(text: str, at=(0, 0)) -> dict:
    return {"kind": "paste", "text": text, "at": list(at)}


def new(lab: Lab, before: Lab) -> set[str]:
    return set(lab.graph.by_name) - set(before.graph.by_name)


def test_a_duplicate_reads_what_the_original_reads():
    lab = after({"kind": "duplicate", "nodes": ["b"], "by": [24, 30]})
    assert lab.graph["b_1"].slots == ("a", "y")
    assert (lab.selected, lab.picked) == ("b_1", ("b_1",))
    assert lab.history.present.label == "Duplicate b"


def test_duplicates_keep_the_wires_among_them_and_stand_as_far_off_as_asked():
    lab = after({"kind": "duplicate", "nodes": ["a", "b"], "by": [24, 30]})
    assert lab.graph["b_1"].slots == ("a_1", "y")
    x, y = places(start().graph).positions["b"]
    assert lab.graph["b_1"].position == (x + 24, y + 30)
    assert (lab.selected, set(lab.picked)) == (None, {"a_1", "b_1"})


def test_nothing_moves_when_something_is_put_in():
    before = places(start().graph).positions
    lab = after({"kind": "duplicate", "nodes": ["a"], "by": [24, 24]}, paste("q = 1.0\nr = sin(q)"))
    now = places(lab.graph).positions
    assert {name: now[name] for name in before} == before


def test_a_pasted_formula_has_its_wires_rules_regions_and_constants():
    lab = after(paste(MANY), text="x = 2.0\ny = cos(x)")
    assert lab.graph["x_1"].param("value") == 1.0
    assert lab.graph["b"].slots == ("exp_1", 2.0)
    assert lab.graph["a"].slots == ("x_1",)
    (region,) = lab.graph.regions
    assert (region.name, region.nodes) == ("r", {"a", "exp_1", "b"})
    assert [node.rule.kind for node in lab.graph.nodes].count(STOP) == 1
    assert lab.graph.output == "y"


def test_a_pasted_name_that_the_text_does_not_assign_is_the_graphs_own_or_nothing():
    lab = after(paste("w = y * 2.0\nv = w + elsewhere"))
    assert lab.graph["w"].slots == ("y", 2.0)
    assert lab.graph["v"].slots == ("w", None)


def test_a_paste_stands_around_the_pointer_with_its_own_distances():
    lab = after(paste(MANY, at=(1000, 500)), text="q = 1.0")
    found = {name: lab.graph[name].position for name in ("x", "a", "z")}
    assert found["a"][0] - found["x"][0] == 200
    assert found["z"][0] - found["x"][0] == 600
    left, right = found["x"][0], found["z"][0] + 128
    assert (left + right) / 2 == pytest.approx(1000, abs=1)


def test_a_second_paste_in_the_same_place_does_not_hide_the_first():
    lab = after(paste("q = 1.0"), paste("q = 1.0"))
    assert lab.graph["q"].position != lab.graph["q_1"].position


@pytest.mark.parametrize("at", [(250, 40), (0, 0), (700, 100)])
def test_a_paste_covers_no_node_that_stands_where_the_user_put_it(at):
    moved = after({"kind": "move", "positions": {"a": [210.0, 30.0]}})
    lab = edited(moved, paste(MANY, at=at))
    stand = places(lab.graph).positions
    boxes = {node.name: (*stand[node.name], *size(node)) for node in lab.graph.nodes}
    covering = [
        (one, other)
        for one in new(lab, moved)
        for other in moved.graph.by_name
        if boxes[one][0] < boxes[other][0] + boxes[other][2]
        and boxes[other][0] < boxes[one][0] + boxes[one][2]
        and boxes[one][1] < boxes[other][1] + boxes[other][3]
        and boxes[other][1] < boxes[one][1] + boxes[one][3]
    ]
    assert len(new(lab, moved)) == 6
    assert covering == []
    assert {name: stand[name] for name in moved.graph.by_name} == places(moved.graph).positions


def test_a_pasted_node_that_reads_a_tensor_has_the_room_of_its_picture():
    graph = after(text="x = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]\nr = relu(x)")
    lab = edited(graph, paste("s = tanh(x)", at=(300, 60)))
    x, y = lab.graph["s"].position
    shapes = pictured(lab.graph)
    assert shapes["s"] == (2, 4)
    width, height = size(lab.graph["s"], (2, 4))
    assert width > size(lab.graph["s"])[0]  # two rows of four numbers beside each other
    for name in ("x", "r"):
        u, v = places(lab.graph).positions[name]
        w, h = size(lab.graph[name], shapes[name])
        assert not (x < u + w and u < x + width and y < v + h and v < y + height), name


def test_json_is_pasted_too():
    lab = after(paste(to_json(parse("q = 1.0\nr = sin(q)"))))
    assert lab.graph["r"].slots == ("q",)


def test_a_paste_is_one_step_of_undo():
    lab = after(paste(MANY))
    assert lab.history.present.label == "Paste 6 nodes"  # the five lines and the stop of z
    assert edited(lab, {"kind": "undo"}).graph == start().graph


def test_what_was_put_in_is_selected_once():
    lab = after(paste("q = 1.0"), {"kind": "rules", "nodes": ["a"], "rule": "stop"})
    assert lab.picked == ()


@pytest.mark.parametrize("kind", ["cut", "delete"])
def test_nodes_that_are_left_stay_where_they_stand(kind):
    lab = after(text="x = 1.0\na = sin(x)\nb = exp(a)\nz = b * a")
    now = edited(lab, {"kind": kind, "nodes": ["a"]})
    assert lab.graph["z"].position is None
    assert {name: places(now.graph).positions[name] for name in "xbz"} == {
        name: pytest.approx(places(lab.graph).positions[name], abs=0.05) for name in "xbz"
    }


def test_cutting_deletes_and_says_so():
    lab = after({"kind": "cut", "nodes": ["a", "b"]})
    assert lab.history.present.label == "Cut 2 nodes"
    assert not {"a", "b"} & set(lab.graph.by_name)


@pytest.mark.parametrize(
    ("how", "label"),
    [
        ("left", "Align 2 nodes left"),
        ("across", "Space 2 nodes evenly across"),
        (None, "Move 2 nodes on the canvas"),
    ],
)
def test_a_move_is_called_by_how_it_was_made(how, label):
    lab = after({"kind": "move", "positions": {"a": [0, 0], "b": [0, 9]}, "how": how})
    assert lab.history.present.label == label


def test_nudges_of_one_node_are_one_step_of_undo():
    nudges = [{"kind": "move", "positions": {"a": [i, 0]}, "how": "nudge"} for i in range(5)]
    lab = after(*nudges)
    assert lab.graph["a"].position == (4, 0)
    assert edited(lab, {"kind": "undo"}).graph == start().graph


def test_a_nudge_of_another_node_is_another_step():
    lab = after(*({"kind": "move", "positions": {name: [1, 0]}, "how": "nudge"} for name in "ab"))
    assert [entry.label for entry in lab.history.entries] == ["Start", "Nudge a", "Nudge b"]


def test_arranging_some_leaves_the_rest_and_stays_around_the_old_middle():
    lab = after(text=MANY)
    spread = edited(lab, {"kind": "move", "positions": {"a": [200, 300], "b": [900, -300]}})
    done = edited(spread, {"kind": "arrange", "nodes": ["a", "exp_1", "b"]})
    assert done.graph["x"].position == (0, 0)
    assert done.graph["z"].position == (600, 0)
    xs = [done.graph[name].position[0] for name in ("a", "exp_1", "b")]
    assert xs == sorted(xs)
    assert (xs[0] + xs[2] + 128) / 2 == pytest.approx((200 + 900 + 128) / 2, abs=1)
    assert done.history.present.label == "Arrange 3 nodes"


REFUSED = [
    paste("hello world"),
    paste("a = sin("),
    paste(""),
    paste("# nothing here"),
    paste('{"autodiff_viz": 99, "nodes": [], "output": null}'),
    paste("{" * 5_000),
    paste("x" * (limits.TEXT + 1)),
    paste("q = 1.0", at=(math.nan, 0)),
    paste("q = 1.0", at=(math.inf, 0)),
    paste("q = 1.0", at=(0,)),
    paste("q = 1.0", at=(10**400, 0)),
    {"kind": "paste", "text": "q = 1.0"},
    {"kind": "paste", "text": ["q = 1.0"], "at": [0, 0]},
    {"kind": "paste", "at": [0, 0]},
    {"kind": "duplicate", "nodes": ["nobody"], "by": [0, 0]},
    {"kind": "duplicate", "nodes": [], "by": [0, 0]},
    {"kind": "duplicate", "nodes": 5, "by": [0, 0]},
    {"kind": "duplicate", "nodes": ["a"], "by": [math.nan, 0]},
    {"kind": "duplicate", "nodes": ["a"], "by": [2 * limits.COORDINATE, 0]},
    {"kind": "duplicate", "nodes": ["a"]},
    {"kind": "cut", "nodes": []},
    {"kind": "cut", "nodes": ["nobody"]},
    {"kind": "cut"},
    {"kind": "move", "positions": {"a": [0, 0]}, "how": "explode"},
    {"kind": "move", "positions": {"a": [0, 0]}, "how": ["left"]},
    {"kind": "jump"},
    {"kind": "jump", "index": "0"},
    {"kind": "jump", "index": True},
    {"kind": "jump", "index": 0.0},
]


@pytest.mark.parametrize("edit", REFUSED, ids=lambda edit: str(edit)[:50])
def test_what_cannot_be_is_refused_with_a_reason_and_changes_nothing(edit):
    lab = edited(start(), edit)
    assert lab.graph == start().graph
    assert lab.history == start().history
    assert lab.notice
    assert all(len(problem.message) < 600 for problem in lab.notice)


def test_a_paste_that_cannot_be_read_says_what_is_wrong_with_it():
    (problem,) = edited(start(), paste("a = 1.0\nb = sinn(a)")).notice
    assert "Nothing was pasted" in problem.message
    assert "Line 2" in problem.message
    assert "sin" in problem.hint


def test_a_paste_over_the_limit_is_refused():
    lines = "\n".join(f"n{i} = 1.0" for i in range(limits.NODES))
    assert "limit" in edited(start(), paste(lines)).notice[0].message


def as_copied(graph: Graph) -> str:
    """The text that a canvas makes of all nodes of a graph without regions: a line for each of them."""
    return "\n".join(f"{node.name} = {show_node(node)}" for node in order(graph))


@settings(max_examples=60)
@given(graphs(regions=False, positions=False, min_nodes=1))
def test_the_lines_of_all_nodes_are_the_graph(graph):
    found = parse(as_copied(graph))
    assert set(found.nodes) == set(graph.nodes)


def test_a_drawing_has_the_line_of_every_node_and_the_head_of_a_region():
    text = 'x = 1.0\nwith checkpoint("r", policy="dots_saveable"):\n    a = sin(exp(x)) * 2.0'
    seen = lab_view(after(text=text)).drawing
    lines = {node["id"]: node["text"] for node in seen["nodes"]}
    assert lines == {"x": "1.0", "exp_1": "exp(x)", "sin_1": "sin(exp_1)", "a": "sin_1 * 2.0"}
    assert seen["regions"][0]["head"] == 'with checkpoint("r", policy="dots_saveable"):'
