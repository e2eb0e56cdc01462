"""Draw the panel of the open lesson: text, exercises and claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.lab.glossary import explained, words_in
from autodiff_viz.lab.lessons import LessonView, close_lesson, lesson_view, open_lesson
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.component import place
from autodiff_viz.ui.fragments import pressed
from autodiff_viz.ui.panels.claims import CSS

PROGRESS = Path(__file__).parents[2] / "web" / "progress.js"
TO_THE_TOP = """(() => {
  const panel = document.querySelector(".st-key-lesson_panel");
  panel?.closest('[data-testid="stLayoutWrapper"]')?.scrollTo(0, 0);
  const title = panel?.querySelector("h2");
  if (!title || !panel.contains(document.activeElement)) return;
  title.setAttribute("tabindex", "-1");
  title.focus();
})();"""
"""Show the lesson's beginning; whoever came by a button in it goes on with the keyboard from its title."""


def draw_lesson(panel: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    """Draw the open lesson into `panel`; nothing without one. `draw` draws a part of the page by its name."""
    with panel:
        place("tour")
    view = lesson_view(lab)
    if view is None:
        draw("tries", panel)  # empty; every part must be in some place
        draw("claims", panel)
        return
    inside = panel.container(key="lesson")
    with inside:
        st.html(f"<style>{CSS.read_text('utf-8')}</style>")
        with st.container(key="lesson_head"):
            _draw_head(view)
        st.header(view.title, anchor=False)
        st.markdown(view.text)
        if view.about:
            with st.container(key="about_graph", gap="small"):
                if len(view.variants) > 1:
                    st.markdown(f"**{view.variants[view.variant]}**")
                st.markdown(view.about)
        if words := words_in(f"{view.text}\n{view.about}"):
            st.html(f'<p class="av-lesson-words">Words: {explained(", ".join(words))}</p>')
    draw("tries", inside)
    with inside:
        if view.after is not None:
            st.button(
                f"Next: {view.after_title}",
                key="go_on",
                icon=":material/arrow_forward:",
                on_click=pressed,
                args=(open_lesson, view.after),
                width="stretch",
            )
    draw("claims", inside)  # last, since they come later
    with inside:
        # The text differs from lesson to lesson, so the browser runs the script once for each.
        script = f'<i data-lesson="{view.key}"></i><script>{TO_THE_TOP}</script>'
        st.html(script, unsafe_allow_javascript=True)
        draw_progress()


def draw_progress() -> None:
    """Let the browser remember which exercises are done, and show it in lessons and on their cards."""
    st.html(f"<script>{PROGRESS.read_text('utf-8')}</script>", unsafe_allow_javascript=True)


def _draw_head(view: LessonView) -> None:
    """Draw the row that stays in view: the lesson's place, and the ways to its neighbours and out."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        st.caption(view.place, width="stretch")
        for label, icon, key in (
            ("Previous", ":material/arrow_back:", view.before),
            ("Next", ":material/arrow_forward:", view.after),
        ):
            st.button(
                label,
                key=f"{label.lower()}_lesson",
                icon=icon,
                on_click=pressed,
                args=(open_lesson, key),
                disabled=key is None,
                help=f"{label} lesson" if key else f"There is no {label.lower()} lesson",
                type="tertiary",
            )
        st.button(
            "Start the lesson again",
            key="restart_lesson",
            icon=":material/replay:",
            on_click=pressed,
            args=(open_lesson, view.key, view.variant),
            disabled=not view.changed,
            help="Start the lesson again" if view.changed else "The graph is as the lesson has it.",
            type="tertiary",
        )
        st.button("Close", key="close_lesson", on_click=pressed, args=(close_lesson,), type="tertiary")
