"""Navigate between the lab, the lessons and the counts of a class: one page, distinguished by the address.

Every message of the browser names the page that the browser has. A message that is sent after a link was
followed and before the answer has come (a component sends by itself, a line may be slow) names the page that
is being left. If the lab and the lessons were two Streamlit pages, Streamlit would go back then, and draw
only the fragment that the message is from, which no longer exists: the page stays blank. Within one page such
a message changes nothing.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import CLASS, GALLERY, NOTES, PRESENT, VIEW
from autodiff_viz.ui import pages
from autodiff_viz.ui.address import embed_of, entered, show_address, write_address
from autodiff_viz.ui.class_page import class_page
from autodiff_viz.ui.component import draw_notes
from autodiff_viz.ui.session import SESSION, act

NAME = "autodiff_viz"
TO_THE_TOP = """document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);"""

HEADING = """<h1 style="position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; overflow: hidden;
clip-path: inset(50%); white-space: nowrap">Lab: automatic differentiation of a graph</h1>"""
"""Heading of the lab for screen readers; the lessons have a visible one."""


def run() -> None:
    """Draw the page that the visitor is on."""
    gallery = st.Page(_gallery_alone, title=NAME, url_path=GALLERY)
    st.navigation([_home(), gallery], position="hidden").run()


def _home() -> st.Page:
    return st.Page(_page, title=NAME, default=True)


def _page() -> None:
    """Draw the lab, the lessons or the counts of a class, as the address says."""
    if st.query_params.get(PRESENT) == NOTES:
        draw_notes()
        return
    if (embed := embed_of()) is not None:
        pages.framed_page(embed)
        return
    view = st.query_params.get(VIEW)
    _draw_links(view)
    if view == GALLERY:
        show_address(st.session_state.get(SESSION), {VIEW: GALLERY})
        pages.lessons_page(_open)
    elif view == CLASS:
        show_address(st.session_state.get(SESSION), {VIEW: CLASS})
        class_page()
    else:
        pages.lab_page()


def _gallery_alone() -> None:
    """Draw the lessons under their own address, which people have bookmarked."""
    _draw_links(GALLERY)
    pages.lessons_page(_open_at_home)


def _draw_links(view: str | None) -> None:
    """Draw the links between pages in the header, where `lab.css` puts them."""
    with st.container(key="pages", horizontal=True):
        st.page_link(_home(), label="Lab", icon=":material/conversion_path:")
        st.page_link(_home(), label="Lessons", icon=":material/school:", query_params={VIEW: GALLERY})
        # The text differs from page to page, so the browser runs the script once for each.
        script = f"<script>{TO_THE_TOP}</script>"
        st.html(("" if view in (GALLERY, CLASS) else HEADING) + script, unsafe_allow_javascript=True)


def _open(lesson: str) -> None:
    """Open a lesson from the lessons within the lab's page; a callback."""
    session = entered()
    act(session, open_lesson, lesson)
    write_address(session)  # before the page is drawn, since the page is the lab then


def _open_at_home(lesson: str) -> None:
    """Open a lesson from the lessons' own address; a callback."""
    act(entered(), open_lesson, lesson)
    st.switch_page(_home())


# The frame of every page

ASSETS = Path(__file__).parent / "assets"


def frame() -> None:
    """Draw the logo and the project's few style rules; the theme itself is in `.streamlit/config.toml`."""
    if embed_of() is None:
        st.logo(ASSETS / "logo.svg", size="large")
    st.html(ASSETS / "lab.css")
    st.html(ASSETS / "present.css")
