"""Test that no wire is drawn over a card that is not one of its ends, by the browser's own curves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autodiff_viz.canvas.arrange import pinned
from autodiff_viz.canvas.cards import HEIGHT, WIDEST, WIDTH, WINDOW, size
from autodiff_viz.canvas.drawing import Picture, drawing, places
from autodiff_viz.canvas.layout.coordinates import COLUMN_GAP, gap_below
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.rehearsal import COMMON
from autodiff_viz.lab.state import FIRST
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS
from benchmarks.graphs import example
from tests.web.node import node

CROSSED = Path(__file__).parents[2] / "web" / "crossed.mjs"
LOOP = "x = 0.6\nw = parameter(0.4)\nh = x\nfor i in range({}):\n    h = tanh(h * w) + x\nz = square(h)\n"


def chain(count: int) -> Graph:
    lines = (f"n{i} = sin({f'n{i - 1}' if i else 'x'})\n" for i in range(count - 1))
    return parse("x = 0.6\n" + "".join(lines))


def opened() -> Iterator[tuple[str, Graph]]:
    """The graphs of the lessons and of the first page, loops, chains and random graphs, by name."""
    formulas = {variant.formula: lesson.key for lesson in LESSONS for variant in lesson.steps}
    for formula, lesson in {FIRST: "first", COMMON: "common", **formulas}.items():
        yield lesson, parse(formula)
    for steps in (6, 19):
        yield f"loop of {steps}", parse(LOOP.format(steps))
    yield "chain of 60", chain(60)
    for count, seeds in ((30, 6), (60, 2)):
        for seed in range(seeds):
            yield f"random {count} {seed}", example(count, seed).graph


def drawn(graph: Graph) -> dict[str, Any]:
    return drawing(Picture(graph, None, {}, (), None, 0)).data


def crossed(drawings: list[dict[str, Any]], folder: Path) -> list[list[list[str]]]:
    """[source, target, card] of each wire over a card, by drawing."""
    (folder / "drawings.json").write_text(json.dumps(drawings), encoding="utf-8")
    found = node()
    assert found is not None
    command = [found, str(CROSSED), str(folder / "drawings.json")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(node() is None, reason="no Node")
def test_no_graph_opens_with_a_wire_over_a_card(tmp_path):
    graphs = dict(opened())
    kept = {f"{name}, with its places kept": pinned(graph) for name, graph in graphs.items()}
    found = crossed([drawn(graph) for graph in (graphs | kept).values()], tmp_path)
    assert {name: wires for name, wires in zip(graphs | kept, found, strict=True) if wires} == {}


@pytest.mark.skipif(node() is None, reason="no Node")
def test_a_wire_over_a_card_is_found(tmp_path):
    bare = drawn(parse("x = 1.0\ny = sin(x)\nz = y * x\n# positions: x 0 0, y 200 0, z 400 0\n"))
    bare["wires"] = [wire | {"via": []} for wire in bare["wires"]]
    assert crossed([bare], tmp_path) == [[["x", "z", "y"]]]


def scale_of(graph: Graph) -> float:
    across, down = places(graph).extent({node.name: size(node) for node in graph.nodes})
    return min(WINDOW[0] / across, WINDOW[1] / down)


def best_of_a_chain(count: int) -> float:
    """The largest scale at which rows of equal length fit the window, by enumeration."""

    def scale(rows: int) -> float:
        long = -(-count // rows)
        across = max(long * (WIDTH + COLUMN_GAP) - COLUMN_GAP, min(WIDEST, count * WIDTH))
        return min(WINDOW[0] / across, WINDOW[1] / (rows * HEIGHT + (rows - 1) * gap_below(1)))

    return max(scale(rows) for rows in range(1, count))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [10, 14, 40, 60, 150, 300, 800])
def test_the_rows_of_a_chain_make_the_most_of_the_window(count):
    assert scale_of(chain(count)) > 0.93 * best_of_a_chain(count)


@pytest.mark.parametrize("steps", [6, 19, 31])
def test_a_loop_whose_steps_all_read_one_node_is_divided_into_rows(steps):
    graph = parse(LOOP.format(steps))
    across, down = places(graph).extent({node.name: size(node) for node in graph.nodes})
    assert 1.8 < across / down < 5  # the window is 2.8 times as wide as high
