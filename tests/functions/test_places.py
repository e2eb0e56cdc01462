"""Test that elements which JAX picks or puts at places are ops with JAX's own values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autodiff_viz as av

_draw = np.random.default_rng(0)
X = _draw.normal(size=(4, 3)).astype("float32")
V = _draw.normal(size=(4, 3)).astype("float32")
TIES = np.array([[1.0, 3.0, 3.0, 3.0], [2.0, 2.0, 0.0, 2.0]], "float32")


def ints(*rows: Any) -> np.ndarray:
    return np.array(rows)


TWICE, FROM_END, OUTSIDE = ints(1, 3, 0, 3), ints(1, -1, -4, 3), ints(1, -5, 4, 3)

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], set[str]]] = {
    # As flax.linen.Embed and flax.nnx.Embed look rows up.
    "embed": (lambda w, ids: jnp.take(w, ids, axis=0), (X, ints([0, 3], [3, 1])), {"take"}),
    "repeated": (lambda x, i: x[i], (X, TWICE), {"take"}),
    "from the end": (lambda x, i: x[i], (X, FROM_END), {"take"}),
    "take from the end": (lambda x, i: jnp.take(x, i, axis=0), (X, FROM_END), {"take"}),
    "take outside": (lambda x, i: jnp.take(x, i, axis=0), (X, OUTSIDE), {"take"}),
    "take of constants": (lambda x: jnp.take(x, TWICE, axis=0), (X,), {"take"}),
    "take of constants outside": (lambda x: jnp.take(x, OUTSIDE, axis=1), (X,), {"take"}),
    "take in a row": (lambda x, i: jnp.take(x, i), (X, ints(11, 0, 11)), {"take"}),
    "take of a column": (lambda x, i: jnp.take(x, i, axis=1), (X, ints([0, 2], [-1, 1])), {"take"}),
    "columns": (lambda x, i: x[:, i], (X, ints(2, 0, 2)), {"take"}),
    "a cell of each pair": (lambda x: x[TWICE, ints(0, 1, 2, 1)], (X,), {"take"}),
    "a cell of each row": (lambda x, i: x[jnp.arange(4), i], (X, ints(0, 2, -1, 1)), {"take_along_axis"}),
    "cells of some rows": (
        lambda x, i: x[ints(3, 3, 0), i], (X, ints(0, 2, 1)), {"take", "take_along_axis"},
    ),
    "one column of some rows": (lambda x, i: x[i, 1], (X, TWICE), {"take_along_axis"}),
    "along an axis": (
        lambda x, i: jnp.take_along_axis(x, i, axis=0), (X, ints([0, 3, 2], [1, -1, 2])), {"take_along_axis"},
    ),
    "along an axis, outside": (
        lambda x, i: jnp.take_along_axis(x, i, axis=1), (X, ints([0], [3], [-4], [1])), {"take_along_axis"},
    ),
    "along an axis, the same of all": (
        lambda x, i: jnp.take_along_axis(x, i, axis=0), (X, ints([3], [3])), {"take"},
    ),
    "where it is largest": (lambda x: x[jnp.argmax(x[:, 0])], (X,), {"argmax", "take"}),
    "a cell where it is largest": (lambda x: x[jnp.argmax(x[:, 0]), 1], (X,), {"argmax", "take"}),
    "of each row the largest": (
        lambda x: jnp.take_along_axis(x, jnp.argmax(x, 1, keepdims=True), 1), (X,),
        {"argmax", "take_along_axis"},
    ),
    "mapped": (lambda x, i: jax.vmap(lambda x, i: x[i])(x, i), (X, ints(0, 1, 2, 0)), {"take_along_axis"}),
    "mapped, outside, which clips": (
        lambda x, i: jax.vmap(lambda x, i: x[i])(x, i), (X, ints(0, 5, -1, -9)), {"clip", "take_along_axis"},
    ),
    "mapped, two of each": (
        lambda x, i: jax.vmap(lambda x, i: x[i])(x, i), (X, ints([0, 1], [1, 2], [0, 0], [2, -1])),
        {"take_along_axis"},
    ),
    "mapped over places": (
        lambda x, i: jax.vmap(lambda i: x[i])(i), (X, ints([0, 1], [1, 2])), {"take"},
    ),
    "one behind the largest, which may clip": (
        lambda x: x[jnp.argmax(x[:, 0]) + 1], (X,), {"argmax", "clip", "take"},
    ),
    "places that are clipped": (lambda x, i: x[jnp.clip(i, 0, 2)], (X, ints(5, -3, 1)), {"minimum", "take"}),
    "a comparison as a place": (
        lambda x: jnp.take(x, (x[:, 0] > 0).astype(int), axis=0), (X,), {"greater", "take"},
    ),
    "added": (lambda x, i, v: x.at[i].add(v), (X, TWICE, V), {"at_add"}),
    "added from the end": (lambda x, i, v: x.at[i].add(v), (X, FROM_END, V), {"at_add"}),
    "added outside": (lambda x, i, v: x.at[i].add(v), (X, OUTSIDE, V), {"at_add"}),
    "added to columns": (lambda x, i, v: x.at[:, i].add(v), (X, ints(0, 2), np.float32(2.0)), {"at_add"}),
    "added at constants": (lambda x, v: x.at[TWICE].add(v), (X, V), {"at_add"}),
    "added at constants outside": (lambda x, v: x.at[OUTSIDE].add(v), (X, V), {"at_add"}),
    "added to cells": (lambda x, v: x.at[TWICE, ints(0, 1, 2, 1)].add(v[:, 0]), (X, V), {"at_add"}),
    "added to a slice": (lambda x, v: x.at[1:3].add(v[:2]), (X, V), {"at_add"}),
    "added where it is largest": (
        lambda x: x.at[jnp.argmax(x[:, 0])].add(x[1]), (X,), {"argmax", "at_add"},
    ),
    "sums of segments": (
        lambda x, i: jax.ops.segment_sum(x, i, num_segments=3), (X, ints(0, 2, 1, 2)), {"at_add"},
    ),
    "set": (lambda x, i, v: x.at[i].set(v[:3]), (X, ints(1, 3, 0), V), {"at_add", "where"}),
    "set at constants": (lambda x, v: x.at[ints(1, 3, 0)].set(v[:3]), (X, V), {"at_add", "where"}),
    "set twice": (lambda x, v: x.at[ints(1, 3, 1)].set(v[:3]), (X, V), {"at_add", "where"}),
    "set outside": (lambda x, v: x.at[OUTSIDE].set(v), (X, V), {"at_add", "where"}),
    "set cells": (lambda x, v: x.at[ints(1, 2, 3), ints(0, 1, 2)].set(v[:3, 0]), (X, V), {"at_add", "where"}),
    "set where it is largest": (
        lambda x: x.at[jnp.argmax(x[:, 0])].set(0.0), (X,), {"argmax", "at_add", "where"},
    ),
    "the largest two": (lambda x: lax.top_k(x, 2)[0], (X,), {"argsort", "take_along_axis"}),
    "the largest two of equal ones": (lambda x: lax.top_k(x, 2)[0], (TIES,), {"argsort", "take_along_axis"}),
    "where the largest two are": (
        lambda x: jnp.take_along_axis(x * x, lax.top_k(x, 2)[1], axis=1), (X,),
        {"argsort", "take_along_axis"},
    ),
    "rows in order": (lambda x: x[jnp.argsort(x[:, 0])], (X,), {"argsort", "take"}),
    "rows in falling order": (
        lambda x: x[jnp.argsort(x[:, 0], descending=True)], (X,), {"argsort", "take"},
    ),
}  # fmt: skip


def pulled(function: Callable[..., Any], args: tuple[Any, ...], seed: np.ndarray | None = None):
    """The value, a seed of its shape, and what JAX passes to each array of floats."""
    floats = [i for i, each in enumerate(args) if each.dtype.kind == "f"]

    def run(*some: Any) -> Any:
        merged = [jnp.asarray(each) for each in args]
        for i, each in zip(floats, some, strict=True):
            merged[i] = each
        return function(*merged)

    value, pull = jax.vjp(run, *[args[i] for i in floats])
    seed = np.random.default_rng(1).normal(size=value.shape).astype("float32")
    return value, seed, dict(zip(floats, pull(jnp.asarray(seed)), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_places_are_ops_with_the_values_and_gradients_of_jax(name):
    function, args, ops = CASES[name]
    graph = av.from_function(function, *args)
    assert [str(node.op) for node in graph.nodes if node.is_native] == []
    assert ops <= {node.op for node in graph.nodes}
    value, seed, wanted = pulled(function, args)
    found = av.trace(graph, seed=seed)
    np.testing.assert_allclose(found.value[graph.output], value, rtol=1e-6)
    inputs = [node.name for node in graph.nodes if node.op == "input"]
    for i, gradient in wanted.items():
        np.testing.assert_allclose(found.gradient[inputs[i]], gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_such_a_graph_is_a_formula_a_document_a_link_and_a_program(name):
    function, args, _ = CASES[name]
    graph = av.from_function(function, *args)
    assert av.parse(av.show(graph)) == graph
    assert av.from_json(av.to_json(graph)) == graph
    assert av.from_link(av.to_link(graph)) == graph
    program: dict[str, Any] = {"__name__": "exported"}
    exec(av.to_python(graph), program)
    value, _, _ = pulled(function, args)
    inputs = [program[node.name] for node in graph.nodes if node.op == "input"]
    np.testing.assert_allclose(program["forward"](*inputs), value, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        # JAX promises nothing of what these give.
        (lambda x, i: x[i], (X, OUTSIDE)),
        # Two places of each element are arguments: no op has such.
        (lambda x, i: x[i, i], (X, ints(0, 2))),
        # Which of two updates remains is known only where the places are constant.
        (lambda x, i, v: x.at[i].set(v), (X, TWICE, V)),
        # bfloat16 has no 257.
        (lambda x, i: x[i], (np.ones(300, jnp.bfloat16), ints(257, 256))),
        # top_k holds 0 to be larger than -0.
        (lambda x: lax.top_k(x, 1)[0], (np.array([-0.0, 0.0], "float32"),)),
    ],
)
def test_what_is_not_the_same_stays_a_node_of_jax(function, args):
    graph = av.from_function(function, *args)
    assert any(node.is_native for node in graph.nodes)
    dtype = str(args[0].dtype)
    found = av.trace(graph, dtype=dtype)
    np.testing.assert_array_equal(found.value[graph.output], function(*map(jnp.asarray, args)))


def test_sums_of_places_take_time_in_proportion():
    """Each of 60 sums is read twice, so that paths double with each."""

    def function(x):
        place = jnp.argmin(x[:, 0]) * 0
        for _ in range(60):
            place = place + place
        return x[place]

    graph = av.from_function(function, X)
    assert len(graph.nodes) < 200
    np.testing.assert_array_equal(av.trace(graph).value[graph.output], X[0])


def test_a_pullback_of_a_users_own_rule_may_use_places():
    @jax.custom_vjp
    def pick(x):
        return x[jnp.argmax(x)]

    pick.defvjp(lambda x: (pick(x), x), lambda x, v: (jnp.zeros_like(x).at[jnp.argmin(x)].add(2.0 * v),))
    graph = av.from_function(lambda x: pick(x) * 3.0, np.array([2.0, -1.0, 0.5], "float32"))
    (ruled,) = [node for node in graph.nodes if node.rule.kind == "pullback"]
    assert "at_add" in av.show(graph)
    assert av.trace(graph).gradient["x"].tolist() == [0.0, 6.0, 0.0]
    assert ruled.op == "first"
