"""Test random sequences of everything a user can do to a lab."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from autodiff_viz.graph.check import problems
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import RULE_KINDS
from autodiff_viz.lab import actions
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.messages.edits import KINDS
from autodiff_viz.ops.catalog import OPS

NAMES = st.sampled_from(["x", "y", "a", "b", "z", "exp_1", "sin_1", "mul_1", "w", "nobody"])
REGIONS = st.sampled_from(["block_1", "block_2", "block 3"])
SLOTS = st.integers(-1, 3)
PLACES = st.tuples(st.integers(-500, 500), st.integers(-500, 500)).map(list)
# Ops that take scalars of any sign to scalars, and some that need more.
ADDED = st.sampled_from(["input", "sin", "mul", "where", "stack", "uniform", "matmul", "identity"])
TYPED = st.sampled_from(["1", "-2.5", "0", "1e-3", "[1.0, 2.0]", "x", "", "1e400"])

EDITS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("select"), "node": NAMES | st.none()}),
    st.fixed_dictionaries({"kind": st.just("move"), "positions": st.dictionaries(NAMES, PLACES, max_size=2)}),
    st.fixed_dictionaries({"kind": st.just("connect"), "from": NAMES, "to": NAMES, "slot": SLOTS}),
    st.fixed_dictionaries({"kind": st.just("disconnect"), "to": NAMES, "slot": SLOTS}),
    st.fixed_dictionaries(
        {
            "kind": st.just("add"),
            "op": ADDED,
            "position": PLACES | st.none(),
            "wire": st.none() | st.fixed_dictionaries({"from": NAMES, "slot": SLOTS}),
            "feeds": st.none() | st.fixed_dictionaries({"to": NAMES, "slot": SLOTS}),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("insert"),
            "node": NAMES,
            "from": NAMES,
            "to": NAMES,
            "slot": SLOTS,
            "position": PLACES,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("rewire"),
            "from": NAMES,
            "to": NAMES,
            "slot": SLOTS,
            "oldTo": NAMES,
            "oldSlot": SLOTS,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("delete"), "nodes": st.lists(NAMES, min_size=1, max_size=2)}),
    st.fixed_dictionaries(
        {
            "kind": st.just("rules"),
            "nodes": st.lists(NAMES, min_size=1, max_size=3),
            "rule": st.sampled_from(RULE_KINDS),
        }
    ),
    st.fixed_dictionaries(
        {"kind": st.just("make_branches"), "nodes": st.lists(NAMES, min_size=1, max_size=3)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("branches"),
            "group": st.sampled_from(["branches", "branches_2"]),
            "k": st.integers(0, 4),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["mute", "cut_after"]),
            "nodes": st.lists(NAMES, min_size=1, max_size=3),
            "on": st.booleans(),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("checkpoint"), "nodes": st.lists(NAMES, max_size=3)}),
    st.fixed_dictionaries({"kind": st.just("uncheckpoint"), "region": REGIONS}),
    st.fixed_dictionaries(
        {"kind": st.just("region"), "region": REGIONS, "nodes": st.lists(NAMES, max_size=3)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("regroup"),
            "positions": st.dictionaries(NAMES, PLACES, min_size=1, max_size=2),
            "join": st.dictionaries(REGIONS, st.lists(NAMES, max_size=2), max_size=2),
            "leave": st.dictionaries(REGIONS, st.lists(NAMES, max_size=2), max_size=2),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("policy"),
            "region": REGIONS,
            "policy": st.sampled_from(POLICIES),
            "saved": st.lists(NAMES, max_size=2),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("rename_region"), "region": REGIONS, "name": REGIONS | NAMES}),
    st.fixed_dictionaries(
        {
            "kind": st.just("function"),
            "node": NAMES,
            "text": st.sampled_from(["lambda v: v", "lambda v: -w", "("]),
        }
    ),
    st.fixed_dictionaries(
        {"kind": st.just("constant"), "node": NAMES, "slot": SLOTS | st.none(), "text": TYPED}
    ),
    st.fixed_dictionaries({"kind": st.just("rename"), "node": NAMES, "name": NAMES}),
    st.fixed_dictionaries({"kind": st.just("output"), "node": NAMES}),
    st.sampled_from([{"kind": "undo"}, {"kind": "redo"}, {"kind": "arrange"}]),
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({each.encode_name for record in KINDS.values() for each in structs.fields(record)})
MALFORMED = st.builds(
    lambda kind, fields: {"kind": kind, **fields},
    st.sampled_from(sorted(KINDS)) | ANYTHING,
    st.dictionaries(st.sampled_from(FIELDS), ANYTHING),
)


def after(edits: list[dict[str, Any]]) -> Lab:
    lab = start()
    for edit in edits:
        lab = edited(lab, edit)
    return lab


def without_positions(graph: Graph) -> Graph:
    return replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))


@given(st.lists(EDITS, max_size=12))
def test_whatever_is_done_the_formula_says_the_graph(edits):
    graph = after(edits).graph
    assert parse(show(graph)) == graph


@given(st.lists(EDITS, max_size=12))
def test_whatever_is_done_the_address_says_the_graph(edits):
    lab = after(edits)
    assert from_query(to_query(lab)).graph == lab.graph


@given(st.lists(EDITS, max_size=12))
def test_whatever_is_done_nothing_but_unfinished_parts_is_wrong_with_the_graph(edits):
    wrong = {problem.code for problem in problems(after(edits).graph)}
    assert wrong <= {"empty-slot", "bad-rule", "bad-mute"}


@given(st.lists(EDITS, max_size=12))
def test_undoing_all_leads_to_the_beginning_and_redoing_all_leads_back(edits):
    done = after(edits)
    back = done
    for _ in done.history.past:
        back = actions.undone(back)
    assert back.graph == start().graph
    for _ in done.history.past:
        back = actions.redone(back)
    assert back.history.entries == done.history.entries
    assert back.graph == done.graph


@given(st.lists(EDITS, max_size=12))
def test_the_selected_node_is_always_one_of_the_graph(edits):
    lab = after(edits)
    assert lab.selected is None or lab.selected in lab.graph


@given(st.lists(EDITS, max_size=3), EDITS | MALFORMED)
def test_an_edit_either_takes_effect_or_says_why_not(before, edit):
    lab = after(before)
    now = edited(lab, edit)
    assert now.history == lab.history or not now.notice


@settings(max_examples=200)
@given(st.lists(MALFORMED, max_size=4))
def test_no_message_whatever_raises(edits):
    lab = after(edits)
    assert parse(show(lab.graph)) == lab.graph


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_no_text_whatever_raises(text):
    lab = actions.typed(start(), text)
    assert lab.draft in (None, text)
    assert (lab.draft is None) == (lab.mistakes == ())


@given(st.lists(EDITS, max_size=6), st.sampled_from(["y = sin(", "x = = 1", "q = exp(q)"]))
def test_unfinished_text_outlives_every_edit_of_the_canvas(edits, text):
    lab = actions.typed(start(), text)
    for edit in edits:
        lab = edited(lab, edit)
    assert lab.draft == text


@settings(max_examples=15)
@given(st.lists(EDITS, max_size=10))
def test_whatever_is_done_there_is_a_page_to_show(edits):
    lab = after(edits)
    view = lab_view(lab)
    json.dumps(view.drawing, allow_nan=False)
    assert view.complete or view.problems or not lab.graph.nodes


@settings(max_examples=15)
@given(st.lists(EDITS, max_size=10))
def test_a_drawing_made_from_the_one_before_is_the_drawing_made_anew(edits):
    lab = start()
    view = lab_view(lab)
    for edit in edits:
        lab = edited(lab, edit)
        view, anew = lab_view(lab, view), lab_view(lab)
        assert repr(view.drawing) == repr(anew.drawing)
        assert (view.text, view.follows, dict(view.sweeps)) == (anew.text, anew.follows, dict(anew.sweeps))
        assert (view.problems, view.notes, view.complete) == (anew.problems, anew.notes, anew.complete)


def test_what_shows_the_same_is_not_drawn_again():
    before = lab_view(start())
    after = lab_view(edited(start(), {"kind": "rules", "nodes": ["b"], "rule": "stop"}), before)
    kept = {id(record) for record in (*before.drawing["nodes"], *before.drawing["wires"])}
    drawn = [node["id"] for node in after.drawing["nodes"] if id(node) not in kept]
    assert set(drawn) == {"b", "y", "a", "x"}  # z and exp(a) have the numbers that they had
    again = lab_view(edited(start(), {"kind": "select", "node": "y"}), before)
    assert all(id(record) in kept for record in (*again.drawing["nodes"], *again.drawing["wires"]))


def test_a_group_is_collapsed_in_the_drawing_made_from_the_one_before():
    lab = edited(start(), {"kind": "group", "nodes": ["a", "b"]})
    folded = edited(lab, {"kind": "collapse", "group": lab.graph.groups[0].name, "on": True})
    assert folded.collapsed
    assert repr(lab_view(folded, lab_view(lab)).drawing) == repr(lab_view(folded).drawing)


@pytest.mark.nightly
def test_every_op_of_the_catalog_can_be_added_to_a_graph_and_drawn():
    lab = start()
    for name, op in OPS.items():
        wire = {"from": "x", "slot": 0} if op.slots else None
        lab = edited(lab, {"kind": "add", "op": name, "position": None, "wire": wire})
        assert lab.notice == ()
    lab = replace(lab, history=begin(without_positions(lab.graph)))
    drawing = lab_view(lab).drawing
    assert len(drawing["nodes"]) == len(start().graph.nodes) + len(OPS)
