"""Test that JAX's own functions of a graph are ops of the lab on its user's machine, and of no other."""

import json
import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental.ode import odeint

import autodiff_viz as av
from autodiff_viz.functions.own_ops import with_own_ops
from autodiff_viz.ops.own import OWN_OPS, own_op


@jax.custom_vjp
def two_results(x):
    return jnp.sin(x), x * x


two_results.defvjp(lambda x: (two_results(x), x), lambda x, g: (2.0 * g[0] + g[1] * x,))


def matrix(x):
    return jnp.array([[2.0, 1.0], [0.5, 3.0]]) * x


FUNCTIONS = {
    "a primitive": lambda x: jax.scipy.special.erfinv(x),
    "a loop with a rule in it": lambda x: lax.scan(
        lambda h, _: (jax.nn.relu(h) * 0.9, None), x, None, length=40
    )[0],
    "a rule of two results": lambda x: two_results(x)[0] + two_results(x)[1],
    "linear equations": lambda x: jnp.sum(jnp.linalg.solve(matrix(x), jnp.ones(2))),
    "complex numbers": lambda x: jnp.sum(jnp.abs(jnp.fft.fft(x * jnp.arange(4.0)))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_taken_along_is_the_same_with_its_derivative(name):
    graph = av.from_function(FUNCTIONS[name], 0.4)
    trace = av.trace(graph)
    named, document = with_own_ops(graph)
    ops = {record["name"]: own_op(record) for record in json.loads(document)}
    natives = [pair for pair in zip(graph.nodes, named.nodes, strict=True) if pair[0].is_native]
    assert natives
    for node, there in natives:
        read = [trace.value[slot] for slot in node.op_slots]
        value, pull = jax.vjp(ops[there.op].apply, *map(jnp.asarray, read))
        right, pulled = jax.vjp(node.op.op.apply, *map(jnp.asarray, read))
        np.testing.assert_array_equal(value, right)
        np.testing.assert_allclose(pull(jnp.ones_like(value))[0], pulled(jnp.ones_like(value))[0], rtol=1e-6)


def test_a_solver_of_differential_equations_is_taken_along():
    """dy/dt = -k y: y(2) is y e^-2k, its slopes e^-2k and -2 y e^-2k."""
    graph = av.from_function(
        lambda y, k: odeint(lambda y, t, k: -k * y, y, jnp.array([0.0, 2.0]), k)[1], 1.0, 0.5
    )
    trace = av.trace(graph)
    assert float(trace.value[graph.output]) == pytest.approx(np.exp(-1.0), rel=1e-4)
    assert float(trace.gradient["y"]) == pytest.approx(np.exp(-1.0), rel=1e-4)
    assert float(trace.gradient["k"]) == pytest.approx(-2 * np.exp(-1.0), rel=1e-4)
    named, document = with_own_ops(graph)
    assert json.loads(document)
    assert not [node for node in named.nodes if node.is_native]


def test_a_function_of_python_cannot_leave_its_process():
    def outside(x):
        return x * jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), "float32"), lax.stop_gradient(x))

    with pytest.raises(av.GraphError, match=r"pure_callback.* cannot leave this process"):
        with_own_ops(av.from_function(outside, 0.3))


def test_a_lab_elsewhere_says_where_such_a_graph_opens():
    named, _ = with_own_ops(av.from_function(FUNCTIONS["a primitive"], 0.4))
    for write, read in ((av.show, av.parse), (av.to_json, av.from_json)):
        with pytest.raises(av.GraphError, match="There is no op 'jax_erf_inv'") as caught:
            read(write(named))
        assert "av.lab(graph) opens it there" in caught.value.problems[0].hint


def test_a_process_with_the_document_reads_writes_and_differentiates_it(tmp_path):
    named, document = with_own_ops(av.from_function(FUNCTIONS["a primitive"], 0.4))
    (tmp_path / "ops.json").write_text(document)
    there = """
        import sys
        from dataclasses import replace
        import autodiff_viz as av
        from autodiff_viz.lab.evaluate import lab_view
        from autodiff_viz.lab.parts import PARTS, shows
        from autodiff_viz.lab.state import opened, start
        graph = av.from_json(sys.argv[1])
        assert av.parse(av.show(graph)) == graph
        trace = av.trace(graph)
        print(float(trace.gradient["x"]), av.verify(trace).agrees)
        page = replace(opened(start(), graph, ""), selected=graph.output)
        view = lab_view(page)
        [shows(name, page, view, {}) for name in PARTS]
        for write in (av.to_python, av.to_torch):
            try:
                write(graph)
            except av.GraphError as error:
                print(error.problems[0].code)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(there), av.to_json(named)],
        env={**os.environ, OWN_OPS: str(tmp_path / "ops.json")},
        capture_output=True,
        text=True,
        check=True,
    )
    slope, *said = run.stdout.split()
    # The inverse of erf has the slope sqrt(pi) / 2 e^(y^2), and erf(0.3708071585935580) = 0.4.
    assert float(slope) == pytest.approx(np.sqrt(np.pi) / 2 * np.exp(0.3708071585935580**2), rel=1e-5)
    assert said == ["True", "native-op", "native-op"]
