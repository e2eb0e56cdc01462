"""What a message from the browser asks for is done to its end, or not begun.

Streamlit ends a run at most of what the run does once another message has come: at any look into the
session's state too, and in a callback as well as in the page. What the callback was doing would then be half
done, and is never asked for again: an edit noted as done but not done, a number typed into a box and gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner import get_script_run_ctx

_YIELD = "_yield_callback"  # of Streamlit's session state; a test notices when it is called otherwise


@contextmanager
def whole() -> Iterator[None]:
    """Around what must not be cut in the middle; also `@whole()`. Another message waits until it is left."""
    context = get_script_run_ctx(suppress_warning=True)
    state = getattr(context, "session_state", None)
    interrupt = getattr(state, _YIELD, None) if _has_yield(state) else None
    if interrupt is None:
        yield
        return
    object.__setattr__(state, _YIELD, _go_on)
    try:
        yield
    finally:
        object.__setattr__(state, _YIELD, interrupt)


def navigated() -> bool:
    """Whether this run was asked for by the browser's back and forward buttons."""
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))


def _go_on() -> None:
    """In place of what would end the run."""


def _has_yield(state: object) -> bool:
    return state is not None and _YIELD in getattr(state, "__dict__", ())
