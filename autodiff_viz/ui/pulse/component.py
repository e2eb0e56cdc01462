"""Run a fragment again after a delay, by an invisible Streamlit component with a timer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

SOURCE = Path(__file__).parent / "web" / "main.js"


def pulse(after: float | None, *, key: str, on_look: Callable[[], None]) -> None:
    """Run the fragment again in `after` seconds, after calling `on_look`; None for not at all."""
    number = st.session_state[f"{key}_number"] = st.session_state.get(f"{key}_number", 0) + 1
    data = {"after": None if after is None else round(1000 * after), "number": number}
    _renderer()(key=key, data=data, on_look_change=on_look)


@cache
def _renderer() -> Callable[..., Any]:
    return st.components.v2.component("autodiff_viz_pulse", js=SOURCE.read_text("utf-8"))
