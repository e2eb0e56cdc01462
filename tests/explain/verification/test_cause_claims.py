"""Test that what is said to make a gradient differ from its slope does so, in every dtype."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.finite_differences import Difference, check_inputs
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.explain.verification.compute import (
    CORNER,
    NOT_FINITE,
    ROUNDING,
    RULE,
    UNKNOWN,
    Cause,
    input_causes,
)
from autodiff_viz.graph.model import GRAD, INPUT, Rule
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.test_nonfinite_claims import is_finite, troubled_traces

STEP = 1e-6


def changes(found: Trace, name: str) -> bool:
    """Whether, without its rule, a node or a node of `grad` passes something else, or whether the node has an
    alternative that gets something."""
    node = found.graph[name]
    if node.op == INPUT:
        return not np.array_equal(found.gradient[name], found.cotangent[name], equal_nan=True)
    bare = replace(node, slots=node.op_slots, rule=Rule())
    nodes = tuple(bare if each.name == name else each for each in found.graph.nodes)
    own = trace(replace(found.graph, nodes=nodes), found.inputs, found.seed, dtype=found.dtype).passed
    again = [wire for wire in found.passed if found.graph[wire[0]].op == GRAD]
    return any(
        found.passed[wire].any()
        if wire not in own
        else not np.array_equal(found.passed[wire], own[wire], equal_nan=True)
        for wire in [*((name, slot) for slot, _ in node.wires), *again]
    )


def beside(found: Trace, name: str) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Values of a node's op a step below an element of what it reads, there, and a step above, in float64."""
    node = found.graph[name]
    slots = node.op_slots
    arrays = [np.asarray(found.value[s] if isinstance(s, str) else s, np.float64) for s in slots]
    with precision("float64"):
        for i, array in enumerate(arrays):
            for at in np.ndindex(array.shape) if isinstance(slots[i], str) else ():
                moved = [array.copy() for _ in range(3)]
                for step, each in zip((-1, 0, 1), moved, strict=True):
                    if np.isfinite(array[at]):  # there is no step from infinity
                        each[at] += step * STEP * max(1.0, abs(array[at]))
                given = ([*arrays[:i], each, *arrays[i + 1 :]] for each in moved)
                yield tuple(
                    np.asarray(OPS[node.op].apply(*map(jnp.asarray, each), **dict(node.params)))
                    for each in given
                )


def is_corner(found: Trace, name: str) -> bool:
    """Whether the slopes on the two sides of some element differ by a hundredth, or the value jumps there."""
    with np.errstate(invalid="ignore"):
        for low, middle, high in beside(found, name):
            below, above = middle - low, high - middle
            sides = np.abs(below), np.abs(above)
            # Within a step of 1e-6 a value changes by a thousandth only where it jumps, as sign does at 0.
            if (np.abs(below - above) > 0.01 * np.maximum(*sides)).any() or (
                np.minimum(*sides) > 1e-3 * np.maximum(1.0, np.abs(middle))
            ).any():
                return True
    return False


def is_broken(found: Trace, name: str) -> bool:
    """Whether a number of the node is not finite, or is not a little beside."""
    wires = [(name, slot) for slot, _ in found.graph[name].wires]
    if not is_finite(found.value[name], *(found.passed[wire] for wire in wires)):
        return True
    return found.graph[name].op == GRAD or any(not is_finite(*values) for values in beside(found, name))


def slopes(found: Trace, name: str) -> np.ndarray:
    """Central differences of <seed, output> in float64, written out."""
    point, true = found.inputs[name].astype(float), []
    for at in np.ndindex(point.shape):
        ends = []
        for step in (1, -1):
            moved = point.copy()
            moved[at] += step * STEP * max(1.0, abs(point[at]))
            there = trace(found.graph, {**found.inputs, name: moved}, found.seed, dtype="float64")
            ends.append(float((there.value[found.output] * found.seed.astype(float)).sum()))
        true.append((ends[0] - ends[1]) / (2 * STEP * max(1.0, abs(point[at]))))
    return np.array(true).reshape(point.shape)


def check(cause: Cause, found: Trace, name: str, difference: Difference) -> None:
    """Check what one cause claims."""
    reached = {node.name for node in found.graph.nodes if name in ancestors(found.graph, [node.name])}
    assert {*cause.nodes} <= reached & {*ancestors(found.graph, [found.output])}
    if cause.kind == RULE:
        assert cause.nodes
        assert all(
            found.graph[node].rule.kind != FOLLOW or found.graph[node].op == GRAD for node in cause.nodes
        )
        assert all(changes(found, node) for node in cause.nodes if found.graph[node].rule.kind != FOLLOW)
    elif cause.kind == CORNER:
        assert cause.nodes
        assert all(found.graph[node].op == GRAD or is_corner(found, node) for node in cause.nodes)
    elif cause.kind == NOT_FINITE:
        assert not is_finite(difference.declared, difference.true) or cause.nodes
        assert all(is_broken(found, node) for node in cause.nodes)
    elif cause.kind == ROUNDING:
        wide, true = trace(found.graph, found.inputs, found.seed, dtype="float64"), slopes(found, name)
        np.testing.assert_allclose(wide.gradient[name], true, atol=2e-3 * max(1e-6, np.abs(true).max()))
    else:
        assert cause.kind == UNKNOWN
        between = reached & {*ancestors(found.graph, [found.output])}
        assert not any(found.graph[node].rule.kind != FOLLOW and changes(found, node) for node in between)


def check_causes(found: Trace) -> int:
    """Check all causes of a trace and return how many there are."""
    differences = check_inputs(found)
    causes = input_causes(found, differences)
    for name, named in causes.items():
        for cause in named:
            check(cause, found, name, differences[name])
    return sum(map(len, causes.values()))


@pytest.mark.sampled(30)
@pytest.mark.parametrize("seed", range(60))
def test_every_cause_on_a_random_graph_acts(seed):
    for found in troubled_traces(seed):
        assert check_causes(found) >= sum(not each.agrees for each in check_inputs(found).values())


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(60, 600, 20))
def test_so_it_does_on_many(start):
    told = [check_causes(found) for seed in range(start, start + 20) for found in troubled_traces(seed)]
    assert any(told)


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("x = 0.5\ny = rewrite(x * 3.0, lambda v: v)", Cause(RULE, ("y",))),
        ("x = 0.5\ny = sin(x)", Cause(CORNER, ("y",))),
        ("x = 0.5\ny = sin(x)", Cause(NOT_FINITE, ("y",))),
        ("x = 0.5\ny = stop_gradient(sin(x))", Cause(ROUNDING)),
        ("x = 0.5\ny = stop_gradient(sin(x))", Cause(UNKNOWN)),
    ],
)
def test_a_cause_that_does_not_act_is_detected(text, false):
    found = trace(parse(text))
    with pytest.raises(AssertionError):
        check(false, found, "x", check_inputs(found)["x"])
