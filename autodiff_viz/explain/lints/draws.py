"""Find draws that are made of the same random bits, and so are not independent of each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.cure import Cure
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.graph import edits, limits
from autodiff_viz.graph.model import Node
from autodiff_viz.graph.order import ancestors, order
from autodiff_viz.graph.text import quoted
from autodiff_viz.ops.catalog import OPS

SEED = "seed"
"""The one kind of claim: two nodes draw with this seed."""


def shared_draws(found: Trace) -> Iterator[Finding]:
    """Yield each node on the way to the output that draws with the seed of one before it.

    A draw is made with the key of its seed alone, whatever its op, shape and range: `normal` and `uniform`
    with one seed are made of the same bits, and so is the mask of `dropout`.
    """
    way = ancestors(found.graph, [found.output]) | {found.output}
    drawn = [(node, seed_of(node)) for node in order(found.graph)]
    first: dict[int, Node] = {}
    free = (seed for seed in count(1) if seed not in {taken for _, taken in drawn} and seed <= limits.SEED)
    for node, seed in drawn:
        if seed is None or node.name not in way:
            continue
        before = first.setdefault(seed, node)
        if before is node:
            continue
        other = next(free)
        yield Finding(
            node.name,
            f"{quoted(node.name)} and {quoted(before.name)} have the seed {seed}: both are made of the same "
            "random bits, as with one key of JAX, so they are not independent.",
            "Give each draw a seed of its own, unless both are meant to be one draw.",
            Cure(
                partial(edits.with_param, name=node.name, param="seed", value=other),
                f"Give {node.name} the seed {other}",
                f"{node.name} is another draw, independent of {before.name}; what reads it changes.",
            ),
            (node.name, before.name),
            (Claim(SEED, (node.name, before.name), (seed,)),),
        )


def seed_of(node: Node) -> int | None:
    """Return the seed with which a node draws; None if it draws nothing. An input's is of its data."""
    param = OPS[node.op].param("seed") if node.op in OPS else None
    return None if param is None or node.muted else int(node.param("seed", param.default))


SHARED_DRAW = LintKind("shared-draw", shared_draws, new_values=True)
