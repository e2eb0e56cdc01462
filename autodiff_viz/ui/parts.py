"""The lab page in parts, each a fragment: of them only those are drawn again whose data has changed.

An edit on the canvas, in the formula or with a slider is answered by a run that draws the lab's component
alone: so the numbers are on the page before the rest is worked out. The browser asks for the rest when its
hands are still, and that run draws all other parts that have changed. A new visitor's first run is one of the
component alone too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.ui.address import too_large
from autodiff_viz.ui.pace import wait
from autodiff_viz.ui.session import Parts, Session, session
from autodiff_viz.ui.turns import in_turn
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.moment import live
from autodiff_viz.views.parts import LESSON, OF_NUMBERS, SHOWS, changed, shows

Draw = Callable[[Lab, LabView], None]

LAB = "canvas"
"""The part with the lab's own component, which has what changes with every edit."""

CANVAS_FIRST = 300  # milliseconds that a new visitor's browser has for the canvas before the rest comes
CHART = 1.0  # seconds between two drawings of a chart that a running training changes
SOON = 0.25  # seconds; when a run follows another one sooner, the end of the first may not have been sent


@contextmanager
def whole_page(here: Session, draws: Mapping[str, Draw]) -> Iterator[Callable[..., None]]:
    """Around what draws the page: a function that draws the part of a name, as `draws` says, in a container.
    That is given to it and not entered: for each fragment Streamlit copies all containers that were.

    On a visitor's first run all parts but `LAB` are left out, their fragments too: the browser asks for them.
    """

    def draw(name: str, place: Any = st) -> None:
        # What a fragment has sent is dropped when it runs again before that has left the server, its own
        # container too; then those beside it would come to a place that does not exist yet.
        with place.container(key=f"part_{name}"):
            if not here.parts.opening or name == LAB:
                st.fragment(key=name)(lambda: _draw_in_turn(name, draws[name]))()

    parts = here.parts
    parts.opening, parts.left = is_first(parts), False
    try:
        yield draw
        note_shown(here, LESSON)
        parts.whole = not parts.opening
    finally:
        parts.opening = False


def _draw_in_turn(name: str, draw: Draw) -> None:
    with in_turn():
        _draw(name, draw)


def _draw(name: str, draw: Draw) -> None:
    here = session()
    parts, now = here.parts, here.present
    parts.polls.pop(name, None)
    if name == "figure" and not is_seen(parts):
        # It is larger than all the rest: it waits until somebody looks.
        parts.shown.pop(name, None)
        return
    note_shown(here, name)  # before it is drawn: a part that fails must not be asked for without end
    parts.drawn[name] = monotonic()
    if name in OF_NUMBERS and SHOWS[name](now.lab, now.view) is not None:
        st.html(f'<i data-at="{now.state}"></i>')  # for ui/editor/web/live/lag.js
    draw(now.lab, now.view)


def is_first(parts: Parts) -> bool:
    """Whether nothing has been drawn yet."""
    return not parts.shown


def is_seen(parts: Parts) -> bool:
    """Whether the place of the figure can be seen, as far as the browser has said."""
    return parts.seen


def note_shown(here: Session, name: str) -> None:
    """The part `name` is being drawn, with what it shows now."""
    if name in SHOWS:
        here.parts.shown[name] = shows(name, here.present.lab, here.present.view, _beside(here))


def _beside(here: Session) -> dict[str, Any]:
    """What parts show beside the lab: what is too large for the address, and of which state of the numbers
    a part is; one that follows a training is drawn when it has changed itself."""
    state = None if live(here.lab) else here.present.state
    return {**dict.fromkeys(OF_NUMBERS, state), "settings": too_large(here)}


def redraw(here: Session) -> None:
    """At the end of a callback: have all parts drawn that have changed, and last the one that tells the
    browser whether there is more to ask for."""
    _run(here, [*_taken(here), LAB])


def redraw_rest(here: Session) -> None:
    """At the end of the component's own callback: have the other parts drawn that have changed, if any."""
    names = _taken(here)
    if names:
        _run(here, [*names, LAB])


def rest_due(here: Session) -> dict[str, Any]:
    """Whether other parts than the component's are `due`, and the milliseconds after which the browser shall
    ask for them: None for never. A part that follows something may be asked for though none is due."""
    parts, busy = here.parts, wait()
    if parts.opening:
        return {"due": True, "rest": max(CANVAS_FIRST, busy)}
    if (parts.settled is not here.lab or parts.cut) and stale(here):
        return {"due": True, "rest": busy}
    parts.settled = here.lab
    return {"due": False, "rest": max(busy, min(parts.polls.values())) if parts.polls else None}


def note_message(here: Session) -> None:
    """A message has come. What was drawn just before it may be without its end, at which Streamlit removes
    what is left over of the part: it is drawn once more."""
    parts, early = here.parts, monotonic() - SOON
    moving = {"track"} if live(here.lab) else set()  # a bar that moves stays a bar
    parts.cut |= {name for name, time in parts.drawn.items() if time > early} - {LAB} - moving


def last_drawn(here: Session, but: str) -> float:
    """When a part, `but` not this one, was drawn last, by the clock of `monotonic`; 0 before the first."""
    return max((time for name, time in here.parts.drawn.items() if name != but), default=0.0)


def _taken(here: Session) -> list[str]:
    """The parts that are to be drawn now, in the order in which they are; they count as drawn."""
    parts = here.parts
    names = waiting(here)
    parts.settled, parts.cut = here.lab, set()
    return [name for name in SHOWS if name in names]


def waiting(here: Session) -> set[str]:
    """The parts that are to be drawn when the browser asks."""
    return stale(here) | ({*here.parts.polls} - {LAB})


def stale(here: Session) -> set[str]:
    """The parts that nobody has drawn as they are now, and that shall be."""
    parts, now = here.parts, here.present
    found = changed(parts.shown, now.lab, now.view, _beside(here)) | parts.cut
    if not is_seen(parts):
        found -= {"figure"}
    if live(now.lab) and monotonic() - parts.drawn.get("curves", 0.0) < CHART:
        found -= {"curves"}
    return found


def _run(here: Session, names: list[str]) -> None:
    """Have these parts drawn in place of the one that the callback belongs to; for a lesson that was opened
    or closed, and after the first run, the page. A run of the page draws them all: it may be of another one,
    which was asked for meanwhile."""
    context = get_script_run_ctx()
    if here.parts.left or context is None or not context.fragment_ids_this_run:
        return
    if LESSON in names or not here.parts.whole:
        st.rerun()
    st.rerun(names)
