"""Draw the panel of the open lesson: question, reason, exercises, what comes next, code and claims."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.lab.code import is_read
from autodiff_viz.lab.edits.document import imported
from autodiff_viz.lab.glossary import explained
from autodiff_viz.lab.lessons import LessonView, close_lesson, lesson_view, open_lesson, restart_lesson
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.component import place
from autodiff_viz.ui.fragments import pressed
from autodiff_viz.ui.panels.claims import CSS

PROGRESS = Path(__file__).parents[2] / "web" / "progress.js"
TO_THE_TOP = """(() => {
  const key = document.querySelector("[data-lesson]")?.dataset.lesson;
  if (globalThis.autodiff_viz_opened === key) return; // drawn anew, as after an answer
  globalThis.autodiff_viz_opened = key;
  const panel = document.querySelector(".st-key-lesson_panel");
  panel?.closest('[data-testid="stLayoutWrapper"]')?.scrollTo(0, 0);
  panel?.closest(".st-key-side")?.scrollTo(0, 0); // the sheet of a phone
  const title = panel?.querySelector("h2");
  if (!title) return;
  title.setAttribute("tabindex", "-1");
  new ResizeObserver((_, seen) => {
    if (!title.getClientRects().length) return; // not on view yet
    seen.disconnect();
    const at = document.activeElement;
    if (at === document.body || panel.contains(at)) title.focus({ preventScroll: true });
  }).observe(title);
})();"""
"""Show the lesson's beginning, once; whoever came by a link or by a button in it goes on with the keyboard
from its title, where the keys of the canvas work too."""


def draw_lesson(panel: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    """Draw the open lesson into `panel`; nothing without one. `draw` draws a part of the page by its name."""
    with panel:
        place("tour")
    view = lesson_view(lab)
    if view is None:
        for name in ("tries", "onward", "claims"):  # empty; every part must be in some place
            draw(name, panel)
        return
    inside = panel.container(key="lesson")
    with inside:
        st.html(f"<style>{CSS.read_text('utf-8')}</style>")
        with st.container(key="lesson_head"):
            _draw_head(view)
        st.header(view.title, anchor=False)
        st.markdown(view.text)
        place("asking")
        if view.about:
            with st.container(key="about_graph", gap="small"):
                if len(view.variants) > 1:
                    st.markdown(f"**{view.variants[view.variant]}**")
                st.markdown(view.about)
        if view.words:
            st.html(f'<p class="av-lesson-words">Words: {explained(", ".join(view.words))}</p>')
    draw("tries", inside)
    foot = inside.container(key="lesson_foot", gap="small")
    with foot:
        place("slider_seat")
    draw("onward", foot)
    with inside:
        _draw_code(view)
    draw("claims", inside)  # later, since they come later
    with inside:
        if view.sources:
            st.caption(" \u00b7 ".join(view.sources))
        # The text differs from lesson to lesson, so the browser runs the script once for each.
        script = f'<i data-lesson="{view.key}"></i><script>{TO_THE_TOP}</script>'
        st.html(script, unsafe_allow_javascript=True)
        draw_progress()


def _draw_code(view: LessonView) -> None:
    """Draw the first graph as people write it, folded, with a button that reads it; nothing without code."""
    if not view.code:
        return
    with st.expander("As people write it", key="lesson_code"):
        st.code(view.code, language="python", wrap_lines=True)
        if is_read(view.code):
            st.button(
                "Read this code into a graph",
                key="read_code",
                icon=":material/code:",
                on_click=pressed,
                args=(imported, view.code),
                type="tertiary",
                help="It opens on the canvas. Undo leads back to the lesson.",
            )


def draw_progress() -> None:
    """Let the browser remember which exercises are done, and show it in lessons and on their cards."""
    st.html(f"<script>{PROGRESS.read_text('utf-8')}</script>", unsafe_allow_javascript=True)


def _draw_head(view: LessonView) -> None:
    """Draw the row that stays in view: the lesson's track, and the ways to its neighbours and out."""
    row = "on this path" if view.place else "in this track"
    with st.container(horizontal=True, vertical_alignment="center", gap="xxsmall"):
        if view.place:
            path = f'<a href="{escape(view.page)}" target="_self">{escape(view.track)}</a>'
            st.html(f'<p class="av-way">{path} \u00b7 {view.place}</p>', width="stretch")
        else:
            st.caption(view.track, width="stretch")
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
                help=f"{label} lesson" if key else f"There is no {label.lower()} lesson {row}",
                type="tertiary",
            )
        st.button(
            "Start the lesson again",
            key="restart_lesson",
            icon=":material/replay:",
            on_click=pressed,
            args=(restart_lesson, view.key, view.variant),
            disabled=not view.changed,
            help="Start the lesson again" if view.changed else "The graph is as the lesson has it.",
            type="tertiary",
        )
        st.button("Close", key="close_lesson", on_click=pressed, args=(close_lesson,), type="tertiary")
