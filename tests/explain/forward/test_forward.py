"""Test forward mode on the page: numbers on cards, wires and in the panel, and its part of the link."""

from __future__ import annotations

import math
from dataclasses import replace

import jax
import numpy as np
import pytest

from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.history import begin, undo
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.panel import Answers, check_data, node_data
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ui.worker_jobs import check_job
from autodiff_viz.workers.jobs import done_here
from tests.web.written import in_browser


@jax.custom_vjp
def rewritten(x):
    return x


rewritten.defvjp(lambda x: (x, None), lambda _, v: (2.0 * v,))

COS, SIN = math.cos(0.6), math.sin(0.6)  # the first graph: z = y sin x + stop(e^sin x) at (0.6, 1.5)
ON = {"kind": "forward", "on": True}


def shown(lab: Lab) -> dict:
    data = in_browser(lab_drawing(lab, lab_view(lab)))
    nodes = {node["id"]: node for node in data["nodes"]}
    wires = {(wire["to"], wire["slot"]): wire for wire in data.get("wires", ())}
    return {"nodes": nodes, "wires": wires, "says": data.get("forward", {}).get("says")}


def line(terms: list) -> str:
    return "".join(text for text, *_ in terms)


def tangent(lab: Lab, name: str, value: str) -> Lab:
    return edited(lab, {"kind": "tangent", "node": name, "value": value})


def test_while_it_is_off_nothing_is_worked_out_and_nothing_is_sent():
    lab = start()
    view = lab_view(lab)
    assert view.tangents is None
    data = lab_drawing(lab, view)
    assert data["forward"] is None
    sent = [*data["nodes"], *data["wires"]]
    assert not any("tangent" in record or "pushed" in record for record in sent)


def test_cards_and_wires_have_the_tangents_of_the_first_input():
    found = shown(edited(start(), ON))
    numbers = {name: found["nodes"][name]["tangent"] for name in ("x", "y", "a", "b", "exp_1", "z")}
    by_hand = {"x": 1, "y": 0, "a": COS, "b": 1.5 * COS, "exp_1": 0, "z": 1.5 * COS}
    assert numbers == {name: f"{number:.4g}" for name, number in by_hand.items()}
    assert found["wires"]["b", 0]["passed"] == f"{1.5 * COS:.3g}"
    assert found["wires"]["b", 1]["passed"] == "0"
    assert found["wires"]["z", 1]["sign"] == 0  # behind the stop
    assert found["wires"]["b", 0]["reverse"]["passed"] == "1.5"  # what reverse mode passes stays
    assert f"{1.5 * COS:.5g} = ⟨seed, tangent of z⟩: both modes agree." in found["says"]


def test_the_selected_input_moves_and_any_tangent_can_be_set():
    lab = edited(replace(start(), selected="y"), ON)
    assert lab.forward == (("y", 1.0),)
    lab = tangent(lab, "x", "−0.5")
    found = shown(lab)
    assert found["nodes"]["z"]["tangent"] == f"{-0.5 * 1.5 * COS + SIN:.4g}".replace("-", "−")
    assert tangent(lab, "x", "0").forward == (("y", 1.0),)
    refused = tangent(lab, "x", "fast")
    assert refused.forward == lab.forward
    assert refused.notice[0].code == "bad-tangent"
    assert tangent(lab, "a", "1").forward == lab.forward  # no input
    assert edited(lab, {"kind": "forward", "on": False}).forward is None
    assert edited(lab, {"kind": "forward", "on": 1}).notice[0].code == "bad-edit"


def test_it_is_in_the_link_and_survives_undo():
    lab = tangent(edited(start(), ON), "y", "0.25")
    lab = edited(lab, {"kind": "rules", "nodes": ["a"], "rule": "stop"})
    assert from_query(to_query(lab)).forward == (("x", 1.0), ("y", 0.25))
    back = replace(lab, history=undo(lab.history))
    assert back.forward == lab.forward
    assert shown(back)["nodes"]["a"]["tangent"] == f"{COS:.4g}"
    still = tangent(tangent(lab, "x", "0"), "y", "0")
    assert from_query(to_query(still)).forward == ()
    assert "No input moves" in shown(still)["says"]
    query = {**to_query(lab), "forward": "x:1,nowhere:2,a:3,y:fast,:"}
    assert from_query(query).forward == (("x", 1.0),)
    assert from_query(to_query(start())).forward is None
    assert opened(lab, parse("u = 1.0"), "Open").forward is None


def test_a_rule_that_blocks_is_named_with_what_arrives_there():
    text = "x = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\nz = f * 3.0"
    found = shown(edited(replace(start(), history=begin(parse(text))), ON))
    assert (found["nodes"]["f"]["tangent"], found["nodes"]["z"]["tangent"]) == ("blocked", "–")
    expected = (
        "Forward mode is blocked at f: jax.jvp raises a TypeError; a tangent of 1 from x arrives there."
    )
    assert found["says"] == expected


def test_an_unfinished_graph_has_none():
    graph = Graph((*parse("x = 1.0").nodes, Node("y", "sin", (None,))), (), "y")
    found = shown(edited(replace(start(), history=begin(graph)), ON))
    assert found["says"].startswith("Forward mode needs a complete graph")
    assert "tangent" not in found["nodes"]["x"]


def test_the_panel_says_local_times_tangent():
    lab = replace(tangent(edited(start(), ON), "y", "2"), selected="b")
    data = in_browser({"node": node_data(lab, lab_view(lab), Answers())})["node"]
    assert float(data["tangent"]) == pytest.approx(1.5 * COS + 2 * SIN, rel=1e-6)
    terms = [line(wire["pushes"]) for wire in data["wires"]]
    assert terms == [f"1.5 × {COS:.6g} = {1.5 * COS:.6g}", f"{SIN:.6g} × 2 = {2 * SIN:.6g}"]
    assert line(data["added"]) == f"{1.5 * COS:.6g} + {2 * SIN:.6g} = {1.5 * COS + 2 * SIN:.6g}"
    assert all(field["id"] != "tangent" for field in data.get("fields", []))
    at_input = node_data(replace(lab, selected="x"), lab_view(lab), Answers())
    assert at_input["fields"][0]["value"] == "1"
    off = replace(lab, forward=None)
    plain = in_browser({"node": node_data(off, lab_view(off), Answers())})["node"]
    pushes = [wire["pushes"] for wire in plain["wires"]]
    assert (plain["tangent"], line(plain["added"]), pushes) == ("", "", [[], []])


def test_unchanged_tangents_are_not_worked_out_again():
    lab = edited(start(), ON)
    view = lab_view(lab)
    moved = edited(lab, {"kind": "select", "node": "a"})
    assert lab_view(moved, view).tangents is view.tangents
    assert lab_view(tangent(lab, "x", "2"), view).tangents is not view.tangents


BLOCKING = "x = 0.5\ny = rewrite(sin(x), lambda v: 2.0)\nz = y * x"


def checked(lab: Lab) -> dict:
    """What the page says once the check's job is done."""
    view = lab_view(lab)
    told = Answers(done_here(check_job(view)), checks=True)
    return check_data(lab, view, told, details=False)


def test_the_check_confirms_the_tangents_while_forward_mode_is_on():
    assert "forward" not in checked(start())
    found = checked(edited(start(), ON))
    assert (found["state"], found["forward"]["state"]) == ("agrees", "agrees")
    assert "jax.jvp agrees on all 6 tangents" in found["forward"]["says"]  # x, y, a, b, exp_1, z


def test_the_check_says_where_forward_mode_is_blocked_and_where_a_tangent_is_wrong():
    blocked = checked(edited(opened(start(), parse(BLOCKING), ""), ON))
    assert blocked["forward"] == {
        "state": "blocked",
        "says": "Whole-program jax.jvp raises a TypeError: it is blocked at y.",
    }
    view = lab_view(edited(start(), ON))
    honest = view.tangents
    forged = replace(honest, tangent={**honest.tangent, "b": np.float32(9.0)})
    wrong = verification(view.trace, forged).forward
    assert wrong.state == "differs"
    assert "differs in the tangent of 'b'" in wrong.says


def test_the_check_is_keyed_by_the_tangents_of_the_inputs_too():
    on = edited(start(), ON)
    labs = (start(), on, tangent(on, "x", "2"), tangent(on, "y", "1"))
    assert len({check_job(lab_view(lab)).key for lab in labs}) == 4
    again = edited(edited(on, {"kind": "forward", "on": False}), ON)
    assert check_job(lab_view(again)).key == check_job(lab_view(on)).key


def test_a_tensors_card_has_the_heat_maps_of_both_modes():
    lab = edited(opened(start(), parse("x = [[1.0, 2.0], [3.0, 4.0]]\ny = sum(square(x))"), ""), ON)
    heat, numbers = (shown(lab)["nodes"]["x"][name] for name in ("heat", "numbers"))
    assert numbers["tangent"]["numbers"] == [1] * 4  # the tangent of x
    assert numbers["cotangent"]["numbers"] == [2, 4, 6, 8]  # d sum(x^2) / dx = 2x
    assert {"tangent", "cotangent"} <= heat.keys()
    assert "value" not in heat


def test_blocked_nodes_beside_the_output_leave_both_modes_in_agreement():
    """The sentence above the canvas and the check say the same, and the node's card that it is blocked."""
    text = "x = 1.0\na = rewrite(x, lambda v: v * 2.0)\nz = x * 2.0\nreturn z"
    lab = edited(opened(start(), parse(text), "Open"), ON)
    assert "both modes agree" in shown(lab)["says"]
    assert shown(lab)["nodes"]["a"]["tangent"] == "blocked"
    view = lab_view(lab)
    assert verification(view.trace, view.tangents).forward.state == "agrees"


def test_what_blocks_before_a_stop_is_said_beside_the_agreement():
    """z = stop(a) + 2 x moves by 2 whatever the rule of a is; jax.jvp raises at a all the same."""
    text = "x = 1.0\na = rewrite(x, lambda v: v * 2.0)\nz = stop_gradient(a * 1.0) + x * 2.0"
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda x: jax.lax.stop_gradient(rewritten(x)) + 2.0 * x, (1.0,), (1.0,))
    said = shown(edited(opened(start(), parse(text), "Open"), ON))["says"]
    assert "both modes agree. But jax.jvp raises a TypeError at a" in said
