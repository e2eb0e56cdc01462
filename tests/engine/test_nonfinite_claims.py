"""Test that what a note on NaN and infinities claims is true of the trace."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest

from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.nonfinite import (
    ARRIVES_FINITE,
    BEGINS,
    LOST,
    PARTS_FINITE,
    READS_FINITE,
    origin_statements,
)
from autodiff_viz.engine.sentence import Claim, Statement
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.troubled_programs import troubled_text
from tests.explain.claims import unclaimed

DTYPES = "float64", "float32", "float16", "bfloat16"


def is_finite(*arrays: np.ndarray) -> bool:
    return all(np.isfinite(array).all() for array in arrays)


def read_by(found: Trace, name: str) -> list[np.ndarray]:
    """The values that a node reads."""
    return [found.value[producer] for _, producer in found.graph[name].wires]


def parts_of(found: Trace, name: str) -> list[np.ndarray]:
    """The contributions that arrive at a node."""
    wires = [(node.name, slot) for node in found.graph.nodes for slot, held in node.wires if held == name]
    return [found.passed[wire] for wire in wires]


def begun(found: Trace, place: object) -> np.ndarray:
    """The array that is not finite at a place, whose own operands are finite."""
    if isinstance(place, str):
        assert is_finite(*read_by(found, place))
        return found.value[place]
    name, slot = place
    if slot == ARRIVING:
        assert is_finite(*parts_of(found, name))
        return found.cotangent[name]
    assert is_finite(found.cotangent[name])
    return found.gradient[name] if slot is None else found.passed[place]


def kind(*arrays: np.ndarray) -> str:
    if any(np.isnan(array).any() for array in arrays):
        return "not a number"
    return "finite" if is_finite(*arrays) else "infinite"


def check_origin(claim: Claim, found: Trace) -> None:
    """Check one claim on where numbers stop being finite."""
    [place] = claim.names
    if claim.kind == BEGINS:
        [number] = claim.numbers
        assert kind(begun(found, place)) == ("not a number" if np.isnan(number) else "infinite")
    elif claim.kind == LOST:
        node, (number, becomes) = found.graph[place], claim.numbers
        own = [node.param("value")] if node.op == INPUT else [s for s in node.slots if not isinstance(s, str)]
        assert any((np.asarray(each, float) == number).any() for each in own)
        with np.errstate(over="ignore"):
            assert np.float64(number).astype(found.value[place].dtype) == becomes
        assert np.isinf(becomes)
    elif claim.kind == READS_FINITE:
        constants = [s for s in found.graph[place].slots if s is not None and not isinstance(s, str)]
        assert is_finite(*read_by(found, place))
        with np.errstate(over="ignore"):
            assert is_finite(
                *(np.asarray(each, float).astype(found.value[place].dtype) for each in constants)
            )
    elif claim.kind == ARRIVES_FINITE:
        assert is_finite(found.cotangent[place])
    else:
        assert claim.kind == PARTS_FINITE
        assert is_finite(*parts_of(found, place))


def passes(found: Trace, name: str, said: Statement) -> list[np.ndarray]:
    """What of that which a node passes back is claimed to begin there."""
    places = [claim.names[0] for claim in said.claims if claim.kind == BEGINS]
    return [begun(found, place) for place in places if not isinstance(place, str) and place[1] != ARRIVING]


KIND = "(not a number|infinite)"


def check_notes(found: Trace) -> int:
    """Check the sentences on all nodes and return how many there are."""
    statements = origin_statements(found.nonfinite_origins)
    for name, said in statements.items():
        assert not unclaimed(said.text.partition(": ")[2], said.claims), said
        for claim in said.claims:
            check_origin(claim, found)
        value, back = found.value[name], passes(found, name, said)
        for words in re.findall(f"value of '{name}' is {KIND}", said.text):
            assert words == kind(value)
        for words in re.findall(f"passes back is {KIND}", said.text):
            assert words == kind(*back)
        for words in re.findall(f"passes back are {KIND}", said.text):
            assert words == kind(value) == kind(*back)
        for words in re.findall(f"its sum is {KIND}", said.text):
            assert words == kind(found.cotangent[name])
        head = {"NaN": "not a number", "Infinity": "infinite"}[said.text.partition(":")[0]]
        assert re.search(KIND, said.text)[0] == head
    return len(statements)


def troubled_traces(seed: int, dtypes=DTYPES) -> Iterator[Trace]:
    """Traces in each dtype of two random programs: the first that runs, and the first so with `grad`."""
    for grads in (False, True):
        for drawn in itertools.count(seed, 10_000):
            text = troubled_text(drawn, grads=grads)
            try:
                found = [trace(parse(text), dtype=dtype) for dtype in dtypes]
            except GraphError:
                continue
            yield from found
            break


SUMMED = """x = 1.0
a = log(-x)
b = rewrite(a * 1.0, lambda v: 1e30 * 3e8)
c = rewrite(a * 1.0, lambda v: 1e30 * 3e8)
y = where(x, 1.0, b + c)"""
BOTH = "x = 0.0\nw = 0.0\ny = 1.0 * (x / w)"
BY_HAND = {
    # two contributions of 3e38 are infinite in float32, whatever the value is
    SUMMED: "NaN: the value of 'a' is not a number, though all that it reads is finite. What arrives at 'a' "
    "is finite, but its sum is infinite.",
    # of 0 / 0 the slopes are 1 / 0 and -0 / 0^2
    BOTH: "NaN: the value of 'div_1' and what it passes back are not a number, though all that comes in is "
    "finite.",
}


@pytest.mark.parametrize("text", BY_HAND)
def test_two_kinds_at_one_node_are_both_named(text):
    found = trace(parse(text))
    assert BY_HAND[text] in found.notes
    assert check_notes(found)


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(0, 600, 20))
def test_every_note_on_a_random_graph_is_true(start):
    """Of twenty draws some have trouble."""
    traces = [found for seed in range(start, start + 20) for found in troubled_traces(seed)]
    assert traces
    for found in traces:
        assert bool(check_notes(found)) == any(not origin.carried for origin in found.nonfinite_origins)
