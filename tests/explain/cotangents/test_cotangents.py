"""Test the cotangent figure against numbers worked out by hand."""

import math
import re

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.cotangents.compute import APART, BEHIND_STOP, MOST_PARTS, PASSED_BY, SEED, arrivals
from autodiff_viz.explain.cotangents.figure import cotangents_figure, cotangents_text
from autodiff_viz.language.parse import parse

FORK = "x = 3.0\nt = 4.0 * x\nu = -5.0 * x\nz = t + u"  # dz/dx = 4 - 5


def found(text, **options):
    return {arrival.node.name: arrival for arrival in arrivals(trace(parse(text), **options))}


def bars(text):
    """(start, end, hatched) of every bar, from top to bottom."""
    drawn = cotangents_figure(trace(parse(text))).data[1]
    return [
        (start, start + length, shape == "/")
        for start, length, shape in zip(drawn.base, drawn.x, drawn.marker.pattern.shape, strict=True)
    ]


def test_parts_of_a_fork_stand_under_it_end_to_end_and_finish_where_the_sum_does():
    assert bars(FORK)[:3] == [(0, -1, False), (0, 4, True), (4, -1, False)]
    names = [
        re.sub(r"<[^>]*>", "", label) for label in cotangents_figure(trace(parse(FORK))).layout.yaxis.ticktext
    ]
    assert [name.strip() for name in names] == ["x", "+ t", "+ u", "t", "u", "z"]
    assert [len(name) - len(name.lstrip()) > 3 for name in names] == [False, True, True, False, False, False]


def test_a_line_joins_the_last_part_with_the_end_of_the_sum():
    figure = cotangents_figure(trace(parse(FORK)))
    joints, rows = figure.data[2], figure.layout.yaxis2.tickvals
    assert list(joints.x) == [4, 4, None, -1, -1, None]
    assert [abs(joints.y[at] - row) < 8 for at, row in ((3, rows[0]), (4, rows[2]))] == [True, True]


def test_a_part_against_the_sum_is_hatched_and_one_along_it_is_not():
    assert [hatched for _, _, hatched in bars("x = 1.0\nz = 3.0 * x + 2.0 * x")][:3] == [False] * 3


def test_a_fork_whose_parts_cancel_has_parts_and_no_sum():
    assert bars("x = 1.0\nt = 2.0 * x\nu = -2.0 * x\nz = t + u")[:3] == [
        (0, 0, False),
        (0, 2, False),
        (2, 0, True),
    ]


def test_wires_from_one_node_are_told_apart():
    square = found("x = 3.0\nz = x * x")["x"]
    assert [(part.consumer, part.slot, part.size, part.twin) for part in square.parts] == [
        ("z", 0, 3.0, True),
        ("z", 1, 3.0, True),
    ]


def test_an_array_is_shown_by_its_norm_and_parts_by_their_share_of_it():
    fork = found("x = [5.0, 7.0]\nz = x[0] + x[1]")["x"]  # what arrives is [1, 0] + [0, 1]
    assert fork.size == pytest.approx(math.sqrt(2))
    assert [part.size for part in fork.parts] == pytest.approx([1 / math.sqrt(2)] * 2)


def test_shares_of_arrays_that_cancel_cancel_too():
    fork = found("x = [5.0, 7.0]\na = 3.0 * x\nb = -3.0 * x\nz = sum(a) + sum(b)")["x"]
    assert fork.size == 0
    assert [part.size for part in fork.parts] == pytest.approx([3 * math.sqrt(2), -3 * math.sqrt(2)])


def test_the_norm_of_huge_numbers_does_not_overflow():
    huge = found("x = [1.0, 1.0]\nz = sum(x)", seed=1e300, dtype="float64")["x"]
    assert huge.size == pytest.approx(math.sqrt(2) * 1e300)


def test_many_wires_share_a_row_and_still_add_up():
    text = "x = 1.0\nz = " + " + ".join(["x"] * 20)
    parts = found(text)["x"].parts
    assert len(parts) == MOST_PARTS
    assert sum(part.size for part in parts) == 20
    assert sum(part.wires for part in parts) == 20


def test_wires_that_bring_nothing_share_a_row_beyond_two_of_which_one_at_a_stop_is_first():
    uses = [*(f"a{i} = x * 0.0" for i in range(9)), "s = stop_gradient(x)", "b = 3.0 * x", "c = 4.0 * x"]
    names = [line.split(" ")[0] for line in uses]
    parts = found("\n".join(["x = 1.0", *uses, f"z = {' + '.join(names)}"]))["x"].parts
    drawn = {part.consumer: (part.size, part.wires) for part in parts}
    assert drawn == {"a0": (0, 1), "s": (0, 1), "b": (3, 1), "c": (4, 1), None: (0, 8)}
    few = found("x = 1.0\na = x * 0.0\nb = x * 0.0\nc = x * 0.0\nz = a + b + c")["x"].parts
    assert [part.consumer for part in few] == ["a", "b", "c"]  # a row for one alone would save none


def test_each_node_says_why_nothing_arrives():
    text = "x = 1.0\ny = 2.0\nunused = x + 1.0\ns = stop_gradient(sin(cos(y)))\nz = x * s"
    places = {name: arrival.place for name, arrival in found(text).items()}
    stopped = {"y": BEHIND_STOP, "cos_1": BEHIND_STOP, "s": ""}
    assert places == {"x": "", "unused": APART, **stopped, "z": SEED}


def test_what_only_a_replaced_backward_reads_is_not_on_the_way_back():
    text = "x = 1.0\ny = 2.0\nr = backward_as(exp(y), x)\nz = r + x"
    assert found(text)["y"].place == PASSED_BY


def test_a_disconnected_node_is_a_dash_with_words_and_has_no_number():
    text = "x = 1.0\nunused = x + 1.0\nz = x * 2.0\nreturn z"
    labels = cotangents_figure(trace(parse(text))).layout.yaxis2.ticktext
    assert found(text)["unused"].size is None
    assert sum(f"— {APART}" in label for label in labels) == 1


def test_a_node_that_makes_nan_says_so_and_no_bar_is_drawn_for_what_is_not_finite():
    text = "x = 0.0\nz = 2.0 * sqrt(x)"  # sqrt'(0) is infinite
    assert found(text)["sqrt_1"].begins == "infinity begins here, backward"
    assert bars(text)[0] == (0, 0, False)
    assert "∞" in cotangents_figure(trace(parse(text))).layout.yaxis2.ticktext[0]


def test_where_an_infinity_begins_takes_little_of_the_figures_room():
    """In a dock of 415 px, where whole numbers would leave 250 px for the bars."""
    drawn = cotangents_figure(trace(parse("x = 0.0\ny = log(x)\nz = y * y")))
    assert "begins here" in drawn.layout.yaxis2.ticktext[1]
    assert drawn.layout.margin.r < 165
    assert "infinity begins here, forward" in drawn.data[0].hovertext[1]


def test_an_infinity_that_is_carried_on_begins_at_one_node():
    arrivals = found("x = 0.0\ny = log(x)\nz = y * y")
    begun = {name: arrival.begins for name, arrival in arrivals.items() if arrival.begins}
    assert begun == {"y": "infinity begins here, forward"}


def test_the_text_names_sizes_forks_stops_and_what_is_apart():
    text = cotangents_text(trace(parse(FORK + "\ns = stop_gradient(sin(x))\nreturn z")))
    assert "x −1" in text
    assert "x is the sum of 4 and −5" in text
    assert "stopped at s" in text
    assert "not connected to the output: s" in text


def test_a_table_of_many_nodes_shows_both_ends_and_says_so():
    text = "x0 = 1.0\n" + "\n".join(f"x{i + 1} = sin(x{i})" for i in range(300))
    figure = cotangents_figure(trace(parse(text)))
    assert len(figure.layout.yaxis.ticktext) == 160
    assert "141 nodes in the middle left out" in figure.layout.title.text
