"""What surrounds every page: the style sheet."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

CSS = Path(__file__).parents[2] / "assets" / "lab.css"


def frame() -> None:
    """Load the project's few style rules; the theme itself is in `.streamlit/config.toml`."""
    st.html(CSS)
