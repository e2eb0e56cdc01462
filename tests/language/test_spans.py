"""Test that every node has a place in the text, so that a page can mark it there."""

from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.language.parse import parse, parse_with_spans, places_in
from autodiff_viz.language.show import show, show_with_places, show_with_spans
from tests.language.samples import SPECS, automatic
from tests.strategies import graphs

TEXT = """x = 10.0
with checkpoint("r"):
    y = log(rewrite(x, lambda v: 0.5)) + concatenate([x,
        sin(x)])
"""


def cut(text: str, span: tuple[int, int, int, int]) -> str:
    line, column, end_line, end_column = span
    lines = text.splitlines()[line - 1 : end_line]
    lines[-1] = lines[-1][:end_column]
    return "\n".join([lines[0][column:], *lines[1:]])


def test_a_span_covers_a_line_or_the_part_of_it_that_makes_the_node():
    _, spans = parse_with_spans(TEXT)
    assert {name: cut(TEXT, span) for name, span in spans.items()} == {
        "x": "x = 10.0",
        "rewrite_1": "rewrite(x, lambda v: 0.5)",
        "log_1": "log(rewrite(x, lambda v: 0.5))",
        "sin_1": "sin(x)",
        "concatenate_1": "concatenate([x,\n        sin(x)])",
        "y": "y = log(rewrite(x, lambda v: 0.5)) + concatenate([x,\n        sin(x)])",
    }


@given(automatic(max_nodes=8))
def test_every_node_has_a_span_and_a_named_one_begins_with_its_name(graph):
    text = show(graph)
    again, spans = parse_with_spans(text)
    assert spans.keys() == {node.name for node in again.nodes}
    for line in text.splitlines():
        name, equals, _ = line.strip().partition(" = ")
        if equals and name in spans and not name.startswith("#"):
            assert cut(text, spans[name]).startswith(f"{name} = ")


def test_the_places_are_known_as_the_text_is_written():
    text, spans = show_with_spans(parse(TEXT))
    assert {name: cut(text, span) for name, span in spans.items()} == {
        "x": "x = 10.0",
        "rewrite_1": "rewrite(x, lambda v: 0.5)",
        "log_1": "log(rewrite(x, lambda v: 0.5))",
        "sin_1": "sin(x)",
        "concatenate_1": "concatenate([x, sin(x)])",
        "y": "y = log(rewrite(x, lambda v: 0.5)) + concatenate([x, sin(x)])",
    }


ROW = ", ".join(f"{i}.0" for i in range(24))
LONG = f"""x = 2.0
with group("g"):
    y = x * [{ROW}]
    z = sum(y)
"""


def test_places_are_known_in_a_line_that_is_broken():
    text, spans = show_with_spans(parse(LONG))
    assert cut(text, spans["y"]).split() == f"y = x * [{ROW}]".split()
    assert (spans["y"].line, spans["y"].end_line, spans["z"].line) == (3, 4, 5)
    assert spans == parse_with_spans(text)[1]


@given(st.one_of(graphs(SPECS, max_nodes=10), automatic(max_nodes=12)))
def test_the_places_of_what_is_written_are_those_that_are_read(graph):
    text, places = show_with_places(graph)
    assert text == show(graph, positions=False)
    assert places == places_in(text)
