"""Test edits from the canvas, one of each kind, and every way in which one can be malformed."""

from __future__ import annotations

import math

import pytest

from autodiff_viz.canvas.drawing import places
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Graph, Node, Region
from autodiff_viz.lab.edits.apply import edited, edited_all
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.lab.canvas_steps import after
from tests.web.written import in_browser

REGION = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\nb = exp(a)'


def test_a_click_selects():
    assert after({"kind": "select", "node": "b"}).selected == "b"


def test_a_click_on_nothing_selects_nothing():
    assert after({"kind": "select", "node": None}).selected is None


def test_selecting_is_no_step_of_undo():
    assert not after({"kind": "select", "node": "b"}).history.can_undo


def test_a_moved_node_stands_where_it_was_put():
    assert after({"kind": "move", "positions": {"x": [12, 34]}}).graph["x"].position == (12, 34)


def test_the_first_move_leaves_every_other_node_where_it_was_drawn():
    lab = after({"kind": "move", "positions": {"x": [12, 34]}})
    assert all(node.position is not None for node in lab.graph.nodes)


def test_arranging_clears_the_position_of_every_node():
    lab = after({"kind": "move", "positions": {"x": [12, 34]}}, {"kind": "arrange"})
    assert all(node.position is None for node in lab.graph.nodes)


def test_a_wire_goes_where_it_was_drawn():
    assert after({"kind": "connect", "from": "x", "to": "b", "slot": 1}).graph["b"].slots == ("a", "x")


def test_a_wire_taken_off_leaves_an_empty_slot():
    assert after({"kind": "disconnect", "to": "b", "slot": 1}).graph["b"].slots == ("a", None)


def test_an_added_op_is_wired_named_placed_and_selected():
    lab = after({"kind": "add", "op": "mul", "position": [5, 6], "wire": {"from": "x", "slot": 0}})
    node = lab.graph["mul_1"]
    assert (node.slots, node.position, lab.selected) == (("x", None), (5, 6), "mul_1")


def test_an_added_op_can_feed_the_slot_that_it_was_asked_for_from():
    lab = after({"kind": "add", "op": "exp", "position": [5, 6], "feeds": {"to": "b", "slot": 1}})
    assert lab.graph["b"].slots == ("a", "exp_2")


def test_an_op_added_between_two_nodes_is_put_into_their_wire_in_one_step():
    edit = {"wire": {"from": "a", "slot": 0}, "feeds": {"to": "b", "slot": 0}}
    lab = after({"kind": "add", "op": "cos", "position": [5, 6], **edit})
    assert (lab.graph["cos_1"].slots, lab.graph["b"].slots) == (("a",), ("cos_1", "y"))
    assert lab.history.present.label == "Insert cos_1 between a and b"
    assert edited(lab, {"kind": "undo"}).graph == start().graph


def test_a_wire_is_stopped_by_a_node_with_that_rule_in_one_step():
    edit = {"wire": {"from": "a", "slot": 0}, "feeds": {"to": "b", "slot": 0}, "rule": "stop"}
    lab = after({"kind": "add", "op": "identity", "position": [5, 6], **edit})
    assert lab.graph["identity_1"].rule.kind == "stop"
    assert lab.history.present.label == "Insert identity_1 between a and b, stop"
    assert edited(lab, {"kind": "undo"}).graph == start().graph


def test_a_node_dropped_on_a_wire_is_put_into_it_in_one_step():
    lab = after(
        {"kind": "add", "op": "mul", "position": [0, 500]},
        {"kind": "constant", "node": "mul_1", "slot": 0, "text": "2"},
    )
    drop = {"kind": "insert", "node": "mul_1", "from": "a", "to": "b", "slot": 0, "position": [70, 80]}
    put = edited(lab, drop)
    assert (put.graph["mul_1"].slots, put.graph["b"].slots) == ((2.0, "a"), ("mul_1", "y"))
    assert put.graph["mul_1"].position == (70, 80)
    assert edited(put, {"kind": "undo"}).graph == lab.graph


def test_the_end_of_a_wire_is_plugged_in_elsewhere_in_one_step():
    lab = after({"kind": "rewire", "from": "a", "oldTo": "b", "oldSlot": 0, "to": "z", "slot": 0})
    assert (lab.graph["b"].slots, lab.graph["z"].slots[0]) == ((None, "y"), "a")
    assert edited(lab, {"kind": "undo"}).graph == start().graph


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "add", "op": "mul", "position": [900, 900], "wire": {"from": "a", "slot": 0}},
        {"kind": "connect", "from": "x", "to": "b", "slot": 1},
        {"kind": "disconnect", "to": "z", "slot": 0},
        {"kind": "delete", "nodes": ["a"]},
        {"kind": "rewire", "from": "a", "oldTo": "b", "oldSlot": 0, "to": "z", "slot": 0},
        {"kind": "constant", "node": "b", "slot": 0, "text": "2.5"},
        {"kind": "rules", "nodes": ["b"], "rule": "backward_as"},
    ],
    ids=lambda edit: edit["kind"],
)
def test_an_edit_leaves_all_other_nodes_where_they_were_drawn(edit):
    before, now = (places(lab.graph).positions for lab in (start(), after(edit)))
    for name in before.keys() & now.keys():
        assert now[name] == pytest.approx(before[name], abs=0.05)


def test_an_added_input_gets_the_next_free_letter():
    lab = after({"kind": "add", "op": "input", "position": [5, 6], "wire": None})
    assert lab.graph["w"].op == "input"  # x, y and z are taken


def test_an_op_that_takes_many_starts_with_two_slots():
    assert after({"kind": "add", "op": "stack", "position": None}).graph["stack_1"].slots == (None, None)


def test_a_deleted_node_with_one_wire_is_healed_over():
    lab = after({"kind": "delete", "nodes": ["a"]})
    assert lab.graph["b"].slots == ("x", "y")
    assert "a" not in lab.graph


def test_everything_can_be_deleted_and_something_added_again():
    names = list(start().graph.by_name)
    lab = after({"kind": "delete", "nodes": names}, {"kind": "add", "op": "input", "position": None})
    assert list(lab.graph.by_name) == ["x"]
    assert lab.graph.output == "x"


def test_a_checkpoint_holds_the_selected_nodes():
    (region,) = after({"kind": "checkpoint", "nodes": ["a", "b"]}).graph.regions
    assert region.nodes == {"a", "b"}


def test_a_checkpoint_can_be_removed():
    assert after({"kind": "uncheckpoint", "region": "r"}, text=REGION).graph.regions == ()


def test_a_region_that_cannot_be_offers_the_smallest_one_as_an_edit():
    (refusal,) = edited(start(), {"seq": 7, "kind": "checkpoint", "nodes": ["a", "z"]}).notice
    assert (refusal.seq, refusal.offer) == (7, "Take b and exp_1 in too")
    (region,) = edited(start(), refusal.edit).graph.regions
    assert region.nodes == {"a", "b", "exp_1", "z"}


def test_a_node_put_into_a_region_is_moved_in_the_same_step():
    lab = opened(start(), parse(REGION), "Open")
    into = {"kind": "regroup", "positions": {"b": [5, 6]}, "join": {"r": ["b"]}, "leave": {}}
    inside = edited(lab, into)
    assert inside.graph.regions[0].nodes == {"a", "b"}
    assert inside.graph["b"].position == (5, 6)
    assert inside.history.present.label == "Move b into r"
    assert inside.history.past[-1] == lab.history.present
    out = edited(inside, {**into, "join": {}, "leave": {"r": ["b"]}})
    assert out.graph.regions == lab.graph.regions
    assert out.history.present.label == "Move b out of r"


def test_a_region_that_cannot_run_is_drawn_with_its_path_and_what_would_mend_it():
    text = 'x = 2.0\nwith checkpoint("r"):\n    a = x * x\nb = a * 1.0\nwith checkpoint("r"):\n    c = a * b'
    lab = opened(start(), parse(text), "Open")
    (region,) = lab_view(lab).drawing["regions"]
    assert (region["path"], region["offer"]) == (["a", "b", "c"], "Take b in too")
    assert edited(lab, region["edit"]).graph.regions[0].nodes == {"a", "b", "c"}


def test_what_would_mend_regions_is_left_out_where_it_would_take_long_and_their_problems_are_not():
    def drawn(count: int) -> list[dict]:
        nodes = tuple(Node(f"n{i}", "sin", (f"n{i - 1}",)) for i in range(1, 4 * count))
        chain = (Node("n0", "input", (), (("value", 1.0),)), *nodes)
        regions = [Region(f"r{i}", frozenset({f"n{4 * i}", f"n{4 * i + 2}"})) for i in range(count)]
        graph = Graph(chain, tuple(regions), chain[-1].name)
        return lab_view(opened(start(), graph, "Open")).drawing["regions"]

    few, many = drawn(10), drawn(64)  # 40 nodes and 10 regions; 256 and 64, so 1,048,576 in all
    assert all(region["problem"] for region in (*few, *many))
    assert all(region.get("offer", "").startswith("Take n") for region in few)
    assert not any("offer" in region for region in many)


def test_policy_names_and_name_of_a_region_come_from_the_canvas():
    names = {"kind": "policy", "region": "r", "policy": "save_only_these_names", "saved": ["a"]}
    lab = after(names, {"kind": "rename_region", "region": "r", "name": " trunk "}, text=REGION)
    (region,) = lab.graph.regions
    assert (region.name, region.policy, region.saved) == ("trunk", "save_only_these_names", {"a"})


def test_nodes_are_muted_in_one_step_and_those_that_cannot_be_are_left_out():
    lab = after({"kind": "mute", "nodes": ["x", "a", "b"], "on": True})
    assert {name for name in lab.graph.by_name if lab.graph[name].muted} == {"a", "b"}
    assert lab.history.present.label == "Mute 2 nodes"
    assert edited(lab, {"kind": "mute", "nodes": ["a", "b"], "on": False}).graph == start().graph


def test_a_refused_mute_advises_a_wire_only_where_one_would_help():
    for node, wired in (("x", False), ("g", False), ("c", True)):
        lab = after(text="x = 2.0\nz = sin(x)\nc = exp(1.0)\ng = grad(z, x)")
        (problem,) = edited(lab, {"kind": "mute", "nodes": [node], "on": True}).notice
        assert ("Wire a node" in problem.hint, problem.node) == (wired, node)


def test_nodes_are_cut_after_in_one_step_and_no_number_changes():
    text = "x = 2.0\na = sin(x)\nb = exp(a)\nz = b * b"
    lab = after({"kind": "cut_after", "nodes": ["x", "a", "b"], "on": True}, text=text)
    assert lab.history.present.label == "Cut after 2 nodes"
    seen = {node["id"]: node for node in lab_view(lab).drawing["nodes"]}
    assert [(n, node["cut"], node.get("segment")) for n, node in seen.items()] == [
        ("x", False, None), ("a", True, 1), ("b", True, 2), ("z", False, 3)]  # fmt: skip
    plain = {node["id"]: node for node in lab_view(after(text=text)).drawing["nodes"]}
    assert all(seen[n]["cotangent"] == plain[n]["cotangent"] for n in seen)
    undone = edited(lab, {"kind": "cut_after", "nodes": ["a"], "on": False})
    assert undone.history.present.label == "Remove the cut after a"


def test_a_cut_that_divides_nothing_is_warned_of_with_the_way_round_it():
    text = "x = 2.0\np = sin(x)\na = exp(p)\nz = a * p"
    view = lab_view(after({"kind": "cut_after", "nodes": ["a"], "on": True}, text=text))
    (node,) = [node for node in view.drawing["nodes"] if node["id"] == "a"]
    assert node["warning"] == "Cut after 'a' divides nothing: another path leads round it, a <- p -> z."


def test_a_muted_node_is_drawn_with_the_numbers_of_an_identity():
    drawing = in_browser(lab_view(after({"kind": "mute", "nodes": ["b"], "on": True})).drawing)
    by_id = {node["id"]: node for node in drawing["nodes"]}
    assert (by_id["b"]["muted"], by_id["b"]["symbol"], by_id["b"]["value"]) == (
        True,
        "\u00d7",
        by_id["a"]["value"],
    )
    passed = {(wire["to"], wire["slot"]): wire["passed"] for wire in drawing["wires"]}
    assert (passed["b", 0], passed["b", 1]) == ("1", "")
    assert not by_id["y"]["connected"]


def test_a_function_comes_from_the_canvas():
    lab = after(
        {"kind": "rules", "nodes": ["a"], "rule": "rewrite"},
        {"kind": "function", "node": "a", "text": "lambda v: 2.0 * v"},
    )
    assert "rewrite(sin(x), lambda v: 2.0 * v)" in show(lab.graph)


def test_a_number_typed_into_a_slot_replaces_the_wire():
    lab = after({"kind": "constant", "node": "b", "slot": 1, "text": "-2.5"})
    assert lab.graph["b"].slots == ("a", -2.5)


def test_a_number_typed_over_an_input_is_its_value():
    lab = after({"kind": "constant", "node": "x", "slot": None, "text": "2.5"})
    assert lab.graph["x"].param("value") == 2.5


def test_a_renamed_node_keeps_its_wires_and_the_selection():
    lab = after({"kind": "select", "node": "a"}, {"kind": "rename", "node": "a", "name": " angle "})
    assert (lab.graph["b"].slots[0], lab.selected) == ("angle", "angle")


def test_another_node_can_be_the_output():
    assert after({"kind": "output", "node": "b"}).graph.output == "b"


def test_undo_and_redo_come_from_the_canvas_too():
    stop = {"kind": "rules", "nodes": ["a"], "rule": "stop"}
    assert after(stop, {"kind": "undo"}).graph == start().graph
    assert after(stop, {"kind": "undo"}, {"kind": "redo"}).graph == after(stop).graph


REFUSED = [
    {"kind": "move", "positions": {"x": [math.nan, 0]}},
    {"kind": "move", "positions": {"x": [0, math.inf]}},
    {"kind": "move", "positions": {"x": [0, 10**400]}},
    {"kind": "move", "positions": {"x": [2 * limits.COORDINATE, 0]}},
    {"kind": "move", "positions": {"nobody": [0, 0]}},
    {"kind": "move", "positions": {"x": [0]}},
    {"kind": "move", "positions": {"x": ["left", "right"]}},
    {"kind": "move", "positions": [["x", 0, 0]]},
    {"kind": "move", "positions": None},
    {"kind": "move"},
    {"kind": "arrange", "nodes": ["nobody"]},
    {"kind": "arrange", "nodes": 5},
    {"kind": "connect", "from": "z", "to": "a", "slot": 0},
    {"kind": "connect", "from": "nobody", "to": "a", "slot": 0},
    {"kind": "connect", "from": "x", "to": "nobody", "slot": 0},
    {"kind": "connect", "from": "x", "to": "b", "slot": 2},
    {"kind": "connect", "from": "x", "to": "b", "slot": -1},
    {"kind": "connect", "from": "x", "to": "b", "slot": math.inf},
    {"kind": "connect", "from": "x", "to": "b", "slot": math.nan},
    {"kind": "connect", "from": "x", "to": "b", "slot": "first"},
    {"kind": "connect", "from": 7, "to": "b", "slot": 0},
    {"kind": "connect", "from": ["x"], "to": "b", "slot": 0},
    {"kind": "connect", "from": "x", "to": "b"},
    {"kind": "disconnect", "to": "b", "slot": None},
    {"kind": "disconnect", "slot": 0},
    {"kind": "add", "op": "launch_missiles", "position": [0, 0]},
    {"kind": "add", "op": "__import__", "position": [0, 0]},
    {"kind": "add", "op": None, "position": [0, 0]},
    {"kind": "add", "op": ["sin"], "position": [0, 0]},
    {"kind": "add", "op": "sin", "position": [math.nan, 0]},
    {"kind": "add", "op": "sin", "position": [0]},
    {"kind": "add", "op": "sin", "position": {"x": 0}},
    {"kind": "add", "op": "sin", "position": [0, 0], "wire": {"from": "nobody", "slot": 0}},
    {"kind": "add", "op": "sin", "position": [0, 0], "wire": {"x": 1}},
    {"kind": "add", "op": "sin", "position": [0, 0], "wire": "x"},
    {"kind": "add", "op": "sin", "position": [0, 0], "wire": {"from": "x", "slot": 1}},
    {"kind": "add", "op": "sin", "position": [0, 0], "wire": {"from": "x"}},
    {"kind": "add", "op": "sin", "position": [0, 0], "feeds": {"to": "nobody", "slot": 0}},
    {"kind": "add", "op": "sin", "position": [0, 0], "feeds": {"to": "b", "slot": 7}},
    {"kind": "add", "op": "sin", "wire": {"from": "x", "slot": 0}, "feeds": {"to": "z", "slot": 0}},
    {"kind": "add", "op": "input", "wire": {"from": "x", "slot": 0}, "feeds": {"to": "a", "slot": 0}},
    {"kind": "add", "op": "sin", "wire": {"from": "z", "slot": 0}, "feeds": {"to": "a", "slot": 0}},
    {"kind": "add"},
    {"kind": "insert", "node": "b", "from": "x", "to": "a", "slot": 0, "position": [0, 0]},
    {"kind": "insert", "node": "z", "from": "x", "to": "b", "slot": 0, "position": [0, 0]},
    {"kind": "insert", "node": "y", "from": "x", "to": "a", "slot": 0, "position": [0, 0]},
    {"kind": "insert", "node": "nobody", "from": "x", "to": "a", "slot": 0, "position": [0, 0]},
    {"kind": "insert", "node": "exp_1", "from": "x", "to": "a", "slot": 0, "position": [0]},
    {"kind": "insert", "node": "exp_1", "from": "x", "to": "a", "slot": 0},
    {"kind": "rewire", "from": "a", "oldTo": "b", "oldSlot": 1, "to": "z", "slot": 0},
    {"kind": "rewire", "from": "b", "oldTo": "z", "oldSlot": 0, "to": "a", "slot": 0},
    {"kind": "rewire", "from": "a", "oldTo": "b", "oldSlot": 0, "to": "z", "slot": 9},
    {"kind": "rewire", "from": "a", "oldTo": "nobody", "oldSlot": 0, "to": "z", "slot": 0},
    {"kind": "rewire", "from": "a", "oldTo": ["b"], "oldSlot": 0, "to": "z", "slot": 0},
    {"kind": "rewire", "from": "a", "to": "z", "slot": 0},
    {"kind": "delete", "nodes": ["nobody"]},
    {"kind": "delete", "nodes": 5},
    {"kind": "delete"},
    {"kind": "rules", "nodes": ["a"], "rule": "explode"},
    {"kind": "rules", "nodes": ["a"], "rule": ["stop"]},
    {"kind": "rules", "nodes": ["nobody"], "rule": "stop"},
    {"kind": "rules", "nodes": ["x"], "rule": "pullback"},
    {"kind": "rules", "nodes": ["x"], "rule": "backward_as"},
    {"kind": "rules", "nodes": ["a"]},
    {"kind": "checkpoint", "nodes": ["nobody"]},
    {"kind": "checkpoint", "nodes": ["x", "z"]},
    {"kind": "checkpoint", "nodes": []},
    {"kind": "checkpoint", "nodes": None},
    {"kind": "uncheckpoint", "region": "nobody"},
    {"kind": "region", "region": "nobody", "nodes": ["a"]},
    {"kind": "regroup", "positions": {"a": [0, 0]}, "join": {"nobody": ["a"]}, "leave": {}},
    {"kind": "regroup", "positions": {"a": [0, 0]}},
    {"kind": "mute", "nodes": ["x"], "on": True},
    {"kind": "mute", "nodes": ["nobody"], "on": True},
    {"kind": "cut_after", "nodes": ["x"], "on": True},
    {"kind": "cut_after", "nodes": ["nobody"], "on": True},
    {"kind": "mute", "nodes": ["a"]},
    {"kind": "policy", "region": "nobody", "policy": "dots_saveable", "saved": []},
    {"kind": "rename_region", "region": "nobody", "name": "b"},
    {"kind": "function", "node": "a", "text": "lambda v: v"},
    {"kind": "function", "node": "nobody", "text": "lambda v: v"},
    {"kind": "uncheckpoint", "region": ["r"]},
    {"kind": "constant", "node": "b", "slot": 0, "text": "x"},
    {"kind": "constant", "node": "b", "slot": 0, "text": "1e999"},
    {"kind": "constant", "node": "b", "slot": 0, "text": "nan"},
    {"kind": "constant", "node": "b", "slot": 0, "text": "__import__('os').system('true')"},
    {"kind": "constant", "node": "b", "slot": 0, "text": "(" * 5_000},
    {"kind": "constant", "node": "b", "slot": 0, "text": "9" * 50_000},
    {"kind": "constant", "node": "b", "slot": 9, "text": "1"},
    {"kind": "constant", "node": "x", "slot": None, "text": "2e30"},
    {"kind": "constant", "node": "a", "slot": None, "text": "1"},
    {"kind": "constant", "node": "nobody", "slot": None, "text": "1"},
    {"kind": "constant", "node": "b", "slot": 0},
    {"kind": "rename", "node": "a", "name": "b"},
    {"kind": "rename", "node": "a", "name": ""},
    {"kind": "rename", "node": "a", "name": "a b"},
    {"kind": "rename", "node": "a", "name": "lambda"},
    {"kind": "rename", "node": "a", "name": "ångström"},
    {"kind": "rename", "node": "a", "name": "a" * 100_000},
    {"kind": "rename", "node": "a", "name": "<img src=x onerror=alert(1)>"},
    {"kind": "rename", "node": "nobody", "name": "c"},
    {"kind": "rename", "node": ["a"], "name": "c"},
    {"kind": "output", "node": "nobody"},
    {"kind": "output", "node": None},
    {"kind": "output"},
    {"kind": "select"},
    {"kind": "select", "node": ["a"]},
]


@pytest.mark.parametrize("edit", REFUSED, ids=lambda edit: str(edit)[:60])
def test_an_edit_that_cannot_be_is_refused_with_a_reason_and_changes_nothing(edit):
    lab = edited(start(), edit)
    assert lab.history == start().history
    assert lab.notice
    assert all(len(problem.message) < 600 for problem in lab.notice)


@pytest.mark.parametrize("kind", [None, 5, [], {}, "", "explode", "__class__"])
def test_an_edit_of_an_unknown_kind_changes_nothing(kind):
    assert edited(start(), {"kind": kind}).graph == start().graph


def test_the_next_good_edit_clears_the_notice():
    lab = edited(start(), {"kind": "delete"})
    assert edited(lab, {"kind": "rules", "nodes": ["a"], "rule": "stop"}).notice == ()


def test_a_refused_cycle_names_the_nodes_round_it():
    (problem,) = edited(start(), {"kind": "connect", "from": "z", "to": "a", "slot": 0}).notice
    assert problem.code == "cycle"
    assert {"a", "z"} <= set(problem.path)


def test_after_every_edit_the_formula_still_says_the_same_graph():
    lab = after(
        {"kind": "add", "op": "mul", "position": [5, 6], "wire": {"from": "x", "slot": 0}},
        {"kind": "connect", "from": "z", "to": "mul_1", "slot": 1},
        {"kind": "checkpoint", "nodes": ["a"]},
        {"kind": "rules", "nodes": ["mul_1"], "rule": "pullback"},
        {"kind": "rename", "node": "x", "name": "t"},
        {"kind": "disconnect", "to": "b", "slot": 0},
    )
    assert parse(show(lab.graph)) == lab.graph


CYCLE = {"seq": 1, "kind": "connect", "from": "z", "to": "a", "slot": 0}
STOP = {"seq": 2, "kind": "rules", "nodes": ["a"], "rule": "stop"}
OUTPUT = {"seq": 3, "kind": "output", "node": "b"}


def refused_numbers(lab) -> list[int | None]:
    return [problem.seq for problem in lab.notice]


def test_a_good_edit_right_after_a_refused_one_leaves_its_reason_to_be_read():
    lab = edited_all(start(), [CYCLE, STOP])
    assert (refused_numbers(lab), lab.graph["a"].rule.kind) == ([1], "stop")
    assert refused_numbers(edited_all(lab, [OUTPUT])) == [1]


def test_a_reason_that_has_been_shown_goes_with_the_next_edit():
    lab = edited_all(start(), [CYCLE, STOP])
    assert edited_all(lab, [OUTPUT], seen={1}).notice == ()


def test_the_next_refusal_takes_the_place_of_the_one_before():
    lab = edited_all(start(), [CYCLE, STOP, {**CYCLE, "seq": 4}, {**OUTPUT, "seq": 5}])
    assert refused_numbers(lab) == [4]
