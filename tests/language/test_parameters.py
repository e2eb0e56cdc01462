"""Test `parameter(...)` in a formula, and ops whose parameters are words."""

import pytest

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show

LINES = [
    "w = parameter(0.5)",
    "w = parameter(0.5, low=0.0, high=1.0)",
    "w = parameter([[1.0, 2.0], [3.0, 4.0]])",
    "w = parameter(shape=(2, 10), seed=0)",
    'w = parameter(shape=(2, 10), init="glorot_uniform", seed=3)',
    'w = stop_gradient(parameter(shape=(2,), init="ones", seed=0))',
    'x = input(shape=(1, 4, 4, 1), seed=0)\ny = max_pool(x, stride=1, padding="SAME")',
]


@pytest.mark.parametrize("text", LINES)
def test_text_is_read_and_written_back_as_it_was(text):
    graph = parse(text)
    assert show(graph, positions=False).rstrip() == text
    assert from_json(to_json(graph)) == graph
    assert from_link(to_link(graph)) == graph


def test_a_parameter_is_another_node_than_an_input_of_the_same_value():
    assert parse("w = parameter(0.5)")["w"].is_parameter
    assert not parse("w = 0.5")["w"].is_parameter
    assert not parse("w = input(0.5)")["w"].is_parameter


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("w = parameter()", "either a value, or a shape", 'init="glorot_uniform"'),
        ("w = parameter(0.5, init='ones')", "either a value, or a shape", "parameter(0.5)"),
        ("w = parameter(shape=(2, 2), init='glorot')", "'init' of parameter is one of", "glorot_normal"),
        ("w = parameter(shape=(2, 2), init=3)", "'init' of parameter is one of", ""),
        ("w = input(shape=(2, 2), init='ones')", "input has no 'init'", "It takes"),
        ("x = input(shape=(1, 4, 4, 1))\ny = max_pool(x, padding='same')", "is one of", "SAME"),
        ("w = Parameter(0.5)", "no op", "parameter"),
        ("a = 1.0\ny = linear(a, a, a)", "no op", "dense"),
    ],
)
def test_a_mistake_says_what_can_stand_there(text, said, hint):
    with pytest.raises(GraphError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    assert said in problem.message
    assert hint in problem.hint
