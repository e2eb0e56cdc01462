"""Test a step of the training on view, and what can be done there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.text import scalar
from autodiff_viz.lab.actions import redone, set_rule, typed, undone
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.page import lab_drawing
from autodiff_viz.lab.parts import changed, shows
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.history import recalled, trail
from autodiff_viz.lab.persistence.json_text import squeezed, unsqueezed
from autodiff_viz.lab.state import LAST, opened, without_history
from autodiff_viz.lab.training import brings_back, plans, resets, scrubs, uses_weights
from autodiff_viz.lab.training_panel import progress, run_log, train_view
from autodiff_viz.language.parse import parse
from autodiff_viz.training.figure import TRAINING_FIGURES
from autodiff_viz.training.view import run_line, step_log
from tests.lab.regression import finished, lab_of, loss_of, trained, weight_of
from tests.web.written import in_browser


def node(view, name):
    return next(node for node in in_browser(view.drawing)["nodes"] if node["id"] == name)


@pytest.mark.parametrize(("step", "at"), [(0, 0), (7, 7), (20, 20), (LAST, 20)])
def test_the_numbers_of_a_step_come_back(step, at):
    view = lab_view(scrubs(trained(lab_of(), 20), step))
    assert node(view, "loss")["value"] == scalar(float(np.float32(loss_of(at))))
    np.testing.assert_allclose(view.trace.cotangent["w"], 5 * weight_of(at) - 10, rtol=1e-5)
    assert f"Step {at} of 20" in train_view(scrubs(trained(lab_of(), 20), step), view).says


def test_the_whole_program_agrees_with_the_numbers_of_a_step():
    found = verification(lab_view(scrubs(trained(lab_of(), 5), 3)).trace)
    assert found.verdict.agrees
    assert all(check.agrees for check in found.inputs)


def test_the_graphs_own_numbers_are_one_step_away():
    view = lab_view(scrubs(trained(lab_of(), 5), None))
    assert view.trace.value["w"] == 0
    assert view.moment is None


def test_a_past_step_is_shown_under_the_rules_of_its_time_until_an_edit():
    lab = scrubs(set_rule(trained(lab_of(), 6), "w", "stop"), 3)
    view = lab_view(lab)
    assert node(view, "w")["rule"] == "follow"
    assert "rules of that time" in train_view(lab, view).says
    edited = set_rule(lab, "loss", "stop")
    view = lab_view(edited)
    assert (node(view, "w")["rule"], node(view, "loss")["rule"]) == ("stop", "stop")
    np.testing.assert_allclose(view.trace.value["loss"], loss_of(3), rtol=1e-5)
    assert "rules of now" in train_view(edited, view).says


def test_a_step_changes_all_that_shows_numbers_and_not_the_formula():
    lab = trained(lab_of(), 6)
    early, late = scrubs(lab, 2), scrubs(lab, 4)
    view = lab_view(early)
    shown = {name: shows(name, early, view, {}) for name in ("figure", "curves")}
    assert {"figure", "curves"} <= changed(shown, late, lab_view(late), {})
    before, now = lab_drawing(early, view), lab_drawing(late, lab_view(late))
    assert before["nodes"] != now["nodes"]
    assert before["formula"] == now["formula"]


def test_weights_are_written_into_the_formula_as_one_step_of_undo():
    lab = scrubs(trained(lab_of(), 20), 7)
    used = uses_weights(lab)
    np.testing.assert_allclose(used.graph["w"].param("value"), weight_of(7), rtol=1e-6)
    assert used.history.present.label == "Use the weights of step 7"
    assert undone(used).graph == lab.graph
    np.testing.assert_allclose(lab_view(used).trace.value["loss"], loss_of(7), rtol=1e-5)


def test_drawn_weights_become_literals_of_the_same_digits():
    text = "w = parameter(shape=(2, 3), seed=4)\nloss = mean(w * w)"
    lab = trained(lab_of(text), 3)
    at = lab_view(lab).trace.value["w"]
    used = uses_weights(lab)
    np.testing.assert_array_equal(lab_view(used).trace.value["w"], at)


def test_weights_that_are_too_many_are_not_written():
    lab = trained(lab_of("w = parameter(shape=(50, 50))\nloss = mean(w * w)"), 1)
    used = uses_weights(lab)
    assert used.graph == lab.graph
    assert used.notice[0].code == "too-large"


def test_starting_over_puts_the_course_aside_and_brings_it_back():
    lab = trained(lab_of(), 6)
    over = resets(lab)
    assert (len(over.training), over.step, train_view(over, lab_view(over)).before) == (0, None, 6)
    assert brings_back(over).training.course is lab.training.course
    again = resets(trained(over, 2))
    assert train_view(again, lab_view(again)).before == 2


@pytest.mark.parametrize(
    ("shown", "steps", "then", "made"),
    [(0, 1, 1, 10), (3, 4, 7, 10), (9, 1, 10, 10), (8, 5, 13, 13), (None, 1, 1, 10), (LAST, 2, 12, 12)],
)
def test_steps_go_on_from_the_one_on_view(shown, steps, then, made):
    lab = trained(scrubs(trained(lab_of(), 10), shown), steps)
    view = lab_view(lab)
    assert (view.moment.step, len(lab.training)) == (then, made)
    np.testing.assert_allclose(view.trace.value["loss"], loss_of(then), rtol=1e-5)


def test_steps_of_the_past_go_on_under_the_rules_of_their_time():
    lab = trained(set_rule(trained(lab_of(), 4), "w", "stop"), 3)
    for shown, then in ((2, 3), (3, 4), (4, 4), (5, 4)):  # from step 4 on w stands still
        view = lab_view(trained(scrubs(lab, shown), 1))
        assert view.moment.step == shown + 1
        np.testing.assert_allclose(view.trace.value["w"], weight_of(then), rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "shrinks"),
    [(lambda lab: set_rule(lab, "w", "stop"), 1.0), (lambda lab: plans(lab, rate=0.04), 0.8)],
    ids=["rule", "rate"],
)
def test_steps_made_otherwise_from_a_past_one_put_the_later_ones_aside(change, shrinks):
    """The distance of w from 2 is taken times 1 - 5 * rate in each step."""
    lab = trained(change(scrubs(trained(lab_of(), 10), 3)), 2)
    view = lab_view(lab)
    assert (view.moment.step, len(lab.training), train_view(lab, view).before) == (5, 5, 10)
    np.testing.assert_allclose(view.trace.value["w"], 2 - 2 * 0.9**3 * shrinks**2, rtol=1e-5)
    np.testing.assert_allclose(
        progress(lab, view).records.loss[:4], [loss_of(k) for k in range(4)], rtol=1e-5
    )
    back = brings_back(lab)
    np.testing.assert_allclose(lab_view(back).trace.value["w"], weight_of(10), rtol=1e-5)
    assert len(brings_back(back).training) == 5
    over = resets(lab)
    assert [len(over.training), len(brings_back(over).training)] == [0, 5]
    assert len(brings_back(brings_back(over)).training) == 10


def test_a_branch_of_a_training_is_in_the_address():
    lab = trained(set_rule(scrubs(trained(lab_of(), 10), 3), "w", "stop"), 2)
    again = finished(from_query(to_query(lab)))
    assert (len(again.training), again.training.before) == (5, None)
    np.testing.assert_allclose(lab_view(again).trace.value["w"], weight_of(3), rtol=1e-5)


def test_another_document_trains_afresh_and_undo_leads_back_to_the_first_ones_course():
    first = trained(lab_of(), 6)
    other = opened(first, parse("v = parameter(3.0)\nloss = v * v"), "Open")
    found = train_view(other, lab_view(other))
    assert (found.at, found.trouble, found.refused) == (0, "", False)
    assert progress(other, lab_view(other)).planned == other.plan.steps
    assert len(trained(other, 2).training) == 2
    back = undone(other)
    assert train_view(back, lab_view(back)).at == 6


def test_a_document_with_the_same_parameters_and_another_loss_trains_afresh_too():
    first = trained(opened(lab_of(), parse("v = parameter(3.0)\nloss = v * v"), "Open"), 6)
    other = opened(first, parse("v = parameter(3.0)\nloss = v * v * v"), "Open")
    assert train_view(other, lab_view(other)).at == 0
    assert progress(other, lab_view(other)).records.loss.tolist() == [27.0]
    same = opened(first, parse("v = parameter(3.0)\nloss = v * v"), "Open")
    assert len(progress(same, lab_view(same)).records.loss) == 6


def test_before_the_first_step_the_figures_have_the_numbers_that_it_starts_from():
    """By hand: 2.5 (w - 2)**2 has the derivative 5 w - 10, and w is 0."""
    lab = lab_of()
    before = progress(lab, lab_view(lab))
    np.testing.assert_allclose(before.records.loss, [loss_of(0)], rtol=1e-6)
    np.testing.assert_allclose(before.records.cotangent[0, before.records.nodes.index("w")], 10, rtol=1e-6)
    assert (before.steps, before.planned) == (1, lab.plan.steps)
    lab = trained(lab, 3)
    assert progress(lab, lab_view(lab)).planned == 0
    over = resets(lab)
    assert progress(over, lab_view(over)).records.loss == before.records.loss


DRAWN = "w = parameter(shape=(2,), seed=4)\nloss = mean((w - 3.0) * (w - 3.0))"
NOISY = "w = parameter([1.0, 2.0])\nloss = mean(dropout(w))"


@pytest.mark.parametrize(
    "lab",
    [
        plans(lab_of(DRAWN), seed=1),
        replace(lab_of(), seed=2.0),
        lab_of(NOISY),
        plans(replace(lab_of(), dtype="float16"), loss_scale=1024.0),
        lab_of("w = parameter([1.0, 2.0])\nloss = w * w"),  # cannot be trained
    ],
    ids=["another seed", "a seed cotangent", "dropout", "a loss scale", "no scalar"],
)
def test_nothing_is_drawn_before_the_first_step_if_that_has_other_numbers_than_the_canvas(lab):
    assert progress(lab, lab_view(lab)) is None


def test_the_seed_of_a_parameter_with_a_value_changes_nothing_before_the_first_step():
    lab = plans(lab_of(), seed=1)
    np.testing.assert_allclose(progress(lab, lab_view(lab)).records.loss, [loss_of(0)], rtol=1e-6)


def test_a_graph_without_parameters_has_no_panel():
    lab = lab_of("x = 1.0\ny = x * x")
    assert train_view(lab, lab_view(lab)) is None


def test_phases_are_named_by_what_changed():
    lab = trained(set_rule(trained(lab_of(), 2), "w", "stop"), 2)
    lab = trained(set_rule(lab, "w", "follow"), 2)
    found = progress(lab, lab_view(lab))
    assert found.phases == ((2, "stop at w"), (4, "no stop at w"))
    assert all(spec.build(found) for spec in TRAINING_FIGURES.values())


CONV = """x = input(shape=(2, 6, 6, 1), seed=0)
w = parameter(shape=(3, 3, 1, 2), seed=1)
b = parameter(shape=(2,))
with checkpoint("conv"):
    c = relu(conv2d(x, w, b))
v = parameter(shape=(2, 1), seed=2)
d = parameter(shape=(1,))
head = dense(c, v, d)
loss = mean(head * head)"""


def test_the_log_reads_as_the_tutorials():
    """There the layer is applied once in the original computation and once in backpropagation."""
    view = lab_view(lab_of(CONV))
    assert run_line(view.graph, view.trace.runs) == "conv: forward 1, backward 1; head: forward 1"
    log = step_log(view.graph, view.trace.runs, 1, 3.3274093).splitlines()
    assert log == [
        "Step 1",
        "  Running original computation...",
        "    Applying conv",
        "    Applying head",
        "  Loss: 3.3274093",
        "  Running backpropagation...",
        "    Applying conv",
    ]


def test_the_log_tells_each_step_under_its_own_regions():
    bare = "\n".join(line.removeprefix("    ") for line in CONV.splitlines() if "checkpoint" not in line)
    lab = trained(lab_of(bare), 1)
    lab = trained(typed(lab, CONV), 1)
    first, second = run_log(lab, lab_view(lab)).splitlines()[:2]
    assert "backward" not in first
    assert "conv: forward 1, backward 1" in second


@pytest.mark.parametrize("step", [7, LAST])
def test_undo_of_the_weights_that_are_used_shows_their_step_again_after_a_reload_too(step):
    lab = scrubs(trained(lab_of(), 20), step)
    used = uses_weights(lab)
    assert (used.step, undone(used).step, redone(undone(used)).step) == (None, step, None)
    assert train_view(undone(used), lab_view(undone(used))).shown == (20 if step == LAST else step)
    history = recalled(trail(used.history).data, [(used.graph, None)])
    assert undone(replace(without_history(used), history=history)).step == step


@pytest.mark.parametrize("step", [-2, 20_001, 1.0, True, "now"])
def test_a_stored_step_that_is_none_ends_what_is_read(step):
    lab = set_rule(uses_weights(scrubs(trained(lab_of(), 3), 2)), "w", "stop")
    kept = trail(lab.history).data
    used = next(number for number, entry in kept["steps"].items() if "step" in unsqueezed(entry))
    kept["steps"][used] = squeezed({**unsqueezed(kept["steps"][used]), "step": [step, None]})
    assert recalled(kept, [(lab.graph, None)]).past == ()
