"""Test that a history written as text is read back."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.history import History, begin, commit, jump
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.lab.actions import set_input, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.history import KEPT, recalled, trail
from autodiff_viz.lab.state import FIRST, Lab, opened, start
from autodiff_viz.language.parse import parse
from tests.lab.test_random_edits import EDITS


def travelled(data: dict) -> dict:
    return json.loads(json.dumps(data))


def reloaded(lab: Lab) -> Lab:
    """As a new session opens it from the address alone."""
    return from_query(to_query(lab))


def kept(lab: Lab, new: Lab, link: str | None = None) -> Lab:
    """The new session once the browser has handed it what it kept of the old one."""
    edit = {"seq": 1, "kind": "kept", "trail": travelled(trail(lab.history).data), "link": link}
    return edited(new, edit)


def told(history: History) -> list[tuple]:
    return [(entry.label, entry.graph, entry.text, entry.folds) for entry in history.entries]


def worked(count: int = 12) -> Lab:
    lab = typed(start(), "# mine\n" + FIRST)
    for i in range(count):
        lab = set_input(lab, "x", float(i), fresh=True)
    lab = edited(lab, {"kind": "delete", "nodes": ["b"]})
    return edited(lab, {"kind": "rules", "nodes": ["a"], "rule": "stop"})


def test_undo_redo_and_their_names_come_back_with_the_address():
    lab = undone(undone(worked()))
    back = kept(lab, reloaded(lab))
    assert told(back.history) == told(lab.history)
    assert len(back.history.past) == len(lab.history.past)


def test_undo_collapses_a_group_that_was_opened_before_the_reload():
    lab = edited(start(), {"kind": "group", "nodes": ["a", "b"]})
    lab = edited(lab, {"kind": "collapse", "group": "group", "on": True})
    aside = {"kind": "collapse", "group": "group", "on": False, "positions": {"z": [900, 0]}}
    lab = edited(edited(lab, aside), {"kind": "rules", "nodes": ["z"], "rule": "stop"})
    for here in (lab, undone(lab)):  # the opening is the step before the present one, then that one
        back = kept(here, reloaded(here))
        assert told(back.history) == told(here.history)
    assert (undone(back).collapsed, undone(undone(kept(lab, reloaded(lab)))).collapsed) == ({"group"},) * 2


@settings(max_examples=60, deadline=None)
@given(st.lists(EDITS, max_size=12), st.integers(0, 12))
def test_any_history_comes_back(edits, index):
    lab = reduce(edited, edits, start())
    lab = replace(lab, history=jump(lab.history, min(index, len(lab.history.entries) - 1)))
    back = kept(lab, reloaded(lab))
    assert told(back.history) == told(lab.history)
    orders = [
        [[n.name for n in entry.graph.nodes] for entry in h.entries] for h in (back.history, lab.history)
    ]
    assert orders[0] == orders[1]


@settings(max_examples=30, deadline=None)
@given(st.lists(EDITS, min_size=2, max_size=12))
def test_what_has_not_changed_is_not_worked_out_anew_and_is_the_same(edits):
    lab, last = start(), None
    for edit in edits:
        lab = edited(lab, edit)
        last = trail(lab.history, last)
        assert last.data == trail(lab.history).data


def test_what_was_done_since_stands_after_what_was_kept():
    lab = worked()
    new = set_input(reloaded(lab), "y", 7.0)
    back = kept(lab, new)
    assert told(back.history) == [*told(lab.history), *told(new.history)[1:]]


def test_an_address_one_edit_ahead_is_led_to_by_the_link_that_was_kept():
    lab = worked()
    ahead = set_input(lab, "y", 7.0, fresh=True)
    back = kept(lab, reloaded(ahead), link=to_link(lab.graph))
    assert [entry.graph for entry in back.history.entries] == [e.graph for e in ahead.history.entries]


def test_an_address_some_edits_behind_has_them_to_redo_and_what_is_sent_again_follows():
    lab = worked()
    ahead = set_input(set_input(lab, "y", 7.0, fresh=True), "y", 8.0, fresh=True)
    back = kept(ahead, reloaded(lab), link=to_link(ahead.graph))
    assert [each[:2] for each in told(back.history)] == [each[:2] for each in told(ahead.history)]
    assert (back.graph, undone(back).graph) == (lab.graph, undone(lab).graph)
    again = set_input(reloaded(lab), "y", 7.0, fresh=True)
    back = kept(ahead, again, link=to_link(ahead.graph))
    assert [entry.graph for entry in back.history.entries] == [
        *(entry.graph for entry in lab.history.entries),
        again.graph,
    ]


def test_a_history_of_another_graph_is_left_alone():
    new = reloaded(typed(start(), "p = 2.0\n"))
    assert kept(worked(), new) is new


@pytest.mark.parametrize(
    "trail",
    [
        None,
        3,
        [],
        {},
        {"at": 0},
        {"at": "x", "steps": {}, "graph": "", "text": ""},
        {"at": 0, "steps": [], "graph": 1},
    ],
)
def test_what_is_no_history_changes_nothing(trail):
    lab = start()
    assert edited(lab, {"seq": 1, "kind": "kept", "trail": trail}).history == lab.history


def test_a_damaged_step_ends_the_history_there():
    lab = worked()
    data = travelled(trail(lab.history).data)
    at = data["at"]
    for damage in ("{", "~AAAA", '{"label":"l","set":[{"name":"q","op":"sin","slots":["nobody"]}]}', None):
        data["steps"][str(at - 2)] = damage
        back = edited(reloaded(lab), {"kind": "kept", "trail": data})
        assert [entry.label for entry in back.history.past] == [lab.history.past[-1].label]


def test_an_edit_of_thirty_nodes_adds_well_under_a_kilobyte():
    lines = ["x = 0.5", *(f"n{i} = sin({'x' if i == 0 else f'n{i - 1}'})" for i in range(29))]
    lab = typed(start(), "\n".join(lines))
    before = trail(lab.history)
    for edit in (
        {"kind": "rules", "nodes": ["n3"], "rule": "stop"},
        {"kind": "delete", "nodes": ["n7"]},
        {"kind": "add", "op": "tanh", "position": [3, 4], "wire": None, "feeds": None},
        {"kind": "undo"},
    ):
        lab = edited(lab, edit)
        after = trail(lab.history, before)
        new = {n: text for n, text in after.steps.items() if before.steps.get(n) != text}
        assert 0 < len(json.dumps(new)) < 600
        before = after


def test_a_long_history_is_bounded_and_its_newest_part_comes_back():
    lab, rng = start(), random.Random(1)
    for i in range(limits.HISTORY + 60):
        lab = set_input(lab, rng.choice("xy"), float(i), fresh=True)
    data = trail(lab.history).data
    assert data["at"] == limits.HISTORY + 60
    assert sum(map(len, data["steps"].values())) <= KEPT
    back = kept(lab, reloaded(lab))
    assert told(back.history) == told(lab.history)[-len(back.history.entries) :]
    assert len(back.history.past) > 100


def test_many_steps_of_a_large_graph_cost_no_more_than_some():
    lines = ["x = 0.5", *(f"n{i} = sin({'x' if i == 0 else f'n{i - 1}'})" for i in range(1500))]
    lab = opened(start(), parse("\n".join(lines)), "Open")
    for i in range(40):
        lab = set_input(lab, "x", float(i), fresh=True)
    back = kept(lab, reloaded(lab))
    assert 5 < len(back.history.past) < 40
    assert told(back.history) == told(lab.history)[-len(back.history.entries) :]


def test_what_is_recalled_takes_no_more_memory_than_a_history_may(monkeypatch):
    """A few characters can stand for many numbers."""
    history = begin(Graph())
    for i in range(9):
        node = Node("x", "input", (), params(value=(float(i),) * 1_000))
        history = commit(history, Graph((node,), (), "x"), f"step {i}")
    kept, present = trail(history).data, [(history.graph, None)]
    assert len(recalled(kept, present).past) == 9
    monkeypatch.setattr(limits, "HISTORY_BYTES", 4 * 33_500)  # with 32 bytes a number
    assert [entry.label for entry in recalled(kept, present).past] == ["step 4", "step 5", "step 6", "step 7"]
