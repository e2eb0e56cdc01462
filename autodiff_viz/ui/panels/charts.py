"""Draw what panels share: a figure beside its words, problems, tables, and the status of a worker's job."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from autodiff_viz.display.table_html import is_table, table_html
from autodiff_viz.display.theme import enlarged
from autodiff_viz.graph.problem import Problem
from autodiff_viz.lab.glossary import explained, explained_html
from autodiff_viz.ui.fragments import redraw, wanted
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import called, current_session
from autodiff_viz.ui.worker_jobs import asked, workers
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer, Job, Report

# Plotly figures with their finding and a description in words beside them.


CONFIG = {"displaylogo": False, "displayModeBar": "hover"}
_MARK = re.compile("([■□▨▬◆○●━┃┈╍])(</span>)? ")

EDGE = 8  # pixels above a drawing whose title stands beside it


def draw_chart(
    figure: Any,
    words: str,
    key: str,
    asks: str = "",
    beside: Callable[[], None] | None = None,
    counts: bool = False,
) -> None:
    """Draw a figure under the line that says what it is for, with its finding beside it.

    That of the first page, whose bars follow a slider, is HTML; a browser loads Plotly for the others alone.

    Args:
      words: describe the figure for visitors who cannot see it.
      asks: the question that the figure answers.
      beside: draws widgets above the title.
      counts: whether the figure stays on view while the pass is played.
    """
    title, figure = _untitled(figure)
    figure = enlarged(figure) if current_session().parts.large else figure
    if isinstance(figure, dict) and not figure["data"]:  # a worker's words, which Streamlit refuses so
        figure = {**figure, "data": [{"type": "scatter", "visible": False}]}
    once: set[str] = set()  # each word of the glossary is explained once, at its first place
    draw_purpose(asks, once)
    with st.container(key=f"drawn_{key}", horizontal=True, wrap=False):
        if is_table(figure):
            st.html(table_html(figure))
        else:
            st.plotly_chart(figure, key=key, width="stretch", config=CONFIG)
        with st.container(key=f"told_{key}", width=210 if beside is None else 322, gap="small"):
            if beside is not None:
                beside()
            if title:
                kind = "av-told av-counts" if counts else "av-told"
                st.html(f'<div class="{kind}">{explained_html(with_marks(title), once)}</div>')
            with st.expander("In words"):
                st.text(words)


def draw_purpose(asks: str, once: set[str] | None = None) -> None:
    """Draw the line above a figure that says what it is for; also while the figure is computed."""
    if asks:
        st.html(f'<p class="av-purpose">{explained(asks, once)}</p>')


def _untitled(figure: Any) -> tuple[str, Any]:
    """Return the title of a figure, which is HTML, and the figure without it and its room.

    A figure that a worker has built comes as a dict.
    """
    layout = figure["layout"]
    if "meta" in layout and (layout["meta"] or {}).get("told"):
        return layout["meta"]["told"], figure
    text = (layout["title"] or {})["text"] if "title" in layout else None
    if not text:
        return "", figure
    margin = layout["margin"]
    less = {
        "title": None,
        "height": layout["height"] - (margin["t"] - EDGE),
        "margin": {**(margin if isinstance(margin, dict) else margin.to_plotly_json()), "t": EDGE},
    }
    if isinstance(figure, dict):
        return text, {**figure, "layout": {**layout, **less}}
    return text, figure.update_layout(less)


def with_marks(told: str) -> str:
    """Return the words beside a figure with each mark of the legend in one line with the word after it."""
    return _MARK.sub("\\1\\2&nbsp;", told)


# Problems as text: what is wrong, where, and how to mend it.


SHOWN = 4  # the first mistakes are the ones to mend; the rest often follow from them


def draw_problems(problems: Iterable[Problem]) -> None:
    """Draw one box per problem. User text goes through `st.text` and `st.code`, never through Markdown."""
    problems = tuple(problems)
    for problem in problems[:SHOWN]:
        with st.container(border=True, gap="small"):
            where = f"Line {problem.line}: " if problem.line is not None else ""
            st.text(f"\u26a0 {where}{problem.message}")
            if problem.caret:
                st.code(problem.caret, language=None, wrap_lines=False)
            if problem.hint:
                st.text(problem.hint)
    if len(problems) > SHOWN:
        st.caption(f"And {len(problems) - SHOWN} more.")


# Small tables as HTML: Streamlit's own table loads pandas, which takes 60 MB of the server's memory.


def draw_table(columns: Mapping[str, Sequence[str]]) -> None:
    """Draw columns under their headings; the first cell of a row is its heading."""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in columns)
    rows = ""
    for first, *others in zip(*columns.values(), strict=True):
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        rows += f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    st.html(
        f'<div class="av-table"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


# The status of a worker's job, with buttons to cancel it and to request it.


POLL_MS = 400  # milliseconds until the browser asks whether an answer has come
NOT_DONE = {
    TOO_LONG: "This took too long and was ended. A smaller graph takes less.",
    DROPPED: "There was no room for this among what others have worked out.",
}
BROKEN = "This broke down, by a mistake of this program."


def draw_offer(part: str, kind: str, job: Job, offer: str, at_once: bool = False, **look: str) -> bool:
    """Return whether a job is wanted: requested, or to be done `at_once` and not cancelled.

    If it is not wanted, draw a button that requests it.
    """
    session = current_session()
    choice = session.looks.get(kind)
    if choice == job.key or (at_once and choice != _ended(job)):
        return True
    st.button(offer, key=f"{kind}_offer", on_click=wanted, args=(part, kind, job.key), **look)
    return False


def draw_awaited(part: str, kind: str, job: Job, meanwhile: str) -> Answer | None:
    """Return the answer of a job; None while it waits or runs.

    Without an answer the `part` of the page says `meanwhile` and how far the job is, with a button to cancel,
    and is drawn again by itself. If the job failed, the reason is drawn in words, with a button to try again.
    """
    session = current_session()
    answer = asked(session.name, kind, job)
    if answer is None:
        session.parts.polls[part] = POLL_MS
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(so_far(meanwhile, workers().report(job.key)), width="content")
            given = {"key": f"{kind}_cancel", "on_click": _cancel, "args": (part, kind, job)}
            st.button("Cancel", type="tertiary", **given)
    elif answer.why:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(NOT_DONE.get(answer.why, BROKEN), width="content")
            st.button("Try again", key=f"{kind}_again", type="tertiary", on_click=_again, args=(part, job))
    return answer


def so_far(meanwhile: str, report: Report | None) -> str:
    """Return what a job does, with how far it is if that is known."""
    return f"{meanwhile}: {report.words}" if report else f"{meanwhile} ..."


@in_turn()
def _again(part: str, job: Job) -> None:
    """Forget that a job failed, so that it is done anew; a callback."""
    session, _ = called()
    workers().take(job.key)
    session.parts.cut.add(part)
    redraw(session)


@in_turn()
def _cancel(part: str, kind: str, job: Job) -> None:
    """Cancel a job for which nobody waits any more; a callback."""
    session, _ = called()
    workers().cancel((session.name, kind))
    session.looks[kind] = _ended(job)
    session.parts.cut.add(part)
    redraw(session)


def _ended(job: Job) -> tuple[str, bytes]:
    return "cancelled", job.key
