"""Test that explanations answer in every dtype, and that float64 is float64 wherever JAX traces a program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import autodiff_viz as av
from tests.engine.references.random_grads import random_text
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.engine.references.troubled_programs import troubled_text
from tests.seeds import seeded

DTYPES = ("float64", "float32", "float16", "bfloat16")


def answers(found: av.Trace) -> Iterator[tuple[str, str, Any]]:
    """What every explanation says of a trace: its name, the node that it is asked of, and the answer.

    One that refuses in words has none.
    """
    ones = dict.fromkeys(found.inputs, 1.0)
    asked = [
        ("nonfinite_origin", lambda: av.nonfinite_origin(found)),
        ("lints", lambda: av.lints(found)),
        ("memory", lambda: av.memory(found)),
        ("plans", lambda: av.plans(found)),
        ("jacobian", lambda: av.jacobian(found)),
        ("jvp", lambda: av.jvp(found, ones)),
        ("precision", lambda: av.precision(found)),
        ("statistics", lambda: av.statistics(found.graph, 10, dtype=found.dtype)),
    ]
    of_nodes = {"why_zero": av.why_zero, "paths": av.paths, "rule_check": av.rule_check}
    for name, of, ask in (
        *((name, "", ask) for name, ask in asked),
        *((name, of, partial(ask, found, of)) for name, ask in of_nodes.items() for of in found.value),
    ):
        try:
            yield name, of, ask()
        except av.GraphError:
            continue


KINDS = {
    "nonfinite_origin": (av.NonFinite, type(None)),
    "lints": tuple,
    "memory": av.Memory,
    "plans": tuple,
    "jacobian": av.FullJacobian,
    "jvp": av.Tangents,
    "precision": av.Precision,
    "statistics": av.Statistics,
    "why_zero": (av.ZeroReason, type(None)),
    "paths": av.Paths,
    "rule_check": av.RuleCheck,
}


def check(graph: av.Graph) -> None:
    for dtype in DTYPES:
        found = av.trace(graph, dtype=dtype)
        arrays = (*found.value.values(), *found.cotangent.values(), *found.passed.values())
        finite = all(np.isfinite(array).all() for array in (*arrays, *found.gradient.values()))
        for name, of, answer in answers(found):
            assert isinstance(answer, KINDS[name]), (name, of, dtype)
            if name == "nonfinite_origin":
                assert (answer is None) == finite, dtype
            if name == "why_zero":
                assert (answer is None) == (found.cotangent[of] != 0).all(), (of, dtype)
            if name == "memory":
                read = [residual.elements for residual in found.residuals if residual.consumers]
                assert answer.kept == sum(read), dtype
            if name == "jvp":
                assert {each.dtype.name for each in answer.tangent.values()} <= {dtype}
            if name == "jacobian":
                assert answer.rows.shape[0] == found.value[found.output].size, dtype


def texts(seed: int) -> Iterator[av.Graph]:
    """Graphs of many kinds that can be traced."""
    for text in (troubled_text(seed), troubled_text(seed, grads=True), random_text(seeded(seed))):
        try:
            av.trace(graph := av.parse(text))
        except av.GraphError:
            continue
        yield graph


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(60))
def test_every_explanation_answers_in_every_dtype(seed):
    for graph in texts(seed):
        check(graph)


@pytest.mark.nightly
@settings(max_examples=3)
@given(graph=scalar_graphs())
def test_so_does_it_with_every_rule_and_region(graph):
    check(graph)


E100 = np.exp(100.0)  # 2.7e43; float32 ends at 3.4e38
WIDE = """x = 100.0
a = cut(exp(x))
with checkpoint('r'):
    b = a * 2.0
y = scale_gradient(b, 1.0) * normal(mean=1.0, scale=0.0, seed=3)"""


def wide() -> av.Trace:
    return av.trace(av.parse(WIDE), dtype="float64")


IN_FLOAT64 = {
    "trace": lambda: wide().gradient["x"],
    "statistics": lambda: av.statistics(av.parse(WIDE), 10, dtype="float64").mean["x"],
    "sweep": lambda: av.sweep(wide(), "x", [100.0]).cotangent["x"][0],
    "tangents": lambda: av.jvp(
        av.parse(WIDE.replace("scale_gradient(b, 1.0)", "b")), {"x": 1.0}, dtype="float64"
    ).tangent["y"],
    "rows": lambda: av.jacobian(wide()).rows,
    "paths": lambda: av.paths(wide(), "x").paths[0].product,
    "segments": lambda: av.segments(av.parse(WIDE), dtype="float64").gradient["x"],
    "differences": lambda: av.check_inputs(wide())["x"].true,
}


@pytest.mark.parametrize("case", IN_FLOAT64)
def test_a_slope_that_float32_has_no_room_for_is_2_e_100(case):
    np.testing.assert_allclose(IN_FLOAT64[case](), 2 * E100, rtol=1e-6)
