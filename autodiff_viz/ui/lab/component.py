"""Draw the lab as one Streamlit component with one outbox: everything that an edit changes.

The canvas is where the component is drawn; the bar's buttons, tabs, formula, sliders, the selected node and
the check go where `place` has been called.
"""

from __future__ import annotations

import streamlit as st

from autodiff_viz.ui.address import write_address
from autodiff_viz.ui.departures import note_visit
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.fragments import LAB, note_message, redraw_lab, redraw_rest
from autodiff_viz.ui.inbox import fresh
from autodiff_viz.ui.lab.exchange import hear, news
from autodiff_viz.ui.lab.source import code, component
from autodiff_viz.ui.session import called, session
from autodiff_viz.ui.work import workers
from autodiff_viz.views.compose import LabView
from autodiff_viz.views.lab import Lab


def place(name: str) -> None:
    """Reserve a place for a part of the component; the names are in `lab/web/lab.js`.

    It is plain HTML: at every run Streamlit makes several objects for each component that there is.
    """
    st.html(f'<div class="av-place" data-place="{name}"></div>')


def draw_lab(_lab: Lab, _view: LabView) -> None:
    """Send the browser what has changed, with the whole address."""
    here = session()
    with here.lock:
        write_address(here)
        data = news(here)
    note_visit(here.name, workers().cancel)
    element = component()(key=LAB, data=data, on_outbox_change=_on_message, on_source_change=_on_source)
    if fresh(element.outbox, here.inbox):  # the callback had no values, since the page's hash had changed
        hear(here, element.outbox)
        redraw_lab()
    if here.sent.code:
        code()(key=f"{LAB}_source")  # lab.css takes it out of the flow, or it would leave a gap


@in_turn()
def _on_source() -> None:
    """Send the code in an element, since the browser could not load it by its path; a callback."""
    here, _ = called()
    here.sent.code = True


@in_turn()
def _on_message() -> None:
    """Apply a message of the browser; a callback."""
    here, values = called()
    message = (values.get(LAB) or {}).get("outbox")  # None while the page is left: `draw_lab` takes it
    if not isinstance(message, dict):
        return
    note_message(here)
    here.expect(len(str(message)))
    if hear(here, message):
        redraw_rest(here)
