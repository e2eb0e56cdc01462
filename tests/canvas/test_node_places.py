"""Test that who asks where the nodes of a large graph stand has no wire of it routed."""

from __future__ import annotations

from dataclasses import replace

import autodiff_viz as av
from autodiff_viz.canvas import arrange, drawing
from autodiff_viz.canvas.drawing import MANY, _layout, node_places, places
from autodiff_viz.canvas.layout import sugiyama
from autodiff_viz.canvas.layout.placing import ways_around
from autodiff_viz.canvas.layout.sugiyama import standing


def chain(count: int):
    lines = (f"x_{i + 1} = sin(x_{i})" if i % 3 else f"x_{i + 1} = x_{i} * x_{i // 2}" for i in range(count))
    return arrange.pinned(av.parse("\n".join(("x_0 = 1.0", *lines))))


def test_an_edit_of_the_text_routes_no_wire_of_a_large_graph_to_see_where_nodes_stand(monkeypatch):
    graph = chain(MANY + 20)
    routed = []
    monkeypatch.setattr(sugiyama, "ways_around", lambda *given: routed.append(1) or ways_around(*given))
    _layout.forget()
    other = replace(graph, nodes=(*graph.nodes[:-1], replace(graph.nodes[-1], slots=("x_0",))))
    arrange.without_backward_places(other, graph)
    arrange.clear_of_cards(av.parse("a = 1.0"), {"a": (0.0, 0.0)}, graph)
    assert routed == []
    places(graph)
    assert routed == [1]


def test_places_are_those_of_the_drawing():
    for count in (MANY // 10, MANY + 20):
        graph = chain(count)
        assert node_places(graph).positions == places(graph).positions
        loose = replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))
        assert node_places(loose).positions == places(loose).positions
        assert node_places(loose).tabs == places(loose).tabs
    assert places(graph).bends


def test_a_large_graph_is_laid_out_once_for_its_drawing_and_for_the_first_edit(monkeypatch):
    loose = av.parse("\n".join(["x_0 = 1.0", *(f"x_{i + 1} = sin(x_{i})" for i in range(MANY + 20))]))
    laid = []
    monkeypatch.setattr(drawing, "standing", lambda *given: laid.append(1) or standing(*given))
    drawing._standing.forget()
    _layout.forget()
    places(loose)
    places(loose, closed=frozenset(("group",)))
    arrange.pinned(loose)
    assert laid == [1]
