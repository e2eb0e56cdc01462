"""Turn the state of the lab into the data of the page, by pure functions without Streamlit."""
