"""Draw the Streamlit pages: the lab, and the list of lessons."""
