"""Test that the graph of a JAX function has its values, its gradients and its structure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental.ode import odeint

import autodiff_viz as av
from autodiff_viz.engine.live_path.arrays import own_value
from autodiff_viz.engine.live_path.compiling import ROUNDED
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.graph.policies import POLICIES
from tests.functions.cases import CASES


class _Graphs(dict):
    """The graph of each case, made when it is first asked for."""

    def __missing__(self, name):
        function, args = CASES[name]
        self[name] = av.from_function(function, *args)
        return self[name]


GRAPHS = _Graphs()
NATIVE = {
    "fourier": ["abs"],
    "half": ["convert_element_type", "convert_element_type", "mul", "convert_element_type"],
    "inverse_erf": ["erf_inv"],
    "long_rnn": ["scan"],
    "mixed_arguments": ["convert_element_type"],
    "rule_of_two_results": ["custom_vjp_call"],
    "solved": ["lu", "custom_linear_solve"],
}
"""The cases that need JAX's own functions; of the others every node is an op."""


def inputs_of(graph):
    return {node.name: own_value(node, "float32") for node in graph.nodes if node.op == "input"}


def of_function(function, args):
    """Its value and the gradients of its floats, as a function of them."""
    leaves, tree = jax.tree.flatten(args)
    floats = [i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.floating)]

    def run(*some):
        merged = list(leaves)
        for i, leaf in zip(floats, some, strict=True):
            merged[i] = leaf
        return function(*jax.tree.unflatten(tree, merged))

    value, pull = jax.vjp(run, *[leaves[i] for i in floats])
    return value, [each.astype(jnp.float32) for each in pull(jnp.ones_like(value))]


def of_graph(graph, inputs):
    program, dynamic = Program(replace(graph, groups=()), "float32"), dynamic_params(graph)
    value, pull = jax.vjp(lambda given: program(given, dynamic, {})[0], inputs)
    return value, pull(jnp.ones_like(value))[0]


def faults(name, given, ours):
    """Where the numbers of a graph are not those of JAX."""
    (value, gradients), (our_value, our_gradients) = given, ours
    if not np.allclose(our_value, value, rtol=1e-5, atol=1e-6):
        yield name, "value"
    # Inputs come in the order of the arguments' arrays; constants come after them.
    leaves = [leaf for leaf in jax.tree.leaves(CASES[name][1]) if isinstance(leaf.dtype, np.dtype)]
    inputs = [node.name for node in GRAPHS[name].nodes if node.op == "input"]
    pairs = zip(inputs, leaves, strict=False)
    floats = [each for each, leaf in pairs if jnp.issubdtype(leaf.dtype, jnp.floating)]
    assert len(floats) == len(gradients)
    for each, gradient in zip(floats, gradients, strict=True):
        scale = max(1.0, float(jnp.abs(gradient).max()))
        if not np.allclose(our_gradients[each], gradient, rtol=1e-5, atol=3e-6 * scale):
            yield name, each


@pytest.mark.nightly
def test_value_and_gradients_are_those_of_the_function():
    """All cases in two programs: what costs most is to compile one, however small it is."""
    args = {name: args for name, (_, args) in CASES.items()}
    inputs = {name: inputs_of(GRAPHS[name]) for name in CASES}
    rounded = partial(jax.jit, compiler_options=ROUNDED)  # 16 bits as JAX rounds them without compilation
    given = rounded(lambda args: {name: of_function(CASES[name][0], args[name]) for name in CASES})(args)
    ours = rounded(lambda inputs: {name: of_graph(GRAPHS[name], inputs[name]) for name in CASES})(inputs)
    assert [fault for name in CASES for fault in faults(name, given[name], ours[name])] == []


def test_what_no_op_stands_for_is_a_node_of_jax():
    natives = {
        name: [str(n.op) for n in graph.nodes if n.is_native]
        for name, graph in ((name, GRAPHS[name]) for name in CASES)
    }
    assert {name: found for name, found in natives.items() if found} == NATIVE


def test_every_other_graph_is_a_formula_and_a_document():
    for name in CASES.keys() - NATIVE.keys():
        graph = GRAPHS[name]
        assert av.parse(av.show(graph)) == graph, name
        assert av.from_json(av.to_json(graph)) == graph, name


def test_no_graph_has_a_problem():
    assert {name: av.problems(GRAPHS[name]) for name in CASES} == dict.fromkeys(CASES, ())


def test_names_come_from_the_source():
    text = av.show(GRAPHS["mlp"]).splitlines()
    assert [line for line in text if "(" in line and "parameter" not in line] == [
        "h = tanh(x @ w1 + b1)",
        "mlp = mean(square(out - y))",
    ]
    assert "out = h @ w2" in text
    names = {node.name for node in GRAPHS["attention"].nodes}
    assert {"mask", "scores", "weights", "out", "attention"} <= names


def test_what_is_inside_the_first_argument_is_a_parameter_named_by_its_path():
    kinds = {node.name: node.is_parameter for node in GRAPHS["layers"].nodes if node.op == "input"}
    assert kinds == {
        "params_0_0": True, "params_0_1": True, "params_1_0": True, "params_1_1": True, "x": False,
    }  # fmt: skip


def test_scopes_and_functions_under_jit_are_groups_and_functions_of_jax_are_not():
    @jax.jit
    def decode(h):
        z = jnp.exp(-h)
        return jnp.where(z > 1, z, z * z)

    def function(x):
        with jax.named_scope("encode"):
            h = jnp.sin(x) * 2
            with jax.named_scope("inner"):
                h = jnp.cos(h) + 1
        return decode(h)

    graph = av.from_function(function, 1.0)
    groups = {group.name: {graph[name].op for name in group.nodes} for group in graph.groups}
    assert groups == {
        "encode": {"sin", "mul", "cos", "add"},
        "inner": {"cos", "add"},
        "decode": {"neg", "exp", "greater", "mul", "where"},
    }


def test_each_step_of_a_short_loop_is_a_group():
    assert [group.name for group in GRAPHS["short_rnn"].groups] == ["step_0", "step_1", "step_2"]
    assert GRAPHS["long_rnn"].groups == ()


def test_checkpointed_calls_are_regions_with_their_policies():
    graph = GRAPHS["checkpointed"]
    assert [region.policy for region in graph.regions] == [
        POLICIES[0],
        "dots_saveable",
        "save_only_these_names",
    ]
    (saved,) = graph.regions[-1].saved
    assert graph[saved].op == "sin"
    assert all(
        {graph[name].op for name in region.nodes} == {"matmul", "sin", "cos"} for region in graph.regions
    )
    other = jax.checkpoint_policies.save_anything_except_these_names("h")
    with pytest.raises(av.GraphError, match="'save_anything_except_these_names', which no region has"):
        av.from_function(jax.checkpoint(jnp.sin, policy=other), 1.0)


def test_the_branch_is_the_one_that_the_arguments_take():
    def function(s, x):
        return lax.cond(s > 1, jnp.sin, jnp.cos, x)

    ops = [{node.op for node in av.from_function(function, s, 0.5).nodes} for s in (2.0, 0.5)]
    assert ["sin" in ops[0], "cos" in ops[0], "sin" in ops[1], "cos" in ops[1]] == [True, False, False, True]


def test_a_rule_that_our_ops_can_write_is_a_declared_pullback():
    graph = GRAPHS["rule_vjp"]
    (ruled,) = [node for node in graph.nodes if node.rule.kind == "pullback"]
    assert ruled.op == "first"
    trace = av.trace(graph)
    np.testing.assert_allclose(trace.passed[ruled.name, 1], np.clip(trace.cotangent[ruled.name], -0.1, 0.1))
    assert graph[ruled.slots[0]].rule.kind == "stop"  # nothing goes by its equations, not even zeros


def test_a_rule_may_index_what_it_kept_by_what_jax_traces():
    """By hand: y = y0 exp(-k t), at t = 1; `odeint` keeps its times and indexes them in a scan."""

    def end(y0, k):
        return odeint(lambda y, t, k: -k * y, y0, jnp.array([0.0, 1.0]), k)[-1]

    traced = av.trace(av.from_function(end, 1.0, 0.5))
    np.testing.assert_allclose(traced.cotangent["y0"], np.exp(-0.5), rtol=1e-5)
    np.testing.assert_allclose(traced.cotangent["k"], -np.exp(-0.5), rtol=1e-5)


def test_a_stop_is_a_stop():
    graph = av.from_function(lambda x: x * lax.stop_gradient(jnp.exp(x)), 2.0)
    assert [node.op for node in graph.nodes if node.rule.kind == "stop"] == ["identity"]
    assert float(av.trace(graph).gradient["x"]) == pytest.approx(np.exp(2.0))


def test_a_native_node_runs_in_a_trace_and_in_every_dtype():
    graph = av.from_function(lambda x: lax.cumlogsumexp(x), np.array([2.0, 3.0], "float32"))
    share = np.exp(2) / (np.exp(2) + np.exp(3))
    for dtype in ("float32", "float64"):
        trace = av.trace(graph, dtype=dtype)
        np.testing.assert_allclose(trace.value[graph.output], [2.0, np.log(np.exp(2) + np.exp(3))], rtol=1e-6)
        np.testing.assert_allclose(trace.gradient["x"], [1.0 + share, 1.0 - share], rtol=1e-6)
        assert trace.gradient["x"].dtype == dtype
    assert av.verify(trace).agrees
    assert all(difference.agrees for difference in av.check_inputs(trace).values())
    assert "cumlogsumexp" in str(graph)


@pytest.mark.parametrize(
    ("write", "form"),
    [
        (av.to_link, "a link or JSON"),
        (av.to_json, "a link or JSON"),
        (av.show, "a formula"),
        (av.to_python, "a Python program"),
        (av.to_torch, "a PyTorch program"),
    ],
)
def test_a_native_node_cannot_be_written_down(write, form):
    graph = GRAPHS["inverse_erf"]
    with pytest.raises(av.GraphError, match=r"'erf_inv' of JAX.* a function of this process") as caught:
        write(graph)
    (problem,) = caught.value.problems
    assert (problem.code, graph[problem.node].is_native) == ("native-op", True)
    assert form in problem.message


def test_equal_native_functions_are_one_and_others_are_not():
    def loop(body):
        return av.from_function(lambda x: lax.scan(lambda h, _: (body(h), None), x, None, length=40)[0], 0.5)

    # Programs inside cannot be compared: each is of its own, though all are named `scan`.
    halved, doubled = loop(lambda h: h * 0.5), loop(lambda h: h * 2.0)
    assert halved != doubled
    assert float(av.trace(halved).gradient["x"]) == 0.5**40
    assert float(av.trace(doubled).gradient["x"]) == 2.0**40
    function, args = CASES["inverse_erf"]
    assert av.from_function(function, *args) == GRAPHS["inverse_erf"]
    assert av.from_function(lambda x: lax.cumprod(x, reverse=True), np.ones(2)) != av.from_function(
        lambda x: lax.cumprod(x), np.ones(2)
    )


def test_a_loop_without_reverse_mode_is_refused_where_a_gradient_goes_through_it():
    def halved(x):
        return lax.while_loop(lambda y: y > 1, lambda y: y / 2, x)

    with pytest.raises(av.GraphError, match="Reverse-mode differentiation does not work") as caught:
        av.from_function(halved, 8.5)
    assert caught.value.problems[0].code == "no-reverse-mode"
    graph = av.from_function(lambda x: x * lax.stop_gradient(halved(x)), 8.5)
    assert float(av.trace(graph).gradient["x"]) == 8.5 / 16


def test_several_results_are_nodes_and_the_first_is_the_output():
    def function(x):
        y = x * 2.0
        side = jnp.sin(x)
        return y, {"side": side}

    graph = av.from_function(function, 3.0)
    assert graph.output == "y"
    assert graph["side"].op == "sin"
    assert float(av.trace(graph).gradient["x"]) == 2.0


def test_what_is_no_array_is_part_of_the_function():
    graph = av.from_function(
        lambda x, n, kind: sum(x**i for i in range(n)) if kind == "sum" else x, 2.0, 3, "sum"
    )
    assert [node.name for node in graph.nodes if node.op == "input"] == ["x"]
    assert float(av.trace(graph).gradient["x"]) == 1 + 2 * 2.0


def test_a_graph_of_two_thousand_equations_is_made():
    def function(x):
        for i in range(130):
            with jax.named_scope(f"layer_{i}"):
                x = jnp.sin(x) * 1.5 + jnp.cos(x) / (2.0 + x * x) - jnp.tanh(x) * jnp.exp(-x * x) + x / 3.0
        return x

    equations = len(jax.make_jaxpr(function)(0.5).eqns)
    graph = av.from_function(function, 0.5)
    assert equations > 1_400
    assert len(graph.groups) == 64  # of 130: as many as a graph may have
    assert av.problems(replace(graph, groups=())) == ()


def test_a_function_of_more_nodes_than_a_graph_has_is_refused():
    def function(x):
        for _ in range(2_100):
            x = jnp.sin(x)
        return x

    with pytest.raises(av.GraphError, match="more than 2,000 nodes"):
        av.from_function(function, 0.5)
