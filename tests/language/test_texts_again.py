"""Test memoised parsing: a text that was read before is not read again, whatever is around it."""

from __future__ import annotations

import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse, parse_with_spans
from tests.work import lines_run

TEXT = "x = 2.0\ny = sin(x) * 3.0\n"


def at(place: tuple[float, float]) -> str:
    return f"{TEXT}# positions: x {place[0]} {place[1]}, sin_1 7 7\n"


def test_the_same_text_is_read_once():
    first = parse(TEXT + "z = y")
    assert parse(TEXT + "z = y") is first
    assert lines_run(lambda: parse(TEXT + "z = y")) < lines_run(lambda: parse(TEXT + "z = x")) / 4


def test_each_graph_before_keeps_its_own_positions():
    for place in ((1.0, 2.0), (3.0, 4.0), (1.0, 2.0)):
        before = parse(at(place))
        found = parse(TEXT, previous=before)
        assert found == before
        assert found["x"].position == place
    assert [node.position for node in parse(TEXT).nodes] == [None] * 3


def test_a_position_of_the_text_counts_more_than_that_of_the_graph_before():
    assert parse(at((5.0, 6.0)), previous=parse(at((1.0, 2.0))))["x"].position == (5.0, 6.0)


def test_a_node_that_has_become_another_one_keeps_its_place_alone():
    before = parse(at((1.0, 2.0)))
    found = parse("x = -0.0\ny = cut(sin(x) * 3.0)\n", previous=before)
    assert repr(found["x"].param("value")) == "-0.0"
    assert (found["x"].position, found["sin_1"].position) == ((1.0, 2.0), (7, 7))
    assert (found["y"].cut, before["y"].cut) == (True, False)


def test_who_changes_the_places_of_nodes_changes_them_for_nobody_else():
    parse_with_spans(TEXT)[1].clear()
    assert parse_with_spans(TEXT)[1].keys() == {"x", "sin_1", "y"}


def test_a_mistake_is_found_every_time():
    for _ in range(2):
        with pytest.raises(GraphError, match="no value"):
            parse("x = q")


def test_texts_that_differ_in_a_sign_of_zero_or_a_type_are_different_texts():
    values = [repr(parse(f"x = {value}")["x"].param("value")) for value in ("0.0", "-0.0", "0", "1.0", "1")]
    assert values == ["0.0", "-0.0", "0", "1.0", "1"]
