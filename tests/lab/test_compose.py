"""Test the view of a lab: the formula, the sentences and the numbers on the page."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.verification.compute import CORNER, RULE, Cause
from autodiff_viz.explain.verification.view import (
    Verification,
    explained,
    in_a_word,
    verification,
)
from autodiff_viz.lab.actions import type_seed, typed
from autodiff_viz.lab.evaluate import NOT_COUNTED, lab_view
from autodiff_viz.lab.state import FIRST, Lab, opened, start
from autodiff_viz.language.parse import parse


def lab_of(text: str) -> Lab:
    return opened(start(), parse(text), "Open")


def test_the_formula_on_show_is_the_graph_as_text():
    assert lab_view(start()).text.strip() == FIRST.strip()


def test_the_formula_on_show_leaves_positions_out():
    assert "positions" not in lab_view(lab_of("x = 1.0\n# positions: x 7 9")).text


def test_an_unfinished_formula_is_shown_as_it_was_typed():
    view = lab_view(typed(start(), "y = sin(  # hm"))
    assert view.text == "y = sin(  # hm"
    assert view.mistakes
    assert view.complete  # the graph is still the one before


def test_a_graph_without_problems_is_complete():
    view = lab_view(start())
    assert (view.complete, view.problems, view.notice) == (True, (), ())


def test_an_empty_lab_has_nothing_to_say():
    view = lab_view(lab_of(""))
    assert (view.trace, view.complete, view.problems, view.sliders, view.text) == (None, False, (), (), "")


def test_a_node_at_which_nothing_arrives_says_why_first_and_others_do_not():
    found = trace(parse("x = 2.0\na = stop_gradient(x * x)\nz = a * 3.0"))
    why = program_says(found, "x").why
    assert (why.says, why.mend) == (
        "Every path from 'x' to 'z' meets a stop, at 'a'.",
        "Remove the stop at a",
    )
    assert program_says(found, "a").why is None


def test_the_whole_program_says_how_often_a_node_runs():
    found = lab_view(lab_of('x = 10.0\nwith checkpoint("b"):\n    s = sin(x) * 2.0')).trace
    assert program_says(found, "x").says[0] == "Runs once, in the forward pass."
    assert program_says(found, "sin_1").says[0].startswith("Runs once forward, and its block runs once more")


NEARLY = {
    "a bit of the seed": lambda lab: replace(lab, seed=-0.0),
    "the precision": lambda lab: replace(lab, dtype="float64"),
    "a sign of zero": lambda lab: opened(lab, parse("x = -0.0\ny = 1.0 / x"), ""),
    "the order of the nodes": lambda lab: opened(lab, parse("t = 3.0\nx = 0.0\ny = 1.0 / x"), ""),
}


@pytest.mark.parametrize("change", NEARLY.values(), ids=NEARLY)
def test_what_numbers_follow_from_is_evaluated_again_where_it_has_changed_at_all(change):
    before = replace(lab_of("x = 0.0\ny = 1.0 / x"), seed=0.0)
    after = change(before)
    view, anew = lab_view(after, lab_view(before)), lab_view(after)
    assert repr(view.drawing) == repr(anew.drawing)
    assert view.follows == anew.follows != lab_view(before).follows


def test_a_selection_evaluates_nothing_again():
    before = lab_view(start())
    view = lab_view(replace(start(), selected="z"), before)
    assert view.trace is before.trace
    assert view.drawing["selected"] == "z"


def test_a_half_built_graph_shows_the_values_that_are_known():
    view = lab_view(lab_of("x = 2.0\ny = x * 3.0\nz = y + ..."))
    assert not view.complete
    assert view.trace.value["y"] == 6
    assert "z" not in view.trace.value
    assert [problem.node for problem in view.problems] == ["z"]
    assert (view.mistaken, view.unfinished) == ((), ("z",))


def test_a_problem_beside_the_path_to_the_output_leaves_its_gradient():
    view = lab_view(lab_of("x = 2.0\nz = x * x\nw = exp(...)\nreturn z"))
    assert view.trace.cotangent["x"] == 4
    assert [problem.node for problem in view.problems] == ["w"]


def test_a_region_that_cannot_run_is_a_problem_and_changes_no_number():
    text = 'x = 2.0\nwith checkpoint("r"):\n    a = x * x\nb = a * 1.0\nwith checkpoint("r"):\n    c = a * b'
    view = lab_view(lab_of(text))
    assert [problem.code for problem in view.problems] == ["region-not-convex"]
    assert view.trace.cotangent["x"] == 32  # c = x^4


def test_a_mistake_that_the_gradient_never_meets_is_still_a_problem():
    text = (
        'x = 1.0\nm = [1.0, 2.0]\ny = backward_as(exp(x), m)\nwith checkpoint("r"):\n    z = sin(x)\nreturn z'
    )
    view = lab_view(lab_of(text))
    assert [(problem.code, problem.node) for problem in view.problems] == [("backward-as-shape", "y")]
    assert (view.complete, "y" in view.trace.value) == (False, False)
    assert view.trace.cotangent["x"] == pytest.approx(math.cos(1.0), rel=1e-6)  # what is left of it runs


def test_the_seed_scales_every_cotangent():
    view = lab_view(replace(start(), seed=-2.0))
    assert view.trace.cotangent["y"] == pytest.approx(-2 * math.sin(0.6), rel=1e-6)


def test_a_seed_of_another_shape_than_the_output_is_a_problem():
    view = lab_view(type_seed(start(), "[1.0, 2.0]"))
    assert not view.complete
    assert view.problems[0].code == "seed-shape"


def test_a_seed_for_each_element_reaches_it():
    view = lab_view(type_seed(lab_of("x = [1.0, 2.0]\ny = x * x"), "[1.0, -1.0]"))
    np.testing.assert_allclose(view.trace.cotangent["x"], [2, -4])


def test_double_precision_is_double():
    assert lab_view(replace(start(), dtype="float64")).trace.value["a"] == math.sin(0.6)


def test_an_output_of_several_numbers_is_said_to_have_a_seed_of_ones():
    notes = lab_view(lab_of("x = [1.0, 2.0]\ny = x * x")).notes
    assert any("ones" in note for note in notes)


def test_the_node_where_nan_begins_is_noted():
    assert any("NaN" in note and "y" in note for note in lab_view(lab_of("x = -1.0\ny = log(x)")).notes)


def test_every_scalar_input_has_a_slider():
    sliders = lab_view(start()).sliders
    assert [(s.name, s.low, s.high, s.value) for s in sliders] == [("x", -5, 5, 0.6), ("y", -5, 5, 1.5)]


def test_only_a_graph_with_noise_can_be_resampled():
    assert not lab_view(start()).can_resample
    assert lab_view(lab_of("u = uniform(shape=(2,), seed=0)\ny = exp(u)")).can_resample


def test_the_whole_program_confirms_the_first_graph():
    found = verification(lab_view(start()).trace)
    assert found.verdict.agrees
    assert "agrees on all" in found.sentence


def test_central_differences_show_where_a_stop_bends_the_gradient():
    found = {check.name: check.agrees for check in verification(lab_view(start()).trace).inputs}
    assert found == {"x": False, "y": True}  # x also reaches the output through the stopped exp


def table(text: str) -> list[tuple[str, str, str]]:
    """(gradient, central differences, what stands under "equal") by input."""
    checks = verification(lab_view(lab_of(text)).trace).inputs
    return [(check.declared, check.true[:6], in_a_word(check.agrees, check.causes)) for check in checks]


def test_the_table_names_the_corner_where_no_rule_is():
    """Softplus: the slope at 0 is 1/2, and JAX takes one slope of abs."""
    assert table("x = 0.0\ny = maximum(x, 0.0) + log1p(exp(-abs(x)))") == [("0", "0.5", "corner at abs_1")]


def test_the_table_names_what_is_not_finite():
    ((gradient, _, word),) = table("x = 0.0\ny = where(less(x, 1.0), x, sqrt(x))")
    assert (gradient, word) == ("NaN", "not finite at sqrt_1")


def test_the_table_names_the_rule_and_ticks_what_it_does_not_touch():
    text = "x = 0.6\nw = 1.5\na = sin(x)\nz = a * w + stop_gradient(exp(a))"
    assert [word for *_, word in table(text)] == ["rule of exp_1", "\u2713"]


def test_the_table_counts_many_rules():
    lines = "\n".join(f"a{i} = rewrite(x * {i}.0, lambda v: 0.5)" for i in range(1, 6))
    text = f"x = 0.6\n{lines}\nz = a1 + a2 + a3 + a4 + a5"
    assert [word for *_, word in table(text)] == ["rule of 5 nodes"]


def test_a_sentence_explains_each_kind_once():
    causes = [Cause(RULE, ("a",)), Cause(CORNER, ("b",)), Cause(RULE, ("c",))]
    assert [sentence.split(":")[0] for sentence in explained(causes)] == ["Rule", "Corner"]
    assert explained([]) == ()


def test_a_wrong_number_is_not_confirmed():
    honest = trace(parse("x = 2.0\ny = x * x"))
    forged = replace(honest, gradient={"x": np.float32(5.0)})
    found = verification(forged)
    assert not found.verdict.agrees
    assert "x" in found.verdict.where


def test_a_region_that_cannot_run_is_not_confirmed_and_says_why():
    text = 'x = 2.0\nwith checkpoint("r"):\n    a = x * x\nb = a * 1.0\nwith checkpoint("r"):\n    c = a * b'
    found = verification(trace(parse(text)))
    assert found.verdict is None
    assert found.sentence.startswith("The whole program cannot run: ")


def test_a_verdict_that_agrees_says_how_close_it_is():
    verdict = verification(trace(parse("x = 2.0\ny = x * x"))).verdict  # 2 values, 5 cotangents
    close = replace(verdict, worst=3.14e-7, where="the value of 'y'", rounded=2)
    agrees = "Whole-program jax.vjp agrees on all 7 arrays"
    assert Verification(verdict, (), ()).sentence == f"{agrees}, to the last digit."
    assert Verification(close, (), ()).sentence == (
        f"{agrees}: no number is further off than 3e-07 of its array's size. "
        "In 2 of them rounding leaves fewer digits: large numbers cancel there, or on the way."
    )


def test_a_verdict_that_differs_says_where():
    honest = verification(trace(parse("x = 2.0\ny = x * x")))
    differs = replace(honest.verdict, agrees=False, where="the value of 'y'", worst=0.5)
    sentence = "Whole-program jax.vjp differs in the value of 'y', by 0.5 of its size."
    assert Verification(differs, (), ()).sentence == sentence


def nested(depth: int, count: int) -> str:
    """A chain of `count` nodes in checkpoint regions this deep in each other."""
    blocks = [f'{"    " * i}with checkpoint("r{i}"):' for i in range(depth)]
    chain = [f"{'    ' * depth}n{i + 1} = sin(n{i})" for i in range(count)]
    return "\n".join(["n0 = 0.5", *blocks, *chain])


def test_runs_are_counted_with_an_edit_up_to_a_limit_and_beyond_it_the_page_says_where_to_find_them():
    few, many = (lab_view(lab_of(nested(depth, 40))) for depth in (3, 6))
    marked = [
        [bool({"runs", "dropped"} & record.keys()) for record in view.drawing["nodes"]]
        for view in (few, many)
    ]
    assert marked[0].count(False) == 1  # n0, an input
    assert not any(marked[1])
    assert (few.notes, many.notes) == ((), (NOT_COUNTED,))
    assert "its block runs" in program_says(many.trace, "n10").says[0]


def number(text: str) -> float:
    return float(text.replace("\u2212", "-").replace("\u221e", "inf"))


@pytest.mark.parametrize(
    ("text", "dtype", "declared", "true"),
    [  # by hand: e^100 is more than float32 holds, 1e-60 is less
        ("x = 100.0\ny = exp(x)", "float64", math.exp(100.0), math.exp(100.0)),
        ("x = 1.0\ny = x * 1e-30 * 1e-30", "float64", 1e-60, 1e-60),
        ("x = 100.0\ny = exp(x)", "float32", math.inf, math.exp(100.0)),
        ("x = 1.0\ny = x * 1e-30 * 1e-30", "float32", 0.0, 1e-60),
        ("x = 100.0\ny = exp(x)", "bfloat16", math.inf, math.exp(100.0)),
    ],
)
def test_the_check_writes_numbers_that_float32_does_not_hold(text, dtype, declared, true):
    (check,) = verification(trace(parse(text), dtype=dtype)).inputs
    assert number(check.declared) == pytest.approx(declared, rel=1e-15, abs=0)
    assert number(check.true) == pytest.approx(true, rel=1e-6, abs=0)
