"""Tell a visitor plainly that the server has failed; the details are only in the server's log."""

from __future__ import annotations

import streamlit as st

from autodiff_viz.graph.problem import Problem

FAILED = (
    "Something went wrong on the server. Your graph is in the address; reload the page. "
    "If that does not help, go back one step in the browser."
)

NOT_DONE = Problem(
    "server-error",
    "Something went wrong on the server: your last step was not done.",
    "Try it again, or reload the page. Your graph is in the address.",
)


def say_failed(error: Exception) -> bool:
    """Show a plain sentence for a failed run, in place of Streamlit's report of `error`, which is logged.

    For `on_script_error` of `st.App`.
    """
    st.error(FAILED, icon=":material/error:")
    return True
