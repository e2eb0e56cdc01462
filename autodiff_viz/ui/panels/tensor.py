"""Draw the selected tensor: summary, heat-maps, histograms or numbers. Only the chosen one is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import starmap

import streamlit as st

from autodiff_viz.explain.tensor.figure import heatmaps, histograms
from autodiff_viz.explain.tensor.view import Part, is_tensor, parts, summary, written
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.session import Session, session

PART = "tensor"
LOOKED, RENEWED = "tensor_looked", "tensor_renewed"
NUMBERS = "Numbers"
LINES, HEIGHT = 13, 340  # of the numbers: from this many lines on they scroll, in so many pixels
ROWS = {
    "shape": "shape",
    "norm": "norm",
    "mean": "mean",
    "min": "least",
    "max": "most",
    "zeros": "zeros",
    "NaN": "nan",
    "\u221e": "infinite",
}
"""Rows of the summary: words on the page, and fields of `views.tensor.Summary`."""

RARE = ("NaN", "\u221e")  # shown only if there are any
CONFIG = {"displaylogo": False, "displayModeBar": False}


def draw_tensor(lab: Lab, view: LabView) -> None:
    """Draw the panel; nothing unless a tensor is selected."""
    if not is_tensor(view.trace, lab.selected):
        return
    found = parts(view.graph, view.trace, lab.selected)
    with st.container(key="tensor"):
        looks = list(LOOKS)
        look = st.segmented_control(
            "Tensor",
            looks,
            default=session().looks.get(LOOKED, looks[0]),
            required=True,
            key=f"tensor_look{session().looks.get(RENEWED, '')}",
            label_visibility="collapsed",
        )
        session().looks[LOOKED] = look  # Streamlit forgets the value while no tensor is selected
        LOOKS[look](found, lab.selected)


def show_numbers(here: Session) -> None:
    """Choose the numbers of the tensors that are selected from now on."""
    here.looks[LOOKED] = NUMBERS
    # A widget that is drawn already keeps its value; one of another key takes the default.
    here.looks[RENEWED] = here.looks.get(RENEWED, 0) + 1
    here.parts.cut.add(PART)


def _summary(found: Sequence[Part], name: str) -> None:
    sums = [summary(part.array) for part in found]
    heads = "".join(f'<th scope="col" class="av-{part.kind}">{escape(part.label)}</th>' for part in found)
    rows = {words: [getattr(each, field) for each in sums] for words, field in ROWS.items()}
    told = {words: row for words, row in rows.items() if words not in RARE or set(row) != {"0"}}
    st.html(
        f'<div class="av-summary" role="region" aria-label="Summary of {escape(name)}" tabindex="0"><table>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(starmap(_row, told.items()))}</tbody>"
        "</table></div>"
    )


def _row(words: str, texts: Sequence[str]) -> str:
    return f'<tr><th scope="row">{words}</th>{"".join(f"<td>{escape(text)}</td>" for text in texts)}</tr>'


def _pictures(found: Sequence[Part], name: str) -> None:
    st.plotly_chart(heatmaps(found, name), key="tensor_heat", width="stretch", config=CONFIG)


def _histograms(found: Sequence[Part], name: str) -> None:
    st.plotly_chart(histograms(found, name), key="tensor_spread", width="stretch", config=CONFIG)


def _numbers(found: Sequence[Part], name: str) -> None:
    labels = [part.label for part in found]
    which = st.selectbox("Numbers of", labels, key="tensor_part", label_visibility="collapsed")
    part = next((part for part in found if part.label == which), found[0])
    text = written(part.array)
    st.code(text, language=None, height=HEIGHT if text.count("\n") > LINES else "content")


LOOKS: dict[str, Callable[[Sequence[Part], str], None]] = {
    "Summary": _summary,
    "Heat-map": _pictures,
    "Histogram": _histograms,
    NUMBERS: _numbers,
}
