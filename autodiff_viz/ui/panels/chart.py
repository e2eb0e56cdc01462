"""Plotly figures with their finding and a description in words beside them."""

from __future__ import annotations

from html import escape
from typing import Any

import streamlit as st

CONFIG = {"displaylogo": False, "displayModeBar": "hover"}
EDGE = 8  # pixels above a drawing whose title stands beside it


def draw_chart(figure: Any, words: str, key: str, asks: str = "") -> None:
    """Draw a Plotly figure with its title beside it, so that the drawing has the whole height.

    Args:
      words: describe the figure for visitors who cannot see it.
      asks: the question that the figure answers.
    """
    told = _untitled(figure)
    with st.container(key=f"drawn_{key}", horizontal=True, wrap=False):
        st.plotly_chart(figure, key=key, width="stretch", config=CONFIG)
        with st.container(key=f"told_{key}", width=210, gap="small"):
            if told or asks:
                st.html(f'<div class="av-told"><div>{told}</div><p>{escape(asks)}</p></div>')
            with st.expander("In words"):
                st.text(words)


def _untitled(figure: Any) -> str:
    """Take the title and its room from a figure, and return its text, which is HTML."""
    layout = figure.layout
    text = layout.title.text
    if not text:
        return ""
    head = layout.margin.t - EDGE
    figure.update_layout(title=None, height=layout.height - head, margin={"t": EDGE})
    return text
