"""Test functions of a library that are written in JAX, against JAX itself on the same numbers."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.functions.known_functions import op
from autodiff_viz.graph.rule_kinds import PULLBACK
from autodiff_viz.reading.functions import library_calls
from autodiff_viz.reading.functions.arrays import FUNCTIONS
from autodiff_viz.reading.functions.library_calls import jax_function
from autodiff_viz.reading.reading import Reading, read
from autodiff_viz.reading.tensors.torch_tensors import TORCH

X = [[0.5, -1.25, 2.0], [0.75, 0.0, -0.5]]
T = "import torch\nx = torch.tensor([[0.5, -1.25, 2.0], [0.75, 0.0, -0.5]], requires_grad=True)\n"
J = "import jax\nimport jax.numpy as jnp\nx = jnp.array([[0.5, -1.25, 2.0], [0.75, 0.0, -0.5]])\n"


def smooth(x, t, beta=1.0):
    a = jnp.abs(x - t)
    return jnp.mean(jnp.where(a < beta, 0.5 * a * a / beta, a - 0.5 * beta))


def standardized(x, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    return jnp.sum(centred / jnp.sqrt(x.var(-1, keepdims=True) + eps) * jnp.arange(3.0))


@jax.custom_jvp
def slope_2(x):
    return jnp.abs(x)


slope_2.defjvp(lambda p, t: (jnp.abs(p[0]), 2.0 * t[0]))


@pytest.fixture(autouse=True)
def mine(monkeypatch):
    """Register functions of our own under a library's name."""

    def register(function, name="mine"):
        monkeypatch.setitem(TORCH, f"torch.{name}", jax_function(function))
        monkeypatch.setitem(FUNCTIONS, f"numpy.{name}", jax_function(function))
        monkeypatch.setattr(jnp, name, function, raising=False)  # a name that JAX does not have is refused

    return register


def gradient(text: str) -> np.ndarray:
    found = read(text)
    assert not found.refused
    return found.answers()["x"]


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (smooth, "torch.mine(x, 0.25)"),
        (smooth, "torch.mine(x, t=0.25, beta=0.5)"),
        (lambda x: jnp.sum(jax.nn.log_softmax(x, -1)[:, 1]), "torch.mine(x)"),
        (standardized, "torch.mine(x, eps=0.1)"),
        (lambda x: jnp.sum(jnp.sort(x, -1) * jnp.arange(3.0)), "torch.mine(x)"),
        (lambda x: jnp.sum(slope_2(x) * x), "torch.mine(x)"),
        (lambda x: jnp.einsum("ij,kj->", x, x), "torch.mine(x)"),
        (lambda x: jnp.sum(jnp.pad(x, ((1, 0), (0, 2)), constant_values=3.0) ** 2), "torch.mine(x)"),
    ],
)  # fmt: skip
def test_value_and_gradient_are_those_of_jax(mine, function, call):
    mine(function)
    wanted, slope = jax.value_and_grad(
        lambda x: eval(call, {"torch": type("", (), {"mine": staticmethod(function)}), "x": x})
    )(jnp.array(X))
    found = read(f"{T}y = {call}\ny.backward()")
    np.testing.assert_allclose(found.values()["y"], wanted, rtol=1e-6)
    np.testing.assert_allclose(found.answers()["x"], slope, rtol=1e-5, atol=1e-7)


def groups(found: Reading) -> list[tuple[str, int]]:
    return [(group.name, len(group.nodes)) for group in found.graph.groups]


def test_what_the_library_calls_one_thing_is_one_group(mine):
    mine(smooth, "smooth")
    found = read(T + "y = torch.smooth(x, 0.25)\nz = torch.smooth(x * y, 0.0)\nz.backward()")
    assert [name for name, _ in groups(found)] == ["smooth", "smooth_1"]
    assert all(count > 5 for _, count in groups(found))


def test_what_is_one_op_is_one_node_without_a_group(mine):
    mine(lambda x, dim: jax.nn.softmax(x, axis=dim), "soft")
    found = read(T + "y = torch.soft(x, dim=1)\ny.sum().backward()")
    assert [node.op for node in found.graph.nodes] == ["input", "softmax", "sum"]
    assert not found.graph.groups


def test_a_slope_of_its_own_is_a_rule_of_the_op(mine):
    mine(slope_2)
    (node,) = [
        node for node in read(T + "y = torch.mine(x)\ny.sum().backward()").graph.nodes if node.op == "abs"
    ]
    assert node.rule.kind == PULLBACK


def test_a_number_is_not_rounded_to_single_precision_in_double(mine):
    """2/3 has 16 digits in double precision."""
    mine(lambda x: x * (2 / 3))
    found = read("import torch\nx = torch.tensor(1.0, dtype=torch.float64)\ny = torch.mine(x)")
    assert found.values()["y"] == pytest.approx(2 / 3, rel=1e-15)


def test_a_mapped_call_is_that_of_jax_vmap(mine):
    """For each row its own x and the same t: JAX's vmap of vmap."""

    def together(x, t):
        return jnp.sum(jnp.sort(x) * t) / (1.0 + jnp.max(t))

    mine(together)
    text = J + "t = jnp.array([1.0, -2.0, 3.0])\nf = jax.vmap(jax.vmap(jnp.mine, (None, 0)), (0, None))\n"
    found = read(text + "y = f(x, jnp.stack([t, t * x[0]]))")
    assert not found.refused
    t = jnp.array([1.0, -2.0, 3.0])
    x = jnp.array(X)
    wanted = jax.vmap(jax.vmap(together, (None, 0)), (0, None))(x, jnp.stack([t, t * x[0]]))
    np.testing.assert_allclose(found.values()["y"], wanted, rtol=1e-6)


def test_places_that_the_text_writes_are_part_of_the_program(mine):
    mine(lambda x, at: jnp.sum(x[:, at]))
    assert gradient(T + "torch.mine(x, torch.tensor(2)).backward()").tolist() == [[0, 0, 1], [0, 0, 1]]
    assert gradient(T + "torch.mine(x, torch.tensor(0)).backward()").tolist() == [[1, 0, 0], [1, 0, 0]]


def test_options_that_python_calls_equal_are_told_apart(mine):
    """1 is True and 0.0 is -0.0 for Python; 1/0.0 is not 1/-0.0."""
    mine(
        lambda x, c: (
            x * 0 + (2.0 if c is True else 3.0) if isinstance(c, bool) else x * 0 + 1.0 / jnp.float32(c)
        )
    )
    values = [
        read(f"{T}y = torch.mine(x, {c})[0, 0]").values()["y"].item() for c in ("True", "1", "0.0", "-0.0")
    ]
    assert values == [2.0, 1.0, np.inf, -np.inf]


def test_no_grad_passes_nothing(mine):
    mine(smooth)
    text = T + "with torch.no_grad():\n    y = torch.mine(x, 0.0)\n(y * x.sum()).backward()"
    np.testing.assert_allclose(gradient(text), np.full((2, 3), float(smooth(jnp.array(X), 0.0))), rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "call", "says"),
    [
        (lambda x, n: jnp.zeros(n) + x.sum(), "torch.mine(x, 10 ** 12)", "shape"),
        (lambda x: jnp.kron(x, jnp.ones((4000, 4000))).sum(), "torch.mine(x)", "shape"),
        (lambda x: x @ x, "torch.mine(x)", "does not take"),
        (lambda x: x, "torch.mine(x, other=1)", "other"),
        (lambda x: jax.scipy.special.bessel_jn(x, v=1), "torch.mine(x)", "no op|does not take|is not read"),
        (lambda x, f: x, "torch.mine(x, lambda a: a)", "option"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(mine, function, call, says):
    mine(function)
    (problem,) = read(f"{T}y = {call}\ny.sum().backward()").refused
    assert problem.line == 3
    assert re.search(says, problem.message)


def test_a_call_with_the_same_shapes_is_not_traced_again(mine):
    mine(smooth)
    text = T + "y = torch.mine(x, 0.0)\nfor i in range(20):\n    y = y + torch.mine(x * y, 0.0)\n"
    read(text)
    before = library_calls._program.misses()
    read(text)
    assert library_calls._program.misses() == before


def test_an_op_that_a_function_calls_is_one_node(mine):
    mine(lambda x, t: op("sigmoid_binary_cross_entropy", x, t).mean(), "bce")
    found = read(T + "y = torch.bce(x, 0.25)\ny.backward()")
    assert [node.op for node in found.graph.nodes] == ["input", "sigmoid_binary_cross_entropy", "mean"]
    x = np.array(X)
    sigmoid = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(found.answers()["x"], (sigmoid - 0.25) / 6, rtol=1e-5)


def test_an_op_of_rows_is_opened_in_a_mapped_call(mine):
    """The op sums along the last axis of each row: along both axes of all rows it would be another number."""
    mine(lambda x: op("prod", x))
    found = read(J + "y = jax.vmap(jnp.mine)(x)")
    assert found.values()["y"].tolist() == np.prod(X, axis=1).tolist()


@pytest.mark.parametrize(
    "pattern", ["(a b -> a b", "a) b c -> a b c", "((a b)) c d -> a b c d", "a b c -> c b a', d=3, n='"]
)
def test_a_pattern_that_einops_refuses_is_refused(pattern):
    """Brackets without a partner or inside others, and the length of an axis that is not there."""
    text = f"from einops import rearrange\n{T}y = rearrange(x[None], '{pattern}')"
    (problem,) = read(text).refused
    assert "of einops" in problem.message


def test_what_threads_note_at_once_stays_with_each_call(mine):
    """Each function waits inside its tracing until the other one traces too."""
    meet = Barrier(2, timeout=20)

    def noting(word):
        def function(x):
            meet.wait()
            library_calls.say(word)
            meet.wait()
            return x * 2.0

        return function

    for word in ("one", "two"):
        mine(noting(word), word)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda word: read(f"{T}y = torch.{word}(x)"), ("one", "two")))
    assert [[change.says for change in each.changes] for each in found] == [["one"], ["two"]]


def test_each_step_of_a_recurrent_layer_is_a_group():
    """A layer of PyTorch that runs over three rows takes three steps."""
    text = "import torch\ntorch.manual_seed(0)\nm = torch.nn.GRU(2, 3)\nh = m(torch.ones(3, 1, 2))[1]\n"
    found = read(text + "h.sum().backward()")
    assert [name for name, _ in groups(found)] == ["m", "gru_cell", "gru_cell_1", "gru_cell_2"]
