"""Test that a fault of the program inside an edit is logged and said as such, and changes nothing."""

from __future__ import annotations

import logging

import pytest

from autodiff_viz.lab.edits import apply
from autodiff_viz.lab.edits.apply import HANDLERS, edited, edited_all
from autodiff_viz.lab.state import start
from autodiff_viz.messages.edits import KINDS, Check, Mute, Resync, Units, edit_template

SECRET = "the visitor's own words"
MUTED = {"kind": "mute", "nodes": ["a"], "on": True, "seq": 7}
FAILURES = [
    KeyError(SECRET),
    AttributeError(SECRET),
    TypeError(SECRET),
    ValueError(SECRET),
    RecursionError(SECRET),
]


def fails(monkeypatch, error: Exception) -> None:
    def handler(lab, edit):
        raise error

    monkeypatch.setitem(apply.HANDLERS, Mute, handler)


@pytest.mark.says_faults
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_an_edit_that_fails_is_no_unreadable_edit(monkeypatch, caplog, error):
    fails(monkeypatch, error)
    before = start()
    after = edited(before, MUTED)
    assert (after.history, after.selected, after.draft) == (before.history, before.selected, before.draft)
    (said,) = after.notice
    assert (said.code, said.seq) == ("server-error", 7)
    assert said.message == "Something went wrong here, not in your graph: this step was not done."
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.records[0].exc_info[1] is error
    assert "Mute" in caplog.records[0].getMessage()


@pytest.mark.says_faults
def test_the_edits_beside_one_that_fails_are_done(monkeypatch):
    fails(monkeypatch, KeyError("x"))
    stop = {"kind": "rules", "nodes": ["a"], "rule": "stop", "seq": 8}
    after = edited_all(start(), [MUTED, stop])
    assert after.graph["a"].rule.kind == "stop"
    assert [problem.code for problem in after.notice] == ["server-error"]


def test_every_kind_of_edit_has_a_handler_but_for_those_that_only_request():
    assert {*KINDS.values()} - {*HANDLERS} == {Check, Resync}


UNREADABLE = [
    {"kind": "mute", "nodes": ["nobody"], "on": True},
    {"kind": "rules", "nodes": ["a"], "rule": "no rule"},
    {"kind": "arrange", "nodes": ["nobody"]},
    {"kind": "constant", "node": "b", "slot": None, "text": "1"},
    {"kind": "figure", "figure": "no figure"},
    {"kind": "add", "op": "no op"},
    {"kind": "block", "block": "no block"},
    {"kind": "mend", "of": "no explanation", "mend": "it"},
    {"kind": "param", "node": "x", "param": "nothing", "value": "1"},
    {"kind": "shape", "node": "b", "value": "(2, 3)"},
    {"kind": "data", "npy": "\u00e4"},
    {"kind": "kept", "trail": {"at": 0, "graph": "", "text": "", "steps": []}},
    {"kind": "mute", "nodes": ["a"] * 2001, "on": True},
]


@pytest.mark.parametrize("edit", UNREADABLE, ids=lambda edit: edit["kind"])
def test_an_edit_that_no_script_of_the_page_sends_is_refused_and_no_fault(edit):
    after = edited(start(), {**edit, "seq": 3})
    (said,) = after.notice
    assert (said.code, said.hint, said.seq) == ("bad-edit", "Reload the page and try again.", 3)
    assert said.message.startswith("The canvas sent an edit that could not be read: {'")


def test_an_edit_whose_field_the_browser_fills_in_has_all_others():
    assert edit_template(Units, "value", node="w") == {"kind": "units", "node": "w"}
    for wrong in (
        {"left_out": "value"},
        {"left_out": "values", "node": "w"},
        {"left_out": "value", "nod": "w"},
    ):
        with pytest.raises(TypeError):
            edit_template(Units, **wrong)


def test_a_seed_that_is_none_is_refused_in_words_and_not_as_a_broken_message():
    lab = edited(start(), {"kind": "import", "text": "x = input(shape=(2,), seed=0)\ny = sum(x)"})
    for text in ("abc", "1.5", "-1", ""):
        refused = edited(lab, {"kind": "param", "node": "x", "param": "seed", "value": text, "seq": 1})
        (said,) = refused.notice
        assert (said.code, said.node, said.hint) == ("bad-seed", "x", "Type another seed.")
        assert f"“{text}”" in said.message or f"'{text}'" in said.message
        assert "whole number" in said.message
        assert refused.graph == lab.graph
    drawn = edited(lab, {"kind": "param", "node": "x", "param": "seed", "value": "7"})
    assert drawn.graph["x"].param("seed") == 7
