"""Identify the browser of a connection, so that all its tabs count as one visitor.

A class sits behind one address, so an address alone is not a visitor. Streamlit gives each browser a token in
a cookie. Requests without it count as one browser for each address, and so do all visitors where a host
filters cookies and hides addresses: they are then served in the order in which they come.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

TOKEN = "_streamlit_xsrf"  # cookie; its text changes with every answer, the token in it does not


def browser(address: str | None, cookies: Mapping[str, str]) -> Hashable:
    """Return the identity of the browser that connects from `address` with these cookies."""
    cookie = cookies.get(TOKEN)
    return address, decode_xsrf_token_string(cookie)[0] if cookie else None


def origin_of_page() -> Hashable:
    """Return the address that the visitor comes from whose page is run; None where it is not known."""
    of = browser_of_page()
    return of[0] if of else None


def browser_of_page() -> Hashable:
    """Return the browser whose page is run; None outside a run."""
    context = get_script_run_ctx(suppress_warning=True)
    client = runtime.get_instance().get_client(context.session_id) if context and runtime.exists() else None
    connected = client and client.client_context
    return connected and browser(connected.remote_ip, connected.cookies)
