"""Draw the lessons page: a card per lesson with its claims, which are checked in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.record import Lesson
from autodiff_viz.ui.panels.claims import CSS, checking, draw_claims, not_checked
from autodiff_viz.ui.panels.lesson import draw_progress
from autodiff_viz.ui.pulse.component import pulse
from autodiff_viz.ui.work import proved
from autodiff_viz.views.lessons.gallery import Card, card
from autodiff_viz.workers.jobs import Answer

PICTURES = Path(__file__).parents[1] / "serving" / "cards"
LOOK = 2.0  # seconds between two checks whether another lesson's claims have been checked

INTRODUCTION = """Each lesson is a small graph to bend, and some claims about it: numbers from a document or
worked out by hand, held against what JAX computes here. Each says how closely the two must agree."""


def page(on_open: Callable[[str], None]) -> None:
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
    pulse(LOOK if waiting else None, key="gallery_pulse", on_look=lambda: None)


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
    """Return the number of exercises; assets/progress.js writes before it how many have been done."""
    return f'<span class="av-progress" data-lesson="{found.key}">{len(found.to_try)} tried</span>'


def _verdict(shown: Card) -> str:
    held, all_of_them = sum(claim.holds for claim in shown.claims), len(shown.claims)
    ticks = "".join(":green[\u2713]" if claim.holds else ":red[\u2717]" for claim in shown.claims)
    return f"{ticks} {held} of {all_of_them} claims hold"
