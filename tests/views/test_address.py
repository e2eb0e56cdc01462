from __future__ import annotations

import base64
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.link import to_link
from autodiff_viz.language.parse import parse
from autodiff_viz.views.actions import set_input, typed
from autodiff_viz.views.address import from_query, to_query
from autodiff_viz.views.canvas_edits import edited
from autodiff_viz.views.lab import Lab, formula_text, start
from autodiff_viz.views.lessons import lesson_view
from tests import strategies

TEXTS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "${7*7}",
    "\x00\u202e",
]
ENDS = st.floats(-1e30, 1e30)


@st.composite
def labs(draw: st.DrawFn) -> Lab:
    """A lab with everything that an address holds, some of it usual and some not."""
    graph = draw(strategies.graphs(min_nodes=1))
    names = st.sampled_from(sorted(graph.by_name))
    ranges = draw(st.lists(st.tuples(names, ENDS, ENDS), max_size=3, unique_by=lambda entry: entry[0]))
    return Lab(
        begin(graph, "Start"),
        seed=draw(st.none() | st.floats(-1e30, 1e30) | strategies.tensors()),
        dtype=draw(st.sampled_from(["float32", "float64"])),
        selected=draw(st.none() | names),
        figure=draw(st.sampled_from(["cotangents", "sweep", "runs"])),
        swept=draw(st.none() | names),
        ranges=tuple((name, low, high) for name, low, high in ranges if low < high),
        lesson=draw(st.none() | st.sampled_from(["fork", "checkpointing"])),
        variant=draw(st.integers(0, 3)),
        shelved=draw(st.none() | st.text(st.characters(codec="utf-8"), min_size=1)),
    )


def same_but_for_history(one: Lab, other: Lab) -> bool:
    bare = begin(parse("x = 1.0"))
    return one.graph == other.graph and replace(one, history=bare) == replace(other, history=bare)


@given(labs())
def test_the_address_brings_the_whole_lab_back(lab):
    assert same_but_for_history(from_query(to_query(lab)), lab)


def test_the_address_brings_unfinished_text_back_with_its_mistakes():
    lab = typed(start(), "y = sin(\n# a comment, \u00e9\u4e2d\n")
    back = from_query(to_query(lab))
    assert (back.draft, back.mistakes) == (lab.draft, lab.mistakes)


def test_the_address_brings_a_text_back_as_it_was_written():
    lab = typed(start(), "# \u00e9\u4e2d\nx=1.0\ny = sin( x )")
    assert formula_text(from_query(to_query(lab))) == formula_text(lab)


def test_a_text_that_says_another_graph_is_left_out():
    query = to_query(typed(start(), "x=1.0")) | {"g": to_link(parse("q = 2.0"))}
    assert formula_text(from_query(query)) == "q = 2.0\n"


def test_the_address_brings_an_emptied_canvas_back():
    lab = edited(start(), {"kind": "delete", "nodes": list(start().graph.by_name)})
    assert from_query(to_query(lab)).graph.nodes == ()


def test_the_address_brings_the_ends_of_a_slider_back():
    lab = set_input(start(), "x", 1.0)
    assert from_query(to_query(lab)).ranges == lab.ranges


def test_writing_and_reading_an_address_settles_at_once():
    query = to_query(set_input(start(), "x", 1.0))
    assert to_query(from_query(query)) == query


def test_a_first_visit_has_no_address_and_the_first_graph():
    assert from_query({}) == start()


def test_a_newcomers_address_is_short_enough_for_a_message():
    assert sum(len(key) + len(value) + 2 for key, value in to_query(start()).items()) < 500


@pytest.mark.parametrize(
    "link",
    [
        "x",
        "1",
        "AAAA",
        "!" * 50,
        "A" * (limits.LINK + 1),
        to_link(start().graph)[:-9],
        "9" + to_link(start().graph)[1:],
    ],
    ids=lambda link: link[:12],
)
def test_a_damaged_link_opens_the_first_graph_and_says_why(link):
    lab = from_query({"g": link})
    assert lab.graph == start().graph
    assert lab.notice


@given(st.text(max_size=60))
def test_no_link_whatever_raises(link):
    assert from_query({"g": link}).graph is not None


FIELDS = (
    "seed",
    "dtype",
    "node",
    "figure",
    "sweep",
    "lesson",
    "variant",
    "text",
    "draft",
    "shelved",
    "range",
    "unheard_of",
)


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=40)))
def test_damaged_parameters_beside_a_good_link_keep_its_graph(foreign):
    graph = parse("q = 2.0\nr = exp(q)")
    lab = from_query({"g": to_link(graph), **foreign})
    assert graph in [entry.graph for entry in lab.history.entries]
    assert lab.dtype in ("float32", "float64")
    assert lab.selected in {None, *lab.graph.by_name}
    assert lab.swept in {None, *lab.graph.by_name}


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_looks_like_a_program_stays_text_or_is_left_out(text):
    query = {"g": to_link(start().graph), **dict.fromkeys(FIELDS, text)}
    lab = from_query(query)
    assert (lab.selected, lab.swept, lab.seed, lab.dtype) == (None, None, None, "float32")
    assert lab.graph == start().graph
    assert lesson_view(lab) is None


@pytest.mark.parametrize("text", TEXTS)
def test_unfinished_text_that_looks_like_a_program_comes_back_letter_by_letter(text):
    assert from_query(to_query(typed(start(), text))).draft == text


@pytest.mark.parametrize("seed", ["nan", "inf", "1e999", "2e30", "-2e30", "one", "(((((", "[1.0, nan]"])
def test_a_seed_that_is_no_usable_number_is_left_out(seed):
    assert from_query({"g": to_link(start().graph), "seed": seed}).seed is None


@pytest.mark.parametrize("ends", ["x:5:-5", "x:1:1", "x:nan:1", "x:1", "x", ":", ",,,", "x:a:b", "x:0:1e999"])
def test_ends_of_a_slider_that_are_none_are_left_out(ends):
    assert from_query({"g": to_link(start().graph), "range": ends}).ranges == ()


def test_a_draft_that_unpacks_to_too_much_does_not_fill_the_memory():
    bomb = base64.urlsafe_b64encode(zlib.compress(b"#" * 50_000_000, 9)).decode()
    lab = from_query({"g": to_link(start().graph), "draft": bomb[: limits.LINK]})
    assert len(lab.draft or "") <= limits.TEXT
