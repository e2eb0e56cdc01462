"""Test that comparing with the whole program finds a wrong number, however small, and accepts rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.engine.references.test_against_tape import allowed
from tests.strategies import Spec, graphs

GRAPH = parse("x = 0.7\ny = 1.3\na = sin(x) * y\nz = a + exp(a)")
NETWORK = parse("""x = input(shape=(4, 3), seed=1)
w = input(shape=(3, 5), seed=2)
h = relu(layer_norm(x @ w, 1.0, 0.1))
p = softmax(h * 3.0)
z = mean(square(p - sigmoid(h))) + max(h) * 0.01
""")
FIELDS = ("value", "cotangent", "passed", "gradient")
SEEDS = [1.0, 1e-8, 1e-20, 1e8]


def forged(found: Trace, kind: str, key, numbers) -> Trace:
    """The trace with other numbers in one array."""
    arrays = dict(getattr(found, kind).items())
    return replace(found, **{kind: {**arrays, key: np.asarray(numbers, found.dtype)}})


def arrays_of(found: Trace) -> list[tuple]:
    return [(kind, key, array) for kind in FIELDS for key, array in getattr(found, kind).items()]


def bent(array: np.ndarray) -> dict[str, np.ndarray]:
    """The array with wrong numbers, in several ways."""
    one, none = array.copy(), array.copy()
    middle = array.size // 2
    one.flat[middle] *= 1.01
    none.flat[middle] = 0.0
    lost, beyond = np.full_like(array, np.nan), np.full_like(array, np.inf)
    some = {"scaled": array * 1.001, "zeroed": array * 0, "one changed": one, "one zeroed": none}
    return {**some, "NaN": lost, "infinite": beyond}


@pytest.mark.nightly
@pytest.mark.parametrize(("graph", "seed"), [(NETWORK, 1e-20), *((GRAPH, seed) for seed in SEEDS)])
def test_any_wrong_number_is_found_whatever_the_seed(graph, seed):
    found = trace(graph, seed=seed)
    assert verify(found).agrees
    for kind, key, array in arrays_of(found):
        for how, numbers in bent(array).items():
            if not np.array_equal(numbers, array):
                assert not verify(forged(found, kind, key, numbers)).agrees, (how, kind, key)


@settings(max_examples=12)
@given(graph=scalar_graphs(), seed=st.sampled_from(SEEDS), dtype=st.sampled_from(["float32", "float64"]))
def test_any_wrong_number_is_found_in_any_graph(graph, seed, dtype):
    """Where it is off by more than a plain-Python tape says that rounding can move it."""
    found, bounds = trace(graph, seed=seed, dtype=dtype), allowed(graph, seed, dtype)
    for kind, key, array in arrays_of(found):
        if abs(array) > 4 * getattr(bounds, kind)[key]:
            assert not verify(forged(found, kind, key, array * 0)).agrees, (kind, key)


def test_a_gradient_that_vanished_is_found():
    found = trace(parse("x = 14.0\ny = sigmoid(x)"))
    np.testing.assert_allclose(found.cotangent["x"], 8.3e-7, rtol=0.1)
    lost = {kind: {**dict(getattr(found, kind).items()), key: np.zeros((), np.float32)}
            for kind, key in (("cotangent", "x"), ("gradient", "x"), ("passed", ("y", 0)))}  # fmt: skip
    verdict = verify(replace(found, **lost))
    assert (verdict.agrees, verdict.worst) == (False, 1.0)


@pytest.mark.parametrize("scale", [1.0, 1e-10, 1e-30])
def test_a_wrong_value_is_found_however_small(scale):
    found = trace(parse(f"x = {scale}\ny = x * 0.3\nz = y + x"))
    assert verify(found).agrees
    assert not verify(forged(found, "value", "y", found.value["y"] * np.float32(1.001))).agrees


def test_a_small_element_beside_large_ones_is_looked_at():
    found = trace(parse("x = [1e10, 1.0, 1e-10]\ny = x * 3.0"))
    assert not verify(forged(found, "value", "y", [3e10, 3.0, 3.003e-10])).agrees


def test_what_differs_most_is_named_and_by_how_much_of_its_size():
    found = trace(GRAPH)
    verdict = verify(forged(found, "cotangent", "a", found.cotangent["a"] * 2.0))
    assert (verdict.where, verdict.worst) == ("what arrives at 'a'", 0.5)


def test_numbers_that_cancel_may_differ_as_much_as_rounding_moves_them():
    # The last digit of f is 2**-10. Rounded the other way, all of it shows in y: a hundredth of its size.
    found = trace(parse("x = 0.1\nf = x + 10000.0\ny = f - 10000.0\nz = stop_gradient(y)"))
    last = np.float32(2.0**-10)
    found = forged(found, "value", "f", found.value["f"] + last)
    for off, agrees in ((last, True), (0.1, False)):
        verdict = verify(forged(found, "value", "y", found.value["y"] + np.float32(off)))
        assert (verdict.agrees, verdict.rounded) == (agrees, int(agrees)), off


def test_numbers_beyond_infinite_slopes_agree():
    text = "x = [0.0, 1e-30, 4.0]\ny = sqrt(x * 0.1)\nz = log(y) + 1.0 / y\nw = exp(-z)"
    assert verify(trace(parse(text))).agrees


def test_a_fork_where_large_contributions_cancel_is_summed_in_any_order():
    pull = "pullback=lambda v, x, y: {}"
    lines = [f"n{i} = custom(sin(x), {pull.format(c)})" for i, c in enumerate((1e8, 1.0, -1e8))]
    assert verify(trace(parse("\n".join(["x = 0.1", *lines, "z = n0 + n1 + n2"])))).agrees


def test_a_graph_of_zeros_agrees_to_the_last_digit():
    verdict = verify(trace(parse("x = 0.0\ny = x * x"), seed=0.0))
    assert (verdict.agrees, verdict.worst, verdict.where, verdict.rounded) == (True, 0.0, "", 0)


ONE = """sin tan tanh sigmoid exp expm1 log1p log sqrt square softplus silu gelu softmax log_softmax logsumexp
    sum mean max relu abs floor"""
TWO = "add sub mul div pow maximum dot sigmoid_binary_cross_entropy"
THREE = "layer_norm where clip dense"
WILD = [Spec(name, n) for n, names in enumerate((ONE, TWO, THREE), 1) for name in names.split()]
WILD.append(Spec("stack", None))
SIZES = st.one_of(
    st.sampled_from([1e4, -1e4, 1e-4, 1e8, 1e-8, 1.0, -1.0, 0.1, 3.0]),
    st.integers(-200, 200).map(lambda n: n / 10),
)
ROWS = st.tuples(SIZES, SIZES, SIZES)


@pytest.mark.nightly
@settings(max_examples=40)
@given(
    graph=graphs(WILD, min_nodes=3, literals=st.one_of(SIZES, ROWS, st.tuples(ROWS, ROWS)), empty=False),
    seed=st.sampled_from(SEEDS),
    dtype=st.sampled_from(["float32", "float64"]),
)
def test_rounding_is_no_disagreement_however_badly_conditioned_a_graph_is(graph, seed, dtype):
    assume(not diagnose(graph))
    try:
        found = trace(graph, seed=seed, dtype=dtype)
    except GraphError:
        assume(False)
    verdict = verify(found)
    assert verdict.agrees, verdict
