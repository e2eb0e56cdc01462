"""Set the values of widgets from Python.

Every message of the browser carries the state of all widgets as the browser has it. A message sent before a
new value has arrived there carries the old one, which Streamlit would take for a change by the user: a number
box would repeat the number that undo has just replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.graph.identity import same
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import redraw
from autodiff_viz.ui.session import Widgets, act, called, session
from autodiff_viz.views.lab import Lab

KEPT = 200  # widgets whose last values may still be sent again


def renewed(key: str, owner: str, value: Any) -> str:
    """Return the key of a widget with default `value` that belongs to `owner`.

    The key changes whenever the widget shows another value, so that a late answer to the value shown before
    has no effect.

    The value is set as a default and not in the session's state: an assignment would be lost if the run ends
    before the widget is drawn, which would then show and send Streamlit's initial value.
    """
    widgets = session().widgets
    number, before = widgets.renewed.get(key, (0, owner))
    now = f"{key}_{number}" if number else key
    if owner != before or not _repeats(st.session_state.get(now, value), value):
        number += 1
        now = f"{key}_{number}"
    widgets.renewed[key] = (number, owner)
    _say(widgets, now, value)
    return now


@in_turn()
def pressed(action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by the result of `action`; a callback of buttons."""
    here, _ = called()
    act(here, action, *arguments)
    redraw(here)


@in_turn()
def wanted(part: str, what: str, which: Any) -> None:
    """Note that the visitor requests `which` of `what`, and draw the part again; a callback of buttons."""
    here, _ = called()
    here.looks[what] = which
    here.parts.cut.add(part)
    redraw(here)


@in_turn()
def answered(key: str, action: Callable[..., Lab], *arguments: Any, node: str | None = None) -> None:
    """Replace the lab by the result of `action`, called with the widget's value last; a callback of widgets.

    Nothing is done if the value is not new, or if the `node` that the widget is about has been removed: a
    widget may answer late.
    """
    here, values = called()
    if news(here.widgets, values, key) and (node is None or node in here.lab.graph):
        act(here, action, *arguments, values[key])
    redraw(here)


def news(widgets: Widgets, values: dict[str, Any], key: str) -> bool:
    """Return whether a widget's value is a change by the user, not a repetition of that shown or sent last.

    Streamlit forgets what a widget shows as soon as it is no longer drawn, and takes its last value for a
    change.
    """
    if key not in values or _repeats(values[key], widgets.said.get(key)):
        return False
    _say(widgets, key, values[key])
    return True


def _repeats(value: Any, before: Any) -> bool:
    """Return whether a widget repeats its value.

    The value may come back as another type, as a list for a tuple, but not with another sign of zero.
    """
    return value == before and (type(value) is not type(before) or same(value, before))


def _say(widgets: Widgets, key: str, value: Any) -> None:
    others = {name: said for name, said in widgets.said.items() if name != key}
    widgets.said = {**dict([*others.items()][-KEPT:]), key: value}
