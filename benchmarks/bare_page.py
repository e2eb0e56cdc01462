"""Serve a bare Streamlit page with one checkbox and one number, which imports what the app imports."""

import jax  # noqa: F401
import plotly.graph_objects  # noqa: F401
import streamlit as st

import autodiff_viz  # noqa: F401

st.text(f"number {int(st.checkbox('Gate'))}")
