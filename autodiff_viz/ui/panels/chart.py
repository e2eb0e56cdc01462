"""Plotly figures with a description in words below."""

from __future__ import annotations

from typing import Any

import streamlit as st

CONFIG = {"displaylogo": False}


def draw_chart(figure: Any, words: str, key: str) -> None:
    """Draw a Plotly figure; `words` describe it for visitors who cannot see it."""
    st.plotly_chart(figure, key=key, width="stretch", config=CONFIG)
    with st.expander("In words"):
        st.text(words)
