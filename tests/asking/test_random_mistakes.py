"""Test on random graphs that right numbers are accepted, and wrong ones told as the mistake that made them.

All numbers are HIPS autograd's, in float64: of the graph itself, of the graph without its stops, and products
and sums of what its wires pass.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.asking.answers import read_answer
from autodiff_viz.asking.judge import feedback_table, fits, judged
from autodiff_viz.asking.question import COTANGENT, NUMBER, PASSED, Quantity, Question
from autodiff_viz.graph.model import Graph, Rule
from autodiff_viz.graph.order import ancestors, consumers
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, STOP
from tests.asking.test_judge import NUMBERS, traced
from tests.engine.references import hips
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.seeds import seeded
from tests.thorough import THOROUGH, fewer
from tests.web import node as web

JUDGE = Path(__file__).parents[1] / "web" / "asking" / "judge_all.mjs"
SIGNS = "0123456789.,/-+e ()[];x\u00d7\u221e\u00bd\u06f5\u066b\u2212naif?`\t"
"""Of which answers are made, most of them unreadable."""
SMOOTH = ("add", "sub", "mul", "neg", "square", "sin", "cos", "tanh", "sigmoid", "relu", "exp")


@st.composite
def asked_graphs(draw) -> tuple[Graph, str]:
    """A graph with rules, and a node that the output depends on."""
    graph = draw(scalar_graphs(regions=False, ops=SMOOTH))
    live = sorted(ancestors(graph, [graph.output]))
    return graph, draw(st.sampled_from(live))


def record(graph: Graph) -> hips.Record:
    inputs = {node.name: np.float64(node.param("value")) for node in graph.nodes if node.op == "input"}
    with np.errstate(all="ignore"):
        return hips.record(graph, inputs, np.float64(1.0))


def stopless(graph: Graph) -> Graph:
    """The graph of which the function is taken without its stops."""
    nodes = (replace(node, rule=Rule()) if node.rule.kind == STOP else node for node in graph.nodes)
    return replace(graph, nodes=tuple(nodes))


def ruleless(graph: Graph, name: str) -> Graph:
    node = graph[name]
    plain = replace(node, rule=Rule(), slots=node.slots[:-1] if node.rule.kind == BACKWARD_AS else node.slots)
    return replace(graph, nodes=tuple(plain if each.name == name else each for each in graph.nodes))


def made(graph: Graph, name: str, exact: hips.Record) -> Iterator[tuple[str, float]]:
    """Numbers, each made by a mistake."""
    live = ancestors(graph, [graph.output])
    wires = [wire for wire in consumers(graph)[name] if wire[0] in live]
    parts = [float(exact.passed[wire]) for wire in wires]
    bringing = [part for part in parts if part]
    yield "sign-turned", -float(exact.cotangent[name])
    yield "value", float(exact.value[name])
    yield "value", float(exact.value[graph.output])
    yield "stop-ignored", float(record(stopless(graph)).cotangent[name])
    if len(bringing) > 1:
        yield from (("one-path", part) for part in bringing)
        yield "product-of-paths", prod(bringing)
        yield "mean-for-sum", float(exact.cotangent[name]) / len(bringing)
    for wire, part in zip(wires, parts, strict=True):
        came = float(exact.cotangent[wire[0]])
        if wire[0] != graph.output and came and part:
            # A slope of 1, or an arriving 1, leaves the other factor: what the wire brings.
            if all(apart(came, each) for each in parts):
                yield "arriving-alone", came
            if all(apart(part / came, each) for each in parts) and graph[wire[0]].rule.kind == FOLLOW:
                yield "slope-alone", part / came
        rule = graph[wire[0]].rule
        if rule.kind not in (FOLLOW, STOP):
            yield "rule-ignored", float(record(ruleless(graph, wire[0])).cotangent[name])


def plain(number: float) -> bool:
    """Whether a number is one that somebody would type, with four digits."""
    return isfinite(number) and (number == 0 or 1e-3 < abs(number) < 1e3)


def apart(one: float, other: float) -> bool:
    """Whether two numbers are told apart by what is accepted, or nearly."""
    return abs(one - other) > 0.05 * max(abs(one), abs(other))


EXAMPLES = 150


@pytest.mark.longer
def test_a_number_made_by_a_mistake_is_told_as_that_mistake():
    """Numbers may coincide: then another mistake gives the same, and most are named all the same."""
    named: Counter = Counter()

    @settings(max_examples=EXAMPLES if THOROUGH else fewer(EXAMPLES))
    @given(asked_graphs())
    def all_are_told(case):
        graph, name = case
        exact, found = record(graph), av.trace(graph)
        right = float(exact.cotangent[name])
        assume(plain(right))
        question = Question(NUMBER, Quantity(COTANGENT, name))
        assert av.judge(found, question, f"{right:.4g}").right
        table = feedback_table(found, question)
        for code, number in made(graph, name, exact):
            if not plain(number) or not apart(number, right):
                continue
            text = f"{number:.4g}"
            told = av.judge(found, question, text)
            answer = read_answer(table["form"], text)
            codes = [each["code"] for each in table["mistakes"] if fits(answer, each)]
            if code == "stop-ignored" and "rule-ignored" in codes:
                continue  # the stop does nothing behind the rule
            assert code in codes, (code, number, codes)
            assert (told.right, told.near) == (False, False)
            assert told.mistake in codes
            assert told.says
            named[code in (told.mistake, told.also)] += 1

    all_are_told()
    assert named[True] > 0.8 * named.total() > 0


@settings(max_examples=40)
@given(asked_graphs())
def test_what_a_wire_brings_is_accepted(case):
    graph, _ = case
    exact, found = record(graph), av.trace(graph)
    for (name, slot), passed in exact.passed.items():
        if plain(float(passed)):
            question = Question(NUMBER, Quantity(PASSED, name, slot))
            assert av.judge(found, question, f"{float(passed):.4g}").right


@pytest.mark.nightly
def test_the_browser_judges_as_python_does(tmp_path):
    """With tables of real traces, and answers that are right, wrong, unknown and unread."""
    runner = web.node()
    if runner is None and not os.environ.get("CI"):
        pytest.skip("no node")
    asked, draws = [], np.random.default_rng(seeded(0))
    for formula, about, *_ in NUMBERS:
        table = feedback_table(traced(formula), Question(NUMBER, about))
        guesses = [each["guess"] for each in table["mistakes"]]
        scrawls = ["".join(draws.choice([*SIGNS], draws.integers(1, 9))) for _ in range(20)]
        typed = [table["answer"]["text"], "?", "1/3", "7.77", "0,5", "1,234", "six", *guesses, *scrawls]
        asked += [{"table": table, "text": text} for text in typed]
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(asked, allow_nan=False), "utf-8")
    run = subprocess.run([runner, str(JUDGE), str(path)], capture_output=True, text=True, check=True)
    answered = json.loads(run.stdout)
    assert len(answered) == len(asked) > 300
    different = [pair for pair in zip(asked, answered, strict=True) if by_python(**pair[0]) != pair[1]]
    assert different == []


def by_python(table: dict, text: str) -> dict:
    try:
        told = judged(table, text)
    except av.GraphError as error:
        return {"message": error.problems[0].message, "hint": error.problems[0].hint}
    wire = None if told.wire is None else [*told.wire]
    names = ("right", "near", "accepted", "mistake", "says", "reason", "also", "unknown")
    return {**{name: getattr(told, name) for name in names}, "readAs": told.read_as, "wire": wire}
