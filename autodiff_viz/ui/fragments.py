"""Draw the parts of the lab page, each a Streamlit fragment; only those whose data has changed.

An edit on the canvas, in the formula or with a slider is answered by a run that draws only the lab's
component, so that the numbers are on the page before the rest is computed. When the user is idle the browser
requests the rest, and that run draws all other parts that have changed. A new visitor's first run draws only
the component too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.graph.identity import same
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.exercises import PLOTS, unlooked
from autodiff_viz.lab.figures import about, comparison_key, figure_on_view
from autodiff_viz.lab.first_view import Present
from autodiff_viz.lab.parts import LESSON, PARTS, changed, data_of, shows
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import live
from autodiff_viz.ui.address import too_large
from autodiff_viz.ui.scheduling import in_turn, wait
from autodiff_viz.ui.session import Parts, Session, Widgets, act, called, current_session, note_tried

Draw = Callable[[Lab, LabView], None]

LAB = "canvas"
"""The part with the lab's own component, which changes with every edit."""

LARGE = {name for name, part in PARTS.items() if part.is_large}
OF_NUMBERS = {name for name, part in PARTS.items() if part.has_numbers}
PANELS = {part.plot: name for name, part in PARTS.items() if part.plot}
"""By plot, the part that shows it, of those that are no figures; the comparison is in the component."""

CANVAS_FIRST = 300  # milliseconds between a new visitor's canvas and the request for the rest of the page
AFTER_ALL = 1000  # milliseconds from the component in a run of the whole page to the request that follows
FOLLOWED = 1.0  # seconds between two drawings of a part that a running training changes
SOON = 0.25  # seconds; if another run follows sooner, the end of the first may not have been sent


@contextmanager
def whole_page(session: Session, draws: Mapping[str, Draw]) -> Iterator[Callable[..., None]]:
    """Draw the page inside `with`, by the function that this context gives, which draws a part by name.

    The function takes a container, which must not be entered: for each fragment Streamlit copies all
    containers that have been entered.

    On a visitor's first run all parts except `LAB` are left out, with their fragments; the browser requests
    them.

    Args:
      session: the visitor's session.
      draws: by name, the function that draws a part.
    """

    def draw(name: str, place: Any = st) -> None:
        # If a fragment runs again before its last messages have left the server, Streamlit drops them, its
        # container's too; the fragments beside it would then be placed in a container that does not exist
        # yet.
        with place.container(key=f"part_{name}"):
            if not session.parts.opening or name == LAB:
                st.fragment(key=name)(lambda: _draw(name, draws[name]))()

    parts = session.parts
    parts.opening, parts.left = is_first(parts), False
    parts.entire = not parts.opening
    try:
        yield draw
        note_shown(session, LESSON.key)
        parts.whole = not parts.opening
    finally:
        parts.opening = parts.entire = False


@in_turn()
def _draw(name: str, draw: Draw) -> None:
    """Draw a part with the data of this moment, unless its place is out of view."""
    current = current_session()
    parts, now = current.parts, current.present
    parts.polls.pop(name, None)
    if name in LARGE and not is_seen(parts):
        parts.shown.pop(name, None)
        return
    note_shown(current, name)  # before it is drawn: a part that fails must not be requested endlessly
    parts.drawn[name] = monotonic()
    if name in OF_NUMBERS and data_of(PARTS[name], now.lab, now.view) is not None:
        st.html(f'<i data-at="{now.state}"></i>')  # for web/canvas/scrub.js
    draw(now.lab, now.view)


def is_first(parts: Parts) -> bool:
    """Return whether nothing has been drawn yet."""
    return not parts.shown


def is_seen(parts: Parts) -> bool:
    """Return whether the place of the figure is in view, as far as the browser has said."""
    return parts.seen


def note_shown(session: Session, name: str) -> None:
    """Note that the part `name` is drawn with the data that it shows now."""
    if name in PARTS:
        session.parts.shown[name] = shows(name, session.present.lab, session.present.view, _beside(session))


def _beside(session: Session) -> dict[str, Any]:
    """Return the data that parts show besides the lab.

    These are the fields too large for the address, what exercises ask for, and for parts with numbers
    the state that the numbers are of. While a training runs there is no such state: a part is then
    drawn when its own data changes.
    """
    state = None if live(session.lab) else session.present.state
    parts = session.parts
    look = (state, parts.large, parts.low)
    lab = session.lab
    second = (*look, comparison_key(lab, parts.second), about(lab, parts.second), parts.second)
    figures = {"figure": look, "second": second, "curves": look[1:], "surface": look[1:]}
    beside = {"settings": too_large(session), "tries": session.tried, "onward": session.tried}
    return {**dict.fromkeys(OF_NUMBERS, (state, parts.large)), **figures, **beside}


def redraw(session: Session) -> None:
    """End a callback: draw all parts that have changed, then the one that says whether more is due."""
    _run(session, [*_taken(session), LAB])


def redraw_rest(session: Session) -> None:
    """End the component's own callback: draw the other parts that have changed, if any."""
    names = _taken(session)
    if names:
        _run(session, [*names, LAB])


def redraw_lab() -> None:
    """Draw the component's part again, if this run draws it alone."""
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        st.rerun(scope="fragment")


def rest_due(session: Session) -> dict[str, Any]:
    """Return what the browser shall request later.

    Returns:
      `due`: whether other parts than the component's are to be drawn. `rest`: the milliseconds after which
        the browser shall request them, None for never; a part that polls may be requested though none is due.
        `page`: whether a run of Streamlit has to draw them.
    """
    parts, busy = session.parts, wait()
    if parts.opening:
        return {"page": True, "due": True, "rest": max(CANVAS_FIRST, busy)}
    if (parts.settled is not session.lab or parts.cut) and stale(session):
        return {"page": True, "due": True, "rest": busy}
    parts.settled = session.lab
    # In a run of the whole page the component comes first, before the part that follows a training.
    training = session.lab.training
    follows = parts.entire and training is not None and training.running
    polls = [*parts.polls.values(), *([AFTER_ALL] if follows else [])]
    rest = max(busy, min(polls)) if polls else None
    return {"page": bool(parts.polls.keys() - {LAB}) or follows, "due": False, "rest": rest}


def note_view(session: Session, **view: Any) -> None:
    """Note what the browser has in view: fields of `Parts` that decide what is drawn.

    Other parts may then be due, whichever message has brought the news.
    """
    parts = session.parts
    for name, now in view.items():
        if getattr(parts, name) != now:
            setattr(parts, name, now)
            parts.settled = None


def note_looked(session: Session) -> None:
    """Note the plots that are on view in a state that an exercise of the open lesson asks for."""
    if left := unlooked(session.tried, session.lab):
        note_tried(session, plots=left & on_view(session))


def on_view(session: Session) -> set[str]:
    """Return the plots that are on view with the numbers of the lab.

    A frame has no tabs, by which others could be opened: there all count as on view.
    """
    parts, now = session.parts, session.present
    if parts.placed is not None:
        return {*PLOTS}
    if live(now.lab) or not now.view.complete:
        return set()
    drawn = {parts.panel: PANELS.get(parts.panel, LAB)}
    if parts.seen:
        drawn |= {figure_on_view(now.lab): "figure", parts.second: "second"}
    beside = _beside(session)
    return {
        plot
        for plot, name in drawn.items()
        if plot in PLOTS and (name == LAB or _is_current(name, parts, now, beside))
    }


def _is_current(name: str, parts: Parts, now: Present, beside: Mapping[str, Any]) -> bool:
    """Return whether a part shows the lab as it is now, and waits for no worker."""
    if name in parts.polls or name not in parts.shown:
        return False
    return same(parts.shown[name], shows(name, now.lab, now.view, beside))


def note_message(session: Session) -> None:
    """Note that a message has come, and mark the parts drawn just before it to be drawn once more.

    Their end may not have been sent, and at the end Streamlit removes what is left over of the part before.
    """
    parts, early = session.parts, monotonic() - SOON
    moving = {"track"} if live(session.lab) else set()  # a progress bar keeps the same elements
    parts.cut |= {name for name, time in parts.drawn.items() if time > early} - {LAB} - moving


def last_drawn(session: Session, but: str) -> float:
    """Return when a part other than `but` was last drawn, in seconds of `monotonic`; 0 before the first."""
    return max((time for name, time in [*session.parts.drawn.items()] if name != but), default=0.0)


def _taken(session: Session) -> list[str]:
    """Return the parts to be drawn now, in the order of the page, and count them as drawn."""
    parts = session.parts
    names = waiting(session)
    parts.settled, parts.cut = session.lab, set()
    return [name for name in PARTS if name in names]


def waiting(session: Session) -> set[str]:
    """Return the parts to be drawn when the browser asks."""
    return stale(session) | ({*session.parts.polls} - {LAB})


def stale(session: Session) -> set[str]:
    """Return the parts whose data has changed since they were drawn, without those that can wait."""
    parts, now = session.parts, session.present
    due = changed(parts.shown, now.lab, now.view, _beside(session)) | parts.cut
    if not is_seen(parts):
        due -= LARGE
    _, beside = parts.shown.get("second") or (None, None)
    if parts.second is None and (beside is None or beside[-1] is None):
        due -= {"second"}
    if parts.placed is not None:
        due &= parts.placed
    if live(now.lab):
        early = monotonic() - FOLLOWED
        due -= {name for name in due if PARTS[name].follows and parts.drawn.get(name, 0.0) > early}
    return due


def _run(session: Session, names: list[str]) -> None:
    """Draw these parts in place of the one that the callback belongs to, or the whole page."""
    # A run of the page already draws all parts, and may be of another page that was requested meanwhile:
    # nothing is done during one.
    context = get_script_run_ctx()
    if session.parts.left or context is None or not context.fragment_ids_this_run:
        return
    # The whole page is drawn after the first run, and when a lesson was opened or closed.
    if LESSON.key in names or not session.parts.whole:
        st.rerun()
    st.rerun(names)


# Values of widgets that Python sets. Every message of the browser carries the state of all widgets as the
# browser has it. A message sent before a new value has arrived there carries the old one, which Streamlit
# would take for a change by the user: a number box would repeat the number that undo has just replaced.

KEPT = 200  # widgets whose last values may still be sent again


def renewed(key: str, owner: str, value: Any) -> str:
    """Return the key of a widget with default `value` that belongs to `owner`.

    The key changes whenever the widget shows another value, so that a late answer to the value shown before
    has no effect.
    """
    # The value is set as a default and not in the session's state: an assignment would be lost if the run
    # ends before the widget is drawn, which would then show and send Streamlit's initial value.
    widgets = current_session().widgets
    number, before = widgets.renewed.get(key, (0, owner))
    now = f"{key}_{number}" if number else key
    if owner != before or not _repeats(st.session_state.get(now, value), value):
        number += 1
        now = f"{key}_{number}"
    widgets.renewed[key] = (number, owner)
    _note_last(widgets, now, value)
    return now


@in_turn()
def pressed(action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by the result of `action`; a callback of buttons."""
    session, _ = called()
    act(session, action, *arguments)
    redraw(session)


@in_turn()
def wanted(part: str, what: str, which: Any) -> None:
    """Note that the visitor requests `which` of `what`, and draw the part again; a callback of buttons."""
    session, _ = called()
    session.looks[what] = which
    session.parts.cut.add(part)
    redraw(session)


@in_turn()
def answered(key: str, action: Callable[..., Lab], *arguments: Any, node: str | None = None) -> None:
    """Replace the lab by the result of `action`, called with the widget's value last; a callback of widgets.

    Nothing is done if the value is not new, or if the `node` that the widget is about has been removed: a
    widget may answer late.
    """
    session, values = called()
    if is_changed(session.widgets, values, key) and (node is None or node in session.lab.graph):
        act(session, action, *arguments, values[key])
    redraw(session)


def is_changed(widgets: Widgets, values: dict[str, Any], key: str) -> bool:
    """Return whether a widget's value is a change by the user, not a repetition of that shown or sent last.

    Streamlit forgets what a widget shows as soon as it is no longer drawn, and takes its last value for a
    change.
    """
    if key not in values or _repeats(values[key], widgets.last.get(key)):
        return False
    _note_last(widgets, key, values[key])
    return True


def _repeats(value: Any, before: Any) -> bool:
    """Return whether a widget repeats its value.

    The value may come back as another type, as a list for a tuple, but not with another sign of zero.
    """
    return value == before and (type(value) is not type(before) or same(value, before))


def _note_last(widgets: Widgets, key: str, value: Any) -> None:
    others = {name: last for name, last in widgets.last.items() if name != key}
    widgets.last = {**dict([*others.items()][-KEPT:]), key: value}
