"""The gallery: every lesson as a card, with its claims checked as the page is drawn."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ui.panels.claims import CSS, draw_claims
from autodiff_viz.views.lessons import Card, card

INTRODUCTION = """Each lesson is a small graph to bend, and some claims about it: numbers from a document or
worked out by hand, held against what JAX computes here. Each says how closely the two must agree."""


def page(on_open: Callable[[str], None]) -> None:
    """Draw the cards one by one: the first visitor sees each as soon as it has been evaluated.

    Args:
      on_open: called with the key of a lesson that is to be opened in the lab.
    """
    st.set_page_config(
        page_title="Lessons", initial_sidebar_state="collapsed"
    )  # an open lesson had it expanded
    st.html(CSS)
    with st.container(key="introduction"):
        st.title("Lessons", anchor=False)
        st.markdown(INTRODUCTION)
    with st.container(key="gallery"):
        for lesson in LESSONS:
            with st.container(border=True, key=f"card_{lesson.key}"):
                _draw_card(card(lesson), on_open)


def _draw_card(shown: Card, on_open: Callable[[str], None]) -> None:
    st.header(f"{shown.number}. {shown.title}", anchor=False)
    st.markdown(shown.summary)
    look = {"key": f"open_{shown.key}", "icon": ":material/conversion_path:"}
    st.button("Open in the lab", on_click=on_open, args=(shown.key,), **look)
    with st.expander(_verdict(shown)):
        for title, claims in shown.graphs:
            if len(shown.graphs) > 1:
                st.markdown(f"**{title}**")
            draw_claims(claims)


def _verdict(shown: Card) -> str:
    held, all_of_them = sum(claim.holds for claim in shown.claims), len(shown.claims)
    ticks = "".join(":green[\u2713]" if claim.holds else ":red[\u2717]" for claim in shown.claims)
    return f"{ticks} {held} of {all_of_them} claims hold"
