"""Test that what a sentence on a zero claims is true of the trace: each node, wire and number of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.engine.op_derivative import own_contributions
from autodiff_viz.engine.sentence import PASSED, Claim
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.zero.compute import (
    ABOUT,
    AGAIN,
    ARRIVES_IN_FLOAT32,
    ARRIVES_SCALED,
    CONSTANT,
    NARROW,
    OVERFLOWED,
    READ,
    ROUNDED,
    UNREAD,
    ZeroReason,
    why_zero,
)
from autodiff_viz.explain.zero.elements import CANCELLED, DISCONNECTED, FLAT, RULE, SEED, STOPPED, UNDERFLOW
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node, Rule
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.places import AT_PLACES, PLACES
from tests.engine.references.random_grads import random_text
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.explain.claims import unclaimed
from tests.explain.zero.test_elements import ELEMENTS
from tests.explain.zero.test_why_zero import CASES, STOP_AND_RULE, UNDERFLOWS, UNMENDED
from tests.seeds import seeded

DTYPES = "float64", "float32", "float16", "bfloat16"


def passes_zero(found: Trace, node: Node) -> bool:
    """Whether something arrives at a node that passes 0 to some element down a wire."""
    passed = [found.passed[node.name, slot] for slot, _ in node.wires]
    return bool(found.cotangent[node.name].any()) and any((each == 0).any() for each in passed)


def loses(found: Trace, exact: Trace, node: Node) -> bool:
    """Whether a node passes a 0 that is no 0 in float64."""
    wires = [(node.name, slot) for slot, _ in node.wires]
    return any(((found.passed[wire] == 0) & (exact.passed[wire] != 0)).any() for wire in wires)


def loses_here(found: Trace, node: Node) -> bool:
    """Whether a node passes a 0 of something that float64 would pass on."""
    alone = replace(found.graph, output=node.name)
    exact = trace(alone, found.inputs, found.cotangent[node.name].astype(float), dtype="float64")
    return loses(found, exact, node)


def is_flat(found: Trace, node: Node) -> bool:
    """Whether a derivative of an op is 0 at an element that passes 0, of all elements that get something.

    Only those count that read the element, as they do with some other numbers: `stack` has derivatives of 0
    to all that it does not put there, and they are to blame for nothing.
    """
    others = [with_noise(found, node, seed) for seed in range(12)]
    arriving = np.flatnonzero(found.cotangent[node.name])
    for slot, _ in node.wires:
        here, *elsewhere = (slopes(each, node, slot, arriving) for each in (found, *others))
        reads = np.any([each != 0 for each in elsewhere], axis=0)
        reads = reads | ~reads.any()  # a condition or an index has no derivative anywhere
        if np.any((found.passed[node.name, slot].ravel() == 0) & (reads & (here == 0)).any(axis=0)):
            return True
    return False


def is_read(found: Trace, name: str) -> bool:
    """Whether the output becomes NaN with a node."""
    nan = tuple(np.full(found.value[name].shape, np.nan).tolist()) if found.value[name].shape else np.nan
    given = Node(name, INPUT, (), (("value", frozen(nan)),))
    nodes = tuple(given if node.name == name else node for node in found.graph.nodes)
    return bool(
        np.isnan(trace(replace(found.graph, nodes=nodes), dtype=found.dtype).value[found.output]).any()
    )


def with_noise(found: Trace, node: Node, seed: int) -> Trace:
    """The trace with random numbers in place of all that a node reads, but for places."""
    draws = np.random.default_rng(seed)
    value = {n: draws.normal(size=v.shape).astype(v.dtype) for n, v in found.value.items()}
    if node.op in AT_PLACES:
        places = node.slots[PLACES]
        value |= {places: found.value[places]} if isinstance(places, str) else {}
        return replace(found, value=value)
    slots = [
        slot if isinstance(slot, str) else np.array(draws.normal(size=np.shape(slot))).tolist()
        for slot in node.slots
    ]
    noisy = replace(node, slots=tuple(map(frozen, slots)))
    nodes = tuple(noisy if each.name == node.name else each for each in found.graph.nodes)
    return replace(found, value=value, graph=replace(found.graph, nodes=nodes))


def frozen(number: object) -> object:
    """A constant as a graph holds it: tuples in place of lists."""
    return tuple(map(frozen, number)) if isinstance(number, list) else number


def slopes(found: Trace, node: Node, slot: int, elements: np.ndarray) -> np.ndarray:
    """The derivatives of these elements of an op's value by all elements of what it reads; a row each."""
    value = found.value[node.name]
    rows = []
    for element in elements:
        seed = np.zeros(value.size, value.dtype)
        seed[element] = 1.0
        rows.append(own_contributions(found, node.name, seed.reshape(value.shape))[slot].ravel())
    return np.array(rows).reshape(len(elements), -1)


def without_rule(graph: Graph, name: str) -> Graph:
    """The graph in which this node has no rule."""
    plain = (
        replace(node, rule=Rule(), slots=node.op_slots) if node.name == name else node for node in graph.nodes
    )
    return replace(graph, nodes=tuple(plain))


def leads(graph: Graph, name: str) -> bool:
    """Whether a path leads from a node to the output."""
    reached = {graph.output}
    for node in reversed(graph.nodes):  # from the last to the first: readers come first
        reached |= {producer for _, producer in node.wires} if node.name in reached else set()
    return name in reached


def check(claim: Claim, found: Trace, exact: Trace, name: str) -> None:
    """Check one claim."""
    graph = found.graph
    nodes = [graph[each] for each in claim.names if isinstance(each, str)]
    if claim.kind == ABOUT:
        assert claim.names == (name, found.output)
    elif claim.kind == SEED:
        assert (found.seed == 0).any()
    elif claim.kind == DISCONNECTED:
        assert bool(claim.numbers) or not leads(graph, name)
    elif claim.kind == UNREAD:
        assert leads(graph, name)
        assert not is_read(found, name) or "sort" in {node.op for node in graph.nodes}
    elif claim.kind == STOPPED:
        assert {node.rule.kind for node in nodes} == {STOP}
    elif claim.kind == RULE:
        assert {node.rule.kind for node in nodes}.isdisjoint({STOP, FOLLOW})
        assert all(passes_zero(found, node) for node in nodes)
    elif claim.kind == FLAT:
        for node in nodes:
            assert passes_zero(found, node)
            # Also without its rule, which changes no value, and so neither a slope. It alone: without the
            # rules of others nothing may arrive at it.
            plain = trace(without_rule(graph, node.name), found.inputs, found.seed, dtype=found.dtype)
            assert passes_zero(plain, plain.graph[node.name])
            assert is_flat(plain, plain.graph[node.name])
    elif claim.kind in (UNDERFLOW, ROUNDED, OVERFLOWED):
        assert all(loses(found, exact, node) for node in nodes)
    elif claim.kind == NARROW:
        assert all(loses_here(found, node) and not loses(found, exact, node) for node in nodes)
    elif claim.kind == CANCELLED:
        assert all((found.cotangent[n.name] == 0).any() or passes_zero(found, n) for n in nodes)
    elif claim.kind == PASSED:
        [wire], [number] = claim.names, claim.numbers
        assert number.item() == found.passed[wire].item() != 0
    elif claim.kind == ARRIVES_SCALED:
        scaled = trace(graph, found.inputs, found.seed.astype(float) * claim.numbers[0], dtype=found.dtype)
        assert scaled.cotangent[name].any()
    elif claim.kind == ARRIVES_IN_FLOAT32:
        assert trace(graph, found.inputs, found.seed, dtype="float32").cotangent[name].any()
    elif claim.kind == AGAIN:
        assert {node.op for node in nodes} == {GRAD}
    elif claim.kind == READ:
        read = {producer for n in graph.nodes if n.op == GRAD for slot, producer in n.wires if slot}
        assert {*claim.names} <= read
    else:
        assert claim.kind == CONSTANT
        assert nodes[0].op == GRAD
        assert nodes[0].slots[:2] == claim.names[1:]


def check_all(found: Trace, name: str) -> ZeroReason | None:
    """Check the sentence on one node."""
    reason = why_zero(found, name)
    if reason is None:
        assert (found.cotangent[name] != 0).all()
        return None
    assert not unclaimed(reason.sentence, reason.claims, [0.0]), reason
    exact = trace(found.graph, found.inputs, found.seed, dtype="float64")
    for claim in reason.claims:
        check(claim, found, exact, name)
    counts = [claim.numbers[0] for claim in reason.claims if claim.numbers and claim.kind not in NUMBERED]
    assert not counts or sum(counts) == np.count_nonzero(found.cotangent[name] == 0)
    return reason


NUMBERED = PASSED, ARRIVES_SCALED

BY_HAND = [
    *(text for text, _ in CASES.values()),
    *(text for text, *_ in ELEMENTS.values()),
    *(text for text, _ in UNDERFLOWS),
    *UNMENDED,
    STOP_AND_RULE,
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", BY_HAND)
def test_the_sentences_of_graphs_made_by_hand_are_true(text, dtype):
    found = trace(parse(text), dtype=dtype)
    assert len([check_all(found, name) for name in found.value]) == len(found.value)


@settings(max_examples=30, deadline=None)
@given(graph=scalar_graphs(), dtype=st.sampled_from(DTYPES))
def test_every_sentence_on_a_random_graph_is_true(graph, dtype):
    found = trace(graph, dtype=dtype)
    for name in found.value:
        check_all(found, name)


@pytest.mark.nightly
@settings(max_examples=1000, deadline=None)
@given(graph=scalar_graphs(), dtype=st.sampled_from(DTYPES))
def test_so_is_that_of_many(graph, dtype):
    found = trace(graph, dtype=dtype)
    for name in found.value:
        check_all(found, name)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("seed", range(60))
def test_every_sentence_on_a_random_graph_with_gradients_is_true(seed):
    found = trace(parse(random_text(seeded(seed))))
    assert len([check_all(found, name) for name in found.value]) == len(found.value)


STEPS = (
    "relu({})", "stop_gradient({})", "{} * [1.0, 0.0, 2.0]", "{} - mean({})", "softmax({})", "square({})",
    "round({})", "rewrite({}, lambda v: 0.0 * v)", "[[1.0, 0.0, 0.0], [2.0, 0.0, 1.0], [0.0, 0.0, 0.0]] @ {}",
    "{} + {}[1]", "{}.at[0].set(2.0)", "sort({})", "clip({}, -0.5, 1.5)", "maximum({}, 0.0)", "tanh({})",
    "layer_norm({}, [1.0, 0.0, 1.0], [0.0, 0.0, 0.0])", "{} * 1e-5", "{} * 1e5", "stack([{}[0], {}[2], 1.0])",
    "concatenate([{}[1:], {}[:1]])", "cumsum({})", "take({}, [0.0, 0.0, 2.0])",
)  # fmt: skip
ENDS = (
    "sum({})",
    "{}[1] * 3.0",
    "dot({}, [0.0, 0.0, 2.0])",
    "mean_squared_error({}, {})",
    "max({})",
    "max(stack([{}[0], {}[1]]))",
)


@st.composite
def tensor_graphs(draw: DrawFn) -> Graph:
    """A graph of vectors of three elements in which few elements of few nodes get something."""
    names, lines = ["x"], [f"x = {[draw(st.sampled_from([-1.0, 0.0, 1.0, 2.0])) for _ in range(3)]}"]
    for i in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from(STEPS))
        names.append(f"n{i}")
        lines.append(f"n{i} = {text.format(*(draw(st.sampled_from(names[:-1][-2:])),) * 2)}")
    ends = (draw(st.sampled_from(names)), names[-1])
    return parse("\n".join([*lines, f"y = {draw(st.sampled_from(ENDS)).format(*ends)}", "return y"]))


def check_elements(graph: Graph, dtype: str) -> None:
    """Check every sentence, and which elements have no path: the output does not become NaN with them.

    Of a sort it may become another element.
    """
    found = trace(graph, dtype=dtype)
    for name in found.value:
        check_all(found, name)
    reason = why_zero(found, "x")
    if "sort" in {node.op for node in graph.nodes}:
        return
    without = sum(part.count for part in reason.elements if part.kind == DISCONNECTED) if reason else 0
    value = found.value["x"]
    moved = [np.where(np.arange(3) == i, np.nan, value) for i in range(3)]
    reached = [bool(np.isnan(trace(graph, {"x": each}, dtype=dtype).value["y"]).any()) for each in moved]
    assert reason is None or not reason.elements or without == reached.count(False)


@settings(max_examples=30, deadline=None)
@given(graph=tensor_graphs(), dtype=st.sampled_from(DTYPES))
def test_every_sentence_on_elements_is_true(graph, dtype):
    check_elements(graph, dtype)


@pytest.mark.nightly
@settings(max_examples=1000, deadline=None)
@given(graph=tensor_graphs(), dtype=st.sampled_from(DTYPES))
def test_so_is_that_on_elements_of_many(graph, dtype):
    check_elements(graph, dtype)


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("what 'a' passes is 0.25", []),
        ("what 'b' passes is 0.25", ["b"]),
        ("what 'a' passes is \u22120.25", ["\u22120.25"]),
        ("what 'a' passes is 0.26, to 2 others", ["0.26"]),
        ("what 'a' passes is \u221e", ["\u221e"]),
    ],
)
def test_a_text_that_names_more_than_its_claims_is_found_out(text, strange):
    assert unclaimed(text, [Claim(PASSED, (("a", 0),), (np.array(0.25),))]) == strange
