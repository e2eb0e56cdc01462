"""Test downloads of the lab page, run by Streamlit without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from autodiff_viz.lab.asking import ask
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from tests.ui.page import put

APP = str(Path(__file__).parents[2] / "app.py")


def buttons(text: str, asked: bool = False) -> dict[str, bool]:
    """Return whether each download is offered, by label, for a graph, perhaps with hidden numbers."""
    app = AppTest.from_file(APP, default_timeout=60)
    lab = opened(start(), parse(text), "Open")
    put(app, ask(lab, (), "cotangents") if asked else lab)
    app.run()
    assert not app.exception
    return {button.proto.label: not button.proto.disabled for button in app.get("download_button")}


FILES = ("JAX file", "PyTorch file", "Jupyter notebook", "marimo notebook", "Report")
ASKING = ("Interactive figure", "Handout")
"""Of these the first asks anew, and the second has its answers overleaf."""


def test_a_graph_can_be_downloaded_as_each_kind_of_file():
    assert buttons("x = 2.0\ny = sin(x)") == {**dict.fromkeys((*FILES, *ASKING), True), "JSON": True}


def test_an_unfinished_graph_can_be_downloaded_as_json_alone():
    assert buttons("x = 2.0\ny = x * ...") == {**dict.fromkeys((*FILES, *ASKING), False), "JSON": True}


def test_no_file_with_numbers_can_be_downloaded_while_they_are_hidden():
    with_numbers = FILES[1:]
    assert buttons("x = 2.0\ny = sin(x)", asked=True) == {
        "JAX file": True, **dict.fromkeys(with_numbers, False), **dict.fromkeys(ASKING, True), "JSON": True
    }  # fmt: skip
