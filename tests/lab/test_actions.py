"""Test actions of the panels: formula, sliders, rules, settings, undo."""

from __future__ import annotations

import pytest

from autodiff_viz.canvas.drawing import places
from autodiff_viz.explain.sweep.view import SWEPT
from autodiff_viz.graph import edits, limits
from autodiff_viz.lab import actions
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.figures import chosen
from autodiff_viz.lab.inspector.parameters import set_numbers, set_shape
from autodiff_viz.lab.state import FIRST, Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import shadows, show
from tests.own_lesson import KEY

NOISE = "x = input(shape=(2,), seed=3)\nu = uniform(shape=(2,), seed=5)\ny = x * u"


def lab_of(text: str) -> Lab:
    return opened(start(), parse(text), "Open")


def labels(lab: Lab) -> list[str]:
    return [entry.label for entry in lab.history.entries]


def test_a_formula_without_mistakes_becomes_the_graph():
    lab = actions.typed(start(), "x = 2.0\ny = exp(x)")
    assert lab.graph == parse("x = 2.0\ny = exp(x)")


def test_a_formula_with_mistakes_is_kept_beside_the_old_graph():
    lab = actions.typed(start(), "x = 2.0\ny = exq(x)")
    assert (lab.draft, lab.graph) == ("x = 2.0\ny = exq(x)", start().graph)
    assert lab.mistakes[0].line == 2


def test_mending_the_formula_ends_the_draft():
    lab = actions.typed(actions.typed(start(), "y = sin("), "x = 1.0\ny = sin(x)")
    assert (lab.draft, lab.mistakes) == (None, ())


def test_a_draft_outlives_edits_on_the_canvas():
    lab = actions.typed(start(), "y = sin(")
    for edit in (
        {"kind": "rules", "nodes": ["a"], "rule": "stop"},
        {"kind": "move", "positions": {"x": [1, 2]}},
        {"kind": "delete", "nodes": ["b"]},
        {"kind": "undo"},
    ):
        lab = edited(lab, edit)
    assert lab.draft == "y = sin("
    assert lab.mistakes


def test_typing_the_same_formula_again_is_no_step():
    assert not actions.typed(start(), FIRST).history.can_undo


def test_shelved_text_comes_back_as_the_draft_it_was():
    shelved = opened(actions.typed(start(), "y = sin("), parse("q = 1.0"), "Open")
    lab = actions.unshelved(shelved)
    assert (lab.draft, lab.shelved) == ("y = sin(", None)


def test_moving_one_slider_many_times_is_one_step_of_undo():
    lab = start()
    for value in (0.7, 0.8, 0.9):
        lab = actions.set_input(lab, "x", value)
    assert labels(lab) == ["Start", "Set x to 0.9"]
    assert lab.graph["x"].param("value") == 0.9
    assert actions.undone(lab).graph == start().graph


def test_moving_two_sliders_is_two_steps():
    lab = actions.set_input(actions.set_input(start(), "x", 0.7), "y", 2.0)
    assert labels(lab) == ["Start", "Set x to 0.7", "Set y to 2"]


def test_a_slider_used_again_after_something_else_is_a_step_of_its_own():
    lab = actions.set_input(start(), "x", 0.7)
    lab = actions.set_rule(lab, "a", "stop")
    lab = actions.set_input(lab, "x", 0.8)
    assert labels(lab) == ["Start", "Set x to 0.7", "Stop gradient at a", "Set x to 0.8"]


def test_a_new_gesture_on_the_same_slider_is_a_step_of_its_own():
    lab = actions.set_input(start(), "x", 0.7, True)
    lab = actions.set_input(actions.set_input(lab, "x", 0.8, True), "x", 0.9, False)
    assert labels(lab) == ["Start", "Set x to 0.7", "Set x to 0.9"]
    assert actions.undone(lab).graph["x"].param("value") == 0.7


@pytest.mark.parametrize(
    ("formula", "action", "label"),
    [
        ("x = 1.0", lambda lab: actions.set_input(lab, "x", -0.25), "Set x to \u22120.25"),
        ("x = [1.0, 2.0]", lambda lab: set_numbers(lab, "x", "[3.0, 4.5]"), "Set x to [3, 4.5]"),
        ("x = [1.0, 2.0]", lambda lab: set_numbers(lab, "x", "[[3.0], [4.0]]"), "Set x to a tensor"),
        ("x = [1.0, 2.0]", lambda lab: set_shape(lab, "x", "(3, 4)"), "Set the shape of x to [3, 4]"),
        (NOISE, lambda lab: actions.set_param(lab, "u", "seed", 6), "Set seed of u to 6"),
        ("y = sum([1.0, 2.0])", lambda lab: actions.set_param(lab, "y", "axis", 0), "Set axis of y to 0"),
        (
            "x = 1.0\ny = custom(sin(x), pullback=lambda v, x, y: v)",
            lambda lab: actions.set_function(lab, "y", "v * y"),
            "Change the pullback of y",
        ),
    ],
)
def test_a_step_of_undo_names_what_was_set_and_to_what(formula, action, label):
    lab = action(lab_of(formula))
    assert (lab.notice, lab.history.present.label) == ((), label)


def test_a_slider_of_a_node_that_is_no_input_any_more_moves_nothing():
    assert actions.set_input(start(), "a", 1.0) == start()


def test_a_slider_moved_after_undo_leaves_nothing_to_redo():
    lab = actions.undone(actions.set_rule(actions.set_input(start(), "x", 0.7), "a", "stop"))
    lab = actions.set_input(lab, "x", 0.8)
    assert not lab.history.can_redo


def test_a_slider_that_does_not_move_is_no_step():
    assert not actions.set_input(start(), "x", 0.6).history.can_undo


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2 * limits.NUMBER])
def test_a_number_beyond_the_limits_does_not_reach_an_input(value):
    lab = actions.set_input(start(), "x", value)
    assert lab.graph == start().graph
    assert lab.notice


@pytest.mark.parametrize("kind", ["stop", "rewrite", "pullback", "backward_as"])
def test_a_rule_is_set_however_often_it_is_asked_for_and_follow_takes_it_off(kind):
    once = actions.set_rule(start(), "a", kind)
    assert once.graph["a"].rule.kind == kind
    assert actions.set_rule(once, "a", kind).history == once.history
    off = actions.set_rule(once, "a", "follow").graph  # nodes stay where the wire of `backward_as` found them
    assert edits.with_positions(off, dict.fromkeys(off.by_name)) == start().graph


def test_a_rule_on_several_nodes_is_one_step_with_one_name():
    lab = actions.set_rules(start(), ["a", "b", "exp_1"], "rewrite")
    assert [lab.graph[name].rule.kind for name in ("a", "b", "exp_1", "z")] == ["rewrite"] * 3 + ["follow"]
    assert actions.steps(lab)["undo"] == "Rewrite cotangent at 3 nodes"
    assert actions.undone(lab).graph == start().graph


def test_a_rule_for_several_nodes_keeps_the_function_of_one_that_has_it():
    once = actions.set_function(actions.set_rule(start(), "a", "rewrite"), "a", "lambda v: 2.0 * v")
    lab = actions.set_rules(once, ["a", "b"], "rewrite")
    assert lab.graph["a"] == once.graph["a"]
    assert actions.steps(lab)["undo"] == "Rewrite cotangent at b"


def test_of_several_nodes_those_without_a_derivative_get_no_pullback():
    lab = actions.set_rules(start(), ["x", "a"], "pullback")
    assert (lab.graph["x"].rule.kind, lab.graph["a"].rule.kind) == ("follow", "pullback")


@pytest.mark.parametrize("kind", ["stop", "rewrite", "pullback", "backward_as"])
def test_a_rule_stands_in_the_formula(kind):
    graph = actions.set_rule(start(), "a", kind).graph
    assert parse(show(graph)) == graph
    assert show(graph) != show(start().graph)


def test_a_new_rewrite_reverses_the_gradient():
    assert "rewrite(sin(x), lambda v: -v)" in show(actions.set_rule(start(), "a", "rewrite").graph)


def test_a_new_pullback_passes_its_cotangent_down_every_wire():
    shown = show(actions.set_rule(start(), "b", "pullback").graph)
    assert "custom(a * y, pullback=lambda v, a, y, out: (v, v))" in shown


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("out = 2.0\ny = 3.0\nz = out * y", ("v", "out", "y", "out_1")),
        ("v = 2.0\ny = 3.0\nz = v * y", ("v", "v_1", "y", "out")),
        ("x = 2.0\nz = x * x", ("v", "x", "x_1", "out")),
    ],
)
def test_a_new_pullback_keeps_the_names_of_what_it_reads(text, arguments):
    lab = actions.set_rule(lab_of(text), "z", "pullback")
    assert lab.graph["z"].rule.function.args == arguments


def test_differentiating_differently_starts_with_the_first_wire():
    assert "backward_as(sin(x), x)" in show(actions.set_rule(start(), "a", "backward_as").graph)


def test_a_function_of_a_rewrite_can_be_typed():
    lab = actions.set_function(actions.set_rule(start(), "a", "rewrite"), "a", "lambda v: 0.5 * v")
    assert "rewrite(sin(x), lambda v: 0.5 * v)" in show(lab.graph)


def test_a_rewrite_can_be_typed_as_its_mark_shows_it():
    before = actions.set_rule(start(), "a", "rewrite")
    assert "rewrite(sin(x), lambda v: 2.0 * v)" in show(actions.set_function(before, "a", " 2.0 * v").graph)


def test_a_pullback_can_be_typed_as_its_body():
    declared = actions.set_rule(start(), "a", "pullback")
    typed = actions.set_function(declared, "a", "v * cos(x)")
    assert "custom(sin(x), pullback=lambda v, x, out: v * cos(x))" in show(typed.graph)
    product = actions.set_rule(start(), "b", "pullback")
    assert "lambda v, a, y, out: (v * y, v * a)" in show(
        actions.set_function(product, "b", "v * y, v * a").graph
    )


def test_a_pullback_with_the_wrong_number_of_arguments_is_told_what_fits_that_node():
    declared = actions.set_rule(start(), "b", "pullback")
    (refusal,) = actions.set_function(declared, "b", "lambda v: 0.5 * v").notice
    assert "1 arguments where 4 are needed" in str(refusal)
    assert "lambda v, a, y, out: (v, v)" in str(refusal)


@pytest.mark.parametrize(
    "text", ["", "lambda v:", "lambda v: w", "lambda v: __import__('os')", "lambda v, w: v", "print(1)"]
)
def test_a_function_with_a_mistake_is_refused_with_a_reason(text):
    before = actions.set_rule(start(), "a", "rewrite")
    lab = actions.set_function(before, "a", text)
    assert lab.graph == before.graph
    assert lab.notice


def test_a_parameter_can_be_set():
    lab = actions.set_param(lab_of("x = [[1.0, 2.0]]\ny = sum(x, axis=0)"), "y", "axis", 1)
    assert lab.graph["y"].param("axis") == 1


def test_a_parameter_of_a_node_that_is_gone_is_refused():
    assert actions.set_param(start(), "nobody", "axis", 1).notice


def test_resampling_takes_the_next_seed_of_every_draw():
    graph = actions.resampled(lab_of(NOISE)).graph
    assert (graph["x"].param("seed"), graph["u"].param("seed")) == (4, 6)


def test_resampling_without_noise_changes_nothing():
    assert actions.resampled(start()).graph == start().graph


def test_the_policy_that_saves_by_name_saves_only_names_in_its_region():
    lab = lab_of('x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = exp(a)')
    lab = actions.set_policy(lab, "r", "save_only_these_names", frozenset({"a", "x"}))
    assert lab.graph.regions[0].saved == {"a"}


def test_reset_leads_to_the_first_graph_and_undo_leads_back():
    lab = lab_of(NOISE)
    assert actions.reset(lab).graph == start().graph
    assert actions.undone(actions.reset(lab)).graph == lab.graph


def test_reset_closes_the_lesson():
    assert actions.reset(Lab(start().history, lesson=KEY, variant=1)).lesson is None


def test_undo_at_the_beginning_and_redo_at_the_end_change_nothing():
    assert actions.undone(start()) == start()
    assert actions.redone(start()) == start()


def test_undo_takes_the_selection_off_a_node_that_is_gone():
    lab = edited(start(), {"kind": "add", "op": "sin", "position": [0, 0], "wire": {"from": "x", "slot": 0}})
    assert lab.selected == "sin_1"
    assert actions.undone(lab).selected is None


def test_the_sweep_follows_the_choice_then_the_selection_then_the_first_input():
    lab = start()
    assert chosen(lab, SWEPT) == "x"
    lab = edited(lab, {"kind": "select", "node": "y"})
    assert chosen(lab, SWEPT) == "y"
    assert chosen(Lab(lab.history, selected="y", choices=(("swept", "x"),)), SWEPT) == "x"


def test_a_graph_without_inputs_sweeps_nothing():
    assert chosen(lab_of("u = uniform(shape=(2,), seed=0)"), SWEPT) is None


def test_undo_and_redo_say_what_they_would_change():
    lab = actions.set_rule(start(), "a", "stop")
    assert actions.steps(start()) == {"undo": None, "redo": None}
    assert actions.steps(lab) == {"undo": "Stop gradient at a", "redo": None}
    assert actions.steps(actions.undone(lab)) == {"undo": None, "redo": "Stop gradient at a"}


def test_the_arguments_of_a_new_pullback_are_not_called_as_other_nodes_are():
    lab = lab_of("a = 2.0\na_1 = 3.0\nb = a * a\nc = b + a_1")
    ruled = actions.set_rule(lab, "b", "pullback").graph
    assert ruled["b"].rule.function.args == ("v", "a", "a_2", "out")
    assert shadows(ruled) == ()


@pytest.mark.parametrize(("param", "value"), [("stride", 10**12), ("stride", 3.0), ("padding", "valid")])
def test_a_parameter_is_set_to_what_a_formula_can_say_or_not_at_all(param, value):
    lab = lab_of("x = [[[[1.0], [2.0]], [[3.0], [4.0]]]]\ny = max_pool(x)")
    after = actions.set_param(lab, "y", param, value)
    assert after.graph == lab.graph
    assert after.notice[0].code == "bad-param"


def test_the_wire_of_backward_as_moves_no_node():
    lab = actions.typed(start(), "x = 2.0\ny = 3.0\nz = y * x\n")
    before = places(lab.graph).positions
    after = places(actions.set_rules(lab, ["z"], "backward_as").graph).positions
    assert {name: after[name] for name in before} == before
