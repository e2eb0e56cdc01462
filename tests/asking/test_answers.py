"""Test that answers are read as people write them, and judged by a table, in Python as in the browser.

tests/web/asking/judge.test.mjs has the browser do the same cases.
"""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import pytest

from autodiff_viz.asking.answers import came_number, read_answer
from autodiff_viz.asking.judge import judged
from autodiff_viz.graph.problem import GraphError

CASES = json.loads((Path(__file__).parent / "cases.json").read_text("utf-8"))


def same(one: float, other: float) -> bool:
    return one == other or (isnan(one) and isnan(other))


def test_an_answer_is_read_as_it_was_meant():
    wrong = []
    for case in (case for case in CASES["answers"] if "found" not in case):
        answer = read_answer(case["form"], case["text"])
        numbers = [came_number(number) for number in case.get("numbers", [])]
        found = answer.choice, answer.read_as
        if (
            found != (case.get("choice", ""), case["read_as"])
            or len(numbers) != len(answer.numbers)
            or not all(map(same, answer.numbers, numbers))
            or answer.unit != case.get("unit", answer.unit)
        ):
            wrong.append((case, answer))
    assert wrong == []
    assert len(CASES["answers"]) > 100


def test_what_cannot_be_read_is_asked_back_and_is_no_wrong_answer():
    wrong = []
    for case in (case for case in CASES["answers"] if "found" in case):
        with pytest.raises(GraphError) as caught:
            read_answer(case["form"], case["text"])
        (problem,) = caught.value.problems
        if (problem.code, problem.message, problem.hint) != ("unread-answer", case["found"], case["needed"]):
            wrong.append((case, problem))
    assert wrong == []


def test_an_answer_is_judged_by_its_table():
    wrong = []
    for case in CASES["judged"]:
        found = judged(CASES["tables"][case["table"]], case["text"])
        wire = None if found.wire is None else [*found.wire]
        has = {name: getattr(found, name) for name in case.keys() - {"table", "text", "wire"}}
        if any(has[name] != case[name] for name in has) or case.get("wire", wire) != wire:
            wrong.append((case, found))
    assert wrong == []
