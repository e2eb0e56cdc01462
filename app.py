"""Page list and page config; `streamlit run app.py` starts here, and so may an ASGI server: `app:app`."""

import streamlit as st

from autodiff_viz.ui.pages import lab, lessons
from autodiff_viz.ui.serving.gate import GATE
from autodiff_viz.ui.serving.routes import ROUTES
from autodiff_viz.ui.shell import ASSETS, frame
from autodiff_viz.ui.warm import awake, ready


def run() -> None:
    """Draw the page that a visitor is on."""
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


if __name__ == "__main__":  # Streamlit runs this file so for every visitor
    run()
else:  # the server imports it once, as it starts
    app = st.App(__file__, lifespan=awake, routes=ROUTES, middleware=[GATE])
