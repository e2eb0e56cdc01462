"""Hold the state of one visitor: a single object that the page reads and callbacks change.

Streamlit ends a run, and a callback too, at any access to its session state once another message has come. An
edit could then be marked as done without being done. So the whole state is one object, and a callback reads
it once, by `to_dict`, which does not end a run: a callback is therefore atomic.

Messages over the lab's own websocket are handled by other threads than Streamlit's, so whatever changes the
state holds the session's lock. Lock order: first the turn (`scheduling.in_turn`), then the lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from secrets import token_hex
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from msgspec import UNSET, Raw, UnsetType

from autodiff_viz.embedding.contract import Embed
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.code import BEING_READ, BeingRead
from autodiff_viz.lab.exercises import NONE, Reached, reached
from autodiff_viz.lab.first_view import First, FirstDrawing, Present, present
from autodiff_viz.lab.persistence.history import Trail
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.lab.training import ended
from autodiff_viz.reading.reading import Reading
from autodiff_viz.ui.inbox import Inbox
from autodiff_viz.ui.scheduling import take_long
from autodiff_viz.ui.trainer import Trainer

# What a visitor is told when the server has failed; the details are only in its log

FAILED = (
    "Something went wrong on the server. Your graph is in the address; reload the page. "
    "If that does not help, go back one step in the browser."
)

NOT_DONE = Problem(
    "server-error",
    "Something went wrong on the server: your last step was not done.",
    "Try it again, or reload the page. Your graph is in the address.",
)


def say_failed(error: Exception) -> bool:
    """Show a plain sentence for a failed run, in place of Streamlit's report of `error`, which is logged.

    For `on_script_error` of `st.App`.
    """
    st.error(FAILED, icon=":material/error:")
    return True


SESSION = "session"
LONG_TEXT = 4_000  # characters of a message or an address, which may have more than VERIFIED_AT_ONCE nodes

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Address:
    """State of the address bar.

    Attributes:
      written: the query written last.
      pushed: whether it was sent to the browser over the websocket; Streamlit's own copy may then be older.
      opened: the query that was opened, with the query that would be written for it.
      large: fields that are too large for an address, by digest.
      divided: a lab and its address, memoised.
    """

    written: dict[str, str] = field(default_factory=dict)
    pushed: bool = False
    opened: tuple[dict[str, str], dict[str, str]] | None = None
    large: dict[str, Any] = field(default_factory=dict)
    divided: tuple[Lab | None, Any] = (None, None)


@dataclass(slots=True)
class Parts:
    """Draw state of the parts of the page.

    Attributes:
      shown: by part, the data that it was drawn with.
      drawn: by part, when it was drawn, in seconds of `monotonic`.
      polls: by part, the milliseconds after which it is to be drawn again by itself.
      settled: the lab that all parts show.
      cut: the parts to be drawn once more, since their end may not have been sent.
      opening: whether the visitor's first run is going on.
      entire: whether another run of the whole page is.
      whole: whether a run has drawn the whole page since.
      left: whether another page is on view.
      seen: whether the place of the figure is in view.
      panel: name of the plot that is in view in place of figures, such as the training; "" for none.
      second: name of the figure beside it; None for none.
      large: whether the type is large.
      low: whether the place of the figures is wide and low.
      placed: the parts that the page has a place for; None for all.
    """

    shown: dict[str, Any] = field(default_factory=dict)
    drawn: dict[str, float] = field(default_factory=dict)
    polls: dict[str, int] = field(default_factory=dict)
    settled: Lab | None = None
    cut: set[str] = field(default_factory=set)
    opening: bool = False
    entire: bool = False
    whole: bool = False
    left: bool = False
    seen: bool = False
    panel: str = ""
    second: str | None = None
    large: bool = False
    low: bool = True
    placed: frozenset[str] | None = None


@dataclass(slots=True)
class Sent:
    """State of the messages to the browser, each with a drawing or what changed in it.

    Attributes:
      rev: number of the newest drawing.
      have: number of the drawing that the browser said last that it has.
      drawings: by number, each drawing that the browser may have.
      drawing: the newest drawing.
      shown: the data that `drawing` was made of.
      tables: tables for sliders, to be sent with the next message.
      play: the steps of the pass, to be sent with the next message, if they are requested.
      share: links and a QR code, to be sent with the next message, if they are requested.
      turn: number of messages so far.
      code: whether the component's code is sent too.
      first: the first drawing, if it is the one shared by all visitors.
    """

    rev: int = 0
    have: int | None = None
    drawings: dict[int, dict[str, Any]] = field(default_factory=dict)
    drawing: dict[str, Any] = field(default_factory=dict)
    shown: tuple[Any, ...] = ()
    tables: list[dict[str, Any]] = field(default_factory=list)
    play: Raw | UnsetType = UNSET
    share: Raw | UnsetType = UNSET
    turn: int = 0
    code: bool = False
    first: FirstDrawing | None = None


@dataclass(slots=True)
class BeingReadHere:
    """State of code that is being read for a visitor.

    Attributes:
      key: of the job that reads it; None while nothing is read.
      text: what edits wait for; "" if none do.
      edits: those that wait, in order. They are not acknowledged, so the browser keeps them.
      shown: the reading of the text on view, which is kept as long as it is.
    """

    key: bytes | None = None
    text: str = ""
    edits: list[dict[str, Any]] = field(default_factory=list)
    shown: Reading | None = None


@dataclass(slots=True)
class Widgets:
    """State of Streamlit's own widgets.

    Attributes:
      last: by key, the value that a widget has sent or shown last.
      renewed: by key, how often a widget was replaced by a new one, and its owner.
    """

    last: dict[str, Any] = field(default_factory=dict)
    renewed: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True, eq=False, weakref_slot=True)
class Session:
    """All that the server keeps of a visitor.

    Attributes:
      name: a secret that only this visitor's browser has; names its websocket, and its jobs in workers.
      visitor: Streamlit's name for the visitor, by which `scheduling` identifies slow visitors.
      origin: the address that the visitor comes from; None where it is not known.
      lock: held by each thread that changes the session.
      socket: whether the browser is connected over the lab's own websocket.
      awaited: keys of the jobs whose answers the browser waits for.
      reading: how the session's code is read.
      followed: when the page last caught up with a running training, in seconds of `monotonic`.
      looks: choices that concern only the page, such as which of several charts is shown.
      tried: parts of the open lesson's exercises that have been reached.
      first: the shared record of the address that the session began with, if there is one.
      embed: what the page shows and lets change in a frame; None for the whole lab.
    """

    lab: Lab
    inbox: Inbox = field(default_factory=Inbox)
    address: Address = field(default_factory=Address)
    trail: Trail | None = None
    parts: Parts = field(default_factory=Parts)
    sent: Sent = field(default_factory=Sent)
    widgets: Widgets = field(default_factory=Widgets)
    trainer: Trainer = field(default_factory=Trainer)
    followed: float | None = None
    name: str = field(default_factory=lambda: token_hex(16))
    visitor: Hashable = None
    origin: Hashable = None
    lock: RLock = field(default_factory=RLock, repr=False)
    socket: bool = False
    awaited: frozenset[bytes] = frozenset()
    reading: BeingReadHere = field(default_factory=BeingReadHere)
    looks: dict[str, Any] = field(default_factory=dict)
    tried: Reached = NONE
    last: Present | None = None
    first: First | None = None
    embed: Embed | None = None

    @property
    def present(self) -> Present:
        """The view of the lab as it is now."""
        self.expect()
        with self.lock:
            self.last = present(self.lab, self.last)
            return self.last

    def expect(self, text: str = "") -> None:
        """Move to the queue of the slow if the graph is large, a text is long, or code is read meanwhile.

        Best before the lock is held. Also where nothing has changed a large drawing takes long to write.
        """
        # What was read as a graph is likely to have ops that are to be compiled.
        reads = self.reading.key is not None
        if reads or len(text) > LONG_TEXT or len(self.lab.graph.nodes) > VERIFIED_AT_ONCE:
            take_long()

    def __post_init__(self) -> None:
        _sessions[self.name] = self


_sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()


def named(name: str) -> Session | None:
    """Return the session of this name; None if there is none, or no longer."""
    return _sessions.get(name)


def current_session() -> Session:
    """Return the visitor's session, for functions that draw the page."""
    return st.session_state[SESSION]


def called() -> tuple[Session, dict[str, Any]]:
    """Return the visitor's session and the values of all widgets by key, for callbacks.

    Both come from one read, at which Streamlit does not end the run.
    """
    values = st.session_state.to_dict()
    return values[SESSION], values


def act(session: Session, action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by the result of `action`; if it raises, the lab stays and the page says so."""
    with session.lock:
        before = session.lab
        try:
            after = action(before, *arguments)
        except BeingRead:  # of a button beside the canvas; what the canvas sends waits instead
            after = refused(before, GraphError(BEING_READ))
        except Exception:  # a bug of this program; without the rest of the page the visitor could not go on
            _log.exception("The action %r failed", action)
            after = refused(before, GraphError(NOT_DONE))
        set_lab(session, after)
        note_tried(session)


def set_lab(session: Session, lab: Lab) -> None:
    """Replace the lab. A training that its graph cannot go on with ends, also where steps are being made."""
    session.lab = ended(lab)
    under_way, mine = session.trainer.training, session.lab.training
    goes_on = mine is not None and mine.running
    if under_way is not None and under_way.running and not (goes_on and mine.token is under_way.token):
        session.trainer.put(mine)


def note_tried(session: Session, event: str = "", plots: Iterable[str] = ()) -> None:
    """Note the parts of exercises that the lab reaches, with an event that one may ask for.

    Args:
      plots: those that are on view with the numbers of the lab.
    """
    after = reached(session.tried, session.lab, event, plots)
    if after != session.tried:
        session.tried, session.parts.settled = after, None
