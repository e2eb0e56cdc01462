"""Describe the statistics of noise for the page, with the choice of the number of draws."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.explanation import Choice, ExplanationKind
from autodiff_viz.explain.noise.compute import DRAWS, USUAL_DRAWS, Statistics, noisy_nodes, statistics
from autodiff_viz.explain.noise.figure import noise_figure, noise_text
from autodiff_viz.graph.model import Graph, Node, params

DRAWN = Choice(
    "draws",
    "Draws",
    lambda graph: DRAWS,
    first=DRAWS.index(USUAL_DRAWS),
    written=lambda draws: f"{draws:,}",
)


def _noisy(graph: Graph) -> tuple[Trace, str]:
    """Multiply the output by a draw."""
    draw, end = Node("draw", "normal", (), params(seed=0)), Node("end", "mul", (graph.output, "draw"))
    return trace(replace(graph, nodes=(*graph.nodes, draw, end), output="end")), str(USUAL_DRAWS)


def _statistics(found: Trace, draws: str | None) -> Statistics:
    """Draw the noise of a trace anew, with all else as it is there."""
    noisy = noisy_nodes(found.graph)
    inputs = {name: value for name, value in found.inputs.items() if name not in noisy}
    return statistics(
        found.graph, int(draws or USUAL_DRAWS), inputs=inputs, seed=found.seed, dtype=found.dtype
    )


NOISE = ExplanationKind(
    key="noise",
    title="Noise",
    what_it_says="How much the gradient differs from draw to draw of the noise, and what it is on average.",
    public=("statistics",),
    compute=_statistics,
    choices=(DRAWN,),
    needs=lambda graph: bool(noisy_nodes(graph)),
    build=noise_figure,
    text=noise_text,
    beside=lambda trace, draws, twin: (noise_figure(trace, draws, twin), noise_text(trace, draws, twin)),
    slow=True,
    row="statistics of 1,000 draws",
    most=10.0,
    example=_noisy,
)
