"""Test code that is read elsewhere: the last good graph stays, edits wait, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from autodiff_viz.graph.link import packed, to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab import code
from autodiff_viz.lab.actions import is_being_read, read_again, resumed, stopped, typed
from autodiff_viz.lab.code import (
    NO_ROOM,
    READINGS,
    STOPPED,
    TOO_MUCH,
    BeingRead,
    read_whole,
    reading_of,
    unread,
)
from autodiff_viz.lab.edits.apply import applied, edited
from autodiff_viz.lab.formula import formula
from autodiff_viz.lab.persistence.address import GRAPH, TEXT, from_query
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.language.parse import parse

SQUARE = "import jax.numpy as jnp\nx = jnp.array(3.0)\ny = x * x\n"
CUBE = SQUARE.replace("x * x", "x * x * x")
PIECE = "y = x.y\n"  # code by its attribute alone


@pytest.fixture(autouse=True)
def _apart(monkeypatch) -> Iterator[None]:
    """As on a server: what has been read so far is forgotten, and nothing is read in this process."""
    READINGS.clear()
    monkeypatch.setattr(READINGS, "apart", True)
    yield
    READINGS.clear()


def come(text: str) -> None:
    READINGS.keep(text, read_whole(text))


def at_3() -> Lab:
    return replace(typed(start(), "x = 3.0\ny = sin(x)"), typing=False)


def names(lab: Lab) -> set[str]:
    return set(lab.graph.by_name)


def test_code_that_is_typed_is_a_draft_until_it_has_been_read():
    lab = typed(at_3(), SQUARE)
    assert is_being_read(lab)
    assert formula_text(lab) == SQUARE
    assert lab.graph == at_3().graph
    assert formula(lab)["being_read"]
    assert formula(lab)["mistakes"] == []
    assert resumed(lab) is lab  # nothing has come
    come(SQUARE)
    after = resumed(lab)
    assert not is_being_read(after)
    assert formula(after)["code"]["library"] == "JAX"
    assert [node.op for node in after.graph.nodes] == ["input", "mul"]


def test_what_waits_becomes_what_it_would_have_become_at_once(monkeypatch):
    later = typed(typed(at_3(), SQUARE), CUBE, fresh=False)
    come(SQUARE)
    come(CUBE)
    monkeypatch.setattr(READINGS, "apart", False)
    at_once = typed(typed(at_3(), SQUARE), CUBE, fresh=False)
    assert resumed(later).graph == at_once.graph
    assert [e.label for e in resumed(later).history.entries] == [e.label for e in at_once.history.entries]


def test_a_slider_moves_while_code_is_read():
    lab = edited(typed(at_3(), SQUARE), {"kind": "slide", "name": "x", "value": 0.5, "seq": 1})
    assert lab.graph["x"].param("value") == 0.5
    assert is_being_read(lab)
    come(SQUARE)
    assert [node.op for node in resumed(lab).graph.nodes] == ["input", "mul"]


def test_code_that_was_stopped_or_killed_leaves_the_graph_and_can_be_read_again():
    lab = stopped(typed(at_3(), SQUARE))
    assert lab.mistakes == (STOPPED,)
    assert formula(lab)["mistakes"][0]["again"]
    assert is_being_read(read_again(lab))
    READINGS.keep(SQUARE, unread(TOO_MUCH))
    killed = resumed(typed(at_3(), SQUARE))
    assert killed.mistakes == (TOO_MUCH,)
    assert formula(killed)["mistakes"][0]["again"]
    assert killed.graph == at_3().graph
    assert is_being_read(read_again(killed))  # and its reading is forgotten
    come(SQUARE)
    assert names(resumed(read_again(killed))) == {"x", "y"}


def test_to_read_again_what_is_no_code_changes_nothing():
    lab = at_3()
    assert read_again(lab) is lab


@pytest.mark.parametrize("kind", ["import", "paste"])
def test_an_edit_that_needs_code_waits_with_all_that_follow(kind):
    edits = [
        {"kind": "slide", "name": "x", "value": 0.5, "seq": 1},
        {"kind": kind, "text": SQUARE, "at": [0, 0], "seq": 2},
        {"kind": "slide", "name": "x", "value": 0.25, "seq": 3},
    ]
    lab, done, waits = applied(at_3(), edits)
    assert (done, waits) == (1, SQUARE.strip())
    assert lab.graph["x"].param("value") == 0.5
    come(SQUARE.strip())
    lab, done, waits = applied(lab, edits[done:])
    assert (done, waits) == (2, "")
    assert [node.op for node in lab.graph.nodes] == ["input", "mul"]
    assert lab.graph["x"].param("value") == 0.25


def test_a_link_with_code_waits_for_it():
    query = {GRAPH: to_link(read_whole(SQUARE).graph), TEXT: packed(SQUARE)}
    with pytest.raises(BeingRead) as waits:
        from_query(query)
    assert waits.value.text == SQUARE
    come(SQUARE)
    assert formula_text(from_query(query)) == SQUARE


def test_of_a_link_whose_code_was_not_read_to_its_end_the_code_is_kept_beside_the_graph():
    graph = parse("x = 3.0\ny = x * x")
    READINGS.keep(SQUARE, unread(NO_ROOM))
    lab = from_query({GRAPH: to_link(graph), TEXT: packed(SQUARE)})
    assert lab.draft == SQUARE
    assert lab.mistakes == (NO_ROOM,)
    assert [node.op for node in lab.graph.nodes] == ["input", "mul"]


def test_the_text_on_view_is_read_once_more_if_its_reading_is_forgotten():
    come(SQUARE)
    lab = typed(at_3(), SQUARE)
    READINGS.clear()
    data = formula(lab)
    assert data["being_read"]
    assert data["code"] is None
    come(SQUARE)
    assert formula(lab)["code"]["library"] == "JAX"


def test_readings_are_kept_within_a_bound_but_those_on_view_always(monkeypatch):
    monkeypatch.setattr(code, "KEPT_BYTES", 25_000)
    texts = [SQUARE + f"# {i}" + " " * 10_000 for i in range(6)]
    for text in texts[:1]:
        come(text)
    shown = READINGS.known(texts[0])
    for text in texts[1:]:
        come(text)
    assert [READINGS.known(text) is not None for text in texts] == [True, False, False, False, True, True]
    del shown
    assert READINGS.known(texts[0]) is None


def test_a_reading_of_which_nothing_was_read_has_no_graph_and_no_library():
    reading = unread(TOO_MUCH)
    assert (reading.graph, reading.dialect, reading.refused) == (Graph(), "", (TOO_MUCH,))
    READINGS.keep(PIECE, reading)
    assert reading_of(PIECE) is reading
