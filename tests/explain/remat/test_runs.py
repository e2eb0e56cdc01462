"""Test that the figures of runs and residuals draw what JAX does."""

import re
from itertools import pairwise

import jax
import jax.numpy as jnp
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.memory.compute import memory
from autodiff_viz.explain.remat.figure import (
    kept_by_producer,
    residuals_figure,
    residuals_text,
    runs_figure,
    runs_text,
)
from autodiff_viz.graph.model import Graph, Node, Region, params
from autodiff_viz.language.parse import parse

# The square of a cosine in a checkpointed block: it runs again, and its pullback needs only what goes in.
SQUARE = "x = 10.0\nc = cos(x)\nwith checkpoint('square'):\n    s = c * c"
NESTED = """
x = 1.0
with checkpoint('outer'):
    a = sin(x)
    with checkpoint('inner'):
        b = exp(a)
z = b * x
"""


def segments(figure):
    """By kind, the heights at which its runs are drawn."""
    return {drawn.name: list(drawn.y) for drawn in figure.data if drawn.name}


def test_a_run_of_a_block_that_jax_drops_is_hollow():
    figure = runs_figure(trace(parse(SQUARE)))
    drawn = segments(figure)
    height = dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))
    place = next(y for label, y in height.items() if "<b>s</b>" in label)
    assert drawn["dropped"] == [place]
    assert drawn["kept"] == []
    assert len(drawn["forward"]) == 2


def test_an_input_is_given_and_does_not_run():
    figure = runs_figure(trace(parse("x = 1.0")))
    assert "given" in figure.layout.yaxis2.ticktext[0]
    assert not any(segments(figure).values())


def test_segments_of_a_node_never_overlap():
    figure = runs_figure(trace(parse(NESTED)))
    spans = sorted(
        (y, start, start + length)
        for drawn in figure.data
        if drawn.name
        for y, start, length in zip(drawn.y, drawn.base, drawn.x, strict=True)
    )
    assert all(a[2] < b[1] for a, b in pairwise(spans) if a[0] == b[0])


def test_nodes_of_a_region_stand_together_under_its_name():
    labels = runs_figure(trace(parse(NESTED))).layout.yaxis.ticktext
    order = [re.sub(r"<[^>]*>|[^a-z]", "", label) for label in labels]
    assert order == ["x", "outer", "a", "inner", "b", "z"]


def test_regions_that_cannot_run_are_a_note_with_the_problem():
    nodes = (
        Node("x", "input", (), params(value=1.0)),
        Node("a", "sin", ("x",)),
        Node("b", "exp", ("a",)),
        Node("z", "mul", ("a", "b")),
    )
    broken = trace(Graph(nodes, (Region("r", frozenset({"a", "z"})),), "z"))
    for figure in (runs_figure(broken), residuals_figure(broken)):
        assert "cannot run as a whole" in figure.layout.annotations[0].text
    assert "cannot run as a whole" in runs_text(broken)
    assert "cannot run as a whole" in residuals_text(broken)


def test_the_text_says_which_nodes_run_again():
    assert "s 1 of which a derivative needs 0" in runs_text(trace(parse(SQUARE)))
    assert "none runs again" in runs_text(trace(parse("x = 1.0\nz = sin(x)")))


def test_a_product_keeps_its_two_factors():
    found = kept_by_producer(trace(parse("x = [1.0, 2.0, 3.0]\ny = [4.0, 5.0, 6.0]\nz = sum(x * y)")))
    assert [(kept.producer, kept.is_value, kept.elements) for kept in found] == [
        ("x", True, 3),
        ("y", True, 3),
    ]
    assert all(kept.consumers == ("mul_1",) for kept in found)


def test_a_sine_keeps_a_factor_of_its_derivative():
    (kept,) = kept_by_producer(trace(parse("x = 1.0\nz = sin(x)")))
    assert (kept.producer, kept.is_value, kept.elements) == ("z", False, 1)


def test_bars_and_title_give_the_elements_that_are_kept():
    figure = residuals_figure(trace(parse("x = [1.0, 2.0, 3.0]\ny = [4.0, 5.0, 6.0]\nz = sum(x * y)")))
    assert list(figure.data[1].x) == [3, 3]
    assert "6 numbers kept, 24 bytes" in figure.layout.title.text  # float32


@pytest.mark.parametrize("text", ["x = 1.0", "x = 1.0\ny = 2.0\nz = x + y"])
def test_a_program_that_keeps_nothing_says_so(text):
    assert "keeps nothing" in residuals_figure(trace(parse(text))).layout.annotations[0].text
    assert "keeps nothing" in residuals_text(trace(parse(text)))


def test_runs_that_a_derivative_needs_are_not_called_kept_as_a_policys_values_are():
    """A region whose policy keeps nothing runs again, and a derivative needs some of these runs."""
    text = 'x = 1.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = sin(a)\ny = cos(b)'
    figure = runs_figure(trace(parse(text)))
    said = " ".join([figure.layout.title.text, runs_text(trace(parse(text)))])
    assert "keep" not in said
    assert "kept" not in said
    assert "2 again, 1 of them needed" in figure.layout.title.text  # cos(a) needs a; b leaves the region


RELU = "x = [[1.0, -2.0], [3.0, 4.0]]\nw = parameter([[1.0], [2.0]])\ny = sum(relu(x) @ w)"


def test_what_nothing_reads_is_a_row_of_its_own_and_counted_as_jax_and_as_memory_do():
    """Of relu JAX keeps beside the mask the zeros that it selects; `jax.vjp` itself counts them."""

    def y(x, w):
        return jnp.sum(jax.nn.relu(x) @ w)

    found = trace(parse(RELU))
    _, pull = jax.vjp(y, jnp.asarray(found.value["x"]), jnp.asarray(found.value["w"]))
    mask, zeros = [
        each for each in kept_by_producer(found) if (each.producer, each.is_value) == ("relu_1", False)
    ]
    assert (mask.elements, mask.consumers) == (4, ("relu_1",))
    assert (zeros.elements, zeros.consumers) == (4, ())
    total = sum(array.size for array in jax.tree.leaves(pull))
    title = residuals_figure(found).layout.title.text
    assert f"{total} numbers kept" in title
    assert f"JAX keeps 4 of them that nothing reads: Memory and Plans count {total - 4}" in title
    assert memory(found).kept == total - 4
