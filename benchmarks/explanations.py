"""Measure the explanations, each beside the same function differentiated by eager JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import autodiff_viz as av
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.graph.edits import with_rule
from autodiff_viz.graph.model import Graph, Node, Rule
from benchmarks.clock import ratio, times
from benchmarks.engine import fresh
from benchmarks.peers import jax_eager
from benchmarks.table import Row

SIZE, ROUNDS = 60, 12
TARGET = 5.0  # eager JAX takes some 10 ms of processor time, an explanation may take 50


def explanations() -> Iterator[Row]:
    """Compare each explanation of a new structure with `jax.vjp` of the function written by hand.

    The explained traces exist before; what their ops compile is compiled.
    """
    for name, (prepare, explain) in EXPLANATIONS.items():
        examples = fresh(SIZE, ROUNDS)
        peers = [jax_eager(each) for each in examples]
        traces = [prepare(each.graph) for each in examples]
        explain(prepare(fresh(SIZE, 1)[0].graph))
        taken, eager = times(ROUNDS, lambda i, t=traces, e=explain: e(t[i]), lambda i, p=peers: p[i]())
        yield Row(f"{SIZE} nodes: {name} / eager jax.vjp", ratio(taken, eager), TARGET)


def _stopped(graph: Graph) -> Trace:
    """Stop the gradient at the output, so that nothing arrives anywhere."""
    return trace(with_rule(graph, graph.output, Rule("stop")))


def _not_finite(graph: Graph) -> Trace:
    """Add the root of a negative number to the output."""
    below, root = Node("below", "sub", ("x0", 9.0)), Node("root", "sqrt", ("below",))
    end = Node("end", "add", (graph.output, "root"))
    return trace(Graph((*graph.nodes, below, root, end), (), "end"))


def _and_without_a_stop(found: Trace) -> tuple[Trace, Trace]:
    middle = found.graph.nodes[len(found.graph.nodes) // 2].name
    return found, trace(with_rule(found.graph, middle, Rule("stop")))


EXPLANATIONS: dict[str, tuple[Callable[[Graph], Any], Callable[[Any], Any]]] = {
    "steps of the pass": (trace, av.play),
    "why nothing arrives": (_stopped, lambda found: av.why_zero(found, "x0")),
    "where NaN begins": (_not_finite, av.nonfinite_origin),
    "compared with a stop": (lambda graph: _and_without_a_stop(trace(graph)), lambda both: av.compare(*both)),
    "paths of an input": (trace, lambda found: av.paths(found, "x0")),
    "what is live": (trace, memory),
    "lints": (trace, av.lints),
    "tangents": (lambda graph: graph, lambda graph: av.jvp(graph, {"x0": 1.0})),
    "rows and columns": (trace, lambda found: av.jacobian(found, "x0")),
    "rule check": (trace, lambda found: av.rule_check(found, "n9")),
    "ranges beside float64": (trace, av.precision),
}
"""By name: a function that makes what is explained of a graph, and the explanation."""
