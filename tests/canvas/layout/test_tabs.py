"""Test parameters as tabs of their layers, and long chains in rows."""

from __future__ import annotations

from itertools import combinations

import pytest

from autodiff_viz.canvas.arrange import pinned
from autodiff_viz.canvas.cards import pictured, size
from autodiff_viz.canvas.drawing import places
from autodiff_viz.canvas.layout.tabs import fitted
from autodiff_viz.graph.edits import with_param, with_positions, with_wire
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS

SMALL = (734, 270)  # px of the canvas of a window of 1280x720, inside its margins
NUMBERED = 0.3  # scale from which on every node has its numbers
BEHIND = {"xor-tutorial", "split-model", "split-cnn"}  # a few numbers come before their networks
GRAPHS = {lesson.key: parse(lesson.steps[lesson.key in BEHIND].formula) for lesson in LESSONS}


def layered(count: int) -> Graph:
    """A chain of layers, each with a weight and a bias of its own."""
    lines = ["h0 = input(shape=(4, 8), seed=0)"]
    for i in range(1, count + 1):
        lines.append(f"w{i} = parameter(shape=(8, 8), init='he_normal', seed={i})")
        lines.append(f"b{i} = parameter(shape=(8,), init='zeros', seed=0)")
        lines.append(f"h{i} = dense(h{i - 1}, w{i}, b{i})")
    return parse("\n".join(lines))


def boxes(graph: Graph) -> dict[str, tuple[float, float, float, float]]:
    """Left, top, right and bottom of each node on the canvas."""
    found, tall = places(graph), pictured(graph)
    sizes = fitted(found.tabs, {node.name: size(node, tall.get(node.name)) for node in graph.nodes})
    corners = {name: (found.positions[name], sizes[name]) for name in sizes}
    return {name: (x, y, x + w, y + h) for name, ((x, y), (w, h)) in corners.items()}


def meeting(graph: Graph) -> list[tuple[str, str]]:
    box = boxes(graph)
    return [
        (a, b)
        for a, b in combinations(box, 2)
        if box[a][0] < box[b][2] and box[b][0] < box[a][2] and box[a][1] < box[b][3] and box[b][1] < box[a][3]
    ]


@pytest.mark.parametrize("key", GRAPHS)
def test_every_lesson_has_room_for_its_numbers_on_a_small_canvas(key):
    found = boxes(GRAPHS[key]).values()
    left, top, right, bottom = (pick(box[i] for box in found) for i, pick in enumerate((min, min, max, max)))
    assert NUMBERED * (right - left) <= SMALL[0]
    assert NUMBERED * (bottom - top) <= SMALL[1]


@pytest.mark.parametrize("graph", [*GRAPHS.values(), layered(9), layered(14)])
def test_nothing_stands_on_anything(graph):
    assert meeting(graph) == []


def test_parameters_of_a_small_graph_have_cards_and_those_of_a_large_one_are_tabs():
    assert not places(layered(4)).tabs  # 13 nodes
    assert {name: tab.layer for name, tab in places(layered(5)).tabs.items()} == {
        f"{letter}{i}": f"h{i}" for i in range(1, 6) for letter in "wb"
    }


def test_a_parameter_with_two_readers_or_that_is_not_trained_has_a_card():
    graph = with_wire(layered(6), "b1", "h2", 2)
    assert {"b1", "w1"} & set(places(graph).tabs) == {"w1"}
    assert "w1" not in places(with_param(layered(6), "w1", "trainable", False)).tabs


def test_tabs_stay_tabs_when_all_positions_are_fixed_and_one_that_is_moved_away_is_a_card():
    graph = pinned(layered(6))
    assert places(graph).tabs == places(layered(6)).tabs
    assert places(graph).positions == places(layered(6)).positions
    moved = with_positions(graph, {"w3": (-500.0, -500.0)})
    assert set(places(graph).tabs) - set(places(moved).tabs) == {"w3"}
    assert places(moved).positions["w3"] == (-500.0, -500.0)


def test_positions_of_an_old_link_are_kept():
    old = {node.name: (300.0 * i, 37.0 * i) for i, node in enumerate(layered(6).nodes)}
    found = places(with_positions(layered(6), old))
    assert found.positions == old
    assert not found.tabs


def test_a_tab_follows_a_layer_that_becomes_taller():
    graph = pinned(layered(6))
    box, tab = boxes(graph), places(graph).tabs["w2"]
    assert not meeting(graph)
    taller = with_param(graph, "h0", "shape", (4, 2, 8))
    assert places(taller).tabs["w2"] == tab
    assert boxes(taller).keys() == box.keys()


def test_deleting_a_layer_leaves_its_parameters_where_they_stood():
    lab = opened(start(), layered(6), "Open")
    before = places(lab.graph).positions
    after = edited(lab, {"kind": "delete", "nodes": ["h3"]}).graph
    assert {"w3", "b3"} & set(places(after).tabs) == set()
    assert {name: places(after).positions[name] for name in ("w3", "b3")} == {
        name: before[name] for name in ("w3", "b3")
    }


def test_a_long_chain_goes_on_below_and_its_wire_comes_back_between_the_rows():
    graph = parse("x = 1.0\n" + "\n".join(f"a{i} = sin({f'a{i - 1}' if i else 'x'})" for i in range(30)))
    box, found = boxes(graph), places(graph)
    assert max(right for _, _, right, _ in box.values()) <= 2300
    back = [node.name for node in graph.nodes for _, name in node.wires if box[node.name][0] < box[name][2]]
    assert back
    for name in back:
        ((_, height),) = found.bends[name, 0]
        assert all(not top < height < bottom for _, top, _, bottom in box.values())
        producer = graph[name].slots[0]
        assert box[producer][3] < height < box[name][1]


def test_a_frame_is_never_divided_into_two_rows():
    graph = GRAPHS["split-cnn"]
    box = boxes(graph)
    spans = [
        (min(box[name][1] for name in group.nodes), max(box[name][3] for name in group.nodes))
        for group in graph.groups
    ]
    (_, first), (second, _) = sorted(spans)
    assert first < second
