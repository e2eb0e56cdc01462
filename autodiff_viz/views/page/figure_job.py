"""Make the figure of a large graph, or a slow one, in a worker process, since some take seconds."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.figures.style.twin import Twin
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.workers.jobs import Job

SECONDS = 60.0  # of CPU time


@dataclass(frozen=True, slots=True)
class Figured:
    """Figure as compressed JSON, since many are kept, with its description.

    Attributes:
      packed: the compressed JSON.
      words: the same in a sentence for screen readers.
    """

    packed: bytes
    words: str

    @property
    def figure(self) -> dict[str, Any]:
        """The figure as a dictionary for Plotly."""
        return json.loads(zlib.decompress(self.packed))


def figure_job(name: str, trace: Trace, of: str | None, low: bool = False, twin: Twin | None = None) -> Job:
    """Return the job that runs `figured` in a worker process of its own."""
    twin = twin if FIGURES[name].beside else None
    key = identity(("figure", name, trace.identity, of, low, twin and (twin.trace.identity, twin.letter)))
    return Job(key, figured, (name, trace, of, low, twin), SECONDS, long=True)


def figured(
    name: str, trace: Trace, of: str | None, low: bool = False, twin: Twin | None = None
) -> Figured | tuple[Problem, ...]:
    """Make the figure of this name about the node `of`, or return the problems that prevent it.

    Args:
      twin: the pinned graph, of a figure that shows it beside the present one.
    """
    spec = FIGURES[name]
    try:
        if twin is not None:
            figure, words = spec.beside(trace, of, twin)
        else:
            figure, words = spec.build_for(low)(trace, of), spec.text(trace, of)
    except GraphError as error:
        return error.problems
    return Figured(zlib.compress(figure.to_json().encode()), words)
