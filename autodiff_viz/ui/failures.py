"""What a visitor reads when the server fails. What went wrong stands in the server's log alone."""

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
    """Show a plain sentence where a run has failed, in place of Streamlit's account of `error`, which it has
    logged. For `on_script_error` of `st.App`."""
    st.error(FAILED, icon=":material/error:")
    return True
