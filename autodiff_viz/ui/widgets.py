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
DRAWN = "drawn_at"


@contextmanager
def run() -> Iterator[None]:
    """Around all that draws: notes when the run has ended. An interrupted run has not."""
    st.session_state[DRAWN] = None
    yield
    st.session_state[DRAWN] = monotonic()


def show(key: str, value: Any) -> None:
    """Make the widget `key` show `value`; to be called just before it is drawn.

    A value that it shows already is not set again: Streamlit would send it, over what the user has done to
    the widget since.
    """
    before = st.session_state.get(key, value)
    st.session_state[_before(key)] = None if before == value else (before,)
    if key not in st.session_state or before != value:
        st.session_state[key] = value


def is_news(key: str) -> bool:
    """Whether the answer of the widget `key` is the user's, not just what it showed before the last run."""
    if st.session_state.get(_before(key)) != (st.session_state[key],):
        return True
    drawn = st.session_state.get(DRAWN)
    return drawn is not None and monotonic() - drawn > LATE


def _before(key: str) -> str:
    return f"{key}_before"
