"""The lab as one Streamlit component with one outbox: everything that an edit changes.

The canvas is where the component is drawn; the bar's buttons, tabs, formula, sliders, the selected node and
the check go where `place` has been called.
"""

from __future__ import annotations

from operator import is_
from typing import Any

import streamlit as st

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.address import kept_history, too_large, write_address
from autodiff_viz.ui.answers import STILL, answers, is_idle, want_check
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.first_view import drawing, written
from autodiff_viz.ui.follow_training import follow_training
from autodiff_viz.ui.fragments import (
    LAB,
    note_message,
    note_played,
    note_view,
    redraw_lab,
    redraw_rest,
    rest_due,
)
from autodiff_viz.ui.inbox import fault, fresh
from autodiff_viz.ui.lab.source import code, component
from autodiff_viz.ui.session import Sent, Session, act, called, session
from autodiff_viz.views.canvas.delta import KEPT, delta, shared
from autodiff_viz.views.canvas.lean import Lean
from autodiff_viz.views.canvas.slider_tables import is_wanted
from autodiff_viz.views.compose import LabView, sweep_tables
from autodiff_viz.views.edits.apply import edited_all
from autodiff_viz.views.lab import Lab, refused
from autodiff_viz.views.node.panel import Answers
from autodiff_viz.views.page.play import play_data

RESYNC = "resync"  # an edit that only requests a full drawing
CHECK = "check"  # an edit that requests the check of a large graph
OURS = frozenset({RESYNC, CHECK})  # edits that do not change the lab
LOOK = 400  # milliseconds until the browser asks for answers that workers have not given yet
DETAILS = "details"  # whether the table of the check is open


def place(name: str) -> None:
    """Reserve a place for a part of the component; the names are in `lab/web/lab.js`.

    It is plain HTML: at every run Streamlit makes several objects for each component that there is.
    """
    st.html(f'<div class="av-place" data-place="{name}"></div>')


def draw_lab(lab: Lab, view: LabView) -> None:
    """Send the difference from the drawing that the browser says that it has.

    Whatever message is lost, browser and server thus agree. The message also carries the `tables` that
    sliders have requested, and when the browser shall request the other parts of the page. For the drawing
    see `ui/editor/web/types.js`.
    """
    here = session()
    write_address(here)
    told = answers(here, lab, view)
    if told.awaited:
        here.parts.polls[LAB] = LOOK if is_idle(here, lab) else STILL
    sent, large, details = here.sent, too_large(here), here.looks.get(DETAILS, False)
    shown = (lab, view, large, told.check, told.checks, told.counts, told.paths, told.listing, details)
    if not _are(shown, sent.shown):
        sent.lean = _drawn(here, told, large, details)
        sent.shown = shown
        _number(sent)
    tables, sent.tables, sent.turn = sent.tables, [], sent.turn + 1
    beside = {"tables": written(tables), **rest_due(here), "turn": sent.turn, "seen": here.parts.seen}
    data = {**_news(sent), **beside, **here.inbox.word}
    if sent.play:
        data["play"], sent.play = sent.play, ""
    element = component()(key=LAB, data=data, on_outbox_change=_on_message, on_source_change=_on_source)
    if fresh(element.outbox, here.inbox):  # the callback had no values, since the page's hash had changed
        _hear(here, element.outbox)
        redraw_lab()
    if sent.code:
        code()(key=f"{LAB}_source")  # lab.css takes it out of the flow, or it would leave a gap


def _drawn(here: Session, told: Answers, large: Any, details: bool) -> Lean:
    """Return the drawing of the state on view; an unchanged first visit gets the shared one."""
    now, first = here.present, here.first
    is_first = first is not None and not here.sent.rev and large is None
    if is_first and now.lab is first.lab and now.view is first.present.view:
        here.sent.told = first.told(told)
        return here.sent.told.lean
    return drawing(now, kept_history(here), large, told, details, here.sent.lean)


def _are(shown: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether all elements are identical objects."""
    return len(shown) == len(before) and all(map(is_, shown, before))


def _number(sent: Sent) -> None:
    """Number the newest drawing and store it among those that the browser may have."""
    drawings, rev = sent.drawings, sent.rev + 1
    kept = [number for number in drawings if number == sent.have or number > rev - KEPT]
    newest = shared(drawings.get(sent.rev), sent.lean.drawing)
    sent.rev, sent.drawings = rev, {**{n: drawings[n] for n in kept}, rev: newest}


def _news(sent: Sent) -> dict[str, Any]:
    """Return the message for the newest drawing: a delta from a known drawing, or all of it."""
    newest, told = sent.drawings[sent.rev], sent.told
    if sent.have not in sent.drawings:
        is_first = told is not None and newest is told.lean.drawing
        return {"rev": sent.rev, "full": told.text if is_first else written(newest)}
    patch = delta(sent.drawings[sent.have], newest)
    return {"rev": sent.rev, "base": sent.have, "patch": written(patch)}


def _on_source() -> None:
    """Callback: send the code in an element, since the browser could not load it by its path."""
    here, _ = called()
    here.sent.code = True


def _on_message() -> None:
    """Callback: apply a message of the browser.

    It is `{"key", "edits", "have", "seen", "noticed", "details", "want", "play", "rest"}`; all of it comes
    from outside and is checked. Each edit `{"seq", "kind", ...}` is applied exactly once, however often it
    was sent.
    """
    here, values = called()
    message = (values.get(LAB) or {}).get("outbox")  # None while the page is left: `draw_lab` takes it
    if not isinstance(message, dict):
        return
    note_message(here)
    if problem := fault(message):
        act(here, refused, GraphError(problem))
    elif message.get("key") == here.inbox.key:
        with in_turn():
            _hear(here, message)


def _hear(here: Session, message: dict[str, Any]) -> None:
    have = message.get("have")
    here.sent.have = have if type(have) is int else None
    second = second if (second := message.get("second")) in [*FIGURES] else None
    large, low = message.get("large") is True, message.get("high") is not True
    note_view(here, seen=message.get("seen") is True, second=second, large=large, low=low)
    here.looks[DETAILS] = message.get("details") is True
    edits = fresh(message, here.inbox)
    if edits:
        here.inbox.ack = edits[-1]["seq"]  # first: an edit that fails must not be sent again for ever
        act(here, edited_all, [edit for edit in edits if edit["kind"] not in OURS], _noticed(message))
        for edit in edits:
            if edit["kind"] == CHECK:
                want_check(here, edit.get("on") is not False)
    if is_wanted(want := message.get("want")):
        here.sent.tables = sweep_tables(here.present.view, dict(want))
    if type(state := message.get("play")) is int and state == here.present.state:
        here.sent.play = written(play_data(here.present.view, state))
        note_played(here)
    if not edits and "rest" in message:
        follow_training(here)
        redraw_rest(here)


def _noticed(message: dict[str, Any]) -> set[int | None]:
    """Return the numbers of the refused edits whose reasons the browser has shown."""
    noticed = message.get("noticed")
    numbers = noticed[: limits.EDITS] if isinstance(noticed, list) else []
    return {seq for seq in numbers if seq is None or type(seq) is int}
