"""Test the line of the check while the numbers on view are not those of the text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autodiff_viz.asking.question import Quantity, Question
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.nonfinite.view import explained_non_finite
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.asking import ask
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.panel import Answers, check_data
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer


def said(lab: Lab) -> dict:
    return check_data(lab, lab_view(lab), Answers(checks=True), details=False)


def test_text_that_cannot_be_read_leaves_the_numbers_of_the_last_good_formula_and_no_tick():
    lab = typed(start(), "x = 1.0\ny = sinn(x)")
    assert said(lab) == {"notes": [], "state": "waits", "says": "From the last good formula."}
    mended = typed(lab, "x = 1.0\ny = sin(x)")
    assert said(mended)["state"] == "checking"


@pytest.mark.parametrize("text", ["x = [1.0, 2.0]\nw = [1.0, 2.0, 3.0]\ny = x * w", "x = 1.0\ny = x @ x"])
def test_text_that_cannot_run_says_that_nothing_is_checked(text):
    lab = typed(start(), text)
    assert lab.draft is None
    assert said(lab)["state"] == "failed"
    assert "cannot run" in said(lab)["says"]


@pytest.mark.parametrize("why", [TOO_LONG, DROPPED, "broken"])
def test_a_check_that_was_ended_says_so_in_the_room_of_the_bar_and_can_be_tried_again(why):
    lab = typed(start(), "x = 1.0\ny = sin(x)")
    ended = Answers(checks=True, check=Answer(why=why))
    found = check_data(lab, lab_view(lab), ended, details=False)
    assert (found["state"], found["again"]) == ("failed", True)
    assert found["short"].startswith("Not checked: ")
    assert len(found["short"]) <= 32  # letters of 7 px beside two buttons: 350 px at 1280
    assert "Nothing has confirmed these numbers" in found["says"]


def test_the_mark_of_where_infinity_begins_is_on_one_node_and_on_no_wire_that_carries_it_on():
    found = explained_non_finite(trace(parse("x = 0.0\ny = log(x)\nz = y * y")))
    assert (found.at, found.wires) == (("y",), ())
    found = explained_non_finite(trace(parse("x = 0.0\ny = sqrt(x)")))
    assert (found.at, found.wires) == (("y",), (("y", 0),))


def test_a_graph_that_is_only_unfinished_is_not_called_wrong():
    found = said(opened(start(), parse("x = 1.0\ny = x * ...\nz = sin(x)\nreturn z"), "Open"))
    assert found.get("state") is None


def checked(lab: Lab) -> dict:
    """Return what the page says once the check has answered."""
    view = lab_view(lab)
    answer = Answer(verification(view.trace, view.tangents)) if view.trace is not None else None
    return check_data(lab, view, Answers(checks=True, check=answer), details=True)


STOPPED = "x = 2.0\ny = 3.0\nz = x * x + stop_gradient(x * y) * y"


@pytest.mark.parametrize(
    ("text", "short", "slopes"),
    [
        # By hand, the slope beside what arrives.
        ("x = 2.0\nz = x * x", "Gradients agree", "say the same of 1 gradient."),
        # of x 4 + 9 beside 4, of y 12 beside 6
        (STOPPED, "Gradients agree; 2 differ by your stop", "Of 2 gradients"),
        # of x 2 beside 0; y has 3 both ways
        (
            "x = 2.0\ny = 3.0\nz = stop_gradient(2.0 * x) + 3.0 * y",
            "Gradients agree; 1 differs by your stop",
            "1 differs by your stop.",
        ),
        (
            "x = 2.0\nz = stop_gradient(x) + stop_gradient(3.0 * x)",
            "Gradients agree; 1 differs by your stops",
            "1 differs",
        ),
        (
            "x = 2.0\nz = rewrite(x * x, lambda v: 2.0 * v)",
            "Gradients agree; 1 differs by your rule",
            "1 differs",
        ),
        ("x = 2.0\nz = scale_gradient(x * x, 1.0)", "Gradients agree", "say the same"),  # passes what it gets
        (
            "x = 2.0\ny = custom(sin(x), pullback=lambda v, x, y: v)\nz = stop_gradient(x) + y",
            "Gradients agree; 1 differs by your rules",
            "1 differs",
        ),
        ("x = 0.3\nz = backward_as(round(x), x)", "Gradients agree; 1 differs by your rule", "1 differs"),
        ('x = 2.0\nwith checkpoint("r"):\n    y = sin(x)\nz = y * y', "Gradients agree", "say the same"),
        (
            "x = 0.0\nz = abs(x)",
            "Gradients agree; 1 differs at a corner",
            "at a corner",
        ),  # 1 of JAX, 0 the mean
        ("x = 0.0\nz = log(x)", "Gradients agree; 1 is not finite", "1 is not finite"),
        ("z = normal(seed=1)", "Values agree; no input to differ", ""),
    ],
)
def test_the_page_says_what_agrees_with_what(text, short, slopes):
    found = checked(opened(start(), parse(text), "Open"))
    assert (found["state"], found["short"]) == ("agrees", short)
    assert "jax.vjp agrees on all" in found["says"]
    assert slopes in found["says"]


def test_sixteen_bits_name_rounding_beside_what_agrees():
    # By hand: 1 + 2^-12 is 1 in float16, which has 11 bits: 0 arrives at w, whose slope is 1.
    text = "x = 1.0\nw = 1.0\nz = w * ((x + 0.000244140625) - x) * 4096.0"
    found = checked(replace(opened(start(), parse(text), "Open"), dtype="float16"))
    assert found["short"] == "Gradients agree; 1 differs by rounding"


TORCH = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n"


def test_of_code_it_is_the_graph_that_agrees_since_the_code_was_never_run():
    found = checked(typed(start(), f"{TORCH}y = x * x\ny.backward()"))
    assert (found["state"], found["short"]) == ("agrees", "Code read, not run; its graph agrees")
    assert found["says"].startswith("The code was read, and not run: this is about the graph that it became.")
    found = checked(typed(start(), f"{TORCH}y = x * x + (3 * x).detach()\ny.backward()"))
    assert found["short"] == "Code read, not run; its graph agrees; 1 differs by your stop"


def test_no_tick_stands_over_what_is_left_of_code_that_was_refused():
    found = checked(typed(start(), f"{TORCH}y = x * x\nz = torch.fft.fft(y)"))
    assert found["state"] == "part"
    assert found["short"] == "Part of the code was refused; the rest is not confirmed"
    assert found["says"].startswith("In 1 place the code was refused")


def test_no_word_stands_over_nothing():
    assert said(start_empty())["notes"] == []
    assert "state" not in said(start_empty())
    assert "state" not in said(typed(start_empty(), "x = sinn("))


def start_empty() -> Lab:
    return opened(start(), Graph(), "New graph")


def test_nothing_is_said_of_numbers_that_are_hidden():
    lab = opened(start(), parse(STOPPED), "Open")
    asked = ask(lab, (Question("number", Quantity("cotangent", "x")),), "cotangents")
    found = check_data(asked, lab_view(asked), Answers(checks=True), details=True)
    assert not {"state", "short", "says", "rows"} & found.keys()


def test_in_forward_mode_tangents_have_a_word_of_their_own():
    lab = opened(start(), parse(STOPPED), "Open")
    found = checked(replace(lab, forward=(("x", 1.0),)))
    assert found["short"] == "Gradients agree; 2 differ by your stop"
    assert found["forward"]["state"] in ("agrees", "blocked")


def test_what_matters_for_other_derivatives_is_no_hint_for_a_newcomer():
    lab = opened(
        start(), parse("x = 2.0\ny = custom(x * x, pullback=lambda v, a, b, out: (v, v))\nz = sin(y)"), "Open"
    )
    assert "lints" not in checked(lab)
    hints = checked(replace(lab, forward=(("x", 1.0),)))["lints"]
    assert [hint["says"].partition(" of ")[0] for hint in hints] == [
        "Forward mode cannot see the rule",
        "The second derivative",
    ]
    assert all(hint["later"] for hint in hints)


BESSEL = """import torch
x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, -1.0], requires_grad=True)
h = torch.special.bessel_j0(x * w)
loss = h.sum()
"""


def test_of_code_whose_loss_was_not_read_the_first_sentence_says_so():
    """Nobody asked for the gradient of w: what the code differentiates is the loss."""
    first, *others = said(typed(start(), f"{BESSEL}loss.backward()\n"))["notes"]
    assert first.startswith("Note: What line 6 differentiates was not read")
    assert "the output is 'w'" in first
    assert not [each for each in others if "the sum of its elements" in each]


@pytest.mark.parametrize(
    "end",
    [
        "",
        "other = (x * w).sum()\nother.backward()\n",
        "torch.optim.SGD([h], lr=0.1).zero_grad()\nprint(h.grad)\n",
    ],
    ids=["nothing asked", "another asked and read", "cleared and printed"],
)
def test_of_code_that_asks_for_no_gradient_of_what_was_not_read_nothing_is_said_of_its_output(end):
    assert not [each for each in said(typed(start(), BESSEL + end))["notes"] if "differentiates" in each]
