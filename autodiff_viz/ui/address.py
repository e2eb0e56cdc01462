"""Keep the state of the lab in the address bar: read it when a page opens, write it after every change."""

from __future__ import annotations

from secrets import token_hex
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from autodiff_viz.embedding.contract import Embed, of_address, read_embed, state_of
from autodiff_viz.graph import limits
from autodiff_viz.lab.embedding import opened_in_frame
from autodiff_viz.lab.first_view import first
from autodiff_viz.lab.persistence.address import (
    KEPT,
    OF_THE_PAGE,
    STAMP,
    VIEW,
    divided,
    documents,
    from_query,
    to_query,
)
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.persistence.training import with_course
from autodiff_viz.lab.state import Lab, keep_history_of, replace_document, with_text
from autodiff_viz.ui.code_reading import with_code
from autodiff_viz.ui.inbox import Inbox, read_stamp
from autodiff_viz.ui.scheduling import take_long, visitor
from autodiff_viz.ui.server.browsers import origin_of_page
from autodiff_viz.ui.session import LONG_TEXT, SESSION, Address, Session, set_lab

SHOWN = "shown_address"
"""Key of the address of a page that was opened before the lab. The lab has to replace it in the browser,
whose messages would name that page again."""

KEPT_LARGE = 3  # graphs too large for an address that are kept for the browser's back button


def entered() -> Session:
    """Return the visitor's session.

    On a fresh visit or after a restart of the server, the session begins with the lab of the address.

    If the browser goes back or forward, the lab of that earlier address replaces the present one.

    An address that comes with any other message is ignored: it may be older than the one written last, which
    the browser may not have received yet. It must not take the lab back to an earlier state.
    """
    state, query = st.session_state, st.query_params.to_dict()
    embed = embed_of()
    if embed is not None:
        query = state_of(query, embed)
    if SESSION not in state:
        shown = state.pop(SHOWN, {})
        if sum(map(len, query.values())) > LONG_TEXT:
            take_long()
        address, inbox = Address(), Inbox(before=read_stamp(query.get(STAMP, "")))
        name, origin = token_hex(16), origin_of_page()
        visit = with_code(lambda: first(query), name, origin)
        if visit is None:
            lab = with_code(lambda: _opened(address, query), name, origin)
            state[SESSION] = Session(lab, inbox, address, name=name)
        else:
            address.opened, address.divided = (query, visit.divided[0]), (visit.lab, visit.divided)
            lab, last = visit.lab, visit.present
            state[SESSION] = Session(lab, inbox, address, visit.trail, last=last, first=visit, name=name)
        state[SESSION].embed, state[SESSION].origin = embed, origin
        address.written = shown if embed is None else query
        if embed is not None:
            state[SESSION].lab = opened_in_frame(state[SESSION].lab, embed)
    session: Session = state[SESSION]
    session.visitor = visitor()
    if query != session.address.written and navigated():
        opened = with_code(lambda: _opened(session.address, query), session.name, session.origin)
        with session.lock:
            now, back = session.lab, opened
            session.inbox.rewind(query)
            after = keep_history_of(now, back) if back.graph == now.graph else replace_document(now, back)
            after = with_course(after, now.training)
            set_lab(session, with_text(after, back.history.present.text))
            session.address.pushed = False
    return session


def embed_of() -> Embed | None:
    """Return what the page shows and lets change in a frame; None for the whole lab.

    It holds for the whole session, as the address was opened. Streamlit keeps the parameter `embed` from
    pages, so the address is read as it came.
    """
    if SESSION in st.session_state:
        return st.session_state[SESSION].embed
    context = get_script_run_ctx(suppress_warning=True)
    return read_embed(dict(parse_qsl(context.query_string))) if context else None


def navigated() -> bool:
    """Return whether this run was requested by the browser's back or forward button."""
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))


def _opened(address: Address, query: dict[str, str]) -> Lab:
    """Return the lab of an address that the visitor has opened."""
    large = address.large.get(query.get(KEPT))
    lab = from_query({**query, **large}, most=limits.JSON) if large else from_query(query)
    address.opened = (query, to_query(lab))
    return lab


def write_address(session: Session) -> None:
    """Put the whole state in the address bar, in one step of the browser's history.

    Call it before edits are acknowledged to the browser: an acknowledged edit is kept only here. A frame's
    address is written by its own script alone, which adds no steps to the history of the page around it.
    """
    if session.embed is not None:
        return
    with session.lock:
        address, before = session.address, st.query_params.to_dict()
        left = VIEW in address.written
        look = {key: before[key] for key in OF_THE_PAGE if key in before}
        written = _next(session, address.written if address.pushed and not left else before)
        address.written = {**_of_the_lab(written), **look}
        address.pushed = False
        if address.written != before or left:
            st.query_params.from_dict(address.written)


def next_address(session: Session) -> str | None:
    """Return the address of the whole state as text, for a browser that shows the address by itself.

    None while another page is on view, whose address must stay: this one is written when the lab opens again.
    """
    with session.lock:
        if VIEW in session.address.written:
            return None
        session.address.written, session.address.pushed = _next(session, session.address.written), True
        frame = {} if session.embed is None else of_address(session.embed)
        return urlencode({**frame, **_of_the_lab(session.address.written)})


def _next(session: Session, shown: dict[str, str]) -> dict[str, str]:
    """Return the query of the whole state, given the one in the address bar.

    An address stays as it was opened until something changes; so do the bare address and one that cannot be
    read.
    """
    address = session.address
    if address.divided[0] is not session.lab:
        address.divided = session.lab, divided(session.lab)
    query, large = address.divided[1]
    if large:  # kept for the browser's back button too
        others = [*address.large.items()][-KEPT_LARGE:]
        address.large = {**dict(others), query[KEPT]: large}
    known = {key: value for key, value in _of_the_lab(shown).items() if key != STAMP}
    if query == known or (shown, query) == address.opened:
        return shown
    return {**query, STAMP: session.inbox.stamp}


def _of_the_lab(query: dict[str, str]) -> dict[str, str]:
    """Return a query without what says how the page looks."""
    return {key: value for key, value in query.items() if key not in OF_THE_PAGE}


def show_address(session: Session | None, query: dict[str, str]) -> None:
    """Put `query` in the address bar: a link within one page does not do that by itself."""
    st.query_params.from_dict(query)
    if session is None:
        st.session_state[SHOWN] = query
    else:
        session.address.written, session.address.pushed, session.parts.left = query, False, True


def too_large(session: Session) -> dict[str, Any] | None:
    """Return the fields for which the address has no room, for the browser to keep; None if none."""
    digest = session.address.written.get(KEPT)
    fields = session.address.large.get(digest)
    return {"digest": digest, "fields": fields} if fields else None


def kept_history(session: Session) -> dict[str, Any]:
    """Return the history as text for the browser to keep; text that has not changed is reused."""
    session.trail = trail(session.lab.history, session.trail)
    return {**session.trail.data, "documents": documents(session.lab)}
