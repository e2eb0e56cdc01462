"""Draw the pages: the lab, with its parts in their places, and the lessons, a card for each.

The claims of the lessons are checked in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.embedding.contract import Embed
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.lessons import card
from autodiff_viz.lab.page import ANSWER_FIRST, CONCEALED, LESSON, SHOWS, waits
from autodiff_viz.lab.state import Lab
from autodiff_viz.lessons.gallery import CONTRIBUTED, LESSONS
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.ui.address import entered, write_address
from autodiff_viz.ui.component import draw_lab, place, pulse
from autodiff_viz.ui.fragments import LAB, Draw, whole_page
from autodiff_viz.ui.panels.charts import draw_problems
from autodiff_viz.ui.panels.claims import (
    CSS,
    checking,
    draw_claims,
    draw_onward,
    draw_open_claims,
    draw_tries,
    not_checked,
)
from autodiff_viz.ui.panels.figures import draw_chooser, draw_figure, draw_second
from autodiff_viz.ui.panels.lesson import draw_lesson, draw_progress
from autodiff_viz.ui.panels.segments import draw_segments
from autodiff_viz.ui.panels.settings import draw_formula_head, draw_settings
from autodiff_viz.ui.panels.tensor import draw_tensor
from autodiff_viz.ui.panels.training import draw_curves, draw_surface, draw_track, draw_train
from autodiff_viz.ui.worker_jobs import proved
from autodiff_viz.workers.jobs import Answer

# The lab: canvas, formula, inputs, inspector and figure of one graph

FIGURE = "figure_place"  # key of the container of the figure, which web/dock/visibility.js watches


def lab_page() -> None:
    """Draw the page: the canvas first, slower parts after it.

    After an edit only the parts that it has changed are drawn again, not this page. The keys of the
    containers are for `lab.css`, which places them: a dock of plots below the canvas, a column beside both,
    and the bar above them. `web/dock` says which of them are open.
    """
    session = entered()
    write_address(session)
    with whole_page(session, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        bar = frame.container(key="topbar")
        with bar:
            place("bar")
        draw("settings", bar)  # outside of `with`: a fragment copies every container that has been entered
        with bar:
            place("check")
        _draw_side(frame.container(key="side"), session.lab, draw)
        _draw_dock(frame.container(key="dock"), draw)


def _draw_side(side: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    """Draw the column beside the canvas: lesson, problems, formula, sliders, selected node."""
    with side:
        place("panels")
    draw_lesson(side.container(key="lesson_panel"), lab, draw)
    draw("problems", side)
    with side:
        place("notes")
    panel = side.container(key="formula_panel")
    draw("formula_head", panel)
    with panel:
        place("formula")
    with side:
        place("sliders")
    panel = side.container(key="inspector")
    with panel:
        place("node")
    draw("tensor", panel)


def _draw_dock(dock: DeltaGenerator, draw: Callable[..., None]) -> None:
    """Draw the dock below both: training, segments, comparison, figures."""
    with dock:
        place("plots")
    panel = dock.container(key="train_panel")
    for name in ("train", "track", "curves", "surface"):
        draw(name, panel)
    draw("segments", dock.container(key="segments_panel"))
    with dock.container(key="twins_panel"):
        place("twins")
    panel = dock.container(key="figure_panel")
    draw("chooser", panel)
    with panel:
        place("paths")
    draw("figure", panel.container(key=FIGURE))
    draw("second", dock.container(key="second_panel"))


def _concealable(name: str, draw: Draw) -> Draw:
    """Return the function that draws a part, or says that its numbers come after the answer."""

    def drawn(lab: Lab, view: LabView) -> None:
        if not (view.hiding and name in CONCEALED):
            draw(lab, view)
        elif waits(name, lab, view):
            st.caption(ANSWER_FIRST)
            # web/lab.js answers the click: it goes to the question.
            st.button("Answer first", key=f"do_answer_{name}", icon=":material/contact_support:")

    return drawn


def framed_page(embed: Embed) -> None:
    """Draw the lab for a frame: what it shows, in the places of `ui/assets/embed.css`."""
    session = entered()
    parts = {"figure", "chooser"} if embed.shows("plot") else set()
    session.parts.placed = frozenset(
        parts | ({"tries", "onward", "claims", LESSON} if embed.shows("lesson") else set())
    )
    with whole_page(session, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        with frame.container(key="frame_sliders"):
            place("sliders")
        with frame.container(key="frame_tabs"):
            place("panes")
        panes = frame.container(key="frame_panes")
        if embed.shows("lesson"):
            draw_lesson(panes.container(key="frame_lesson"), session.lab, draw)
        for control, name in (("formula", "formula"), ("inspector", "node")):
            if embed.shows(control):
                with panes.container(key=f"frame_{control}"):
                    place(name)
        if embed.shows("plot"):
            panel = panes.container(key="frame_plot")
            draw("chooser", panel)
            draw("figure", panel.container(key=FIGURE))
        if embed.shows("check"):
            with frame.container(key="frame_check"):
                place("check")


_DRAWS: Mapping[str, Draw] = {
    LAB: draw_lab,
    "problems": lambda lab, view: draw_problems(SHOWS["problems"](lab, view)),
    "formula_head": draw_formula_head,
    "settings": draw_settings,
    "tensor": draw_tensor,
    "train": draw_train,
    "track": draw_track,
    "curves": draw_curves,
    "surface": draw_surface,
    "segments": draw_segments,
    "tries": draw_tries,
    "onward": draw_onward,
    "claims": draw_open_claims,
    "chooser": draw_chooser,
    "figure": draw_figure,
    "second": draw_second,
}

DRAWS: Mapping[str, Draw] = {name: _concealable(name, draw) for name, draw in _DRAWS.items()}

# The lessons

PICTURES = Path(__file__).parent / "server" / "cards"
CLAIMS_POLL_SECONDS = 2.0  # seconds between two checks whether another lesson's claims have been checked

INTRODUCTION = """Each lesson is a small graph to bend, and some claims about it: numbers from a document or
worked out by hand, held against what JAX computes here. Each says how closely the two must agree.

For teachers: [count what a class has answered](./?view=class)."""


def lessons_page(on_open: Callable[[str], None]) -> None:
    """Draw the cards, again and again until all claims have been checked.

    Args:
      on_open: called with the key of a lesson that is to be opened in the lab.
    """
    st.set_page_config(page_title="Lessons")
    st.html(CSS)
    draw_progress()
    with st.container(key="introduction"):
        st.title("Lessons", anchor=False)
        st.markdown(INTRODUCTION)
    # The newest request is served first: that is the first lesson's.
    answers = {lesson.key: proved(lesson) for lesson in reversed(LESSONS)}
    with st.container(key="gallery"):
        for lesson in LESSONS:
            with st.container(border=True, key=f"card_{lesson.key}"):
                _draw_card(lesson, answers[lesson.key], on_open)
    waiting = None in answers.values()
    pulse(CLAIMS_POLL_SECONDS if waiting else None, key="gallery_pulse", on_look=lambda: None)


def _draw_card(lesson: Lesson, answer: Answer | None, on_open: Callable[[str], None]) -> None:
    shown = card(lesson, answer and answer.value)
    if lesson not in CONTRIBUTED and (PICTURES / f"{shown.key}.png").exists():
        st.image(
            PICTURES / f"{shown.key}.png", alt=f"The graph of the lesson: {shown.title}", width="stretch"
        )
    st.header(f"{shown.number}. {shown.title}", anchor=False)
    st.markdown(shown.summary)
    look = {"key": f"open_{shown.key}", "icon": ":material/conversion_path:"}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Open in the lab", on_click=on_open, args=(shown.key,), **look)
        # web/progress.js writes before the number of exercises how many have been done.
        exercises = f"{len(lesson.to_try)} tried"
        st.html(f'<span class="av-progress" data-lesson="{lesson.key}">{exercises}</span>', width="content")
    if answer is None or answer.why:
        st.text(checking(lesson) if answer is None else not_checked(answer.why))
        return
    ticks = "".join(":green[\u2713]" if claim.holds else ":red[\u2717]" for claim in shown.claims)
    held = sum(claim.holds for claim in shown.claims)
    with st.expander(f"{ticks} {held} of {len(shown.claims)} claims hold"):
        for title, claims in shown.graphs:
            if len(shown.graphs) > 1:
                st.markdown(f"**{title}**")
            draw_claims(claims)
