"""Test what every explanation owes: words, a sentence, a refusal, a key, the same numbers in every process.

All of it is read off the records, so that a new explanation is tested as soon as it is in the list.
"""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain import catalog
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.catalog import CHOICES, EXPLANATIONS, FIGURES, cure_of
from autodiff_viz.explain.explanation import OF_NODE, ExplanationKind, Twin
from autodiff_viz.graph.limits import NAME
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.figures import TABS, Figured, about, choose, figure_job, figured
from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.lab.persistence import address
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.segments.view import SEGMENTS
from autodiff_viz.training.view import TRAINING
from autodiff_viz.workers.jobs import job_of
from benchmarks.graphs import example
from tests.display.test_theme import luminance
from tests.strategies import Spec, graphs

EVERY = (*EXPLANATIONS, SEGMENTS, TRAINING)
COMPUTED = [kind for kind in EXPLANATIONS if kind.compute]
ROWLESS = {
    "surface": "the example has no data; `benchmarks/training.py` has its rows",
    "tensor": "it computes nothing but means and counts",
}
"""Explanations without a row among the benchmarks, and why."""
DTYPES = ("float64", "float32", "float16", "bfloat16")

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


SLOW = {("field", 2_000)}  # a minute, of which the figure is nothing: its marks do not depend on the nodes


@pytest.mark.parametrize("size", [122, 2_000])
def test_a_figure_of_many_nodes_has_few_texts_and_marks(size):
    """Each is an element or two of the page, which Plotly measures one by one."""
    found = trace(example(size, 0).graph)
    for key in [key for key in FIGURES if (key, size) not in SLOW]:
        figure = FIGURES[key].build(found, None)
        axes = [part for name, part in figure.layout.to_plotly_json().items() if re.match("[xy]axis", name)]
        texts = [text for axis in axes for text in axis.get("ticktext", ())]
        drawn = [one.to_plotly_json() for one in figure.data]
        marks = [len(one["x"]) for one in drawn if one["type"] == "bar" or "markers" in one.get("mode", "")]
        assert len(texts) + len(figure.layout.annotations) <= 500, key
        assert sum(marks) <= 700, key
        assert len(drawn) <= 40, key


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


def called(kind: ExplanationKind) -> str:
    return kind.key


every = pytest.mark.parametrize("kind", EVERY, ids=called)
computed = pytest.mark.parametrize("kind", COMPUTED, ids=called)
drawn = pytest.mark.parametrize("key", FIGURES)


def test_the_list_has_every_record_and_every_room_has_one():
    folder = Path(catalog.__file__).parent
    rooms = [path.name for path in folder.iterdir() if (path / "__init__.py").exists()]
    views = [vars(import_module(f"autodiff_viz.explain.{room}.view")).values() for room in rooms]
    records = [[one for one in view if isinstance(one, ExplanationKind)] for view in views]
    assert [room for room, written in zip(rooms, records, strict=True) if not written] == []
    assert {kind.key for written in records for kind in written} == {kind.key for kind in EXPLANATIONS}
    assert sum(map(len, records)) == len(EXPLANATIONS)


@every
def test_it_has_words(kind):
    assert re.fullmatch(r"[A-Z][^\n]+[^.]\.", kind.what_it_says)
    assert bool(kind.title) == (kind in TABS)
    assert kind.word in {"", *GLOSSARY}


def test_no_two_tabs_and_no_two_choices_are_called_alike():
    for names in (
        [kind.key for kind in TABS],
        [kind.title for kind in TABS],
        [kind.what_it_says for kind in EVERY],
        [choice.name for choice in CHOICES],
        [choice.parameter for choice in CHOICES],
    ):
        assert len(set(names)) == len(names)


def test_no_choice_takes_the_parameter_of_an_address_that_means_something_else():
    taken = {value for name, value in vars(address).items() if name.isupper() and isinstance(value, str)}
    assert taken >= {"g", "seed", "node", "figure"}
    assert taken.isdisjoint(choice.parameter for choice in CHOICES)


def test_every_public_function_that_explains_is_of_one_record():
    said = [name for kind in EVERY for name in kind.public]
    functions = {name: one for name in av.__all__ if inspect.isfunction(one := getattr(av, name))}
    own = [name for name, one in functions.items() if ".explain." in one.__module__]
    assert len(set(said)) == len(said)
    assert {*own} <= {*said} <= {*av.__all__}


@every
def test_the_documentation_names_its_functions(kind):
    assert [name for name in kind.public if f"`{name}`" not in av.__doc__] == []


@pytest.mark.parametrize("name", [name for kind in EVERY for name in kind.public])
def test_what_is_no_trace_is_refused(name):
    function = getattr(av, name)
    (first, *others) = inspect.signature(function).parameters.values()
    given = ["x"] * sum(each.default is each.empty for each in others)
    of_trace = first.annotation == "Trace"
    words = "A trace is needed" if of_trace else "needed"
    for wrong in (None, "x = 1.0", 1.0, *([SMALL] if of_trace else [])):
        with pytest.raises(GraphError, match=words):
            function(wrong, *given)


SMALL = parse("x = 1.5\ny = sin(x)\nz = y * x")
ONE = parse("x = 1.5")
PARTS = parse("x = [1.0, 2.0]\ny = stop_gradient(x)\nz = sum(y * x)")


@computed
def test_its_example_has_something_to_explain(kind):
    if kind.row:
        answer = kind.compute(*kind.example(SMALL))
        assert answer is not None
        assert answer != () or kind.key == "lints"  # most graphs have none
    else:
        assert ROWLESS[kind.key]


def test_no_two_rows_of_the_benchmarks_are_called_alike():
    rows = [kind.row for kind in EXPLANATIONS if kind.row]
    assert len(set(rows)) == len(rows)
    assert {kind.key for kind in EXPLANATIONS if not kind.row} == ROWLESS.keys()


def asked(kind: ExplanationKind, graph: Graph) -> list[Any]:
    """What an explanation may be asked about: each node, or what the page gives it by what was chosen.

    Of each choice it is the first and the last value that is offered.
    """
    if kind.of == OF_NODE:
        return [*graph.by_name]
    lab, found = opened(start(), graph, ""), []
    for choice in kind.choices:
        for value in choice.offered(graph)[:: max(1, len(choice.offered(graph)) - 1)]:
            if (of := about(choose(lab, choice, value), kind.key)) not in found:
                found.append(of)
    return found or [None]


@computed
def test_it_answers_or_refuses_in_words_in_every_dtype_and_leaves_the_trace_alone(kind):
    if kind.example(SMALL)[0] is SMALL or isinstance(kind.example(SMALL)[1], Trace):
        for graph in (SMALL, ONE, PARTS):
            before = graph.identity
            kind.compute(*kind.example(graph))
            assert graph.identity == before
        return
    for graph in (SMALL, ONE, PARTS):
        for dtype in DTYPES:
            found = trace(graph, dtype=dtype)
            before = numbers(found)
            for of in asked(kind, graph):
                with suppress(GraphError):
                    kind.compute(found, of)
            assert numbers(found) == before


def numbers(found: Trace) -> tuple[Any, ...]:
    """All numbers of a trace, with the identity of its graph."""
    tables = (found.value, found.cotangent, found.passed, found.inputs)
    return found.graph.identity, *({k: v.tobytes() for k, v in table.items()} for table in tables)


@pytest.mark.parametrize("kind", [kind for kind in COMPUTED if kind.needs], ids=called)
def test_it_refuses_a_graph_that_has_not_what_it_is_about(kind):
    bare = parse("x = [1.0, 2.0]\ny = sum(x)")
    assert not kind.needs(bare)
    with pytest.raises(GraphError):
        kind.compute(trace(bare), None)


@pytest.mark.sampled(3)
@drawn
@pytest.mark.parametrize("dtype", DTYPES)
def test_its_sentence_ends_in_every_dtype(key, dtype):
    found = trace(parse(SHARED[3]), dtype=dtype)
    assert re.fullmatch(r"[A-Z][^\n<>]+\.", FIGURES[key].text(found, None))
    sent(FIGURES[key].build(found, None))


@pytest.mark.sampled(3)
@drawn
def test_it_is_drawn_of_300_nodes(key):
    names = ["x", *(f"n{i}" for i in range(299))]
    lines = [f"{name} = sin({before})" for before, name in pairwise(names)]
    found = trace(parse("\n".join(["x = 0.5", *lines])))
    sent(FIGURES[key].build(found, None))
    assert FIGURES[key].text(found, None).endswith(".")


THEMES = trace(
    parse(
        "x = 0.25\nw = normal(seed=1)\ny = rewrite(sqrt(x), lambda v: 0.5)\n"
        "with checkpoint('r'):\n    q = exp(y * w)\nz = stop_gradient(y) * x + q"
    )
)


@pytest.mark.parametrize("low", [False, True])
@drawn
def test_it_is_read_on_a_light_and_on_a_dark_page(key, low):
    """Its ground is the page's, and no text has a colour that is near to it: WCAG asks 3 of large text."""
    figure = sent(FIGURES[key].build_for(low)(THEMES, None))
    layout = figure["layout"]
    assert {layout["paper_bgcolor"], layout["plot_bgcolor"]} == {"rgba(0,0,0,0)"}
    layout.pop("template", None)
    texts = " ".join(strings(figure))
    opaque = set(re.findall(r"(?<![-\w])color:(#[0-9a-f]{6})", texts)) | set(colours_of_fonts(figure))
    for colour in opaque:
        for page in ("#ffffff", "#0e1117"):
            dark, light = sorted([luminance(colour), luminance(page)])
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, page)


def colours_of_fonts(data: Any) -> Iterator[str]:
    for name, part in data.items() if isinstance(data, dict) else enumerate(data or ()):
        if isinstance(part, dict) and str(name).endswith("font"):
            yield from re.findall(r"#[0-9a-f]{6}", str(part.get("color", "")))
        elif isinstance(part, dict | list):
            yield from colours_of_fonts(part)


STATE = """x = input(0.5, low=-1.0, high=1.0)
n = normal(seed=1)
y = rewrite(sin(x), lambda v: 0.5)
z = y * n"""


@drawn
def test_its_job_has_another_key_for_all_that_it_reads(key):
    """Also those of a sign of zero, and of the pinned graph where the figure shows it."""
    kind, graph = FIGURES[key], parse(STATE)
    usual = trace(graph)
    states = [
        usual,
        trace(parse(STATE.replace("0.5", "0.6", 1))),
        trace(graph, {"x": 0.0}),
        trace(graph, {"x": -0.0}),
        trace(graph, seed=2.0),
        *(trace(graph, dtype=dtype) for dtype in DTYPES if dtype != "float32"),
        trace(parse(STATE.replace("0.5)\nz", "0.25)\nz"))),
        trace(parse(STATE.replace("y * n", "y + n"))),
    ]
    jobs = [figure_job(key, state, None) for state in states]
    jobs += [figure_job(key, usual, of) for of in asked(kind, graph) if of]
    jobs += [figure_job(key, usual, None, low=True)]
    jobs += [figure_job(other, usual, None) for other in FIGURES if other != key]
    if kind.beside:
        pinned = [trace(parse(STATE)), trace(parse(STATE.replace("0.5", "0.7", 1)))]
        jobs += [figure_job(key, usual, None, twin=Twin(each, letter)) for each in pinned for letter in "AB"]
    assert len({job.key for job in jobs}) == len(jobs)
    assert figure_job(key, trace(parse(STATE)), None).key == jobs[0].key


def test_a_job_without_keys_of_its_own_is_keyed_by_its_function_and_all_its_arguments():
    jobs = [job_of(figured, *arguments) for arguments in ((), (1,), (1.0,), (True,), (0.0,), (-0.0,))]
    jobs += [job_of(program_says, 1), job_of(figured, 1, 2)]
    assert len({job.key for job in jobs}) == len(jobs)
    assert job_of(figured, 1, 2, reads=(1,)).key == job_of(figured, 1, 3, reads=(1,)).key


@drawn
def test_a_worker_makes_the_figure_that_is_made_here(key):
    """A worker gets the names of module and function, and the arguments pickled."""
    found, kind = trace(parse(STATE)), FIGURES[key]
    of = asked(kind, found.graph)[-1]
    module, function, arguments = pickle.loads(pickle.dumps(figure_job(key, found, of).message))
    answer = pickle.loads(pickle.dumps(getattr(import_module(module), function)(*arguments)))
    assert isinstance(answer, Figured)
    assert answer.figure == json.loads(kind.build(found, of).to_json())
    assert answer.words == kind.text(found, of)


@pytest.mark.parametrize("kind", [kind for kind in EXPLANATIONS if kind.node_says], ids=called)
def test_what_it_says_of_a_node_is_sentences(kind):
    found = trace(parse(SHARED[3]))
    for name in found.graph.by_name:
        said = [*kind.node_says(found, name)]
        assert all(isinstance(one, str) and (not one or one.endswith(".")) for one in said)
        assert {*filter(None, said)} <= {*program_says(found, name).says, *program_says(found, name).rule}


def test_the_edit_that_mends_reaches_every_cure_and_refuses_what_has_none():
    codes = [of for kind in EXPLANATIONS for of in kind.cures]
    assert len(set(codes)) == len(codes)
    assert {*codes} >= {"zero", "non-finite", "where-trap", "dead-unit"}
    assert [of for of in codes if cure_of(trace(SMALL), of, "x") is not None] == []  # nothing is to be mended
    for of, node in (("no such", "x"), ("zero", "no such"), ("zero", None)):
        with pytest.raises(ValueError, match=of):
            cure_of(trace(SMALL), of, node)


def careless(found: Trace, name: str | None) -> float:
    """An explanation that changes what it explains."""
    found.value[found.output][...] = 0.0
    return 0.0


def white(found: Trace, name: str | None) -> go.Figure:
    """A figure that nobody can read on a light page."""
    figure = FIGURES["residuals"].build(found, name)
    return figure.update_layout(title={"text": "runs", "font": {"color": "#fafafa"}})


def without_dtype(key: str, found: Trace, of: Any, low: bool = False, twin: Twin | None = None) -> Any:
    """A job that would answer a float64 graph with what was worked out in float32."""
    return job_of(figured, key, found, of, low, twin, reads=(key, found.graph, found.inputs, of, low))


def test_each_of_these_tests_refuses_an_explanation_that_owes(monkeypatch):
    plain = FIGURES["runs"]
    with pytest.raises(AssertionError):
        test_it_has_words(replace(plain, what_it_says="How often each node runs"))
    with pytest.raises(AssertionError):
        test_it_has_words(replace(plain, word="no such word"))
    with pytest.raises(AssertionError):
        test_the_documentation_names_its_functions(replace(plain, public=("runs_of",)))
    with pytest.raises((AssertionError, ValueError)):  # read-only arrays refuse it first
        test_it_answers_or_refuses_in_words_in_every_dtype_and_leaves_the_trace_alone(
            replace(plain, compute=careless)
        )
    with pytest.raises(AssertionError):
        test_its_example_has_something_to_explain(replace(plain, compute=lambda found, name: None))
    monkeypatch.setitem(FIGURES, "runs", replace(plain, build=white, text=lambda found, name: "Runs"))
    with pytest.raises(AssertionError):
        test_it_is_read_on_a_light_and_on_a_dark_page("runs", False)
    with pytest.raises(AssertionError):
        test_its_sentence_ends_in_every_dtype("runs", "float32")
    monkeypatch.setattr("tests.explain.test_every_explanation.figure_job", without_dtype)
    with pytest.raises(AssertionError):
        test_its_job_has_another_key_for_all_that_it_reads("runs")
