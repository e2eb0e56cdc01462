"""View functions: from the state of the lab to the data of the page, without Streamlit."""
