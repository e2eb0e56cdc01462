"""Test that what is exported can be pasted: `read` gives the graph back, and its values and gradients."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.export.footer import HEAD
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.reading.notebooks import notebook_code
from tests.engine.references.scalar_graphs import muted_graphs, ruled_regions, scalar_graphs
from tests.export.test_random_graphs import TENSOR_OPS, TENSORS
from tests.strategies import graphs

VARIANTS = {f"{lesson.key} {i}": variant for lesson in LESSONS for i, variant in enumerate(lesson.steps)}
WRITERS = {"jax": av.to_python, "torch": av.to_torch}
OTHERS = {"marimo": av.to_marimo, "jupyter": lambda graph: notebook_code(av.to_notebook(graph))}
DTYPES = st.sampled_from(["float32", "float64", "float16", "bfloat16"])

EVERYTHING = """
x = input([0.5, -1.0, 2.0], low=-3.0, high=3.0)
t = input(0.25, low=-1.0, high=1.0)
w = parameter(shape=(3,), seed=2)
with group("head"):
    h = cut(tanh(x * w))
    with checkpoint("block 1", policy="dots_saveable"):
        e = exp(scale_gradient(h, 0.5)) * t
m = bypass(sin(e))
with branches("gate"):
    with group("gate_1"):
        a_1 = custom(square(m), pullback=lambda g, q, out: g * q)
    with group("gate_2"):
        a_2 = stop_gradient(cos(m))
unused = log(x * x)
y = sum(a_1 + a_2)
g = grad(y, w)
z = sum(g * g) + y
"""


def bare(graph: Graph) -> Graph:
    """The graph without positions, which no file says."""
    return replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))


def fault(reading: av.Reading, variant) -> str:
    """Return why the gradients of a reading are not those of the lab; empty if they are."""
    lab = av.trace(graph_of(variant), seed=variant.seed)
    try:
        answers = reading.answers()
    except av.GraphError as error:
        return f"answers: {error}"
    for node in lab.graph.nodes:
        if node.op != INPUT:
            continue
        wanted = lab.gradient[node.name]
        # The text itself may differentiate by it too: what a file prints is what stands in `.grad`.
        given = answers.get(f"{node.name}.grad", answers.get(node.name))
        if given is None and not wanted.any():
            continue
        if given is None:
            return f"no gradient of {node.name}"
        room = 2e-5 * max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
        if given.shape != wanted.shape or not np.allclose(given, wanted, 2e-5, room, equal_nan=True):
            return f"{node.name}: {given}, not {wanted}"
    return ""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("name", VARIANTS)
def test_the_file_of_a_lesson_comes_back(kind, name):
    variant = VARIANTS[name]
    reading = av.read(WRITERS[kind](graph_of(variant), variant.seed))
    # A graph is differentiated from ones: another cotangent is a product in the graph that is read.
    from_ones = variant.seed is None or (np.asarray(variant.seed) == 1.0).all()
    assert (reading.graph == bare(graph_of(variant))) == from_ones
    assert reading.refused == ()
    assert fault(reading, variant) == ""


@pytest.mark.parametrize("kind", [*WRITERS, *OTHERS])
def test_all_that_a_graph_has_comes_back(kind):
    graph = av.parse(EVERYTHING)
    reading = av.read({**WRITERS, **OTHERS}[kind](graph))
    assert reading.graph == graph
    assert reading.refused == ()
    assert "as it was exported" in reading.changes[0].says
    assert reading.lines["e"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@settings(max_examples=30)
@given(
    graph=st.one_of(
        scalar_graphs(),
        ruled_regions(),
        muted_graphs(),
        graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False),
    ),
    dtype=DTYPES,
)
def test_the_file_of_any_graph_comes_back(write, graph, dtype):
    assume(not diagnose(graph))
    try:
        text = write(graph, dtype=dtype)
    except GraphError:  # PyTorch has not every op
        assume(False)
    reading = av.read(text)
    assert reading.graph == bare(graph)
    assert reading.dtype == dtype


TEXT = """
x = input(2.0, low=1.0, high=3.0)
w = parameter(0.5)
with group("inner"):
    a = cut(sin(x * w))
    with checkpoint("block 1", policy="dots_saveable"):
        b = exp(a)
z = a * b
"""


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_what_is_edited_is_read_as_edited(write):
    """By hand: with cos in place of exp, z = sin(1) cos(sin(1))."""
    text = write(av.parse(TEXT))
    reading = av.read(text.replace(".exp(a)", ".cos(a)"))
    assert reading.graph == av.parse(TEXT.replace("exp", "cos"))
    assert reading.values()["value"] == pytest.approx(np.sin(1.0) * np.cos(np.sin(1.0)), rel=1e-6)
    assert "has been edited" in reading.changes[-1].says
    code, _, footer = text.partition(HEAD)
    for old, new in (("a = ", "c = "), ("(a)", "(c)"), (", a,", ", c,"), ("a *", "c *")):
        code = code.replace(old, new)
    other = code + HEAD + footer
    assert av.read(other).graph["c"].op == "sin"
    assert av.read(other).graph.groups[0].nodes == {"b", "mul_1"}


def test_a_name_that_is_replaced_everywhere_is_another_name():
    text = av.to_python(av.parse("first = 2.0\nsecond = sin(first) * first"))
    assert av.read(text.replace("first", "x")).graph == av.parse("x = 2.0\nsecond = sin(x) * x")


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_formula_that_is_not_that_of_the_code_is_not_believed(write):
    text = write(av.parse(TEXT))
    forged = text.replace("b = exp(a)", "b = stop_gradient(cos(a))")
    assert forged != text
    assert av.read(forged).graph["b"] == av.parse(TEXT)["b"]
    for broken in ("#: b = (", "#: b = nothing", "#= dtype float12", "#= order a b", "#= seed [1.0"):
        assert av.read(text.replace("#: z = a * b", broken)).graph == av.read(text.partition("#: ")[0]).graph


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_comments_and_layout_may_change(write):
    text = write(av.parse(TEXT))
    changed = "# My file\n" + text.replace("def forward", "\n# the model\ndef forward").replace(
        "x = ", "x  =  ", 1
    )
    assert av.read(changed).graph == av.parse(TEXT)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_another_seed_stays_in_the_graph(write):
    """By hand: d(3 sin(x)) / dx at 2 is 3 cos(2)."""
    reading = av.read(write(av.parse("x = 2.0\ny = sin(x)"), 3.0))
    assert reading.answers()["x"] == pytest.approx(3.0 * np.cos(2.0), rel=1e-6)
    assert av.trace(reading.graph).gradient["x"] == pytest.approx(3.0 * np.cos(2.0), rel=1e-6)


def test_the_cells_of_a_notebook_may_not_be_edited_unseen():
    book = json.loads(av.to_notebook(av.parse(TEXT)))
    text = notebook_code(json.dumps(book)).replace("jnp.exp(a)", "jnp.cos(a)")
    assert av.read(text).graph["b"].op == "cos"
