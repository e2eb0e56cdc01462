"""Test what holds for every figure: it can be built, sent, read and trusted."""

import json
import re
from math import inf, nan

import plotly.graph_objects as go
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.display import theme
from autodiff_viz.display.theme import short, width
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.graph.limits import NAME
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import scalar
from autodiff_viz.language.parse import parse
from tests.strategies import Spec, graphs

OPS = (
    Spec("sin"),
    Spec("exp"),
    Spec("log"),
    Spec("sqrt"),
    Spec("add", 2),
    Spec("mul", 2),
    Spec("div", 2),
    Spec("sum"),
)
EMPTY = Trace(Graph(), None, "float32", {}, None, {}, {}, {}, {})
EVIL = "<img src=x onerror=alert(1)>&lt;"
CHAIN = "\n".join(["x = 0.5", *(f"n{i} = sin({f'n{i - 1}' if i else 'x'})" for i in range(59))])
SHARED = [
    "x = 1.5",
    "x = 0.0\ny = -1.0\nz = sqrt(x) * log(y) + 1.0 / x",
    f"{'x' * NAME} = 2.0\n{'y' * NAME} = sin({'x' * NAME})",
    "x = 2.0\nwith checkpoint('r', policy='dots_saveable'):\n    y = exp(x * x)\nz = stop_gradient(y) * x",
    CHAIN,
]


def sent(figure):
    """The figure as the browser gets it; NaN is no JSON."""

    def refuse(constant):
        raise AssertionError(f"{constant} in the JSON")

    return json.loads(figure.to_json(), parse_constant=refuse)


def strings(data):
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data:
            yield from strings(item)


def fonts(data):
    if isinstance(data, dict):
        for key, item in data.items():
            yield from [item["size"]] if key.endswith("font") and "size" in item else []
            yield from fonts(item)
    elif isinstance(data, list):
        for item in data:
            yield from fonts(item)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", FIGURES)
@pytest.mark.parametrize("text", SHARED)
def test_plotly_accepts_every_property_of_every_figure(key, text):
    figure = FIGURES[key].build(trace(parse(text)), None)
    checked = go.Figure(figure.to_dict())  # this constructor checks; the figures' own does not
    assert sent(checked)["data"] == sent(figure)["data"]


@pytest.mark.parametrize("key", FIGURES)
@pytest.mark.parametrize("text", SHARED)
def test_text_is_one_sentence_and_no_font_is_smaller_than_13_pixels(key, text):
    spec, found = FIGURES[key], trace(parse(text))
    assert re.fullmatch(r"[A-Z][^\n<>]+\.", spec.text(found, None))
    layout = {k: v for k, v in sent(spec.build(found, None))["layout"].items() if k != "template"}
    assert min(fonts(layout)) >= 13


@pytest.mark.parametrize("key", ["cotangents", "runs", "residuals", "memory", "plans"])
def test_a_graph_without_nodes_is_drawn_as_a_note(key):
    assert sent(FIGURES[key].build(EMPTY, None))["layout"]["annotations"]
    assert FIGURES[key].text(EMPTY, None)


@pytest.mark.parametrize("key", FIGURES)
def test_names_are_escaped(key):
    nodes = (Node(EVIL, "input", (), params(value=1.0)), Node("z", "sin", (EVIL,)))
    figure = sent(FIGURES[key].build(trace(Graph(nodes, (), "z")), None))
    del figure["layout"]["uirevision"]  # compared, never shown
    figure["layout"].pop("meta", None)  # read by the page's script, never shown
    tags = {tag for text in strings(figure) for tag in re.findall(r"<(?!extra|/extra)/?(\w+)", text)}
    assert tags <= {"b", "br", "span", "sup"}


@pytest.mark.parametrize("key", FIGURES)
def test_a_figure_keeps_its_zoom_when_numbers_change(key):
    low, high = (
        FIGURES[key].build(trace(parse("x = input(1.0, low=0.0, high=9.0)\nz = sin(x)"), {"x": value}), None)
        for value in (2.0, 3.0)
    )
    assert low.layout.uirevision == high.layout.uirevision


@settings(max_examples=25)
@given(graphs(OPS, min_nodes=1, literals=st.floats(-3, 3, width=32), empty=False, positions=False))
def test_random_graphs_with_all_rules_and_regions_can_be_drawn(graph):
    try:
        found = trace(graph)
    except GraphError:
        assume(False)
    for key, spec in FIGURES.items():
        if key == "sweep" and not any(value.shape == () for value in found.inputs.values()):
            continue
        sent(spec.build(found, None))
        assert spec.text(found, None).endswith(".")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("page", ["#ffffff", "#0e1117"])
@pytest.mark.parametrize("name", ["VALUE", "COTANGENT", "STOP", "RULE", "CHECKPOINT", "NEUTRAL"])
def test_every_colour_stands_out_from_a_light_and_from_a_dark_page(name, page):
    dark, light = sorted([luminance(getattr(theme, name)), luminance(page)])
    assert (light + 0.05) / (dark + 0.05) >= 4  # WCAG asks 3 of graphics and of large text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.704041, "0.704"),
        (-12.0, "−12"),
        (12345.6, "12350"),
        (1234567.0, "1.23e6"),
        (-0.00001, "−1e−5"),
        (-0.0, "0"),
        (nan, "NaN"),
        (-inf, "−∞"),
    ],
)
def test_a_number_is_short_and_rounds_as_expected(value, text):
    assert scalar(value) == text


def test_a_long_name_is_cut_in_the_middle():
    assert width(short("a" * 20 + "_last")) == 16
    assert short("a" * 20 + "_last").endswith("_last")


def test_the_mode_bar_stands_beside_titles_in_a_colour_that_is_seen_on_any_page():
    bar = FIGURES["sweep"].build(trace(parse("x = 1.0\ny = x * x")), None).layout.modebar
    assert (bar.orientation, bar.color) == ("v", theme.NEUTRAL)
