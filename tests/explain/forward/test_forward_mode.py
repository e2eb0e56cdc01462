"""Test that tangents are those of `jax.jvp` of the whole program, which raises where a rule blocks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.engine.live_path.arrays import Arrays
from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.engine.live_path.tangents import push_forward
from autodiff_viz.engine.trace import precision
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, SCALE, STOP
from tests.engine.references.scalar_graphs import NUMBERS, scalar_graphs
from tests.ops.samples import WIRED, sample

SEEN = {FOLLOW, STOP, BACKWARD_AS}  # rules that jax.jvp takes
DTYPES = st.sampled_from(["float32", "float64"])


def directions(data, graph):
    """Tangents of some of the inputs, also of 0."""
    inputs = [node.name for node in graph.nodes if node.op == INPUT]
    chosen = data.draw(st.sets(st.sampled_from(inputs), min_size=1))
    return {name: data.draw(NUMBERS) for name in sorted(chosen)}


@settings(max_examples=25)
@given(graph=scalar_graphs(), data=st.data(), dtype=DTYPES)
def test_jax_jvp_of_the_whole_program_agrees_and_raises_where_a_rule_blocks(graph, data, dtype):
    found = av.jvp(graph, directions(data, graph), dtype=dtype)
    verdict = av.verify_tangents(found)
    assert verdict.agrees, (verdict, found.blocked)


@settings(max_examples=20)
@given(graph=scalar_graphs(), data=st.data())
def test_without_rules_that_block_reverse_and_forward_mode_agree_on_the_output(graph, data):
    nodes = tuple(n if n.rule.kind in SEEN else replace(n, rule=av.Rule()) for n in graph.nodes)
    graph = replace(graph, nodes=nodes)
    found = av.jvp(graph, directions(data, graph), dtype="float64")
    assert found.blocked == ()
    assert av.verify_tangents(found).agrees
    reverse, forward = found.balance
    size = sum(abs(float(found.trace.cotangent[n] * found.tangent[n])) for n in found.direction)
    assert abs(reverse - forward) <= 1e-9 * max(1.0, size, abs(forward))
    for node in graph.nodes:  # the wires of a node add up to its tangent
        if node.op != INPUT:
            parts = [float(found.passed[node.name, slot]) for slot, _ in node.wires]
            assert sum(parts) == pytest.approx(float(found.tangent[node.name]), rel=1e-9, abs=1e-9)


@settings(max_examples=12)
@given(graph=scalar_graphs(), data=st.data())
def test_without_rules_a_tangent_is_the_slope_along_the_direction(graph, data):
    plain = tuple(replace(n, slots=n.op_slots, rule=av.Rule()) for n in graph.nodes)
    graph, step = replace(graph, nodes=plain), 1e-6
    found = av.jvp(graph, directions(data, graph), dtype="float64")
    at = {
        sign: av.trace(
            graph,
            {name: found.trace.inputs[name] + sign * step * dot for name, dot in found.direction.items()},
            dtype="float64",
        )
        for sign in (-1, 1)
    }
    for name, tangent in found.tangent.items():
        slope = (at[1].value[name] - at[-1].value[name]) / (2 * step)
        size = 1 + abs(float(found.trace.value[name]))
        assert abs(float(tangent) - float(slope)) <= 1e-5 * (abs(float(slope)) + size), name


@pytest.mark.nightly
def test_the_tangent_of_every_op_that_mixes_elements_is_that_of_jax_jvp():
    wrong = []
    for op in (op for op in WIRED if not op.elementwise):  # those that are stand in the random graphs
        shapes, given = op.examples[-1]
        arrays = sample(op, shapes)
        names = [f"x{i}" for i in range(len(arrays))]
        nodes = [Node(name, INPUT, (), params(value=0.0)) for name in names]
        graph = Graph((*nodes, Node("y", op.name, tuple(names), params(**given))), (), "y")
        moved = [np.random.default_rng(1).uniform(-2.0, 2.0, array.shape) for array in arrays]
        with precision("float64"):
            prepared = prepare(graph, dict(zip(names, arrays, strict=True)), "float64", forward_only=True)
            called = [[prepared.known[key] for key in step.reads] for step in prepared.steps]
            found = push_forward(prepared, called, dict(zip(names, moved, strict=True)))
            expected = jax.jit(lambda a, t, op=op, given=given: jax.jvp(partial(op.apply, **given), a, t)[1])
            expected = expected(arrays, moved)
        tangent = 0.0 if found.tangent["y"] is None else found.tangent["y"]
        if not np.allclose(tangent, expected, rtol=1e-9, atol=1e-9):
            wrong.append(op.name)
    assert wrong == []


def test_a_tampered_tangent_is_refused():
    found = av.jvp(av.parse("x = 0.6\ny = sin(x) * x"), {"x": 1.0})
    assert av.verify_tangents(found).agrees
    wrong = {**found.tangent, "y": found.tangent["y"] * np.float32(1.001)}
    tampered = replace(found, tangent=Arrays(wrong, "float32", lambda name: ()))
    verdict = av.verify_tangents(tampered)
    assert not verdict.agrees
    assert found.balanced
    assert not tampered.balanced
    assert verdict.where == "the tangent of 'y'"
    assert not av.verify_tangents(replace(found, blocked=("y",))).agrees  # JAX does not raise


def test_what_each_kind_of_rule_does():
    """As `jax.jvp` of the same function: stop 0, backward_as the alternative's, every custom_vjp raises."""
    graph = "x = 3.2\ny = {}\nz = y * 2.0"
    by = {
        "sin(x)": np.cos(3.2) * 2,
        "stop_gradient(sin(x))": 0.0,
        "backward_as(round(x), x * 3.0)": 6.0,
        "backward_as(round(x), 1.0)": 0.0,
    }
    for rule, expected in by.items():
        found = av.jvp(av.parse(graph.format(rule)), {"x": 1.0})
        assert (found.blocked, float(found.tangent["z"])) == ((), pytest.approx(expected, rel=1e-6)), rule
    for rule in (
        "rewrite(sin(x), lambda v: v)",
        "scale_gradient(x, 0.5)",
        "custom(sin(x), pullback=lambda v, x, y: v)",
    ):
        found = av.jvp(av.parse(graph.format(rule)), {"x": 1.5})
        assert found.blocked == ("y",), rule
        assert "z" not in found.tangent
        assert found.balance is None
        assert {"y": {k: float(v) for k, v in found.arriving["y"].items()}} == {"y": {"x": 1.5}}
    behind = av.jvp(av.parse(graph.format("scale_gradient(stop_gradient(x), 0.5)")), {"x": 1.0})
    assert (behind.blocked, float(behind.tangent["z"])) == ((), 0.0)  # only a symbolic zero arrives


@pytest.mark.parametrize(("rule", "blocked"), [(av.Rule(STOP), ()), (av.Rule(SCALE, number=0.5), ("x",))])
def test_an_input_with_a_rule(rule, blocked):
    graph = av.parse("x = 2.0\ny = x * x")
    graph = replace(graph, nodes=tuple(replace(n, rule=rule) if n.name == "x" else n for n in graph.nodes))
    found = av.jvp(graph, {"x": 1.0})
    assert found.blocked == blocked
    assert dict(found.tangent) == ({} if blocked else {"x": 0.0, "y": 0.0})
    assert av.verify_tangents(found).agrees


def test_forward_over_reverse_is_blocked_at_a_declared_pullback():
    """jax #16049: jax.hessian raises a TypeError."""
    text = "x = 1.0\ny = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\nz = f * y"
    found = av.jvp(av.parse(text), {"x": 1.0, "y": 1.0})
    assert found.blocked == ("f",)
    assert av.verify_tangents(found).agrees

    @jax.custom_vjp
    def f(x):
        return jnp.sin(x)

    f.defvjp(lambda x: (f(x), x), lambda x, v: (v * jnp.cos(x),))
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.hessian(lambda x, y: f(x) * y)(1.0, 2.0)
    assert float(av.jvp(av.parse(text), {"y": 0.5}).tangent["z"]) == pytest.approx(0.5 * np.sin(1.0))


def test_a_hessian_vector_product_is_a_tangent_through_the_gradient():
    """f = x^2 y + y^3 at (1, 2): its gradient is (2 x y, x^2 + 3 y^2), H = [[4, 2], [2, 12]]."""
    text = "x = 1.0\ny = 2.0\ngx = 2.0 * x * y\ngy = square(x) + 3.0 * square(y)\ng = stack([gx, gy])"
    found = av.jvp(av.parse(text), {"x": 1.0, "y": 1.0})
    np.testing.assert_allclose(found.trace.value["g"], [4.0, 13.0])
    np.testing.assert_allclose(found.tangent["g"], [6.0, 14.0])


def test_tensors_broadcasts_regions_and_muted_nodes():
    text = """x = [1.0, 2.0, 3.0]
b = 0.5
with checkpoint("r"):
    h = sin(x * b)
    s = softmax(h)
y = sum(s * [1.0, -1.0, 2.0]) + relu(b)"""
    found = av.jvp(av.parse(text), {"x": [1.0, 0.0, -1.0], "b": 2.0})

    def by_hand(x, b):
        return jnp.sum(jax.nn.softmax(jnp.sin(x * b)) * jnp.array([1.0, -1.0, 2.0])) + b

    primals, tangents = (jnp.array([1.0, 2.0, 3.0]), 0.5), (jnp.array([1.0, 0.0, -1.0]), 2.0)
    np.testing.assert_allclose(found.tangent["y"], jax.jvp(by_hand, primals, tangents)[1], rtol=1e-5)
    assert av.verify_tangents(found).agrees
    muted = replace(
        av.parse("x = 1.0\ny = sin(x)"),
        nodes=tuple(replace(n, muted=n.name == "y") for n in av.parse("x = 1.0\ny = sin(x)").nodes),
    )
    assert float(av.jvp(muted, {"x": 3.0}).tangent["y"]) == 3.0


def test_sums_that_cancel_are_equal_up_to_rounding():
    """The elements of a softmax add up to 1, so no direction moves their sum: both sides are 0."""
    found = av.jvp(av.parse("x = [1.0, 2.0, 3.0]\ny = softmax(tanh(x))"), {"x": [1.0, 1.0, -1.0]})
    assert found.balance == pytest.approx((0.0, 0.0), abs=1e-6)
    assert found.balanced


def test_a_stopped_zero_does_not_meet_an_infinite_slope():
    """The slope of the root at 0 is infinite: 0 times it would be NaN, and nothing moves there."""
    found = av.jvp(av.parse("x = 0.0\nw = 1.0\ny = sqrt(x) * w"), {"w": 1.0})
    assert float(found.tangent["y"]) == 0.0
    moved = av.jvp(av.parse("x = 0.0\nw = 1.0\ny = sqrt(x) * w"), {"x": 0.0, "w": 1.0})
    assert np.isnan(moved.tangent["y"])  # as jax.jvp: 0 is a tangent like any other
    assert av.verify_tangents(moved).agrees


def test_only_what_leads_to_the_output_blocks():
    """z = 2 x does not need the rewrite, so jax.jvp of the function from x to z has 2."""
    text = "x = 1.0\na = rewrite(x, lambda v: v * 2.0)\nb = a * 3.0\nz = x * 2.0\nreturn z"
    found = av.jvp(av.parse(text), {"x": 1.0})
    assert (found.blocked, found.aside) == ((), ("a",))
    assert found.balance == (2.0, 2.0)
    verdict = av.verify_tangents(found)
    assert (verdict.agrees, verdict.compared) == (True, 2)  # x and z; a and b are unknown


def test_a_blocked_node_behind_a_blocked_one_has_no_known_arrivals():
    """Row 34: g reads z only as what it differentiates, and z is behind f, whose rule blocks."""
    text = (
        "x = 1.0\ny = 2.0\nf = custom(sin(x), pullback=lambda v, x, s: v * cos(x))\nz = f * y\ng = grad(z, x)"
    )
    found = av.jvp(av.parse(text), {"x": 1.0})
    assert found.blocked == ("f", "g")
    assert found.arriving == {"f": {"x": 1.0}, "g": {"x": 1.0}}
