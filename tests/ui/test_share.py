"""Test what is given to the dialog that shares a state: links, codes and frames."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import segno

from autodiff_viz.asking.question import ALL_COTANGENTS, Quantity, Question
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import from_query
from autodiff_viz.lab.share import PARAMETERS, asking_first
from autodiff_viz.lab.share import share_data as data_for
from autodiff_viz.lab.state import Lab, formula_text, start, toured_at, without_history
from autodiff_viz.lab.talk import talk_data
from autodiff_viz.lab.tours import go_to
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.ui.qr_code import qr_code
from tests.lab.qr_reader import modules_of, text_of
from tests.own_lesson import GRAPHS, KEY, TITLE

HOST = "https://host.example/lab/"
SECOND = without_history(open_lesson(start(), KEY, 1))


def share_data(lab: Lab, wish: dict[str, str]) -> dict[str, Any]:
    return data_for(lab, wish, qr_code)


def query_of(address: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(address).query, True).items()}


@pytest.mark.parametrize("length", [0, 40, 80, 120, 160, 220])
def test_a_code_is_read_by_the_standard(length):
    text = HOST + "?f=1" + ("aZ09-_" * 40)[:length]
    code = qr_code(text)
    assert text_of(modules_of(code.path, code.size)) == text


@pytest.mark.parametrize("level", "LMQH")
def test_the_reader_refuses_a_code_with_a_wrong_module(level):
    made = segno.make("https://host.example", error=level, version=7, boost_error=False, micro=False)
    modules = [list(row) for row in made.matrix]
    assert text_of(modules) == "https://host.example"
    modules[15][30] ^= 1
    with pytest.raises(AssertionError):
        text_of(modules)


def test_a_text_that_is_too_long_has_no_code():
    assert qr_code("x" * 997) is not None  # version 25 at level M holds 997 bytes: ISO/IEC 18004, table 7
    assert qr_code("x" * 998) is None


def test_the_code_of_a_lesson_is_that_of_its_short_link():
    shared = share_data(SECOND, {"base": HOST})
    assert shared["short"] == HOST + f"?lesson={KEY}&variant=1"
    assert text_of(modules_of(shared["code"]["path"], shared["code"]["size"])) == shared["short"]
    assert shared["says"] == ""
    assert "g" in query_of(shared["link"])


def test_a_state_that_is_too_long_for_a_code_says_so_and_what_makes_it_long():
    lines = [f"x_{i} = {i * i * 0.37}  # {i * 7919 % 1009} {i * 104729 % 9973}" for i in range(120)]
    shared = share_data(typed(start(), "\n".join(lines)), {"base": HOST})
    assert shared["code"] is None
    assert re.search(r"\d,\d{3} characters, too many for a QR code", shared["says"])
    placed = "x = 1.0\n" + "\n".join(f"y_{i} = sin(x)" for i in range(40))
    spread = ", ".join(f"y_{i} {i * 7919 % 2311} {i * 104729 % 1999}" for i in range(40))
    shared = share_data(typed(start(), f"{placed}\n# positions: {spread}"), {"base": HOST})
    assert "Without the places of the nodes it has" in shared["says"]


def test_what_is_wished_for_stands_in_the_links():
    wish = {"base": f"{HOST}?g=other#x", "stage": "hidden", "fragment": "large=1"}
    shared = share_data(SECOND, wish)
    assert shared["short"] == f"{HOST}?present=hidden&lesson={KEY}&variant=1#large=1"
    assert re.fullmatch(re.escape(f"{HOST}?present=hidden&") + r".*#large=1", shared["link"])
    assert "frame" not in shared


@pytest.mark.parametrize(
    "bad", [{"fragment": "a b<"}, {"stage": "x"}, {"height": "tall"}, {"height": "1" * 9}]
)
def test_a_wish_that_cannot_be_read_is_left_out(bad):
    assert share_data(SECOND, {"base": HOST, **bad})["short"] == f"{HOST}?lesson={KEY}&variant=1"


def test_for_class_the_link_asks_first():
    shared = share_data(SECOND, {"base": HOST, "asks": "1"})
    lab = from_query(query_of(shared["short"]))
    assert lab.graph == SECOND.graph
    assert lab.asking.hides == ALL_COTANGENTS
    (asked,) = lab.asking.asked
    assert (asked.question.about.node, asked.tries) == ("x", ())
    assert len(shared["short"]) < 120


FIRST = Step("A", "x = 1237.0\ny = 2.0 * x", caption="Say.", notes="Wait for the vote, then talk.")
SECOND_ASKS = Step("B", "x = 3.0\ny = x * x", questions=(Question("number", Quantity("cotangent", "x")),))
TOUR = Tour(title="T", steps=(FIRST, SECOND_ASKS))


def rehearsed() -> Lab:
    """Return a tour at its last step, whose question has been answered."""
    lab = edited(without_history(go_to(start(), TOUR, 1)), {"kind": "answer", "at": 0, "text": "6"})
    assert lab.asking.asked[0].revealed
    return lab


@pytest.mark.parametrize("wish", [{}, {"tour": "here"}, {"tour": "alone"}, {"asks": "1"}])
def test_neither_link_nor_frame_has_what_was_answered_in_a_rehearsal(wish):
    shared = share_data(rehearsed(), {"base": HOST, "height": "300", **wish})
    for address in (shared["link"], shared["short"], shared["frame"]):
        assert "guess" not in query_of(address)
        asking = from_query(query_of(address)).asking
        assert asking is None or not any(one.tries or one.revealed for one in asking.asked)
    for text in (shared["frame_code"], shared["code"] and shared["short"]):
        assert "guess" not in text


def test_answers_go_with_a_link_that_is_asked_for_them():
    lab = rehearsed()
    shared = share_data(lab, {"base": HOST, "answers": "1", "tour": "here"})
    for address in (shared["link"], shared["short"]):
        assert from_query(query_of(address)).asking == lab.asking


def test_a_link_has_the_whole_tour_from_its_first_step_or_opens_at_a_step_or_has_that_alone():
    opened = {}
    for which in ("", "here", "alone"):
        shared = share_data(rehearsed(), {"base": HOST, "height": "300", "tour": which})
        labs = [from_query(query_of(shared[each])) for each in ("link", "short", "frame")]
        opened[which] = {(lab.tour, lab.at, formula_text(lab)) for lab in labs}
    assert opened == {
        "": {(TOUR, 0, FIRST.formula + "\n")},
        "here": {(TOUR, 1, SECOND_ASKS.formula + "\n")},
        "alone": {(None, 0, SECOND_ASKS.formula + "\n")},
    }


def test_the_link_and_the_frame_of_a_step_alone_have_its_caption_and_what_is_said_after_the_answer():
    told = replace(SECOND_ASKS, caption="Look at both wires.", text="3 and 3.")
    tour = replace(TOUR, text="Said first.", steps=(FIRST, told, SECOND_ASKS))
    lab = without_history(go_to(start(), tour, 1))
    shared = share_data(lab, {"base": HOST, "height": "300", "tour": "alone"})
    for each in ("link", "short", "frame"):
        opened = from_query(query_of(shared[each]))
        assert [(step.caption, step.text) for step in opened.tour.steps] == [
            ("Look at both wires.", "3 and 3.")
        ]
        assert opened.tour.text == ""  # of the first step
        assert (opened.at, opened.graph, opened.asking) == (0, lab.graph, lab.asking)
    assert "lesson" in query_of(shared["frame"])["show"].split(",")
    first = share_data(without_history(go_to(start(), tour, 0)), {"base": HOST, "tour": "alone"})
    alone = from_query(query_of(first["short"])).tour
    assert (alone.text, [step.caption for step in alone.steps]) == ("Said first.", ["Say."])


def test_a_tour_without_room_in_a_code_gets_that_of_its_step_and_is_told_what_makes_it_long():
    notes = " ".join(f"{i * 7919 % 10007:x}" for i in range(400))
    tour = replace(TOUR, steps=(replace(FIRST, notes=notes), SECOND_ASKS))
    lab = without_history(go_to(start(), tour, 1))
    shared = share_data(lab, {"base": HOST})
    assert re.search(r"step on view alone.* \d,\d{3} characters, .* Without the notes it has", shared["says"])
    code = shared["code"]
    step = from_query(query_of(text_of(modules_of(code["path"], code["size"]))))
    assert (step.tour, step.graph, step.asking) == (None, lab.graph, lab.asking)
    assert not share_data(rehearsed(), {"base": HOST})["alone"]


def test_the_frame_of_a_tour_has_its_text_and_the_way_to_the_next_step_unless_that_is_unticked():
    steps = (Step("A", "x = 3.0"), Step("B", "x = 2.0"))
    lab = toured_at(start(), Tour(title="T", steps=steps), 0)

    def shown(lab: Lab, **wish: str) -> tuple[str, str]:
        """What its address shows, "" for the usual; and what the dialog has ticked at first."""
        shared = share_data(lab, {"base": HOST, "height": "300", **wish})
        (ticked,) = (each["usual"] for each in shared["parameters"] if each["name"] == "show")
        return query_of(shared["frame"]).get("show", ""), ticked

    usual = "canvas,question,sliders,play,open"
    assert shown(lab) == ("canvas,question,lesson,sliders,play,open",) * 2
    assert shown(lab, show=usual)[0] == ""
    assert shown(lab, tour="alone") == ("", usual)
    assert shown(start()) == ("", usual)


def test_each_choice_of_a_frame_stands_in_its_address_and_in_its_code():
    for each in PARAMETERS:
        other = next(word for word in each["values"] if word != each["usual"])
        wish = {"base": HOST, "height": "300", "title": 'a "use"', each["name"]: other}
        shared = share_data(SECOND, wish)
        query = query_of(shared["frame"])
        assert query[each["name"]] == other
        assert (query["embed"], query["v"], query["lesson"], query["variant"]) == ("1", "1", KEY, "1")
        assert f"{each['name']}={other}" in shared["frame_code"]
        assert 'title="a &quot;use&quot;"' in shared["frame_code"]
        assert "height: 300px" in shared["frame_code"]


def test_a_frame_offers_plain_words_that_change_something_of_the_state():
    def offered(lab) -> dict[str, dict]:
        shared = share_data(lab, {"base": HOST, "height": "300"})
        return {each["name"]: each for each in shared["parameters"]}

    assert all(each["label"] not in ("", each["name"]) for each in offered(start()).values())
    assert offered(start())["show"]["idle"] == ["question", "lesson"]
    assert offered(start())["reveal"]["idle"] == []
    asked = offered(asking_first(start()))
    assert asked["show"]["idle"] == ["lesson"]
    assert asked["reveal"]["idle"] == ["ask"]
    assert asked["reveal"]["values"]["now"] == "at once, but for what is asked"
    assert "sliders" in offered(without_history(typed(start(), "x = [1.0, 2.0]\ny = sum(x)")))["show"]["idle"]


def test_a_talk_has_the_steps_of_the_lesson_and_notes_that_the_audience_does_not_see():
    talk = talk_data(SECOND)
    assert (talk["title"], talk["at"], len(talk["steps"])) == (TITLE, 1, len(GRAPHS))
    assert "3 + 3 is 6" in talk["notes"]
    assert "6" not in talk["caption"]
    assert talk_data(start()) is None


def test_what_a_tour_says_after_its_answers_comes_to_the_stage_with_them():
    tour = replace(TOUR, steps=(FIRST, replace(SECOND_ASKS, text="3 + 3.")))
    lab = without_history(go_to(start(), tour, 1))
    assert (talk_data(lab)["said"], "3 + 3" in talk_data(lab)["notes"]) == ("", False)
    answered = edited(lab, {"kind": "reveal", "at": 0})
    assert talk_data(answered)["said"] == "3 + 3."
    assert talk_data(without_history(go_to(start(), tour, 0)))["said"] == ""


def test_what_each_step_of_a_talk_draws_is_told_before_it_without_what_it_asks():
    of_y = Question("number", Quantity("value", "y"))
    asks = Step("B", "x = 3.5\ny = x * x", questions=(of_y,), hides="values")
    tour = Tour(title="T", steps=(Step("A", "x = 1.0"), asks, Step("C", "x = 1.0\n z")))
    lab = toured_at(start(), tour, 0)
    first, second, third = share_data(lab, {"base": HOST, "steps": "1"})["steps"]
    assert [node["id"] for node in first["nodes"]] == ["x"]
    assert [node["id"] for node in second["nodes"]] == ["x", "y"]
    assert "12.25" not in str(second)  # 3.5 * 3.5, which is asked for
    assert third is None
    assert "steps" not in share_data(lab, {"base": HOST})
