"""Test that where terms cancel 0 is the right answer, and that a small number is none.

What is 0, equal or larger follows from calculus: from identities, and from what was added to them.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.asking.answers import read_answer
from autodiff_viz.asking.judge import feedback_table, fits, judge
from autodiff_viz.asking.question import (
    COTANGENT,
    LARGER,
    NUMBER,
    PASSED,
    SAME,
    SIGN,
    VALUE,
    ZERO,
    Quantity,
    Question,
)
from autodiff_viz.graph.dtypes import DTYPES

X = "x = [0.1, 0.7, 0.3]\n"
ROWS = "x = [[0.1, 0.7], [0.3, -0.9], [1.3, 0.2]]\n"
CANCELLING = {
    "softmax": X + "y = sum(softmax(x))",
    "softmax of rows": ROWS + "y = sum(softmax(x))",
    "logsumexp of log_softmax": X + "y = logsumexp(log_softmax(x))",
    "layer_norm": ROWS + "y = sum(layer_norm(x, [1.0, 1.0], [0.0, 0.0]))",
    "batch_norm": ROWS + "y = sum(batch_norm(x, [1.0, 1.0], [0.0, 0.0]))",
    "deviations": X + "y = sum(x - mean(x))",
    "differences": X + "y = sum(log_softmax(x) - x) + 3.0 * logsumexp(x)",
    "tanh": "x = 0.3\ny = tanh(x) - (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
    "sigmoid": "x = 0.3\ny = sigmoid(x) - 1.0 / (1.0 + exp(-x))",
    "softplus": "x = 0.3\ny = softplus(x) - log(1.0 + exp(x))",
    "circle": "x = 0.3\ny = square(sin(x)) + square(cos(x))",
    "logarithm": "x = 0.3\ny = log(exp(x)) - x",
    "square": "x = 0.3\ny = square(x + 0.7) - square(x) - 1.4 * x - 0.49",
    "quotient": "x = 0.3\ny = (x * 0.7) / x",
    "power": "x = 0.3\ny = x ** 3.0 - x * x * x",
    "large terms": "x = 0.3\ny = 1000.0 * x - 300.0 * x - 700.0 * x",
    "second derivative": "x = 0.3\nf = square(sin(x)) + square(cos(x))\ng = grad(f, x)\ny = g * 2.0",
    "norm": X + "u = x / norm(x)\ny = sum(square(u))",
    "scaled": "x = 0.3\ny = scale_gradient(sin(x), 3.0) - sin(x) - rewrite(sin(x), lambda v: 2.0 * v)",
}
"""Formulas whose gradient by x is 0, by an identity."""


def arrives(node: str, *element: int) -> Quantity:
    return Quantity(COTANGENT, node, None, element or None)


def first(found: av.Trace) -> Quantity:
    return arrives("x", *(0 for _ in found.value["x"].shape))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", CANCELLING.values(), ids=CANCELLING)
def test_zero_is_right_where_terms_cancel_in_every_dtype(text):
    for dtype in DTYPES:
        found = av.trace(av.parse(text), dtype=dtype)
        asked = first(found)
        left = found.cotangent["x"]
        assert judge(found, Question(NUMBER, arrives("x")), "0").right, (dtype, left)
        assert judge(found, Question(ZERO, arrives("x")), "zero").right, (dtype, left)
        assert judge(found, Question(SIGN, asked), "zero").right, (dtype, left)
        # What rounding leaves, as the card shows it, is right too.
        shown = f"{float(left[asked.element or ()]):.4g}"
        assert judge(found, Question(NUMBER, asked), shown).right, (dtype, shown)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", CANCELLING.values(), ids=CANCELLING)
def test_no_mistake_of_calculus_is_named_where_zero_is_right(text):
    found = av.trace(av.parse(text))
    for kind in (NUMBER, ZERO):
        table = feedback_table(found, Question(kind, first(found)))
        answer = read_answer(table["form"], "0" if kind == NUMBER else "zero")
        assert [each["code"] for each in table["mistakes"] if fits(answer, each)] == []


@pytest.mark.sampled(9)
@pytest.mark.parametrize("text", CANCELLING.values(), ids=CANCELLING)
def test_what_rounding_leaves_is_neither_larger_nor_another_number(text):
    for dtype in DTYPES:
        found = av.trace(av.parse(text), dtype=dtype)
        # The same with the backward sweep stopped at the output: there nothing arrives at all.
        name = found.output
        stopped = av.trace(av.parse(f"{text}\nlast = stop_gradient({name})"), dtype=dtype)
        plain = av.trace(av.parse(f"{text}\nlast = {name} * 1.0"), dtype=dtype)
        for pair in ((plain, stopped), (stopped, plain)):
            assert judge(pair[0], Question(SAME, arrives("x")), "same", pair[1]).right, dtype
            assert judge(pair[0], Question(LARGER, arrives("x")), "same", pair[1]).right, dtype


@pytest.mark.every
def test_what_a_wire_brings_and_a_value_may_be_left_by_rounding_too():
    value = av.trace(av.parse("x = 0.1\ny = 0.2\nz = x + y - 0.3"), dtype="float64")
    assert value.value["z"] == 0.1 + 0.2 - 0.3 != 0  # Python's own float64
    assert judge(value, Question(ZERO, Quantity(VALUE, "z")), "zero").right
    wire = av.trace(av.parse(X + "s = softmax(x)\ny = sum(s)"))
    assert wire.passed["s", 0].any()
    assert judge(wire, Question(NUMBER, Quantity(PASSED, "s", 0)), "0").right


SMALL = {
    "factor": ("x = 0.5\ny = 1e-8 * x", 1e-8),
    "tiny factor": ("x = 0.5\ny = 1e-30 * x", 1e-30),
    "beside cancelling terms": ("x = 2.0\ny = x + 1e-8 * x - x", 1e-8),
    "first, beside cancelling terms": ("x = 2.0\ny = 1e-8 * x + x - x", 1e-8),
    "saturated": ("x = 20.0\ny = tanh(x / 2.0)", 2.0 * np.exp(-20.0)),
    "less of a constant": ("x = 2.0\ny = square(x - 1.99999999)", 2e-8),
}
"""Formulas whose gradient by x is small, and what it is."""


@pytest.mark.every
@pytest.mark.parametrize("case", SMALL.values(), ids=SMALL)
def test_a_small_number_is_not_judged_zero(case):
    text, true = case
    for dtype in ("float32", "float64"):
        found = av.trace(av.parse(text), dtype=dtype)
        if not found.cotangent["x"]:
            continue  # the dtype has no such number: what runs is 0
        assert not judge(found, Question(NUMBER, arrives("x")), "0").right, dtype
        assert judge(found, Question(SIGN, arrives("x")), "positive").right, dtype
        assert judge(found, Question(ZERO, arrives("x")), "not zero").right, dtype
        if dtype == "float64":
            assert judge(found, Question(NUMBER, arrives("x")), f"{true:.6g}").right


@pytest.mark.every
def test_a_branch_that_rounding_decides_is_no_rounding():
    # The relu is open or not as the last digits fall; the slope of 1 behind it is no leftover.
    found = av.trace(av.parse("x = 0.7\ny = 0.1\nz = relu(x + y - 0.8 + 1e-9)"))
    slope = float(found.cotangent["x"])
    assert judge(found, Question(NUMBER, arrives("x")), f"{slope:g}").right
    assert judge(found, Question(NUMBER, arrives("x")), f"{1.0 - slope:g}").right is False


@pytest.mark.every
def test_a_true_difference_beside_a_large_number_is_not_the_same():
    a, b = (av.trace(av.parse(f"x = [1.0, 1.0]\ny = sum(x * [1e8, {last}])")) for last in (1.0, 2.0))
    assert judge(a, Question(SAME, arrives("x")), "different", b).right


INNER = ("x", "sin(x)", "exp(x)", "tanh(x)", "sigmoid(x)", "x * x", "cos(2.0 * x)", "softplus(x)", "1.3 * x")
IDENTITIES = (
    "(a + b) * (a - b) - (a * a - b * b)",
    "square(sin(a * b)) + square(cos(a * b))",
    "exp(a) * exp(b) - exp(a + b)",
    "log(exp(a) * exp(b)) - a - b",
    "a * (b + 0.7) - b * a - 0.7 * a",
    "tanh(a) - 2.0 * sigmoid(2.0 * a)",
    "(a * a * a) / (a + 3.0) * (a + 3.0) - a ** 3.0",
    "(0.3 * a + 0.3 * b) / 0.3 - b - a",
)
"""Functions of a and b that are constant, whatever these are."""


@given(
    st.sampled_from(INNER),
    st.sampled_from(INNER),
    st.sampled_from(IDENTITIES),
    st.floats(0.2, 1.2).map(lambda number: round(number, 4)),
    st.sampled_from([0.0, 1e-9, -1e-8, 1e-6, -1e-3, 1.0]),
    st.sampled_from(["float32", "float64"]),
)
def test_zero_is_right_exactly_where_a_random_program_has_no_slope(a, b, identity, x, slope, dtype):
    found = av.trace(av.parse(f"x = {x}\na = {a}\nb = {b}\nz = {identity} + {slope} * x"), dtype=dtype)
    if not found.cotangent["x"]:
        return  # exactly 0 is 0, also of a slope that float32 has lost
    assert judge(found, Question(ZERO, arrives("x")), "zero").right is (slope == 0)
    assert judge(found, Question(NUMBER, arrives("x")), "0").right is (slope == 0)
