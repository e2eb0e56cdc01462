"""Every node has a place in the text, so that a page can mark it there."""

from hypothesis import given

from autodiff_viz.language.parse import parse_with_spans
from autodiff_viz.language.show import show
from tests.language.samples import automatic

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
