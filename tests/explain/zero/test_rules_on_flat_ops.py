"""Test that a rule is to blame for a zero only where something would be passed without it.

Where an op is flat follows from calculus; `SLOPE` has it by hand. Each kind of rule is put around each op.
"""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.explain.zero.elements import FLAT, RULE, STOPPED
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS

SLOPE = {
    # op, written with a hole for x: x, and its derivative by hand
    "relu(x)": (-2.0, 0.0),
    "relu( x)": (2.0, 1.0),
    "floor(x)": (2.5, 0.0),
    "round(x)": (2.4, 0.0),
    "sign(x)": (2.5, 0.0),
    "clip(x, 0.0, 1.0)": (9.0, 0.0),
    "clip( x, 0.0, 1.0)": (0.5, 1.0),
    "maximum(x, 3.0)": (2.0, 0.0),
    "minimum(x, 3.0)": (5.0, 0.0),
    "maximum( x, 3.0)": (5.0, 1.0),
    "maximum(x, x)": (2.0, 1.0),  # a half by each of both wires
    "where(1.0, 3.0, x)": (2.0, 0.0),
    "where(0.0, 3.0, x)": (2.0, 1.0),
    "greater(x, 1.0)": (2.0, 0.0),
    "x * 0.0": (2.0, 0.0),
    "square(x)": (0.0, 0.0),
    "sin(x)": (0.0, 1.0),
    "leaky_relu(x)": (-2.0, 0.01),
}
RULES = {
    # a rule, written with a hole for the op: whether something arrives where the op has the slope 0, and 1
    FOLLOW: {"{op}": (FLAT, None)},
    "stop": {"stop_gradient({op})": (STOPPED, STOPPED)},
    "scale": {
        "scale_gradient({op}, 3.0)": (FLAT, None),
        "scale_gradient({op}, -1.0)": (FLAT, None),
        "scale_gradient({op}, 0.0)": (FLAT, RULE),
    },
    "rewrite": {
        "rewrite({op}, lambda v: 5.0 * v)": (FLAT, None),
        "rewrite({op}, lambda v: 7.0)": (FLAT, None),
        "rewrite({op}, lambda v: 0.0 * v)": (FLAT, RULE),
        "rewrite({op}, lambda v: 0.0)": (FLAT, RULE),
    },
    "pullback": {"DECLARED 0.0": (FLAT, RULE), "DECLARED v": (None, None)},
    "backward_as": {"backward_as({op}, sin(other))": (FLAT, RULE), "backward_as({op}, x)": (None, None)},
}


def test_every_kind_of_rule_has_its_cases():
    assert {*RULES} == {*KINDS}


def text_of(rule: str, op: str, x: float) -> str:
    if rule.startswith("DECLARED"):
        wires = 2 if op == "maximum(x, x)" else 1
        names = ", ".join(f"a{i}" for i in range(wires))
        part = rule.removeprefix("DECLARED ")
        body = f"({part}, {part})" if wires == 2 else part
        rule = f"custom({{op}}, pullback=lambda v, {names}, y: {body})"
    return f"x = {x}\nother = 0.4\nz = {rule.format(op=op)}\ny = z * 2.0"


@pytest.mark.every
@pytest.mark.parametrize("rule", [text for texts in RULES.values() for text in texts])
def test_a_flat_op_is_called_flat_whatever_its_rule_and_a_rule_only_where_it_takes_something_away(rule):
    flat, sloped = next(texts[rule] for texts in RULES.values() if rule in texts)
    for op, (x, slope) in SLOPE.items():
        found = av.trace(av.parse(text_of(rule, op, x)))
        reason = av.why_zero(found, "x")
        kind = flat if slope == 0 else sloped
        assert (reason and (reason.kind, reason.at)) == (kind and (kind, ("z",))), (op, reason)
        if kind == FLAT:
            assert "the derivative of 'z' is 0" in reason.sentence
            assert "rule" not in reason.sentence
        if reason and reason.cure:
            assert av.trace(reason.cure).cotangent["x"] != 0


@pytest.mark.every
@pytest.mark.parametrize(
    "rule", [text for kind, texts in RULES.items() for text in texts if not KINDS[kind].alternative]
)
def test_so_it_is_element_by_element(rule):
    flat, sloped = next(texts[rule] for texts in RULES.values() if rule in texts)
    text = f"x = [-2.0, 3.0, -1.0, 4.0]\nz = {text_of(rule, 'relu(x)', 0.0).splitlines()[2][4:]}\ny = sum(z)"
    found = av.trace(av.parse(text))
    reason = av.why_zero(found, "x")
    expected = {kind: 2 for kind in (flat, sloped) if kind}
    if flat == sloped and flat:
        expected = {flat: 4}
    assert {each.kind: each.count for each in (reason.elements if reason else ())} == expected
    assert reason is None or {n for each in reason.elements for n in each.at} == {"z"}


@pytest.mark.every
def test_what_is_too_small_is_no_rule_that_passes_zero():
    # 1e-30 x 1e-30 = 1e-60, far below float32's least number
    found = av.trace(av.parse("x = 1.0\na = scale_gradient(x * 2.0, 1e-30)\ny = a * 1e-30"))
    reason = av.why_zero(found, "x")
    assert (reason.kind, reason.at) == ("underflow", ("a",))
    assert np.isclose(av.trace(reason.cure, dtype="float64").cotangent["x"], 2e-60, rtol=1e-9, atol=0)


@pytest.mark.every
def test_a_sum_that_cancels_is_no_rule_that_passes_zero():
    # at [1, 1] each slope of softmax is 1/4 or -1/4, exactly
    found = av.trace(av.parse("x = [1.0, 1.0]\ns = scale_gradient(softmax(x), 3.0)\ny = sum(s)"))
    reason = av.why_zero(found, "x")
    assert (reason.kind, reason.at) == ("cancelled", ("s",))
    # A rule that makes all that arrives the same lets it cancel: without it something arrives.
    found = av.trace(av.parse("x = [1.0, 1.0]\ns = rewrite(softmax(x), lambda v: 3.0)\ny = s[0]"))
    assert found.cotangent["x"].tolist() == [0.0, 0.0]
    reason = av.why_zero(found, "x")
    assert (reason.kind, reason.at) == (RULE, ("s",))
