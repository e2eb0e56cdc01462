"""The lab as a Streamlit component: all that an edit changes, with one outbox for all that is done there.

The canvas stands where the component is drawn; formula, sliders, the selected node and the check go where
`place` has been called.
"""

from __future__ import annotations

from operator import is_
from typing import Any

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.address import kept_history, too_large, write_address
from autodiff_viz.ui.answers import answers, want_check
from autodiff_viz.ui.first import drawing, written
from autodiff_viz.ui.following import follow_training
from autodiff_viz.ui.inbox import fault, fresh
from autodiff_viz.ui.lab.source import code, component, places
from autodiff_viz.ui.parts import LAB, note_message, redraw_rest, rest_due
from autodiff_viz.ui.session import Sent, Session, act, called, session
from autodiff_viz.ui.turns import in_turn
from autodiff_viz.views.canvas_edits import edited_all
from autodiff_viz.views.compose import LabView, sweep_tables
from autodiff_viz.views.delta import KEPT, delta, shared
from autodiff_viz.views.lab import Lab, refused
from autodiff_viz.views.lean import Lean
from autodiff_viz.views.panel import Answers
from autodiff_viz.views.scrub import is_wanted

RESYNC = "resync"  # an edit that asks for nothing but a drawing
CHECK = "check"  # one that asks for the check of a large graph
OURS = frozenset({RESYNC, CHECK})  # that change no lab
LOOK = 400  # milliseconds until the browser asks for the answers that workers have yet to give
DETAILS = "details"  # whether somebody looks at the table of the check


def place(name: str) -> None:
    """Leave a place for a part of the component: "formula", "sliders", "node" or "check"."""
    places()(key=name, data={"name": name})


def draw_lab(lab: Lab, view: LabView) -> None:
    """Send what has changed since a drawing that the browser says that it has: whatever got lost on the way,
    the two never differ.

    Beside the drawing, as in `ui/editor/web/types.js`, are the `tables` that sliders have asked for, and when
    the browser shall ask for the other parts of the page.
    """
    here = session()
    write_address(here)
    told = answers(here, lab, view)
    if told.awaited:
        here.parts.polls[LAB] = LOOK
    sent, large, details = here.sent, too_large(here), here.looks.get(DETAILS, False)
    shown = (lab, view, large, told.check, told.checks, told.counts, details)
    if not _are(shown, sent.shown):
        sent.lean = _drawn(here, told, large)
        sent.shown = shown
        _number(sent)
    tables, sent.tables, sent.turn = sent.tables, [], sent.turn + 1
    beside = {"tables": written(tables), **rest_due(here), "turn": sent.turn}
    data = {**_news(sent), **beside, **here.inbox.word}
    component()(key=LAB, data=data, on_outbox_change=_on_message, on_source_change=_on_source)
    if sent.code:
        code()(key=f"{LAB}_source")  # lab.css takes it out of the flow, or it would leave a gap


def _drawn(here: Session, told: Answers, large: Any) -> Lean:
    """The drawing of what is on view; the first one is everybody's, without what workers say of it."""
    now, first = here.present, here.first
    is_first = first is not None and not here.sent.rev and large is None
    if is_first and now.lab is first.lab and now.view is first.present.view:
        here.sent.told = first.told(told)
        return here.sent.told.lean
    details = here.looks.get(DETAILS, False)
    return drawing(now, kept_history(here), large, told, details, here.sent.lean)


def _are(shown: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether these are the very same objects, or both nothing."""
    return len(shown) == len(before) and all(map(is_, shown, before))


def _number(sent: Sent) -> None:
    """The newest drawing gets the next number, among those that the browser may have."""
    drawings, rev = sent.drawings, sent.rev + 1
    kept = [number for number in drawings if number == sent.have or number > rev - KEPT]
    newest = shared(drawings.get(sent.rev), sent.lean.drawing)
    sent.rev, sent.drawings = rev, {**{n: drawings[n] for n in kept}, rev: newest}


def _news(sent: Sent) -> dict[str, Any]:
    """The message for the newest drawing: all of it, or what changed since one that the browser has."""
    newest, told = sent.drawings[sent.rev], sent.told
    if sent.have not in sent.drawings:
        is_first = told is not None and newest is told.lean.drawing
        return {"rev": sent.rev, "full": told.text if is_first else written(newest)}
    patch = delta(sent.drawings[sent.have], newest)
    return {"rev": sent.rev, "base": sent.have, "patch": written(patch)}


def _on_source() -> None:
    """The browser could not load the code by its path: send it."""
    here, _ = called()
    here.sent.code = True


def _on_message() -> None:
    """Do what has come from the browser: `{"key", "edits", "have", "seen", "want", "rest"}`. All of it comes
    from outside and is checked; each edit `{"seq", "kind", ...}` is done exactly once, however often it was
    sent."""
    here, values = called()
    # Nothing as the page is left: the browser sends it again.
    message = (values.get(LAB) or {}).get("outbox")
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
    here.parts.seen = message.get("seen") is True
    here.looks[DETAILS] = message.get("details") is True
    edits = fresh(message, here.inbox)
    if edits:
        here.inbox.ack = edits[-1]["seq"]  # first: an edit that fails must not come back for ever
        act(here, edited_all, [edit for edit in edits if edit["kind"] not in OURS], _refused(here.sent))
        for edit in edits:
            if edit["kind"] == CHECK:
                want_check(here, edit.get("on") is not False)
    if is_wanted(want := message.get("want")):
        here.sent.tables = sweep_tables(here.present.view, dict(want))
    if not edits and "rest" in message:
        follow_training(here)
        redraw_rest(here)


def _refused(sent: Sent) -> set[Any]:
    """Numbers of the refused edits of which the browser has shown why."""
    drawing = sent.drawings.get(sent.have, {})
    return {notice.get("seq") for notice in drawing.get("notice", ())}
