"""Test the open lesson, run by Streamlit without a browser."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.asking.question import UNKNOWN
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.asking import stop_asking
from autodiff_viz.lab.exercises import PLOTS, Reached
from autodiff_viz.lab.judging import answered
from autodiff_viz.lab.lessons import ClaimView, open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.paths import path_of
from autodiff_viz.ui.exchange import apply_message
from autodiff_viz.ui.fragments import rest_due
from autodiff_viz.ui.panels.claims import claims_title
from autodiff_viz.ui.panels.lesson import PROGRESS
from autodiff_viz.ui.session import SESSION
from tests.own_lesson import GRAPHS, KEY, LAST, LESSON
from tests.ui.page import drawing_of, lab_of, put

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 300  # seconds; the first run compiles, and some lessons train


def _lab_with(key: str, variant: int = 0) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    put(app, stop_asking(open_lesson(start(), key, variant)))  # what is asked hides claims and exercises
    return app.run()


def _claims(app: AppTest) -> str:
    return "".join(
        element.proto.body for element in app.get("html") if 'class="av-claims"' in element.proto.body
    )


def _ticks(app: AppTest) -> list[bool]:
    marks = [element.proto.body for element in app.get("html")]
    return ["av-done" in mark for mark in marks if mark.startswith('<span class="av-tick')]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("found", LESSONS, ids=lambda found: found.key)
def test_every_lesson_opens_beside_the_lab(found):
    app = _lab_with(found.key)
    assert not app.exception
    assert [h.value for h in app.header] == [found.title]


def test_the_words_of_the_graph_on_view_stand_below_those_of_the_lesson():
    app = _lab_with(KEY, 1)
    said = [each.value for each in app.markdown]
    assert drawing_of(app)["lesson"]["variants"] == [variant.title for variant in LESSON.steps]
    assert drawing_of(app)["lesson"]["variant"] == 1
    of_first = f"Of the first graph, {GRAPHS[0]}:\n\n{LESSON.text}"
    first, title, words = (said.index(each) for each in (of_first, f"**{GRAPHS[1]}**", LESSON.steps[1].text))
    assert first < title < words


def test_next_opens_the_next_lesson_and_close_leaves_it():
    app = _lab_with("two-knobs")
    app.button(key="next_lesson").click().run()
    assert lab_of(app).lesson == gallery.track_of(LESSONS[0]).lessons[1].key
    app.button(key="close_lesson").click().run()
    assert not app.exception
    assert not app.header


def test_a_changed_graph_is_noted_and_started_again():
    app = _lab_with(KEY)
    assert app.button(key="restart_lesson").disabled
    put(app, set_input(lab_of(app), "x", 1.0))
    app.run()
    assert any("is not as the lesson has it" in caption.value for caption in app.caption)
    assert "now 4<" in _claims(app)  # 2 + 2x at x = 1
    assert 'aria-label="holds"' in _claims(app)
    app.button(key="restart_lesson").click().run()
    assert lab_of(app).graph["x"].param("value") == 3.0
    put(app, stop_asking(lab_of(app)))
    app.run()
    assert 'aria-label="holds"' in _claims(app)
    assert "now " not in _claims(app)


def test_an_exercise_is_done_by_its_button_and_ticked():
    app = _lab_with(KEY)
    assert _ticks(app) == [False, False, False, False]
    app.button(key=f"do_{KEY}_1").click().run()
    assert not app.exception
    assert lab_of(app).graph["b"].rule.kind == "stop"
    assert _ticks(app) == [False, True, False, False]
    app.button(key=f"do_{KEY}_2").click().run()
    assert lab_of(app).variant == 1


def test_the_exercises_to_play_the_pass_are_ticked_once_the_browser_has_done_so():
    app = _lab_with("neuron", 1)
    assert _ticks(app) == [False, False, False]
    here = app.session_state[SESSION]
    said = {"key": here.inbox.key, "edits": [], "seen": True, "play": here.present.state}
    apply_message(here, {**said, "stepped": "2"})
    assert rest_due(here)["due"]
    app.run()
    assert _ticks(app) == [False, False, True]
    put(app, stop_asking(open_lesson(lab_of(app), "neuron", 0)))
    app.run()
    apply_message(here, {**said, "play": here.present.state})
    assert _ticks(app.run()) == [False, False, True]  # it has been played, not stepped
    apply_message(here, {**said, "play": None, "stepped": here.present.state})
    assert rest_due(here)["due"]
    assert _ticks(app.run()) == [True, False, True]


def test_an_exercise_opens_the_numbers_of_the_tensor_that_it_speaks_of():
    app = _lab_with("xor-broadcast")
    before = len(app.get("code"))
    app.button(key="show_node_xor-broadcast_0_yhat").click().run()
    assert not app.exception
    assert lab_of(app).selected == "yhat"
    assert len(app.get("code")) == before + 1  # all numbers, not their norm


def test_at_the_end_of_a_path_the_result_is_there_in_a_graph_that_asks_nothing():
    path = path_of({"path": "custom", "of": KEY, "name": "Week 3"})
    lab = open_lesson(replace(start(), path=path), KEY)
    for at in range(len(lab.asking.asked)):
        lab = answered(lab, at, UNKNOWN)
    lab = open_lesson(lab, KEY, LAST)
    assert lab.asking is None
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    put(app, lab)
    app.run()
    assert [each.value for each in app.code if each.value.startswith("av1")] == []
    parts = {(i, k) for i, item in enumerate(LESSON.to_try) for k, _ in enumerate(item.parts)}
    looked = {(*part, plot) for part in parts for plot in PLOTS}
    app.session_state[SESSION].tried = Reached(KEY, frozenset(parts), frozenset(looked))
    app.run()
    assert not app.exception
    (line,) = [each.value for each in app.code if each.value.startswith("av1")]
    assert line.startswith(f"av1 {KEY}: ")
    texts = [element.proto.body for element in app.get("html")]
    ends = [at for at, text in enumerate(texts) if "The end of Week 3." in text]
    ticks = [at for at, text in enumerate(texts) if text.startswith('<span class="av-tick')]
    assert ticks[-1] < ends[0]  # below the exercises, not over them


def test_the_script_of_the_progress_is_one_that_streamlit_runs():
    """It cleans HTML with DOMPurify, which drops a script with what looks like a tag in it."""
    assert not re.search(r"<[/\w!]", PROGRESS.read_text("utf-8"))


def test_the_script_of_the_progress_keeps_the_exercises_of_every_lesson():
    """It drops ids that its pattern does not take, since they go into a style sheet."""
    pattern = re.search(r"/\^(.+)\$/\.test", PROGRESS.read_text("utf-8"))[1]
    ids = [f"{lesson.key}:{number}" for lesson in LESSONS for number in range(len(lesson.to_try))]
    assert [each for each in ids if not re.fullmatch(pattern, each)] == []
    assert not re.fullmatch(pattern, 'a:0"] { display: none } [a="')


def test_the_title_of_claims_says_where_they_hold():
    """Doing an exercise changes the canvas, and no claim."""

    def title(*states: str, now: str = "") -> str:
        return claims_title([ClaimView("", "", "", "", "", state, now) for state in states])

    assert title("holds", "holds") == "2 of 2 claims hold"
    assert title("holds", "fails") == "1 of 2 claims hold"
    assert title("holds", "holds", now="4") == "2 of 2 claims hold in the lesson's own graph"
