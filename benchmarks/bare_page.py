"""Serve a bare Streamlit page with a checkbox and a number; import what the app imports."""

import jax  # noqa: F401
import plotly.graph_objects  # noqa: F401
import streamlit as st

import autodiff_viz  # noqa: F401

st.text(f"number {int(st.checkbox('Gate'))}")
