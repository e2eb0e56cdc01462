"""Access the session and the component's data, which Streamlit's own test driver does not offer."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.state import Lab
from autodiff_viz.ui.session import SESSION, Session

TEXTS = ("full", "patch", "tables")  # of the component's data, which are JSON once more


def put(app: AppTest, lab: Lab) -> None:
    """Have the visitor's session hold this lab."""
    if SESSION in app.session_state:
        app.session_state[SESSION].lab = lab
    else:
        app.session_state[SESSION] = Session(lab)


def lab_of(app: AppTest) -> Lab:
    """The lab in the visitor's session."""
    return app.session_state[SESSION].lab


def lab_data(app: AppTest) -> dict[str, Any]:
    """The data that the lab's component was last drawn with."""
    (found,) = [e.proto for e in app.get("bidi_component") if e.proto.id.endswith("-canvas")]
    data = json.loads(found.json)
    return {name: json.loads(value) if name in TEXTS else value for name, value in data.items()}


def node_of(app: AppTest) -> dict[str, Any]:
    """What the page says of the selected node; what is empty is left out."""
    return drawing_of(app)["node"]


def figures(app: AppTest) -> list[Any]:
    """The figures on the page: of Plotly, or bars as HTML."""
    bars = [one for one in app.get("html") if 'class="av-bars"' in one.proto.body]
    return [*app.get("plotly_chart"), *bars]


def check_of(app: AppTest) -> dict[str, Any]:
    """What the page says of the check."""
    return drawing_of(app)["check"]


def drawing_of(app: AppTest) -> dict[str, Any]:
    """The drawing in it, which must be a whole one."""
    return lab_data(app)["full"]
