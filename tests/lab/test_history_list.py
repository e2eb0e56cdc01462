"""Test the visible list of steps."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.canvas.delta import delta
from autodiff_viz.graph.history import History
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.page import AFTER, BEFORE, history_view
from autodiff_viz.lab.state import Lab, start


def stopped(*names: str) -> Lab:
    lab = start()
    for name in names:
        lab = edited(lab, {"kind": "rules", "nodes": [name], "rule": "stop"})
    return lab


def test_every_step_is_named_and_the_present_one_marked():
    found = history_view(edited(stopped("a", "b"), {"kind": "undo"}))
    assert found["labels"] == {"0": "Start", "1": "Stop gradient at a", "2": "Stop gradient at b"}
    assert found["at"] == 1
    assert (found["undo"], found["redo"]) == ("Stop gradient at a", "Stop gradient at b")


def test_a_jump_goes_there_and_all_steps_stay():
    lab = stopped("a", "b", "y")
    there = edited(lab, {"kind": "jump", "index": 1})
    assert there.history.present.label == "Stop gradient at a"
    assert [e.label for e in there.history.entries] == [e.label for e in lab.history.entries]
    assert edited(there, {"kind": "jump", "index": 3}).graph == lab.graph


def test_a_jump_to_no_step_changes_nothing():
    lab = stopped("a")
    for index in (-1, 2, 10**9):
        assert edited(lab, {"kind": "jump", "index": index}).history == lab.history


def test_a_long_history_travels_as_the_steps_around_the_present_one():
    lab = start()
    entry = lab.history.present
    entries = tuple(entry._replace(label=f"step {i}") for i in range(400))
    history = History(entries[:200], entries[200], entries[201:])
    found = history_view(Lab(history))
    indices = list(map(int, found["labels"]))
    assert indices == list(range(200 - BEFORE, 200 + AFTER + 1))
    assert found["labels"][str(found["at"])] == "step 200"


def test_one_more_step_sends_one_more_label():
    before, after = history_view(stopped("a")), history_view(stopped("a", "b"))
    assert delta(before, after)["labels"] == {"2": "Stop gradient at b"}


def test_the_list_says_that_older_steps_are_gone():
    lab = stopped("a", "b")
    assert history_view(lab)["gone"] == 0
    assert history_view(replace(lab, history=replace(lab.history, forgotten=3)))["gone"] == 3
