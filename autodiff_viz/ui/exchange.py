"""Exchange messages between server and browser, whichever connection carries them.

The browser sends edits and requests; the server answers each message with what has changed in the drawing.
Messages travel over the lab's own websocket (`ui/server/lab_socket.py`), which costs a tenth of a run of
Streamlit, or, where a host does not pass that on, as values of the component (`ui/component.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from operator import is_
from time import monotonic
from typing import Any

from msgspec import UNSET, UnsetType

from autodiff_viz.canvas.delta import KEPT, delta, shared
from autodiff_viz.canvas.notices import refusals
from autodiff_viz.canvas.slider_tables import INPUTS
from autodiff_viz.explain.analysis import program_job
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.paths.compute import takes_long
from autodiff_viz.explain.paths.view import PATHS, listed_here, paths_job
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import is_being_read, resumed, stopped
from autodiff_viz.lab.code import STOPPED, code_in, known_reading
from autodiff_viz.lab.edits.apply import applied
from autodiff_viz.lab.evaluate import LabView, sweep_tables
from autodiff_viz.lab.figures import figure_on_view
from autodiff_viz.lab.first_view import drawing
from autodiff_viz.lab.inspector.panel import Answers
from autodiff_viz.lab.page import play_data
from autodiff_viz.lab.share import share_data
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.lab.training import caught_up, live
from autodiff_viz.lessons.lesson import PLAY, STEPS
from autodiff_viz.messages import envelope
from autodiff_viz.messages.edits import KINDS, Check, Unreadable, read_edit
from autodiff_viz.messages.envelope import encoded, read_message
from autodiff_viz.ui import code_reading
from autodiff_viz.ui.address import kept_history, too_large
from autodiff_viz.ui.fragments import LAB, last_drawn, note_looked, note_view, rest_due
from autodiff_viz.ui.inbox import fault, fresh
from autodiff_viz.ui.qr_code import qr_code
from autodiff_viz.ui.session import Sent, Session, act, note_tried
from autodiff_viz.ui.worker_jobs import CHECK, asked, check_job, check_told, is_large, known, workers
from autodiff_viz.workers.jobs import Answer, Job

# Answers of workers about the numbers on view, which are requested when the user is idle.


STILL = 100  # milliseconds after an edit until the browser requests answers, if nothing else is to be drawn
COUNTS = "counts"


def answers(session: Session, lab: Lab, view: LabView) -> Answers:
    """Return the answers that exist for the state on view, and request those that do not exist yet.

    Nothing is requested in the run of an edit itself, nor while a training changes the numbers. The jobs
    whose answers are pending are noted in `session.awaited`.
    """
    session.awaited = frozenset()
    if not view.complete or live(lab):
        return Answers()
    job = check_job(view)
    checks = not is_large(view) or check_told(view) or session.looks.get(CHECK) == job.key
    counting = lab.selected is not None and view.is_program and (checks or not is_large(view))
    listing = session.parts.seen and PATHS.key in (figure_on_view(lab), session.parts.second)
    idle = is_idle(session, lab)

    def ask(kind: str, job: Job) -> Answer | None:
        """Return the answer if there is one; if the user is idle, request it and note that it is awaited."""
        if not idle:
            return known(job)
        answer = asked(session.name, kind, job)
        if answer is None:
            session.awaited |= {job.key}
        return answer

    program = program_job(view.trace, lab.selected, view.moment is not None) if counting else None
    check = ask(CHECK, job) if checks else None
    counts = ask(COUNTS, program) if counting else None
    paths = None
    if listing and (is_large(view) or takes_long(view.trace)):
        paths = ask(PATHS.key, paths_job(view.trace, lab.selected))
    elif listing and idle:  # at once, with their figure
        paths = listed_here(view.trace, lab.selected)
    return Answers(check, checks, counts, counting, paths, listing, on_request=is_large(view))


def is_idle(session: Session, lab: Lab) -> bool:
    """Return whether the browser has requested the parts of the page that follow an edit, and the answers.

    So an edit that another one follows at once is not checked, and on a busy server checks come later.
    """
    return session.parts.settled is lab


def want_check(session: Session, on: bool) -> None:
    """Note whether the user has requested the check of the state on view; if not, cancel a running check."""
    job = check_job(session.present.view)
    session.looks[CHECK] = job.key if job and on else None
    if job and on and (answer := known(job)) and answer.why:
        workers().take(job.key)  # it was ended, and is to be tried again
    if not on:
        workers().cancel((session.name, CHECK))


# The page follows a running training as often as there is time.


MOST_REST = 1.5  # seconds between two updates, at most


def follow_training(session: Session) -> None:
    """Catch up with a running training, unless drawing it would take too much of the time."""
    newest = session.trainer.training
    if newest is None:
        return
    # Drawing a training takes about a quarter of the time, so that the user's own edits need not wait for it.
    # One slow drawing must not delay the next by more than `MOST_REST`.
    before = session.followed or monotonic()
    took = max(0.0, last_drawn(session, but="track") - before)
    if not newest.running or monotonic() - before >= min(3 * took, MOST_REST):
        session.followed = monotonic()
        catch_up(session)


def catch_up(session: Session) -> None:
    """Give the lab the newest state of the training."""
    newest = session.trainer.training
    if caught_up(session.lab, newest) is not session.lab:
        act(session, caught_up, newest)


# Messages: edits from the browser, and back to it what has changed in the drawing.


POLL_MS = 400  # milliseconds until the browser requests answers that workers have not given yet
DETAILS = "details"  # whether the table of the check is open


def apply_message(session: Session, sent: Mapping[str, Any]) -> bool:
    """Apply a message of the browser; return whether it requests the other parts of the page.

    It comes from outside and is checked. Each edit is applied exactly once, however often it was sent. A
    message that cannot be read is refused on the page; one to another session has no effect.
    """
    with session.lock:
        if problem := fault(sent):
            act(session, refused, GraphError(problem))
            return False
        message = read_message(sent)
        if message.key != session.inbox.key:
            return False
        session.sent.have = message.have
        second = message.second if message.second in FIGURES else None
        look = {"large": message.large, "low": not message.high}
        note_view(session, seen=message.seen, panel=message.panel, second=second, **look)
        session.looks[DETAILS] = message.details
        if message.stop:
            stop_reading(session)
        edits = fresh(sent, session.inbox)
        if edits:
            apply_edits(session, edits, frozenset(message.noticed))
        for edit in edits:
            if KINDS.get(edit["kind"]) is Check:
                with suppress(Unreadable):
                    want_check(session, read_edit(edit).on)
        if 0 < len(message.want) <= INPUTS:
            session.sent.tables = sweep_tables(session.present.view, dict(message.want))
        if message.play is not None and message.play == session.present.state:
            session.sent.play = encoded(play_data(session.present.view, message.play))
            note_tried(session, PLAY)
        if message.share:
            session.sent.share = encoded(share_data(session.lab, message.share, qr_code))
        if message.stepped is not None and message.stepped == session.present.state:
            note_tried(session, STEPS)
        if edits or "rest" not in sent:
            return False
        follow_training(session)
        return True


def apply_edits(session: Session, edits: list[dict[str, Any]], noticed: frozenset[int | None]) -> None:
    """Apply edits up to the first that waits for code to be read, which is applied with the others later."""
    may = None if session.embed is None else session.embed.edit
    done, waits = len(edits), ""

    def action(lab: Lab) -> Lab:
        nonlocal done, waits
        after, done, waits = applied(lab, edits, noticed, may)
        return after

    # An edit that fails must not be sent again for ever: all are done, unless one waits.
    act(session, action)
    if done:
        session.inbox.ack = edits[done - 1]["seq"]
    session.reading.text, session.reading.edits = waits, edits[done:]


def go_on_reading(session: Session) -> None:
    """Go on with what has waited for code that has been read meanwhile, and request what is to be read next.

    Call it before the address is written. The lock is held.
    """
    now = session.reading
    if now.text and known_reading(now.text) is not None:
        apply_edits(session, now.edits, frozenset())
    if is_being_read(session.lab):
        act(session, resumed)
    text = _to_read(session)
    now.key = code_reading.ask(text, session.name, session.origin) if text else None


def _to_read(session: Session) -> str | None:
    """Return the code that is to be read: what edits wait for, the draft, or the text on view."""
    if session.reading.text:
        return session.reading.text
    if is_being_read(session.lab):
        return session.lab.draft
    text = session.lab.history.present.text
    if not code_in(text):
        session.reading.shown = None
        return None
    session.reading.shown = known_reading(text)
    return text if session.reading.shown is None else None


def stop_reading(session: Session) -> None:
    """Stop what is read for this visitor; an edit that has waited for it is not done."""
    code_reading.stop(session.name)
    now = session.reading
    if now.edits:
        session.inbox.ack = seq = now.edits[0]["seq"]
        act(session, lambda lab: replace(lab, notice=refusals((STOPPED,), seq)))
        rest, now.text, now.edits = now.edits[1:], "", []
        if rest:
            apply_edits(session, rest, frozenset())
    act(session, stopped)


def make_answer(session: Session, pushed: bool = False, query: str | UnsetType = UNSET) -> envelope.Answer:
    """Return the message to the browser: the difference from the drawing that the browser says that it has.

    The message also carries the `tables` that sliders have requested, and when and how the browser shall
    request the other parts of the page. For the drawing see `web/types.js`.

    Args:
      pushed: whether the answers of workers that are pending will be sent without a request.
      query: of the address, if the browser is to show another one.
    """
    with session.lock:
        note_looked(session)
        now, sent = session.present, session.sent
        large, details = too_large(session), session.looks.get(DETAILS, False)
        replies = answers(session, now.lab, now.view)
        idle = is_idle(session, now.lab)
        if session.reading.key and not pushed:
            session.parts.polls[LAB] = POLL_MS
        if replies.awaited and not (pushed and idle):
            session.parts.polls[LAB] = POLL_MS if idle and not session.socket else STILL
        shown = (
            now.lab, now.view, large, details, session.reading.key is not None,
            replies.check, replies.checks, replies.counts, replies.paths, replies.listing, session.tried,
        )  # fmt: skip
        # Identical objects, since to compare graphs and traces by value would take long.
        if len(shown) != len(sent.shown) or not all(map(is_, shown, sent.shown)):
            sent.drawing = _drawn(session, replies, large, details)
            sent.shown = shown
            _number(sent)
        tables, sent.tables, sent.turn = sent.tables, [], sent.turn + 1
        play, sent.play = sent.play, UNSET
        share, sent.share = sent.share, UNSET
        return envelope.Answer(
            **_changes(sent),
            socket=session.name,
            tables=encoded(tables),
            **rest_due(session),
            turn=sent.turn,
            seen=session.parts.seen,
            key=session.inbox.key,
            ack=session.inbox.ack,
            before=session.inbox.before,
            play=play,
            share=share,
            query=query,
        )


def _drawn(session: Session, replies: Answers, large: Any, details: bool) -> dict[str, Any]:
    """Return the drawing of the state on view; an unchanged first visit gets the shared one."""
    now, first = session.present, session.first
    being_read = session.reading.key is not None
    is_first = first is not None and not session.sent.rev and large is None and not being_read
    is_first = is_first and not session.tried.parts
    if is_first and now.lab is first.lab and now.view is first.present.view:
        session.sent.first = first.drawing_with(replies)
        return session.sent.first.drawing
    return drawing(now, kept_history(session), large, replies, details, being_read, session.tried)


def _number(sent: Sent) -> None:
    """Number the newest drawing and store it among those that the browser may have."""
    drawings, rev = sent.drawings, sent.rev + 1
    kept = [number for number in drawings if number == sent.have or number > rev - KEPT]
    newest = shared(drawings.get(sent.rev), sent.drawing)
    sent.rev, sent.drawings = rev, {**{n: drawings[n] for n in kept}, rev: newest}


def _changes(sent: Sent) -> dict[str, Any]:
    """Return the newest drawing as a delta from one that the browser has, or all of it."""
    newest, first = sent.drawings[sent.rev], sent.first
    if sent.have not in sent.drawings:
        is_first = first is not None and newest is first.drawing
        return {"rev": sent.rev, "full": first.text if is_first else encoded(newest)}
    patch = delta(sent.drawings[sent.have], newest)
    return {"rev": sent.rev, "base": sent.have, "patch": encoded(patch)}
