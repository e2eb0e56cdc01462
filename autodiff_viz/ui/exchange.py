"""Exchange messages between server and browser, whichever connection carries them.

The browser sends edits and requests; the server answers each message with what has changed in the drawing.
Messages travel over the lab's own websocket (`ui/server/lab_socket.py`), which costs a tenth of a run of
Streamlit, or, where a host does not pass that on, as values of the component (`ui/component.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from operator import is_
from time import monotonic
from typing import Any

from msgspec import UNSET, UnsetType

from autodiff_viz.canvas.delta import KEPT, delta, shared
from autodiff_viz.canvas.slider_tables import INPUTS
from autodiff_viz.explain.analysis import program_job
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.paths.compute import takes_long
from autodiff_viz.explain.paths.view import PATHS, listed_here, paths_job
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.edits.apply import edited_all
from autodiff_viz.lab.evaluate import LabView, sweep_tables
from autodiff_viz.lab.figures import figure_on_view
from autodiff_viz.lab.inspector.panel import Answers
from autodiff_viz.lab.page import play_data
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.lab.training import caught_up, live
from autodiff_viz.lessons.lesson import PLAY, STEPS
from autodiff_viz.messages import envelope
from autodiff_viz.messages.edits import KINDS, Check, Unreadable, read_edit
from autodiff_viz.messages.envelope import encoded, read_message
from autodiff_viz.ui.address import kept_history, too_large
from autodiff_viz.ui.first_view import drawing
from autodiff_viz.ui.fragments import LAB, last_drawn, note_view, rest_due
from autodiff_viz.ui.inbox import fault, fresh
from autodiff_viz.ui.session import Sent, Session, act, note_tried
from autodiff_viz.ui.worker_jobs import CHECK, asked, check_job, check_told, is_large, known, workers
from autodiff_viz.workers.jobs import Answer, Job

# Request the answers of workers about the numbers on view, when the user is idle.


STILL = 100  # milliseconds after an edit until the browser requests answers, if nothing else is to be drawn
COUNTS = "counts"


def answers(here: Session, lab: Lab, view: LabView) -> Answers:
    """Return the answers that exist for the state on view, and request those that do not exist yet.

    Nothing is requested in the run of an edit itself, nor while a training changes the numbers. The jobs
    whose answers are pending are noted in `here.awaited`.
    """
    here.awaited = frozenset()
    if not view.complete or live(lab):
        return Answers()
    job = check_job(view)
    checks = not is_large(view) or check_told(view) or here.looks.get(CHECK) == job.key
    counting = lab.selected is not None and view.is_program and (checks or not is_large(view))
    listing = here.parts.seen and PATHS.key in (figure_on_view(lab), here.parts.second)
    ask = partial(_asked, here) if is_idle(here, lab) else known
    return Answers(
        ask(CHECK, job) if checks else None,
        checks,
        ask(COUNTS, program_job(view.trace, lab.selected, view.moment is not None)) if counting else None,
        counting,
        _paths(here, lab, view, ask) if listing else None,
        listing,
        on_request=is_large(view),
    )


def _asked(here: Session, kind: str, job: Job) -> Answer | None:
    found = asked(here.name, kind, job)
    if found is None:
        here.awaited |= {job.key}
    return found


def _paths(here: Session, lab: Lab, view: LabView, ask: Callable[[str, Job], Answer | None]) -> Answer | None:
    """Return the list of the paths: at once with their figure, or from a worker if it takes long."""
    if is_large(view) or takes_long(view.trace):
        return ask(PATHS.key, paths_job(view.trace, lab.selected))
    return listed_here(view.trace, lab.selected) if is_idle(here, lab) else None


def is_idle(here: Session, lab: Lab) -> bool:
    """Return whether the browser has requested the parts of the page that follow an edit, and the answers.

    So an edit that another one follows at once is not checked, and on a busy server checks come later.
    """
    return here.parts.settled is lab


def want_check(here: Session, on: bool) -> None:
    """Note whether the user has requested the check of the state on view; if not, cancel a running check."""
    job = check_job(here.present.view)
    here.looks[CHECK] = job.key if job and on else None
    if not on:
        workers().cancel((here.name, CHECK))


# Update the page while a training runs, as often as there is time.


MOST_REST = 1.5  # seconds between two updates, at most


def follow_training(here: Session) -> None:
    """Catch up with a running training, unless drawing it would take too much of the time."""
    newest = here.trainer.training
    if newest is not None and (not newest.running or _is_time(here)):
        here.followed = monotonic()
        catch_up(here)


def catch_up(here: Session) -> None:
    """Give the lab the newest state of the training."""
    newest = here.trainer.training
    if caught_up(here.lab, newest) is not here.lab:
        act(here, caught_up, newest)


def _is_time(here: Session) -> bool:
    """Return whether enough time has passed since the last update.

    Drawing a training takes about a quarter of the time, so that the user's own edits need not wait for it.
    One slow drawing must not delay the next by more than `MOST_REST`.
    """
    before = here.followed or monotonic()
    took = max(0.0, last_drawn(here, but="track") - before)
    return monotonic() - before >= min(3 * took, MOST_REST)


POLL_MS = 400  # milliseconds until the browser requests answers that workers have not given yet
DETAILS = "details"  # whether the table of the check is open


def apply_message(here: Session, sent: Mapping[str, Any]) -> bool:
    """Apply a message of the browser; return whether it requests the other parts of the page.

    It comes from outside and is checked. Each edit is applied exactly once, however often it was sent. A
    message that cannot be read is refused on the page; one to another session has no effect.
    """
    with here.lock:
        if problem := fault(sent):
            act(here, refused, GraphError(problem))
            return False
        message = read_message(sent)
        if message.key != here.inbox.key:
            return False
        here.sent.have = message.have
        second = message.second if message.second in FIGURES else None
        note_view(here, seen=message.seen, second=second, large=message.large, low=not message.high)
        here.looks[DETAILS] = message.details
        edits = fresh(sent, here.inbox)
        if edits:
            _apply(here, edits, frozenset(message.noticed))
        if 0 < len(message.want) <= INPUTS:
            here.sent.tables = sweep_tables(here.present.view, dict(message.want))
        if message.play is not None and message.play == here.present.state:
            here.sent.play = encoded(play_data(here.present.view, message.play))
            note_tried(here, PLAY)
        if message.stepped is not None and message.stepped == here.present.state:
            note_tried(here, STEPS)
        if edits or "rest" not in sent:
            return False
        follow_training(here)
        return True


def make_answer(here: Session, pushed: bool = False, query: str | UnsetType = UNSET) -> envelope.Answer:
    """Return the message to the browser: the difference from the drawing that the browser says that it has.

    The message also carries the `tables` that sliders have requested, and when and how the browser shall
    request the other parts of the page. For the drawing see `web/types.js`.

    Args:
      pushed: whether the answers of workers that are pending will be sent without a request.
      query: of the address, if the browser is to show another one.
    """
    with here.lock:
        now, sent = here.present, here.sent
        large, details = too_large(here), here.looks.get(DETAILS, False)
        told = answers(here, now.lab, now.view)
        idle = is_idle(here, now.lab)
        if told.awaited and not (pushed and idle):
            here.parts.polls[LAB] = POLL_MS if idle and not here.socket else STILL
        shown = (
            now.lab, now.view, large, told.check, told.checks, told.counts, told.paths, told.listing, details,
        )  # fmt: skip
        if not _same_objects(shown, sent.shown):
            sent.drawing = _drawn(here, told, large, details)
            sent.shown = shown
            _number(sent)
        tables, sent.tables, sent.turn = sent.tables, [], sent.turn + 1
        play, sent.play = sent.play, UNSET
        return envelope.Answer(
            **_changes(sent),
            socket=here.name,
            tables=encoded(tables),
            **rest_due(here),
            turn=sent.turn,
            seen=here.parts.seen,
            key=here.inbox.key,
            ack=here.inbox.ack,
            before=here.inbox.before,
            play=play,
            query=query,
        )


def _apply(here: Session, edits: list[dict[str, Any]], noticed: frozenset[int | None]) -> None:
    here.inbox.ack = edits[-1]["seq"]  # first: an edit that fails must not be sent again for ever
    act(here, edited_all, edits, noticed)
    for edit in edits:
        if KINDS.get(edit["kind"]) is Check:
            with suppress(Unreadable):
                want_check(here, read_edit(edit).on)


def _drawn(here: Session, told: Answers, large: Any, details: bool) -> dict[str, Any]:
    """Return the drawing of the state on view; an unchanged first visit gets the shared one."""
    now, first = here.present, here.first
    is_first = first is not None and not here.sent.rev and large is None
    if is_first and now.lab is first.lab and now.view is first.present.view:
        here.sent.told = first.told(told)
        return here.sent.told.drawing
    return drawing(now, kept_history(here), large, told, details)


def _same_objects(shown: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Return whether all elements are identical objects."""
    return len(shown) == len(before) and all(map(is_, shown, before))


def _number(sent: Sent) -> None:
    """Number the newest drawing and store it among those that the browser may have."""
    drawings, rev = sent.drawings, sent.rev + 1
    kept = [number for number in drawings if number == sent.have or number > rev - KEPT]
    newest = shared(drawings.get(sent.rev), sent.drawing)
    sent.rev, sent.drawings = rev, {**{n: drawings[n] for n in kept}, rev: newest}


def _changes(sent: Sent) -> dict[str, Any]:
    """Return the newest drawing as a delta from one that the browser has, or all of it."""
    newest, told = sent.drawings[sent.rev], sent.told
    if sent.have not in sent.drawings:
        is_first = told is not None and newest is told.drawing
        return {"rev": sent.rev, "full": told.text if is_first else encoded(newest)}
    patch = delta(sent.drawings[sent.have], newest)
    return {"rev": sent.rev, "base": sent.have, "patch": encoded(patch)}
