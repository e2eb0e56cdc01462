"""Test that the address restores the whole lab."""

from __future__ import annotations

import base64
import zlib
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.explain.noise.view import DRAWN
from autodiff_viz.explain.precision.view import SCALE
from autodiff_viz.graph import limits
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.lab.actions import set_input, typed
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.figures import chosen
from autodiff_viz.lab.lessons import lesson_view
from autodiff_viz.lab.persistence.address import divided, from_query, to_query
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.language.documents import from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import lesson
from tests import strategies
from tests.own_lesson import KEY

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
        dtype=draw(st.sampled_from(["float32", "float64", "float16", "bfloat16"])),
        selected=draw(st.none() | names),
        figure=draw(st.sampled_from(["cotangents", "sweep", "runs"])),
        choices=tuple(
            (name, value)
            for name, value in [
                ("draws", draw(st.sampled_from([100, None, 10_000]))),
                ("scale", draw(st.sampled_from([None, 1024.0, 2.0**24]))),
                ("swept", draw(st.none() | names)),
            ]
            if value is not None
        ),
        ranges=tuple((name, low, high) for name, low, high in ranges if low < high),
        lesson=draw(st.none() | st.sampled_from([KEY, "checkpointing"])),
        variant=draw(st.integers(0, 3)),
        shelved=draw(st.none() | st.text(st.characters(codec="utf-8"), min_size=1)),
    )


def same_but_for_history(one: Lab, other: Lab) -> bool:
    bare = begin(parse("x = 1.0"))
    return one.graph == other.graph and replace(one, history=bare) == replace(other, history=bare)


@given(labs())
def test_the_address_brings_the_whole_lab_back(lab):
    assert same_but_for_history(from_query(to_query(lab)), lab)


@given(labs())
def test_the_graph_of_a_whole_address_is_read_from_python(lab):
    """Whatever else is in the address: seed, dtype, figure, ranges, a lesson, a pinned graph, the layout."""
    query = urlencode({**to_query(lab), "a": to_link(parse("other = 1.0"))})
    assert from_link(f"https://host.example/?{query}#folded=1&view=1.5,120,-40") == lab.graph


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


def test_the_address_of_a_first_visit_is_short_enough_for_a_message():
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
    "scale",
    "draws",
    "lesson",
    "variant",
    "text",
    "draft",
    "shelved",
    "range",
    "forward",
    "folded",
    "plan",
    "step",
    "trained",
    "pinned",
    "unheard_of",
)


@given(st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=40)))
def test_damaged_parameters_beside_a_good_link_keep_its_graph(foreign):
    graph = parse("q = 2.0\nr = exp(q)")
    lab = from_query({"g": to_link(graph), **foreign})
    assert graph in [entry.graph for entry in lab.history.entries]
    assert lab.dtype in ("float32", "float64", "float16", "bfloat16")
    assert chosen(lab, SCALE) in [2.0**power for power in range(25)]
    assert chosen(lab, DRAWN) in (100, 1_000, 10_000)
    assert lab.selected in {None, *lab.graph.by_name}
    assert dict(lab.choices).get("swept") in {None, *lab.graph.by_name}


@pytest.mark.parametrize("field", FIELDS)
def test_digits_of_a_number_that_python_refuses_to_read_are_left_out(field):
    """`int` raises for more than 4,300 digits: https://docs.python.org/3/library/stdtypes.html#int-max-str-digits."""
    lab = from_query({"g": to_link(start().graph), "lesson": KEY, field: "9" * 5_000})
    assert lab.graph == start().graph
    assert (lab.step, lab.variant, lab.ranges) == (None, 0, ())


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_looks_like_a_program_stays_text_or_is_left_out(text):
    query = {"g": to_link(start().graph), **dict.fromkeys(FIELDS, text)}
    lab = from_query(query)
    assert (lab.selected, lab.choices, lab.seed, lab.dtype) == (None, (), None, "float32")
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


NUMBERS = tuple(round((i * 7919) % 10_007 / 9_973, 6) for i in range(16_000))
LARGE = Graph((Node("v", "input", (), params(value=NUMBERS)), Node("s", "sin", ("v",))), (), "s")


def test_what_is_too_large_for_an_address_is_divided_from_it_and_makes_the_lab_with_it():
    lab = replace(start(), history=begin(LARGE, "Open a link"), selected="s", dtype="float64")
    query, large = divided(lab)
    assert len(urlencode(query)) < 200
    assert same_but_for_history(from_query({**query, **large}, most=limits.JSON), lab)


def test_no_address_is_longer_than_the_limit_whatever_is_typed():
    digits = "".join(sha256(bytes([i % 256, i // 256])).hexdigest() for i in range(1_900))
    lab = typed(
        start(), "y = sin(\n" + "\n".join(f"# {digits[i : i + 900]}" for i in range(0, len(digits), 900))
    )
    query, large = divided(lab)
    assert len(urlencode(query)) <= limits.LINK
    back = from_query({**query, **large}, most=limits.JSON)
    assert (back.draft, back.graph) == (lab.draft, lab.graph)


def test_an_address_without_what_was_divided_from_it_opens_nothing_and_says_why():
    query, large = divided(replace(start(), history=begin(LARGE, "Open a link")))
    lab = from_query(query)
    assert (lab.graph, [problem.code for problem in lab.notice]) == (Graph(), ["link-kept"])
    edit = {"seq": 1, "kind": "restored", "query": {**query, **large}}
    assert edited(lab, edit).graph == LARGE
    assert edited(start(), edit) == start()
    assert edited(lab, {**edit, "query": {"g": 3}}).graph == Graph()


def test_the_text_beside_a_link_that_cannot_be_read_is_kept():
    query = to_query(typed(start(), "# mine\nq = 2.0"))
    lab = from_query({**query, "g": "2" + query["g"][1:]})
    assert (formula_text(lab), [problem.code for problem in lab.notice]) == (
        "# mine\nq = 2.0",
        ["link-version"],
    )
    unfinished = from_query(to_query(typed(start(), "q = (")) | {"g": "1broken"})
    assert (unfinished.draft, bool(unfinished.notice)) == ("q = (", True)


def graph_titled(title: str) -> Graph:
    return next(graph_of(each) for each in lesson("xor-broadcast").steps if each.title == title)


def test_the_key_of_a_lesson_is_address_enough():
    lab = from_query({"lesson": "two-stops", "variant": "1"})
    assert (lab.lesson, lab.variant) == ("two-stops", 1)
    assert not lesson_view(lab).changed
    first = from_query({"lesson": "xor-broadcast"})
    assert first.graph == graph_titled("Targets in a list")
    for number, title in (("0", "As it was printed"), ("1", "As it was meant"), ("3", "Targets in a list")):
        short = from_query({"lesson": "xor-broadcast", "variant": number})
        assert short.graph == graph_titled(title)
        assert from_query(to_query(short)).variant == short.variant
        assert to_query(short).get("variant", "0") == number
    unknown = from_query({"lesson": "no such lesson"})
    assert unknown.graph == start().graph
    assert "no such lesson" in unknown.notice[0].message


def test_a_short_address_may_name_the_node_to_look_at():
    assert from_query({"node": "b"}).selected == "b"
    assert from_query({"lesson": KEY, "node": "b"}).selected == "b"
    assert from_query({"node": "nobody"}).selected is None
