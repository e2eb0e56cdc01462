import streamlit as st


def page() -> None:
    st.write("soon")
