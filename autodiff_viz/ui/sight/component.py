"""Whether a place of the page can be seen, as a Streamlit component that shows nothing.

What is slow to draw can wait until somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

SOURCE = Path(__file__).parent / "web" / "main.js"


def sight(place: str, *, key: str) -> None:
    """Watch the container with the key `place`; whenever it comes into view or leaves it, what this stands in
    is run again."""
    _renderer()(key=key, data={"place": place}, on_seen_change=lambda: None)


def is_seen(key: str) -> bool:
    """Whether what `sight(key=key)` watches can be seen, as far as the browser has said: not before it has
    painted the page for the first time."""
    return (st.session_state.get(key) or {}).get("seen") is True


@cache
def _renderer() -> Callable[..., Any]:
    return st.components.v2.component("autodiff_viz_sight", js=SOURCE.read_text("utf-8"))
