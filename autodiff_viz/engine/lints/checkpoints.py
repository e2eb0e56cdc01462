"""Find checkpoint regions that save nothing: count what is kept with the region and without."""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_viz.engine.explain.cure import Cure
from autodiff_viz.engine.explain.memory.play import play
from autodiff_viz.engine.lints.lint import Finding, LintKind
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.whole_program.remat_counts import residuals_of
from autodiff_viz.graph.edits import node_edits as edits
from autodiff_viz.graph.model import INPUT, Graph, Region
from autodiff_viz.graph.structure.order import ancestors, order
from autodiff_viz.graph.text.names import quoted

MOST = 8  # regions that are looked at: for each, two programs are traced

KEPT, PEAK = "kept", "peak"
"""Kinds of claims: with a region and without, how many elements are kept, and how many are live at most."""

HINT = (
    "A region pays off where it drops more than its inputs: around several steps whose derivatives need "
    "their own values, and not around the last ones, which are used again at once."
)


def idle_checkpoints(found: Trace) -> Iterator[Finding]:
    """Yield the regions with which the forward pass keeps as many elements as without, or more.

    A region in others is judged as if it were alone: it is there for the moment when they run again. One
    that holds the whole way to the output is judged by the peak of live elements: all of it runs again at
    once. The first `MOST` regions are looked at.
    """
    for region in found.graph.regions[:MOST]:
        outer = [other.name for other in found.graph.regions if region.nodes < other.nodes]
        graph = _without(found.graph, outer)
        plain = _without(graph, [region.name])
        kept, kept_plain = _kept(found, graph), _kept(found, plain)
        claims = [Claim(KEPT, (region.name,), (kept, kept_plain))]
        if kept >= kept_plain:
            counts = f"saves nothing: with it the forward pass keeps {_said(kept)}, without it {kept_plain}"
        elif _is_whole(graph, region) and (peak := _peak(found, graph)) >= (least := _peak(found, plain)):
            counts = (
                f"holds the whole way to the output. It keeps {_said(kept)} in place of {kept_plain}, but "
                "what it drops runs again at once: the peak of live elements is "
                f"{peak} with it, {least} without"
            )
            claims.append(Claim(PEAK, (region.name,), (peak, least)))
        else:
            continue
        yield Finding(
            region.name,
            f"The checkpoint {quoted(region.name)} {counts}.",
            HINT,
            _cure(region.name),
            tuple(node.name for node in order(found.graph) if node.name in region.nodes),
            tuple(claims),
        )


IDLE_CHECKPOINT = LintKind("checkpoint-saves-nothing", idle_checkpoints)


def _cure(name: str) -> Cure:
    return Cure(
        lambda graph: edits.without_region(graph, name),
        f"Remove the checkpoint {name}",
        "No number changes; nothing runs again.",
    )


def _without(graph: Graph, names: list[str]) -> Graph:
    for name in names:
        graph = edits.without_region(graph, name)
    return graph


def _kept(found: Trace, graph: Graph) -> int:
    shapes = {name: value.shape for name, value in found.inputs.items()}
    return sum(residual.elements for residual in residuals_of(graph, shapes, found.dtype))


def _is_whole(graph: Graph, region: Region) -> bool:
    way = ancestors(graph, [graph.output])
    return all(node.name in region.nodes for node in graph.nodes if node.op != INPUT and node.name in way)


def _peak(found: Trace, graph: Graph) -> int:
    again = trace(graph, found.inputs, found.seed, dtype=found.dtype)
    return max(step.live for step in play(again))


def _said(count: int) -> str:
    return f"{count} element" if count == 1 else f"{count} elements"
