"""Test why no gradient arrives: small graphs, each with its cause by hand."""

from __future__ import annotations

import re

import jax
import numpy as np
import pytest
from hypothesis import given

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.zero.compute import cure_of_zero, why_zero
from autodiff_viz.explain.zero.elements import CANCELLED, DISCONNECTED, FLAT, RULE, SEED, STOPPED, UNDERFLOW
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.references.scalar_graphs import scalar_graphs

GAN = """theta = 1.0
phi = 0.5
fake = stop_gradient(theta * 2.0)
d = sigmoid(phi * fake)
loss = -log(d)"""
SCORE = """mu = 0.3
sigma = 2.0
z = mu + sigma * 1.5
logq = -0.5 * square((z - mu) / sigma) - log(sigma)"""


def why(text: str, name: str = "x", **how):
    return why_zero(trace(parse(text), **how), name)


def said(text: str, name: str = "x", **how):
    found = why(text, name, **how)
    return found and (found.kind, found.at)


CASES = {
    "nothing is wrong": ("x = 2.0\nz = x * x", None),
    "a stop": ("x = 2.0\na = stop_gradient(x * x)\nz = a + 1.0", (STOPPED, ("a",))),
    "the nearest of two stops on a path": (
        "x = 2.0\na = stop_gradient(sin(x))\nb = stop_gradient(exp(a))\nz = b + 1.0",
        (STOPPED, ("a",)),
    ),
    "two paths, a stop on each": (
        "x = 2.0\na = stop_gradient(sin(x))\nb = stop_gradient(exp(x))\nz = a + b",
        (STOPPED, ("a", "b")),
    ),
    "a stop beside the path": (
        "x = -2.0\na = relu(x)\ny = 1.0\nb = stop_gradient(y * 2.0)\nz = a + b",
        (FLAT, ("a",)),
    ),
    "a stop that leads nowhere": (
        "x = -2.0\na = relu(x)\nb = stop_gradient(x * 2.0)\nz = a + 1.0\nreturn z",
        (FLAT, ("a",)),
    ),
    "no path": ("x = 2.0\ny = 3.0\na = sin(x)\nz = y * y\nreturn z", (DISCONNECTED, ())),
    "a dead relu": ("x = -2.0\na = relu(x)\nz = a * 3.0", (FLAT, ("a",))),
    "a clip": ("x = 9.0\na = clip(x, 0.0, 1.0)\nz = a * 3.0", (FLAT, ("a",))),
    "a factor of 0": ("x = 2.0\ny = 0.0\na = x * y\nz = a + 1.0", (FLAT, ("a",))),
    "a stop on one path and a dead relu on the other": (
        "x = -2.0\na = relu(x)\nb = stop_gradient(sin(x))\nz = a + b",
        (FLAT, ("a",)),
    ),
    "a dead relu behind a stop is not to blame": (
        "x = -2.0\na = relu(x)\nb = stop_gradient(a * 2.0)\nz = b + 1.0",
        (STOPPED, ("b",)),
    ),
    "a rewrite to 0": (
        "x = 2.0\na = rewrite(x, lambda v: 0.0 * v)\nz = a * 3.0",
        (RULE, ("a",)),
    ),
    "too small for float32": ("x = 1.0\na = x * 1e-30\nz = a * 1e-30", (UNDERFLOW, ("a",))),
    "just too small for float32": ("x = 1.0\na = x * 1e-30\nz = a * 1.1e-8", (UNDERFLOW, ("a",))),
    "x - x": ("x = 2.0\nz = x - x", (CANCELLED, ("x",))),
    "two paths of opposite sign": (
        "x = 2.0\ny = sin(x)\na = 3.0 * y\nb = -3.0 * y\nz = a + b",
        (CANCELLED, ("y",)),
    ),
    "all elements, by one op's own sum": (
        "x = 2.0\nw = [1.0, -1.0]\na = x * w\nz = sum(a)",
        (CANCELLED, ("a",)),
    ),
    "each element dead or not reached": (  # a closes the first one, b the second
        "x = [-1.0, 2.0]\nw = [1.0, 0.0]\na = relu(x)\nb = a * w\nz = sum(b)",
        (FLAT, ("a", "b")),
    ),
}


STOP_AND_RULE = "x = 2.0\ny = stop_gradient(x) * rewrite(x, lambda v: 0.0)"


@pytest.mark.parametrize(
    ("text", "also", "closed"),
    [
        (
            STOP_AND_RULE,
            (("stopped", ("stop_gradient_1",)),),
            "stopped at 'stop_gradient_1'; the rule of 'rewrite_1' passes back 0.",
        ),
        (
            "x = 2.0\ny = where(greater(x, 1.5), stop_gradient(x), square(x))",
            (("stopped", ("stop_gradient_1",)),),
            "stopped at 'stop_gradient_1'; the derivative of 'y' is 0.",
        ),
        (
            "x = -2.0\ny = relu(x) + stop_gradient(x) + rewrite(x, lambda v: 0.0)",
            (("stopped", ("stop_gradient_1",)), ("rule", ("rewrite_1",))),
            "stopped at 'stop_gradient_1'; the rule of 'rewrite_1' passes back 0; "
            "the derivative of 'relu_1' is 0.",
        ),
    ],
)
def test_the_sentence_names_all_that_close_a_path(text, also, closed):
    found = why_zero(trace(parse(text)), "x")
    assert found.also == also
    assert found.sentence == f"Every path from 'x' to 'y' is closed: {closed}"


@pytest.mark.parametrize(
    ("text", "dtype", "at", "lost"),
    [  # by hand: the slopes, 1 - tanh(10)^2 = 8.2e-9 and 2.1e-9, are far above float32's least, 1.2e-38
        ("x = 10.0\ny = tanh(x)", "float32", "y", "rounding leaves 0"),
        ("x = 20.0\ny = sigmoid(x)", "float32", "y", "rounding leaves 0"),
        ("x = 4.0\ny = tanh(x)", "bfloat16", "y", "rounding leaves 0"),  # 1.3e-3
        (
            "x = 300.0\na = square(x)\ny = sqrt(a)",
            "float16",
            "y",
            "'y' reads an overflow in float16",
        ),  # 1.7e-3
        ("x = 1.0\na = x * 1e-30\ny = a * 1e-30", "float32", "a", "too small for float32"),
        ("x = 1.0\na = x * 1e-5\ny = a * 1e-5", "float16", "a", "too small for float16"),
    ],
)
def test_a_number_that_rounding_or_an_overflow_takes_is_not_called_too_small(text, dtype, at, lost):
    found = why_zero(trace(parse(text), dtype=dtype), "x")
    assert (found.kind, found.at) == (UNDERFLOW, (at,))
    assert lost in found.sentence
    assert re.search("in float64 it (is not 0|does not)", found.sentence)


@pytest.mark.parametrize("case", CASES)
def test_the_cause_is_the_one_found_by_hand(case):
    text, expected = CASES[case]
    assert said(text) == expected


def test_a_detach_that_was_left_in_by_mistake():
    found = why(GAN, "theta")
    assert (found.kind, found.at) == (STOPPED, ("fake",))
    assert found.sentence == "Every path from 'theta' to 'loss' meets a stop, at 'fake'."
    assert why(GAN, "phi") is None


def test_two_paths_to_the_mean_of_a_gaussian_cancel_and_no_stop_is_to_blame():
    found = why(SCORE, "mu")
    assert (found.kind, found.at) == (CANCELLED, ("mu",))
    assert {wire[0] for wire in found.wires} == {"z", "sub_1"}
    cotangents = trace(parse(SCORE)).passed
    parts = [cotangents[wire].item() for wire in found.wires]
    assert sum(parts) == 0
    assert all(parts)
    assert found.sentence == "Contributions that are not 0 add up to 0 at 'mu': 0.75 − 0.75 = 0."


def test_a_seed_of_zero():
    assert said("x = 2.0\nz = x * x", seed=0.0) == (SEED, ())


def test_in_float64_a_small_number_is_no_underflow():
    text = CASES["too small for float32"][0]
    assert said(text, dtype="float64") is None
    assert why(text).sentence.endswith(
        "what 'a' passes back is too small for float32; in float64 it is not 0."
    )


UNDERFLOWS = {
    # text, dtype: the dtype of the mend, and what then arrives at x
    ("x = 1.0\na = x * 1e-30\nz = a * 1e-30", "float32"): ("float64", 1e-60),
    ("x = 1.0\na = x * 1e-5\nz = a * 1e-5", "float16"): ("float32", 1e-10),
    ("x = 1.0\na = x * 1e-30\nz = a * 1e-30", "bfloat16"): ("float64", 1e-60),
    ("x = [1.0, 1.0]\na = x * [1.0, 1e-5]\nz = sum(a * [1.0, 1e-5])", "float16"): (
        "float32",
        [1.0, 1e-10],
    ),
}


@pytest.mark.parametrize("case", UNDERFLOWS)
def test_an_underflow_is_mended_by_the_next_dtype_in_which_something_arrives(case):
    (text, dtype), (wider, arrives) = case, UNDERFLOWS[case]
    found = why_zero(trace(parse(text), dtype=dtype), "x")
    assert (found.dtype, found.cure, found.mend) == (wider, parse(text), f"Compute in {wider}")
    np.testing.assert_allclose(trace(found.cure, dtype=wider).cotangent["x"], arrives, rtol=1e-6)


def test_in_a_training_an_underflow_is_mended_by_a_loss_scale():
    """2^-26 underflows in float16, whose least number is 2^-24; half of that is rounded to 0 too."""
    text = "w = parameter(1.0)\nm = w * 0.0001220703125\ny = m * 0.0001220703125"
    found = trace(parse(text), dtype="float16")
    cure = cure_of_zero(found, "w", trained=True)
    assert (cure.loss_scale, cure.dtype, cure.mend) == (4.0, "", "Train with a loss scale of 4")
    assert float(trace(found.graph, seed=4.0, dtype="float16").cotangent["w"]) == 2.0**-24
    assert cure_of_zero(found, "w").dtype == "float32"


def test_a_stop_behind_an_underflow_is_removed_too():
    text = "x = 1.0\na = stop_gradient(x * 1e-5)\nz = a * 1e-5"
    found = why_zero(trace(parse(text), dtype="float16"), "x")
    assert (found.mend, found.dtype) == ("Remove the stop at a, compute in float32", "float32")
    assert found.cure["a"].rule.kind == "follow"


UNMENDED = {
    "x = 2.0\ny = 0.0\na = x * y\nz = a + 1.0": "A factor is 0: any other factor is another function, "
    "so there is no mend.",
    "x = 2.0\nz = where(less(3.0, 1.0), x, 5.0)": "It takes the other branch here: to take this one is "
    "another function, so there is no mend.",
    "x = 2.0\nz = greater(x, 1.0) * 3.0": "greater is constant between its steps: anything smooth is "
    "another function, so there is no mend.",
}


@pytest.mark.parametrize("text", UNMENDED)
def test_a_derivative_of_0_without_a_mend_says_why_there_is_none(text):
    found = why(text)
    assert (found.kind, found.cure) == (FLAT, None)
    assert found.sentence.endswith(UNMENDED[text])


@pytest.mark.parametrize(
    ("found", "name", "code"), [("graph", "x", "not-a-trace"), ("trace", "no", "unknown-node")]
)
def test_what_cannot_be_asked_is_refused_in_words(found, name, code):
    graph = parse("x = 2.0\nz = x * x")
    with pytest.raises(GraphError) as refused:
        why_zero(graph if found == "graph" else trace(graph), name)
    assert [problem.code for problem in refused.value.problems] == [code]


def paths(graph, name: str) -> list[list[str]]:
    """All paths from a node to the output, as the nodes that read on the way."""
    if name == graph.output:
        return [[]]
    readers = [node.name for node in graph.nodes if name in node.slots]
    return [[reader, *rest] for reader in readers for rest in paths(graph, reader)]


@given(scalar_graphs())
def test_there_is_a_reason_exactly_where_nothing_arrives_and_stops_come_first(graph):
    found = trace(graph)
    for name in found.value:
        reason = why_zero(found, name)
        assert (reason is None) == bool(found.cotangent[name].any())
        if reason is None:
            continue
        ways = paths(found.graph, name)
        stops = [[n for n in way if found.graph[n].rule.kind == "stop"] for way in ways]
        assert (reason.kind == DISCONNECTED) == (not ways)
        assert (reason.kind == STOPPED) == (bool(ways) and all(stops))
        assert {*reason.at} <= {n for way in ways for n in way} | {name}
        if reason.kind == STOPPED:
            assert {*reason.at} == {met[0] for met in stops}
        assert bool(reason.at) == (reason.kind not in (SEED, DISCONNECTED))
        assert {n for n, _ in reason.path} <= {n for way in ways for n in way}
        if reason.cure:
            assert trace(reason.cure).cotangent[name].any()


@given(scalar_graphs())
def test_a_node_is_called_flat_only_where_its_derivative_is_zero_in_float64(graph):
    with jax.enable_x64():
        found = trace(graph, dtype="float64")
        for name in found.value:
            reason = why_zero(found, name)
            if reason and reason.kind == FLAT:
                passed = [found.passed[n, slot] for n in reason.at for slot, _ in found.graph[n].wires]
                assert any(not np.any(one) for one in passed)


BESIDE = "x = 2.0\ny = 3.0\na = sin(x)\nb = 2.0 * a\nz = y * y\nreturn z"
MENDS = {
    "a detach that was left in": (GAN, "theta", "Remove the stop at fake", -0.2689414),
    "two stops, one behind the other": (
        "x = 2.0\na = stop_gradient(3.0 * x)\nb = stop_gradient(2.0 * a)\nz = b + 1.0",
        "x", "Remove the stop at a, remove the stop at b", 6.0,
    ),
    "a dead relu": ("x = -2.0\na = relu(x)\nz = a * 3.0", "x", "Leak the relu a", 0.03),
    "a maximum with 0": ("x = -2.0\na = maximum(x, 0.0)\nz = a * 3.0", "x", "Leak the relu a", 0.03),
    "a stop before a dead relu": (
        "x = -2.0\na = relu(x)\nb = stop_gradient(a)\nz = b * 3.0",
        "x", "Remove the stop at b, leak the relu a", 0.03,
    ),
    "a step": ("x = 1.3\na = round(x)\nz = a * 3.0", "x", "Pass straight through a", 3.0),
    "a rule": (
        "x = 2.0\na = rewrite(x, lambda v: 0.0 * v)\nz = a * 3.0", "x", "Remove the rule of a", 3.0
    ),
    "a stop that a grad node differentiates": (
        "x = 2.0\ns = square(x)\na = stop_gradient(s)\ng = grad(a * x, x)\nz = a + g",
        "s", "Remove the stop at a", 1.0,
    ),
    "a step that one differentiates": (
        "x = 1.3\na = round(x)\ng = grad(square(a), x)\nz = a + g", "x", "Pass straight through a", 3.0
    ),
    "a factor of 0": ("x = 2.0\ny = 0.0\nz = x * y", "x", "", None),
    "a comparison": ("x = 2.0\nz = greater(x, 0.0)", "x", "", None),
    "a cancellation": ("x = 2.0\nz = x - x", "x", "", None),
    "no path": ("x = 2.0\ny = 3.0\nz = y * y\nreturn z", "x", "", None),
    "a way that ends beside the output": (BESIDE, "a", "Make b the output", 2.0),
    "an input of it": (BESIDE, "x", "Make b the output", -0.8322937),  # 2 cos 2
    "its end": (BESIDE, "b", "Make b the output", 1.0),
    "two ends": (BESIDE.replace("z", "c = exp(a)\nz", 1), "a", "", None),
    "a comparison beside it": ("x = 2.0\ny = 3.0\na = less(x, y)\nz = y * y\nreturn z", "a", "", None),
    "the sum of one": ("x = 2.0\ny = 3.0\na = less(x, y)\nb = a + 1.0\nz = y * y\nreturn z", "b", "", None),
    "too small": ("x = 1.0\na = x * 1e-30\nz = a * 1e-30", "x", "Compute in float64", 1e-60),
}  # fmt: skip


@pytest.mark.parametrize("case", MENDS)
def test_after_the_cure_the_true_gradient_arrives(case):
    text, name, mend, gradient = MENDS[case]
    found = why(text, name)
    assert found.mend == mend
    assert (found.cure is None) == (gradient is None)
    if found.cure:
        cured = trace(found.cure, dtype=found.dtype or "float32")
        assert cured.cotangent[name] == pytest.approx(gradient, rel=1e-5, abs=0)


@pytest.mark.parametrize("case", [case for case, (*_, gradient) in MENDS.items() if gradient])
def test_a_cure_says_that_no_value_changes_where_none_does(case):
    text, name, *_ = MENDS[case]
    found = why(text, name)
    before, after = trace(parse(text)).value, trace(found.cure, dtype=found.dtype or "float32").value
    same = all(after[each] == before[each] for each in before)
    assert ("No value changes." in found.changes) == same


def test_the_path_leads_from_the_node_to_the_cause_and_no_further():
    found = why("x = 2.0\na = sin(x)\nb = stop_gradient(exp(a))\nz = b + 1.0")
    assert found.path == (("a", 0), ("b", 0))
    assert {*why(SCORE, "mu").path} == {("sub_1", 1), ("z", 0)}


def test_a_grad_node_that_runs_the_node_again_says_where_its_cotangents_go():
    """Row 13: g = d inner / d theta runs inner again, and reads theta alone."""
    text = "theta = 2.0\ninner = 1.5 * square(theta)\ng = grad(inner, theta)\nz = theta - 0.1 * g"
    said = "'g' reads no value of 'inner': it runs it again inside itself, and what it passes back goes to "
    assert why(text, "inner").sentence == f"{said}'theta'."
    assert why(text, "inner").mend == ""  # its way ends at the output


def test_a_grad_node_whose_z_does_not_depend_on_its_x_runs_nothing_again():
    text = "x = -1.04\nw = -0.14\nn4 = sigmoid(x)\nn5 = grad(n4, w)\nout = n5 + w"
    said = "'n5' reads no value of 'x': no gradient comes from 'n4' to 'w', so its value is always 0."
    assert why(text, "x").sentence == said
    assert why(text, "n4").sentence == said.replace("'x'", "'n4'")


def test_the_condition_of_a_where_is_not_called_a_branch():
    """Row 20: c chooses; the root is the branch that is not taken."""
    text = "x = 1.0\nc = less(x, 2.0)\nr = sqrt(x)\ny = where(c, x, r)"
    assert "A condition only chooses a branch" in why(text, "c").sentence
    assert "It takes the other branch here" in why(text, "r").sentence


def test_a_place_is_said_to_have_no_derivative():
    """x chooses which of w is taken; w receives something."""
    text = "x = 1.2\nw = [1.0, 2.0, 3.0]\ny = take(w, x)"
    assert "A place only chooses elements" in why(text, "x").sentence
    assert trace(parse(text)).gradient["w"].tolist() == [0.0, 1.0, 0.0]


def test_a_reason_without_more_to_say_ends_with_its_full_stop():
    assert why("x = -2.0\ny = square(relu(x))").sentence.endswith("is 0 here.")
