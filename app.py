"""Page list and page config; `streamlit run app.py` starts here."""

import streamlit as st

from autodiff_viz.ui.pages import lab, lessons
from autodiff_viz.ui.shell import ASSETS, frame
from autodiff_viz.ui.warm import ready

st.set_page_config(page_title="autodiff_viz", page_icon=str(ASSETS / "icon.svg"), layout="wide")
frame()
ready()
page = st.navigation(
    [
        st.Page(lab.page, title="Lab", icon=":material/conversion_path:", url_path="lab", default=True),
        st.Page(lessons.page, title="Lessons", icon=":material/school:", url_path="lessons"),
    ],
    position="top",
)
page.run()
