"""Test what the forward pass keeps for the backward pass: how much, from which node, for which nodes."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program.remat import Residual
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import order
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.references.scalar_graphs import ruled_regions, scalar_graphs
from tests.export.test_random_graphs import TENSOR_OPS, TENSORS
from tests.strategies import graphs

WEIGHTS = """
x = input(shape=(4,), seed=0)
w1 = input(shape=(5, 4), seed=1)
w2 = input(shape=(6, 5), seed=2)
w3 = input(shape=(7, 6), seed=3)
"""


def layer(i: int, below: str) -> list[str]:
    return [f"a{i} = w{i} @ {below}", f"h{i} = sin(a{i})"]


def region(head: str, lines: list[str]) -> list[str]:
    return [f"with checkpoint({head}):", *(f"    {line}" for line in lines)]


def net(checkpointed: str) -> str:
    """The three-layer net of sines of JAX's page on `jax.checkpoint`."""
    layers = [layer(1, "x"), layer(2, "h1"), layer(3, "h2")]
    if checkpointed == "each":
        lines = [line for i, one in enumerate(layers) for line in region(f'"layer{i}"', one)]
    else:
        lines = [line for one in layers for line in one]
        lines = region(f'"net"{checkpointed}', lines) if checkpointed != "plain" else lines
    return WEIGHTS + "\n".join(lines)


@pytest.mark.parametrize(
    ("checkpointed", "count", "elements"),
    [
        ("plain", 9, 125),
        ("each", 6, 107),
        (', policy="dots_saveable"', 7, 114),
        (', policy="save_only_these_names", names=("a1",)', 5, 101),
        ("", 4, 96),
        (', policy="everything_saveable"', 9, 125),
    ],
)
def test_the_published_sine_net(checkpointed, count, elements):
    found = trace(parse(net(checkpointed))).residuals
    assert (len(found), sum(each.elements for each in found)) == (count, elements)


def kept(text: str) -> dict[tuple[str, bool], tuple[str, ...]]:
    return {(r.producer, r.is_value): r.consumers for r in trace(parse(text)).residuals}


def test_a_product_keeps_its_factors():
    assert kept("a = 2.0\nb = 3.0\ny = a * b") == {("a", True): ("y",), ("b", True): ("y",)}


def test_exp_keeps_its_own_value():
    assert kept("x = 1.0\ny = exp(x)") == {("y", True): ("y",)}


def test_sin_keeps_its_slope_which_is_no_value_of_a_node():
    assert kept("x = 1.0\ny = sin(x)") == {("y", False): ("y",)}


def test_one_array_may_have_several_consumers():
    assert kept("x = 1.0\ny = exp(x)\nz = y * x")["y", True] == ("y", "z")


def test_sums_and_negations_keep_nothing():
    assert kept("x = 1.0\ny = 2.0 - x + x") == {}


def test_what_is_stopped_keeps_nothing():
    assert kept("x = 1.0\ny = x + stop_gradient(exp(x))") == {}


def test_a_declared_pullback_keeps_only_what_it_reads():
    assert kept("x = 1.0\ny = custom(exp(x), pullback=lambda v, x, y: v)") == {}
    assert kept("x = 1.0\ny = custom(sin(x), pullback=lambda v, x, y: v * y)") == {("y", True): ("y",)}


def test_equal_arrays_of_two_nodes_are_kept_twice():
    assert len(kept("x = 1.0\na = sin(x)\nb = sin(x)\nc = a * b")) == 4


def test_an_array_is_named_after_the_node_that_computes_it_not_after_an_identity():
    found = kept("x = 1.0\na = exp(x)\nb = identity(a)\nc = b * x")
    assert found == {("a", True): ("a", "c"), ("x", True): ("c",)}


def test_a_region_keeps_its_inputs():
    text = 'x = 1.0\ny = sin(x)\nwith checkpoint("r"):\n    z = exp(sin(y))'
    assert kept(text)["y", True] == ("sin_1",)


@pytest.mark.parametrize(("dtype", "width"), [("float32", 4), ("float64", 8)])
def test_bytes_follow_the_dtype(dtype, width):
    graph = parse("x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\ny = exp(x)")
    assert trace(graph, dtype=dtype).residuals == (Residual("y", True, ("y",), (2, 3), 6, 6 * width),)


def test_a_literal_of_the_program_has_no_producer():
    assert ("", False) in kept("x = 1.0\ny = 2.0 * x")
    found = trace(parse("x = 1.0\na = where(x, x, 0.0)\ny = relu(a)")).residuals
    assert [r.producer for r in found] == [
        "a",
        "",
        "y",
        "",
    ]  # what was chosen, and what else it could have been


def test_equal_factors_of_one_node_are_kept_twice_as_jax_does():
    found = trace(parse("x = 1.5\na = sin(x)\ny = minimum(a, a)")).residuals
    assert [(r.producer, r.consumers) for r in found] == [("a", ("a",)), ("y", ("y",)), ("y", ("y",))]


@settings(max_examples=40)
@given(graph=scalar_graphs(rules=False, regions=False))
def test_as_many_arrays_are_kept_as_by_a_plain_function(graph):
    """Written out as a Python function without any marks, `jax.vjp` keeps just as many arrays."""
    assert len(trace(graph).residuals) == len(kept_by_jax(plain(graph), inputs_of(graph)))


@settings(max_examples=25)
@given(graph=st.one_of(scalar_graphs(), ruled_regions()))
def test_as_many_arrays_are_kept_as_by_the_exported_program(graph):
    names = {"__name__": "program"}
    exec(compile(to_python(graph), "program.py", "exec"), names)
    inputs = tuple(inputs_of(graph).values())
    assert len(trace(graph).residuals) == len(kept_by_jax(lambda given: names["forward"](*given), inputs))


@settings(max_examples=30)
@given(graph=graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False, rules=False, regions=False))
def test_so_are_as_many_tensors_of_the_same_shapes(graph):
    assume(not diagnose(graph))
    graph = played(graph)
    found = sorted(residual.shape for residual in trace(graph).residuals)
    assert found == sorted(np.shape(array) for array in kept_by_jax(plain(graph), inputs_of(graph)))


def kept_by_jax(function: Callable, inputs: Any) -> list[jax.Array]:
    """The arrays that the pullback of `jax.vjp` holds, each once."""
    leaves = jax.tree.leaves(jax.vjp(function, inputs)[1])
    return list({id(leaf): leaf for leaf in leaves}.values())


def inputs_of(graph: Graph) -> dict[str, jax.Array]:
    found = trace(graph).inputs
    return {node.name: jnp.asarray(found[node.name]) for node in graph.nodes if node.op == INPUT}


def plain(graph: Graph) -> Callable:
    def function(inputs: dict) -> jax.Array:
        env = dict(inputs)
        for node in order(graph):
            if node.op != INPUT:
                arrays = (env[s] if isinstance(s, str) else jnp.asarray(s, jnp.float32) for s in node.slots)
                env[node.name] = OPS[node.op].apply(*arrays, **dict(node.params))
        return env[graph.output]

    return function


def test_a_stop_that_is_kept_is_a_value_and_no_factor_of_a_derivative():
    """Row R11: the product keeps the 3 elements of c, which the stop passes on; a stop has no slope."""
    text = "x = [1.0, 2.0, 3.0]\na = sin(x)\nb = sin(a)\nc = sin(b)\ny = sum(x * stop_gradient(c))"
    (kept,) = trace(parse(text)).residuals
    assert (kept.producer, kept.is_value, kept.elements) == ("c", True, 3)
