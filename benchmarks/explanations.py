"""Measure the explanations, each beside the same function differentiated by eager JAX."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_viz.explain.catalog import EXPLANATIONS
from benchmarks.clock import ratio, times
from benchmarks.engine import fresh
from benchmarks.peers import jax_eager
from benchmarks.table import Row

SIZE, ROUNDS = 60, 12


def explanations() -> Iterator[Row]:
    """Compare each explanation of a new structure with `jax.vjp` of the function written by hand.

    The explained traces exist before; what their ops compile is compiled.
    """
    for kind in EXPLANATIONS:
        if not kind.row:
            continue
        graphs = fresh(SIZE, ROUNDS)
        peers = [jax_eager(each) for each in graphs]
        examples = [kind.example(each.graph) for each in graphs]
        kind.compute(*kind.example(fresh(SIZE, 1)[0].graph))
        taken, eager = times(
            ROUNDS, lambda i, k=kind, e=examples: k.compute(*e[i]), lambda i, p=peers: p[i]()
        )
        yield Row(f"{SIZE} nodes: {kind.row} / eager jax.vjp", ratio(taken, eager), kind.most)
