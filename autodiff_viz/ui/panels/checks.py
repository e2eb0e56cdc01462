"""The independent checks: the whole program and central differences beside the live numbers."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.engine.trace import Trace
from autodiff_viz.views.causes import explained, in_a_word
from autodiff_viz.views.compose import VERIFIED_AT_ONCE, LabView, Verification, verification
from autodiff_viz.views.lab import Lab


def draw_checks(lab: Lab, view: LabView) -> None:
    """A tick, or what differs. A large graph is checked when the user asks."""
    for note in view.notes:
        st.text(f"Note: {note}")
    if view.unfinished:
        st.text(f"Still to be wired: {', '.join(view.unfinished)}.")
    if not view.complete:
        return
    if len(view.trace.graph.nodes) > VERIFIED_AT_ONCE and not st.button("Check with jax.vjp", key="verify"):
        return
    _draw(_verified(view.trace))


def _verified(trace: Trace) -> Verification:
    """Remembered for the trace that was checked last: reruns that change no number check nothing."""
    kept = st.session_state.get("verified")
    if kept is None or kept[0] != trace.identity:
        kept = st.session_state["verified"] = (trace.identity, verification(trace))
    return kept[1]


def _draw(found: Verification) -> None:
    agrees = found.verdict is not None and found.verdict.agrees
    mark = ":green[:material/check_circle:]" if agrees else ":red[:material/error:]"
    with st.container(horizontal=True, vertical_alignment="center", key="checks"):
        st.markdown(f"{mark} {found.sentence}" if agrees else f"{mark} Not confirmed", width="stretch")
        details = st.popover("Details", key="details", on_change="rerun")
    if details.open:  # a table takes as many bytes as the rest of an edit: it is sent to those who look at it
        with details:
            st.text(found.sentence)
            st.table(
                {
                    "input": [check.name for check in found.inputs],
                    "gradient": [check.declared for check in found.inputs],
                    "central differences": [check.true for check in found.inputs],
                    "equal": [in_a_word(check.agrees, check.causes) for check in found.inputs],
                }
            )
            for sentence in explained(cause for check in found.inputs for cause in check.causes):
                st.caption(sentence)
