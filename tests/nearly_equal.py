"""List pairs of states that Python's `==` or `hash` confuses, and all that the lab computes from a state.

`python -m tests.nearly_equal 0 4 7` prints, as JSON, the outcomes of the first states of pairs 4 and 7, in a
process that has never seen the second ones; with 1 in the place of 0, of the second ones.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.cuts import graph_segments, has_cuts
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.evaluate import LabView, lab_view, sweep_tables
from autodiff_viz.lab.inspector.node import NodeView, node_view
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.parts import PARTS
from autodiff_viz.lab.state import Lab
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.segments.compute import curves, division
from autodiff_viz.training.course import further, records, start, state_at
from autodiff_viz.training.state import Settings, learned

os.environ.setdefault("JAX_PLATFORMS", "cpu")

STEPS = 3


class State(NamedTuple):
    """What a visitor has on the page."""

    text: str
    seed: Any = None
    dtype: str = "float32"
    ranges: tuple[tuple[str, float, float], ...] = ()
    backwards: bool = False
    settings: Settings = Settings()

    @property
    def graph(self) -> Graph:
        found = parse(self.text)
        return replace(found, nodes=found.nodes[::-1]) if self.backwards else found


def _pair(text: str, one: str, other: str) -> tuple[State, State]:
    return State(text.format(one)), State(text.format(other))


SQUARE = "[[1.0, 2.0], [3.0, 5.0]]"
LEARNING = "w = parameter({})\nu = parameter(0.5)\nloss = square(w * 2.0 - 1.0) + stop_gradient(w) * u"
PAIRS: tuple[tuple[State, State], ...] = (
    _pair("x = 3.0\ny = {}\nz = x * y", "-1.0", "-2.0"),
    _pair("a = 1.0\ny = a / {}", "0.0", "-0.0"),
    _pair("a = [1.0, 2.0]\ny = sum(a / {})", "[0.0, 1.0]", "[-0.0, 1.0]"),
    _pair("x = {}\ny = 1.0 / x", "0.0", "-0.0"),
    _pair("x = {}\ny = 1.0 / x", "[0.0, 2.0]", "[-0.0, 2.0]"),
    _pair("x = {}\ny = x * 2.0", "1", "1.0"),
    _pair("x = 3.0\ny = x * {}", "2", "2.0"),
    _pair("x = [1, 2]\ny = x * {}", "[2, 3]", "[2.0, 3.0]"),
    _pair(f"x = {SQUARE}\ny = sum(x, axis={{}})", "-1", "-2"),
    _pair(f"x = {SQUARE}\ny = sum(softmax(x, axis={{}}) * x)", "-1", "-2"),
    _pair(f"x = {SQUARE}\ny = x[{{}}]", "0", "-2"),
    _pair("x = 2.0\ny = rewrite(x * x, lambda v: v / {})", "0.0", "-0.0"),
    _pair("x = 2.0\ny = rewrite(x * x, lambda v: v * {})", "-1", "-2"),
    _pair("x = 2.0\ny = scale_gradient(x * x, {})", "0.0", "-0.0"),
    _pair("x = 2.0\ny = scale_gradient(x * x, {})", "-1.0", "-2.0"),
    _pair("x = 2.0\ny = rewrite(x * x, lambda v: v * {})", "1", "1.0"),
    _pair("x = 0.5\ny = custom(sin(x), pullback=lambda v, x, y: v / {})", "0.0", "-0.0"),
    _pair("x = input(-1.0, low={}, high=4.0)\ny = x * 3.0", "-1.0", "-2.0"),
    _pair("x = input(1.0, low={}, high=4.0)\ny = 1.0 / x", "0.0", "-0.0"),
    _pair("u = uniform(shape=(2,), low={}, high=0.5)\ny = sum(u)", "-1.0", "-2.0"),
    _pair("u = normal(shape=(2,), mean={}, scale=0.0)\ny = sum(1.0 / u)", "0.0", "-0.0"),
    _pair("x = {}\nwith checkpoint('b'):\n    y = 1.0 / sin(x)", "0.0", "-0.0"),
    _pair("x = 2.0\na = cut(x / {})\ny = square(a)", "0.0", "-0.0"),
    _pair(LEARNING, "1", "1.0"),
    _pair(LEARNING, "-1.0", "-2.0"),
    _pair(LEARNING + "\nreturn loss", "0.0", "-0.0"),
    tuple(State("x = [2.0, 3.0]\ny = x * x", seed) for seed in ((1.0, 0.0), (1.0, 5.0))),
    tuple(State("x = 2.0\ny = 1.0 / x", seed) for seed in (0.0, -0.0)),
    tuple(State("x = 2.0\ny = sin(x)", seed) for seed in (1, 1.0)),
    tuple(State("x = 2.0\ny = sin(x)", dtype=dtype) for dtype in ("float32", "float64")),
    tuple(State("x = 2.0\ny = 1.0 / x", ranges=(("x", low, 3.0),)) for low in (0.0, -0.0)),
    tuple(State("x = 2.0\ny = 1.0 / x", ranges=(("x", low, 3.0),)) for low in (-1.0, -2.0)),
    tuple(State(LEARNING.format("0.3"), backwards=backwards) for backwards in (False, True)),
)


def outcome(state: State) -> dict[str, Any]:
    """All that the lab works out of a state, as data in which no two different numbers are equal."""
    graph = state.graph
    found = trace(graph, seed=state.seed, dtype=state.dtype)
    lab = Lab(begin(graph), seed=state.seed, dtype=state.dtype, ranges=state.ranges, selected=graph.output)
    view = lab_view(lab)
    told = {
        "values": _told(found.value),
        "cotangents": _told(found.cotangent),
        "passed": _told(found.passed),
        "gradient": _told(found.gradient),
        "verified": verify(found).agrees,
        "verification": repr(verification(found)),
        "runs": repr(dict(found.runs)),
        "residuals": repr(found.residuals),
        "text": show(graph),
        "json": to_json(graph),
        "python": to_python(graph),
        "drawing": repr(view.drawing),
        "notes": view.notes,
        "sliders": repr(view.sliders),
        "keys": dict(view.sweeps),
        "tables": repr(
            [{key: x for key, x in t.items() if key != "key"} for t in sweep_tables(view, view.sweeps)]
        ),
        "parts": {name: identity(show(lab, view)).hex() for name, show in _parts()},
    }
    if learned(graph):
        told["training"] = _trained(state, graph)
    if has_cuts(graph):
        cut = division(graph, found)
        told["segments"] = [repr(graph_segments(graph)), repr(cut)]
    return json.loads(json.dumps(told))


def _parts() -> list[tuple[str, Any]]:
    """The parts whose data says itself in full."""
    drawn = [
        (name, lambda lab, view, name=name: lab_drawing(lab, view)[name]) for name in ("sliders", "formula")
    ]
    return [*drawn, ("nodes", _nodes), *((name, PARTS[name].data) for name in ("figure", "settings"))]


def _nodes(lab: Lab, view: LabView) -> list[NodeView]:
    return [node_view(view.graph, view.trace, node.name) for node in view.graph.nodes]


def _told(arrays: Any) -> dict[str, str]:
    return {str(key): f"{np.asarray(array).dtype}{_bits(array)}" for key, array in sorted(arrays.items())}


def _bits(array: Any) -> str:
    return np.asarray(array).tobytes().hex()


def _trained(state: State, graph: Graph) -> dict[str, Any]:
    course = start(graph, state.settings, state.dtype)
    course = further(course, graph, state.settings, STEPS)
    made = records(course)
    by_node = {name: _bits(made.cotangent[:, i]) for i, name in enumerate(made.nodes)}
    by_node |= {f"value of {name}": _bits(made.value[:, i]) for i, name in enumerate(made.nodes)}
    told = {"loss": _bits(made.loss), "nodes": by_node, "state": _told(state_at(course, STEPS).parameters)}
    if has_cuts(graph):
        told["three ways"] = repr(curves(graph, state.settings, STEPS, state.dtype))
    return told


def outcomes(which: int, pairs: list[int]) -> dict[int, dict[str, Any]]:
    """Of the first (0) or the second (1) state of these pairs."""
    return {i: _safe(PAIRS[i][which]) for i in pairs}


def _safe(state: State) -> dict[str, Any]:
    try:
        return outcome(state)
    except GraphError as error:
        return {"refused": [problem.message for problem in error.problems]}


if __name__ == "__main__":
    chosen, *numbers = map(int, sys.argv[1:])
    json.dump(outcomes(chosen, numbers), sys.stdout)
