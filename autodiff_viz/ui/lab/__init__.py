"""Run the lab as a Streamlit component: modules linked into one script, and messages."""
