"""Request plans of checkpoint regions, choose one by a budget, and apply it as an edit."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.plans.compute import (
    AXES,
    NAMES,
    PEAK,
    Plan,
    Planned,
    best,
    frontier,
    plans,
    present_plan,
    size,
)
from autodiff_viz.explain.plans.figure import plans_figure_of, plans_text_of
from autodiff_viz.graph.model import Group
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import counted


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


def choice(planned: Planned, by: str = PEAK, budget: int | None = None) -> Choice:
    """Return what a budget chooses.

    Args:
      by: what the budget is of; anything but a key of `AXES` is taken for the peak.
      budget: None for what the present plan needs.
    """
    by = by if by in offered(planned) else PEAK
    among = best(planned, by) if by == NAMES else planned.plans
    budgets = tuple(sorted({size(plan, by) for plan in among}))
    if budget is None:
        budget = next(size(plan, by) for plan in planned.plans if plan.present)
    # The largest that makes a difference and is no more; the smallest where even that is more.
    budget = max([one for one in budgets if one <= budget] or budgets[:1])
    fits = [plan for plan in among if size(plan, by) <= budget]
    plan = min(fits, key=lambda plan: (plan.reruns, size(plan, by), plan.peak, plan.kept, not plan.present))
    name, now = f"{plan.name[0].upper()}{plan.name[1:]}", ", as the graph is now" if plan.present else ""
    again = f"{counted(plan.reruns, 'value') if plan.reruns else 'nothing'} computed again"
    most = f"at most {counted(plan.peak, 'element')} live at a time"
    says = f"{name}{now}: {most}, {plan.kept:,} kept, {again}."
    return Choice(by, budgets, budget, plan, says)


def offered(planned: Planned) -> tuple[str, ...]:
    """Return what a budget of these plans can be of."""
    return tuple(by for by in AXES if by != NAMES or best(planned, by))


PLANS = ExplanationKind(
    key="plans",
    title="Plans",
    what_it_says="Which checkpoints would save memory here, and what they would compute again.",
    public=("plans",),
    compute=lambda trace, _: plans(trace),
    build=lambda trace, _: plans_figure_of(trace),
    text=lambda trace, _: plans_text_of(trace),
    low=lambda trace, _: plans_figure_of(trace, low=True),
    slow=True,
    counts=True,
    row="plans of regions",
    most=150.0,  # a search over thousands of plans, of which JAX measures the few that are returned
)
