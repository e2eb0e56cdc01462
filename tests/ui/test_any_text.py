"""Test that no text can wedge a session: whatever stands in an edit, the next one is applied and answered.

`EDITS=20000 SEED=7 pytest tests/ui/test_any_text.py` sends so many, others for each seed.
"""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest

from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import start
from autodiff_viz.messages.envelope import answer_text
from autodiff_viz.ui import worker_jobs
from autodiff_viz.ui.address import next_address
from autodiff_viz.ui.exchange import apply_message, make_answer
from autodiff_viz.ui.session import Session
from tests.lab.random_walks import walks
from tests.seeds import seeded
from tests.thorough import THOROUGH

EDITS = int(os.environ.get("EDITS", "3000" if THOROUGH else "150"))

PIECES = (
    "\ud83d", "\ude00", "\ude00\ud83d", "\ud83d\ude00", "\0", "\x1b[2J", "\x7f", "\u202e", "\u2066\u2069",
    "\u200d", "\u2028", "\u2029", "\x85", "\r", "\r\n", "\n", "\t", "\v\f", "\ufeff", "\ufffe\uffff",
    "a" + "\u0301" * 300, "\U0010ffff", "\u0660\u0661", "\uff11", "\u212a", "\u0131", "</script><!--",
    "\\ud83d", '"', "'", "\\", "#", "{}", "1" * 400, "__class__", "é", "ß" * 70, "𝒙", " ", "",
)  # fmt: skip
"""Half characters, controls, marks of direction, ends of lines, what two languages count differently."""

FORMULAS = (
    "x = 1.0  # {}",
    "{}",
    "x = {}",
    "x{} = 1.0",
    "x = 1.0\ny = sin(x{})",
    "x = 1.0\nwith group('{}'):\n    y = sin(x)",
    'x = 1.0\nwith checkpoint("{}"):\n    y = sin(x)',
    "x = 1.0\ny = rewrite(x, lambda v: v{})",
    "x = 1.0\n{}\ny = x",
    "x = 1.0\ny = sum(x, {}=1)",
    "# positions: x{} 0 40\nx = 1.0",
    "x = [1.0, {}]",
    "for {} in range(3):\n    h = 1.0",
    "def f({}):\n    return 1.0\ny = f(1.0)",
    "x = 1.0  # {}\nfor i in range(2):\n    x = sin(x)  # {}",
)


@pytest.fixture(autouse=True)
def _no_workers(monkeypatch):
    here = worker_jobs._Here()
    monkeypatch.setattr(here, "ask", lambda asker, job: None)
    monkeypatch.setattr(worker_jobs, "workers", lambda: here)


def answered(here: Session, *edits: dict[str, Any]) -> dict[str, Any]:
    """What the browser receives after it has sent these edits, each as the bytes of a message."""
    last = here.inbox.ack
    numbered = [{**edit, "seq": last + i} for i, edit in enumerate(edits, 1)]
    apply_message(here, json.loads(json.dumps({"key": here.inbox.key, "edits": numbered})))
    answer = make_answer(here, pushed=True, query=next_address(here))
    found = json.loads(answer_text(answer).encode())
    assert found["ack"] == last + len(edits)
    return {**found, **found["full"]}


def assert_it_goes_on(here: Session) -> None:
    """The session takes another edit; its address opens again, with the history that the browser keeps."""
    before = len(here.lab.graph.nodes)
    told = answered(here, {"kind": "add", "op": "sin", "position": [0, 0]})
    assert len(here.lab.graph.nodes) == before + 1
    again = Session(from_query(dict(parse_qsl(told["query"]))))
    assert answered(again, {"kind": "kept", "trail": told["trail"]})["formula"]["text"]


def spoiled(value: Any, chance: Random) -> Any:
    """The same with a piece put into one text of it, or in the place of one of its values."""
    if isinstance(value, dict) and value:
        key = chance.choice([*value])
        return {**value, key: spoiled(value[key], chance)}
    if isinstance(value, list) and value:
        i = chance.randrange(len(value))
        return [*value[:i], spoiled(value[i], chance), *value[i + 1 :]]
    piece = chance.choice(PIECES)
    if isinstance(value, str) and chance.random() < 0.8:
        i = chance.randint(0, len(value))
        return value[:i] + piece + value[i:]
    return piece


@pytest.mark.parametrize("formula", FORMULAS, ids=range(len(FORMULAS)))
def test_any_text_in_a_formula_is_answered(formula):
    here = Session(start())
    for piece in PIECES:
        for edit in (
            {"kind": "type"},
            {"kind": "write"},
            {"kind": "import"},
            {"kind": "paste", "at": [0, 0]},
        ):
            answered(here, {**edit, "text": formula.replace("{}", piece)})
    assert_it_goes_on(here)


def test_half_a_character_in_a_comment_is_replaced_and_the_rest_stays():
    here = Session(start())
    told = answered(here, {"kind": "type", "text": "x = 1.0  # \ud83d end", "fresh": True})
    assert told["formula"]["text"] == "x = 1.0  # \N{REPLACEMENT CHARACTER} end"
    assert told["formula"]["mistakes"] == []
    assert_it_goes_on(here)


def test_half_a_character_in_an_expression_is_a_mistake_at_its_place():
    here = Session(start())
    told = answered(here, {"kind": "type", "text": "x = 1.0\ny = x + \ude00", "fresh": True})
    assert [(one["line"], one["column"]) for one in told["formula"]["mistakes"]] == [(2, 8)]
    assert_it_goes_on(here)


def test_a_name_is_no_template():
    here = Session(start())
    answered(here, {"kind": "add", "op": "{:>99}{}", "position": [0, 0]})
    assert here.lab.notice[0].code == "bad-edit"
    assert_it_goes_on(here)


@pytest.mark.longer
def test_any_text_in_any_edit_is_answered():
    chance = Random(seeded(0))
    for lab, edit, _ in walks(EDITS // 10, 10, seed=chance.randrange(10**6)):
        here = Session(lab)
        fields = {key: value for key, value in edit.items() if key != "kind"} or {"text": ""}
        for _ in range(3):
            answered(here, {**spoiled(fields, chance), "kind": edit["kind"]})
        assert_it_goes_on(here)


@pytest.mark.parametrize("piece", PIECES, ids=range(len(PIECES)))
def test_any_text_in_a_stored_history_or_query_is_answered(piece):
    here, chance = Session(start()), Random(repr(piece))
    answered(here, {"kind": "type", "text": "x = 0.6 # one", "fresh": True})
    told = answered(here, {"kind": "type", "text": "x = 0.6 # two\ny = sin(x)", "fresh": True})
    query = dict(parse_qsl(told["query"]))
    for _ in range(10):
        again = Session(from_query(query))
        answered(again, {"kind": "kept", "trail": spoiled(told["trail"], chance), "link": query.get("g")})
        answered(again, {"kind": "restored", "query": spoiled(query, chance)})
        assert_it_goes_on(again)
        opened = parse_qsl(
            urlencode(spoiled(query, chance), errors="surrogatepass")
        )  # as a browser's address
        assert_it_goes_on(Session(from_query(dict(opened))))
