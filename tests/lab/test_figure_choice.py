"""Test which figure is on view, and which node it is about."""

from dataclasses import replace

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain import catalog
from autodiff_viz.explain.catalog import FIGURES, lacking
from autodiff_viz.explain.explanation import OF_NODE
from autodiff_viz.explain.noise.view import DRAWN
from autodiff_viz.explain.precision.view import SCALE
from autodiff_viz.explain.sweep.view import SWEPT
from autodiff_viz.lab.actions import set_dtype
from autodiff_viz.lab.figures import about, choose, chosen, figure_on_view
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse

SINE = replace(FIGURES["runs"], of=OF_NODE, needs=lambda graph: any(node.op == "sin" for node in graph.nodes))
COSINE = replace(SINE, needs=lambda graph: any(node.op == "cos" for node in graph.nodes))


@pytest.fixture(autouse=True)
def two_more(monkeypatch):
    monkeypatch.setattr(catalog, "FIGURES", {**FIGURES, "sine": SINE, "cosine": COSINE})
    monkeypatch.setattr("autodiff_viz.lab.figures.FIGURES", catalog.FIGURES)


def test_a_figure_whose_subject_the_graph_lacks_is_neither_offered_nor_on_view():
    lab = start()  # has a sine and no cosine
    assert "cosine" in lacking(lab.graph)
    assert "sine" not in lacking(lab.graph)
    assert figure_on_view(replace(lab, figure="sine")) == "sine"
    assert figure_on_view(replace(lab, figure="cosine")) == "cotangents"
    assert figure_on_view(replace(lab, figure="none of these")) == "cotangents"


@pytest.mark.parametrize(
    ("inputs", "offered"),
    [
        ("x = [1.0, 2.0]", False),
        ("x = 1.0", True),
        ("x = parameter(0.5)", True),
        ("x = parameter(shape=())", True),
        ("x = parameter(shape=(2,))", False),
    ],
)
def test_a_sweep_is_offered_where_an_input_is_one_number(inputs, offered):
    graph = parse(f"{inputs}\ny = sum(x * x)")
    assert ("sweep" not in lacking(graph)) == offered
    lab = replace(opened(start(), graph, "Open"), figure="sweep")
    assert figure_on_view(lab) == ("sweep" if offered else "cotangents")
    if offered:
        FIGURES["sweep"].build(trace(graph), about(lab, "sweep"))


def test_a_figure_is_about_the_graph_an_input_or_the_selected_node():
    lab = replace(start(), selected="b", choices=(("swept", "y"),))
    assert [about(lab, name) for name in ("cotangents", "sweep", "sine", None)] == [None, "y", "b", None]
    assert about(replace(lab, selected=None), "sine") is None


def choice(one):
    """(action, function that returns what was chosen) of a choice beside a figure."""
    return lambda lab, value: choose(lab, one, value), lambda lab: chosen(lab, one)


OFFERED = {
    "draws": (*choice(DRAWN), 10_000),
    "scale": (*choice(SCALE), 1024.0),
    "swept": (*choice(SWEPT), "y"),
    "dtype": (set_dtype, lambda lab: lab.dtype, "bfloat16"),
}


@pytest.mark.parametrize(("action", "now", "value"), OFFERED.values(), ids=OFFERED)
def test_what_is_offered_is_taken_and_a_choice_that_is_not_changes_nothing(action, now, value):
    """Streamlit passes on whatever text a message has in place of a choice."""
    assert now(action(start(), value)) == value
    for tampered in ("99999999999", 99_999_999_999, "no such", "", -1.0, float("nan"), "complex64", None):
        assert action(start(), tampered) == start()
