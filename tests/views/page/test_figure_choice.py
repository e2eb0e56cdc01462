"""Which figure is on view, and the node that it is about."""

from dataclasses import replace

import pytest

from autodiff_viz.figures import catalog
from autodiff_viz.figures.catalog import FIGURES, OF_NODE, lacking
from autodiff_viz.views.lab import start
from autodiff_viz.views.page.figure_choice import about, figure_on_view

SINE = replace(FIGURES["runs"], of=OF_NODE, needs=lambda graph: any(node.op == "sin" for node in graph.nodes))
COSINE = replace(SINE, needs=lambda graph: any(node.op == "cos" for node in graph.nodes))


@pytest.fixture(autouse=True)
def two_more(monkeypatch):
    monkeypatch.setattr(catalog, "FIGURES", {**FIGURES, "sine": SINE, "cosine": COSINE})
    monkeypatch.setattr("autodiff_viz.views.page.figure_choice.FIGURES", catalog.FIGURES)


def test_a_figure_whose_subject_the_graph_lacks_is_neither_offered_nor_on_view():
    lab = start()  # has a sine and no cosine
    assert lacking(lab.graph) == ["cosine"]
    assert figure_on_view(replace(lab, figure="sine")) == "sine"
    assert figure_on_view(replace(lab, figure="cosine")) == "cotangents"
    assert figure_on_view(replace(lab, figure="none of these")) == "cotangents"


def test_a_figure_is_about_the_graph_an_input_or_the_selected_node():
    lab = replace(start(), selected="b", swept="y")
    assert [about(lab, name) for name in ("cotangents", "sweep", "sine", None)] == [None, "y", "b", None]
    assert about(replace(lab, selected=None), "sine") is None
