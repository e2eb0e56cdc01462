"""Keep the state of the lab in the address bar: read it when a page opens, write it after every change."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.graph import limits
from autodiff_viz.lab.persistence.address import KEPT, VIEW, divided, documents, from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.persistence.training import with_course
from autodiff_viz.lab.state import Lab, keep_history_of, replace_document, with_text
from autodiff_viz.ui.first_view import first
from autodiff_viz.ui.inbox import STAMP, Inbox, read_stamp
from autodiff_viz.ui.scheduling import take_long, visitor
from autodiff_viz.ui.session import LONG_TEXT, SESSION, Address, Session

KEPT_LARGE = 3  # graphs too large for an address that are kept for the browser's back button


def entered() -> Session:
    """Return the visitor's session.

    On a fresh visit or after a restart of the server, the session begins with the lab of the address.

    If the browser goes back or forward, the lab of that earlier address replaces the present one.

    An address that comes with any other message is ignored: it may be older than the one written last, which
    the browser may not have received yet. It must not take the lab back to an earlier state.
    """
    state, query = st.session_state, st.query_params.to_dict()
    if SESSION not in state:
        if sum(map(len, query.values())) > LONG_TEXT:
            take_long()
        state[SESSION] = _fresh(query)
    here: Session = state[SESSION]
    here.visitor = visitor()
    if query != here.address.written and navigated():
        _go_back(here, query)
    return here


def navigated() -> bool:
    """Return whether this run was requested by the browser's back or forward button."""
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))


def _fresh(query: dict[str, str]) -> Session:
    address, inbox = Address(), Inbox(before=read_stamp(query.get(STAMP, "")))
    found = first(query)
    if found is None:
        return Session(_opened(address, query), inbox, address)
    address.opened, address.divided = (query, found.divided[0]), (found.lab, found.divided)
    return Session(found.lab, inbox, address, found.trail, last=found.present, first=found)


def _go_back(here: Session, query: dict[str, str]) -> None:
    with here.lock:
        now, found = here.lab, _opened(here.address, query)
        here.inbox.rewind(query)
        back = keep_history_of(now, found) if found.graph == now.graph else replace_document(now, found)
        back = with_course(back, now.training)
        here.lab = with_text(back, found.history.present.text)
        here.address.pushed = False


def _opened(address: Address, query: dict[str, str]) -> Lab:
    """Return the lab of an address that the visitor has opened."""
    large = address.large.get(query.get(KEPT))
    found = from_query({**query, **large}, most=limits.JSON) if large else from_query(query)
    address.opened = (query, to_query(found))
    return found


def write_address(here: Session) -> None:
    """Put the whole state in the address bar, in one step of the browser's history.

    Call it before edits are acknowledged to the browser: an acknowledged edit is kept only here.
    """
    with here.lock:
        address, before = here.address, st.query_params.to_dict()
        left = VIEW in address.written
        address.written = _next(here, address.written if address.pushed and not left else before)
        address.pushed = False
        if address.written != before or left:
            st.query_params.from_dict(address.written)


def next_address(here: Session) -> str | None:
    """Return the address of the whole state as text, for a browser that shows the address by itself.

    None while another page is on view, whose address must stay: this one is written when the lab opens again.
    """
    with here.lock:
        if VIEW in here.address.written:
            return None
        here.address.written, here.address.pushed = _next(here, here.address.written), True
        return urlencode(here.address.written)


def _next(here: Session, shown: dict[str, str]) -> dict[str, str]:
    """Return the query of the whole state, given the one in the address bar.

    An address stays as it was opened until something changes; so do the bare address and one that cannot be
    read.
    """
    address = here.address
    if address.divided[0] is not here.lab:
        address.divided = here.lab, divided(here.lab)
    query, large = address.divided[1]
    if large:  # kept for the browser's back button too
        others = [*address.large.items()][-KEPT_LARGE:]
        address.large = {**dict(others), query[KEPT]: large}
    known = {key: value for key, value in shown.items() if key != STAMP}
    if query == known or (shown, query) == address.opened:
        return shown
    return {**query, STAMP: here.inbox.stamp}


def show_address(here: Session | None, query: dict[str, str]) -> None:
    """Put `query` in the address bar: a link within one page does not do that by itself."""
    st.query_params.from_dict(query)
    if here is not None:
        here.address.written, here.address.pushed, here.parts.left = query, False, True


def too_large(here: Session) -> dict[str, Any] | None:
    """Return the fields for which the address has no room, for the browser to keep; None if none."""
    digest = here.address.written.get(KEPT)
    fields = here.address.large.get(digest)
    return {"digest": digest, "fields": fields} if fields else None


def kept_history(here: Session) -> dict[str, Any]:
    """Return the history as text for the browser to keep; text that has not changed is reused."""
    here.trail = trail(here.lab.history, here.trail)
    return {**here.trail.data, "documents": documents(here.lab)}
