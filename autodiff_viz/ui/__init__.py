"""Serve and draw the page: Streamlit pages and panels, the server, the components in plain JavaScript."""
