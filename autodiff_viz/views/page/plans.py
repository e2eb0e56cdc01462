"""Request plans of checkpoint regions, choose one by a budget, and apply it as an edit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autodiff_viz.engine.explain.plans.plans import Plan, Planned, frontier, present_plan, without_regions
from autodiff_viz.engine.trace import Trace
from autodiff_viz.engine.whole_program.program import structure
from autodiff_viz.figures.memory.plans import AXES, NAMES, PEAK, best, size
from autodiff_viz.figures.style.plotly_text import counted
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import INPUT, Graph, Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.structure.groups import frame_problems
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab, committed, refused
from autodiff_viz.workers.jobs import Job

SECONDS = 120.0  # of CPU time


def plans_job(view: LabView) -> Job:
    """Return the job that finds the plans of the graph on view.

    No plan depends on the values of inputs, or on the regions that the graph has now: a plan that is taken
    needs no new search.
    """
    trace, groups = without_regions(view.trace), view.graph.groups
    return Job(_key("plans", trace, groups), found_plans, (trace, groups), SECONDS, long=True)


def present_job(view: LabView) -> Job:
    """Return the job that measures the plan that the graph on view has now."""
    return Job(_key("present plan", view.trace), measured_plan, (view.trace,))


def _key(what: str, trace: Trace, groups: tuple[Group, ...] = ()) -> bytes:
    shapes = tuple((name, value.shape) for name, value in sorted(trace.inputs.items()))
    return identity((what, structure(trace.graph), shapes, trace.dtype, groups))


def found_plans(trace: Trace, groups: tuple[Group, ...]) -> Planned | tuple[Problem, ...]:
    """Find the plans besides the present one, or return the problems that prevent it."""
    try:
        return frontier(trace, groups=groups)
    except GraphError as error:
        return error.problems


def measured_plan(trace: Trace) -> Plan | tuple[Problem, ...]:
    """Measure the present plan, or return the problems that prevent it."""
    try:
        return present_plan(trace)
    except GraphError as error:
        return error.problems


@dataclass(frozen=True, slots=True)
class Choice:
    """The plan that a budget chooses.

    Attributes:
      by: what the budget is of, a key of `AXES`.
      budgets: the budgets that make a difference, smallest first.
      budget: the one that applies.
      plan: of those that fit, the one that computes least again.
      says: the plan in words.
    """

    by: str
    budgets: tuple[int, ...]
    budget: int
    plan: Plan
    says: str


def choice(found: Planned, by: str = PEAK, budget: int | None = None) -> Choice:
    """Return what a budget chooses.

    Args:
      by: what the budget is of; anything but a key of `AXES` is taken for the peak.
      budget: None for what the present plan needs.
    """
    by = by if by in offered(found) else PEAK
    among = best(found, by) if by == NAMES else found.plans
    budgets = tuple(sorted({size(plan, by) for plan in among}))
    here = next(size(plan, by) for plan in found.plans if plan.present)
    budget = max([one for one in budgets if one <= (here if budget is None else budget)] or budgets[:1])
    fits = [plan for plan in among if size(plan, by) <= budget]
    plan = min(fits, key=lambda plan: (plan.reruns, size(plan, by), plan.peak, plan.kept, not plan.present))
    return Choice(by, budgets, budget, plan, _said(plan))


def offered(found: Planned) -> tuple[str, ...]:
    """Return what a budget of these plans can be of."""
    return tuple(by for by in AXES if by != NAMES or best(found, by))


def _said(plan: Plan) -> str:
    name = f"{plan.name[0].upper()}{plan.name[1:]}"
    again = f"{counted(plan.reruns, 'value')} computed again"
    return f"{name}: peak {plan.peak:,}, kept {plan.kept:,}, {again}{', as now' if plan.present else ''}."


def take_plan(lab: Lab, plan: Plan, graph: Graph) -> Lab:
    """Give the lab's graph the regions of a plan, as one step of undo.

    Args:
      graph: what the plan is of. If other nodes run by now, nothing is changed and `notice` says so.
    """
    if _running(lab.graph) != _running(graph):
        message = "The graph has changed since these plans were found."
        return refused(lab, GraphError(Problem("other-graph", message, "Choose one of its new plans.")))
    after = replace(lab.graph, regions=plan.regions)
    if found := tuple(frame_problems(after)):
        return refused(lab, GraphError(found))
    return committed(lab, after, f"Take plan: {plan.name}")


def _running(graph: Graph) -> dict[str, bytes]:
    return {node.name: node.content for node in graph.nodes if node.op != INPUT}
