"""Test that an exact zero which JAX never computes is not 0.0: times an infinite slope it stays zero."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.engine.whole_program.program import Program
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS

PASS_NOTHING = [
    "sign(bad)",
    "round(bad)",
    "floor(bad)",
    "(bad > 1.0)",
    "(bad < 1.0)",
    "where(bad, 2.0, 3.0)",
    "zeros_like(bad)",
    "ones_like(bad)",
    "argmax(bad)",
    "argsort(stack([bad, 1.0]))[0]",
    "sum(one_hot(bad))",
    "sum(at_add([1.0, 2.0], bad, 3.0))",
    "stop_gradient(identity(bad))",
    "stop_gradient(bad)",
    "backward_as(identity(bad), 1.0 + x)",
]


@pytest.mark.parametrize("use", PASS_NOTHING)
def test_nothing_arrives_at_a_log_of_0_below_an_op_that_passes_nothing(use):
    found = trace(parse(f"x = 0.0\nbad = log(x)\nz = {use} + x"))
    wanted = 2.0 if "backward_as" in use else 1.0  # what the other paths bring
    assert float(found.gradient["x"]) == wanted
    assert found.passed["bad", 0] == 0.0
    assert found.passed.is_symbolic_zero(("bad", 0))
    assert verify(found).agrees


@pytest.mark.parametrize("use", ["bad * 0.0", "relu(bad)", "maximum(bad, 0.0)", "clip(bad, 0.0, 1.0)"])
def test_a_computed_zero_times_an_infinite_slope_is_nan(use):
    found = trace(parse(f"x = 0.0\nbad = log(x)\nz = {use}"))
    assert found.gradient["x"] != found.gradient["x"]
    assert verify(found).agrees


@pytest.mark.parametrize("use", PASS_NOTHING[:8])
@pytest.mark.parametrize("inside", ["bad", "bad z"])
def test_a_checkpoint_region_changes_none_of_it(use, inside):
    lines = ["bad = log(x)", "other = sin(x)", f"z = {use}"]
    cut = 2 if inside == "bad" else 3
    body = ['with checkpoint("r"):', *("    " + line for line in lines[:cut]), *lines[cut:], "t = z + other"]
    found = trace(parse("\n".join(["x = 0.0", *body])))
    assert float(found.gradient["x"]) == 1.0
    assert verify(found).agrees


@pytest.mark.parametrize("rule", ["rewrite({}, lambda v: 7.0)", "custom({}, pullback=lambda v, x, y: 7.0)"])
class TestRulesThatIgnoreWhatArrives:
    def test_act_on_a_computed_zero(self, rule):
        found = trace(parse(f"x = 2.0\ny = {rule.format('identity(x)')}\nz = y * 0.0"))
        assert float(found.gradient["x"]) == 7.0
        assert verify(found).agrees

    def test_do_not_act_where_nothing_arrives(self, rule):
        found = trace(parse(f"x = 2.0\ny = {rule.format('identity(x)')}\nz = sign(y) + x"))
        assert float(found.gradient["x"]) == 1.0
        assert verify(found).agrees

    def test_do_not_act_on_a_node_that_the_output_does_not_need(self, rule):
        found = trace(parse(f"x = 2.0\ny = {rule.format('identity(x)')}\nz = sin(y)\nw = 3.0 * x\nreturn w"))
        assert float(found.gradient["x"]) == 3.0
        assert verify(found).agrees


def test_a_step_as_alternative_leaves_a_region_differentiable():
    body = "c = backward_as(sin(x), floor(x))\n    d = custom(square(c), pullback=lambda v, c, y: v)"
    program = Program(parse(f'x = 1.5\nwith checkpoint("r"):\n    {body}'), "float32")
    value, pull = jax.vjp(lambda inputs: program(inputs, {}, {})[0], {"x": jnp.float32(1.5)})
    np.testing.assert_allclose(value, np.sin(1.5) ** 2, rtol=1e-6)
    assert pull(jnp.float32(1.0))[0]["x"] == 0.0


CALLS = {
    "at_set": "bad.at[1:].set(x[:2])",
    "avg_pool": "avg_pool(reshape(bad, shape=(1, 3, 1, 1)), window=1)",
    "batch_norm": "batch_norm(reshape(bad, shape=(3, 1)), x, x)",
    "conv2d": "conv2d(reshape(bad, shape=(1, 3, 1, 1)), reshape(bad, shape=(1, 1, 1, 3)), x)",
    "getitem": "bad[0]",
    "max_pool": "max_pool(reshape(bad, shape=(1, 3, 1, 1)), window=1)",
    "softmax_cross_entropy_with_integer_labels": "softmax_cross_entropy_with_integer_labels(bad, 1.0)",
    "broadcast_to": "broadcast_to(bad, shape=(2, 3))",
    "concatenate": "concatenate([bad, x])",
    "stack": "stack([bad, x])",
    "first": "first([bad, x])",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("op", sorted(name for name, op in OPS.items() if op.slots))
def test_of_every_op_both_paths_agree_after_a_log_of_0(op):
    """x holds 0, 1 and 2, so the op meets -inf and pulls back to an infinite slope."""
    call = CALLS.get(op, f"{op}({', '.join(['bad'] * len(OPS[op].slots))})")
    verdict = verify(trace(parse(f"x = [0.0, 1.0, 2.0]\nbad = log(x)\nz = {call}")))
    assert verdict.agrees, verdict
