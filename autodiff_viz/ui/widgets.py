"""Widgets whose value Python sets, and those of their answers that are no news.

Every message from the browser carries the state of all widgets as the browser knows it. A message sent
before a new value has arrived there carries the old one, which Streamlit takes for a change by the user:
a number typed in the formula would be put back by its slider.
"""

from __future__ import annotations

import math
from time import monotonic
from typing import Any

import streamlit as st

LATE = (
    1.0  # seconds in which a new value has reached the browser; too short to go back to the old one by hand
)


def show(key: str, value: Any) -> None:
    """Make the widget `key` show `value`; to be called just before it is drawn."""
    before = st.session_state.get(key, value)
    if before != value:
        st.session_state[_before(key)] = before, monotonic()
    st.session_state[key] = value


def is_news(key: str) -> bool:
    """Whether the answer of the widget `key` is the user's, not just what it showed a moment ago."""
    before, changed = st.session_state.get(_before(key), (None, -math.inf))
    return st.session_state[key] != before or monotonic() - changed > LATE


def _before(key: str) -> str:
    return f"{key}_before"
