"""Test functions of JAX and NumPy that are read as JAX's own, against both libraries on the same text."""

from __future__ import annotations

import time

import jax
import numpy as np
import pytest

from autodiff_viz.reading.reading import read

BEGIN = """import jax
import jax.numpy as jnp
import numpy as np
x = jnp.array([[0.5, -1.25, 2.0], [0.75, 0.0, -0.5]])
"""


def of_library(text: str) -> dict:
    names: dict = {}
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        exec(compile(BEGIN + text, "text", "exec"), names)
    return names


@pytest.mark.parametrize(
    "text",
    [
        "y = jnp.cumsum(jnp.array([16777217, 1]))",  # float32 has not so many digits
        "y = jnp.cumsum(jnp.array([250, 10], dtype=jnp.uint8))",
        "y = np.cumsum(np.array([250, 10], dtype=np.uint8))",
        "y = np.cumprod(np.array([100, 2], dtype=np.int8))",
        "y = np.power(np.array([3, 2]), np.array([20, 5]))",
        "y = jnp.bitwise_and(jnp.array([6, 3]), jnp.array([3, 10]))",
        "y = np.invert(np.array([0, 5]))",
        "y = jax.lax.div(jnp.array([-7, 7]), jnp.array([2, 2]))",  # towards 0
        "y = jax.vmap(lambda row: jnp.median(row) * jax.nn.elu(row))(x)",
        "y = jax.vmap(jax.vmap(jnp.heaviside, (None, 0)), (0, None))(x[0], x[1])",
        "y = jax.vmap(lambda row: jnp.argsort(row, descending=True))(x)",
        "y = jnp.full_like(x, 2.7, dtype=int)",
        "y = jnp.sum(x, 0, jnp.float32)",
        "y = jax.jit(lambda x: jnp.quantile(x, 0.3, axis=1))(x)",
        "y = np.average(np.array([[1.0, 2.0], [3.0, 5.0]]), axis=1, weights=[1.0, 3.0])",
        "y = jnp.dot(x, np.array([1.0, 2.0, 4.0]) / 3.0)",  # double precision that JAX takes as single
    ],
)  # fmt: skip
def test_values_and_dtypes_are_those_of_the_library(text):
    found, right = read(BEGIN + text), np.asarray(of_library(text)["y"])
    assert not found.refused
    np.testing.assert_allclose(found.values()["y"], right, rtol=1e-6)
    assert found.values()["y"].shape == right.shape


@pytest.mark.parametrize(
    "text",
    [
        # A function inside of a declared derivative is a term of its lambda.
        "@jax.custom_vjp\ndef f(x):\n    return jnp.sum(x**2)\n"
        "f.defvjp(lambda x: (f(x), x), lambda x, v: (v * jnp.clip(x, -1.0, 1.0) / (1.0 + jnp.var(x)),))\n"
        "g = jax.grad(f)(x)",
        "g = jax.grad(lambda x: jax.grad(lambda s: jnp.sum(jnp.std(x * s) ** 3))(1.5))(x)",
        "g = jax.grad(lambda x: jnp.sum(jax.lax.clamp(-1.0, x, 0.0 * x + jnp.max(x) / 2) ** 2))(x)",
        "g = jax.jacobian(lambda x: jnp.median(x, axis=0))(x)[:, 1]",
    ],
)  # fmt: skip
def test_derivatives_are_those_of_the_library(text):
    found, right = read(BEGIN + text), np.asarray(of_library(text)["g"])
    assert not found.refused
    np.testing.assert_allclose(found.values()["g"], right, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("y = np.sort(np.array([2.0, 1.0]), descending=True)", "unexpected keyword argument 'descending'"),
        ("y = np.mean(np.array([2.0, 1.0]), axis=1)", "There is no axis 1"),
        ("y = jax.vmap(jnp.linalg.inv)(jnp.ones((2, 2, 2)))", "has no inverse"),
        ("y = jnp.add([1.0], x)", "JAX refuses a list"),
        ("y = jnp.where([True], x, 0.0)", "JAX refuses a list"),
        ("y = jnp.fix(x)", "JAX has no jax.numpy.fix"),
        ("y = np.bfloat16(1.0)", "NumPy has no numpy.bfloat16"),
        ("y = jnp.diff(x, 100000)", "up to 7 times"),
        ("y = jnp.array_split(x, 60000, axis=1)", "up to 256 times"),
        ("y = jnp.pad(x, 30000)", "at most 65,536 elements"),
    ],
)  # fmt: skip
def test_a_call_is_refused_with_the_reason(text, says):
    begun = time.process_time()
    (problem,) = read(BEGIN + text).refused
    assert says in problem.message
    assert time.process_time() - begun < 10


def test_a_function_is_a_group_and_one_that_is_an_op_a_node():
    found = read(BEGIN + "y = jnp.var(x)\nz = jnp.logaddexp(x, y)\nw = jnp.clip(x, -1.0, 1.0)")
    assert [(group.name, len(group.nodes)) for group in found.graph.groups] == [("var", 5)]
    assert [node.op for node in found.graph.nodes][-2:] == ["logaddexp", "clip"]


def test_what_is_computed_to_refuse_a_matrix_is_not_in_the_graph():
    found = read(BEGIN + "y = jnp.linalg.inv(jnp.array([[2.0, 1.0], [-1.0, 3.0]]))\nz = jnp.sum(x)")
    assert [group.name for group in found.graph.groups] == ["inv"]
