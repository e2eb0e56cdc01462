"""Navigate between the lab and the counts of a class: one page, distinguished by the address.

Every message of the browser names the page that the browser has. A message that is sent after a link was
followed and before the answer has come (a component sends by itself, a line may be slow) names the page that
is being left. If these were two Streamlit pages, Streamlit would go back then, and draw
only the fragment that the message is from, which no longer exists: the page stays blank. Within one page such
a message changes nothing. The lessons are a page of the server (ui/server/lessons_page.py), with no session.
"""

from __future__ import annotations

import streamlit as st

from autodiff_viz.lab.persistence.address import CLASS, GALLERY, NOTES, PRESENT, VIEW
from autodiff_viz.ui import pages
from autodiff_viz.ui.address import embed_of, show_address
from autodiff_viz.ui.bundle import ASSETS, page_style
from autodiff_viz.ui.class_page import class_page
from autodiff_viz.ui.component import draw_notes
from autodiff_viz.ui.session import SESSION

NAME = "autodiff_viz"
TO_THE_TOP = """document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);"""

LESSONS_LINK = f"""<a href="./{GALLERY}" target="_self"><p>Lessons</p></a>"""

HEADING = """<h1 style="position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; overflow: hidden;
clip-path: inset(50%); white-space: nowrap">Lab: automatic differentiation of a graph</h1>"""
"""Heading of the lab for screen readers; the other pages have a visible one."""


def run() -> None:
    """Draw the page that the visitor is on."""
    st.navigation([_home()], position="hidden").run()


def _home() -> st.Page:
    return st.Page(_page, title=NAME, default=True)


def _page() -> None:
    """Draw the lab or the counts of a class, as the address says."""
    if st.query_params.get(PRESENT) == NOTES:
        draw_notes()
        return
    if (embed := embed_of()) is not None:
        pages.framed_page(embed)
        return
    view = st.query_params.get(VIEW)
    _draw_links(view)
    if view == CLASS:
        show_address(st.session_state.get(SESSION), {VIEW: CLASS})
        class_page()
    else:
        pages.lab_page()


def _draw_links(view: str | None) -> None:
    """Draw the links between pages in the header, where `lab.css` puts them."""
    with st.container(key="pages", horizontal=True):
        st.page_link(_home(), label="Lab")
        st.html(LESSONS_LINK, width="content")
        # The text differs from page to page, so the browser runs the script once for each.
        script = f"<script>{TO_THE_TOP}</script>"
        st.html(("" if view == CLASS else HEADING) + script, unsafe_allow_javascript=True)


# The frame of every page


def frame() -> None:
    """Draw the logo and the project's style rules; the theme itself is in `.streamlit/config.toml`."""
    if embed_of() is None:
        st.logo(ASSETS / "logo.svg", size="large")
    st.html(f"<style>{page_style().text}</style>")  # our page names it already; a host may have another one
