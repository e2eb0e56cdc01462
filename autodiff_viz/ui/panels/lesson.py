"""The open lesson beside the lab: what it says, what to try, and whether its claims hold."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.panels.claims import CSS, draw_claims
from autodiff_viz.ui.session import act
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons import LessonView, close_lesson, lesson_view, open_lesson


def draw_lesson(lab: Lab) -> None:
    """Fill the sidebar; without an open lesson there is none."""
    view = lesson_view(lab)
    if view is None:
        return
    with st.sidebar:
        st.html(CSS)
        _draw_head(view)
        st.markdown(view.text)
        _draw_variants(view)
        st.markdown("**Try**\n" + "\n".join(f"- {step}" for step in view.to_try))
        st.markdown("**Claims**")
        draw_claims(view.claims)
        if view.changed:
            st.caption("You have changed the graph. The ticks are about the lesson's own.")
        _draw_ways_on(view)


def _draw_head(view: LessonView) -> None:
    place, close = st.columns([2, 1], vertical_alignment="center")
    place.caption(view.place)
    close.button("Close", key="close_lesson", on_click=act, args=(close_lesson,), type="tertiary")
    st.subheader(view.title, anchor=False)


def _draw_variants(view: LessonView) -> None:
    if len(view.variants) == 1:
        return
    st.session_state["variant"] = view.variant
    st.radio(
        "Graph",
        range(len(view.variants)),
        key="variant",
        format_func=view.variants.__getitem__,
        on_change=_on_variant,
        args=(view.key,),
    )


def _on_variant(key: str) -> None:
    act(open_lesson, key, st.session_state["variant"])


def _draw_ways_on(view: LessonView) -> None:
    st.button(
        "Start the lesson again",
        key="restart_lesson",
        icon=":material/replay:",
        on_click=act,
        args=(open_lesson, view.key, view.variant),
        disabled=not view.changed,
        width="stretch",
    )
    before, after = st.columns(2)
    _draw_neighbour(before, "Previous", ":material/arrow_back:", view.before)
    _draw_neighbour(after, "Next", ":material/arrow_forward:", view.after)


def _draw_neighbour(place: st.delta_generator.DeltaGenerator, label: str, icon: str, key: str | None) -> None:
    place.button(
        label,
        key=f"{label.lower()}_lesson",
        icon=icon,
        on_click=act,
        args=(open_lesson, key),
        disabled=key is None,
        width="stretch",
    )
