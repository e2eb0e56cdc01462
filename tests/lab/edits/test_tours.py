"""Test the visitor's tour: each edit is a step of undo, a step opens as it was made, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from autodiff_viz.asking.question import COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import same
from autodiff_viz.lab import actions
from autodiff_viz.lab.asking import ask, reveal
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import lesson_view, open_lesson
from autodiff_viz.lab.persistence.address import divided, documents, from_query
from autodiff_viz.lab.persistence.history import recalled, trail
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.lab.tours import captured, tour_data
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.codec import tour_to_json, tour_to_link
from autodiff_viz.lessons.gallery import Track
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.messages.edits import Trail

ADD = {"kind": "tour_add"}
STOP_B = {"kind": "rules", "nodes": ["b"], "rule": "stop"}


def after(lab: Lab, *edits: dict) -> Lab:
    for edit in edits:
        lab = edited(lab, edit)
        assert lab.notice == (), edit
    return lab


def go(step: int) -> dict:
    return {"kind": "tour_go", "step": step}


def write(step: int, field: str, text: str, fresh: bool = True) -> dict:
    return {"kind": "tour_step_words", "step": step, "field": field, "text": text, "fresh": fresh}


def titles(lab: Lab) -> list[str]:
    return [step.title for step in lab.tour.steps] if lab.tour else []


@pytest.fixture
def three() -> Lab:
    """A tour of three steps, at the last one: x is 0.6, then 2, then b has a stop too."""
    return after(start(), ADD, {"kind": "slide", "name": "x", "value": 2.0}, ADD, STOP_B, ADD)


def test_each_step_opens_as_it_was_added(three):
    first, second, third = (after(three, go(i)) for i in range(3))
    assert [lab.graph["x"].param("value") for lab in (first, second, third)] == [0.6, 2.0, 2.0]
    assert [lab.graph["b"].rule.kind for lab in (first, second, third)] == ["follow", "follow", "stop"]
    assert [lab.at for lab in (first, second, third)] == [0, 1, 2]
    assert actions.undone(first).graph == three.graph


def test_a_step_has_all_that_is_on_view():
    made = after(
        start(),
        {"kind": "pin"},
        {"kind": "group", "nodes": ["a", "b"]},
        {"kind": "collapse", "group": "group", "on": True},
        {"kind": "move", "positions": {"z": [10, 20.5]}},
        {"kind": "figure", "figure": "sweep"},
        {"kind": "forward", "on": True},
        {"kind": "select", "node": "z"},
    )
    made = actions.set_dtype(actions.set_seed(made, 2.0), "float16")
    made = ask(made, (Question(NUMBER, Quantity(COTANGENT, "x")),), "cotangents")
    there = after(made, ADD, {"kind": "new"}, go(0))
    for name in ("graph", "seed", "dtype", "selected", "collapsed", "figure", "forward", "asking", "choices"):
        assert same(getattr(there, name), getattr(made, name)), name
    assert there.pinned.graph == made.pinned.graph
    assert there.graph["z"].position == (10, 20.5)


def test_a_step_keeps_the_text_of_its_author():
    text = "# two of them\nx = 1.0\nfor i in range(2):\n    x_ = sin(x) * i\n"
    made = actions.typed(start(), text)
    there = after(made, ADD, {"kind": "new"}, go(0))
    assert there.graph == made.graph
    assert there.history.present.text == made.history.present.text


def test_every_change_of_the_tour_is_undone_by_one_step(three):
    changes = [
        write(1, "title", "Second"),
        write(1, "caption", "Look at `x`."),
        write(2, "notes", "Wait."),
        write(0, "text", "So it is."),
        {"kind": "tour_words", "field": "title", "text": "Mine"},
        {"kind": "tour_words", "field": "text", "text": "For all."},
        {"kind": "tour_move", "step": 0, "to": 2},
        {"kind": "tour_remove", "step": 1},
        {"kind": "slide", "name": "x", "value": 3.0},
        {"kind": "tour_update", "step": 0},
        go(1),
        ADD,
        {"kind": "tour_close"},
        {"kind": "tour_new"},
    ]
    labs = [three]
    for change in changes:
        labs.append(after(labs[-1], change))
        assert labs[-1] is not labs[-2], change
    lab = labs[-1]
    for before in reversed(labs[:-1]):
        lab = actions.undone(lab)
        assert (lab.tour, lab.at, lab.graph) == (before.tour, before.at, before.graph)
    for there in labs[1:]:
        lab = actions.redone(lab)
        assert (lab.tour, lab.at, lab.graph) == (there.tour, there.at, there.graph)


def test_words_typed_without_a_pause_are_one_step_of_undo(three):
    typed = after(
        three, write(0, "caption", "W"), write(0, "caption", "Wh", False), write(0, "caption", "Why?", False)
    )
    assert typed.tour.steps[0].caption == "Why?"
    assert actions.undone(typed).tour == three.tour
    other = after(typed, write(1, "caption", "But"), write(0, "caption", "Why not?", False))
    assert actions.undone(other).tour.steps[0].caption == "Why?"


def test_the_step_on_view_stays_on_view_when_others_move(three):
    named = after(three, *(write(i, "title", "ABC"[i]) for i in range(3)), go(1))
    for step, to, order in ((0, 2, "BCA"), (2, 0, "CAB"), (1, 0, "BAC"), (0, 1, "BAC"), (1, 99, "ACB")):
        moved = after(named, {"kind": "tour_move", "step": step, "to": to})
        assert "".join(titles(moved)) == order
        assert moved.tour.steps[moved.at].title == "B"
    for step, left, at in ((0, "BC", 0), (2, "AB", 1), (1, "AC", 1)):
        removed = after(named, {"kind": "tour_remove", "step": step})
        assert ("".join(titles(removed)), removed.at) == (left, at)


def test_a_new_step_comes_after_the_one_on_view(three):
    between = after(three, go(0), {"kind": "slide", "name": "x", "value": 9.0}, ADD)
    assert [parse(step.formula)["x"].param("value") for step in between.tour.steps] == [0.6, 9.0, 2.0, 2.0]
    assert between.at == 1


def test_an_updated_step_keeps_its_words(three):
    worded = after(three, write(0, "title", "First"), write(0, "notes", "Slowly."), STOP_B)
    updated = after(worded, {"kind": "tour_update", "step": 0}).tour.steps[0]
    assert (updated.title, updated.notes) == ("First", "Slowly.")
    assert updated.formula == captured(worded, "").formula


def test_an_edit_of_a_step_that_has_gone_changes_nothing(three):
    for edit in (
        go(3),
        write(3, "title", "A"),
        {"kind": "tour_remove", "step": 9},
        {"kind": "tour_update", "step": 3},
    ):
        assert edited(three, edit) is three
        assert edited(start(), edit) == start()
    assert after(three, {"kind": "tour_move", "step": 1, "to": 1}) is three


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "tour_go", "step": -1},
        {"kind": "tour_go", "step": "0"},
        {"kind": "tour_move", "step": 0},
        {"kind": "tour_step_words", "step": 0, "field": "formula", "text": "x = 1.0"},
        {"kind": "tour_step_words", "step": 0, "field": "title", "text": None},
        {"kind": "tour_words", "field": "steps", "text": "[]"},
        {"kind": "tour_new", "of": "everything"},
    ],
)
def test_what_no_script_sends_is_refused(three, edit):
    refused = edited(three, edit)
    assert [problem.code for problem in refused.notice] == ["bad-edit"]
    assert refused.tour == three.tour


def test_limits_are_refused_in_words(three):
    full = replace(three.tour, steps=three.tour.steps[:1] * limits.TOUR_STEPS)
    many = after(start(), {"kind": "import", "text": tour_to_json(full)})
    long = "a" * (limits.PROSE + 1)
    for lab, edit, words in (
        (many, ADD, "has 40 steps; it may have 40"),
        (three, write(0, "caption", long), "has 4,001 characters; the limit is 4,000"),
        (three, write(0, "title", "a" * 121), "has 121 characters; the limit is 120"),
        (after(start(), {"kind": "new"}), ADD, "no graph to add yet"),
    ):
        refused = edited(lab, edit)
        assert words in refused.notice[0].message
        assert refused.tour == lab.tour


def test_a_tour_stays_within_its_size(three):
    page = "a" * limits.PROSE
    full = replace(three.tour.steps[0], text=page, caption=page, notes=page)
    steps = (*(full,) * 32, *three.tour.steps[:1] * 2)  # some 390,000 characters of 400,000
    lab = after(start(), {"kind": "import", "text": tour_to_json(replace(three.tour, steps=steps))})
    lab = after(lab, write(32, "text", page))
    refused = edited(edited(lab, write(32, "caption", page)), write(32, "notes", page))
    assert "the tour has 40" in refused.notice[0].message
    assert refused.tour.steps[32].notes == ""


def test_a_title_is_one_line(three):
    assert titles(after(three, write(0, "title", " One\n\tline\u2028 \x07")))[0] == "One line"


# Never lost


def test_the_address_has_the_tour_and_its_step(three):
    lab = after(three, write(1, "caption", "Said."), go(1))
    query, large = divided(lab)
    assert large == {}
    there = from_query(query)
    assert (there.tour, there.at, there.graph) == (lab.tour, 1, lab.graph)


def test_a_link_with_the_tour_alone_opens_its_step(three):
    link = tour_to_link(three.tour)
    assert from_query({"tour": link}).graph == after(three, go(0)).graph
    opened = from_query({"tour": link, "tourstep": "2"})
    assert (opened.at, opened.graph["b"].rule.kind) == (2, "stop")
    assert [from_query({"tour": link, "tourstep": text}).at for text in ("99", "-1", "x", "9" * 5000)] == [
        2,
        0,
        0,
        0,
    ]
    for broken in ("eJw", "a" * 60_001, link[:-5], "%"):
        refused = from_query({"tour": broken})
        assert refused.tour is None
        assert refused.notice[0].code.startswith("link-")
    beside = from_query({**divided(three)[0], "tour": "eJw"})
    assert beside.graph == three.graph
    assert beside.notice[0].code == "link-damaged"


def test_a_tour_too_long_for_the_address_is_kept_by_the_browser_and_comes_back(three):
    draw = Random(3)
    steps = tuple(replace(three.tour.steps[0], notes=f"{draw.getrandbits(12_000):x}") for _ in range(40))
    lab = after(start(), {"kind": "import", "text": tour_to_json(replace(three.tour, steps=steps))})
    query, large = divided(lab)
    assert {*large} == {"tour"}
    assert "g" in query
    alone = from_query(query)
    assert (alone.tour, alone.graph) == (None, lab.graph)
    restored = edited(alone, {"kind": "restored", "query": {**query, **large}})
    assert restored.tour == lab.tour


def recollected(lab: Lab) -> Lab:
    """The lab after a reload: from its address, with the history that the browser has kept."""
    kept = {**trail(lab.history).data, "documents": documents(lab)}
    return after(from_query(divided(lab)[0]), {"kind": "kept", "trail": kept})


def test_the_history_of_a_tour_outlives_a_reload(three):
    lab = after(
        three,
        write(0, "caption", "A"),
        go(1),
        {"kind": "tour_move", "step": 0, "to": 1},
        {"kind": "tour_close"},
    )
    for steps_back in (0, 1, 2, 4):
        here = lab
        for _ in range(steps_back):
            here = actions.undone(here)
        there = recollected(here)
        assert [entry.toured for entry in there.history.entries] == [
            entry.toured for entry in here.history.entries
        ]
        assert there.graph == here.graph


def test_a_stored_history_of_another_tour_leaves_the_tour_as_it_is(three):
    query, _ = divided(three)
    kept = {**trail(three.history).data, "tour": "0" * 12, "documents": {}}
    there = after(from_query(query), {"kind": "kept", "trail": kept})
    assert {entry.toured for entry in there.history.entries} == {three.history.present.toured}


@pytest.mark.parametrize(
    "change",
    [
        {"at": -1, "tour": {}},
        {"at": 0},
        {"at": 0, "tour": {"autodiff_viz_tour": 1, "title": "T", "steps": [7]}},
        {
            "at": 0,
            "tour": {"autodiff_viz_tour": 1, "title": "T", "steps": [{"title": "A", "formula": "x ="}]},
        },
        {"at": 0, "tour": {"autodiff_viz_tour": 1, "title": "T", "steps": [0] * 41}},
        {"at": 0, "tour": 3},
        [],
        1,
    ],
)
def test_a_malformed_step_of_a_stored_history_ends_it(change):
    lab = after(start(), {"kind": "slide", "name": "x", "value": 1.0})
    data = trail(lab.history).data
    steps = {**data["steps"], "0": '{"label": "Start", "toured": ' + str(change).replace("'", '"') + "}"}
    found = recalled({**data, "steps": steps}, [(lab.graph, None)])
    assert len(found.entries) == 1


def test_a_trail_from_before_there_were_tours_is_read():
    assert Trail(at=0, graph="", text="", steps={}).tour == ""


# Documents


def test_a_tour_opens_from_json_and_from_a_link_beside_the_present_graph(three):
    for text in (
        tour_to_json(three.tour),
        tour_to_json(three.tour, None),
        f"https://host.example/lab?tour={tour_to_link(three.tour)}&tourstep=0#look",
        f"?tour={tour_to_link(three.tour)}",
    ):
        opened = after(start(), {"kind": "import", "text": text})
        assert (opened.tour, opened.at) == (three.tour, 0)
        assert actions.undone(opened).tour is None
    refused = edited(three, {"kind": "import", "text": '{"autodiff_viz_tour": 9}'})
    assert refused.tour == three.tour
    assert "version 9" in refused.notice[0].message
    empty = after(start(), {"kind": "import", "text": tour_to_json(Tour(title="T"))})
    assert (empty.tour.title, empty.graph) == ("T", start().graph)


def test_a_lesson_becomes_a_tour_with_its_steps(three):
    lesson = gallery.lesson("gated-transformer")
    lab = after(open_lesson(start(), lesson.key, 2), {"kind": "tour_new", "of": "lesson"})
    assert lab.lesson == lesson.key
    assert lab.tour.steps == lesson.steps
    assert type(lab.tour) is Tour
    assert tour_data(lab)["changed"] is False
    there = after(lab, go(1))
    assert (there.lesson, there.graph) == (None, open_lesson(start(), lesson.key, 1).graph)
    whole = after(start(), {"kind": "import", "text": tour_to_json(lesson)})
    assert type(whole.tour) is Tour
    assert titles(after(whole, {"kind": "tour_remove", "step": 0})) == [
        step.title for step in lesson.steps[1:]
    ]
    assert titles(after(start(), {"kind": "tour_new", "of": "lesson"})) == []


# What is said of a step that asks


ASKS = Step(
    "Two uses",
    "x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b\n",
    caption="`x` is used twice.",
    text="8 arrives.",
    questions=(Question(NUMBER, Quantity(COTANGENT, "x")),),
)


def test_the_text_of_a_step_is_told_once_its_questions_are_answered():
    lab = after(start(), {"kind": "import", "text": tour_to_json(Tour(title="T", steps=(ASKS, ASKS)))})
    assert lab.asking.hides == "asked"
    assert [step["text"] for step in tour_data(lab)["steps"]] == ["", ""]
    assert [step["text"] for step in tour_data(reveal(lab, 0))["steps"]] == ["8 arrives.", ""]
    author = after(lab, {"kind": "tour_edit", "on": True})
    assert [step["text"] for step in tour_data(author)["steps"]] == ["8 arrives.", "8 arrives."]
    there = actions.undone(after(author, go(1)))
    assert tour_data(there)["editing"]
    assert [
        step["text"] for step in tour_data(after(there, {"kind": "tour_edit", "on": False}))["steps"]
    ] == ["", ""]


def test_so_is_that_of_a_lesson(monkeypatch):
    found = Lesson(key="asks", title="Asks", steps=(ASKS,))
    monkeypatch.setattr("autodiff_viz.lessons.gallery.SERVED", (found,))
    monkeypatch.setattr("autodiff_viz.lessons.gallery.TRACKS", (Track("one", "One", "", (found,)),))
    lab = open_lesson(start(), "asks")
    assert lesson_view(lab).about == "`x` is used twice."
    assert lesson_view(reveal(lab, 0)).about == "`x` is used twice.\n\n8 arrives."
    assert from_query({"lesson": "asks"}).asking == lab.asking


@pytest.mark.parametrize("kind", ["tour_add", "tour_update"])
def test_a_state_whose_formula_is_broken_is_not_taken_for_the_one_before(kind: str):
    lab = edited(start(), {"kind": "tour_add"})
    broken = edited(lab, {"kind": "type", "text": "x = 2.0\ny = sin(", "fresh": True})
    after = edited(broken, {"kind": kind, "step": 0} if kind == "tour_update" else {"kind": kind})
    assert after.tour == lab.tour
    assert [problem.code for problem in after.notice] == ["not-written"]
