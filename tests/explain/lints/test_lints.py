"""Test lints: graphs that must have one, each beside a near twin that must not, and what a mend leaves."""

from __future__ import annotations

import inspect
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program.program import Program, dynamic_params
from autodiff_viz.explain.lints.compute import KINDS, lint_cure, lints, not_looked_at
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph import edits
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS
from tests.engine.references.random_grads import random_text
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.engine.references.troubled_programs import troubled_text
from tests.seeds import seeded

CODES = (
    *("where-trap", "corners", "broadcast", "gradient-length", "shared-draw", "shadowed-argument"),
    *("stop-stops-nothing", "checkpoint-saves-nothing", "dead-unit", "forward-mode", "second-derivative"),
)
WHERE_TRAP, CORNERS, BROADCAST, LENGTH, SHARED, SHADOW, STOP, CHECKPOINT, DEAD, FORWARD_MODE, SECOND = CODES
SINE = "x = [1.0, 2.0, 3.0]\n"
SOFTPLUS = "maximum(x, 0.0) + log1p(exp(-abs(x)))"
RELU = "x = [[1.0, 2.0], [3.0, 1.0]]\nw = {}([[1.0, -1.0], [1.0, {}]])\nh = relu(x @ w)\nz = sum(h)"
PAIRS = "x = [1.0, 2.0, 3.0]\ny = {}\nz = mean(square(x - y))"
HALF = "a = 2.0\nb = custom(0.5 * (1.0 + a), pullback=lambda v, {0}, y: v * {0})\nz = b * a"
PENALTY = (
    "x = [[[1.0, 2.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0]]]\nw = [0.5, 0.5, 0.5, 0.5]\n"
    "s = reshape(x, shape=[2, 4]) @ w\ng = grad({}, x)\nn = {}\nz = mean(square(n - 1.0))"
)
STE = "x = 3.2\nq = x - stop_gradient(x) + stop_gradient(round(x))\ny = "

CASES = {
    # gradient-questions 20, jax #5798: the root at 0 is not taken, and its slope is infinite
    "a root at 0, not taken": ("x = 0.0\nc = less(x, 1.0)\ny = where(c, x, sqrt(x))", (WHERE_TRAP, "y")),
    "a second where before the root": (
        "x = 0.0\nc = less(x, 1.0)\ny = where(c, x, sqrt(where(c, 1.0, x)))", None
    ),
    "taken here, not taken at 0": ("x = 4.0\ny = where(greater(x, 1.0), sqrt(x), x)", (WHERE_TRAP, "y")),
    "not taken below 0": ("x = 0.5\ny = where(less(x, 0.0), 0.0, sqrt(x))", (WHERE_TRAP, "y")),
    "an infinite value with a slope of 0 × 0": ("x = 1e30\ny = where(less(x, 1.0), x * x, 0.0)", None),
    "a slope that is not finite behind a stop": (
        "x = 0.0\ny = where(less(x, 1.0), x, sqrt(stop_gradient(x)))", None
    ),
    "a slope that is finite everywhere": ("x = 0.5\ny = where(less(x, 0.0), 0.0, sin(x))", None),
    "a condition that cannot change": (
        "x = 0.5\ne = exp(x)\ny = where(greater(e, 0.0), sqrt(e), e)", None
    ),
    "p log p": ("p = 0.5\ny = where(greater(p, 0.0), p * log(p), 0.0)", (WHERE_TRAP, "y")),
    # 25: not finite, but by a clip; the origin of the NaN is reported elsewhere
    "a clip to the end of a domain": ("x = 10.0\ny = sqrt(1.0 - square(clip(x, -1.0, 1.0)))", None),
    # 29: exp overflows where it is not taken
    "an overflow, not taken": ("x = 100.0\ny = where(less(x, 10.0), exp(x), 0.0)", (WHERE_TRAP, "y")),
    # 24, jax #2107: 0.5 - 0.5 × 1 = 0; the true slope is 0.5. 23: a corner of the function itself
    "softplus by max and abs, at 0": (f"x = 0.0\ny = {SOFTPLUS}", (CORNERS, "y")),
    "softplus by max and abs, at 1": (f"x = 1.0\ny = {SOFTPLUS}", None),
    "one element of it at 0": (f"x = [1.0, 0.0]\ny = {SOFTPLUS}", (CORNERS, "y")),
    "x as two relus": ("x = 0.0\ny = relu(x) - relu(-x)", (CORNERS, "y")),
    "a maximum with 0": ("x = 0.0\ny = maximum(x, 0.0)", None),
    "an absolute value": ("x = 0.0\ny = abs(x)", None),
    "the square of an absolute value": ("x = 0.0\ny = square(abs(x))", None),
    # 35, jax #28805, and R7, functorch #353
    "a declared derivative of a constant, squared": (
        "x = 0.5\nfoo = custom(ones_like(x), pullback=lambda v, x, y: v * x)\nfun = square(foo)",
        (SECOND, "foo"),
    ),
    "a declared derivative that is true, squared": (
        "x = 0.5\nfoo = custom(sin(x), pullback=lambda v, x, y: v * cos(x))\nfun = square(foo)",
        (FORWARD_MODE, "foo"),
    ),
    "a straight-through square": (STE + "square(q)", (SECOND, "stop_gradient_1")),
    "straight through, in one stop": (
        "x = 3.2\nq = x + stop_gradient(round(x) - x)\ny = square(q)", (SECOND, "sub_1")
    ),
    "a straight-through square beside a stop": (
        "x = 3.2\nq = x + stop_gradient(round(x) - x)\ny = square(q) * stop_gradient(sin(x))",
        (SECOND, "sub_1"),
    ),
    "a stop of another kind": ("x = 3.2\ny = square(x + stop_gradient(sin(x)))", None),
    # 38, jax #19822
    "a checkpoint of the last stage": (
        f"{SINE}a = sin(x)\nwith checkpoint('last'):\n    b = sin(a)\ny = sum(b)", (CHECKPOINT, "last")
    ),
    "a checkpoint of both sines": (
        f"{SINE}with checkpoint('both'):\n    a = sin(x)\n    b = sin(a)\ny = sum(b)", None
    ),
    "a checkpoint of a linear op": (
        "x = [[1.0, 2.0]]\nw = [[1.0], [2.0]]\nwith checkpoint('c'):\n    h = x @ w\ny = sum(sin(h))",
        (CHECKPOINT, "c"),
    ),
    "a checkpoint of all": (
        f"{SINE}with checkpoint('all'):\n    a = sin(x)\n    b = sin(a)\n    y = sum(b)", (CHECKPOINT, "all")
    ),
    "a column beside a row": (PAIRS.format("[[1.0], [2.0], [3.0]]"), (BROADCAST, "sub_1")),
    "two rows": (PAIRS.format("[1.0, 2.0, 3.0]"), None),
    # caogang/wgan-gp #25, #27, #56, PyTorch-GAN #20: a length for each column of each image
    "lengths along one axis of an image": (PENALTY.format("s", "norm(g, axis=1)"), (LENGTH, "n")),
    "lengths of whole images": (PENALTY.format("s", "norm(reshape(g, shape=[2, 4]), axis=1)"), None),
    "scores that are added up": (PENALTY.format("sum(s)", "norm(g, axis=2)"), (LENGTH, "n")),
    "one length of a batch": (PENALTY.format("s", "norm(g)"), (LENGTH, "n")),
    "one length of a batch in a row": (
        PENALTY.format("mean(s)", "norm(reshape(g, shape=[8]))"), (LENGTH, "n")
    ),
    "lengths over the batch": (PENALTY.format("s", "norm(reshape(g, shape=[2, 4]), axis=0)"), (LENGTH, "n")),
    "roots of squares along one axis": (
        PENALTY.format("s", "sqrt(sum(square(g), axis=1) + 1e-12)"), (LENGTH, "n")
    ),
    "roots of squares over both axes": (PENALTY.format("s", "sqrt(sum(sum(g * g, axis=2), axis=1))"), None),
    "lengths of lengths": (PENALTY.format("s", "norm(norm(g, axis=2, keepdims=True), axis=1)"), None),
    "squares, which add up": (PENALTY.format("s", "square(norm(g, axis=1))"), None),
    "a map of what matters": (
        PENALTY.format("s", "norm(g, axis=1)").replace("mean(square(n - 1.0))", "sum(n)"), None
    ),
    "a penalty that leads nowhere": (
        PENALTY.format("s", "norm(g, axis=1)") + "\nz2 = sum(s)\nreturn z2", None
    ),
    # the eikonal loss of a field of distances: each point of each cloud has its own score
    "a length for each point": (
        "x = [[[1.0, 2.0], [0.5, 1.0]], [[2.0, 0.5], [1.0, 1.0]]]\nd = square(norm(x, axis=2))\n"
        "g = grad(sum(d), x)\nz = mean(square(norm(g, axis=2) - 1.0))",
        None,
    ),
    "one length of a weight's gradient": (
        "x = [[1.0, 2.0], [0.5, 1.0]]\nw = [[0.3, 0.1], [0.2, 0.4]]\ns = sum(tanh(x @ w), axis=1)\n"
        "g = grad(s, w)\nz = norm(g)",
        None,
    ),
    "samples that depend on each other": (
        "x = [[1.0, 2.0], [0.5, 3.0]]\nc = square(x - mean(x, axis=0))\ns = c @ [1.0, 2.0]\n"
        "g = grad(s, x)\nz = norm(g)",
        None,
    ),
    "a mean over all of a loss by elements": (
        "x = [[1.0, 2.0], [0.5, 3.0]]\ny = [[1.0, 0.0], [0.0, 1.0]]\nz = mean(square(x - y))", None
    ),
    # jax.random.uniform and jax.random.normal of one key are functions of the same bits
    "a normal and a uniform draw with one seed": (
        "x = 2.0\nw = uniform(shape=(3,), seed=1)\nn = normal(shape=(3,), seed=1)\ny = sum(sin(n + w)) * x",
        (SHARED, "n"),
    ),
    "two normal draws of other shapes with one seed": (
        "x = 2.0\nm = normal(shape=(2,), seed=4)\nn = normal(shape=(5,), seed=4)\ny = sum(m) * sum(n) * x",
        (SHARED, "n"),
    ),
    "two dropouts with one seed": (
        "x = [1.0, 2.0]\na = dropout(x, seed=3)\nb = dropout(sin(x), seed=3)\ny = sum(a * b)", (SHARED, "b")
    ),
    "a mask and noise with one seed": (
        "x = [1.0, 2.0]\na = dropout(x, seed=3)\nn = normal(shape=(2,), seed=3)\ny = sum(a * n)",
        (SHARED, "n"),
    ),
    "two draws with two seeds": (
        "x = 2.0\nm = normal(shape=(3,), seed=1)\nn = normal(shape=(3,), seed=2)\ny = sum(m * n) * x", None
    ),
    "a draw that is read twice": ("x = 2.0\nn = normal(seed=1)\ny = n * n * x", None),
    "a draw that leads nowhere": (
        "x = 2.0\nn = normal(seed=1)\nm = uniform(seed=1)\ny = n * x\nreturn y", None
    ),
    "a unit that never fires": (RELU.format("parameter", "-2.0"), (DEAD, "h")),
    "a unit that fires once": (RELU.format("parameter", "1.0"), None),
    "a unit that never fires, passed by straight through": (
        RELU.format("parameter", "-2.0").replace("relu(x @ w)", "backward_as(relu(m), m)").replace(
            "\nh", "\nm = x @ w\nh"
        ),
        None,
    ),
    "a unit that never fires, scaled": (
        RELU.format("parameter", "-2.0").replace("relu(x @ w)", "scale_gradient(relu(x @ w), 2.0)"),
        (DEAD, "h"),
    ),
    "nothing to be learned": (RELU.format("input", "-2.0").replace("input(", "(") , None),
    "an argument named like a node beside": (HALF.format("a"), (SHADOW, "b")),
    "an argument named like nothing": (HALF.format("s"), (FORWARD_MODE, "b")),
    "a stop before a stop": (
        "x = 2.0\na = stop_gradient(sin(x))\nb = stop_gradient(exp(a))\nz = b + x", (STOP, "a")
    ),
    "a stop after a step": ("x = 2.2\na = stop_gradient(round(x))\nz = a * x", (STOP, "a")),
    "a stop of a constant": ("x = 2.2\na = stop_gradient(sin(1.0))\nz = a * x", (STOP, "a")),
    "a stop at a dead relu, which may wake": ("x = -2.2\na = stop_gradient(relu(x))\nz = a * x", None),
    # R7: with the stop g is 6; without it q is x - x + 3, and g is 0
    "a stop that a gradient differentiates": (
        "x = 3.2\nq = x - stop_gradient(x) + stop_gradient(sin(x))\ny = square(q)\ng = grad(y, x)", None
    ),
    # 10: the constant is what the author looks at, since there is no input
    "a stop in a graph without inputs": (
        "logits = log([0.2, 0.5])\ns = softmax(logits)\ny = sum(square(s - stop_gradient(s) + 1.0))", None
    ),
    # 35: nothing arrives at foo, so all that it passes is 0, which its op would pass, too
    "a rule at which nothing arrives": (
        "x = 0.5\nfoo = custom(ones_like(x), pullback=lambda v, x, y: v * x)\nfun = square(foo)\n"
        "g = grad(fun, x)", (FORWARD_MODE, "foo")
    ),
    "a stop after a sine": ("x = 2.2\na = stop_gradient(sin(x))\nz = a * x", None),
    # jax.jvp passes no tangent through a stop, nor through a step
    "a rule behind a stop": (
        "x = 2.0\na = stop_gradient(sin(x))\ny = rewrite(a * 3.0, lambda v: v)", None
    ),
    "a rule behind a step": ("x = 2.0\na = round(x)\ny = rewrite(a * 3.0, lambda v: v)", None),
    "a rule behind a stop, read by another": (
        "x = 2.0\na = rewrite(stop_gradient(x), lambda v: v)\ns = scale_gradient(a * x, 2.0)\ny = x * s",
        (FORWARD_MODE, "s"),
    ),
    "a declared derivative of a condition": (
        "x = 2.0\ny = custom(where(x > 1.0, 3.0, 1.0), pullback=lambda v, c, y: v)", None
    ),
    "a gradient scaled": ("x = 2.2\na = scale_gradient(sin(x), -1.0)\nz = a * x", (FORWARD_MODE, "a")),
    "nothing at all": ("x = 2.2\na = sin(x)\nz = a * x", None),
}  # fmt: skip


SECOND_TOO = ("a gradient scaled", "a rule at which nothing arrives", "a rule behind a stop, read by another")


def found(text: str):
    return lints(trace(parse(text)))


@pytest.mark.parametrize("case", CASES)
def test_a_graph_has_its_lint_and_its_twin_has_not(case):
    text, expected = CASES[case]
    told = [(lint.code, lint.where) for lint in found(text)]
    beside = {FORWARD_MODE} | ({SECOND} if expected and expected[0] == SHADOW else set())
    beside |= {SECOND} if "named like nothing" in case else set()
    beside |= {SECOND} if case in SECOND_TOO else set()
    beside |= {STOP} if text.startswith(STE) else set()  # round passes nothing in any case
    if expected is None:
        assert told == []
    else:
        assert expected in told
        assert {each[0] for each in told if each != expected} <= beside


MENDS = {
    "a root at 0, not taken": ("sqrt(where(c, 1.0, x))", {"x": 1.0}),
    "taken here, not taken at 0": ("sqrt(where(greater_1, x, 1.0))", {"x": 0.25}),
    "an overflow, not taken": ("exp(where(less_1, x, 0.0))", {"x": 0.0}),
    "softplus by max and abs, at 0": ("y = softplus(x)", {"x": 0.5}),
    "x as two relus": ("y = x", {"x": 1.0}),
    "a declared derivative that is true, squared": ("foo = sin(x)", {"x": np.sin(1.0)}),
    "a checkpoint of the last stage": ("b = sin(a)", {}),
    "a column beside a row": ("reshape(y, shape=(3,))", {"x": [0.0, 0.0, 0.0]}),
    "lengths along one axis of an image": ("norm(reshape(g, shape=(2, -1)), axis=1)", {"w": [0.0] * 4}),
    "a unit that never fires": ("leaky_relu", {}),
    "an argument named like a node beside": ("lambda v, mul_1, y: v * mul_1", {}),
    "a stop before a stop": ("a = sin(x)", {"x": 1.0}),
}


@pytest.mark.parametrize("case", MENDS)
def test_a_mend_takes_the_lint_away_and_changes_no_value(case):
    text, expected = CASES[case]
    written, gradient = MENDS[case]
    before = trace(parse(text))
    lint = next(each for each in lints(before) if (each.code, each.where) == expected)
    after = trace(lint.mend)
    assert expected not in [(each.code, each.where) for each in lints(after)]
    if written not in show(lint.mend):  # names of new nodes are not the claim
        assert re.sub(r"\w+_1", "_", written) in re.sub(r"\w+_1", "_", show(lint.mend))
    if lint.code not in (BROADCAST, LENGTH, DEAD):
        np.testing.assert_allclose(after.value[after.output], before.value[before.output], rtol=1e-6)
    for name, number in gradient.items():
        np.testing.assert_allclose(after.gradient[name], number, rtol=1e-6)
    assert lint.button
    assert lint.changes
    assert lint_cure(before, *expected).mend == lint.button


def test_a_rule_at_which_nothing_arrives_is_not_said_to_be_the_op_s_own():
    text, *_ = CASES["a rule at which nothing arrives"]
    assert [lint for lint in found(text) if "by itself" in lint.message] == []
    own = found(text.replace("ones_like(x)", "square(x)").replace("v * x)", "v * (x + x))"))
    assert [one.message.endswith("The op has the same derivative by itself.") for one in own] == [True]


def test_messages_have_the_numbers():
    said = {case: found(CASES[case][0])[-1].message for case in CASES if CASES[case][1]}
    assert "is 0.5 on both sides, and JAX has 0" in said["softplus by max and abs, at 0"]
    assert "is 2 in JAX, but the slope of the gradient is 0" in said["a straight-through square"]
    twice = found(CASES["a gradient scaled"][0])[-1].message  # a is pulled back by -1 in its gradient too
    assert f"is {2.2 * np.sin(2.2) - 2 * np.cos(2.2):.4g} in JAX" in twice
    assert f"the slope of the gradient is {2.2 * np.sin(2.2):.4g}" in twice
    assert (
        "by x is 2.5 in JAX, but the slope of the gradient is 2"
        in (said["a declared derivative of a constant, squared"])
    )
    assert said["lengths along one axis of an image"] == (
        "'n' has 4 lengths of the gradient 'g' for the 2 scores in 's': each is of a part of a sample alone."
    )
    assert (
        "1 length of the gradient 'g' for the 2 scores in 's': it joins all samples"
        in (said["one length of a batch"])
    )
    assert "4 lengths" in said["lengths over the batch"]
    assert "each joins one part of all samples" in said["lengths over the batch"]
    (cured,) = found(CASES["lengths along one axis of an image"][0])
    assert cured.changes.endswith("The gradient of w is 0.4142 long here, and 0 then.")  # √(4 · 0.2071²)
    assert "keeps 6 elements, without it 6" in said["a checkpoint of the last stage"]
    assert "[3] and [3, 1] were broadcast to [3, 3]" in said["a column beside a row"]
    assert "Unit 1 of 2 of 'h' is 0 in all 2 rows" in said["a unit that never fires"]


@pytest.mark.parametrize(
    ("rule", "is_seen"),
    [
        ("custom(sin(x), pullback=lambda v, x, y: v)", False),
        ("rewrite(sin(x), lambda v: 0.5 * v)", False),
        ("scale_gradient(sin(x), 0.5)", False),
        ("backward_as(sin(x), x)", True),
        ("stop_gradient(sin(x)) + x", True),
    ],
)
def test_forward_mode_is_said_to_be_blind_where_jax_raises(rule, is_seen):
    graph = parse(f"x = 0.5\na = {rule}\nz = a * x")
    told = FORWARD_MODE in {lint.code for lint in lints(trace(graph))}
    program, dynamic = Program(graph, "float32"), dynamic_params(graph)

    def tangent() -> None:
        jax.jvp(lambda x: program({"x": x}, dynamic, {})[0], (jnp.float32(0.5),), (jnp.float32(1.0),))

    if is_seen:
        tangent()
        assert not told
    else:
        with pytest.raises(TypeError, match="custom_vjp"):
            tangent()
        assert told


def raises(graph, found) -> bool:
    """Whether `jax.jvp` of the exported file raises."""
    scope: dict = {}
    exec(to_python(graph), scope)
    names = [*inspect.signature(scope["forward"]).parameters]
    inputs = tuple(jnp.asarray(found.inputs[name]) for name in names)
    try:
        jax.jvp(scope["forward"], inputs, tuple(map(jnp.ones_like, inputs)))
    except TypeError as error:
        if "custom_vjp" not in str(error):
            raise
        return True
    return False


@pytest.mark.sampled(15)
@pytest.mark.parametrize("start", range(0, 200, 5))
def test_forward_mode_is_said_to_be_blind_if_and_only_if_jax_raises(start):
    """Of the exported file, with rules of all kinds in it, and grad nodes."""
    for seed in range(start, start + 5):
        for text in (random_text(seeded(seed)), troubled_text(seed), troubled_text(seed, grads=True)):
            try:
                found = trace(graph := parse(text))
            except GraphError:
                continue
            assert any(KINDS[FORWARD_MODE].find(found)) == (bool(found.inputs) and raises(graph, found)), text


def test_the_second_derivative_of_row_35_is_said_with_and_without_a_rule_that_calls_itself():
    """jax #28805: foo is 1 with the slope x; the square's second derivative is 2 foo'^2 + 2 foo foo'' = 2.5.

    The report's rule returns the value 1 and not foo(x), and JAX then has 2.
    """

    def second(forward):
        @jax.custom_vjp
        def foo(x):
            return jnp.ones_like(x)

        foo.defvjp(lambda x: (forward(foo, x), x), lambda x, v: (v * x,))
        return float(jax.grad(jax.grad(lambda x: foo(x) ** 2))(0.5))

    assert second(lambda foo, x: foo(x)) == 2.5
    assert second(lambda foo, x: jnp.ones_like(x)) == 2.0
    said = found(CASES["a declared derivative of a constant, squared"][0])[-1].message
    assert "is 2.5 in JAX" in said
    assert said.endswith("if it calls the op, as custom_vjp rules often do, JAX has 2.")
    assert "calls the op" not in found(CASES["a gradient scaled"][0])[-1].message


def test_a_stop_that_only_cancels_is_an_idiom_and_no_lint():
    """The stop of the maximum in a softmax: no gradient depends on it, and it saves the pass back through it.

    Whatever is subtracted from all elements cancels, so its contributions add up to 0 with any numbers.
    """
    text = "x = [1.0, 2.0, 4.0]\nm = {}(max(x))\ne = exp(x - m)\np = e / sum(e)\ny = p[0]"
    stopped, without = (trace(parse(text.format(rule))) for rule in ("stop_gradient", ""))
    np.testing.assert_allclose(stopped.gradient["x"], without.gradient["x"], atol=1e-7)
    assert not stopped.passed["m", 0].any()
    assert lints(stopped) == ()


def test_a_rule_behind_a_stop_is_not_to_blame_for_a_second_derivative():
    """y = x^2 a with a stopped: only the rule of s has part in the gradient, of which it doubles a half."""
    (lint,) = [
        each for each in found(CASES["a rule behind a stop, read by another"][0]) if each.code == SECOND
    ]
    assert lint.nodes == ("s",)
    assert "because of the rule of 's'." in lint.message


def test_what_was_not_looked_at_is_said():
    text = "x = 1.0\nn0 = sin(x)\n"
    blocks = [f"with checkpoint('c{i}'):\n    n{i} = sin(n{i - 1})" for i in range(1, 11)]
    graph = parse(text + "\n".join(blocks))
    assert not_looked_at(trace(graph)) == ("Hints look at the first 8 of 10 checkpoints.",)
    assert not_looked_at(trace(parse(text + "\n".join(blocks[:8])))) == ()


@settings(max_examples=40)
@given(scalar_graphs())
def test_a_stop_that_stops_nothing_can_go_at_any_inputs(graph):
    with jax.enable_x64():
        base = trace(graph, dtype="float64")
        idle = [finding.where for finding in KINDS[STOP].find(base)]
        without = graph
        for name in idle:
            without = edits.with_rule(without, name, Rule(FOLLOW))
        for move in (0.0, 0.01, -0.02):
            inputs = {name: value + move for name, value in base.inputs.items()}
            one, other = (trace(g, inputs, dtype="float64").gradient for g in (graph, without))
            assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


@settings(max_examples=30)
@given(scalar_graphs(rules=False, regions=False))
def test_a_graph_without_rules_and_regions_clear_of_corners_has_no_lint(graph):
    assert lints(trace(graph)) == ()


LESSON_LINTS = {
    "With a rule": {FORWARD_MODE},
    "Declared": {FORWARD_MODE},
    "Rewritten to 0.5": {FORWARD_MODE},
    "Declared rightly": {FORWARD_MODE},
    "Declared wrongly": {FORWARD_MODE},
    "The noise behind a stop": {SECOND},  # straight through, and then squashed
    "One number": {SECOND},
    "Halved at each step": {FORWARD_MODE, SECOND},  # no function has it
    "The noise of the answer": {SECOND},
    "Straight through": {SECOND},
    "With a stop": {SECOND},
    "Quantised": {SECOND},
    "Three losses": {SECOND},
    "Two stops swapped": {SECOND},
    "zq in place of e": {SECOND},
    "The tutorial's square": {CHECKPOINT},  # of the value 2 elements are kept with it and without
    "The answer's three numbers": {SECOND},
    "A square that prints": {CHECKPOINT},  # of the value 2 elements are kept with it and without
    "Four sines, checkpointed": {CHECKPOINT},  # the whole function
    "Two losses": {FORWARD_MODE, SECOND},  # the reversal
    "One loss": {FORWARD_MODE, SECOND},
    "Declared along the rows": {FORWARD_MODE},
    "By the rule": {FORWARD_MODE},
    "The second sine": {CHECKPOINT},
    "Keep v2": {CHECKPOINT},  # the whole function, as in the others
    "Keep v1 and v2": {CHECKPOINT},
    "Keep none": {CHECKPOINT},
    "Keep three": {CHECKPOINT},
    "Two levels": {CHECKPOINT},
    "Around all steps": {CHECKPOINT},  # the whole function
    "Ten steps": {BROADCAST},
    "As it was printed": {BROADCAST},
    "Targets in a list": {BROADCAST},
    "A guarded root": {WHERE_TRAP},
    "A guarded logarithm": {WHERE_TRAP},
    "0 in place of the product": {WHERE_TRAP},
    "Two ways to write it": {CORNERS},
    "With max and abs": {CORNERS},
    "With PyTorch's rule": {FORWARD_MODE},
    "Along one axis": {LENGTH},
    "Over both images": {LENGTH},
    "As in the PyTorch to come": {FORWARD_MODE},
    "As in PyTorch 2.13": {FORWARD_MODE, SECOND},
    "As in JAX": {SECOND},  # straight through the rounding
    "With the hook": {FORWARD_MODE},
    "The hook in place of the relu's slope": {FORWARD_MODE},
    "The hook comes first": {FORWARD_MODE, SECOND},  # no function has half of a slope
    "Before and after": {FORWARD_MODE, SECOND},
    "A result overwritten": {FORWARD_MODE},
    "A rule on g": {FORWARD_MODE},
    "By norm": {FORWARD_MODE},
    "At each step of a chain": {FORWARD_MODE, SECOND},
    "One down, one up": {FORWARD_MODE},
    "One down, one up, rate 1": {FORWARD_MODE},
    "From weights drawn at random": {DEAD},
    "Convolution checkpointed": {CHECKPOINT},
    "Declared derivative": {FORWARD_MODE},
    "Cats and dogs": {DEAD},
}
"""By variant of a lesson: the lints that were looked at and are true. All others have none."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.key)
def test_the_graphs_of_the_lessons_have_no_lint_but_these(lesson):
    for variant in lesson.steps:
        told = {lint.code for lint in lints(trace(graph_of(variant), seed=variant.seed))}
        assert told == LESSON_LINTS.get(variant.title, set()), variant.title


def test_without_an_output_there_is_no_lint_and_no_trace_is_refused():
    with pytest.raises(GraphError) as refused:
        lints(parse("x = 2.0\nz = x * x"))
    assert [problem.code for problem in refused.value.problems] == ["not-a-trace"]


def test_a_cure_that_is_no_longer_there_is_none_and_an_unknown_code_is_refused():
    whole = trace(parse("x = 2.2\na = sin(x)"))
    assert lint_cure(whole, STOP, "a") is None
    with pytest.raises(ValueError, match="no-such-code"):
        lint_cure(whole, "no-such-code", "a")


def test_a_checkpoint_with_a_policy_is_not_said_to_run_all_again():
    """Row 40: with v2 saved, v1 and v3 run again and v2 does not."""
    text = """v0 = 0.5
with checkpoint("all", policy="save_only_these_names", names=["v2"]):
    v1 = sin(v0)
    v2 = sin(v1)
    v3 = sin(v2)
    v4 = sin(v3)"""
    found = trace(parse(text))
    assert {name: found.runs[name].kept for name in ("v1", "v2", "v3")} == {"v1": 1, "v2": 0, "v3": 1}
    (lint,) = lints(found)
    assert "but what it drops runs again at once" in lint.message
