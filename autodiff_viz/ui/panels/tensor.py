"""Draw the selected tensor: summary, heat-maps, histograms or numbers. Only the chosen one is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from autodiff_viz.explain.tensor.figure import heatmaps, histograms
from autodiff_viz.explain.tensor.view import Part, is_tensor, parts, summary, written
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.session import Session, current_session

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
"""Rows of the summary: words on the page, and fields of `explain.tensor.view.Summary`."""

RARE = ("NaN", "\u221e")  # shown only if there are any
CONFIG = {"displaylogo": False, "displayModeBar": False}


def draw_tensor(lab: Lab, view: LabView) -> None:
    """Draw the panel; nothing unless a tensor is selected."""
    if not is_tensor(view.trace, lab.selected):
        return
    of_node = parts(view.graph, view.trace, lab.selected)
    with st.container(key="tensor"):
        looks = list(LOOKS)
        look = st.segmented_control(
            "Tensor",
            looks,
            default=current_session().looks.get(LOOKED, looks[0]),
            required=True,
            key=f"tensor_look{current_session().looks.get(RENEWED, '')}",
            label_visibility="collapsed",
        )
        current_session().looks[LOOKED] = look  # Streamlit forgets the value while no tensor is selected
        LOOKS[look](of_node, lab.selected)


def show_numbers(session: Session) -> None:
    """Choose the numbers of the tensors that are selected from now on."""
    session.looks[LOOKED] = NUMBERS
    # A widget that is drawn already keeps its value; one of another key takes the default.
    session.looks[RENEWED] = session.looks.get(RENEWED, 0) + 1
    session.parts.cut.add(PART)


def _summary(of_node: Sequence[Part], name: str) -> None:
    sums = [summary(part.array) for part in of_node]
    heads = "".join(f'<th scope="col" class="av-{part.kind}">{escape(part.label)}</th>' for part in of_node)
    rows = []
    for words, field in ROWS.items():
        texts = [getattr(each, field) for each in sums]
        if words not in RARE or set(texts) != {"0"}:
            cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
            rows.append(f'<tr><th scope="row">{words}</th>{cells}</tr>')
    st.html(
        f'<div class="av-summary" role="region" aria-label="Summary of {escape(name)}" tabindex="0"><table>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _pictures(of_node: Sequence[Part], name: str) -> None:
    st.plotly_chart(heatmaps(of_node, name), key="tensor_heat", width="stretch", config=CONFIG)


def _histograms(of_node: Sequence[Part], name: str) -> None:
    st.plotly_chart(histograms(of_node, name), key="tensor_spread", width="stretch", config=CONFIG)


def _numbers(of_node: Sequence[Part], name: str) -> None:
    labels = [part.label for part in of_node]
    which = st.selectbox("Numbers of", labels, key="tensor_part", label_visibility="collapsed")
    part = next((part for part in of_node if part.label == which), of_node[0])
    text = written(part.array)
    st.code(text, language=None, height=HEIGHT if text.count("\n") > LINES else "content")


LOOKS: dict[str, Callable[[Sequence[Part], str], None]] = {
    "Summary": _summary,
    "Heat-map": _pictures,
    "Histogram": _histograms,
    NUMBERS: _numbers,
}
