"""Test that memoised results have keys of exactly their inputs.

In this process, which has just seen the other state of each pair, every number equals that of a process that
has not.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.history import begin, commit
from autodiff_viz.graph.identity import EVERYTHING, identity, same
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.lab.evaluate import lab_view, sweep_tables
from autodiff_viz.lab.parts import changed, shows
from autodiff_viz.lab.state import Lab
from autodiff_viz.language.documents import from_json
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.nearly_equal import PAIRS, State, _safe

ROOT = Path(__file__).parents[2]
FIRST, SECOND = 0, 1


@pytest.fixture(scope="module")
def alone(request: pytest.FixtureRequest) -> tuple[dict[int, dict], dict[int, dict]]:
    """The outcomes of the first states, and of the second ones, each from a process of its own; of the pairs
    that are tried."""
    tried = (item.callspec.params.get("i") for item in request.session.items if item.module is request.module
             and hasattr(item, "callspec"))  # fmt: skip
    pairs = [str(i) for i in tried if i is not None]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.nearly_equal", str(which), *pairs], cwd=ROOT, stdout=-1
        )
        for which in (FIRST, SECOND)
    ]
    found = [json.loads(process.communicate()[0]) for process in running]
    assert [process.returncode for process in running] == [0, 0]
    return tuple({int(i): outcome for i, outcome in each.items()} for each in found)


@pytest.mark.nightly
@pytest.mark.sampled(40)
@pytest.mark.parametrize("i", range(len(PAIRS)), ids=lambda i: PAIRS[i][1].text.splitlines()[-1][:30])
def test_a_state_that_is_nearly_the_same_leaves_nothing_behind(i, alone):
    one, other = (each[i] for each in alone)
    assert one != other  # in something that the lab shows
    for which in (FIRST, SECOND, FIRST):
        assert _safe(PAIRS[i][which]) == alone[which][i]


DRAWN = [(one, other) for one, other in PAIRS if one.graph != other.graph or not same(one.seed, other.seed)]


@pytest.mark.parametrize("pair", DRAWN, ids=lambda pair: pair[1].text.splitlines()[-1][:30])
def test_the_page_draws_again_what_differs(pair):
    one, other = map(_lab, pair)
    shown = {name: shows(name, one, lab_view(one), {}) for name in ("figure", "settings")}
    assert changed(shown, other, lab_view(other), {}) & shown.keys()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[1].text.splitlines()[-1][:30])
def test_tables_of_one_key_have_the_same_numbers(pair):
    first, second = (lab_view(_lab(state)) for state in pair)
    shared = {name: key for name, key in first.sweeps.items() if second.sweeps.get(name) == key}
    assert sweep_tables(first, shared) == sweep_tables(second, shared)


def _lab(state: State) -> Lab:
    return Lab(begin(state.graph), seed=state.seed, dtype=state.dtype, ranges=state.ranges)


@pytest.mark.nightly
@settings(max_examples=8)  # each compiles its ops anew
@given(scalar_graphs(), st.data())
def test_a_random_graph_leaves_nothing_behind_for_one_nearly_the_same(graph, data):
    nearly = replace(graph, nodes=tuple(_nearly(node, data.draw) for node in graph.nodes))
    _numbers(graph)
    warm = _numbers(nearly)
    for each in EVERYTHING:
        each.forget()
    assert warm == _numbers(nearly)


def _nearly(node: Node, draw: Callable[..., Any]) -> Node:
    """The node, perhaps with numbers that Python takes for its own."""
    slots = tuple(
        slot if slot is None or isinstance(slot, str) else draw(_twins(slot)) for slot in node.slots
    )
    values = {key: draw(_twins(value)) if key == "value" else value for key, value in node.params}
    return replace(node, slots=slots, params=params(**values))


def _twins(number: Any) -> st.SearchStrategy[Any]:
    if isinstance(number, tuple):
        return st.tuples(*map(_twins, number))
    whole = [int(number)] if number == int(number) else []
    return st.sampled_from(
        [number, float(number), *whole, *([0.0, -0.0] if number == 0 else ()), -2 if number == -1 else number]
    )


def _numbers(graph: Graph) -> list[Any]:
    found = trace(graph)
    arrays = [found.value, found.cotangent, found.passed, found.gradient]
    told = [{key: identity(array) for key, array in each.items()} for each in arrays]
    return [told, verify(found).agrees, repr(lab_view(Lab(begin(graph))).drawing)]


def test_another_sign_of_zero_is_a_step_of_undo():
    before, after = parse("a = 1.0\ny = a / 0.0"), parse("a = 1.0\ny = a / -0.0")
    history = commit(begin(before), after, "Turn the zero")
    assert history.can_undo
    assert "-0.0" in to_json(history.graph)


def test_a_division_by_minus_zero_is_minus_infinity_whoever_divided_by_zero_before():
    for text, wanted in (("-0.0", float("-inf")), ("0.0", float("inf")), ("-0.0", float("-inf"))):
        assert trace(parse(f"a = 1.0\ny = a / {text}")).value["y"] == wanted


@pytest.mark.parametrize(
    "values",
    [
        (0.0, -0.0, 0, False, None, "0.0", "0"),
        (1, 1.0, True, "1", (1,), (1.0,), ((1,),), [1]),
        (-1, -2, -1.0, -2.0),
        ((0.0,) * 9, (-0.0, *(0.0,) * 8), (0.0,) * 8 + (0,), ((0.0,) * 9,)),
        (("a", "b"), ("ab",), ("a", ("b",)), "('a', 'b')", b"('a', 'b')"),
        ({"a": 1}, {"a": 1.0}, (("a", 1),), frozenset({"a", 1})),
        (float("nan"), float("inf"), -float("inf"), 1e308 * 10 - 1),
    ],
)
def test_values_that_differ_in_type_or_in_a_bit_have_identities_of_their_own(values):
    told = {identity(value) for value in values}
    assert len(told) == len({repr(value) for value in values})
    assert all(same(value, value) for value in values)
    assert not any(same(a, b) for i, a in enumerate(values) for b in values[i + 1 :] if repr(a) != repr(b))


@pytest.mark.parametrize("size", [2, 1_000])
def test_arrays_that_differ_in_a_bit_a_type_or_a_shape_have_identities_of_their_own(size):
    zeros = np.zeros(size, np.float32)
    last = zeros.copy()
    last[-1] = -0.0
    others = [
        zeros,
        last,
        zeros.astype(np.int32),
        zeros.reshape(1, size),
        zeros.astype(np.float64),
        zeros[:-1],
    ]
    assert len({identity(array) for array in others}) == len(others)
    assert identity(zeros.copy()) == identity(zeros)
    assert [same(zeros, other) for other in others] == [True, *[False] * 5]


def test_what_has_no_identity_is_refused():
    with pytest.raises(TypeError, match="no identity"):
        identity((1.0, object()))


def test_a_document_is_read_on_its_own_merits():
    graph = parse("x = [1.0, 2.0]\ny = sum(x, axis=0)")
    assert trace(from_json(to_json(graph))).value["y"] == 3.0
