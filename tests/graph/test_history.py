"""Test undo and redo, by the laws that they follow."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.history import DROPPED, History, begin, commit, jump, redo, undo
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


def tensor(name: str, value: float) -> Node:
    return Node(name, "input", (), params(value=(value,) * 40_000))


def test_the_oldest_steps_are_forgotten_where_their_numbers_take_too_much_memory():
    """Each of 20 tensors of 40,000 numbers is new in each step: 26 MB with 32 bytes a number."""
    history = begin(graph(-1.0))
    for i in range(5):
        now = Graph(tuple(tensor(f"x{k}", float(i)) for k in range(20)), (), "x0")
        history = commit(history, now, f"step {i}")
    assert [entry.label for entry in history.past] == ["step 2", f"step 3{DROPPED}"]
    assert (history.present.label, history.forgotten) == (f"step 4{DROPPED}", 3)
    assert [
        undo(history).graph["x0"].param("value")[0],
        undo(undo(history)).graph["x0"].param("value")[0],
    ] == [3, 2]


def test_what_the_steps_share_counts_once():
    large, history = tensor("x", 1.0), begin(graph(-1.0))
    for i in range(200):
        history = commit(
            history, Graph((large, replace(graph(1.0)["x"], name=f"y{i}")), (), "x"), f"step {i}"
        )
    assert (len(history.past), history.forgotten) == (200, 0)


def test_typed_texts_count_too():
    history = begin(graph(-1.0))
    for i in range(60):
        history = commit(history, graph(float(i)), f"step {i}", text=f"x = {i}.0  # " + "-" * 1_600_000)
    assert len(history.past) == 39  # 64 MB with 1.6 MB each


@pytest.mark.parametrize("step", [undo, redo])
def test_a_step_beyond_the_end_changes_nothing(step):
    assert step(begin(graph(1.0))) == begin(graph(1.0))
