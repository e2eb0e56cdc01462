"""The comparison with the whole program finds a wrong number, however small all numbers are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.language.parse import parse

GRAPH = parse("x = 0.7\ny = 1.3\na = sin(x) * y\nz = a + exp(a)")


def with_wrong(found: Trace, kind: str, key, factor: float) -> Trace:
    """The trace with one number multiplied by `factor`."""
    numbers = dict(getattr(found, kind).items())
    return replace(found, **{kind: {**numbers, key: np.asarray(numbers[key] * factor)}})


@pytest.mark.parametrize("seed", [1.0, 1e-8, 1e-20, 1e8])
@pytest.mark.parametrize(
    ("kind", "key"),
    [("cotangent", "a"), ("cotangent", "x"), ("passed", ("a", 1)), ("gradient", "y")],
)
def test_a_wrong_cotangent_is_found_whatever_the_seed(seed, kind, key):
    found = trace(GRAPH, seed=seed)
    assert verify(found).agrees
    assert not verify(with_wrong(found, kind, key, 1.001)).agrees


@pytest.mark.parametrize("scale", [1.0, 1e-10])
def test_a_wrong_value_is_found_however_small(scale):
    found = trace(parse(f"x = {scale}\ny = x * 0.3\nz = y + x"))
    assert verify(found).agrees
    assert not verify(with_wrong(found, "value", "y", 1.001)).agrees


def test_what_differs_most_is_named():
    wrong = with_wrong(trace(GRAPH), "cotangent", "a", 2.0)
    assert verify(wrong).where == "what arrives at 'a'"


def test_numbers_that_cancel_agree():
    assert verify(trace(parse("x = 0.1\ny = (x + 1.0) - 1.0\nz = (y - x) * 3.0"))).agrees


def test_a_graph_of_zeros_agrees():
    assert verify(trace(parse("x = 0.0\ny = x * x"), seed=0.0)).agrees
