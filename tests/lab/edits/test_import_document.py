"""Test that a document from outside replaces the graph in every format; anything else is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.lab.actions import typed, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import formula_text, start
from autodiff_viz.language.parse import parse

TEXT = "u = 2.0  # mine\nv = u * u"
GRAPH = parse("u = 2.0\nv = u * u")
LINK = to_link(GRAPH)


def given_in(text: object):
    return edited(start(), {"kind": "import", "text": text})


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (to_json(GRAPH), "Open JSON"),
        ("\ufeff\n" + to_json(GRAPH, indent=None) + "\n", "Open JSON"),
        (f"https://example.org/app/?g={LINK}", "Open a link"),
        (f"http://localhost:8501/?node=u&g={LINK}&dtype=float64\n", "Open a link"),
        (f"?g={LINK}", "Open a link"),
        (TEXT, "Open a formula"),
        (TEXT.replace("\n", "\r\n"), "Open a formula"),
    ],
)
def test_json_a_link_and_a_formula_open_the_same_graph_in_one_step_of_undo(text, label):
    lab = given_in(text)
    assert lab.notice == ()
    assert lab.graph == GRAPH
    assert lab.history.present.label == label
    assert undone(lab).graph == start().graph
    assert lab.document != start().document  # the canvas fits it


def test_a_link_brings_precision_seed_and_selection_along():
    lab = given_in(f"https://example.org/?g={LINK}&dtype=float64&seed=3.0&node=u")
    assert (lab.dtype, lab.seed, lab.selected) == ("float64", 3.0, "u")


def test_a_formula_is_kept_as_it_was_written():
    assert formula_text(given_in(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "import-empty"),
        (" \n ", "import-empty"),
        ("x" * (limits.JSON + 1), "import-too-long"),
        ("{", "json-syntax"),
        ('{"nodes": []}', "json-"),
        ("https://example.org/", "link-empty"),
        ("https://example.org/?g=1AAAA", "link-"),
        ("https://[", "link-empty"),
        ("import jax\nprint(jax.grad(f)(1.0))", "import-unknown"),
        ("Dear all, see you on Monday.", "import-unknown"),
        (None, "bad-edit"),
        (7, "bad-edit"),
        ({"a": 1}, "bad-edit"),
    ],
)
def test_what_holds_no_graph_is_refused_with_a_reason_and_changes_nothing(text, code):
    lab = given_in(text)
    assert lab.graph == start().graph
    assert not lab.history.can_undo
    assert lab.notice[0].code.startswith(code)


def test_a_draft_is_put_aside_not_lost():
    lab = edited(typed(start(), "a = ("), {"kind": "import", "text": TEXT})
    assert (lab.graph, lab.shelved) == (GRAPH, "a = (")


@given(st.text(max_size=60) | st.from_regex(r"(https?://|\?g=|\{)[ -~]{0,30}", fullmatch=True))
def test_every_text_is_either_opened_or_refused(text):
    lab = given_in(text)
    assert lab.history.can_undo != bool(lab.notice)
