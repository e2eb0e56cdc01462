"""List and configure the pages; `streamlit run app.py` starts here, and so may an ASGI server: `app:app`."""

import streamlit as st

from autodiff_viz.lessons.gallery import check_own
from autodiff_viz.ui import navigation
from autodiff_viz.ui.navigation import ASSETS, frame
from autodiff_viz.ui.scheduling import in_turn
from autodiff_viz.ui.server.admission import GATE
from autodiff_viz.ui.server.compression import COMPRESSED
from autodiff_viz.ui.server.own_lab import OWN_LAB
from autodiff_viz.ui.server.routes import ROUTES
from autodiff_viz.ui.server.security_headers import GUARDED, failed
from autodiff_viz.ui.server.websocket import MIDDLEWARE
from autodiff_viz.ui.session import say_failed
from autodiff_viz.ui.warm_up import awake, ready


def run() -> None:
    """Draw the page that a visitor is on."""
    st.set_page_config(page_title="autodiff_viz", page_icon=str(ASSETS / "icon.svg"), layout="wide")
    with in_turn():
        frame()
        ready()
        navigation.run()


if __name__ == "__main__":  # Streamlit runs this file so for every visitor
    run()
else:  # the server imports it once, as it starts
    check_own()
    app = st.App(
        __file__,
        lifespan=awake,
        routes=ROUTES,
        middleware=[GUARDED, *OWN_LAB, GATE, COMPRESSED, *MIDDLEWARE],
        exception_handlers={Exception: failed},
        on_script_error=say_failed,
    )
