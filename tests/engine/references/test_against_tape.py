"""Test the engine's numbers against a plain-Python reverse mode, on random graphs with every rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.model import Graph, Rule
from autodiff_viz.graph.rule_kinds import STOP
from tests.engine.references import tape
from tests.engine.references.scalar_graphs import NUMBERS, scalar_graphs, without_rules
from tests.strategies import with_groups

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}
JITTER = 1e-6

FIELDS = ("value", "cotangent", "passed", "gradient")


def allowed(graph: Graph, seed: float, dtype: str) -> tape.Tape:
    """How far rounding in `dtype` may move each number: some eight times what jitter of that size does."""
    exact = tape.record(graph, seed=seed)
    shaken = [tape.record(graph, seed=seed, jitter=JITTER * (1 + k / 8)) for k in range(4)]
    bounds = tape.Tape()
    for name in FIELDS:
        for key, number in getattr(exact, name).items():
            spread = max(abs(getattr(other, name)[key] - number) for other in shaken)
            getattr(bounds, name)[key] = EPSILON[dtype] * (8 * spread / JITTER + 8 * abs(number) + 1e-6)
    return bounds


def assert_matches(found: Trace, graph: Graph, seed: float) -> None:
    exact, bounds = tape.record(graph, seed=seed), allowed(graph, seed, found.dtype)
    for name in FIELDS:
        numbers, expected, bound = getattr(found, name), getattr(exact, name), getattr(bounds, name)
        assert numbers.keys() == expected.keys()
        for key, number in numbers.items():
            assert abs(float(number) - expected[key]) <= bound[key], (name, key, float(number), expected[key])


@settings(max_examples=100)
@given(graph=scalar_graphs(), seed=NUMBERS)
def test_float64_numbers_are_the_tapes(graph, seed):
    assert_matches(trace(graph, seed=seed, dtype="float64"), graph, seed)


@settings(max_examples=80)
@given(graph=scalar_graphs(), seed=NUMBERS)
def test_float32_numbers_are_the_tapes_but_for_rounding(graph, seed):
    assert_matches(trace(graph, seed=seed), graph, seed)


@settings(max_examples=35)
@given(graph=scalar_graphs(), seed=NUMBERS, dtype=st.sampled_from(["float32", "float64"]))
def test_one_vjp_of_the_whole_program_agrees(graph, seed, dtype):
    verdict = verify(trace(graph, seed=seed, dtype=dtype))
    assert verdict.agrees, verdict


@settings(max_examples=60)
@given(graph=scalar_graphs(rules=False, regions=False))
def test_gradients_without_rules_are_central_differences(graph):
    found = trace(graph, dtype="float64")
    for name, gradient in found.gradient.items():
        wide, narrow = (slope(graph, name, step) for step in (2e-4, 1e-4))
        truth = (4 * narrow - wide) / 3  # Richardson: the error of order step^2 cancels
        assert abs(float(gradient) - truth) <= abs(wide - narrow) + 1e-7 * max(1.0, abs(truth))


def slope(graph: Graph, name: str, step: float) -> float:
    """d(output)/d(input) from two forward runs of the tape."""
    at = graph[name].param("value")
    high, low = (tape.record(graph, {name: x}).value[graph.output] for x in (at + step, at - step))
    return (high - low) / (2 * step)


@settings(max_examples=40)
@given(graph=scalar_graphs(regions=False), data=st.data())
def test_stopping_a_node_changes_no_value(graph, data):
    chosen = data.draw(st.sampled_from(graph.nodes))
    stopped = replace(chosen, slots=chosen.op_slots, rule=Rule(STOP))
    other = replace(graph, nodes=tuple(stopped if n is chosen else n for n in graph.nodes))
    assert_same(trace(graph).value, trace(other).value)


@settings(max_examples=40)
@given(graph=scalar_graphs(regions=False))
def test_rules_change_no_value(graph):
    assert_same(trace(graph).value, trace(without_rules(graph)).value)


@settings(max_examples=30)
@given(graph=scalar_graphs())
def test_regions_change_no_number(graph):
    with_regions, without = trace(graph), trace(replace(graph, regions=()))
    for name in FIELDS:
        assert_same(getattr(with_regions, name), getattr(without, name))


@settings(max_examples=20)
@given(graph=scalar_graphs(), data=st.data())
def test_groups_change_nothing_at_all(graph, data):
    grouped, bare = trace(data.draw(with_groups(graph))), trace(graph)
    for name in FIELDS:
        assert_same(getattr(grouped, name), getattr(bare, name))
    assert grouped.graph == bare.graph  # what runs and residuals are worked out from


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for key in expected:
        np.testing.assert_array_equal(found[key], expected[key])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@settings(max_examples=20)
@given(graph=scalar_graphs())
def test_numbers_have_the_dtype_asked_for_and_are_read_only(dtype, graph):
    found = trace(graph, dtype=dtype)
    arrays = [array for name in FIELDS for array in getattr(found, name).values()]
    assert {array.dtype for array in arrays} == {np.dtype(dtype)}
    assert not any(array.flags.writeable for array in arrays)
