"""Test links: short, safe in an address, and refused clearly when damaged."""

import base64
import re
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import decoded
from autodiff_viz.graph.link import document_in, to_link
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from tests.own_lesson import KEY
from tests.strategies import graphs

GRAPH = Graph((Node("x", "input", (), params(value=2.0)), Node("y", "sin", ("x",))), (), "y")


def read(payload: str) -> Graph:
    return decoded(document_in(payload))


def refused(payload: str) -> str:
    with pytest.raises(GraphError) as caught:
        read(payload)
    return caught.value.problems[0].code


def packed(text: bytes, after: bytes = b"") -> str:
    return "1" + base64.urlsafe_b64encode(zlib.compress(text) + after).decode().rstrip("=")


@given(graphs())
def test_a_graph_survives_a_link(graph):
    assert read(to_link(graph)) == graph


@given(graphs(min_nodes=1))
def test_a_link_needs_no_escaping(graph):
    assert re.fullmatch("[A-Za-z0-9_-]+", to_link(graph))


@given(st.text(max_size=80))
def test_any_other_text_is_refused(text):
    assert refused("1" + text).startswith(("link-", "json-"))


@given(st.integers(0, len(to_link(GRAPH)) - 1))
def test_a_link_cut_anywhere_is_refused(length):
    assert refused(to_link(GRAPH)[:length]).startswith("link-")


@given(st.integers(1, len(to_link(GRAPH)) - 1), st.sampled_from("AZaz09-_"))
def test_a_wrong_character_never_gives_another_graph(place, character):
    link = to_link(GRAPH)
    changed = link[:place] + character + link[place + 1 :]
    with suppress(GraphError):  # the last character has bits to spare
        assert read(changed) == GRAPH


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("", "link-truncated"),
        ("1", "link-truncated"),
        ("2" + to_link(GRAPH)[1:], "link-version"),
        ("https://example.org", "link-no-graph"),
        (to_link(GRAPH) + " and more", "link-damaged"),
        (packed(b"{}", after=b"more"), "link-damaged"),
        (packed("é".encode()), "link-damaged"),
        (packed(b"{}"), "json-missing-key"),
        (packed(b" " * (limits.JSON + 1)), "link-too-long"),
        ("1" * (limits.LINK + 1), "link-too-long"),
    ],
)
def test_a_bad_link_is_refused(payload, code):
    assert refused(payload) == code


def test_a_graph_too_large_for_a_link_is_refused_when_it_is_made():
    numbers = tuple(i * 0.123456789 for i in range(60_000))
    with pytest.raises(GraphError, match="the limit is 60000"):
        to_link(Graph((Node("x", "input", (), params(value=numbers)),), (), "x"))


def test_a_link_of_thirty_nodes_is_short_enough_for_a_chat():
    chain = [Node("x0", "input", (), params(value=1.0))]
    chain += [Node(f"x{i}", "sin", (f"x{i - 1}",)) for i in range(1, 30)]
    assert len(to_link(Graph(tuple(chain), (), "x29"))) < 500


def test_a_link_can_be_a_whole_address_and_is_read_back():
    for base in (
        "https://host.example/lab",
        "http://localhost:8501",
        "https://host.example/?seed=2.0&g=1old#top",
    ):
        link = to_link(GRAPH, base=base)
        assert link.startswith(base.split("?")[0])
        assert link.count("g=") == 1
        assert read(link) == GRAPH
    assert "seed=2.0" in link
    assert to_link(GRAPH, base="https://host.example/lab") == f"https://host.example/lab?g={to_link(GRAPH)}"


@pytest.mark.parametrize("base", ["host.example", "javascript:alert(1)", "ftp://a.b", "https://", "", 5])
def test_a_base_that_is_no_address_is_refused(base):
    with pytest.raises(GraphError) as caught:
        to_link(GRAPH, base=base)
    assert caught.value.problems[0].code == "link-base"


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("https://host.example/", "no graph"),
        (f"https://host.example/?lesson={KEY}", "lesson"),
        ("https://host.example/?kept=abc", "too large for a link"),
    ],
)
def test_an_address_without_a_graph_says_what_it_has(address, word):
    with pytest.raises(GraphError) as caught:
        read(address)
    (problem,) = caught.value.problems
    assert problem.code == "link-no-graph"
    assert word in f"{problem.message} {problem.hint}"


def test_an_address_is_read_in_any_form_that_a_browser_or_a_mail_gives_it():
    link = to_link(GRAPH)
    for address in (
        f"https://host.example/?lesson={KEY}&g={link}&seed=2.0#part",
        f"<https://host.example/?g={link}>",
        f"https://host.example/?seed=1&amp;g={link}",
        f" host.example/?g={link}\n",
    ):
        assert read(address) == GRAPH
