"""Widgets whose value Python sets, and those of their answers that are no news.

Every message from the browser carries the state of all widgets as the browser knows it. A message sent
before a new value has arrived there carries the old one, which Streamlit takes for a change by the user:
a number typed in the formula would be put back by its slider.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import streamlit as st

LATE = 1.0  # seconds for the end of a run to reach the browser; too few to go back to an old value by hand
KEPT = 30  # values of a widget that a message still under way may carry
DRAWN, SETTLED = "drawn_at", "settled"


@contextmanager
def run() -> Iterator[None]:
    """Around all that draws: notes when the run has ended. An interrupted run has not."""
    st.session_state[SETTLED] = _is_settled()
    st.session_state[DRAWN] = None
    yield
    st.session_state[DRAWN] = monotonic()


def show(key: str, value: Any) -> None:
    """Make the widget `key` show `value`; to be called just before it is drawn.

    A value that it shows already is not set again: Streamlit would send it, over what the user has done to
    the widget since. While runs follow each other quickly, all values that were replaced are remembered:
    messages may be late by more than one run.
    """
    state = st.session_state
    before = state.get(key, value)
    replaced = () if state.get(SETTLED) else state.get(_replaced(key), ())
    state[_replaced(key)] = replaced if before == value else (*replaced, before)[-KEPT:]
    if key not in state or before != value:
        state[key] = value


def renewed(key: str, owner: str, value: Any) -> str:
    """The key of a widget that shows `value`, which belongs to `owner`: another key whenever that is not what
    the widget shows, so that an answer to what it showed before reaches nobody, however late it comes."""
    state = st.session_state
    number, before = state.get(f"{key}_renewed", (0, owner))
    now = f"{key}_{number}" if number else key
    if owner != before or state.get(now, value) != value:
        number += 1
        now = f"{key}_{number}"
    if now not in state:
        state[now] = value
    state[f"{key}_renewed"] = (number, owner)
    return now


def is_news(key: str) -> bool:
    """Whether the answer of the widget `key` is the user's, not just what it showed some runs ago."""
    return st.session_state[key] not in st.session_state.get(_replaced(key), ()) or _is_settled()


def _is_settled() -> bool:
    drawn = st.session_state.get(DRAWN)
    return drawn is not None and monotonic() - drawn > LATE


def _replaced(key: str) -> str:
    return f"{key}_replaced"
