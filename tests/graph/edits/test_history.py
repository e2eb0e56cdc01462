"""Test undo and redo, by the laws that they follow."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.edits.history import History, begin, commit, jump, redo, undo
from autodiff_viz.graph.model import Graph, Node, params


def graph(value: float) -> Graph:
    return Graph((Node("x", "input", (), params(value=value)),), (), "x")


def committed(values: list[int]) -> History:
    history = begin(graph(-1.0))
    for value in values:
        history = commit(history, graph(float(value)), f"set {value}")
    return history


VALUES = st.lists(st.integers(0, 3), max_size=8)
HISTORIES = st.builds(lambda values, index: jump(committed(values), index), VALUES, st.integers(0, 8))


@given(HISTORIES)
def test_undo_all_then_redo_as_often_gives_the_same_history(history):
    back, steps = history, len(history.past)
    for _ in range(steps):
        back = undo(back)
    assert not back.can_undo
    for _ in range(steps):
        back = redo(back)
    assert back == history


@given(HISTORIES)
def test_redo_then_undo_is_nothing_where_redo_can_be(history):
    assert not history.can_redo or undo(redo(history)) == history


@given(HISTORIES)
def test_undo_after_commit_restores_the_graph(history):
    assert undo(commit(history, graph(99.0), "set 99")).present == history.present


@given(HISTORIES)
def test_commit_discards_what_was_undone(history):
    assert not commit(history, graph(99.0), "set 99").can_redo


@given(HISTORIES)
def test_commit_of_the_same_graph_changes_nothing(history):
    assert commit(history, replace(history.graph), "again") is history


@given(HISTORIES, st.integers(-2, 10))
def test_a_jump_is_as_many_undos_or_redos(history, index):
    stepped = history
    for _ in range(abs(index - len(history.past))):
        stepped = undo(stepped) if index < len(history.past) else redo(stepped)
    inside = 0 <= index < len(history.entries)
    assert jump(history, index) == (stepped if inside else history)


@given(HISTORIES)
def test_the_entries_stay_the_same_through_undo(history):
    assert undo(history).entries == history.entries


def test_a_move_is_a_change():
    moved = Graph((replace(graph(1.0)["x"], position=(1.0, 2.0)),), (), "x")
    assert commit(begin(graph(1.0)), moved, "move x").can_undo


def test_the_oldest_steps_are_forgotten_beyond_the_limit():
    history = committed(list(range(limits.HISTORY + 10)))
    assert len(history.past) == limits.HISTORY
    assert history.past[0].label == "set 9"


@pytest.mark.parametrize("step", [undo, redo])
def test_a_step_beyond_the_end_changes_nothing(step):
    assert step(begin(graph(1.0))) == begin(graph(1.0))
