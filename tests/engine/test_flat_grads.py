"""Test that nothing arrives through a grad node where JAX's second derivative is symbolically zero.

A rule that is not 0 at 0 is run where a 0 arrives, and is not where nothing does. The graphs have such rules
in many places, and ops whose slope is a constant, a condition, an index or a permutation.
"""

import contextlib
import io
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import precision
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from tests.engine.references.flat_grads import flat_text
from tests.engine.references.symbolic_zeros import arrives
from tests.export.programs import loaded


@jax.custom_vjp
def one_more(x):
    """Return x; one more is passed than arrives, and nothing where nothing arrives."""
    return x


one_more.defvjp(lambda x: (one_more(x), None), lambda _, v: (v + 1.0,))
X = "x = rewrite({}, lambda v: v + 1.0)\n"
W = "w = rewrite({}, lambda v: v + 1.0)\n"
PAIR = jnp.array([0.5, 0.2])

# By name: the graph, the same function of x in plain JAX, x, and the gradient, worked out by hand.
NOTHING = {
    "a condition": (
        X.format(2.0) + "z = where(x > 1.0, x, 0.0)\ny = grad(z, x)",
        lambda x: jax.grad(lambda x: jnp.where(x > 1.0, x, 0.0))(one_more(x)),
        2.0,
        0.0,
    ),
    "a comparison with bounds": (
        X.format(0.5) + "z = clip(x, 0.0, 1.0)\ny = grad(z, x)",
        lambda x: jax.grad(lambda x: jnp.clip(x, 0.0, 1.0))(one_more(x)),
        0.5,
        0.0,
    ),
    "the sign": (
        X.format(0.5) + "z = leaky_relu(x)\ny = grad(z, x)",
        lambda x: jax.grad(jax.nn.leaky_relu)(one_more(x)),
        0.5,
        0.0,
    ),
    "the order": (
        X.format([0.5, 0.2]) + "z = sort(x)\ny = sum(grad(z, x))",
        lambda x: jnp.sum(jax.grad(lambda x: jnp.sum(jnp.sort(x)))(one_more(x))),
        PAIR,
        [0.0, 0.0],
    ),
    # dz/dw = 2 w inside the bounds, which has a slope by w and none by the bound x
    "a bound": (
        "w = 0.5\n" + X.format(0.0) + "z = clip(square(w), x, 1.0)\ny = grad(z, w)",
        lambda x: jax.grad(lambda w: jnp.clip(jnp.square(w), one_more(x), 1.0))(0.5),
        0.0,
        0.0,
    ),
    "the other branch": (
        "w = 2.0\n" + X.format(3.0) + "z = where(w > 1.0, square(w), x)\ny = grad(z, w)",
        lambda x: jax.grad(lambda w: jnp.where(w > 1.0, jnp.square(w), one_more(x)))(2.0),
        3.0,
        0.0,
    ),
    "a step in a gradient of a gradient": (
        X.format(0.5) + "z = clip(x * x, 0.0, 1.0)\ng = grad(z, x)\ny = grad(g, x)",
        lambda x: jax.grad(jax.grad(lambda x: jnp.clip(x * x, 0.0, 1.0)))(one_more(x)),
        0.5,
        0.0,
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_a_rule_is_not_run_where_the_second_derivative_is_symbolically_zero(case):
    text, function, at, wanted = NOTHING[case]
    np.testing.assert_array_equal(jax.grad(function)(at), wanted)
    found = av.trace(av.parse(text))
    np.testing.assert_array_equal(found.gradient["x"], wanted)
    assert found.cotangent.is_symbolic_zero("x")
    assert av.verify(found).agrees


def test_it_is_run_where_a_computed_zero_arrives():
    """The twin that must differ: 0 x^2 has a second derivative, which is 0 times 2."""
    found = av.trace(av.parse(X.format(2.0) + "z = 0.0 * square(x)\ny = grad(z, x)"))
    assert jax.grad(lambda x: jax.grad(lambda x: 0.0 * jnp.square(x))(one_more(x)))(2.0) == 1.0
    assert found.gradient["x"] == 1.0
    assert not found.cotangent.is_symbolic_zero("x")


def test_a_rule_behind_such_a_gradient_does_not_block_forward_mode():
    """No tangent of w arrives at the rule: the slope of z by x is 1 or 0, whatever w is."""
    text = "x = 2.0\nw = 1.0\nz = where(w > x, w, x)\ny = rewrite(grad(z, x), lambda v: v + 1.0)"
    found = av.jvp(av.parse(text), {"w": 1.0})

    def function(w):
        return one_more(jax.grad(lambda x: jnp.where(w > x, w, x))(2.0))

    assert jax.jvp(function, (1.0,), (1.0,)) == (1.0, 0.0)
    assert (found.blocked, found.tangent["y"]) == ((), 0.0)
    assert av.verify_tangents(found).agrees


def test_the_z_of_a_gradient_without_a_path_does_not_block_forward_mode():
    """d sin(r)/dx is 0 without sin(r), so a function that is written for it does not call the rule."""
    text = "x = 0.6\nw = 0.4\nr = rewrite(w, lambda v: v + 1.0)\nz = sin(r)\ny = x + grad(z, x) * w"
    found = av.jvp(av.parse(text), {"w": 1.0})
    assert (found.blocked, found.aside, found.tangent["y"]) == ((), ("r",), 0.0)
    assert av.verify_tangents(found).agrees
    _push(loaded(av.to_python(found.graph))["forward"], found.trace.inputs, ["w"])


def test_a_rule_that_a_gradient_runs_again_blocks_forward_mode():
    """The twin that must differ: with a path from x to z the function under `jax.grad` calls the rule."""
    text = "x = 0.6\nw = 0.4\nr = rewrite(w * x, lambda v: v + 1.0)\nz = sin(r)\ny = grad(z, x) * w"
    found = av.jvp(av.parse(text), {"w": 1.0})
    assert "r" in found.blocked
    assert av.verify_tangents(found).agrees
    with pytest.raises(TypeError, match="custom_vjp"):
        _push(loaded(av.to_python(found.graph))["forward"], found.trace.inputs, ["w"])


def test_a_training_moves_no_parameter_at_which_nothing_arrives():
    text = "x = rewrite(parameter(2.0), lambda v: v + 1.0)\nz = where(x > 1.0, x, 0.0)\ny = grad(z, x)"
    assert av.train(av.parse(text), steps=2, rate=0.1).parameters["x"] == 2.0


SEEDS = range(int(os.environ.get("GRADIENTS", 72)))


def able(seed: int, leaf: str = "{}") -> av.Graph:
    """A random graph that can run: no third order, no region that other nodes cut through."""
    graph = av.parse(flat_text(seed, leaf))
    if av.problems(graph):
        pytest.skip("the graph cannot run")
    return graph


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_something_arrives_where_it_does_in_the_whole_program_and_in_the_exported_file(seed):
    found = av.trace(able(seed), dtype="float64")
    program = loaded(av.to_python(found.graph, dtype="float64"))
    with precision(found.dtype):
        given = {name: jnp.asarray(value) for name, value in found.inputs.items()}
        value, pull = jax.vjp(program["forward"], *given.values())
        gradients = pull(jnp.ones_like(value))
        reached = arrives(lambda inputs: program["forward"](*inputs.values()), given)
        wires = arrives(*_whole_program(found))
    assert {name for name in given if not found.gradient.is_symbolic_zero(name)} == reached
    live = {(name, ARRIVING) for name in found.value if not found.cotangent.is_symbolic_zero(name)}
    live |= {wire for wire in found.passed if not found.passed.is_symbolic_zero(wire)}
    assert live == wires
    for name, gradient in zip(given, gradients, strict=True):
        np.testing.assert_allclose(found.gradient[name], gradient, rtol=1e-10, atol=1e-12, err_msg=name)
    verdict = av.verify(found)
    # With the options of the day XLA's tanh has a few units more in the last place than the live path's own.
    assert verdict.agrees or (verdict.worst < 1e-14 and not verdict.miscounted)


def _whole_program(found):
    """The whole program as a function of the zeros that are added along its wires, and these zeros."""
    graph, program = found.graph, Program(found.graph, found.dtype)
    places = [(node.name, ARRIVING, node.name) for node in graph.nodes]
    places += [(node.name, slot, read) for node in graph.nodes for slot, read in node.wires]
    zeros = {(name, slot): jnp.zeros_like(found.value[read]) for name, slot, read in places}
    inputs = {name: jnp.asarray(value) for name, value in found.inputs.items()}
    return lambda sinks: program(inputs, dynamic_params(graph), sinks)[0], zeros


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_mode_is_blocked_where_jax_jvp_of_the_exported_file_raises(seed):
    found = av.trace(able(seed), dtype="float64")
    program = loaded(av.to_python(found.graph, dtype="float64"))
    for names in (["x"], ["w"], ["x", "w"]):
        pushed = av.jvp(found, dict.fromkeys(names, 1.0))
        assert av.verify_tangents(pushed).agrees
        raises = pytest.raises(TypeError, match="custom_vjp") if pushed.blocked else contextlib.nullcontext()
        with precision(found.dtype), raises:
            _push(program["forward"], found.inputs, names)


def _push(forward, inputs, names):
    """Run `jax.jvp` of the function of the named inputs."""

    arrays = {name: jnp.asarray(value) for name, value in inputs.items()}  # as in the file

    def of_named(*some):
        return forward(*{**arrays, **dict(zip(names, some, strict=True))}.values())

    some = [arrays[name] for name in names]
    return jax.jvp(of_named, some, [jnp.ones_like(array) for array in some])


@pytest.mark.sampled(24)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_training_makes_the_steps_of_its_exported_file(seed):
    graph, given = able(seed, leaf="parameter({})"), {"steps": 3, "rate": 0.01, "dtype": "float64"}
    found = av.train(graph, **given)
    with jax.numpy_dtype_promotion("standard"), contextlib.redirect_stdout(io.StringIO()):
        end = loaded(av.training_to_python(graph, **given), "__main__")
    for name, array in found.parameters.items():
        np.testing.assert_allclose(array, np.asarray(end["parameters"][name]), rtol=1e-9, atol=1e-11)
