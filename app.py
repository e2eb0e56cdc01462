"""List and configure the pages; `streamlit run app.py` starts here, and so may an ASGI server: `app:app`."""

import streamlit as st

from autodiff_viz.ui import navigation
from autodiff_viz.ui.failures import say_failed
from autodiff_viz.ui.fair_queue import in_turn
from autodiff_viz.ui.serving.gate import GATE
from autodiff_viz.ui.serving.routes import ROUTES
from autodiff_viz.ui.serving.security_headers import GUARDED, failed
from autodiff_viz.ui.shell import ASSETS, frame
from autodiff_viz.ui.warm import awake, ready
from autodiff_viz.ui.websocket import MIDDLEWARE


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
    app = st.App(
        __file__,
        lifespan=awake,
        routes=ROUTES,
        middleware=[GUARDED, GATE, *MIDDLEWARE],
        exception_handlers={Exception: failed},
        on_script_error=say_failed,
    )
