"""Measure the live path: traces of new structures, edits, sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.kernels import kernel
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.edits import with_param, with_rule
from autodiff_viz.graph.model import Graph, Rule
from benchmarks.clock import ratio, times
from benchmarks.graphs import Example, example
from benchmarks.peers import jax_eager, torch, torch_eager
from benchmarks.table import Row

SIZES = {10: 80, 30: 60, 60: 40, 100: 25, 300: 12}  # nodes: rounds
TARGETED = (10, 30, 60, 300)
STEPS = np.linspace(-1.0, 1.0, 101)
_seeds = count()


def fresh(size: int, rounds: int) -> list[Example]:
    """Return examples of structures that nothing in this process has seen."""
    return [example(size, next(_seeds)) for _ in range(rounds)]


def read(found: Trace) -> list[float]:
    """Return the gradients as numbers, as the hand-written functions do."""
    return [float(gradient) for gradient in found.gradient.values()]


def against_hand_written() -> Iterator[Row]:
    """Compare a new structure, and the same one again, with the same function written by hand."""
    read(trace(example(300, -1).graph))
    for size, rounds in SIZES.items():
        examples = fresh(size, rounds)
        peers = [jax_eager(each) for each in examples]
        jax_warm = [jax_eager(each) for each in examples[:1]]
        jax_warm[0]()
        new, eager = times(rounds, lambda i, e=examples: read(trace(e[i].graph)), lambda i, p=peers: p[i]())
        again, eager_again = times(
            rounds, lambda i, e=examples: read(trace(e[i].graph)), lambda i, p=peers: p[i]()
        )
        target = 0.15 if size in TARGETED else None
        yield Row(f"{size} nodes, a structure never seen: trace / eager jax.vjp", ratio(new, eager), target)
        yield Row(f"{size} nodes, traced again: trace / eager jax.vjp, again", ratio(again, eager_again))
        if torch is not None:
            yield _against_torch(size, rounds)


def _against_torch(size: int, rounds: int) -> Row:
    examples = fresh(size, rounds)
    peers = [torch_eager(each) for each in examples]
    for each in examples[:3]:
        torch_eager(each)()
    new, eager = times(rounds, lambda i: read(trace(examples[i].graph)), lambda i: peers[i]())
    target = 3.0 if size in TARGETED else None
    return Row(f"{size} nodes, a structure never seen: trace / PyTorch eager", ratio(new, eager), target)


def edits(sizes: Sequence[int] = TARGETED) -> Iterator[Row]:
    """Compare a toggle or a slider step with the function written by hand and with a new structure.

    The edit of the graph is included.
    """
    for size in sizes:
        rounds = SIZES[size]
        unseen, examples = fresh(size, rounds), fresh(size, rounds)
        peers = [jax_eager(each) for each in examples]
        for each in examples:
            trace(each.graph)
        new, eager, toggle, slide = times(
            rounds,
            lambda i, e=unseen: read(trace(e[i].graph)),
            lambda i, p=peers: p[i](),
            lambda i, e=examples: read(trace(_toggled(e[i].graph))),
            lambda i, e=examples: read(trace(with_param(e[i].graph, "x1", "value", 0.5 + i / 512))),
        )
        for what, taken in (("toggle of a stop gate", toggle), ("slider step", slide)):
            yield Row(f"{size} nodes: {what} / eager jax.vjp", ratio(taken, eager), 0.15)
            yield Row(f"{size} nodes: {what} / trace of a new structure", ratio(taken, new))


def _toggled(graph: Graph) -> Graph:
    middle = graph.nodes[len(graph.nodes) // 2].name
    return with_rule(graph, middle, Rule("stop"))


def sweeps() -> Iterator[Row]:
    """Compare a sweep of 101 positions with one trace; the swept ops are compiled before."""
    rounds, size = 30, 30
    for each in fresh(size, 30):
        sweep(trace(each.graph), "x0", STEPS)
    traces = [trace(each.graph) for each in fresh(size, rounds)]
    graphs = [each.graph for each in fresh(size, rounds)]
    many, one = times(
        rounds, lambda i: sweep(traces[i], "x0", STEPS).gradient.sum(), lambda i: read(trace(graphs[i]))
    )
    yield Row(f"{size} nodes: sweep of {len(STEPS)} positions / one trace", ratio(many, one), 10.0)


def linearity() -> Iterator[Row]:
    """Compare the cost of one node in a large graph with that in a small one."""
    rounds, small, large = 7, 200, 2000
    few = [each.graph for each in fresh(small, rounds)]
    many = [each.graph for each in fresh(large, rounds)]
    a, b = times(rounds, lambda i: read(trace(many[i])), lambda i: read(trace(few[i])))
    yield Row(f"one node of {large} / one node of {small}", ratio(a, b) * small / large, 1.3)


def first_use() -> Iterator[Row]:
    """Measure an op in a shape that nobody has used: the one moment when the live path compiles."""
    rounds = 8
    graphs = [each.graph for each in fresh(30, rounds)]
    compiled, walked = times(rounds, _compile_in_a_new_shape, lambda i: read(trace(graphs[i])))
    yield Row("first use of an op in a new shape / trace of 30 nodes, warm", ratio(compiled, walked))


def _compile_in_a_new_shape(i: int) -> None:
    shape = (700 + i,)
    found = kernel("tanh", (), (shape,), (0,), FLOAT32)
    array = jnp.zeros(shape, FLOAT32)
    found.pull(found.run(array), array)
