"""Test the handout: nothing that is asked stands on its first page, and all of it overleaf."""

from __future__ import annotations

import re

import pytest

import autodiff_viz as av
from autodiff_viz.asking.question import ALL_VALUES, ASKED_ALONE, Asked, Asking, Quantity, Question
from autodiff_viz.lab.handout import handout

FORMULA = "x = 1237.0\na = 7.0 * x\nb = 0.5 * square(x)\nz = a + b"
TRACE = av.trace(av.parse(FORMULA))
ASKS = Question("number", Quantity("cotangent", "x"))


def pages(text: str) -> list[str]:
    return text.partition("<body>")[2].split("<section")[1:]


def test_page_one_has_the_question_and_not_its_number_which_is_overleaf():
    asking = Asking(ASKED_ALONE, (Asked(ASKS, ("6",), revealed=True),))
    text = handout(TRACE, asking, "Two uses of <x>")
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


def test_all_values_can_be_hidden_on_page_one():
    one, two = pages(handout(TRACE, Asking(ALL_VALUES, (Asked(ASKS),)), ""))
    assert "8659" not in one  # 7 * 1237
    assert "8659" in two
    assert "A graph" in one


def test_without_questions_it_is_one_page_with_all_numbers():
    (one,) = pages(handout(TRACE, None, "Fork"))
    assert "1244" in one
    assert "<svg" in one


def test_it_holds_no_script_and_asks_no_other_host():
    hostile = Question("number", ASKS.about, words="<script>x</script>")
    text = handout(TRACE, Asking(ASKED_ALONE, (Asked(hostile),)), "t")
    assert "<script" not in text
    assert not re.search(r"(src|href)=|url\(|@import", text)
    assert "&lt;script&gt;" in text


def test_a_question_that_does_not_fit_says_why_overleaf():
    asking = Asking(ASKED_ALONE, (Asked(Question("cause", Quantity("cotangent", "x"), words="Who?")),))
    assert "has no one node as its cause" in pages(handout(TRACE, asking, "t"))[1]
    with pytest.raises(av.GraphError):
        handout(av.parse(FORMULA), None, "t")
