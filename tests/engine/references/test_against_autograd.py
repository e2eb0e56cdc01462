"""Test values, cotangents and contributions against HIPS autograd, another library on NumPy and SciPy."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import FUNCTIONS
from tests.engine.references import hips
from tests.engine.references.random_grads import TEXTS, random_text
from tests.engine.references.scalar_graphs import muted_graphs, ruled_regions, scalar_graphs
from tests.ops.samples import OF_ARRAYS, examples_of, sample
from tests.strategies import Spec, graphs

TOLERANCE = 1e-12  # of the largest number of an array, or of 1
FIELDS = ("value", "cotangent", "passed", "gradient")


def assert_same(found: Trace, exact: hips.Record) -> None:
    for name in FIELDS:
        ours, theirs = getattr(found, name), getattr(exact, name)
        assert set(ours) == set(theirs)
        for key in theirs:
            room = TOLERANCE * max(1.0, np.abs(theirs[key]).max(initial=0.0))
            np.testing.assert_allclose(
                ours[key], theirs[key], rtol=TOLERANCE, atol=room, err_msg=f"{name} {key}"
            )


def check(found: Trace) -> None:
    with np.errstate(over="ignore"):  # the slope of tanh, as 1/cosh^2
        assert_same(found, hips.record(found.graph, found.inputs, found.seed))


def is_moderate(found: Trace) -> bool:
    """Return whether no rounding error is magnified that much: as by the sine of a very large number."""
    return all(np.abs(array).max(initial=0.0) < 1e3 for array in found.value.values())


def test_every_op_is_there():
    assert set(hips.OPS) == FUNCTIONS


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("op", "shapes", "given"), examples_of(OF_ARRAYS))
def test_an_op_agrees_with_a_seed_of_its_own(op, shapes, given):
    arrays = sample(op, shapes)
    inputs = [Node(f"x{i}", INPUT, (), params(value=nested(array))) for i, array in enumerate(arrays)]
    graph = Graph((*inputs, Node("y", op.name, tuple(n.name for n in inputs), params(**given))), (), "y")
    shape = trace(graph, dtype="float64").value["y"].shape
    check(trace(graph, seed=np.random.default_rng(1).normal(size=shape), dtype="float64"))


def nested(array: np.ndarray):
    return tuple(map(nested, array)) if array.ndim else float(array)


@settings(max_examples=150)
@given(graph=st.one_of(scalar_graphs(), muted_graphs(), ruled_regions()), seed=st.sampled_from([1.0, -2.5]))
def test_graphs_of_numbers_agree_with_every_rule(graph, seed):
    found = trace(graph, seed=seed, dtype="float64")
    assume(is_moderate(found))
    check(found)


REDUCED = st.sampled_from([(), params(axis=0), params(axis=-1, keepdims=True)])
TENSOR_OPS = (
    *(Spec(name) for name in ("identity", "sin", "tanh", "sigmoid", "neg", "ones_like", "floor", "softplus")),
    *(
        Spec(name)
        for name in (
            "silu",
            "gelu",
            "erf",
            "arctan",
            "elu",
            "leaky_relu",
            "abs",
            "relu",
            "transpose",
            "expand_dims",
        )
    ),
    *(Spec(name, 2) for name in ("add", "sub", "mul", "maximum", "minimum", "greater", "dot", "matmul")),
    *(Spec(name, 2) for name in ("mean_squared_error", "sigmoid_binary_cross_entropy")),
    *(Spec(name, 3) for name in ("where", "clip", "dense", "layer_norm")),
    *(Spec(name, 1, REDUCED) for name in ("sum", "mean", "max", "logsumexp")),
    *(Spec(name, 1, st.sampled_from([(), params(axis=0)])) for name in ("softmax", "log_softmax")),
    Spec("broadcast_to", 1, st.sampled_from([params(shape=(2, 3)), params(shape=(3,))])),
    Spec("reshape", 1, st.sampled_from([params(shape=(-1,)), params(shape=(3, -1))])),
    *(Spec(name, None, st.sampled_from([(), params(axis=-1)])) for name in ("stack", "concatenate")),
    Spec("first", None),
    *(Spec(name, 1, REDUCED) for name in ("min", "prod", "argmax")),
    Spec("cumsum", 1, st.sampled_from([(), params(axis=0)])),
    Spec("sort", 1, st.sampled_from([(), params(axis=0), params(descending=True)])),
    Spec("one_hot", 1, st.just(params(num_classes=3))),
    Spec("at_set", 2, st.sampled_from([params(index=(0,)), params(index=("...", (None, 2, None)))])),
    Spec("getitem", 1, st.sampled_from([params(index=(0,)), params(index=("...", (None, 2, None)))])),
    Spec("argsort", 1, st.sampled_from([(), params(axis=0), params(descending=True)])),
    Spec("take", 2, st.sampled_from([(), params(axis=0), params(axis=-1)])),
    Spec("take_along_axis", 2, st.sampled_from([(), params(axis=0)])),
    Spec("at_add", 3, st.sampled_from([(), params(axis=1)])),
    Spec("dropout", 1, st.sampled_from([(), params(rate=0.25, seed=3)])),
    Spec("uniform", 0, st.sampled_from([(), params(shape=(3,), seed=1, low=0.5)])),
)
NUMBERS = st.integers(-192, 192).map(lambda n: n / 64)
TENSORS = st.one_of(
    NUMBERS, st.tuples(NUMBERS, NUMBERS, NUMBERS), st.just(((0.5, -1.0, 2.0), (1.5, 0.25, -0.75)))
)


@settings(max_examples=150)
@given(graph=graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False, positions=False))
def test_graphs_of_tensors_agree_with_every_rule(graph):
    assume(not diagnose(graph))
    found = trace(graph, dtype="float64")
    assume(is_moderate(found))
    check(found)


GRADS = [*TEXTS, *map(random_text, range(int(os.environ.get("GRADIENTS", 40))))]


@pytest.mark.sampled(20)
@pytest.mark.filterwarnings("ignore:Output seems independent of input")
@pytest.mark.parametrize("text", GRADS)
def test_graphs_with_gradients_agree_with_every_rule(text):
    """Gradients of gradients too, which the backward pass differentiates a third time."""
    graph = parse(text)
    if diagnose(graph):
        pytest.skip("the graph cannot run: a third order, or a region that other nodes cut through")
    found = trace(graph, dtype="float64")
    if is_moderate(found):
        check(found)
