"""Test that the routes of wires around many nodes are found without a look at all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random

import pytest

from autodiff_viz.canvas.layout import placing
from autodiff_viz.canvas.layout.placing import (
    STRIP,
    WIRE_CLEARANCE,
    Box,
    Obstacles,
    around,
    bends_of,
    ways_around,
)
from autodiff_viz.graph.model import Node
from tests.seeds import seeded

COLUMNS, PITCH, HIGH = 40, 190.0, 110.0  # nodes in a row, and px from one node to the next


def chain(count: int, reads: Callable[[int], int]) -> tuple[list[Node], dict[str, Box]]:
    """A chain in rows; each third node also reads another one of those before it."""
    nodes, boxes = [Node("n0", "input")], {}
    for i in range(1, count):
        other = (f"n{reads(i)}",) if i % 3 == 0 else ()
        nodes.append(Node(f"n{i}", "mul", (f"n{i - 1}", *other)))
    for i, node in enumerate(nodes):
        boxes[node.name] = Box(i % COLUMNS * PITCH, i // COLUMNS * HIGH, 132.0, 74.0)
    return nodes, boxes


def lines_run(run: Callable[[], object], file: str) -> int:
    """Count the lines of a file that are run: work, whatever the machine has to do besides."""
    count = 0

    def inside(_frame, event, _given):
        nonlocal count
        count += event == "line"
        return inside

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: inside if frame.f_code.co_filename == file else None)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("reads", [lambda i: 0, lambda i: max(0, i - 60), lambda i: i // 2])
def test_four_times_as_many_nodes_take_little_more_than_four_times_the_work(reads):
    small, large = (
        lines_run(partial(around, nodes, boxes, set(boxes), {}, {}), placing.__file__)
        for nodes, boxes in (chain(500, reads), chain(2_000, reads))
    )
    assert large < 1.5 * 4 * small  # 16 times as much when each wire was compared with every node


def test_bands_and_boxes_are_those_of_a_look_at_all():
    draw = Random(seeded(46))
    for _ in range(60):
        spread = draw.choice([300, 1_500, 6_000])
        boxes = [
            Box(
                draw.uniform(-spread, spread), draw.uniform(-spread, spread), draw.choice([90.0, 256.0]), 74.0
            )
            for _ in range(draw.randrange(1, 120))
        ]
        boxes[0] = boxes[0]._replace(x=STRIP)  # at the end of a strip
        obstacles = Obstacles(boxes)
        left, right = sorted(draw.uniform(-spread, spread) for _ in range(2))
        top, bottom = sorted(draw.uniform(-spread, spread) for _ in range(2))
        near = {box for box in boxes if box.x < right and left < box.right}
        inside = [box for box in near if box.y < bottom and top < box.bottom]
        assert sorted(obstacles.within(left, right, top, bottom)) == sorted(inside)
        bands = obstacles.bands(left, right)
        assert (bands[0][0], bands[-1][1]) == (-float("inf"), float("inf"))
        assert all(box.bottom <= top or bottom <= box.y for box in near for top, bottom in bands)
        ends = sorted((box.y, box.bottom) for box in near)
        covered, gaps = ends[0][1] if ends else 0.0, 0
        for y, foot in ends[1:]:
            gaps += y - covered > 2 * WIRE_CLEARANCE
            covered = max(covered, foot)
        assert len(bands) == (gaps + 2 if ends else 1)
        assert all(a[1] < b[0] for a, b in pairwise(bands))


def edited(nodes: list[Node], boxes: dict[str, Box], draw: Random) -> tuple[list[Node], dict[str, Box]]:
    """A node gone, a node more, or a node elsewhere."""
    kind = draw.choice(["gone", "new", "moved", "wired"])
    at = draw.randrange(1, len(nodes))
    if kind == "gone":
        gone = nodes[at].name
        left = [Node(n.name, n.op, tuple(s for s in n.slots if s != gone)) for n in nodes if n.name != gone]
        return left, {name: box for name, box in boxes.items() if name != gone}
    reads = tuple(node.name for node in draw.sample(nodes[:at], min(at, 2)))
    if kind == "wired":
        return [*nodes[:at], Node(nodes[at].name, "mul", reads), *nodes[at + 1 :]], boxes
    box = boxes[nodes[at].name]
    place = box._replace(
        x=box.x + draw.choice([0.0, 95.0, 700.0]), y=box.y + draw.choice([-55.0, 30.0, 900.0])
    )
    if kind == "moved":
        return nodes, {**boxes, nodes[at].name: place}
    name = f"new{len(nodes)}{at}"
    return [*nodes[:at], Node(name, "mul", reads), *nodes[at:]], {**boxes, name: place}


@pytest.mark.parametrize("rows", [3, 9])
def test_after_an_edit_the_routes_are_those_that_would_be_found_anew(rows):
    draw = Random(seeded(47))
    for _ in range(12):
        nodes, boxes = chain(40 * rows, lambda i: draw.randrange(0, i))
        boxes = {name: box._replace(y=box.y + draw.choice([0.0, 0.0, 25.0])) for name, box in boxes.items()}
        ways = ways_around(nodes, boxes, set(), {}, {})
        for _ in range(8):
            nodes, boxes = edited(nodes, boxes, draw)
            ways = ways_around(nodes, boxes, set(), {}, {}, ways)
            anew = ways_around(nodes, boxes, set(), {}, {})
            assert bends_of(ways) == bends_of(anew)


def test_an_edit_of_a_large_graph_finds_few_routes_anew():
    nodes, boxes = chain(2_000, lambda i: i // 2)
    ways = ways_around(nodes, boxes, set(), {}, {})
    gone = nodes[1_500].name
    left = [Node(n.name, n.op, tuple(s for s in n.slots if s != gone)) for n in nodes if n.name != gone]
    kept = {name: box for name, box in boxes.items() if name != gone}
    found: list[object] = []
    whole = placing._way
    placing._way = lambda *given: found.append(given) or whole(*given)
    try:
        ways_around(left, kept, set(), {}, {}, ways)
    finally:
        placing._way = whole
    assert len(found) < len(ways.by_wire) / 10
