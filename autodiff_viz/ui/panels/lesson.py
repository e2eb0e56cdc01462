"""Draw the panel of the open lesson: text, exercises and claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.ui.panels.claims import CSS
from autodiff_viz.ui.widgets import answered, pressed, renewed
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons.gallery import (
    LessonView,
    close_lesson,
    lesson_view,
    open_lesson,
    open_variant,
)

PROGRESS = Path(__file__).parents[1] / "assets" / "progress.js"
TO_THE_TOP = """document.querySelector(".st-key-lesson_panel")?.scrollTo(0, 0);"""


def draw_lesson(panel: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    """Draw the open lesson into `panel`; nothing without one. `draw` draws a part of the page by its name."""
    view = lesson_view(lab)
    if view is None:
        draw("tries", panel)  # empty; every part must be in some place
        draw("claims", panel)
        return
    inside = panel.container(key="lesson")
    with inside:
        st.html(f"<style>{CSS.read_text('utf-8')}{_room(len(view.variants))}</style>")
        _draw_head(view)
        with st.container(key="variants"):
            _draw_variants(view)
        if view.about:
            with st.container(key="about_graph"):
                st.markdown(view.about)
        st.markdown(view.text)
    draw("tries", inside)
    with inside:
        _draw_ways_on(view)
    draw("claims", inside)  # last, since they come later
    with inside:
        # The text differs from lesson to lesson, so the browser runs the script once for each.
        script = f'<i data-lesson="{view.key}"></i><script>{TO_THE_TOP}</script>'
        st.html(script, unsafe_allow_javascript=True)
        draw_progress()


def draw_progress() -> None:
    """Let the browser remember which exercises are done, and show it in lessons and on their cards."""
    st.html(f"<script>{PROGRESS.read_text('utf-8')}</script>", unsafe_allow_javascript=True)


def _room(variants: int) -> str:
    """Return a style rule that keeps room for the choice of a variant, whose code Streamlit loads late."""
    height = 1.6 + 1.44 * variants if variants > 1 else 0
    return f".st-key-variants {{ min-height: {height}rem; }}"


def _draw_head(view: LessonView) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(view.place, width="content")
        st.button("Close", key="close_lesson", on_click=pressed, args=(close_lesson,), type="tertiary")
    st.header(view.title, anchor=False)


def _draw_variants(view: LessonView) -> None:
    if len(view.variants) == 1:
        return
    key = renewed("variant", view.key, view.variant)
    st.radio(
        "Graph",
        range(len(view.variants)),
        view.variant,
        key=key,
        format_func=view.variants.__getitem__,
        on_change=answered,
        args=(key, open_variant, view.key),
    )


def _draw_ways_on(view: LessonView) -> None:
    st.button(
        "Start the lesson again",
        key="restart_lesson",
        icon=":material/replay:",
        on_click=pressed,
        args=(open_lesson, view.key, view.variant),
        disabled=not view.changed,
        help=None if view.changed else "The graph is as the lesson has it.",
        width="stretch",
    )
    with st.container(horizontal=True):
        _draw_neighbour("Previous", ":material/arrow_back:", view.before)
        _draw_neighbour("Next", ":material/arrow_forward:", view.after)


def _draw_neighbour(label: str, icon: str, key: str | None) -> None:
    st.button(
        label,
        key=f"{label.lower()}_lesson",
        icon=icon,
        on_click=pressed,
        args=(open_lesson, key),
        disabled=key is None,
        help="There is none." if key is None else None,
        width="stretch",
    )
