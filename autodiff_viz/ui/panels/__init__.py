"""Draw panels of the lab with Streamlit: figures, training, segments, lessons, settings."""
