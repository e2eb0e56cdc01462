"""Analyse one node: what the explanations say of it in the panel of the selected node."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from autodiff_viz.engine.trace import Trace, counts_unknown
from autodiff_viz.explain.catalog import EXPLANATIONS
from autodiff_viz.explain.explanation import Explanation
from autodiff_viz.explain.rule_check.view import RULE_CHECK
from autodiff_viz.explain.zero.view import explained_zero
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.workers.jobs import Job, job_of


@dataclass(frozen=True, slots=True)
class Analysis:
    """Analysis of one node.

    Attributes:
      says: the sentences of all explanations but these two.
      why: why nothing arrives; None where something does.
      rule: sentences on what the node declares beside the true derivative.
    """

    says: tuple[str, ...] = ()
    why: Explanation | None = None
    rule: tuple[str, ...] = ()


def program_job(trace: Trace, name: str, trained: bool = False) -> Job:
    """Return the job that analyses a node in a worker process; `trained`: at a step of a training."""
    return job_of(program_says, trace, name, trained)


def program_says(trace: Trace, name: str, trained: bool = False) -> Analysis:
    """Return why nothing arrives at a node, and what the explanations say of it.

    Empty if the graph's regions cannot run.
    """
    telling = [kind for kind in EXPLANATIONS if kind.node_says and kind is not RULE_CHECK]
    try:
        says = [one for kind in telling if kind.counts for one in kind.node_says(trace, name)]
    except GraphError:
        if not (unknown := counts_unknown(trace)):
            return Analysis()
        says = [unknown]
    for kind in telling:
        if not kind.counts:
            with suppress(GraphError):  # it has nothing to say of this node
                says += kind.node_says(trace, name)
    return Analysis(
        tuple(filter(None, says)), explained_zero(trace, name, trained), RULE_CHECK.node_says(trace, name)
    )
