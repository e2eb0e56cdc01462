"""The selected tensor: in a few numbers, as heat-maps, as histograms, as numbers. One of them is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from autodiff_viz.figures.tensor import Part, heatmaps, histograms
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.tensor import is_tensor, parts, summary, written

LOOKED = "tensor_looked"
LINES, HEIGHT = 13, 340  # of the numbers: with more lines they scroll, in so many pixels
CONFIG = {"displaylogo": False, "displayModeBar": False}


def draw_tensor(lab: Lab, view: LabView) -> None:
    """Nothing unless a tensor is selected."""
    if not is_tensor(view.trace, lab.selected):
        return
    found = parts(view.graph, view.trace, lab.selected)
    with st.container(key="tensor"):
        looks = list(LOOKS)
        look = st.segmented_control(
            "Tensor",
            looks,
            default=st.session_state.get(LOOKED, looks[0]),
            required=True,
            key="tensor_look",
            label_visibility="collapsed",
        )
        st.session_state[LOOKED] = look  # Streamlit forgets it while no tensor is selected
        LOOKS[look](found, lab.selected)


def _summary(found: Sequence[Part], name: str) -> None:
    sums = [summary(part.array) for part in found]
    st.table(
        {
            "": [part.label for part in found],
            "shape": [s.shape for s in sums],
            "norm": [s.norm for s in sums],
            "mean": [s.mean for s in sums],
            "min": [s.least for s in sums],
            "max": [s.most for s in sums],
            "zeros": [s.zeros for s in sums],
            **({"NaN": [s.nan for s in sums]} if any(s.nan != "0" for s in sums) else {}),
            **({"\u221e": [s.infinite for s in sums]} if any(s.infinite != "0" for s in sums) else {}),
        }
    )


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
    "Numbers": _numbers,
}
