"""A bare Streamlit page, which imports what the app imports: one checkbox and one number."""

import jax  # noqa: F401
import plotly.graph_objects  # noqa: F401
import streamlit as st

import autodiff_viz  # noqa: F401

st.text(f"number {int(st.checkbox('Gate'))}")
