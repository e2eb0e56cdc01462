"""The page: Streamlit pages and panels, the server, and the components in plain JavaScript."""
