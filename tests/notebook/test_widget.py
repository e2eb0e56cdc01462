"""Test the widget of a notebook with a channel that only notes what is sent."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from threading import Thread

import pytest
from msgspec import json

import autodiff_viz as av
from autodiff_viz.canvas.arrange import MANY
from autodiff_viz.canvas.svg import picture
from autodiff_viz.graph.model import Group
from autodiff_viz.graph.problem import GraphError

pytest.importorskip("anywidget")
NOT_LIVE = "Start the kernel and run this cell to make it live."

GRAPH = av.parse("x = 30.0\ny = sin(x)\nz = y * x")
CELL = 40_000  # bytes


class Page:
    """A notebook's page with one cell."""

    def __init__(self, shown=GRAPH) -> None:
        self.widget = av.widget(shown)
        self.sent: list[dict] = []
        self.widget.send = lambda content, buffers=None: self.sent.append(content)
        self.post({"kind": "open"})
        self.seq = 0

    def post(self, content: dict) -> dict:
        self.widget._heard(self.widget, content, [])
        return self.sent[-1]

    @property
    def answer(self) -> dict:
        return json.decode(self.sent[-1]["text"])

    @property
    def drawn(self) -> dict:
        """What is new on the canvas."""
        return self.answer.get("full") or self.answer["patch"]

    def edit(self, kind: str, **fields) -> dict:
        self.seq += 1
        last = self.answer
        edits = [{"kind": kind, "seq": self.seq, **fields}]
        message = {"key": last["key"], "have": last["rev"], "edits": edits}
        return self.post({"kind": "message", "message": message})


@pytest.fixture
def page():
    return Page()


def test_its_traits_follow_what_is_done_by_hand_and_can_be_observed(page):
    seen = []
    page.widget.observe(lambda change: seen.append(change.name), ["graph", "trace", "selected"])
    page.edit("select", node="y")
    assert (seen, page.widget.selected) == (["selected"], "y")
    page.edit("rules", nodes=["y"], rule="stop")
    assert set(seen[1:]) == {"graph", "trace"}
    assert page.widget.graph["y"].rule.kind == "stop"
    assert page.widget.trace.gradient["x"] == pytest.approx(-0.98803162, rel=1e-5)  # sin(30) alone


def test_setting_them_moves_the_canvas(page):
    page.widget.selected = "y"
    assert page.drawn["selected"] == "y"
    page.widget.graph = av.parse("p = 2.0\nq = p * p")
    assert page.drawn["formula"]["text"] == "p = 2.0\nq = p * p\n"
    assert page.widget.trace.gradient["p"] == 4.0
    page.widget.trace = av.trace(GRAPH, inputs={"x": 0.0})
    assert page.widget.trace.value["x"] == 0.0


def test_what_python_sets_while_a_message_is_answered_is_shown_after_it(page):
    setting = []

    def slowly(change):  # as an observer does, in the thread that answers
        other = Thread(target=setattr, args=(page.widget, "graph", av.parse("p = 2.0\nq = p * p")))
        other.start()
        setting.append(other)

    page.widget.observe(slowly, "selected")
    page.edit("select", node="y")
    page.widget.unobserve(slowly, "selected")
    setting[0].join()
    assert page.drawn["formula"]["text"] == "p = 2.0\nq = p * p\n"
    assert page.widget.trace.gradient["p"] == 4.0


def test_a_large_graph_is_first_seen_with_its_outermost_groups_closed():
    names = [f"n{i}" for i in range(2 * MANY)]
    lines = ["n0 = 1.0", *(f"{b} = sin({a})" for a, b in pairwise(names))]
    halves = [frozenset(names[:MANY]), frozenset(names[MANY:])]
    groups = [Group("one", halves[0]), Group("two", halves[1]), Group("inner", frozenset(names[1:4]))]
    page = Page(replace(av.parse("\n".join(lines)), groups=tuple(groups)))
    closed = {group["name"]: group["collapsed"] for group in page.drawn["groups"]}
    assert closed == {"one": True, "two": True, "inner": False}
    page.widget.graph = replace(page.widget.graph, groups=())
    assert not page.drawn["groups"]


def test_a_tensor_of_a_million_elements_is_drawn_by_means_and_says_so():
    with av.limits(elements=1_000_000):
        page = Page(av.parse("x = normal(shape=(1000, 1000))\nz = tanh(x)\ny = sum(z)"))
    heat = next(node["heat"] for node in page.drawn["nodes"] if node["id"] == "z")
    assert (len(heat["value"]), len(heat["cotangent"])) == (144, 144)
    assert heat["says"] == "a cell is the mean of up to 84\N{MULTIPLICATION SIGN}84"  # 1,000 in 12 parts
    assert len(page.sent[-1]["text"]) < 10_000


def test_what_cannot_be_shown_is_refused_and_the_trait_stays(page):
    with pytest.raises(GraphError, match="no node"):
        page.widget.selected = "w"
    assert page.widget.selected is None
    with pytest.raises(GraphError, match="trace is needed"):
        page.widget.trace = 3
    assert page.widget.trace.output == "z"


def test_the_code_comes_once_when_it_is_asked_for_and_no_cell_holds_it(page):
    state = page.widget.get_state()
    shown = page.widget._repr_mimebundle_()[0]
    assert len(json.encode([state, shown])) < CELL
    code = page.post({"kind": "code"})
    assert "canvas" in code["text"]
    assert 'id="av-first"' in code["html"]


def test_where_no_kernel_is_there_are_a_picture_and_words(page):
    shown = page.widget._repr_mimebundle_()[0]
    assert {"image/png", "image/svg+xml"} & set(shown)
    assert "3.63951" in shown["text/plain"]  # 30 cos(30) + sin(30)
    assert NOT_LIVE in shown["text/plain"]
    assert f">{NOT_LIVE}<" in picture(GRAPH, NOT_LIVE)  # which is what is painted


def test_a_large_graph_has_an_overview_where_no_kernel_is_and_until_it_answers():
    page = Page(av.parse("x_0 = 1.0\n" + "\n".join(f"x_{i + 1} = sin(x_{i})" for i in range(401))))
    state, shown = page.widget.get_state(), page.widget._repr_mimebundle_()[0]
    assert "Of 402 nodes, the 20 nearest to the output." in state["still"]
    assert "image/png" in shown
    assert len(json.encode([state, shown])) < CELL


def test_the_picture_that_a_notebook_keeps_follows_once_nothing_is_edited(page):
    before = page.widget.still
    page.edit("rules", nodes=["y"], rule="stop")
    assert page.widget.still == before  # no edit waits for it
    last = page.answer
    page.post({"kind": "message", "message": {"key": last["key"], "have": last["rev"], "rest": last["turn"]}})
    assert page.widget.still == picture(page.widget.trace) != before
