"""Draw the lab as one Streamlit component with one outbox, which has everything that an edit changes.

The canvas is where the component is drawn; the bar's buttons, tabs, formula, sliders, the selected node and
the check go where `place` has been called.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st
from msgspec import UNSET

from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.state import Lab
from autodiff_viz.messages.envelope import streamlit_data
from autodiff_viz.ui.address import next_address, write_address
from autodiff_viz.ui.bundle import parts, script
from autodiff_viz.ui.exchange import apply_message, go_on_reading, make_answer
from autodiff_viz.ui.fragments import LAB, note_message, redraw_lab, redraw_rest
from autodiff_viz.ui.inbox import fresh
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.session import called, current_session
from autodiff_viz.ui.worker_jobs import note_visit, workers


def place(name: str) -> None:
    """Reserve a place for a part of the component; the names are in `web/lab.js`.

    It is plain HTML: at every run Streamlit makes several objects for each component that there is.
    """
    st.html(f'<div class="av-place" data-place="{name}"></div>')


def draw_lab(_lab: Lab, _view: LabView) -> None:
    """Send the browser what has changed, with the whole address."""
    session = current_session()
    with session.lock:
        go_on_reading(session)
        write_address(session)
        query = UNSET if session.embed is None else next_address(session)
        data = streamlit_data(make_answer(session, query=UNSET if query is None else query))
    note_visit(session.name, workers().cancel)
    element = component()(key=LAB, data=data, on_outbox_change=_on_message, on_source_change=_on_source)
    if fresh(element.outbox, session.inbox):  # the callback had no values, since the page's hash had changed
        apply_message(session, element.outbox)
        redraw_lab()
    if session.sent.code:
        code()(key=f"{LAB}_source")  # lab.css takes it out of the flow, or it would leave a gap


def draw_notes() -> None:
    """Draw a presenter's notes, which follow a stage in another window: no lab, nothing computed."""
    component()(
        key="notes", data={"notes": True}, on_outbox_change=_nothing, on_source_change=_on_notes_source
    )
    if st.session_state.get("notes_source"):
        code()(key="notes_code")


def _nothing() -> None:
    """Answer a message that notes do not send."""


def _on_notes_source() -> None:
    """Send the code in an element, since the browser could not load it by its path; a callback."""
    st.session_state["notes_source"] = True


@in_turn()
def _on_source() -> None:
    """Send the code in an element, since the browser could not load it by its path; a callback."""
    session, _ = called()
    session.sent.code = True


@in_turn()
def _on_message() -> None:
    """Apply a message of the browser; a callback."""
    session, values = called()
    message = (values.get(LAB) or {}).get("outbox")  # None while the page is left: `draw_lab` takes it
    if not isinstance(message, dict):
        return
    note_message(session)
    session.expect(str(message))
    if apply_message(session, message):
        redraw_rest(session)


# Delivery. Streamlit sends a component's source with every changed message. So the component's element
# carries only a shim of a few lines, which loads the code from a path of this server, where browsers cache
# it. If a host does not serve that path, the code is sent in an element of its own that never changes, and
# therefore only once.

Renderer = Callable[..., Any]

_SHIM = """
const code = (globalThis[%(name)s] ??= {});
code.here ??= new Promise((arrived) => (code.arrive = (found) => arrived(Object.assign(code, found))));
code.asked ??= import(new URL(%(path)s, document.baseURI).href).then((found) => code.arrive(found), () => {});
export default async (component) => {
  await Promise.race([code.here, code.asked]);
  if (!code.main) component.setTriggerValue("source", true);
  await code.here;
  return code.main(component, code.css, code.constants);
};
"""


@cache
def component() -> Renderer:
    """Return the lab's component."""
    served = script()
    fields = {"name": json.dumps(f"autodiff_viz_{served.name}"), "path": json.dumps(served.path)}
    return st.components.v2.component("autodiff_viz_lab", js=_SHIM % fields)


@cache
def code() -> Renderer:
    """Return the element with the code, for a browser that could not load it."""
    name = json.dumps(f"autodiff_viz_{script().name}")
    arrive = f"globalThis[{name}].arrive({{ main, css, constants }});"
    at_once = "\n".join(f"({part.text})(modules, css);" for part in parts().values())
    js = f"{script().text}\n{at_once}\n{arrive}\nexport default () => {{}};"
    return st.components.v2.component("autodiff_viz_code", js=js)
