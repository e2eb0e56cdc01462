"""The lab in the visitor's session and in the address bar."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.ui.failures import NOT_DONE
from autodiff_viz.ui.inbox import STAMP, open_inbox, rewind, stamp
from autodiff_viz.ui.whole import navigated, whole
from autodiff_viz.views.address import KEPT, VIEW, divided, from_query, to_query
from autodiff_viz.views.documents import documents
from autodiff_viz.views.lab import Lab, again, instead, refused, with_text
from autodiff_viz.views.retraining import with_course
from autodiff_viz.views.trail import trail

LAB, WRITTEN, OPENED, TRAIL, LARGE = "lab", "address", "opened", "trail", "large"
KEPT_LARGE = 3  # graphs that are too large for an address, to go back to

_log = logging.getLogger(__name__)


@whole()
def lab() -> Lab:
    """The visitor's lab: from the session, or from the address on a fresh visit, after a server restart and
    when the browser goes back.

    An address that comes with anything else is no news, only perhaps older than the one written last: the
    browser may not have had that yet. It must not take the lab back to what it was.
    """
    state, query = st.session_state, st.query_params.to_dict()
    if LAB not in state:
        state[LAB] = _opened(query)
        open_inbox(query)
    elif query != state.get(WRITTEN) and navigated():
        found = _opened(query)
        rewind(query)
        here = again(state[LAB], found) if found.graph == state[LAB].graph else instead(state[LAB], found)
        here = with_course(here, state[LAB].training)
        state[LAB] = with_text(here, found.history.present.text)
    return state[LAB]


@whole()
def act(action: Callable[..., Lab], *arguments: Any) -> None:
    """Replace the lab by what `action` makes of it; for use in widget callbacks. An action that fails
    leaves it as it was, and the page says so."""
    before = _present()
    try:
        after = action(before, *arguments)
    except Exception:  # a mistake of this program; without the page around it nobody could go on
        _log.exception("The action %r failed", action)
        after = refused(before, GraphError(NOT_DONE))
    st.session_state[LAB] = after


@whole()
def act_on(node: str, action: Callable[..., Lab], *arguments: Any) -> None:
    """As `act`, for what is done to a node; nothing when the node has gone: a widget may answer late."""
    if node in _present().graph:
        act(action, node, *arguments)


def _present() -> Lab:
    return st.session_state[LAB] if LAB in st.session_state else lab()


def write_address() -> None:
    """Put the whole state in the address bar, in one step of the browser's history.

    It must come before what confirms edits to the browser: what is confirmed is kept here alone. An address
    stays as it was opened until something has been done: the bare one, and one that cannot be read.
    """
    (query, large), shown = divided(st.session_state[LAB]), st.query_params.to_dict()
    if large:  # remembered too for when the browser goes back
        others = [*st.session_state.get(LARGE, {}).items()][-KEPT_LARGE:]
        st.session_state[LARGE] = {**dict(others), query[KEPT]: large}
    known = {key: value for key, value in shown.items() if key != STAMP}
    if query != known and (shown, query) != st.session_state.get(OPENED):
        shown = {**query, STAMP: stamp()}
        st.query_params.from_dict(shown)
    elif VIEW in st.session_state.get(WRITTEN, ()):
        st.query_params.from_dict(shown)
    st.session_state[WRITTEN] = shown


def show_address(query: dict[str, str]) -> None:
    """Put `query` in the address bar: a link within one page does not do that by itself."""
    st.query_params.from_dict(query)
    st.session_state[WRITTEN] = query


def too_large() -> dict[str, Any] | None:
    """What the present address does not hold, for the browser to keep; None when it holds all."""
    digest = st.session_state.get(WRITTEN, {}).get(KEPT)
    fields = st.session_state.get(LARGE, {}).get(digest)
    return {"digest": digest, "fields": fields} if fields else None


def _opened(query: dict[str, str]) -> Lab:
    """The lab of an address that the visitor has opened."""
    large = st.session_state.get(LARGE, {}).get(query.get(KEPT))
    found = from_query({**query, **large}, most=limits.JSON) if large else from_query(query)
    st.session_state[OPENED] = (query, to_query(found))
    return found


def kept_history() -> dict[str, Any]:
    """The history as text, for the browser to keep; of the text that it had before, nothing is made anew."""
    state = st.session_state
    state[TRAIL] = trail(state[LAB].history, state.get(TRAIL))
    return {**state[TRAIL].data, "documents": documents(state[LAB])}
