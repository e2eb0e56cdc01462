"""Test modules of Equinox and Flax as they are: parameters by path, layers as groups, JAX's numbers.

Flax is no test tool, since it brings uvloop, which would change the server that the other tests run. To run
its tests: pip install --no-deps flax==0.12.8 orbax-checkpoint==0.12.8 msgpack rich treescope.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.whole_program.program import Program

X = np.random.default_rng(0).normal(size=(2, 3)).astype("float32")


def gradients(graph):
    """By name of a parameter, of the whole program, which compiles nothing."""
    inputs = {node.name: own_value(node, "float32") for node in graph.nodes if node.op == "input"}
    bare = av.Graph(graph.nodes, graph.regions, graph.output)
    found = jax.grad(lambda inputs: Program(bare, "float32")(inputs, {}, {})[0])(inputs)
    return {name: found[name] for name in found if graph[name].is_parameter}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-5, atol=1e-6, err_msg=name)


def test_a_module_of_equinox():
    eqx = pytest.importorskip("equinox")
    model = eqx.nn.MLP(3, 2, 4, 1, key=jax.random.key(0))

    def loss(model, x):
        return jnp.mean(jax.vmap(model)(x) ** 2)

    graph = av.from_function(loss, model, X)
    found = eqx.filter_grad(loss)(model, X)
    layers = enumerate(found.layers)
    expected = {f"layers_{i}_{of}": getattr(layer, of) for i, layer in layers for of in ("weight", "bias")}
    assert_same(gradients(graph), expected)
    assert [group.name for group in graph.groups] == ["eqx.nn.MLP", "eqx.nn.Linear", "eqx.nn.Linear_1"]
    assert len(av.from_function(model, X[0]).groups) == 3  # the module itself is called


def test_a_setting_of_a_module_is_no_input():
    eqx = pytest.importorskip("equinox")
    attention = eqx.nn.MultiheadAttention(2, 4, key=jax.random.key(1))  # a dropout inside has the rate 0.0
    graph = av.from_function(lambda m, q: jnp.sum(m(q, q, q) ** 2), attention, np.ones((3, 4), "float32"))
    assert [name for name in gradients(graph) if "dropout" in name] == []


def test_a_module_of_flax_linen():
    nn = pytest.importorskip("flax.linen")

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Dense(4)(x))
            return nn.Dense(2)(nn.LayerNorm()(x))

    model = Model()
    params = model.init(jax.random.key(0), X)

    def loss(params, x):
        return jnp.mean(model.apply(params, x) ** 2)

    graph = av.from_function(loss, params, X)
    leaves = jax.tree_util.tree_leaves_with_path(jax.grad(loss)(params, X))
    assert_same(gradients(graph), {"_".join(key.key for key in path): leaf for path, leaf in leaves})
    assert [group.name for group in graph.groups] == ["Model", "Dense_0", "LayerNorm_0", "Dense_1"]


def test_a_module_of_flax_nnx():
    nnx = pytest.importorskip("flax.nnx")

    class Model(nnx.Module):
        def __init__(self, rngs):
            self.first = nnx.Linear(3, 4, rngs=rngs)
            self.last = nnx.Linear(4, 2, rngs=rngs)

        def __call__(self, x):
            return jnp.mean(self.last(nnx.relu(self.first(x))) ** 2)

    model = Model(nnx.Rngs(0))
    graph = av.from_function(model, X)
    found = nnx.grad(lambda model: model(X))(model)
    assert_same(
        gradients(graph),
        {f"{layer}_{of}": found[layer][of][...] for layer in ("first", "last") for of in ("kernel", "bias")},
    )
