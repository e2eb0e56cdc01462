"""Test broadcasting, products, reductions, picking and joining of arrays, against NumPy and PyTorch."""

from collections.abc import Callable

import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.graph.model import Graph
from autodiff_viz.language.parse import parse

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
B = np.array([0.4, -0.9, 1.1])
C = np.array([[2.0], [0.5]])
INPUTS = f"a = {A.tolist()}\nb = {B.tolist()}\nc = {C.tolist()}\n"


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


# Formula of the output, and the same in NumPy.
CASES: dict[str, Callable[..., np.ndarray]] = {
    "a + b": lambda a, b, c: a + b,
    "a * c": lambda a, b, c: a * c,
    "b / c": lambda a, b, c: b / c,
    "2.0 * a - [1.0, 2.0, 3.0]": lambda a, b, c: 2 * a - np.array([1, 2, 3]),
    "sin(a) ** 2.0 + c": lambda a, b, c: np.sin(a) ** 2 + c,
    "a @ b": lambda a, b, c: a @ b,
    "b @ transpose(a)": lambda a, b, c: b @ a.T,
    "a @ transpose(a)": lambda a, b, c: a @ a.T,
    "dot(b, b)": lambda a, b, c: np.dot(b, b),
    "sum(a)": lambda a, b, c: a.sum(),
    "sum(a * b, axis=1)": lambda a, b, c: (a * b).sum(1),
    "mean(a, axis=0, keepdims=True) * a": lambda a, b, c: a.mean(0, keepdims=True) * a,
    "max(a, axis=1)": lambda a, b, c: a.max(1),
    "logsumexp(a, axis=0)": lambda a, b, c: np.log(np.exp(a).sum(0)),
    "softmax(a)": lambda a, b, c: softmax(a, -1),
    "softmax(a, axis=0) * c": lambda a, b, c: softmax(a, 0) * c,
    "a[0] * a[1]": lambda a, b, c: a[0] * a[1],
    "a[:, 1:] @ b[:2]": lambda a, b, c: a[:, 1:] @ b[:2],
    "a[1, -1] * b": lambda a, b, c: a[1, -1] * b,
    "concatenate([a, c], axis=1)": lambda a, b, c: np.concatenate([a, c], 1),
    "stack([b, b * b])": lambda a, b, c: np.stack([b, b * b]),
    "reshape(a, shape=(3, 2)) @ c": lambda a, b, c: a.reshape(3, 2) @ c,
    "expand_dims(b, axis=1) * c[0]": lambda a, b, c: b[:, None] * c[0],
    "broadcast_to(c, shape=(2, 3)) * a": lambda a, b, c: np.broadcast_to(c, (2, 3)) * a,
    "where(a > b, a, a * b)": lambda a, b, c: np.where(a > b, a, a * b),
    "maximum(a, c) - minimum(a, b)": lambda a, b, c: np.maximum(a, c) - np.minimum(a, b),
    "clip(a, -1.0, c)": lambda a, b, c: np.clip(a, -1, c),
}
POINT = {"a": A, "b": B, "c": C}


@pytest.mark.parametrize("formula", CASES)
def test_values_and_gradients_are_numpys(formula):
    function, graph = CASES[formula], parse(INPUTS + "y = " + formula)
    value = function(**POINT)
    seed = np.random.default_rng(1).normal(size=value.shape)
    found = trace(graph, seed=seed, dtype="float64")
    np.testing.assert_allclose(found.value["y"], value, rtol=1e-12)
    for name in POINT:
        expected = central_difference(lambda **point: np.sum(seed * function(**point)), name)
        np.testing.assert_allclose(found.gradient[name], expected, rtol=1e-6, atol=1e-7)


def central_difference(function: Callable[..., float], name: str) -> np.ndarray:
    """The slope of `function` at POINT, by each element of the array `name`."""
    slope = np.zeros_like(POINT[name])
    for place in np.ndindex(slope.shape):
        step = np.zeros_like(slope)
        step[place] = 1e-5
        high, low = (function(**{**POINT, name: POINT[name] + sign * step}) for sign in (1, -1))
        slope[place] = (high - low) / 2e-5
    return slope


@pytest.mark.sampled(3)
@pytest.mark.parametrize("formula", CASES)
def test_the_whole_program_agrees(formula):
    assert verify(trace(parse(INPUTS + "y = " + formula))).agrees


def test_a_contribution_has_the_shape_of_what_it_goes_to():
    found = trace(parse(INPUTS + "y = a * c"))
    assert found.passed["y", 1].shape == (2, 1)
    np.testing.assert_allclose(found.passed["y", 1], A.sum(1, keepdims=True), rtol=1e-6)


def test_a_lambda_is_broadcast_to_the_shape_it_is_for():
    found = trace(
        parse(
            INPUTS
            + "y = sum(rewrite(a, lambda v: 0.5) * custom(b * c, pullback=lambda v, b, c, y: (1.0, sum(v))))"
        )
    )
    np.testing.assert_array_equal(found.gradient["a"], np.full((2, 3), 0.5))
    np.testing.assert_array_equal(found.gradient["b"], np.ones(3))
    np.testing.assert_allclose(found.gradient["c"], np.full((2, 1), A.sum()), rtol=1e-6)


MLP = """
x = {x}
w = {w}
u = {u}
h = tanh(x @ w)
with checkpoint("head", policy="dots_saveable"):
    p = softmax(h @ u, axis=1)
    l = log(p[:, 0]) - 0.1 * logsumexp(relu(h), axis=1)
loss = -mean(l)
"""


def test_pytorch_gives_the_same_gradients_of_a_small_net():
    torch = pytest.importorskip("torch")
    draws = np.random.default_rng(3)
    arrays = {"x": draws.normal(size=(5, 4)), "w": draws.normal(size=(4, 3)), "u": draws.normal(size=(3, 2))}
    found = trace(mlp(arrays), dtype="float64")
    x, w, u = (torch.tensor(array, requires_grad=True) for array in arrays.values())
    h = torch.tanh(x @ w)
    p = torch.softmax(h @ u, 1)
    loss = -(torch.log(p[:, 0]) - 0.1 * torch.logsumexp(torch.relu(h), 1)).mean()
    loss.backward()
    assert float(found.value["loss"]) == pytest.approx(loss.item(), rel=1e-12)
    for name, tensor in zip("xwu", (x, w, u), strict=True):
        np.testing.assert_allclose(found.gradient[name], tensor.grad.numpy(), rtol=1e-10, atol=1e-14)


def mlp(arrays: dict[str, np.ndarray]) -> Graph:
    return parse(MLP.format(**{name: array.tolist() for name, array in arrays.items()}))
