"""One visitor's session: a single object, which the page reads and callbacks change.

Streamlit ends a run, and a callback too, at any look into its session state once another message has come. An
edit could then be noted as done and not be done. So everything of ours is in one object, and a callback looks
once, by `to_dict`, which is not such a place: what it does then is done to its end, or not begun.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

import streamlit as st

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.failures import NOT_DONE
from autodiff_viz.ui.first import First, Told
from autodiff_viz.ui.inbox import Inbox
from autodiff_viz.ui.present import Present, present
from autodiff_viz.ui.trainer import Trainer
from autodiff_viz.views.lab import Lab, refused
from autodiff_viz.views.lean import NOTHING, Lean
from autodiff_viz.views.trail import Trail

SESSION = "session"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Address:
    """The address bar: the query `written` last; the one that was `opened`, with what it would be written as;
    what is too `large` for an address, by digest; `divided`: a lab, and what it is written as."""

    written: dict[str, str] = field(default_factory=dict)
    opened: tuple[dict[str, str], dict[str, str]] | None = None
    large: dict[str, Any] = field(default_factory=dict)
    divided: tuple[Lab | None, Any] = (None, None)


@dataclass(slots=True)
class Parts:
    """What the parts of the page show.

    Attributes:
      shown: by part, the data that it was drawn with.
      drawn: by part, when, in seconds of `monotonic`.
      polls: by part, in how many milliseconds it is to be drawn again by itself.
      settled: the lab that all parts show; `cut`: those of them that are to be drawn once more.
      opening: the visitor's first run is going on; `whole`: a run has drawn the whole page since.
      left: another page is on view.
      seen: whether the place of the figure is in view.
    """

    shown: dict[str, Any] = field(default_factory=dict)
    drawn: dict[str, float] = field(default_factory=dict)
    polls: dict[str, int] = field(default_factory=dict)
    settled: Lab | None = None
    cut: set[str] = field(default_factory=set)
    opening: bool = False
    whole: bool = False
    left: bool = False
    seen: bool = False


@dataclass(slots=True)
class Sent:
    """By the number of its message, each drawing that the browser may have; the last number that it said.

    Attributes:
      lean: the newest drawing; `shown` is what it was made of.
      tables: for sliders, to go with the next message.
      turn: how many messages there were.
      code: whether the component's code goes with them.
      told: the first drawing, where it is everybody's.
    """

    rev: int = 0
    have: int | None = None
    drawings: dict[int, dict[str, Any]] = field(default_factory=dict)
    lean: Lean = NOTHING
    shown: tuple[Any, ...] = ()
    tables: list[dict[str, Any]] = field(default_factory=list)
    turn: int = 0
    code: bool = False
    told: Told | None = None


@dataclass(slots=True)
class Widgets:
    """What Streamlit's own widgets have said or shown last, and how often each was `renewed`, for whom."""

    said: dict[str, Any] = field(default_factory=dict)
    renewed: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True)
class Session:
    """All that the server keeps of a visitor.

    Attributes:
      name: in which jobs are asked for.
      followed: when the page caught up with a running training, in seconds of `monotonic`.
      looks: what the page alone is about, such as which of several charts is chosen.
      first: what it began with, where others begin with that too.
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
    name: str = field(default_factory=lambda: token_hex(8))
    looks: dict[str, Any] = field(default_factory=dict)
    last: Present | None = None
    first: First | None = None

    @property
    def present(self) -> Present:
        """What the page shows now."""
        self.last = present(self.lab, self.last)
        return self.last


def session() -> Session:
    """The visitor's session, for what draws the page."""
    return st.session_state[SESSION]


def called() -> tuple[Session, dict[str, Any]]:
    """The visitor's session and the values of all widgets by key, for callbacks: read in one step, at which
    Streamlit ends nothing."""
    values = st.session_state.to_dict()
    return values[SESSION], values


def act(here: Session, action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by what `action` makes of it. An action that fails leaves it as it was, and the page
    says so."""
    before = here.lab
    try:
        after = action(before, *arguments)
    except Exception:  # a mistake of this program; without the page around it nobody could go on
        _log.exception("The action %r failed", action)
        after = refused(before, GraphError(NOT_DONE))
    here.lab = after
