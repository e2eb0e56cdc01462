"""Test that every lesson can be loaded, run and drawn, and that its claims hold."""

import re
from dataclasses import replace

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.canvas.drawing import Picture, drawing
from autodiff_viz.graph.check import problems
from autodiff_viz.graph.codec import to_json
from autodiff_viz.lessons.evaluate import CUT, QUANTITIES, SPLIT, allowed, check, graph_of, trace_of
from autodiff_viz.lessons.gallery import CONTRIBUTED, LESSONS, lesson
from autodiff_viz.lessons.lesson import INTRODUCTIONS, Claim, Law, Lesson, Like
from autodiff_viz.lessons.tour import Step

pytestmark = pytest.mark.every

VARIANTS = [(found, variant) for found in LESSONS for variant in found.steps]


def _name(value: object) -> str:
    return getattr(value, "key", None) or getattr(value, "title", "")


@pytest.mark.parametrize(("found", "variant"), VARIANTS, ids=_name)
def test_every_graph_of_the_lesson_is_kept_runs_and_draws(found, variant):
    graph = graph_of(variant)
    assert av.parse(av.show(graph)) == graph
    assert av.from_json(to_json(graph)) == graph
    assert problems(graph) == ()
    trace = av.trace(graph, seed=variant.seed, dtype=variant.dtype)
    drawn = drawing(Picture(graph, trace, trace.runs, (), variant.look_at, 0)).data
    assert {node["id"] for node in drawn["nodes"]} == set(graph.by_name)
    claimed = [claim.expected for claim in found.claims if claim.variant == found.steps.index(variant)]
    if all(np.isfinite(one).all() for one in claimed if not isinstance(one, (Law, Like))):
        assert trace.nonfinite_origins == ()
    assert variant.look_at in graph


@pytest.mark.sampled(4)
@pytest.mark.parametrize("found", [found for found in LESSONS if found.claims], ids=_name)
def test_a_claim_with_another_number_fails(found):
    for claim in found.claims:
        wrong = replace(claim, expected=_off(claim, found))
        assert not check(wrong, found).holds, claim.says


def _off(claim, found):
    """Another expectation: off by little more than twice of what the claim says that it allows."""
    off = 2.1 * (claim.within or 0.0) + 1e-9
    if isinstance(claim.expected, Law):
        return replace(claim.expected, formula=f"{off} + 1.00001 * ({claim.expected.formula})")
    if isinstance(claim.expected, Like):
        return (check(claim, found).expected.astype(np.float64) + off).tolist()
    expected = np.asarray(claim.expected)
    if not np.isfinite(expected).all():
        return 1.0
    if expected.dtype.kind == "i":
        return (expected + 1).tolist()
    return (expected * (1 + 2.1 * 10.0**-claim.digits) + off).tolist()


def holds(formula, claim):
    found = Lesson(key="key", title="Title", steps=(Step("Graph", formula),), claims=(claim,))
    return check(claim, found).holds


def test_a_claim_of_another_shape_fails():
    assert not holds("x = [1.0, 1.0]\ny = 2.0 * x", Claim("y", "value", "y", 2.0, "by hand"))


def test_a_claimed_zero_must_be_exactly_zero():
    assert not holds("x = 1e-30\ny = 2.0 * x", Claim("y", "value", "y", 0.0, "by hand"))


def test_a_count_must_be_exact_however_large_it_is():
    graph = "x = input(shape=(200, 300), seed=0)\ny = sum(x * x)"
    assert holds(
        graph, Claim("kept", "residual elements", None, 60_000, "by hand: one factor of each product")
    )
    assert not holds(graph, Claim("kept", "residual elements", None, 60_001, "by hand: off by one"))


@pytest.mark.parametrize(
    ("within", "digits", "expected", "held"),
    [
        (None, 6, 2.000001, True),
        (None, 6, 2.00001, False),
        (None, 3, 2.001, True),
        (0.0, 6, 2.000001, False),
        (0.02, 6, 2.019, True),
        (0.02, 6, 2.021, False),
    ],
)
def test_a_claim_holds_as_closely_as_it_says(within, digits, expected, held):
    claim = Claim("y", "value", "y", expected, "by hand", within=within, digits=digits)
    assert holds("x = 1.0\ny = 2.0 * x", claim) is held


def test_nan_and_infinities_have_no_tolerance():
    for within in (None, 0.5):
        claim = Claim("y", "value", "y", 0.0, "by hand", within=within)
        assert (allowed(claim, np.array([np.nan, np.inf, 2.0])) > 0).tolist() == [False, False, True]


def test_nan_holds_where_nan_is_claimed_and_nowhere_else():
    nan = float("nan")
    assert holds("x = -1.0\ny = sqrt(x)", Claim("y", "value", "y", nan, "by hand"))
    assert not holds("x = -1.0\ny = sqrt(x)", Claim("y", "value", "y", 1.0, "by hand"))
    assert not holds("x = 1.0\ny = sqrt(x)", Claim("y", "value", "y", nan, "by hand"))
    assert not holds("x = 1.0\ny = sqrt(x)", Claim("y", "value", "y", float("inf"), "by hand"))
    assert holds("x = 0.0\ny = 1.0 / x", Claim("y", "value", "y", float("inf"), "by hand"))
    assert not holds("x = 0.0\ny = 1.0 / x", Claim("y", "value", "y", float("-inf"), "by hand"))


@pytest.mark.parametrize("found", LESSONS, ids=_name)
def test_the_lesson_is_short_and_complete(found):
    assert len(found.text.split()) <= 150
    if found not in CONTRIBUTED:
        assert found.to_try
        assert {claim.variant for claim in found.claims} == set(range(len(found.steps)))
    assert all(claim.source and claim.quantity in {**QUANTITIES, **CUT, **SPLIT} for claim in found.claims)


def test_each_of_several_graphs_has_words_of_its_own():
    several = [found for found in LESSONS if len(found.steps) > 1]
    assert len(several) > 8
    for found in several:
        texts = [step.text or step.caption for step in found.steps]
        assert len({*texts, "", found.text}) == len(texts) + 2, found.key
        assert max(len(text.split()) for text in texts) <= 60, found.key


def test_keys_are_unique_and_unknown_keys_find_nothing():
    assert [lesson(found.key) for found in LESSONS] == list(LESSONS)
    assert lesson("no such lesson") is None
    assert lesson(None) is None


def test_a_lesson_that_cites_a_document_introduces_it_with_its_address_where_one_is_known():
    for found in LESSONS:
        cited = {name for claim in found.claims for name in INTRODUCTIONS if name in claim.source}
        said = " ".join([found.text, *found.sources])
        assert [name for name in cited if INTRODUCTIONS[name] not in said] == [], found.key
    known = [said for said in INTRODUCTIONS.values() if "](" in said]
    assert len({*known}) == 3
    assert all(re.search(r"\[[^]]+\]\(https://[a-z.0-9/_-]+\)", said) for said in known)


def test_no_lesson_speaks_of_a_document_that_it_has_not_introduced():
    for found in LESSONS:
        words = [v.text for v in found.steps] + [item.says for item in found.to_try] + [found.summary]
        speaks = re.search(r"\b[Tt]he (tutorial|question|document)\b", " ".join([found.text, *words]))
        introduced = " ".join([found.text, *found.sources])
        assert not speaks or any(said in introduced for said in INTRODUCTIONS.values()), found.key
        assert not re.search(r"\b(tutorial|question|document)\b", found.summary), found.key


def test_the_first_training_in_the_order_of_the_lessons_learns():
    steps = [step for found in LESSONS for step in found.steps if step.training]
    first = next(step for step in steps if not step.questions and step.training.steps > 10)
    last = trace_of(first, first.training.steps)
    assert trace_of(first).value["loss"] > 0.1
    assert last.value["loss"] < 1e-6
    assert np.allclose(last.value["yhat"].ravel(), [0, 1, 1, 0], atol=1e-3)


def test_links_name_each_graph_by_a_number_that_does_not_change():
    """As when links were first made: of XOR the graph as it was printed, of the branches the stack."""
    for key, first in (
        ("xor-broadcast", "As it was printed"),
        ("declare-derivative", "Declared rightly"),
        ("checkpointing", "A square that prints"),
        ("xor-tutorial", "Ten steps"),
        ("checkpointed-cnn", "Plain"),
        ("forward-backward", "No stop"),
        ("gated-transformer", "Stack, weigh, sum"),
        ("split-model", "Three parts and the loss"),
        ("split-cnn", "Cats and dogs"),
    ):
        found = lesson(key)
        assert found.steps[found.variant_of(0)].title == first
    for found in LESSONS:
        assert sorted(found.numbers) == [*range(len(found.steps) if found.numbers else 0)], found.key
