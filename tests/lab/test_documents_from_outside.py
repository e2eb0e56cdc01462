"""Test that any document from outside is refused with a reason, or works in all of the lab.

`MUTATIONS=20000 SEED=7 pytest tests/lab/test_documents_from_outside.py` tries so many documents, others for
each seed, of which none may take long to read.
"""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.accepted import exactly, holds_of_numbers, holds_of_page, holds_of_text
from tests.mutants import formulas, mistyped, mutants, packed
from tests.seeds import SEED

MUTATIONS = int(os.environ.get("MUTATIONS", "120"))
NIGHTLY = "MUTATIONS" in os.environ
LONGEST = 2.0  # seconds of reading one document, in the nightly part alone

MANY = settings(
    max_examples=MUTATIONS,
    derandomize=SEED is None,
    database=None,
    deadline=None,
    phases=(Phase.generate,),  # a mutant does not become simpler in small steps
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.nightly
@MANY
@given(mutants())
def test_what_is_accepted_is_written_run_shown_and_trained_and_all_else_is_refused(text):
    began = time.thread_time()
    try:
        graph = from_json(text)
    except GraphError:
        graph = None
    else:
        holds_of_text(graph)
    assert not NIGHTLY or time.thread_time() - began < LONGEST
    if graph is not None:
        holds_of_numbers(graph)
        holds_of_page(graph)


@settings(max_examples=MUTATIONS // 5, derandomize=SEED is None, database=None, deadline=None)
@given(mutants(), st.integers(0, 10**6), st.sampled_from("AZaz09-_. "))
def test_a_link_says_what_its_document_says_or_nothing(text, place, character):
    link = packed(text)
    told = []
    for read, given_text in ((from_json, text), (from_link, link)):
        try:
            told.append(exactly(read(given_text)))
        except GraphError as error:
            told.append([problem.code for problem in error.problems])
    assert told[0] == told[1] or told[1][0].startswith("link-")
    damaged = link[: place % len(link)] + character + link[place % len(link) + 1 :]
    try:
        graph = from_link(damaged)
    except GraphError:
        return
    assert exactly(graph) == told[1]  # the last character has bits to spare


@settings(max_examples=MUTATIONS, derandomize=SEED is None, database=None, deadline=None)
@given(st.sampled_from(formulas()), st.randoms(use_true_random=True))
def test_what_can_be_typed_can_be_sent(text, random):
    typed = mistyped(text, random)
    try:
        graph = parse(typed)
    except GraphError:
        return
    assert exactly(parse(show(graph))) == exactly(graph)
    assert exactly(from_json(to_json(graph))) == exactly(graph)
