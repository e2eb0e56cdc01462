"""Test form fields of a node beside the canvas: each sends an edit, and shows its result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.fields import arguments_said, fields
from autodiff_viz.lab.inspector.node import node_view
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse

REWRITE = "x = 2.0\na = rewrite(sin(x), lambda v: v)"
POOL = "x = input(shape=(1, 4, 4, 1), seed=0)\ny = max_pool(x, window=3)\nz = sum(y)"
NOISE = "u = uniform(low=-1.0, high=3.0, shape=(2,), seed=0)\ny = sum(u)"
DENSE = (
    "x = [[1.0, 2.0]]\nw = parameter(shape=(2, 3), seed=0)\n"
    "b = parameter(shape=(3,), init='zeros', seed=1)\ny = dense(x, w, b)"
)
NAMED = 'x = 2.0\nwith checkpoint("block", policy="save_only_these_names", names=["a"]):\n    a = sin(x)\n'
CHECKPOINT = 'x = 2.0\nwith checkpoint("block"):\n    a = sin(x)\n    b = exp(a)\n'


def lab_of(text: str, selected: str) -> Lab:
    return replace(opened(start(), parse(text), "Open"), selected=selected)


def fields_of(lab: Lab) -> dict[str, dict[str, Any]]:
    view = lab_view(lab)
    return {
        field["id"]: field for field in fields(view.graph, node_view(view.graph, view.trace, lab.selected))
    }


def after(lab: Lab, field: str, value: Any = None) -> Lab:
    """What becomes of the lab when the user sets a field, as the browser sends it."""
    data = fields_of(lab)[field]
    edit = data["edit"] if data["type"] == "button" else {**data["edit"], data.get("as", "value"): value}
    return edited(lab, {**edit, "seq": 1})


def shown(lab: Lab, field: str) -> Any:
    return fields_of(lab)[field]["value"]


@pytest.mark.parametrize(
    ("text", "selected", "field", "value", "says"),
    [
        (REWRITE, "a", "function", "lambda v: 2.0 * v", "lambda v: 2.0 * v"),
        (CHECKPOINT, "a", "policy", "dots_saveable", "dots_saveable"),
        (NOISE, "u", "param_low", "-0.5", "-0.5"),
        (NOISE, "u", "param_low", "-2", "-2.0"),
        (NOISE, "u", "param_low", "-0.0", "-0.0"),
        ("x = [1.0, 2.0]\ny = dropout(x, rate=0.5, seed=0)", "y", "param_seed", "7", "7"),
        (POOL, "y", "param_padding", "SAME", "SAME"),
        ("x = 2.0\ny = sin(x)", "x", "trainable", True, True),
        ("x = 2.0\ny = sin(x)", "x", "numbers", "[1.0, 2.0]", "[1.0, 2.0]"),
        ("x = input(shape=(2,), seed=0)\ny = sin(x)", "x", "shape", "(3, 4)", "(3, 4)"),
        ("x = input(shape=(2,), seed=0)\ny = sin(x)", "x", "seed", "5", "5"),
        ("w = parameter(shape=(2, 3), seed=0)\ny = sin(w)", "w", "init", "zeros", "zeros"),
    ],
)
def test_what_is_set_is_shown_and_is_one_step_of_undo(text, selected, field, value, says):
    lab = lab_of(text, selected)
    now = after(lab, field, value)
    assert (now.notice, shown(now, field)) == ((), says)
    assert now.history.past[-1].graph == lab.graph
    again = after(now, field, value)
    assert again.graph == now.graph


@pytest.mark.parametrize(
    ("text", "selected", "field", "value"),
    [
        (REWRITE, "a", "function", "lambda v: w"),
        (CHECKPOINT, "a", "policy", "whatever"),
        (NOISE, "u", "param_low", "abc"),
        (NOISE, "u", "param_low", "nan"),
        (NOISE, "u", "param_low", "1e999"),
        (NOISE, "u", "param_low", 3),
        ("x = [1.0, 2.0]\ny = dropout(x, rate=0.5, seed=0)", "y", "param_seed", "-1"),
        ("x = [1.0, 2.0]\ny = dropout(x, rate=0.5, seed=0)", "y", "param_seed", "1.5"),
        ("x = 2.0\ny = sin(x)", "x", "trainable", "yes"),
        ("x = 2.0\ny = sin(x)", "x", "numbers", "two"),
        ("x = input(shape=(2,), seed=0)\ny = sin(x)", "x", "shape", "(0,)"),
        ("x = input(shape=(2,), seed=0)\ny = sin(x)", "x", "seed", "-1"),
        ("w = parameter(shape=(2, 3), seed=0)\ny = sin(w)", "w", "init", "anyhow"),
        ("x = [[1.0, 2.0]]\nw = parameter(shape=(2, 3), seed=0)\ny = x @ w", "y", "param_nothing", "1"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(text, selected, field, value):
    lab = lab_of(text, selected)
    if field in fields_of(lab):
        now = after(lab, field, value)
    else:
        now = edited(lab, {"kind": "param", "node": selected, "param": "nothing", "value": value, "seq": 1})
    assert now.graph == lab.graph
    assert now.notice


def test_a_layer_is_given_another_number_of_outputs_and_no_absurd_one():
    lab = lab_of(DENSE, "y")
    assert shown(lab, "units") == "3"
    now = after(lab, "units", "5")
    assert shown(now, "units") == "5"
    assert now.graph["w"].param("shape") == (2, 5)
    for text in ("0", "2.5", "many", "1e9", "5000"):
        assert after(now, "units", text).notice
        assert after(now, "units", text).graph == now.graph


def test_what_a_region_keeps_by_name_is_chosen_beside_its_policy():
    lab = lab_of(CHECKPOINT, "a")
    assert "saved" not in fields_of(lab)
    named = after(lab, "policy", "save_only_these_names")
    assert shown(named, "saved") == ["a", "b"]
    fewer = after(named, "saved", ["b"])
    assert (shown(fewer, "saved"), fewer.graph.regions[0].saved) == (["b"], {"b"})


def test_a_checkpoint_is_removed_by_its_button():
    assert after(lab_of(CHECKPOINT, "a"), "uncheckpoint").graph.regions == ()


def test_a_field_that_answers_after_its_node_has_gone_changes_nothing():
    lab = lab_of(NOISE, "u")
    for kind in ("param", "trainable", "numbers", "shape", "units"):
        value = True if kind == "trainable" else "1.0"
        edit = {"kind": kind, "node": "gone", "param": "low", "value": value, "seq": 1}
        assert edited(lab, edit) is lab


def test_every_field_has_a_name_of_its_own_and_says_what_it_is():
    for text, selected in [(CHECKPOINT, "a"), ("x = input(shape=(2,), seed=0)\ny = sin(x)", "x")]:
        lab = lab_of(text, selected)
        view = lab_view(lab)
        found = fields(view.graph, node_view(view.graph, view.trace, selected))
        assert len({field["id"] for field in found}) == len(found)
        assert all(field["label"] for field in found)


RULED = 'x = 2.0\nwith checkpoint("block"):\n    a = rewrite(sin(x), lambda v: -v)\n    b = exp(a)\n'


def test_each_rule_mute_and_region_of_a_node_has_a_button_that_compares_the_graph_without_it():
    ruled, muted = (
        lab_of(RULED, "a"),
        edited(lab_of(RULED, "b"), {"kind": "mute", "nodes": ["b"], "on": True}),
    )
    for lab, without in (
        (ruled, {"without_rule", "without_region"}),
        (muted, {"without_mute", "without_region"}),
    ):
        assert {name for name in fields_of(lab) if name.startswith("without_")} == without
    assert not [name for name in fields_of(lab_of(RULED, "x")) if name.startswith("without_")]
    for lab, field, formula in (
        (ruled, "without_rule", RULED.replace("rewrite(sin(x), lambda v: -v)", "sin(x)")),
        (ruled, "without_region", RULED.replace('with checkpoint("block"):\n', "").replace("    ", "")),
        (muted, "without_mute", RULED),
    ):
        found = after(lab, field)
        assert found.graph == parse(formula)
        assert found.pinned.graph == lab.graph


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("lambda v: 0.5 * v", "v is the cotangent that arrives."),
        ("lambda v, a, out: v", "v is the cotangent that arrives, a the input, out the value."),
        ("lambda v, x, y, out: (v, v)", "v is the cotangent that arrives, x, y the inputs, out the value."),
        ("0.5", ""),
        ("x", ""),
    ],
)
def test_what_a_rules_function_is_given_is_said_below_it(function, says):
    assert arguments_said(function) == says


def test_the_panel_of_a_rule_says_what_its_function_is_given():
    text = "x = 2.0\na = custom(exp(x), pullback=lambda v, x, out: v)"
    said = fields_of(lab_of(text, "a"))["arguments"]
    assert (said["type"], said["label"]) == (
        "note",
        "v is the cotangent that arrives, x the input, out the value.",
    )


@pytest.mark.parametrize(
    ("text", "selected", "field", "word"),
    [
        ("x = input(shape=(2,), seed=3)\ny = sum(x)", "x", "seed", "draw"),
        (NOISE, "u", "param_seed", "draw"),
        (CHECKPOINT, "a", "policy", "backward pass"),
        (NAMED, "a", "saved", "backward pass"),
    ],
)
def test_a_field_of_a_seed_or_of_what_is_kept_says_what_that_is(text, selected, field, word):
    assert word in fields_of(lab_of(text, selected))[field]["help"]
