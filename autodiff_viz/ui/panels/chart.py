"""Draw Plotly figures with their finding and a description in words beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.figures.style.enlarge import enlarged
from autodiff_viz.ui.session import session
from autodiff_viz.views.glossary import explained, explained_html

CONFIG = {"displaylogo": False, "displayModeBar": "hover"}
_MARK = re.compile("([■□▨▬◆○●━┃┈╍])(</span>)? ")

EDGE = 8  # pixels above a drawing whose title stands beside it


def draw_chart(
    figure: Any,
    words: str,
    key: str,
    asks: str = "",
    beside: Callable[[], None] | None = None,
    counts: bool = False,
) -> None:
    """Draw a Plotly figure with its title beside it, so that the drawing has the whole height.

    Args:
      words: describe the figure for visitors who cannot see it.
      asks: the question that the figure answers.
      beside: draws widgets above the title.
      counts: whether the figure stays on view while the pass is played.
    """
    told, figure = _untitled(figure)
    told = with_marks(told)
    figure = enlarged(figure) if session().parts.large else figure
    with st.container(key=f"drawn_{key}", horizontal=True, wrap=False):
        st.plotly_chart(figure, key=key, width="stretch", config=CONFIG)
        with st.container(key=f"told_{key}", width=210 if beside is None else 322, gap="small"):
            if beside is not None:
                beside()
            if told or asks:
                kind = "av-told av-counts" if counts else "av-told"
                once: set[str] = set()
                told, asked = explained_html(told, once), explained(asks, once)
                st.html(f'<div class="{kind}"><div>{told}</div><p>{asked}</p></div>')
            with st.expander("In words"):
                st.text(words)


def _untitled(figure: Any) -> tuple[str, Any]:
    """Return the title of a figure, which is HTML, and the figure without it and its room.

    A figure that a worker has built comes as a dict.
    """
    layout = figure["layout"]
    if "meta" in layout and (layout["meta"] or {}).get("told"):
        return layout["meta"]["told"], figure
    text = (layout["title"] or {})["text"] if "title" in layout else None
    if not text:
        return "", figure
    head = layout["margin"]["t"] - EDGE
    less = {
        "title": None,
        "height": layout["height"] - head,
        "margin": {**_plain(layout["margin"]), "t": EDGE},
    }
    if isinstance(figure, dict):
        return text, {**figure, "layout": {**layout, **less}}
    return text, figure.update_layout(less)


def _plain(margin: Any) -> dict[str, Any]:
    return margin if isinstance(margin, dict) else margin.to_plotly_json()


def with_marks(told: str) -> str:
    """Return the words beside a figure with each mark of the legend in one line with the word after it."""
    return _MARK.sub("\\1\\2&nbsp;", told)
