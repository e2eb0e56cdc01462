"""Test plans on the page: what a budget chooses, and what taking a plan does to the graph."""

from __future__ import annotations

from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.plans.compute import Plan, Planned, as_present, planned, with_present
from autodiff_viz.explain.plans.view import choice, measured_plan
from autodiff_viz.graph.model import Graph, Region
from autodiff_viz.lab.actions import set_input, typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.edits.rules import take_plan
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.figures import plans_job, present_job
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.language.show import show
from autodiff_viz.workers.jobs import done_here
from tests.export.programs import run_here

LAYER = "x = [1.0, 2.0, 3.0, 4.0]\nw = input(shape=(4, 5), seed=1)\ny = sum(square(exp(sin(x @ w))))"


def of(text: str) -> Lab:
    return typed(start(), text)


def sines(count: int) -> str:
    return "\n".join(["v0 = 0.5", *(f"v{i + 1} = sin(v{i})" for i in range(count))])


def found(lab: Lab) -> Planned:
    view = lab_view(lab)
    plans = done_here(plans_job(view)).value
    return as_present(plans, view.graph.regions) or with_present(plans, done_here(present_job(view)).value)


def saving(lab: Lab) -> Plan:
    """A plan that saves names."""
    return next(plan for plan in found(lab).plans if plan.one_policy and "(" in plan.policy)


def test_a_budget_chooses_what_runs_least_again_of_what_fits():
    """Eight sines. Within 7 one value runs again, within 5 three; 4 is what Revolve's two snapshots need."""
    plans = found(of(sines(8)))
    within = {budget: choice(plans, "peak", budget) for budget in (8, 7, 6, 5, 4)}
    assert [one.plan.reruns for one in within.values()] == [0, 1, 2, 3, 7]
    assert [one.plan.peak for one in within.values()] == [8, 7, 6, 5, 4]
    assert within[4].plan.name == "Revolve, 2 snapshots"
    assert within[8].says == (
        "No regions, as the graph is now: at most 8 elements live at a time, 8 kept, nothing computed again."
    )
    assert within[7].says.endswith(" live at a time, 7 kept, 1 value computed again.")
    assert choice(plans, "kept", 1).plan.reruns == 7  # all but the last sine


@pytest.mark.nightly
def test_a_budget_by_names_chooses_one_policy_for_the_whole_graph():
    """Row 40: of four sines, one region that saves n of v1, v2, v3 keeps 1 + n and runs 3 - n again."""
    plans = found(of(sines(4)))
    for budget in (1, 2, 3, 4):
        plan = choice(plans, "names", budget).plan
        assert (plan.kept, plan.reruns) == (budget, 4 - budget)
        assert [region.nodes for region in plan.regions] == [{"v1", "v2", "v3", "v4"}]
        assert len(plan.regions[0].saved) == budget - 1
    assert plan.policy == 'save_only_these_names("v1", "v2", "v3")'
    many = found(of(sines(20)))
    assert choice(many, "names").by == "peak"  # not searched


def test_a_budget_is_one_that_makes_a_difference():
    plans = found(of(sines(8)))
    assert choice(plans).budget == 8  # what is needed now
    assert choice(plans, "peak", 1_000).budget == 8
    assert choice(plans, "peak", 0).budget == 4  # the least that there is
    assert choice(plans, "nonsense", 5).by == "peak"


@pytest.mark.parametrize("text", [sines(6), LAYER])
def test_a_taken_plan_is_one_step_of_undo_and_costs_what_it_said(text):
    lab = of(text)
    for plan in found(lab).plans:
        after = take_plan(lab, plan, lab.graph)
        whole = trace(after.graph)
        assert max(step.live for step in av.play(whole)) == plan.peak
        assert sum(runs.kept for runs in whole.runs.values()) == plan.reruns
        assert {*after.graph.regions} == {*plan.regions}
        if not plan.present:
            assert after.history.present.label == f"Take plan: {plan.name}"
            assert undone(after).graph == lab.graph


def keeps_its_regions(lab: Lab, graph: Graph) -> None:
    assert av.parse(formula_text(lab)).regions == av.parse(show(graph)).regions == graph.regions
    assert av.from_json(av.to_json(graph)).regions == graph.regions
    assert av.from_link(av.to_link(graph)).regions == graph.regions


def test_a_taken_plan_goes_through_formula_json_and_links_and_is_exported():
    lab = of(LAYER)
    for plan in found(lab).plans:
        after = take_plan(lab, plan, lab.graph)
        keeps_its_regions(after, after.graph)
    plan = saving(lab)
    after = take_plan(lab, plan, lab.graph)
    source = av.to_python(after.graph)
    assert f"jax.checkpoint_policies.{plan.policy}" in " ".join(source.split()).replace("'", '"')
    assert plan.code.startswith(f"policy = jax.checkpoint_policies.{plan.policy}\n")
    (value, gradients, _), whole = run_here(source), trace(lab.graph)
    assert value == pytest.approx(float(whole.value["y"]), rel=2e-5)
    assert gradients[0] == pytest.approx(whole.gradient["x"], rel=2e-5)


def test_a_plan_of_another_graph_is_refused_with_a_reason():
    lab = of(sines(4))
    plan = next(plan for plan in found(lab).plans if plan.regions)
    other = of(sines(4).replace("sin(v2)", "cos(v2)"))
    after = take_plan(other, plan, lab.graph)
    assert after.graph == other.graph
    assert "has changed" in after.notice[0].message
    moved = take_plan(set_input(lab, "v0", 0.7), plan, lab.graph)  # values of inputs change no plan
    assert moved.graph.regions == plan.regions


def test_a_plan_that_would_cut_a_group_is_refused():
    lab = of(sines(4))
    grouped = edited(lab, {"kind": "group", "nodes": ["v2", "v3"]})
    assert grouped.graph.groups
    plan = Plan("two", (Region("a", frozenset({"v1", "v2"})),), "", 0, 0, 0)
    after = take_plan(grouped, plan, grouped.graph)
    assert (after.graph, bool(after.notice)) == (grouped.graph, True)
    for plan in found(grouped).plans:
        assert not take_plan(grouped, plan, grouped.graph).notice


def test_plans_are_found_again_only_if_the_program_is_another():
    lab = of(sines(4))
    keys = {
        plans_job(lab_view(one)).key
        for one in (
            lab,
            take_plan(lab, saving(lab), lab.graph),
            set_input(lab, "v0", 0.7),
            edited(lab, {"kind": "cut_after", "nodes": ["v2"], "on": True}),
        )
    }
    assert len(keys) == 1
    grouped = edited(lab, {"kind": "group", "nodes": ["v2", "v3"]})
    for other in (of(sines(5)), replace(lab, dtype="float64"), grouped):
        assert plans_job(lab_view(other)).key not in keys


@pytest.mark.nightly
@pytest.mark.parametrize("text", [sines(6), LAYER])
def test_after_a_plan_is_taken_the_page_has_what_a_search_from_nothing_finds(text):
    """Costs of all plans, and which one is present, are those of `av.plans` of the graph with its regions."""

    def told(plans):
        return {(plan.code, plan.peak, plan.kept, plan.reruns, plan.optimal, plan.present) for plan in plans}

    lab = of(text)
    plans = done_here(plans_job(lab_view(lab))).value
    for plan in found(lab).plans:
        after = take_plan(lab, plan, lab.graph)
        assert plan.present or as_present(plans, after.graph.regions) is not None  # nothing is measured again
        (present,) = [one for one in found(after).plans if one.present]
        assert {*present.regions} == {*plan.regions}
        assert told(found(after).plans) == told(planned(trace(after.graph), groups=after.graph.groups).plans)


def test_regions_that_no_plan_has_are_measured_and_are_the_present_ones():
    lab = of(f"{sines(4)}")
    odd = Region("r", frozenset({"v2", "v3"}), "save_only_these_names", frozenset({"v2"}))
    lab = replace(lab, history=take_plan(lab, Plan("odd", (odd,), "", 0, 0, 0), lab.graph).history)
    assert as_present(done_here(plans_job(lab_view(lab))).value, lab.graph.regions) is None
    (present,) = [plan for plan in found(lab).plans if plan.present]
    whole = trace(lab.graph)
    assert present.regions == lab.graph.regions
    assert present.peak == max(step.live for step in av.play(whole))
    assert present.reruns == sum(runs.kept for runs in whole.runs.values())


def test_regions_that_cannot_run_are_problems_and_no_plans():
    lab = of(sines(3))
    broken = replace(lab.graph, regions=(Region("r", frozenset({"v1", "v3"})),))
    (problem,) = measured_plan(replace(trace(lab.graph), graph=broken))
    assert "cannot run as a whole" in problem.message
