"""Test the lab page, run by Streamlit without a browser."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.persistence.address import STAMP, to_query
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ui import fragments
from autodiff_viz.ui.exchange import DETAILS
from autodiff_viz.ui.inbox import read_stamp
from autodiff_viz.ui.session import SESSION
from tests.ui.page import check_of, drawing_of, figures, lab_data, put
from tests.ui.page import lab_of as lab
from tests.web.written import in_browser

APP = str(Path(__file__).parents[2] / "app.py")
PATIENCE = 60  # seconds; the first run compiles


def page(query: dict[str, str] | None = None, lab: Lab | None = None) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    for key, value in (query or {}).items():
        app.query_params[key] = value
    if lab is not None:
        put(app, lab)
    return ran(app)


def ran(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def lab_of(text: str) -> Lab:
    return opened(start(), parse(text), "Open")


def canvas(app: AppTest) -> dict[str, Any]:
    """The drawing that the canvas was sent; what is empty is left out."""
    return drawing_of(app)


def cotangent(app: AppTest, name: str) -> str:
    return next(node["cotangent"] for node in in_browser(canvas(app))["nodes"] if node["id"] == name)


def said(app: AppTest) -> str:
    """All plain text on the page."""
    elements = (*app.text, *app.caption, *app.markdown, *app.code)
    return "\n".join(str(element.value) for element in elements)


def test_what_is_drawn_first_is_the_canvas_and_nothing_else(monkeypatch):
    monkeypatch.setattr(fragments, "is_first", lambda shown: not shown.shown)
    app = page()
    assert lab_data(app)["due"]
    assert lab_data(app)["rest"] >= fragments.CANVAS_FIRST
    assert cotangent(app, "x")
    assert not app.selectbox
    assert not app.button
    ran(app)
    assert app.selectbox
    assert app.button


def address(app: AppTest) -> dict[str, str]:
    """What the address says of the lab, without the stamp of the edits that it has."""
    found = {key: value[0] if isinstance(value, list) else value for key, value in app.query_params.items()}
    return {key: value for key, value in found.items() if key != STAMP}


def _stamp(app: AppTest) -> str:
    found = app.query_params[STAMP]
    return found[0] if isinstance(found, list) else found


def test_a_newcomer_sees_the_first_graph_with_its_numbers():
    app = page()
    assert {node["id"] for node in canvas(app)["nodes"]} == {"x", "y", "a", "b", "exp_1", "z"}
    assert cotangent(app, "x") == f"{1.5 * math.cos(0.6):.4g}"
    ran(ran(app))  # the parts that follow, and with them the check
    assert "agrees on all" in check_of(app)["says"]


def test_the_page_gives_every_widget_a_label():
    app = page()
    widgets = (*app.number_input, *app.selectbox, *app.button, *app.text_input)
    assert all(widget.label for widget in widgets)


def test_every_scalar_input_has_a_slider_with_its_ends():
    app = page(lab=lab_of("x = 0.6\nv = [1.0, 2.0]\ny = input(2.0, low=1.0, high=3.0)\nz = x * y * v"))
    assert drawing_of(app)["sliders"]["rows"] == [
        {"name": "x", "value": 0.6, "low": -5, "high": 5},
        {"name": "y", "value": 2, "low": 1, "high": 3},
    ]


def test_without_scalar_inputs_there_are_no_sliders():
    app = page(lab=lab_of("v = [1.0, 2.0]\nz = v * v"))
    assert drawing_of(app)["sliders"]["rows"] == []


def test_the_seed_scales_the_cotangents():
    app = page()
    app.number_input(key="seed").set_value(-2.0)
    ran(app)
    assert cotangent(app, "b") == "\u22122"


def test_a_tensor_output_takes_a_seed_per_element():
    app = page(lab=lab_of("x = [1.0, 2.0]\ny = x * x"))
    app.text_input(key="seed_text").set_value("[1.0, -1.0]")
    ran(app)
    assert cotangent(app, "x") == "[2, \u22124]"


def test_a_seed_of_another_shape_than_the_output_stays_in_its_field_until_it_is_corrected():
    app = page(lab=lab_of("x = [1.0, 2.0]\ny = x * x"))
    app.text_input(key="seed_text").set_value("[1, 2, 3]")
    ran(app)
    assert "The seed does not fit" in said(app)
    field = next(each for each in app.text_input if each.label == "Seed cotangent")
    assert field.value == "[1, 2, 3]"
    field.set_value("1")
    ran(app)
    assert cotangent(app, "x") == "[2, 4]"


def test_a_seed_that_cannot_be_read_is_refused_with_a_reason():
    app = page(lab=lab_of("x = [1.0, 2.0]\ny = x * x"))
    app.text_input(key="seed_text").set_value("one, minus one")
    ran(app)
    assert lab(app).notice[0].message in said(app)
    assert lab(app).seed is None


def test_double_precision_shows_more_digits():
    app = page({"node": "a"})
    app.selectbox(key="dtype").set_value("float64")
    ran(app)
    assert in_browser(drawing_of(app))["node"]["value"] == repr(math.sin(0.6))


def test_reset_leads_to_the_first_graph_and_undo_back():
    app = page(lab=lab_of("q = 2.0\nr = exp(q)"))
    app.button(key="reset").click()
    ran(app)
    assert lab(app).graph == start().graph
    assert lab(app).history.past[-1].graph == parse("q = 2.0\nr = exp(q)")


def test_resampling_draws_other_noise():
    app = page(lab=lab_of("u = uniform(shape=(2,), seed=0)\ny = exp(u)"))
    before = canvas(app)["nodes"]
    app.button(key="resample").click()
    ran(app)
    assert canvas(app)["nodes"] != before


def test_without_noise_there_is_nothing_to_resample():
    assert page().button(key="resample").disabled


def test_the_page_says_of_the_selected_node_what_arrives_and_what_is_passed():
    node = in_browser(drawing_of(page({"node": "a"})))["node"]
    assert (node["name"], node["kind"], float(node["arriving"])) == ("a", "follow", 1.5)
    (wire,) = node["wires"]
    line = "".join(text for text, *_ in wire["terms"])
    local, arriving, passed = map(float, re.findall(r"[\d.]+", line))
    assert line == f"{local} × {arriving:g} = {passed}"
    slope = math.cos(0.6)
    assert (local, arriving, passed) == pytest.approx((slope, 1.5, 1.5 * slope), rel=1e-5)
    assert "<mi>cos</mi>" in wire["math"]
    assert "".join(text for text, *_ in node["fork"]) == "1.5 + 0 = 1.5"  # the other way is stopped


def test_the_page_says_what_the_check_found_and_who_looks_gets_the_table():
    app = page()
    assert check_of(app) == {
        "notes": [],
        "state": "agrees",
        "short": "Gradients agree; 1 differs by your stop",
        "says": "Whole-program jax.vjp agrees on all 20 arrays, to the last digit. Of 2 gradients, compared "
        "with central differences in float64, 1 differs by your stop.",
    }
    app.session_state[SESSION].looks[DETAILS] = True
    ran(app)
    rows = {name: float(difference) for name, _, difference, _ in check_of(app)["rows"]}
    a = math.sin(0.6)
    wanted = {"x": (1.5 + math.exp(a)) * math.cos(0.6), "y": a}
    assert rows == pytest.approx(wanted, rel=1e-4)


def test_nothing_is_said_of_a_node_when_none_is_selected():
    assert "node" not in canvas(page(lab=Lab(start().history)))


@pytest.mark.parametrize("figure", list(FIGURES))
def test_every_figure_is_drawn(figure):
    app = page(lab=Lab(start().history, figure=figure))
    assert len(figures(app)) == 1


@pytest.mark.parametrize("figure", list(FIGURES))
def test_every_figure_stands_a_graph_of_tensors_with_nan_and_a_region(figure):
    text = 'x = [-1.0, 0.0, 2.0]\nwith checkpoint("r"):\n    y = log(x)\nz = sum(y)'
    page(lab=Lab(lab_of(text).history, figure=figure))


@pytest.mark.parametrize("figure", ["jacobian", "rule_check"])
def test_what_a_worker_has_to_say_in_place_of_a_figure_is_shown(figure):
    """A graph of one draw has no derivative; Streamlit refuses a worker's figure if it has no data."""
    app = page(lab=Lab(lab_of("u = uniform(shape=(2,), seed=0)").history, figure=figure))
    assert len(figures(app)) == 1


def test_a_half_built_graph_says_what_is_missing_and_keeps_the_page():
    app = page(lab=lab_of("x = 2.0\ny = x * 3.0\nz = y + ..."))
    assert lab(app).graph["z"].slots == ("y", None)
    assert check_of(app) == {"notes": ["Still to be wired: z."]}
    assert not figures(app)


def test_an_empty_graph_has_a_page():
    app = page(lab=edited(start(), {"kind": "delete", "nodes": list(start().graph.by_name)}))
    assert canvas(app)["nodes"] == []


def test_a_region_that_cannot_run_is_shown_and_keeps_the_page():
    text = 'x = 2.0\nwith checkpoint("r"):\n    a = x * x\nb = a * 1.0\nwith checkpoint("r"):\n    c = a * b'
    app = page(lab=lab_of(text))
    assert canvas(app)["regions"][0]["problem"]


def test_a_refused_edit_of_the_canvas_is_explained_on_the_canvas_and_moves_nothing_below_it():
    app = page(lab=edited(start(), {"kind": "connect", "from": "z", "to": "a", "slot": 0}))
    (notice,) = canvas(app)["notice"]
    assert notice["message"] == lab(app).notice[0].message
    assert notice["message"] not in said(app)


@pytest.mark.parametrize("node", ["x", "y", "a", "b", "exp_1", "z", None])
def test_any_node_can_be_looked_at(node):
    page(lab=Lab(start().history, selected=node))


def test_the_page_writes_its_state_into_the_address():
    app = page()
    app.number_input(key="seed").set_value(2.0)
    ran(app)
    assert lab(app).seed == 2
    assert address(app) == to_query(lab(app))
    assert read_stamp(_stamp(app)) is not None


def test_an_address_that_cannot_be_read_stays_in_the_bar_until_something_is_done():
    app = page({"g": "2nEwErLiNk"})
    assert "version 2" in said(app)
    assert address(app) == {"g": "2nEwErLiNk"}
    app.number_input(key="seed").set_value(2.0)
    ran(app)
    assert address(app) == to_query(lab(app))


def test_the_stamp_of_an_address_says_which_edits_are_in_it():
    app = page({**to_query(start()), STAMP: "0123456789.7"})
    assert lab_data(app)["from"] == ["0123456789", 7]
    assert _stamp(app) == "0123456789.7"


@pytest.mark.parametrize(
    "stamp", ["", "0123456789", "0123456789.1.2", "0123456789.x", "<b>.1", "0123456789.7.0.12"]
)
def test_a_stamp_not_made_as_the_page_makes_it_says_nothing(stamp):
    assert read_stamp(stamp) is None


def test_an_address_brings_the_whole_state_back():
    there = Lab(lab_of("q = 2.0\nr = exp(q)").history, seed=3.0, dtype="float64", selected="q", figure="runs")
    app = page(to_query(there))
    assert lab(app).graph == there.graph
    assert cotangent(app, "r") == "3"
    assert (app.selectbox(key="dtype").value, lab(app).selected, lab(app).figure) == ("float64", "q", "runs")


def test_an_address_with_unfinished_text_brings_its_mistakes_back():
    app = page(to_query(typed(start(), "y = sinn(1.0)")))
    assert lab(app).draft == "y = sinn(1.0)"
    assert lab(app).mistakes


@pytest.mark.parametrize(
    "query",
    [
        {"g": "rubbish"},
        {"g": "<script>alert(1)</script>"},
        {"g": "", "seed": "1"},
        {**to_query(start()), "seed": "nan", "dtype": "float8", "node": "<b>", "variant": "-1"},
        {**to_query(start()), "figure": "<b>", "lesson": "<script>", "sweep": "[x](javascript:alert(1))"},
        {**to_query(start()), "range": "x:1:1,y:5:-5,<b>:0:1", "draft": "!!"},
        {"unheard": "of"},
    ],
)
def test_no_address_whatever_breaks_the_page(query):
    app = page(query)
    assert lab(app).graph == start().graph


def test_an_input_with_equal_ends_has_a_slider():
    page(lab=lab_of("x = input(1.0, low=1.0, high=1.0)\ny = sin(x)"))


@pytest.mark.parametrize("value", ["0.0", "1e30", "-1e30", "1e-30", "7"])
def test_an_input_of_any_size_has_a_slider(value):
    page(lab=lab_of(f"x = {value}\ny = x * 2.0"))


def test_text_of_the_user_is_never_markdown():
    app = page(lab=typed(start(), "y = '<img src=x onerror=alert(1)> [a](javascript:alert(1))'"))
    assert not [m for m in app.markdown if "javascript:" in str(m.value) or "<img" in str(m.value)]
