"""Test that code is read as the formula that one would write: rules stand at their ops, not beside them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.export.python_source import program
from autodiff_viz.export.torch_source import torch_program
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from tests.engine.references.scalar_graphs import ruled_regions, scalar_graphs

JAX = "import jax\nimport jax.numpy as jnp\n"
DECLARED = """
@jax.custom_vjp
def f({args}):
    return {value}

def f_fwd({args}):
    {forward}

def f_bwd({given}, v):
    return {passed}

f.defvjp(f_fwd, f_bwd)
"""


def declared(args: str, value: str, forward: str, given: str, passed: str) -> str:
    return JAX + DECLARED.format(args=args, value=value, forward=forward, given=given, passed=passed)


EXP = declared("x", "jnp.exp(x)", "y = f(x)\n    return y, y", "y", "(v * y,)")
PRODUCT = declared("a, b", "a * b", "return f(a, b), (a, b)", "kept", "(v * kept[1], v)")
CLIPPED = declared("x", "x", "return x, None", "_", "(jnp.clip(v, -1.0, 1.0),)")
REVERSED = declared("x", "x", "return x, None", "_", "(v * -2.0,)")
THROUGH = declared("x, y", "x", "return x, None", "_", "(None, v)")
LONG = declared("x", "jnp.exp(jnp.sin(x))", "return f(x), x", "x", "(v * x,)")
SHARED = declared("x", "jnp.exp(x)", "y = jnp.exp(x)\n    return y, x", "x", "(v,)")

FORMULAS = {
    "a stop": (
        JAX + "def g(x):\n    y = jax.lax.stop_gradient(jnp.sin(x)) * x\n    return y\nd = jax.grad(g)(2.0)",
        "x = 2.0\ny = stop_gradient(sin(x)) * x",
    ),
    "a stop of a name": (
        JAX + "def g(x):\n    s = jnp.sin(x)\n    y = jax.lax.stop_gradient(s) * s\n    return y\n"
        "d = jax.grad(g)(2.0)",
        "x = 2.0\ns = sin(x)\ny = stop_gradient(s) * s",
    ),
    "a derivative": (
        EXP + "def g(x):\n    z = f(x) * x\n    return z\nd = jax.grad(g)(2.0)",
        "x = 2.0\nz = custom(exp(x), pullback=lambda v, x, y: v * y) * x",
    ),
    "a derivative of two": (
        PRODUCT + "def g(p, q):\n    z = f(p, q)\n    return z\nd = jax.grad(g, (0, 1))(2.0, 3.0)",
        "p = 2.0\nq = 3.0\nz = custom(p * q, pullback=lambda v, p, q, out: (v * q, v))",
    ),
    "a rewrite": (
        CLIPPED + "def g(x):\n    z = jnp.square(f(jnp.sin(x)))\n    return z\nd = jax.grad(g)(2.0)",
        "x = 2.0\nz = square(rewrite(sin(x), lambda v: clip(v, -1.0, 1.0)))",
    ),
    "a scale": (
        REVERSED + "def g(x):\n    z = f(x) * x\n    return z\nd = jax.grad(g)(2.0)",
        "x = 2.0\nz = scale_gradient(x, -2.0) * x",
    ),
    "straight through": (
        THROUGH + "def g(x):\n    z = f(jnp.round(x), x) * x\n    return z\nd = jax.grad(g)(2.5)",
        "x = 2.5\nz = backward_as(round(x), x) * x",
    ),
    "a seed of ones": (
        JAX + "x = jnp.array([1.0, 2.0])\ny, back = jax.vjp(lambda x: jnp.sin(x), x)\nd = back(jnp.ones(2))",
        "x = [1.0, 2.0]\ny = sin(x)",
    ),
    "a name for a policy": (
        JAX + "from jax.ad_checkpoint import checkpoint_name\n"
        "def g(x):\n    z = checkpoint_name(jnp.sin(x), 's') * x\n    return z\nd = jax.grad(g)(2.0)",
        "x = 2.0\ns = sin(x)\nz = s * x",
    ),
    "a value and its derivative": (
        JAX + "def f(w):\n    h = jnp.tanh(w)\n    return h * jnp.exp(h)\n"
        "def g(w):\n    y = f(w)\n    d = jax.grad(f)(w)\n    z = y + d * d\n    return z\n"
        "e = jax.grad(g)(2.0)",
        "w = 2.0\nh = tanh(w)\ny = h * exp(h)\nd = grad(y, w)\nz = y + d * d",
    ),
    "a class of PyTorch": (
        "import torch\nclass E(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        y = torch.exp(x)\n        ctx.save_for_backward(y)\n        return y\n    @staticmethod\n"
        "    def backward(ctx, v):\n        y, = ctx.saved_tensors\n        return v * y\n"
        "x = torch.tensor([1.0, 2.0], requires_grad=True)\nz = E.apply(x).detach() * x\n"
        "z.backward(torch.ones(2))",
        "x = [1.0, 2.0]\nz = stop_gradient(custom(exp(x), pullback=lambda v, x, y: v * y)) * x",
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_code_is_read_as_the_formula_that_one_would_write(name):
    text, formula = FORMULAS[name]
    reading = av.read(text)
    assert reading.refused == ()
    assert av.show(reading.graph, positions=False) == av.show(av.parse(formula))


@pytest.mark.parametrize("text", [LONG, SHARED], ids=["of two ops", "of what no rule names"])
def test_what_is_no_rule_of_one_op_stays_apart_with_the_same_gradient(text):
    """By hand: the declared derivative of both is what the backward function says, x and 1 times 3.0."""
    reading = av.read(text + "def g(x):\n    z = f(x) * 3.0\n    return z\nd = jax.grad(g)(2.0)")
    wanted = 6.0 if text == LONG else 3.0
    assert reading.answers()["x"] == wanted
    assert av.trace(reading.graph).gradient["x"] == wanted


CLOSED = (
    JAX
    + """
def first(x):
    y = x * x
    return y

def outer(x):
    y, back = jax.vjp(first, x)
    d = jax.grad(lambda t: t * t * y + x)(x)
    e = jax.grad(first)(x)
    return d + e + y

d = jax.grad(outer)(3.0)
"""
)


def test_a_derivative_stays_one_by_its_argument_alone():
    """By hand: d = 2 x y with y = x x held, so 6 x x after; e = 2 x; the whole 2 x**3 + 2 x + x**2."""
    reading = av.read(CLOSED)
    assert reading.answers()["x"] == 6.0 * 9.0 + 2.0 + 6.0
    assert av.trace(reading.graph).value[reading.graph.output] == 54.0 + 6.0 + 9.0
    assert av.trace(reading.graph).gradient["x"] == 6.0 * 9.0 + 2.0 + 6.0


SUMMED = """
import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, v):
        a, b = ctx.saved_tensors
        return (v * b).sum_to_size(a.shape), (v * a).sum_to_size(b.shape)
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor([[1.0], [3.0]], requires_grad=True)
z = (Product.apply(a, b) * torch.ones(2, 3)).sum()
z.backward()
"""


def test_a_gradient_summed_to_a_size_is_read():
    """By hand: z = 3 a (b_1 + b_2), so 12 by a and 3 a = 6 by each of b."""
    reading = av.read(SUMMED)
    assert reading.answers()["a"] == 12.0
    assert reading.answers()["b"].tolist() == [[6.0], [6.0]]
    assert av.trace(reading.graph).gradient["a"] == 12.0


@pytest.mark.parametrize("write", [program, torch_program])
@settings(max_examples=30)
@given(graph=st.one_of(scalar_graphs(regions=False), ruled_regions()))
def test_a_file_without_its_footer_has_the_values_and_the_gradients_of_its_graph(write, graph):
    assume(not diagnose(graph))
    try:
        text = write(graph, None, "float64")
    except GraphError:
        assume(False)
    reading = av.read(text)
    assert reading.refused == ()
    lab, found = av.trace(graph, dtype="float64"), av.trace(reading.graph, dtype="float64")
    assert np.allclose(lab.value[lab.output], found.value[found.output], 1e-9, 1e-9, equal_nan=True)
    for node in graph.nodes:
        if node.op == INPUT and node.name in reading.graph:
            wanted, given_ = lab.gradient[node.name], found.gradient[node.name]
            assert np.allclose(given_, wanted, 1e-7, 1e-7, equal_nan=True), node.name
