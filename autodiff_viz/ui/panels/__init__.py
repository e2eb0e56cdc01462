"""Panels of the lab that Streamlit draws: figures, training, segments, lessons, settings."""
