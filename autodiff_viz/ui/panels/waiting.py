"""Draw the status of a worker's job, with buttons to cancel it and to request it."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import redraw
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.widgets import wanted
from autodiff_viz.ui.work import asked, workers
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer, Job
from autodiff_viz.workers.reports import Report

LOOK = 400  # milliseconds until the browser asks whether an answer has come
NOT_DONE = {
    TOO_LONG: "This took too long and was ended: a smaller graph is needed.",
    DROPPED: "There was no room for this among what others have worked out. Change something to try again.",
}
BROKEN = "This broke down, by a mistake of this program."


def draw_offer(part: str, kind: str, job: Job, offer: str, at_once: bool = False, **look: str) -> bool:
    """Return whether a job is wanted: requested, or to be done `at_once` and not cancelled.

    If it is not wanted, draw a button that requests it.
    """
    here = session()
    choice = here.looks.get(kind)
    if choice == job.key or (at_once and choice != _ended(job)):
        return True
    st.button(offer, key=f"{kind}_offer", on_click=wanted, args=(part, kind, job.key), **look)
    return False


def draw_awaited(part: str, kind: str, job: Job, meanwhile: str) -> Answer | None:
    """Return the answer of a job; None while it waits or runs.

    Without an answer the `part` of the page says `meanwhile` and how far the job is, with a button to cancel,
    and is drawn again by itself. If the job failed, the reason is drawn in words.
    """
    here = session()
    answer = asked(here.name, kind, job)
    if answer is None:
        here.parts.polls[part], found = LOOK, workers().report(job.key)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(so_far(meanwhile, found), width="content")
            given = {"key": f"{kind}_cancel", "on_click": _cancel, "args": (part, kind, job)}
            st.button("Cancel", type="tertiary", **given)
    elif answer.why:
        st.text(NOT_DONE.get(answer.why, BROKEN))
    return answer


def so_far(meanwhile: str, found: Report | None) -> str:
    """Return what a job does, with how far it is if that is known."""
    return f"{meanwhile}: {found.words}" if found else f"{meanwhile} ..."


@in_turn()
def _cancel(part: str, kind: str, job: Job) -> None:
    """Cancel a job for which nobody waits any more; a callback."""
    here, _ = called()
    workers().cancel((here.name, kind))
    here.looks[kind] = _ended(job)
    here.parts.cut.add(part)
    redraw(here)


def _ended(job: Job) -> tuple[str, bytes]:
    return "cancelled", job.key
