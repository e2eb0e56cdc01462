"""Test random pairs of programs: the sentence on A and B is what plain JAX finds of the two."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.sentence import GRADIENT, PASSED, VALUE
from tests.engine.references.random_programs import Program, changed, programs
from tests.explain.claims import in_graph, unclaimed

SAID = {
    (True, True): "Equal in both",
    (True, False): "Equal values, different gradients",
    (False, True): "Different values",
    (False, False): "Different values",
}
DTYPES = "float64", "float32", "float16", "bfloat16"
NEAR, FAR = 1e-9, 1e-3  # relative differences in float64: rounding, and more than rounding in float32 too


def by_jax(program: Program) -> list[np.ndarray]:
    """The value and the two gradients in float64."""
    with jax.enable_x64(True):
        value, gradients = jax.value_and_grad(program.run, argnums=(0, 1))(*program.inputs, {})
        return [np.asarray(found) for found in (value, *gradients)]


def are_equal(one: np.ndarray, other: np.ndarray) -> bool:
    gap, size = np.abs(one - other), np.maximum(np.abs(one), np.abs(other))
    near, far = gap <= NEAR * (1 + size), gap >= FAR * (0.01 + size)
    assume(np.all(near | far))  # in between it is undecidable
    return bool(near.all())


def check(a: Program, b: Program) -> None:
    found = av.compare(av.parse(a.text), av.parse(b.text))
    exact = by_jax(a), by_jax(b)
    for name, *pair in zip(("out", "x", "w"), *exact, strict=True):
        given = found.values[name] if name == "out" else found.gradients[name]
        for number, true in zip(given, pair, strict=True):
            np.testing.assert_allclose(number, true, rtol=1e-4, atol=1e-5)
    value, *gradients = [are_equal(one, other) for one, other in zip(*exact, strict=True)]
    assert (found.equal_values, found.equal_gradients) == (value, all(gradients)), found.sentence
    assert found.sentence.startswith(SAID[value, all(gradients)])
    if value and not all(gradients):
        differing = [name for name, same in zip(("x", "w"), gradients, strict=True) if not same]
        whose = f" of '{differing[0]}' (equal for " if len(differing) == 1 else ":"
        assert found.sentence.startswith(f"{SAID[True, False]}{whose}")


def check_claims(a: Program, b: Program, dtype: str) -> None:
    """Check that the sentence names nothing but its claims, whose numbers are those of the traces."""
    traces = [av.trace(av.parse(each.text), dtype=dtype) for each in (a, b)]
    found = av.compare(*traces)
    assert not unclaimed(found.sentence, found.claims)
    numbered = [claim for claim in found.claims if claim.kind in (VALUE, PASSED, GRADIENT)]
    for claim in numbered:
        for number, each in zip(claim.numbers, traces, strict=True):
            known = getattr(each, claim.kind)
            if parts := [known[name] for name in in_graph(claim, found, each.graph) if name in known]:
                np.testing.assert_array_equal(number, sum(parts))
            else:  # nothing, or what this graph hands on where only the other has an identity
                assert number is None or claim.names[0][0].startswith("stop_gradient")
    assert numbered or found.first_wire is None


@pytest.mark.nightly
@settings(max_examples=30, deadline=None)
@given(a=programs(), data=st.data(), dtype=st.sampled_from(DTYPES))
def test_the_numbers_of_the_sentence_are_those_of_the_traces(a, data, dtype):
    check_claims(a, data.draw(changed(a)), dtype)


@pytest.mark.nightly
@settings(max_examples=1000, deadline=None)
@given(a=programs(), data=st.data(), dtype=st.sampled_from(DTYPES))
def test_so_they_are_of_many(a, data, dtype):
    check_claims(a, data.draw(changed(a)), dtype)


@settings(max_examples=30, deadline=None)
@given(a=programs(), data=st.data())
def test_what_is_said_of_two_programs_is_what_plain_jax_finds(a, data):
    check(a, data.draw(changed(a)))


@pytest.mark.nightly
@settings(max_examples=500, deadline=None)
@given(a=programs(), data=st.data())
def test_so_it_is_of_many(a, data):
    check(a, data.draw(changed(a)))
