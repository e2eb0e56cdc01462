"""Draw the status of a worker's job, with buttons to cancel it and to request it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from autodiff_viz.display.theme import enlarged
from autodiff_viz.graph.problem import Problem
from autodiff_viz.lab.glossary import explained, explained_html
from autodiff_viz.ui.fragments import redraw, wanted
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.worker_jobs import asked, workers
from autodiff_viz.workers.jobs import DROPPED, TOO_LONG, Answer, Job, Report

# Draw Plotly figures with their finding and a description in words beside them.


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
    """Draw a Plotly figure with its title beside it, so that the drawing has the whole height.

    Args:
      words: describe the figure for visitors who cannot see it.
      asks: the question that the figure answers.
      beside: draws widgets above the title.
      counts: whether the figure stays on view while the pass is played.
    """
    told, figure = _untitled(figure)
    told = with_marks(told)
    figure = enlarged(figure) if session().parts.large else figure
    if isinstance(figure, dict) and not figure["data"]:  # a worker's words, which Streamlit refuses so
        figure = {**figure, "data": [{"type": "scatter", "visible": False}]}
    with st.container(key=f"drawn_{key}", horizontal=True, wrap=False):
        st.plotly_chart(figure, key=key, width="stretch", config=CONFIG)
        with st.container(key=f"told_{key}", width=210 if beside is None else 322, gap="small"):
            if beside is not None:
                beside()
            if told or asks:
                kind = "av-told av-counts" if counts else "av-told"
                once: set[str] = set()
                told, asked = explained_html(told, once), explained(asks, once)
                st.html(f'<div class="{kind}"><div>{told}</div><p>{asked}</p></div>')
            with st.expander("In words"):
                st.text(words)


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
    head = layout["margin"]["t"] - EDGE
    less = {
        "title": None,
        "height": layout["height"] - head,
        "margin": {**_plain(layout["margin"]), "t": EDGE},
    }
    if isinstance(figure, dict):
        return text, {**figure, "layout": {**layout, **less}}
    return text, figure.update_layout(less)


def _plain(margin: Any) -> dict[str, Any]:
    return margin if isinstance(margin, dict) else margin.to_plotly_json()


def with_marks(told: str) -> str:
    """Return the words beside a figure with each mark of the legend in one line with the word after it."""
    return _MARK.sub("\\1\\2&nbsp;", told)


# Draw problems as text on the page: what was found, where, and how to mend it.


SHOWN = 4  # the first mistakes are the ones to mend; the rest often follow from them


def draw_problems(problems: Iterable[Problem]) -> None:
    """Draw one box per problem. User text goes through `st.text` and `st.code`, never through Markdown."""
    problems = tuple(problems)
    for problem in problems[:SHOWN]:
        with st.container(border=True, gap="small"):
            st.text(f"\u26a0 {_where(problem)}{problem.message}")
            if problem.caret:
                st.code(problem.caret, language=None, wrap_lines=False)
            if problem.hint:
                st.text(problem.hint)
    if len(problems) > SHOWN:
        st.caption(f"And {len(problems) - SHOWN} more.")


def _where(problem: Problem) -> str:
    return f"Line {problem.line}: " if problem.line is not None else ""


# Draw small tables as HTML. Streamlit's own table loads pandas, which takes 60 MB of the server's
# memory.


def draw_table(columns: Mapping[str, Sequence[str]]) -> None:
    """Draw columns under their headings; the first cell of a row is its heading."""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in columns)
    rows = "".join(map(_row, zip(*columns.values(), strict=True)))
    st.html(
        f'<div class="av-table"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _row(cells: tuple[str, ...]) -> str:
    first, *others = map(escape, cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


POLL_MS = 400  # milliseconds until the browser asks whether an answer has come
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
        here.parts.polls[part], found = POLL_MS, workers().report(job.key)
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
