"""Test the present graph beside the pinned one: what the page shows, and how the lab keeps both."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import reduce
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.explain.compare.view import SAME_SO_FAR
from autodiff_viz.graph import limits
from autodiff_viz.graph.history import begin, jump
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.lab.actions import redone, set_input, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.figures import twins_data
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.persistence.address import KEPT, divided, from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.state import Lab, formula_text, opened, start
from autodiff_viz.language.parse import parse
from tests.lab.regression import trained
from tests.lab.test_random_edits import EDITS

TD = "w = 0.5\nq = w * 2.0\ntarget = stop_gradient(1.0 + 0.9 * (w * 3.0))\nloss = 0.5 * square(target - q)"
WIRE_STOP = "x = 2.0\ny = x * stop_gradient(x)\nz = sin(y)"


def of(text: str) -> Lab:
    return typed(start(), text)


def did(lab: Lab, *edits: str | dict) -> Lab:
    return reduce(edited, [{"kind": edit} if isinstance(edit, str) else edit for edit in edits], lab)


def without(what: str, name: str) -> dict:
    return {"kind": "without", "what": what, "name": name}


def told(lab: Lab) -> dict:
    return twins_data(lab, lab_view(lab))


def test_without_this_shows_both_and_undo_ends_it():
    lab = did(of(TD), without("rule", "target"))
    found = told(lab)
    assert (found["letter"], found["kind"], found["lit"]) == ("B", "gradients", ["target:1"])
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["w"]["cotangent"] == ["\u22122.7", "0.945"]  # gradient-questions, 2: the sign turns
    assert rows["w"]["value"] == ["0.5", "0.5"]
    assert [row["name"] for row in found["rows"]][-1] == "w"  # the output first
    assert {*rows} & {*found["equal"]} == set()
    assert {*rows} | {*found["equal"]} == {*lab.graph.by_name}
    assert found["lines"] == [
        "-target = stop_gradient(1.0 + 0.9 * (w * 3.0))",
        "+target = 1.0 + 0.9 * (w * 3.0)",
    ]
    assert "part at 'target'" in found["says"]
    back = undone(lab)
    assert (back.graph, back.pinned) == (of(TD).graph, None)
    assert redone(back).pinned == lab.pinned


def test_a_flip_shows_the_other_graph_under_its_own_letter_and_loses_nothing():
    lab = did(of(TD + "\n# mine"), without("rule", "target"))
    there = did(lab, "flip")
    assert (there.graph, told(there)["letter"]) == (lab.pinned.graph, "A")
    assert formula_text(there) == TD + "\n# mine"
    assert told(there)["rows"] == told(lab)["rows"]  # A and B stay A and B
    again = did(there, "flip")
    assert (again.graph, again.pinned) == (lab.graph, lab.pinned)
    for back in (undone(there), undone(undone(again))):
        assert (back.graph, back.pinned, formula_text(back)) == (lab.graph, lab.pinned, formula_text(lab))


def test_the_stop_of_a_wire_lights_the_wire_in_both():
    lab = did(of(WIRE_STOP), "pin")
    lab = typed(lab, WIRE_STOP.replace("stop_gradient(x)", "x"))
    assert told(lab)["lit"] == ["y:1"]  # B has no node there
    assert told(did(lab, "flip"))["lit"] == ["stop_gradient_1:0"]


def test_a_checkpoint_is_equal_in_both_and_says_what_it_costs():
    # gradient-questions, 38: around both sines 6 elements become 3
    lab = of("x = [1.0, 2.0, 3.0]\nwith checkpoint('c'):\n    a = sin(x)\n    b = sin(a)\ny = sum(b)")
    found = told(did(lab, without("region", "c")))
    assert (found["kind"], found["rows"], found["kept"]) == ("equal", [], ["3", "6"])
    assert found["again"] == ["1", "0"]  # cos a, the slope of b, needs a; none needs b
    assert "checkpoint changes no number" in found["says"]


def test_a_long_literal_is_folded_in_the_lines_that_differ():
    numbers = ", ".join(f"[{i}.25]" for i in range(40))
    lab = did(of(f"W = [{numbers}]\nz = stop_gradient(sum(W))"), without("rule", "z"))
    assert told(lab)["lines"] == ["-z = stop_gradient(sum(W))", "+z = sum(W)"]
    lab = did(lab, "unpin", {"kind": "rules", "nodes": ["W"], "rule": "stop"}, without("rule", "W"))
    assert told(lab)["lines"] == ["-W = stop_gradient([\u2026])", "+W = [\u2026]"]


def test_a_mute_is_compared_with_the_node_that_runs():
    lab = did(
        of("x = 2.0\nz = square(x)"), {"kind": "mute", "nodes": ["z"], "on": True}, without("mute", "z")
    )
    rows = {row["name"]: row for row in told(lab)["rows"]}
    assert (rows["z"]["value"], rows["x"]["cotangent"]) == (["2", "4"], ["1", "4"])
    assert told(lab)["kind"] == "values"


def test_frames_that_change_no_number_change_the_lines_that_differ():
    lab = did(of("x = 2.0\ny = sin(x)\nz = cos(y)"), "pin")
    assert told(lab)["lines"] == []
    framed = did(lab, {"kind": "group", "nodes": ["y"]})
    assert framed.graph.groups
    assert any("with group" in line for line in told(framed)["lines"])


@pytest.mark.parametrize("step", [0, 3])
def test_both_have_the_parameters_and_the_noise_of_the_training_step_on_view(step):
    text = "x = [1.0, 2.0, 3.0, 4.0]\nw = parameter(0.5)\nd = dropout(x * w, seed=3)\nz = sum(square(d))"
    found = told(edited(did(trained(of(text), 4), "pin"), {"kind": "step", "step": step, "seq": 1}))
    assert (found["kind"], found["rows"]) == ("equal", [])


def test_nothing_changed_yet_is_said_and_sliders_of_b_leave_a_alone():
    lab = did(of(TD), "pin")
    assert told(lab)["says"] == SAME_SO_FAR
    moved = set_input(lab, "w", 1.0)
    assert moved.pinned.graph["w"].param("value") == 0.5
    assert told(moved)["says"].startswith("Different values: they part at 'w', which is 0.5 in A and 1 in B")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("w = 0.5\ny = w * 2.0", "Not compared: The output of A is 'loss', that of B is 'y'"),
        ("v = 0.5\nloss = v * 2.0", "Not compared: No input is in both"),
    ],
)
def test_what_cannot_be_compared_is_said(text, says):
    found = told(typed(did(of(TD), "pin"), text))
    assert found["kind"] == "waits"
    assert found["says"].startswith(says)


def test_an_unfinished_graph_waits_and_so_does_one_that_cannot_run():
    lab = did(of(TD), "pin", {"kind": "disconnect", "to": "loss", "slot": 1})
    assert (told(lab)["kind"], told(lab)["says"]) == ("waits", "B is unfinished: not compared yet.")
    assert told(did(lab, "flip"))["says"].startswith("B cannot run: ")


def test_what_is_pinned_stays_while_another_document_is_opened_and_unpinning_keeps_the_present_one():
    lab = opened(did(of(TD), "pin"), parse(TD.replace("stop_gradient", "")), "Open a formula")
    assert told(lab)["kind"] == "gradients"
    alone = did(lab, "unpin")
    assert (alone.graph, alone.pinned, twins_data(alone, lab_view(alone))) == (lab.graph, None, None)


def test_nothing_pinned_sends_nothing():
    lab = of(TD)
    assert lab_drawing(lab, lab_view(lab))["twins"] is None
    assert did(lab, "flip", "unpin") == lab


@pytest.mark.parametrize("edit", [without("rule", "no"), without("region", "no"), without("mute", "no")])
def test_what_is_not_there_cannot_be_left_out(edit):
    lab = did(of(TD), edit)
    assert lab.notice
    assert lab.pinned is None


# Kept: in the link, in the history that the browser keeps, and for what is too large for a link


@pytest.mark.parametrize(
    "edits", [("pin",), (without("rule", "target"),), (without("rule", "target"), "flip")]
)
def test_the_link_holds_both(edits):
    lab = did(of(TD + "\n# mine"), *edits)
    back = from_query(to_query(lab))
    assert (back.graph, back.pinned, formula_text(back)) == (lab.graph, lab.pinned, formula_text(lab))
    assert did(back, "flip").graph == lab.pinned.graph


def test_a_damaged_second_graph_leaves_the_first_and_says_why():
    query = to_query(did(of(TD), "pin"))
    back = from_query({**query, "a": query["a"][:-9]})
    assert (back.graph, back.pinned) == (of(TD).graph, None)
    assert back.notice


def large(seed: int, size: int) -> Graph:
    """A graph whose link has many characters."""
    draws = random.Random(seed)
    value = tuple(draws.random() for _ in range(size))
    return Graph((Node("x", "input", (), params(value=value)), Node("z", "sum", ("x",))), (), "z")


def test_of_two_graphs_that_do_not_both_fit_the_link_holds_the_one_on_view():
    lab = Lab(begin(large(1, 3_000)))
    lab = replace(did(lab, "pin"), ranges=())
    lab = opened(lab, large(2, 3_000), "Other")
    query, rest = divided(lab)
    assert len(urlencode(query)) <= limits.LINK
    assert {*rest} == {"a"}
    assert KEPT in query
    alone = from_query(query)
    assert (alone.graph, alone.pinned, alone.notice) == (lab.graph, None, ())
    restored = edited(alone, {"kind": "restored", "query": {**query, **rest}})
    assert restored.pinned == lab.pinned
    moved = edited(alone, {"kind": "mute", "nodes": ["z"], "on": True})
    assert edited(moved, {"kind": "restored", "query": {**query, **rest}}).pinned is None  # too late


PINNING = st.sampled_from([{"kind": "pin"}, {"kind": "flip"}, {"kind": "unpin"}, without("rule", "exp_1")])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(EDITS, PINNING, PINNING), max_size=12), st.integers(0, 12))
def test_a_reload_brings_back_what_was_pinned_at_each_step(edits, index):
    lab = reduce(edited, edits, start())
    lab = replace(lab, history=jump(lab.history, min(index, len(lab.history.entries) - 1)))
    edit = {"seq": 1, "kind": "kept", "trail": json.loads(json.dumps(trail(lab.history).data)), "link": None}
    back = edited(from_query(to_query(lab)), edit)
    assert [entry.pinned for entry in back.history.entries] == [e.pinned for e in lab.history.entries]
    assert [entry.label for entry in back.history.entries] == [e.label for e in lab.history.entries]
