"""Widgets whose value Python sets.

Every message from the browser carries the state of all widgets as the browser knows it. A message sent
before a new value has arrived there carries the old one, which Streamlit would take for a change by the user:
a number that undo has brought back would be put forward again by its box.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from autodiff_viz.graph.identity import same

KEPT = 200  # widgets whose last words may still come again
_SAID = "widgets_said"


def renewed(key: str, owner: str, value: Any) -> str:
    """The key of a widget whose default is `value`, which belongs to `owner`: another key whenever that is
    not what the widget shows, so that an answer to what it showed before reaches nobody, however late.

    A default and no assignment to the session's state: that would be lost when the run is cut before the
    widget is drawn, which would then show, and answer, whatever Streamlit begins with.
    """
    state = st.session_state
    number, before = state.get(f"{key}_renewed", (0, owner))
    now = f"{key}_{number}" if number else key
    if owner != before or not _repeats(state.get(now, value), value):
        number += 1
        now = f"{key}_{number}"
    state[f"{key}_renewed"] = (number, owner)
    _said({now: value})
    return now


def news(key: str) -> bool:
    """Whether the answer of a widget is the user's, and not once more what it has shown or said last:
    Streamlit forgets what a widget shows as soon as it is no longer drawn, and takes its last words for a
    change."""
    state = st.session_state
    if key not in state or _repeats(state[key], state.get(_SAID, {}).get(key)):
        return False
    _said({key: state[key]})
    return True


def _repeats(value: Any, before: Any) -> bool:
    """Whether a widget says what was said before: its value may come back as another type, as a list for a
    tuple, but not with another sign of zero."""
    return value == before and (type(value) is not type(before) or same(value, before))


def _said(now: dict[str, Any]) -> None:
    others = {key: value for key, value in st.session_state.get(_SAID, {}).items() if key not in now}
    st.session_state[_SAID] = {**dict([*others.items()][-KEPT:]), **now}
