"""Draw the lessons page: a card per lesson with its claims, which are checked in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.lab.lessons import Card, card
from autodiff_viz.lab.page import SHOWS
from autodiff_viz.lab.state import Lab
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.ui.address import entered, write_address
from autodiff_viz.ui.component import draw_lab, place, pulse
from autodiff_viz.ui.fragments import LAB, Draw, whole_page
from autodiff_viz.ui.panels.charts import draw_problems
from autodiff_viz.ui.panels.claims import (
    CSS,
    checking,
    draw_claims,
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

# Draw the lab page: canvas, formula, inputs, inspector and figure of one graph.


FIGURE = "figure_place"  # key of the container of the figure, which web/dock/visibility.js watches


def lab_page() -> None:
    """Draw the page: the canvas first, slower parts after it.

    After an edit only the parts that it has changed are drawn again, not this page. The keys of the
    containers are for `lab.css`, which places them: a dock of plots below the canvas, a column beside both,
    and the bar above them. `web/dock` says which of them are open.
    """
    here = entered()
    write_address(here)
    with whole_page(here, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        _draw_bar(frame.container(key="topbar"), draw)
        _draw_side(frame.container(key="side"), here.lab, draw)
        _draw_dock(frame.container(key="dock"), draw)


def _draw_bar(bar: DeltaGenerator, draw: Callable[..., None]) -> None:
    with bar:
        place("bar")
    draw("settings", bar)
    with bar:
        place("check")


def _draw_side(side: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
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


DRAWS: Mapping[str, Draw] = {
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
    "claims": draw_open_claims,
    "chooser": draw_chooser,
    "figure": draw_figure,
    "second": draw_second,
}

PICTURES = Path(__file__).parent / "server" / "cards"
CLAIMS_POLL_SECONDS = 2.0  # seconds between two checks whether another lesson's claims have been checked

INTRODUCTION = """Each lesson is a small graph to bend, and some claims about it: numbers from a document or
worked out by hand, held against what JAX computes here. Each says how closely the two must agree."""


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
    answers = {found.key: proved(found) for found in reversed(LESSONS)}  # the newest request is served first
    with st.container(key="gallery"):
        for found in LESSONS:
            with st.container(border=True, key=f"card_{found.key}"):
                _draw_card(found, answers[found.key], on_open)
    waiting = None in answers.values()
    pulse(CLAIMS_POLL_SECONDS if waiting else None, key="gallery_pulse", on_look=lambda: None)


def _draw_card(found: Lesson, answer: Answer | None, on_open: Callable[[str], None]) -> None:
    shown = card(found, answer and answer.value)
    st.image(PICTURES / f"{shown.key}.png", alt=f"The graph of the lesson: {shown.title}", width="stretch")
    st.header(f"{shown.number}. {shown.title}", anchor=False)
    st.markdown(shown.summary)
    look = {"key": f"open_{shown.key}", "icon": ":material/conversion_path:"}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Open in the lab", on_click=on_open, args=(shown.key,), **look)
        st.html(_progress(found), width="content")
    if answer is None or answer.why:
        st.text(checking(found) if answer is None else not_checked(answer.why))
        return
    with st.expander(_verdict(shown)):
        for title, claims in shown.graphs:
            if len(shown.graphs) > 1:
                st.markdown(f"**{title}**")
            draw_claims(claims)


def _progress(found: Lesson) -> str:
    """Return the number of exercises; web/progress.js writes before it how many have been done."""
    return f'<span class="av-progress" data-lesson="{found.key}">{len(found.to_try)} tried</span>'


def _verdict(shown: Card) -> str:
    held, all_of_them = sum(claim.holds for claim in shown.claims), len(shown.claims)
    ticks = "".join(":green[\u2713]" if claim.holds else ":red[\u2717]" for claim in shown.claims)
    return f"{ticks} {held} of {all_of_them} claims hold"
