"""Test the layout, by what a reader of the drawing relies on."""

import random
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.canvas.layout.sugiyama import Layout, Space, layout, routed, standing
from autodiff_viz.graph.edits import with_node, with_positions
from autodiff_viz.graph.frames import convex_hull
from autodiff_viz.graph.model import Graph, Node, Region
from tests.strategies import graphs
from tests.work import lines_run


def size_of(node: Node) -> tuple[float, float]:
    return 90.0 + 10 * len(node.name), 56.0 + 14 * len(node.slots)


def chain(length: int, more: tuple[Node, ...] = ()) -> Graph:
    nodes = (Node("x", "input"), *(Node(f"n{i}", "sin", (f"n{i - 1}" if i else "x",)) for i in range(length)))
    return Graph((*nodes, *more), (), "x")


def scattered(count: int, seed: int = 0, reach: int = 8) -> Graph:
    """A random graph whose nodes read mostly from the last few before them."""
    rng, nodes = random.Random(seed), [Node("x0", "input"), Node("x1", "input")]
    for i in range(2, count):
        slots = [
            nodes[max(0, i - 1 - int(rng.expovariate(1 / reach)))].name
            for _ in range(rng.choice((0, 1, 2, 2)))
        ]
        nodes.append(Node(f"n{i}", "op", tuple(slots)))
    return Graph(tuple(nodes), (), nodes[-1].name)


def boxes(graph: Graph, found: Layout) -> dict[str, tuple[float, float, float, float]]:
    """Left, top, right and bottom of each node."""
    corners = {}
    for node in graph.nodes:
        (x, y), (w, h) = found.positions[node.name], size_of(node)
        corners[node.name] = (x, y, x + w, y + h)
    return corners


def apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def wire_points(
    graph: Graph, found: Layout, name: str, slot: int, steps: int = 24
) -> list[tuple[float, float]]:
    """Points along the wire as the canvas draws it: Bezier curves, level at each bend."""
    box, node = boxes(graph, found), graph[name]
    source, target = box[node.slots[slot]], box[name]
    start = (source[2], (source[1] + source[3]) / 2)
    end = (target[0], target[1] + (target[3] - target[1]) * (slot + 1) / (len(node.slots) + 1))
    points = []
    for (x0, y0), (x1, y1) in pairwise((start, *found.bends.get((name, slot), ()), end)):
        reach = max((x1 - x0) / 2, min(30, x1 - x0))
        for t in (step / steps for step in range(steps + 1)):
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            points.append(
                (a * x0 + b * (x0 + reach) + c * (x1 - reach) + d * x1, (a + b) * y0 + (c + d) * y1)
            )
    return points


def crossed_nodes(graph: Graph, found: Layout) -> set[tuple[str, int, str]]:
    """(target, slot, node) for every wire that passes under a node."""
    box = boxes(graph, found)
    return {
        (node.name, slot, name)
        for node in graph.nodes
        for slot, _ in node.wires
        for x, y in wire_points(graph, found, node.name, slot)
        for name, (left, top, right, bottom) in box.items()
        if left + 1 < x < right - 1 and top + 1 < y < bottom - 1
    }


def overlaps(graph: Graph, found: Layout) -> list[tuple[str, str]]:
    box = boxes(graph, found)
    return [(a, b) for a, b in combinations(box, 2) if not apart(box[a], box[b])]


def leftward(graph: Graph, found: Layout) -> list[tuple[str, str]]:
    box = boxes(graph, found)
    return [
        (name, node.name)
        for node in graph.nodes
        for _, name in node.wires
        if box[name][2] >= box[node.name][0]
    ]


FREE = graphs(max_nodes=14, positions=False)


@given(FREE)
def test_nodes_do_not_overlap(graph):
    assert overlaps(graph, layout(graph, Space(size_of))) == []


@given(FREE)
def test_every_wire_goes_to_the_right(graph):
    assert leftward(graph, layout(graph, Space(size_of))) == []


@given(FREE)
def test_no_wire_passes_under_a_node(graph):
    assert crossed_nodes(graph, layout(graph, Space(size_of))) == set()


@given(FREE)
def test_bends_go_to_the_right(graph):
    for bends in layout(graph, Space(size_of)).bends.values():
        assert [x for x, _ in bends] == sorted(x for x, _ in bends)


@pytest.mark.parametrize("seed", range(4))
def test_a_larger_graph_keeps_the_promises(seed):
    graph = scattered(70, seed)
    found = layout(graph, Space(size_of))
    assert not overlaps(graph, found)
    assert not leftward(graph, found)
    assert not crossed_nodes(graph, found)


def test_the_layout_is_the_same_every_time_and_for_equal_graphs():
    graph = scattered(60)
    assert layout(graph, Space(size_of)) == layout(replace(graph), Space(size_of))


def test_an_empty_graph_has_an_empty_layout():
    assert layout(Graph(), Space(size_of)) == Layout({}, {})


def test_a_chain_is_a_straight_line():
    graph = chain(8)
    found = layout(graph, Space(size_of))
    middles = {y + size_of(graph[name])[1] / 2 for name, (_, y) in found.positions.items()}
    assert max(middles) - min(middles) <= 1
    assert found.bends == {}


def test_an_input_stands_beside_its_first_consumer():
    graph = chain(6, (Node("w", "input"), Node("z", "mul", ("n5", "w"))))
    position = layout(graph, Space(size_of)).positions
    assert position["w"][0] == position["n5"][0]


def test_the_wires_of_a_binary_op_do_not_cross():
    graph = Graph((Node("b", "input"), Node("a", "input"), Node("z", "sub", ("a", "b"))), (), "z")
    position = layout(graph, Space(size_of)).positions
    assert position["a"][1] < position["b"][1]


def test_a_wire_past_a_chain_is_level_on_its_way():
    graph = chain(5, (Node("z", "mul", ("n4", "x")),))
    bends = layout(graph, Space(size_of)).bends["z", 1]
    assert len({y for _, y in bends}) == 1


def test_members_of_a_region_are_adjacent_in_their_column():
    """Two layers of four nodes where the wires alone would mix members and others."""
    inputs = [Node(f"x{i}", "input") for i in range(4)]
    nodes = [Node(f"n{i}", "sin", (f"x{i}",)) for i in range(4)]
    end = Node("z", "stack", tuple(f"n{i}" for i in range(4)))
    region = Region("r", frozenset({"n0", "n2"}))
    position = layout(Graph((*inputs, *nodes, end), (region,), "z"), Space(size_of)).positions
    down = sorted((f"n{i}" for i in range(4)), key=lambda name: position[name][1])
    assert abs(down.index("n0") - down.index("n2")) == 1


def test_a_cycle_survives():
    a, b, c = Node("a", "add", ("x", "c")), Node("b", "sin", ("a",)), Node("c", "sin", ("b",))
    graph = Graph((Node("x", "input"), a, b, c, Node("s", "sin", ("s",))), (), "c")
    found = layout(graph, Space(size_of))
    assert set(found.positions) == {"x", "a", "b", "c", "s"}
    assert overlaps(graph, found) == []


def test_unknown_names_and_empty_slots_survive():
    graph = Graph((Node("a", "add", ("gone", None)), Node("b", "add", (2.0, "a"))), (), "b")
    assert set(layout(graph, Space(size_of)).positions) == {"a", "b"}


@pytest.mark.parametrize("fan", [200, 1999])
def test_a_wide_graph_survives(fan):
    graph = Graph((Node("x", "input"), *(Node(f"n{i}", "sin", ("x",)) for i in range(fan))), (), "x")
    found = layout(graph, Space(size_of))
    assert len({y for _, y in found.positions.values()}) >= fan


@pytest.mark.nightly
def test_a_node_read_by_every_other_of_a_long_chain_survives():
    nodes = (
        Node("x", "input"),
        *(Node(f"n{i}", "add", (f"n{i - 1}" if i else "x", "x")) for i in range(1000)),
    )
    graph = Graph(nodes, (), "n999")
    assert leftward(graph, layout(graph, Space(size_of))) == []
    # a lane for every wire would take half a million lanes
    assert lines_run(lambda: layout(graph, Space(size_of))) < 12_000 * len(nodes)


@pytest.mark.nightly
def test_the_work_is_nearly_linear_in_the_nodes():
    def work(count: int) -> int:
        graph = scattered(count, reach=4)
        return lines_run(lambda: layout(graph, Space(size_of)))

    assert work(1600) < 16 * work(200)  # 8 times were linear, 64 quadratic


@settings(max_examples=40)
@given(graphs(min_nodes=1, max_nodes=14))
def test_a_node_stays_where_the_user_put_it(graph):
    found = layout(graph, Space(size_of))
    assert all(found.positions[node.name] == node.position for node in graph.nodes if node.position)


@settings(max_examples=40)
@given(graphs(min_nodes=5, positions=False), st.data())
def test_new_nodes_in_an_arranged_graph_overlap_nothing(graph, data):
    arranged = with_positions(graph, layout(graph, Space(size_of)).positions)
    names = st.sampled_from([node.name for node in graph.nodes])
    slots = data.draw(st.tuples(names, names))
    for i, wires in enumerate([slots, (), slots[:1], ("new0",)]):
        arranged = with_node(arranged, Node(f"new{i}", "op", wires))
    assert overlaps(arranged, layout(arranged, Space(size_of))) == []


def test_a_new_node_goes_right_of_what_it_reads():
    graph = chain(3)
    arranged = with_positions(graph, layout(graph, Space(size_of)).positions)
    found = layout(with_node(arranged, Node("new", "exp", ("n2",))), Space(size_of))
    assert found.positions["new"][0] > found.positions["n2"][0]
    assert abs(found.positions["new"][1] - found.positions["n2"][1]) < 1


def test_a_node_between_two_neighbours_avoids_both():
    graph = chain(3)
    arranged = with_positions(graph, layout(graph, Space(size_of)).positions)
    grown = with_node(arranged, Node("new", "mul", ("n0", "n1")))
    assert overlaps(grown, layout(grown, Space(size_of))) == []


def test_moving_one_node_moves_no_other():
    graph = scattered(20)
    before = layout(graph, Space(size_of)).positions
    after = layout(with_positions(graph, {"n10": (-500.0, -500.0)}), Space(size_of)).positions
    assert {name for name in before if before[name] != after[name]} == {"n10"}


def test_a_wire_goes_round_a_node_put_in_its_way():
    nodes = (Node("a", "input", position=(0.0, 0.0)), Node("b", "input", position=(300.0, 0.0)))
    graph = Graph((*nodes, Node("c", "sin", ("a",), position=(600.0, -5.0))), (), "c")
    found = layout(graph, Space(size_of))
    assert found.bends["c", 0]
    assert crossed_nodes(graph, found) == set()


def test_an_arranged_graph_with_all_positions_still_has_its_wires_around_nodes():
    graph = scattered(40, seed=3)
    arranged = with_positions(graph, layout(graph, Space(size_of)).positions)
    assert len(crossed_nodes(arranged, layout(arranged, Space(size_of)))) <= 2


@given(graphs(min_nodes=2, max_nodes=14, positions=False, regions=False), st.data())
def test_a_region_changes_no_promise(graph, data):
    names = st.sampled_from([node.name for node in graph.nodes])
    hull = convex_hull(graph, [data.draw(names), data.draw(names)])
    graph = replace(graph, regions=(Region("r", hull),))
    found = layout(graph, Space(size_of))
    assert not overlaps(graph, found)
    assert not crossed_nodes(graph, found)


def test_a_wire_inside_a_closed_group_has_no_route_and_one_that_leaves_it_has():
    reads = {"a": None, "between": None, "b": "a", "in_the_way": None, "c": "b"}
    row = (
        Node(name, "sin" if read else "input", (read,) if read else (), position=(300.0 * i, 0.0))
        for i, (name, read) in enumerate(reads.items())
    )
    graph = Graph(tuple(row), (), "c")
    around = {("b", 0), ("c", 0)}  # each passes a node that stands in its way
    assert {*layout(graph, Space(size_of)).bends} == around
    closed = {"a": "group", "b": "group"}
    assert {*routed(standing(graph, Space(size_of)), closed)[0].bends} == {("c", 0)}
