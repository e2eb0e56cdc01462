"""Test the handout: nothing that is asked stands on its first page, and all of it overleaf."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.asking.question import ALL_VALUES, ASKED_ALONE, Asked, Asking, Quantity, Question
from autodiff_viz.lab.handout import Sheet, Words, handout, handout_of
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.state import start, without_history
from autodiff_viz.lab.tours import go_to
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.ui.qr_code import qr_code
from tests.lab.qr_reader import modules_of, text_of

FORMULA = "x = 1237.0\na = 7.0 * x\nb = 0.5 * square(x)\nz = a + b"
TRACE = av.trace(av.parse(FORMULA))
ASKS = Question("number", Quantity("cotangent", "x"))


def of_one(asking: Asking | None, title: str = "t") -> str:
    return handout([Sheet(TRACE, asking)], Words(title))


def pages(text: str) -> list[str]:
    return text.partition("<body")[2].split("<section")[1:]


def test_page_one_has_the_question_and_not_its_number_which_is_overleaf():
    asking = Asking(ASKED_ALONE, (Asked(ASKS, ("6",), revealed=True),))
    text = of_one(asking, "Two uses of <x>")
    one, two = pages(text)
    assert "What arrives at <code>x</code>?" in one
    assert "class='room'" in one
    assert "Two uses of &lt;x&gt;" in one
    assert "7.0 * x" in one
    assert ">?<" in one
    # 7 + 1237 = 1244: the sum, and the part 1237 that is not an input's value on page one is on a wire
    assert "1244" not in one
    assert "passes 1237" not in one
    assert "1244" in two
    assert "7 + 1237 = 1244" in two
    assert "accepted: 1231.6 to 1256.4" in two
    assert "JAX" in text or "jax" in text


def test_the_question_comes_before_its_graph_and_a_legend_says_what_the_signs_mean():
    one, two = pages(of_one(Asking(ASKED_ALONE, (Asked(ASKS),)), "Fork"))
    assert one.index("What arrives at") < one.index("class='room'") < one.index("<svg")
    assert "\u25b6</span> value" in one
    assert "\u25c0</span> cotangent" in one
    assert "norm" not in one  # of numbers alone
    assert two.index("<span class='right'>") < two.index("<svg")
    vote = pages(printed())[0].partition("2. Vote")[2]
    assert vote.index("Which?") < vote.index("<li>both add</li>") < vote.index("<svg")
    (alone,) = pages(of_one(None, "Fork"))
    assert "\u25c0</span> cotangent" in alone


def test_all_values_can_be_hidden_on_page_one():
    one, two = pages(of_one(Asking(ALL_VALUES, (Asked(ASKS),)), ""))
    assert "8659" not in one  # 7 * 1237
    assert "8659" in two
    assert "A graph" in one


def test_without_questions_it_is_one_page_with_all_numbers():
    (one,) = pages(of_one(None, "Fork"))
    assert "1244" in one
    assert "<svg" in one


def test_it_holds_no_script_and_asks_no_other_host():
    hostile = Question("number", ASKS.about, words="<script>x</script>")
    text = of_one(Asking(ASKED_ALONE, (Asked(hostile),)))
    assert "<script" not in text
    assert not re.search(r"(src|href)=|url\(|@import", text)
    assert "&lt;script&gt;" in text


def test_a_question_that_does_not_fit_says_why_overleaf():
    asking = Asking(ASKED_ALONE, (Asked(Question("cause", Quantity("cotangent", "x"), words="Who?")),))
    assert "has no one node as its cause" in pages(of_one(asking))[1]
    with pytest.raises(av.GraphError):
        handout([Sheet(av.parse(FORMULA))], Words("t"))


CHOICE = Question(
    "choice", Quantity("cotangent", "x"), words="Which?", options=("both add", "one wins"), right="both add"
)
STEPS = (
    Step("Look", FORMULA, caption="Two uses of **x**."),
    Step(
        "Vote", FORMULA, caption="Say `x`.", text="7 and 1237 add.", questions=(ASKS, CHOICE), notes="Wait."
    ),
    Step("Other", "x = 41.0\ny = 3.0 * x", text="Three."),
)
TOUR = Tour(title="Uses", text="Twenty minutes.", steps=STEPS)


def printed(tour: Tour = TOUR, at: int = 1) -> str:
    lab = without_history(go_to(start(), tour, at))
    return handout_of(lab, "https://host.example/", qr_code)


def test_of_a_tour_all_steps_are_printed_with_their_words_and_the_answers_overleaf():
    front, back = pages(printed())
    for words in (
        "1. Look",
        "Two uses of <b>x</b>.",
        "2. Vote",
        "Say <code>x</code>.",
        "3. Other",
        "Three.",
        "Twenty minutes.",
    ):
        assert words in front
    for answer in ("1244", "add.", "right"):
        assert answer not in front
    for answer in ("7 + 1237 = 1244", "7 and 1237 add.", "<span class='right'>both add</span>"):
        assert answer in back
    assert "Three." not in back  # nothing is asked of its graph, so it stands in front
    assert "Wait." not in front + back  # the presenter's
    assert ">3<" in front  # what arrives at x in the third step, which nothing asks for


def test_the_words_of_a_step_whose_numbers_another_one_asks_for_stand_overleaf():
    steps = (replace(STEPS[0], text="1244 arrives."), *STEPS[1:])
    front, back = pages(printed(replace(TOUR, steps=steps)))
    assert "1244 arrives." not in front
    assert "1244 arrives." in back


def test_the_wire_that_passes_0_is_dashed_as_the_legend_says_and_no_other_is():
    found = av.parse("x = 2.0\ny = stop_gradient(x) * x")
    text = handout([Sheet(av.trace(found))], Words("t"))
    wires = re.findall(r"<path data-wire=.*?</path>", text)
    dashed = [re.search("<title>(.*?)</title>", wire)[1] for wire in wires if "dasharray" in wire]
    assert dashed == ["x to stop_gradient_1: passes 0"]
    assert "a dashed one 0" in text


def test_a_step_shows_no_number_that_another_one_asks_for_of_the_same_graph():
    look = pages(printed())[0].partition("2. Vote")[0]
    assert "1244" not in look
    assert ">?<" in look
    assert "Step 2 asks for what is hidden here." in look
    assert (
        "asks for what" not in pages(printed())[0].partition("2. Vote")[2]
    )  # nothing is hidden of the third


def test_options_are_boxes_to_tick():
    text = printed()
    assert "<li>both add</li><li>one wins</li>" in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "\u00b1" not in text


def test_its_code_opens_the_tour_from_its_first_step_with_nothing_answered():
    tour = Tour(title="T", steps=(Step("A", "x = 1.0"), Step("B", "x = 2.0\ny = x * x", questions=(ASKS,))))
    text = printed(tour)
    path, size = re.search("<path d='([^']+)'", text)[1], int(re.search("viewBox='0 0 ([0-9]+) ", text)[1])
    link = text_of(modules_of(path, size))
    assert link.startswith("https://host.example/?tour=")
    opened = from_query({"tour": link.partition("tour=")[2]})
    assert (opened.tour, opened.at) == (tour, 0)
    assert "<svg" in handout_of(start(), None, qr_code)  # without an address, without a link
