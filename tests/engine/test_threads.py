"""Test that visitors share one process, and that what one requests never shows in another's answer."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from autodiff_viz.engine.finite_differences import check_inputs
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.language.parse import parse

FORMULA = """
x = 0.1
y = [0.2, 0.3]
with checkpoint("r"):
    h = tanh(x * y) / 3.0
z = sum(exp(h) * rewrite(h, lambda v: 0.7 * v))
"""


def visit(dtype: str, times: int = 25) -> list[tuple]:
    graph, seen = parse(FORMULA), []
    for i in range(times):
        found = trace(graph, {"x": 0.1 * (i % 5)}, dtype=dtype)
        seen.append((found.value["z"], found.gradient["x"], found.cotangent["h"], found.runs["h"]))
        if i % 5 == 0:
            assert verify(found).agrees
            check_inputs(found)  # works in float64 inside a float32 visit
    return seen


@pytest.mark.nightly
def test_float32_and_float64_at_once_do_not_disturb_each_other():
    alone = {dtype: visit(dtype) for dtype in ("float32", "float64")}
    with ThreadPoolExecutor(4) as pool:
        together = [(d, pool.submit(visit, d)) for d in ("float32", "float64") * 2]
        for dtype, future in together:
            for found, expected in zip(future.result(timeout=120), alone[dtype], strict=True):
                assert found[3] == expected[3]
                for a, b in zip(found[:3], expected[:3], strict=True):
                    assert a.dtype == np.dtype(dtype)
                    np.testing.assert_array_equal(a, b)


@pytest.mark.nightly
def test_the_first_use_of_an_op_by_many_at_once():
    graph = parse("x = [0.3, 0.4, 0.5, 0.6, 0.7]\ny = sum(log1p(x) * expm1(x) / softplus(x))")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: float(trace(graph).gradient["x"][0]), range(16)))
    assert len(set(found)) == 1
