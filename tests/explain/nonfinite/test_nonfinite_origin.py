"""Test where NaN and infinity come from, and their cures: questions that people ask, and replays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.nonfinite.compute import nonfinite_origin
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.ops.catalog import OPS
from tests.engine.references.scalar_graphs import scalar_graphs

INF, NAN = float("inf"), float("nan")
CLIPPED = "x = 10.0\nc = clip(x, -1.0, 1.0)\ny = sqrt(1.0 - square(c))"
MASKED = """a = [1.0, 1.0, 1.0, 1.0, 1.0]
mask = [4.0, 0.0, 4.0, 4.0, 4.0] + log([1.0, 0.0, 1.0, 1.0, 1.0])
s = softmax(a * mask)
y = s[2]"""
ASKED = {
    # name: text, forward, backward, (cotangent, slope), value and gradients after the cure, worked by hand
    "a branch that was not taken": (
        "x = 0.0\nc = less(x, 1.0)\ny = where(c, x, sqrt(x))",
        None, ("sqrt_1", 0), (0.0, INF), 0.0, {"x": 1.0},
    ),
    "the square of a norm": (
        "x = [0.0, 0.0]\nn = sqrt(sum(square(x)))\ny = square(n)",
        None, ("n", 0), (0.0, INF), 0.0, {"x": [0.0, 0.0]},
    ),
    "a norm": (
        "x = [0.0, 0.0]\na = 1.3\ny = sqrt(sum(square(a * x)))",
        None, ("y", 0), (1.0, INF), 1e-6, {"x": [0.0, 0.0], "a": 0.0},
    ),
    "the deviation of a constant batch": (
        "x = [1.0, 1.0]\nm = mean(x)\ny = sqrt(mean(square(x - m)))",
        None, ("y", 0), (1.0, INF), 1e-6, {"x": [0.0, 0.0]},
    ),
    "clipped into the domain": (CLIPPED, None, ("y", 0), (1.0, INF), 1e-6, {"x": 0.0}),
    "an entropy": (
        "p = 0.0\ny = -(p * log(p))", "log_1", ("mul_1", 0), (-1.0, -INF), 0.0, {"p": 0.0}
    ),
    "where after the fact": (
        "p = 0.0\ny = -where(greater(p, 0.0), p * log(p), 0.0)",
        "log_1", ("mul_1", 0), (0.0, -INF), 0.0, {"p": 0.0},
    ),
    "a mask times": (
        MASKED, "log_1", ("mul_1", 0), (0.0, -INF), 0.25, {"a": [-0.25, 0.0, 0.75, -0.25, -0.25]}
    ),
    "a row that is masked whole": (
        "a = [1.0, 1.0]\ns = softmax(a + log([0.0, 0.0]))\ny = s[0]",
        "log_1", ("s", 0), None, 0.5, {"a": [0.25, -0.25]},
    ),
    "log of a sigmoid far out": (
        "x = -110.0\ny = -log(sigmoid(x))", "log_1", ("log_1", 0), (-1.0, INF), 110.0, {"x": -1.0}
    ),
    "an overflow behind where": (
        "x = 100.0\ny = where(less(x, 10.0), exp(x), 0.0)", "exp_1", ("exp_1", 0), (0.0, INF), 0.0, {"x": 0.0}
    ),
    "a softplus by hand": (
        "x = 100.0\ny = log(exp(x) + 1.0)", "exp_1", ("exp_1", 0), (0.0, INF), 100.0, {"x": 1.0}
    ),
    "a sigmoid by hand": (
        "x = -100.0\ny = 1.0 / (1.0 + exp(-x))", "exp_1", ("exp_1", 0), (0.0, INF), 0.0, {"x": 0.0}
    ),
    "a softmax by hand": (
        "x = [100.0, 0.0]\ny = (exp(x) / sum(exp(x)))[0]",
        "exp_1", ("div_1", 1), (1.0, NAN), 1.0, {"x": [0.0, 0.0]},
    ),
    "x to the power 0": (
        "x = 1.0\nn = 0.0\ny = (x - floor(x)) ** n", None, ("y", 0), (1.0, NAN), 1.0, {"x": 0.0, "n": 0.0}
    ),
    "nothing over nothing": (
        "x = 0.0\ny = 0.0\nz = x / y", "z", ("z", 0), (1.0, INF), 0.0, {"x": 1.0, "y": 0.0}
    ),
    "a rule": (
        "x = 2.0\ny = rewrite(x, lambda v: v / 0.0)\nz = 3.0 * y", None, ("y", 0), None, 6.0, {"x": 3.0}
    ),
    "two at once": (
        "x = 0.0\nc = less(x, 1.0)\na = where(c, x, sqrt(x))\nb = where(c, x, log(x))\nz = a + b",
        "log_1", ("log_1", 0), (0.0, INF), 0.0, {"x": 2.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
def test_the_origin_is_the_one_found_by_hand_and_its_cure_has_the_numbers_of_the_true_function(case):
    text, forward, backward, factors, value, gradients = ASKED[case]
    origin = nonfinite_origin(trace(parse(text)))
    assert (origin.forward, origin.backward) == (forward, backward)
    if factors:
        assert np.allclose([operand.number for operand in origin.operands], factors, equal_nan=True)
        assert [operand.name for operand in origin.operands] == ["cotangent", "slope"]
    cured = trace(origin.cure)
    assert cured.nonfinite_origins == ()
    np.testing.assert_allclose(cured.value[cured.output], value, atol=1e-12)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(cured.gradient[name], gradient, atol=1e-12)
    assert origin.mend
    assert origin.changes.endswith(".")


INCURABLE = {
    "a pole": ("x = 1.0\ny = 0.0\nz = x / y", "z"),
    "a logarithm outside its domain": ("x = -1.0\ny = log(x)", "y"),
    "a root outside its domain": ("x = -1.0\ny = square(sqrt(x))", "sqrt_1"),
    "a number that no dtype has": ("x = 1000.0\ny = exp(x)", "y"),
    "a branch that is read elsewhere too": (
        "x = 1000.0\na = exp(x)\ny = where(less(x, 10.0), a, 0.0)\nz = y + a", "a"
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dtype", "wider", "value"),
    [
        ("x = 100.0\ny = exp(x)", "float32", "float64", np.exp(100.0)),
        ("x = 300.0\ny = square(x)", "float16", "float32", 90_000.0),  # float16 ends at 65,504
        ("x = 1e30\ny = square(x)", "float16", "float64", 1e60),
        ("x = 1e30\ny = square(x)", "bfloat16", "float64", 1e60),
    ],
)
def test_what_is_too_large_for_its_dtype_is_mended_by_a_wider_one(text, dtype, wider, value):
    graph = parse(text)
    origin = nonfinite_origin(trace(graph, dtype=dtype))
    assert (origin.cure, origin.dtype, origin.mend) == (graph, wider, f"Compute in {wider}")
    np.testing.assert_allclose(trace(graph, dtype=wider).value["y"], value, rtol=1e-6)


def test_a_pole_has_no_mend_and_that_is_said():
    said = nonfinite_origin(trace(parse(INCURABLE["a pole"][0]))).sentence
    assert said.endswith("There is no mend: div is ∞ there in float64 too.")


@pytest.mark.parametrize("case", INCURABLE)
def test_what_is_truly_not_finite_has_an_origin_and_no_cure(case):
    text, forward = INCURABLE[case]
    origin = nonfinite_origin(trace(parse(text)))
    assert (origin.forward, origin.cure, origin.mend) == (forward, None, "")


def test_a_mask_that_softmax_makes_0_of_is_said_and_needs_no_cure():
    origin = nonfinite_origin(trace(parse("a = [1.0, 2.0]\ns = softmax(a + log([1.0, 0.0]))\ny = s[0]")))
    assert (origin.forward, origin.backward, origin.cure) == ("log_1", None, None)
    assert origin.sentence.endswith("Output and gradients are finite all the same.")


def test_a_finite_graph_has_no_origin_and_something_else_than_a_trace_is_refused():
    graph = parse("x = 2.0\ny = sqrt(x)")
    assert nonfinite_origin(trace(graph)) is None
    with pytest.raises(GraphError) as refused:
        nonfinite_origin(graph)
    assert refused.value.problems[0].code == "not-a-trace"


SENTENCES = {
    "x = 0.0\nc = less(x, 1.0)\ny = where(c, x, sqrt(x))": (
        "'sqrt_1' passes 0 × ∞ = NaN back to 'x': the slope of sqrt is ∞ there. "
        "'y' computes both branches, also the one that it does not take."
    ),
    "x = 0.0\ny = where(greater(x, 1.0), x, sqrt(x))": (  # which takes the root
        "'sqrt_1' passes 1 × ∞ = ∞ back to 'x': the slope of sqrt is ∞ there."
    ),
    # a rule is to blame only if what it makes of the 1 that arrives is infinite
    "x = 0.0\ny = scale_gradient(sqrt(x), 3.0)": (
        "'y' passes 3 × ∞ = ∞ back to 'x': the slope of sqrt is ∞ there."
    ),
    "x = 0.0\ny = rewrite(sqrt(x), lambda v: 0.5 * v)": (
        "'y' passes 0.5 × ∞ = ∞ back to 'x': the slope of sqrt is ∞ there."
    ),
    "x = 2.0\ny = rewrite(sin(x), lambda v: v / 0.0)": "The rule of 'y' passes −∞ back to 'x'.",
    # e^1000 is finite, 2e434, and float64 ends at 2e308
    "x = [1000.0, 0.0]\ne = exp(x)\ny = e[0] / sum(e)": (
        "'e' is exp(1000) = ∞ (1 of 2 elements). 'y' passes 1 × NaN = NaN back to 'sum_1': "
        "the slope of div is NaN there. There is no mend: exp is ∞ there in float64 too."
    ),
    "x = [0.0, 4.0]\ny = sum(where(less(x, 1.0), sqrt(x), x))": (
        "'sqrt_1' passes 1 × ∞ = ∞ back to 'x': the slope of sqrt is ∞ there."
    ),
    CLIPPED: (
        "'y' passes 1 × ∞ = ∞ back to 'sub_1': the slope of sqrt is ∞ there. "
        "Then 'c' passes −∞ × 0 = NaN back to 'x'."
    ),
    # -1 arrives at the product, so that log 0 goes to p and -0 to the log, whose own slope is infinite
    "p = 0.0\ny = -(p * log(p))": (
        "'log_1' is log(0) = −∞. 'mul_1' passes −1 × −∞ = ∞ back to 'p': the slope of mul is −∞ there. "
        "And 'log_1' passes 0 × ∞ = NaN back to 'p'."
    ),
    "x = 100.0\ny = exp(x)": (
        "'y' is exp(100) = ∞. That is float32: in float64 it is 2.69e43. "
        "'y' passes 1 × ∞ = ∞ back to 'x': the slope of exp is ∞ there."
    ),
    "x = [0.0, 0.0]\ny = sum(x / 0.0)": (
        "'div_1' is 0 / 0 = NaN (2 of 2 elements). "
        "'div_1' passes 1 × ∞ = ∞ back to 'x': the slope of div is ∞ there. "
        "There is no mend: div is NaN there in float64 too."
    ),
}


@pytest.mark.parametrize("text", SENTENCES)
def test_the_sentence_has_the_numbers(text):
    assert nonfinite_origin(trace(parse(text))).sentence == SENTENCES[text]


def test_a_seed_or_an_input_may_itself_be_not_finite():
    graph = parse("x = 2.0\ny = x * x")
    assert nonfinite_origin(trace(graph, seed=INF)).sentence.startswith("The seed is not finite")
    origin = nonfinite_origin(trace(graph, {"x": NAN}))
    assert (origin.forward, origin.cure) == ("x", None)
    assert origin.sentence.startswith("The input 'x' itself is not finite.")


TAKEN = "x = 70000.0\nc = 1.0\ny = where(c, x * 2.0, 0.0)"
LOST = "70000 does not fit float16: it becomes ∞."
IN_FLOAT16 = {  # which ends at 65,504
    TAKEN: f"The input 'x' itself is not finite. {LOST}",
    TAKEN.replace("c = 1.0", "c = 0.0"): (
        f"The input 'x' itself is not finite. {LOST} 'y' computes both branches, also the one that it does "
        "not take. Output and gradients are finite all the same."
    ),
    "x = 0.0\ny = x * 70000.0": (
        f"'y' is 0 * 70000 = NaN. {LOST} That is float16: in float64 it is 0. "
        "'y' passes 1 × ∞ = ∞ back to 'x': the slope of mul is ∞ there."
    ),
    "x = [1.0, 2.0]\ny = dot(x, [1.0, -70000.0])": (
        "'y' is −∞. −70000 does not fit float16: it becomes −∞. That is float16: in float64 it is −140000. "
        "'y' passes −∞ back to 'x', though all that arrives is finite."
    ),
    # 300.3 is 300.25 in float16; its square is 90180.09
    "x = 300.3\ny = square(x)": (
        "'y' is square(300.2) = ∞. That is float16: in float64 it is 90180."
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", IN_FLOAT16)
def test_a_number_that_does_not_fit_its_dtype_is_said(text):
    found = nonfinite_origin(trace(parse(text), dtype="float16"))
    assert found.sentence.startswith(IN_FLOAT16[text])
    assert found.dtype == ("" if "c = 0.0" in text else "float32")


@pytest.mark.parametrize("given", [INF, NAN])
def test_an_input_that_was_given_as_not_finite_fits_its_dtype(given):
    """It may be given as a parameter, before a grad node, and behind a branch of `where`."""
    for text in (
        TAKEN,
        TAKEN.replace("x = 70000.0", "x = parameter(70000.0)"),
        "x = 1.0\ng = grad(sin(x), x)\ny = where(g, g, 0.0)",
    ):
        found = nonfinite_origin(trace(parse(text), {"x": given}))
        assert found.sentence.startswith("The input 'x' itself is not finite.")
        assert "fit" not in found.sentence


@pytest.mark.parametrize("x", [-2.0, -0.5, 0.25, 3.0, 40.0])
@pytest.mark.parametrize(
    "case",
    ["a branch that was not taken", "where after the fact", "a softplus by hand", "log of a sigmoid far out"],
)
def test_a_cure_changes_nothing_at_other_numbers(case, x):
    text, name = ASKED[case][0], ASKED[case][0][0]
    graph = parse(text)
    before, after = (trace(g, {name: x}) for g in (graph, nonfinite_origin(trace(graph)).cure))
    for one, other in ((before.value, after.value), (before.gradient, after.gradient)):
        key = graph.output if one is before.value else name
        if np.isfinite(one[key]):
            np.testing.assert_allclose(other[key], one[key], rtol=1e-5, atol=1e-7)


def test_new_nodes_join_the_region_of_the_node_that_they_feed():
    block = "with checkpoint('block'):\n    a = sqrt(x)\n    b = 2.0 * a"
    text = f"x = 0.0\nc = less(x, 1.0)\n{block}\ny = where(c, x, b)"
    cured = nonfinite_origin(trace(parse(text))).cure
    assert cured.regions[0].nodes == {"a", "b", "where_1"}
    assert parse(show(cured)) == cured
    assert trace(cured).runs["where_1"].backward == 1


EXTREME = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 89.0, -104.0, 1e20, -1e20, 3e38])


def moving(pull, arriving):
    """The slots of an op whose contribution depends on what arrives.

    To the others, such as the condition of a `where`, JAX passes nothing, whatever the numbers are: no zeros
    that the op before could multiply by infinity. `jax.vjp` of one op has to write zeros for them.
    """
    jaxpr = jax.make_jaxpr(pull)(arriving).jaxpr
    known = {*map(id, jaxpr.invars)}
    for equation in jaxpr.eqns:
        if known.intersection(map(id, equation.invars)):
            known.update(map(id, equation.outvars))
    return {slot for slot, out in enumerate(jaxpr.outvars) if id(out) in known}


def replay(graph, given):
    """Run op by op with `jax.vjp` and stop at the first number that is not finite, forward and backward."""
    values, pulls, forward = {}, {}, None
    for node in graph.nodes:  # in running order
        if node.op == INPUT:
            values[node.name] = jnp.float32(given[node.name])
        else:
            operands = [values[s] if isinstance(s, str) else jnp.float32(s) for s in node.slots]
            values[node.name], pulls[node.name] = jax.vjp(OPS[node.op].apply, *operands)
        if forward is None and not jnp.isfinite(values[node.name]):
            forward = node.name
    arriving = {graph.output: jnp.float32(1.0)}
    for node in reversed(graph.nodes):
        if node.op == INPUT or node.name not in arriving:
            continue
        if not jnp.isfinite(arriving[node.name]):
            return forward, (node.name, -1)
        parts = pulls[node.name](arriving[node.name])
        slots = moving(pulls[node.name], arriving[node.name])
        wires = [(slot, producer) for slot, producer in node.wires if slot in slots]
        wrong = [slot for slot, _ in wires if not jnp.isfinite(parts[slot])]
        if wrong:
            return forward, (node.name, wrong[0])
        for slot, producer in wires:
            arriving[producer] = arriving.get(producer, jnp.float32(0.0)) + parts[slot]
    over = [
        node.name
        for node in graph.nodes
        if node.op == INPUT and not jnp.isfinite(arriving.get(node.name, 0.0))
    ]
    return forward, (over[-1], -1) if over else None


BY_CONDITION = parse("n0 = 0.0\nn1 = exp(n0)\nn2 = where(n1, n0, n0)\nn4 = n0 + n2")


def test_what_only_a_condition_reads_gets_no_cotangent_that_infinity_could_spoil():
    """exp(89) is infinite in float32; `jax.grad` of the same function is 2, not NaN."""

    def same(x):
        return x + jnp.where(jnp.exp(x), x, x)

    assert jax.grad(same)(89.0) == 2.0
    found = trace(BY_CONDITION, {"n0": 89.0})
    assert (nonfinite_origin(found).forward, nonfinite_origin(found).backward) == ("n1", None)
    assert found.gradient["n0"] == 2.0


def places(names):
    """A number of `EXTREME` for each input."""
    return st.fixed_dictionaries(dict.fromkeys(names, EXTREME))


@settings(max_examples=10)
@example((BY_CONDITION, {"n0": 89.0}))
@example((parse("n0 = 0.0\nn1 = n0 + n0"), {"n0": 3e38}))  # its cure is float64
@given(
    scalar_graphs(rules=False, regions=False, max_nodes=8).flatmap(
        lambda graph: st.tuples(st.just(graph), places(node.name for node in graph.nodes if node.op == INPUT))
    )
)
def test_a_replay_op_by_op_stops_at_the_same_places(case):
    graph, given_values = case
    found = trace(graph, given_values)
    origin, stopped = nonfinite_origin(found), replay(graph, given_values)
    assert (origin and (origin.forward, origin.backward)) == (None if stopped == (None, None) else stopped)
    if origin and origin.cure:
        cured = trace(origin.cure, given_values, dtype=origin.dtype or "float32")
        assert np.isfinite(cured.value[cured.output])
        assert all(np.isfinite(gradient) for gradient in cured.gradient.values())
        if np.isfinite(found.value[found.output]):
            np.testing.assert_allclose(
                cured.value[cured.output], found.value[found.output], rtol=1e-3, atol=1e-5
            )


def test_the_cure_of_a_mask_says_nothing_false_of_a_row_that_is_masked_whole():
    """Row 27: with -1e9 in place of minus infinity both elements of such a row are 1/2 and not 0."""
    found = nonfinite_origin(trace(parse("a = [1.0, 1.0]\ns = softmax(a + log([0.0, 0.0]))\ny = s[0]")))
    np.testing.assert_array_equal(trace(found.cure).value["s"], [0.5, 0.5])
    assert "unless its whole row is masked" in found.changes
