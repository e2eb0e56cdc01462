"""What the forward pass keeps for the backward pass: how much, from which node, for which nodes."""

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.counts import Residual
from autodiff_viz.engine.trace import trace
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.engine.scalar_graphs import scalar_graphs

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
    assert kept("x = 1.0\na = where(x, x, 0.0)\ny = relu(a)") == {
        ("a", False): ("a",),
        ("y", False): ("y",),
        ("", False): ("a", "y"),
    }


SMOOTH = ("add", "sub", "mul", "div", "neg", "sin", "cos", "tan", "exp", "log", "tanh", "sigmoid", "sqrt")


@settings(max_examples=25)
@given(graph=scalar_graphs(rules=False, regions=False, ops=SMOOTH))
def test_as_many_arrays_are_kept_as_by_a_plain_function(graph):
    """Written out as a Python function without any marks, `jax.vjp` keeps just as many arrays."""
    assert len(trace(graph).residuals) == plain_residuals(graph)


def plain_residuals(graph: Graph) -> int:
    def function(inputs: dict) -> jax.Array:
        env = dict(inputs)
        for node in graph.nodes:
            if node.op != INPUT:
                operands = (env[s] if isinstance(s, str) else jnp.float32(s) for s in node.slots)
                env[node.name] = OPS[node.op].apply(*operands)
        return env[graph.output]

    inputs = {node.name: jnp.float32(1) for node in graph.nodes if node.op == INPUT}
    program = jax.make_jaxpr(lambda i: jax.vjp(function, i))(inputs).jaxpr
    return len({str(each) if hasattr(each, "val") else each for each in program.outvars[1:]})
