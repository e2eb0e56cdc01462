"""Draw the frame of every page: the logo and the style sheet."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parent / "assets"


def frame() -> None:
    """Draw the logo and the project's few style rules; the theme itself is in `.streamlit/config.toml`."""
    st.logo(ASSETS / "logo.svg", size="large")
    st.html(ASSETS / "lab.css")
