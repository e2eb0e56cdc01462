"""A figure of a large graph, which a worker makes: some take seconds there."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.workers.jobs import Job

SECONDS = 60.0  # of work


@dataclass(frozen=True, slots=True)
class Figured:
    """A figure as packed JSON, since many are kept, and the same in `words`."""

    packed: bytes
    words: str

    @property
    def figure(self) -> dict[str, Any]:
        """As `plotly` reads it."""
        return json.loads(zlib.decompress(self.packed))


def figure_job(name: str, trace: Trace, swept: str | None) -> Job:
    """`figured`, for a worker that ends with it."""
    key = identity(("figure", name, trace.identity, swept))
    return Job(key, figured, (name, trace, swept), SECONDS, long=True)


def figured(name: str, trace: Trace, swept: str | None) -> Figured | tuple[Problem, ...]:
    """The figure of this name, or why there is none."""
    spec = FIGURES[name]
    try:
        figure, words = spec.build(trace, swept), spec.text(trace, swept)
    except GraphError as error:
        return error.problems
    return Figured(zlib.compress(figure.to_json().encode()), words)
