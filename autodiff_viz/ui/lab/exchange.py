"""Exchange messages between server and browser, whichever connection carries them.

The browser sends edits and requests; the server answers each message with what has changed in the drawing.
Messages travel over the lab's own websocket (`ui/serving/lab_socket.py`), which costs a tenth of a run of
Streamlit, or, where a host does not pass that on, as values of the component (`ui/lab/component.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons.record import PLAY, STEPS
from autodiff_viz.ui.address import kept_history, too_large
from autodiff_viz.ui.answers import STILL, answers, is_idle, want_check
from autodiff_viz.ui.first_view import drawing, written
from autodiff_viz.ui.follow_training import follow_training
from autodiff_viz.ui.fragments import LAB, note_view, rest_due
from autodiff_viz.ui.inbox import fault, fresh
from autodiff_viz.ui.session import Sent, Session, act, note_tried
from autodiff_viz.views.canvas.delta import KEPT, delta, shared
from autodiff_viz.views.canvas.lean import Lean
from autodiff_viz.views.canvas.slider_tables import is_wanted
from autodiff_viz.views.compose import sweep_tables
from autodiff_viz.views.edits.apply import edited_all
from autodiff_viz.views.lab import refused
from autodiff_viz.views.node.panel import Answers
from autodiff_viz.views.page.play import play_data

RESYNC = "resync"  # an edit that only requests a full drawing
CHECK = "check"  # an edit that requests the check of a large graph
OURS = frozenset({RESYNC, CHECK})  # edits that do not change the lab
LOOK = 400  # milliseconds until the browser requests answers that workers have not given yet
DETAILS = "details"  # whether the table of the check is open


def hear(here: Session, message: Mapping[str, Any]) -> bool:
    """Apply a message of the browser; return whether it requests the other parts of the page.

    It is `{"key", "edits", "have", "seen", "noticed", "details", "want", "play", "stepped",
    "rest"}`; all of it comes from outside and is checked. Each edit `{"seq", "kind", ...}` is applied exactly
    once, however often it was sent. A message that cannot be read is refused on the page; one to another
    session has no effect.
    """
    with here.lock:
        if problem := fault(message):
            act(here, refused, GraphError(problem))
            return False
        if message.get("key") != here.inbox.key:
            return False
        have = message.get("have")
        here.sent.have = have if type(have) is int else None
        second = second if (second := message.get("second")) in [*FIGURES] else None
        large, low = message.get("large") is True, message.get("high") is not True
        note_view(here, seen=message.get("seen") is True, second=second, large=large, low=low)
        here.looks[DETAILS] = message.get("details") is True
        edits = fresh(message, here.inbox)
        if edits:
            _apply(here, edits, _noticed(message))
        if is_wanted(want := message.get("want")):
            here.sent.tables = sweep_tables(here.present.view, dict(want))
        if type(state := message.get("play")) is int and state == here.present.state:
            here.sent.play = written(play_data(here.present.view, state))
            note_tried(here, PLAY)
        if type(state := message.get("stepped")) is int and state == here.present.state:
            note_tried(here, STEPS)
        if edits or "rest" not in message:
            return False
        follow_training(here)
        return True


def news(here: Session, pushed: bool = False) -> dict[str, Any]:
    """Return the message to the browser: the difference from the drawing that the browser says that it has.

    Whatever message is lost, browser and server thus agree. The message also carries the `tables` that
    sliders have requested, and when and how the browser shall request the other parts of the page. For the
    drawing see `ui/editor/web/types.js`.

    Args:
      pushed: whether the answers of workers that are pending will be sent without a request.
    """
    with here.lock:
        now, sent = here.present, here.sent
        large, details = too_large(here), here.looks.get(DETAILS, False)
        told = answers(here, now.lab, now.view)
        idle = is_idle(here, now.lab)
        if told.awaited and not (pushed and idle):
            here.parts.polls[LAB] = LOOK if idle and not here.socket else STILL
        shown = (
            now.lab, now.view, large, told.check, told.checks, told.counts, told.paths, told.listing, details,
        )  # fmt: skip
        if not _are(shown, sent.shown):
            sent.lean = _drawn(here, told, large, details)
            sent.shown = shown
            _number(sent)
        tables, sent.tables, sent.turn = sent.tables, [], sent.turn + 1
        beside = {"tables": written(tables), **rest_due(here), "turn": sent.turn, "seen": here.parts.seen}
        data = {**_changes(sent), "socket": here.name, **beside, **here.inbox.word}
        if sent.play:
            data["play"], sent.play = sent.play, ""
        return data


def _apply(here: Session, edits: list[dict[str, Any]], noticed: set[int | None]) -> None:
    here.inbox.ack = edits[-1]["seq"]  # first: an edit that fails must not be sent again for ever
    act(here, edited_all, [edit for edit in edits if edit["kind"] not in OURS], noticed)
    for edit in edits:
        if edit["kind"] == CHECK:
            want_check(here, edit.get("on") is not False)


def _noticed(message: Mapping[str, Any]) -> set[int | None]:
    """Return the numbers of the refused edits whose reasons the browser has shown."""
    noticed = message.get("noticed")
    numbers = noticed[: limits.EDITS] if isinstance(noticed, list) else []
    return {seq for seq in numbers if seq is None or type(seq) is int}


def _drawn(here: Session, told: Answers, large: Any, details: bool) -> Lean:
    """Return the drawing of the state on view; an unchanged first visit gets the shared one."""
    now, first = here.present, here.first
    is_first = first is not None and not here.sent.rev and large is None
    if is_first and now.lab is first.lab and now.view is first.present.view:
        here.sent.told = first.told(told)
        return here.sent.told.lean
    return drawing(now, kept_history(here), large, told, details, here.sent.lean)


def _are(shown: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Return whether all elements are identical objects."""
    return len(shown) == len(before) and all(map(is_, shown, before))


def _number(sent: Sent) -> None:
    """Number the newest drawing and store it among those that the browser may have."""
    drawings, rev = sent.drawings, sent.rev + 1
    kept = [number for number in drawings if number == sent.have or number > rev - KEPT]
    newest = shared(drawings.get(sent.rev), sent.lean.drawing)
    sent.rev, sent.drawings = rev, {**{n: drawings[n] for n in kept}, rev: newest}


def _changes(sent: Sent) -> dict[str, Any]:
    """Return the newest drawing as a delta from one that the browser has, or all of it."""
    newest, told = sent.drawings[sent.rev], sent.told
    if sent.have not in sent.drawings:
        is_first = told is not None and newest is told.lean.drawing
        return {"rev": sent.rev, "full": told.text if is_first else written(newest)}
    patch = delta(sent.drawings[sent.have], newest)
    return {"rev": sent.rev, "base": sent.have, "patch": written(patch)}
