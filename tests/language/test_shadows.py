"""Test that an argument named like a node which it does not stand for is reported; worked out by hand."""

import pytest

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import shadows
from autodiff_viz.lessons.gallery import LESSONS

HEAD = "a = 2.0\nb = 3.0\nv0 = 1.0\n"
SUM = HEAD + "c = custom(0.5 * (1.0 + a), pullback=lambda v, a, y: 0.5 * v * a)"


def told(graph: Graph) -> list[tuple[str, str, str]]:
    return [(shadow.node, shadow.argument, shadow.means) for shadow in shadows(graph)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("c = custom(0.5 * (1.0 + a), pullback=lambda v, a, y: v * a)", ("c", "a", "node add_1, 1.0 + a")),
        ("c = custom(a * b, pullback=lambda v, a, a2, y: (v, v))", None),
        ("c = custom(a * b, pullback=lambda v, a, v0, y: (v, v))", ("c", "v0", "node b")),
        ("c = custom(sin(a), pullback=lambda v, a, b: v * b)", ("c", "b", "the value of c itself")),
        ("c = custom(sin(a), pullback=lambda v, a, c: v * c)", None),
        ("c = custom(sin(a), pullback=lambda b, a, y: b * a)", ("c", "b", "the cotangent that arrives")),
        ("c = rewrite(sin(a), lambda a: 2.0 * a)", ("c", "a", "the cotangent that arrives")),
        ("c = rewrite(sin(a), lambda v: 2.0 * v)", None),
        ("d = sin(custom(cos(a), pullback=lambda v, b, y: v * b))", ("cos_1", "b", "node a")),
        ("c = custom(sin(a), pullback=lambda v, x, y: v * x)", None),
    ],
)
def test_an_argument_is_held_against_the_wire_at_its_place(line, expected):
    assert told(parse(HEAD + line)) == ([] if expected is None else [expected])


def test_two_arguments_in_each_others_place_are_both_told():
    graph = parse(HEAD + "c = custom(a * b, pullback=lambda v, b, a, y: (v * a, v * b))")
    assert told(graph) == [("c", "b", "node a"), ("c", "a", "node b")]


@pytest.mark.parametrize("usual", ["v = 1.0\n", "y = 1.0\n"])
def test_the_usual_names_of_cotangent_and_value_are_never_told(usual):
    assert told(parse(usual + HEAD + "c = custom(sin(a), pullback=lambda v, a, y: v * y)")) == []


def test_the_note_says_what_is_meant_and_how_to_mend_it():
    (shadow,) = shadows(parse(SUM))
    assert str(shadow) == (
        "Shadowed: in its rule, a stands for node add_1, 1.0 + a, not for node a. "
        "Call it add_1; a rule sees only what is wired to its node."
    )
    mended = SUM.replace("lambda v, a, y: 0.5 * v * a", "lambda v, add_1, y: 0.5 * v * add_1")
    assert told(parse(mended)) == []


def test_it_is_told_of_documents_and_links_too():
    graph = parse(SUM)
    assert told(from_json(to_json(graph))) == told(from_link(to_link(graph))) == told(graph) != []


def test_a_function_of_an_unfinished_node_waits():
    assert told(parse(HEAD + "c = custom(a * ..., pullback=lambda v, b, y: v)")) == [("c", "b", "node a")]
    assert told(parse(HEAD + "c = custom(a * ..., pullback=lambda v, a, b, y: (v, v))")) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.key)
def test_no_lesson_has_one(lesson):
    assert [told(parse(variant.formula)) for variant in lesson.steps] == [[]] * len(lesson.steps)
