"""Test that a message of many edits takes time that grows with their number and not with its square."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_viz.canvas import drawing
from autodiff_viz.canvas.layout.sugiyama import standing
from autodiff_viz.graph import limits
from autodiff_viz.lab.edits.apply import edited_all
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from tests.work import lines_run


def alone(i: int) -> dict[str, Any]:
    return {}


def onto_the_last(i: int) -> dict[str, Any]:
    return {"wire": {"from": f"sin_{i}" if i else "z", "slot": 0}}


def onto_the_first(i: int) -> dict[str, Any]:
    return {"wire": {"from": "x", "slot": 0}}


def adds(count: int, wired: Any) -> list[dict[str, Any]]:
    return [
        {"seq": i, "kind": "add", "op": "sin", "position": [40.0 * i, 9.0 * i], **wired(i)}
        for i in range(count)
    ]


def first() -> Lab:
    return opened(start(), parse("x = 0.5\nz = cos(x)"), "Open")


@pytest.mark.parametrize("wired", [alone, onto_the_last, onto_the_first])
def test_four_times_as_many_new_nodes_take_four_times_as_long(wired):
    lab = first()
    edited_all(lab, adds(5, wired))
    few, many = (lines_run(lambda n=n: edited_all(lab, adds(n, wired))) for n in (60, 240))
    assert many < 5 * few  # a square would be 16 times


@pytest.mark.parametrize("wired", [alone, onto_the_last, onto_the_first])
def test_all_of_them_are_there_with_their_wires(wired):
    graph = edited_all(first(), adds(40, wired)).graph
    assert len(graph.nodes) == 42
    for i in range(40):
        wire = wired(i).get("wire")
        assert graph[f"sin_{i + 1}"].slots == ((wire["from"],) if wire else (None,))
    assert graph.output == ("sin_40" if wired is onto_the_last else "z")


def test_a_layer_more_lays_nothing_out(monkeypatch):
    lab = opened(start(), parse("x = input(shape=(4, 8), seed=0)"), "Open")
    ran = []
    drawing._standing.forget()
    monkeypatch.setattr(drawing, "standing", lambda *given: ran.append(given) or standing(*given))
    dense = {"kind": "add", "op": "dense"}
    wires = [{"wire": {"from": f"dense_{i}" if i else "x", "slot": 0}} for i in range(6)]
    after = edited_all(lab, [{**dense, "position": [60.0 * i, 0.0], **wires[i], "seq": i} for i in range(6)])
    assert len(after.graph.nodes) == 1 + 6 * 3
    assert len(ran) == 1  # of the node that had no place


def test_edits_that_take_too_long_together_are_refused_and_said_to_be(monkeypatch):
    monkeypatch.setattr(limits, "EDIT_SECONDS", 0.0)
    after = edited_all(first(), adds(3, alone))
    assert len(after.graph.nodes) == 2
    assert [(one.code, one.seq) for one in after.notice] == [("too-much-at-once", 2)]
