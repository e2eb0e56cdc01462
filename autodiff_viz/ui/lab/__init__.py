"""Run the lab as one Streamlit component: its modules as one script, and its messages."""
