"""Draw the claims of a lesson, each held against what JAX computes, and its exercises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from autodiff_viz.explain.tensor.view import is_tensor
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.exercises import PLOTS, Reached, TryView, do_try, tries
from autodiff_viz.lab.judging import result_of
from autodiff_viz.lab.lessons import (
    FAILS,
    HOLDS,
    ClaimView,
    claims_on_canvas,
    open_lesson,
    open_variant,
    path_on_view,
)
from autodiff_viz.lab.onward import END, GRAPH, LESSON, TRAINING, onward
from autodiff_viz.lab.segments import three_ways_job
from autodiff_viz.lab.state import Lab
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.lesson import THREE_WAYS, Lesson, selected
from autodiff_viz.lessons.paths import Path as Way
from autodiff_viz.ui.fragments import pressed, redraw
from autodiff_viz.ui.panels.charts import so_far
from autodiff_viz.ui.panels.segments import PART
from autodiff_viz.ui.panels.tensor import show_numbers
from autodiff_viz.ui.panels.training import steer
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import act, called, current_session
from autodiff_viz.ui.worker_jobs import CURVES, proved, proving
from autodiff_viz.workers.jobs import TOO_LONG

POLL_MS = 400  # milliseconds until the browser asks whether the answer has come
CSS = Path(__file__).parents[1] / "assets" / "lessons.css"
CHECKING = "Checking"
MARKS = {
    HOLDS: ("\u2713", "holds"),
    FAILS: ("\u2717", "does not hold"),
}


def draw_claims(claims: Iterable[ClaimView]) -> None:
    """Draw one row per claim: a mark, the number found, the expected one, the tolerance and the source."""
    st.html(f'<ul class="av-claims">{"".join(_row(claim) for claim in claims)}</ul>')


def draw_open_claims(lab: Lab, view: LabView) -> None:
    """Draw the claims of the open lesson, compared with the canvas; nothing without a lesson."""
    opened = lesson(lab.lesson)
    if opened is None or not opened.claims:
        return
    answer = proved(opened)
    if answer is None:
        st.text(checking(opened))
        current_session().parts.polls["claims"] = POLL_MS
    elif answer.why:
        st.text(not_checked(answer.why))
    else:
        claims = claims_on_canvas(lab, view, answer.value)
        with st.expander(claims_title(claims), key="open_claims"):
            if any(claim.now for claim in claims):
                st.caption("The canvas is not as the lesson has it; *now* is what stands on it.")
            draw_claims(claims)


def claims_title(claims: Sequence[ClaimView]) -> str:
    """Return how many claims hold, and where, if the canvas is another graph by now."""
    where = " in the lesson's own graph" if any(claim.now for claim in claims) else ""
    return f"{sum(claim.holds for claim in claims)} of {len(claims)} claims hold{where}"


def checking(of: Lesson) -> str:
    """Return that the claims of a lesson are being checked, and how many have been."""
    return so_far(CHECKING, proving(of))


def not_checked(why: str) -> str:
    """Return the reason why the claims of a lesson are not checked."""
    if why == TOO_LONG:
        return "Checking took too long and was ended: these claims are not checked."
    return "Checking broke down: these claims are not checked."


def _row(claim: ClaimView) -> str:
    mark, word = MARKS[claim.state]
    now = f' <span class="av-now">now {escape(claim.now)}</span>' if claim.now else ""
    expected = f"expected {escape(claim.expected)}, {claim.closely}"
    return (
        f'<li class="av-{claim.state}">'
        f'<span class="av-mark" role="img" aria-label="{word}">{mark}</span>'
        f'<span class="av-says">{escape(claim.says)}</span>'
        f'<span class="av-found">{escape(claim.computed)}{now}</span>'
        f'<span class="av-source">{expected} \u00b7 {escape(claim.source)}</span></li>'
    )


# The exercises of the open lesson: a click does one, and a tick marks those that are done.


def draw_tries(lab: Lab, view: LabView) -> None:
    """Draw the exercises of the open lesson; on a path, once all are done, also what was answered."""
    before = current_session().tried
    exercises = tries(lab, before)
    if exercises is None:
        return
    if exercises[1]:
        _draw_tries(*exercises, before, view)
    then = onward(lab, before)
    if then is None or then.kind not in (LESSON, END) or path_on_view(lab) is None:
        return
    if then.path is not None:
        st.html(_end(then.path))
    if result := result_of(lab):  # also where the open graph asks nothing
        st.caption("Your result, to copy")
        st.code(result, language=None, wrap_lines=True)


def _draw_tries(key: str, items: Iterable[TryView], before: Reached, view: LabView) -> None:
    st.markdown("**Try**")
    with st.container(key="tries", gap="small"):
        for i, item in enumerate(items):
            with st.container(key=f"try_{key}_{i}", horizontal=True, wrap=False, gap="small"):
                # web/progress.js fills the mark in for exercises that were done before.
                state = " av-done" if item.is_done else " av-begun" if item.done else ""
                mark = f'<span class="av-tick{state}" data-try="{escape(key)}:{i}"></span>'
                st.html(mark, width="content")
                with st.container(key=f"try_text_{key}_{i}", gap=None, width="stretch"):
                    what = "it" if item.of == 1 else f"the next of its {item.of} parts"
                    does_what = f"Do {what} for me"
                    if item.opens:
                        does_what = f"Done; click to open {PLOTS[item.opens[0]]}"
                    _draw_doing(key, i, item, before, item.says, help=does_what, type="tertiary", wrap=True)
                    _draw_shows(key, i, item, view)


def draw_onward(lab: Lab, _view: LabView) -> None:
    """Draw the one button to press next; nothing without a lesson, or while something is asked."""
    before = current_session().tried
    then = onward(lab, before)
    if then is None:
        return
    look = {"key": "go_on", "type": "primary", "width": "stretch", "icon": ":material/arrow_forward:"}
    if then.kind == TRAINING:
        look |= {"key": "go_on_training", "icon": ":material/hourglass_top:"}
        st.button(then.says, disabled=True, **look)
    elif then.exercise is not None:
        icon = ":material/arrow_forward:"
        _draw_doing(then.key, then.at, then.exercise, before, then.says, "_next", type="primary", icon=icon)
    elif then.kind == GRAPH:
        st.button(then.says, on_click=pressed, args=(open_variant, then.key, then.at), **look)
    elif then.kind == LESSON:
        st.button(then.says, on_click=pressed, args=(open_lesson, then.key), **look)
    else:
        # web/lab.js follows the link to them, which navigation.py draws.
        st.button(then.says, **{**look, "key": "do_lessons_all", "icon": ":material/school:"})


def _end(path: Way) -> str:
    """Return as HTML that the last lesson of a path is done."""
    questions = counted(len(path.keys), "question")
    return (
        f'<p class="av-end"><b>The end of {escape(path.title)}.</b> {questions}; '
        "the page of the path shows which are done, and how many you answered right.</p>"
    )


def _draw_doing(
    key: str, i: int, item: TryView, before: Reached, says: str, suffix: str = "", **look: Any
) -> None:
    """Draw the button that does an exercise, or the next part of it; what shows its numbers opens with it."""
    kind = "" if item.opens else item.asks or ("training" if item.trains else "")
    name = f"do_{kind}_{key}_{i}" if kind else f"do_{key}_{i}"  # for web/lab.js
    plot = next((name for name in (*item.opens, *item.unseen, *item.shows) if name in PLOTS), "tries")
    with st.container(key=f"show_{plot}_by_{key}_{i}{suffix}"):
        if item.opens:
            does, args = None, ()  # done already; the browser opens the plot by the container's key
        elif item.asks == THREE_WAYS:
            does, args = _ask, (key, i)
        else:
            does, args = steer if item.trains else pressed, (do_try, key, i, before)
        st.button(says, key=f"{name}{suffix}", on_click=does, args=args, width="stretch", **look)


def _draw_shows(key: str, i: int, item: TryView, view: LabView) -> None:
    """Draw a button for each plot, and for each tensor, whose numbers a card does not show."""
    shows = [name for name in item.shows if name in PLOTS or is_tensor(view.trace, name)]
    if not shows:
        return
    with st.container(key=f"shows_{key}_{i}", horizontal=True, gap="small"):
        look = {"type": "tertiary", "icon": ":material/visibility:"}
        for name in shows:
            if name in PLOTS:  # which the browser opens by itself
                does = "Now open" if name in item.opens else "Show"
                st.button(f"{does} *{PLOTS[name]}*", key=f"show_{name}_{key}_{i}", **look)
                continue
            own = f"show_node_{key}_{i}_{name}"
            st.button(f"Show `{name}`", key=own, on_click=_show, args=(name,), **look)


@in_turn()
def _show(name: str) -> None:
    """Select a node, and choose the numbers of its tensors; a callback."""
    session, _ = called()
    act(session, edited, selected(name))
    show_numbers(session)
    redraw(session)


@in_turn()
def _ask(key: str, i: int) -> None:
    """Request the trainings in three ways, as the button of the segments does; a callback."""
    session, _ = called()
    act(session, do_try, key, i)
    if job := three_ways_job(session.lab, session.present.view):
        session.looks[CURVES] = job.key
    session.parts.cut.add(PART)
    redraw(session)
