"""Test that right answers are accepted, and that wrong ones are told which usual mistake gives them.

Graphs, right and wrong numbers are those of the lessons, worked out by hand.
"""

from __future__ import annotations

import json
import re

import pytest

import autodiff_viz as av
from autodiff_viz.asking import judge as module
from autodiff_viz.asking.judge import CAUSES, feedback_table, judged
from autodiff_viz.asking.mistakes import MISTAKES
from autodiff_viz.asking.question import (
    CAUSE,
    COTANGENT,
    KEPT,
    LARGER,
    NUMBER,
    PASSED,
    RUNS,
    SAME,
    SHAPE,
    SIGN,
    VALUE,
    ZERO,
    Quantity,
    Question,
)
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.graph.problem import GraphError

pytestmark = pytest.mark.every

NAN_LOG = "p = 0.0; h = p * log(p)"
FORK = "x = 3.0; a = 2.0 * x; b = square(x); z = a + b"
KNOBS = "x = 2.0; w = 3.0; y = w * x; loss = square(y - 5.0)"
TWINS = "x = 3.0; y = x * x", "x = 3.0; y = x * stop_gradient(x)"
NEURON = "x = 2.0; w = 0.5; b = -1.0; t = 1.0; p = w * x; s = p + b; y = sigmoid(s); loss = square(y - t)"
DEAD = (
    "x = 2.0; w1 = parameter(-1.0); w2 = parameter(3.0); s = w1 * x; h = relu(s); y = w2 * h; "
    "loss = square(y - 6.0)"
)
LOGQ = "mu = 1.0; sigma = 2.0; z = mu + sigma * 1.5; logq = -0.5 * square((z - mu) / sigma) - log(sigma)"
TD = "w = 0.5; f = 6.0; q = 2.0 * w; target = %s; loss = 0.5 * square(target - q)"
VQ = (
    "z = 0.5; e = 1.0; zq = z + stop_gradient(e - z); rec = square(zq - 2.0); "
    "book = square(e - stop_gradient(z)); commit = 0.25 * square(z - stop_gradient(e)); "
    "loss = rec + book + commit"
)
REVERSAL = (
    "h = 1.0; label = square(h - 3.0); domain = square(2.0 * rewrite(h, lambda v: -0.5 * v) - 1.0); "
    "total = label + domain"
)
MATRICES = "X = [[1.0, 2.0], [3.0, 4.0]]; W = [[1.0], [1.0]]; Y = X @ W; loss = sum(Y * [[1.0], [10.0]])"
BIAS = "x = [[1.0], [2.0], [3.0]]; w = [[2.0]]; b = [0.5]; y = dense(x, w, b); loss = %s(y)"
SKIPS = "h = 0.0\nfor i in range(3):\n    h = h + (sigmoid(h) - 0.5)"
LOOKUPS = "E = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; found = stack([E[2], E[0], E[2]]); loss = sum(found)"
HVP = (
    "x = 1.0; y = 2.0; f = square(x) * y + y ** 3.0; gx = grad(f, x); gy = grad(f, y); "
    "hv = 1.0 * gx + 1.0 * gy"
)
LSQ = "x = 1.3; s = 0.5; c = clip(x / s, -3.0, 3.0); q = backward_as(round(c), c); y = q * s"
COS = "x = 2.0; y = 3.0; a = sin(sin(sin(x))); b = stop_gradient(cos(cos(cos(y)))); z = a + b"
SURGERY = "x = 30.0; a = sin(x); half = rewrite(x, lambda v: 0.5); b = log(half); z = a + b"


SINES = 'x = 1.0\nwith checkpoint("sines"):\n    a = sin(x)\n    b = sin(a)\n    c = sin(b)\n    y = sin(c)'
LAST = 'x = [1.0, 2.0, 3.0]; a = sin(x)\nwith checkpoint("last"):\n    b = sin(a)\ny = sum(b)'
BUDGET = (
    'v0 = 0.5\nwith checkpoint("all", policy="save_only_these_names", names=["v2"]):\n    v1 = sin(v0)\n'
    "    v2 = sin(v1)\n    v3 = sin(v2)\n    v4 = sin(v3)"
)
NESTED = (
    'v0 = 0.5\nwith checkpoint("outer"):\n    with checkpoint("inner"):\n        v1 = sin(v0)\n'
    "        v2 = sin(v1)\n    v3 = sin(v2)\n    v4 = sin(v3)"
)
SCAN = (
    'h = 0.5\nfor i in range(4):\n    with checkpoint("step"):\n        s = sin(h)\n        c = cos(s)\n'
    "        h = h + c"
)


def traced(formula: str, **more) -> av.Trace:
    return av.trace(av.parse(formula.replace("; ", "\n")), **more)


def arrives(node: str, *element: int) -> Quantity:
    return Quantity(COTANGENT, node, None, element or None)


NUMBERS = [
    (
        FORK,
        arrives("x"),
        "8",
        {"6": "one-path", "2": "one-path", "12": "product-of-paths", "4": "mean-for-sum"},
    ),
    (FORK, arrives("x"), "7.95", {"15": "value", "-8": "sign-turned", "1": "arriving-alone"}),
    (KNOBS, arrives("x"), "6", {"2": "arriving-alone", "4": "own-factor", "3": "slope-alone"}),
    ("x = 2.0; y = x ** 3.0", arrives("x"), "12", {"1": "seed", "8": "value"}),
    (TWINS[0], arrives("x"), "6", {"3": "one-path", "9": "product-of-paths"}),
    (TWINS[1], arrives("x"), "3", {"6": "stop-ignored", "0": "stop-takes-all", "9": "value"}),
    (
        "x = 0.0; y = where(x > 0.0, sqrt(x), 0.0)",
        arrives("x"),
        "nan",
        {"0": "zero-for-nan", "inf": "slope-alone"},
    ),
    (
        NEURON,
        arrives("w"),
        "-1/2",
        {"-1": "arriving-alone", "-0.25": "arriving-alone", "-0.125": "own-factor", "0.5": "sign-turned"},
    ),
    (NEURON, arrives("w"), "−0.5", {"0.25": "value"}),
    (
        "z = -1.0; guess = greater(z, 0.0); loss = square(guess - 1.0)",
        arrives("z"),
        "0",
        {"-2": "arriving-alone", "1": "value", "nan": "nan-for-number"},
    ),
    (LOGQ, arrives("mu"), "0", {"0.75": "one-path", "-3/4": "one-path"}),
    (
        "x = 0.0; a = maximum(x, 0.0); b = relu(x); y = a - b",
        arrives("x"),
        "0.5",
        {"0": "true-slope", "1": "other-side", "-0.5": "sign-turned"},
    ),
    (
        "x = 0.0; y = abs(x)",
        arrives("x"),
        "1",
        {"0": "true-slope", "nan": "nan-for-number", "0.5": "other-convention", "-1": "other-side"},
    ),
    (
        "w = 3.0; h0 = 1.0; h1 = w * h0; h2 = w * h1; h3 = w * stop_gradient(h2)",
        arrives("w"),
        "9",
        {"18": "stop-moved"},
    ),
    ("b = 0.5; y = b * [1.0, 10.0, 4.0]", arrives("b"), "15", {"5": "mean-for-sum"}),
    (
        "h = 0.0\nfor i in range(5):\n    h = sigmoid(h) - 0.5",
        arrives("h"),
        "1/1024",
        {"1.25": "slopes-added", "0.25": "slope-alone"},
    ),
    (
        "i = 3.0; b = 1.0 * i; c = 2.0 * i; d = 4.0 * i; z = dot([0.5, 0.25, 0.25], stack([b, c, d]))",
        arrives("i"),
        "2",
        {"7": "slope-alone", "4": "slope-alone", "7/3": "slope-alone"},
    ),
    (
        "x = 0.0; y = maximum(x, 0.0) + log1p(exp(-abs(x)))",
        arrives("x"),
        "0",
        {"0.5": "one-path", "-0.5": "one-path"},
    ),
    ("x = 10.0; c = clip(x, -1.0, 1.0); y = arccos(c)", arrives("x"), "nan", {"0": "zero-for-nan"}),
    (COS, arrives("y"), "0", {"0.0615": "stop-ignored", "1": "arriving-alone", "-0.180": "elsewhere"}),
    (
        SURGERY,
        Quantity(PASSED, "half", 0),
        "0.5",
        {"0.0333": "rule-ignored", "0.0167": "rule-beside", "0.533": "rule-beside"},
    ),
    (
        TD % "stop_gradient(1.0 + 0.5 * f * w)",
        arrives("w"),
        "-3",
        {"1.5": "stop-ignored", "3": "sign-turned"},
    ),
    (TD % "1.0 + 0.5 * f * w", arrives("w"), "1.5", {"4.5": "one-path", "-1.5": "sign-turned"}),
    (
        "w = 2.0; h0 = 1.0; h1 = w * h0; h2 = w * h1; h3 = w * stop_gradient(h2)",
        arrives("w"),
        "4",
        {"12": "stop-ignored", "0": "stop-takes-all"},
    ),
    (
        "x = 3.2; q = backward_as(round(x), x); y = square(q)",
        arrives("x"),
        "6",
        {"0": "rule-ignored", "1": "slope-alone", "9": "value", "6.4": "alternative-forward"},
    ),
    (LSQ, arrives("s"), "0.4", {"3": "one-path", "-2.6": "one-path", "1.5": "value"}),
    (VQ, arrives("e"), "1", {"1.25": "stop-ignored"}),
    (
        "z = log([0.2, 0.5, 0.3]); p = softmax(z); loss = -log(p[0])",
        arrives("z", 0),
        "-0.8",
        {"-5": "arriving-alone", "0.2": "value", "0.8": "sign-turned"},
    ),
    (
        "w = 1.0; first = square(w - 2.0); second = square(w + 1.0); total = first + second",
        arrives("w"),
        "2",
        {"4": "one-path", "1": "mean-for-sum", "-8": "product-of-paths"},
    ),
    (MATRICES, arrives("W", 0, 0), "31", {"21": "transposed", "4": "slope-alone", "11": "arriving-alone"}),
    (BIAS % "sum", arrives("b"), "3", {"1": "mean-for-sum", "0.5": "value", "6": "elsewhere"}),
    (BIAS % "mean", arrives("b"), "1", {"3": "sum-for-mean"}),
    (SKIPS, arrives("h"), "1.95", {"0.016": "one-path", "1": "one-path", "8": "paths-counted"}),
    (SKIPS, arrives("h"), "125/64", {"65/64": "some-paths", "1.75": "some-paths"}),
    (
        "w = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; y = sum(6.0 * w)",
        arrives("w", 0, 0),
        "6",
        {"2": "mean-for-sum"},
    ),
    (LOOKUPS, arrives("E", 2, 0), "2", {"3": "arriving-alone", "1": "one-path", "5": "value"}),
    (
        "x = 3.0; y = custom(2.7182817 ** x, pullback=lambda v, x, y: v * x)",
        arrives("x"),
        "3",
        {"20.09": "rule-ignored", "60.3": "rule-beside"},
    ),
    (REVERSAL, arrives("h"), "-6", {"0": "rule-ignored", "-2": "one-path", "-4": "one-path"}),
    (
        "W = [[1.0, 2.0], [3.0, 4.0]]; u = [1.0, -1.0]; Ju = W @ u; y = dot(Ju, [3.0, 1.0])",
        arrives("u", 0),
        "6",
        {"5": "transposed", "4": "slope-alone", "3": "arriving-alone"},
    ),
    ("x = 3.0; y = x ** 3.0; g = grad(y, x)", arrives("x"), "18", {"27": "value", "0": "grad-as-number"}),
    (
        "x = 2.0; w = 3.0; y = w * x; g = grad(y, x); penalty = square(g - 1.0)",
        arrives("w"),
        "4",
        {"0": "grad-as-number", "3": "value"},
    ),
    (
        "w = 1.0; a = mean([1.0] * w); b = mean([3.0, 3.0, 3.0] * w); loss = 0.5 * (a + b)",
        arrives("w"),
        "2",
        {"4": "factor-forgotten"},
    ),
    (HVP, arrives("x"), "6", {"4": "one-path", "17": "value", "2": "one-path"}),
    (
        "theta = 2.0; inner = 0.5 * square(theta); g = grad(inner, theta); rate = 0.5; "
        "adapted = theta - rate * g; loss = 0.5 * square(adapted)",
        arrives("theta"),
        "0.5",
        {"1": "one-path", "1.5": "sign-turned"},
    ),
    (
        "x = 1.0; w0 = parameter(2.0); w1 = parameter(3.0); h = cut(w0 * x); y = cut(w1 * h); "
        "loss = square(y - 5.0)",
        arrives("h"),
        "6",
        {"3": "slope-alone", "2": "arriving-alone", "12": "elsewhere", "0": "nothing"},
    ),
    (
        "w = [0.0, 0.0]; g = rewrite(w, lambda v: clip(v, -1.0, 1.0)); loss = sum(g * [3.0, 4.0])",
        arrives("w"),
        "[1, 1]",
        {"[3, 4]": "rule-ignored", "[0.6, 0.8]": "clipped-by-length", "[0.75, 1]": "clipped-by-length"},
    ),
    # Values
    (
        "a = 2.0; b = 5.0; y = a - b",
        Quantity(VALUE, "y"),
        "-3",
        {"3": "sign-of-value", "2": "operand", "1": "gradient-for-value"},
    ),
    ("a = [1.0, 2.0, 6.0]; y = mean(a)", Quantity(VALUE, "y"), "3", {"9": "sum-or-mean"}),
    (NAN_LOG, Quantity(VALUE, "h"), "nan", {"0": "zero-for-nan"}),
    # Counts: a region keeps what enters it, and runs its block again
    (SINES, Quantity(KEPT, "y"), "1", {"4": "region-ignored", "0": "results-taken-off"}),
    (
        LAST,
        Quantity(KEPT, "y"),
        "6",
        {
            "3": "results-taken-off",
            "2": "arrays-for-numbers",
            "7": "every-result",
            "9": "nothing-given-up",
            "0": "nothing-kept",
        },
    ),
    (BUDGET, Quantity(KEPT, "v4"), "2", {"1": "policy-ignored", "4": "region-ignored"}),
    (
        NESTED,
        Quantity(RUNS, "v1"),
        "3",
        {"2": "region-ignored", "1": "region-ignored", "4": "product-of-levels"},
    ),
    (SCAN, Quantity(KEPT, "h_3"), "4", {"8": "region-ignored", "12": "every-result", "1": "one-region"}),
]


def test_the_mistake_behind_a_wrong_number_is_named():
    wrong = []
    for formula, about, right, mistaken in NUMBERS:
        found, question = traced(formula), Question(NUMBER, about)
        if not av.judge(found, question, right).right:
            wrong.append((formula, right, "is right"))
        for answer, code in mistaken.items():
            told = av.judge(found, question, answer)
            if told.mistake != code or told.right or told.near or told.reason or told.accepted:
                wrong.append((formula, answer, code, told))
    assert wrong == []


def test_every_mistake_has_a_case_by_hand():
    named = {code for *_, mistaken in NUMBERS for code in mistaken.values()}
    elsewhere = {"infinity-for-nan", "twin"}
    assert named | elsewhere == {mistake.code for mistake in MISTAKES}
    assert named & elsewhere == set()


def test_infinity_is_no_match_for_zero():
    """The slope of the root of -1 is NaN."""
    found = traced("p = -1.0; h = sqrt(p)")
    told = av.judge(found, Question(NUMBER, Quantity(COTANGENT, "p")), "inf")
    assert (told.right, told.mistake) == (False, "infinity-for-nan")


def test_the_number_of_the_other_graph_is_named_only_if_no_other_mistake_gives_it():
    a, b = map(traced, ("x = 3.0; y = x * x * x", "x = 3.0; y = 5.0 * x"))
    question = Question(NUMBER, Quantity(COTANGENT, "x"))
    assert av.judge(b, question, "27", a).mistake == "twin"
    assert "in A" in av.judge(b, question, "27", a).says
    assert "in B" in av.judge(b, question, "27", Twin(a, "B")).says
    a, b = map(traced, TWINS)
    assert av.judge(b, question, "6", a).mistake == "stop-ignored"


def test_two_mistakes_that_give_one_number_by_two_wires_are_both_named():
    found, question = traced(LSQ), Question(NUMBER, Quantity(COTANGENT, "s"))
    told = av.judge(found, question, "3")
    assert (told.mistake, told.also) == ("one-path", "rule-ignored")
    assert told.says == "3 comes about in two ways: one path, or rule ignored. Which was yours?"
    told = av.judge(traced(VQ), Question(NUMBER, Quantity(COTANGENT, "e")), "-1")
    assert (told.mistake, told.also) == ("sign-turned", "stop-ignored")


def test_a_mistake_points_to_a_wire_and_is_said_with_its_number():
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "x")), "6")
    assert told.wire == ("b", 0)
    assert told.says == "6 is what comes along the wire from `b`. The other brings something as well."
    assert told.read_as == "read as 6"
    told = av.judge(traced(KNOBS), Question(NUMBER, Quantity(COTANGENT, "x")), "4")
    assert told.wire == ("y", 1)


def test_a_right_answer_gets_its_reason_with_the_numbers():
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "x")), "8")
    assert told.reason == "2 + 6 = 8: what comes back over `a` and `b` adds up."
    assert told.accepted == "7.92 to 8.08"
    told = av.judge(traced(NEURON), Question(NUMBER, Quantity(COTANGENT, "s")), "-0.25")
    assert told.reason == "−1 arrives at `y`, and its own slope multiplies it: 0.25 × (−1) = −0.25."
    told = av.judge(traced(SURGERY), Question(NUMBER, Quantity(PASSED, "half", 0)), "1/2")
    assert (
        told.reason == "0.03333 arrives at `half`, which rewrites the arriving cotangent: 0.5 is passed back."
    )
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(VALUE, "z")), "15")
    assert told.reason == "`z` is 6 + 9 = 15."
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "z")), "1")
    assert "seed 1" in told.reason
    told = av.judge(traced(MATRICES), Question(NUMBER, arrives("W", 0, 0)), "31")
    assert told.reason == "What arrives at `Y`, times its slopes: 1 × 1 + 3 × 10 = 31."
    told = av.judge(traced(BIAS % "sum"), Question(NUMBER, arrives("b")), "3")
    assert told.reason == "What arrives at `y`, times its slopes: 1 × 1 + 1 × 1 + 1 × 1 = 3."
    step = traced("z = -1.0; guess = greater(z, 0.0); loss = square(guess - 1.0)")
    told = av.judge(step, Question(NUMBER, arrives("z")), "0")
    assert told.reason == "Every path from `z` to `loss` is closed: the derivative of `guess` is 0 here."


def test_an_authors_reason_for_the_right_answer_stands_for_the_computed_one():
    question = Question(NUMBER, Quantity(COTANGENT, "x"), told=(("8", "Both wires count."),))
    assert av.judge(traced(FORK), question, "8").reason == "Both wires count."
    assert feedback_table(traced(FORK), question)["answer"]["reason"] == "Both wires count."


def test_an_answer_is_repeated_as_it_was_typed():
    question = Question(NUMBER, Quantity(PASSED, "half", 0))
    assert av.judge(traced(SURGERY), question, "1/30").says.startswith("1/30 would arrive without the rule")
    assert av.judge(traced(FORK), Question(NUMBER, arrives("x")), "155/2").says.startswith(
        "Not 155/2. Look first"
    )
    assert av.judge(traced(FORK), Question(NUMBER, arrives("x")), "6.00").says.startswith("6 is what comes")


@pytest.mark.parametrize(
    ("answer", "right", "near"),
    [("8", 1, 0), ("7.921", 1, 0), ("8.079", 1, 0), ("7.919", 0, 1), ("8.15", 0, 1), ("8.17", 0, 0)],
)
def test_a_number_is_right_within_one_percent_and_nearly_within_two(answer, right, near):
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "x")), answer)
    assert (told.right, told.near) == (bool(right), bool(near))
    assert told.accepted == ("7.92 to 8.08" if right or near else "")


def test_a_rounded_number_is_nearly_right_and_zero_is_exact():
    chain = traced("h = 0.0\nfor i in range(5):\n    h = sigmoid(h) - 0.5")
    question = Question(NUMBER, Quantity(COTANGENT, "h"))
    assert av.judge(chain, question, "0.001").near  # 1/1024
    assert not av.judge(chain, question, "0").near
    found = traced(LOGQ)
    told = av.judge(found, Question(NUMBER, Quantity(COTANGENT, "mu")), "1e-9")
    assert (told.right, told.near) == (False, False)


def test_i_do_not_know_is_an_answer_and_no_mistake():
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "x")), "?")
    assert (told.right, told.near, told.mistake, told.unknown) == (False, False, "", True)
    assert told.says


def test_never_only_wrong():
    told = av.judge(traced(FORK), Question(NUMBER, Quantity(COTANGENT, "x")), "77.7")
    assert told.mistake == ""
    assert told.says == "Not 77.7. Look first at what arrives at `a` and `b`."
    assert told.wire is not None


def test_what_an_author_says_to_an_answer_comes_before_what_is_computed():
    told = (("6", "Six is half the story."), ("8.0", "Well added."), ("zero", "Never 0."))
    question = Question(NUMBER, Quantity(COTANGENT, "x"), told=told)
    assert av.judge(traced(FORK), question, "6.0").says == "Six is half the story."
    assert av.judge(traced(FORK), question, "6.0").mistake == "one-path"
    assert av.judge(traced(FORK), question, "8").says == "Well added."
    assert av.judge(traced(FORK), question, "0").says == "Never 0."


# Other kinds


def choices(found, question, wanted, pinned=None):
    """By answer, whether it is right, or the code of the mistake."""
    told = {answer: av.judge(found, question, answer, pinned) for answer in wanted}
    return {answer: each.right or each.mistake for answer, each in told.items()}


def test_zero_or_not_names_the_mistake_that_leads_to_the_wrong_choice():
    p = traced("p = 0.5; ratio = p / stop_gradient(p); loss = 1.0 - ratio")
    wanted = {"yes": True, "-2": True, "0": "stop-ignored", "nothing": "stop-ignored"}
    assert choices(p, Question(ZERO, arrives("p")), wanted) == wanted
    assert av.judge(p, Question(ZERO, arrives("p")), "no").also == "value"  # the loss is 0
    wanted = {"no": True, "yes": "one-path"}
    assert choices(traced(LOGQ), Question(ZERO, arrives("mu")), wanted) == wanted
    wanted = {"zero": True, "something": "stop-ignored"}
    assert choices(traced(COS), Question(ZERO, arrives("y")), wanted) == wanted
    step = traced("z = -1.0; guess = greater(z, 0.0); loss = square(guess - 1.0)")
    wanted = {"0": True, "not zero": "arriving-alone"}
    assert choices(step, Question(ZERO, arrives("z")), wanted) == wanted
    half = traced("w = 1.0; a = w * 0.0001220703125; y = a * 0.0001220703125", dtype="float16")
    wanted = {"no": True, "1.5e-8": "true-slope"}
    assert choices(half, Question(ZERO, arrives("w")), wanted) == wanted


def test_yes_and_no_are_asked_back_where_an_author_asks_in_own_words():
    question = Question(ZERO, arrives("x"), words="Is it 0 that arrives?")
    with pytest.raises(GraphError, match="Needed is zero or not zero"):
        av.judge(traced(FORK), question, "yes")


def test_a_sign_is_judged():
    question = Question(SIGN, arrives("w"))
    wanted = {
        "-": True,
        "negative": True,
        "-3": True,
        "+": "sign-turned",
        "zero": "nothing",
        "nan": "nan-for-number",
    }
    assert choices(traced(NEURON), question, wanted) == wanted
    with pytest.raises(GraphError, match="several signs"):
        av.judge(traced("x = [1.0, -1.0]; y = sum(square(x))"), Question(SIGN, arrives("x")), "+")


def test_the_larger_of_two_names_the_mistake_that_turns_them_round():
    question = Question(LARGER, Quantity(PASSED, "y", 1), Quantity(PASSED, "y", 0))  # to x, to w
    wanted = {"x": True, "the wire to x": True, "w": "own-factor", "same": "arriving-alone"}
    assert choices(traced(KNOBS), question, wanted) == wanted
    told = av.judge(traced(KNOBS), question, "w")
    assert told.says.startswith("That takes the value of `w` itself.")
    for wrong in ("w", "same"):  # another try follows, and both numbers are exchanged
        assert not re.search(r"\d", av.judge(traced(KNOBS), question, wrong).says)
    assert "6" in av.judge(traced(KNOBS), question, "x").reason


def test_the_larger_of_a_and_b():
    a = traced("z = -10.0; p = sigmoid(z); loss = square(p - 1.0)")
    b = traced("z = -10.0; loss = softplus(-z)")
    wanted = {"B": True, "in B": True, "A": "", "same": ""}
    assert choices(b, Question(LARGER, arrives("z")), {"B": True}, a) == {"B": True}
    assert choices(a, Question(LARGER, arrives("z")), {"A": True, "B": True}, Twin(b, "B"))["B"] is True
    assert {*choices(b, Question(LARGER, arrives("z")), wanted, a)} == {*wanted}


def test_the_same_in_a_and_b_names_the_stop():
    a, b = map(traced, TWINS)
    question = Question(SAME, arrives("x"))
    assert choices(b, question, ["same", "different", "yes", "no"], a) == {
        "same": "stop-ignored",
        "yes": "stop-ignored",
        "different": True,
        "no": True,
    }
    parting = "Only B has `stop_gradient_1`, which passes 0 back to `x`. In A 3 comes there."
    assert av.judge(b, question, "no", a).reason == f"It is 6 in A and 3 in B. {parting}"
    a, b = (traced(TD % target) for target in ("1.0 + 3.0 * f", "stop_gradient(1.0 + 3.0 * f)"))
    assert choices(b, Question(SAME, arrives("w")), ["same", "different"], a) == {
        "same": True,
        "different": "off-the-way",
    }


def test_counts_are_exact_and_have_their_reason():
    question = Question(NUMBER, Quantity(KEPT, "y"))
    told = av.judge(traced(LAST), question, "6")
    assert (told.accepted, told.right) == ("exactly 6", True)
    assert told.reason.startswith("Kept for the way back: 3 for the slope of `a` and 3 of `a`")
    wrong = av.judge(traced(LAST), question, "3")
    assert wrong.says.startswith("3 takes off all results in 'last'")
    assert wrong.wire == ("b", 0)  # what enters it
    told = av.judge(traced(LAST), question, "6.01")
    assert (told.right, told.near) == (False, False)
    told = av.judge(traced(NESTED), Question(NUMBER, Quantity(RUNS, "v1")), "3")
    assert told.reason == "1 forward + 2 on the way back, by 'outer' and 'inner'."
    told = av.judge(traced(LAST), Question(NUMBER, Quantity(RUNS, "a")), "1")
    assert told.reason == "No checkpoint is around it: it runs forward alone."


def test_many_nodes_in_regions_nested_deep_are_not_counted_for_a_question():
    opening = [f'{"    " * i}with checkpoint("r{i}"):' for i in range(6)]
    chain = [f"{'    ' * 6}y{i + 1} = 1.0 * y{i}" for i in range(32)]  # each of them runs in 2^6 ways
    found = traced("\n".join(["y0 = 1.0", *opening, *chain]))
    with pytest.raises(GraphError, match="not counted"):
        av.judge(found, Question(NUMBER, Quantity(RUNS, "y1")), "7")
    assert av.judge(found, Question(NUMBER, arrives("y0")), "1").right


def test_counts_of_a_and_b_are_compared():
    """Around one of two sines a region saves nothing; around four it keeps 1 in place of 4."""
    plain = LAST.replace('\nwith checkpoint("last"):\n    b', "; b").replace("\ny", "; y")
    a, b, same = traced(plain), traced(LAST), Question(SAME, Quantity(KEPT, "y"))
    assert choices(b, same, ["same", "different"], a) == {"same": True, "different": "results-taken-off"}
    free = traced("x = 1.0; a = sin(x); b = sin(a); c = sin(b); y = sin(c)")
    question = Question(LARGER, Quantity(KEPT, "y"))
    assert choices(traced(SINES), question, ["A", "B", "same"], free) == {
        "A": True,
        "B": "",
        "same": "region-ignored",
    }
    assert choices(traced(SINES), same, ["same", "different"], free)["same"] == "region-ignored"
    wanted = {"yes": True, "nothing": "results-taken-off"}
    assert choices(traced(SINES), Question(ZERO, Quantity(KEPT, "y")), wanted) == wanted
    runs = Question(LARGER, Quantity(RUNS, "v1"), Quantity(RUNS, "v3"))
    assert choices(traced(NESTED), runs, ["v1", "v3", "same"]) == {
        "v1": True,
        "v3": "",
        "same": "",
    }


def test_the_cause_of_a_zero_is_the_node_that_closes_the_way():
    question = Question(CAUSE, arrives("w1"))
    wanted = {"h": True, "y": "value", "s": "inherits", "loss": "passes-on"}
    assert choices(traced(DEAD), question, wanted) == wanted
    told = av.judge(traced(DEAD), question, "y")
    assert told.says == "That its value is 0 is no reason. −12 arrives at `y`, and it passes on −36."
    stop = traced("x = 2.0; a = square(x); b = 3.0 * x; v = stop_gradient(stack([a, b])); loss = sum(v)")
    wanted = {"v": True, "a": "inherits", "loss": "passes-on", "b": "inherits"}
    assert choices(stop, Question(CAUSE, arrives("x")), wanted) == wanted


def test_the_cause_of_nan_is_where_it_begins():
    found = traced("x = 100.0; e = exp(x); s = 1.0 + e; y = log(s)")
    wanted = {"e": True, "y": "inherits", "s": "inherits", "x": "inherits"}
    assert choices(found, Question(CAUSE, arrives("x")), wanted) == wanted
    with pytest.raises(GraphError, match="has no one node as its cause"):
        av.judge(traced(FORK), Question(CAUSE, arrives("x")), "a")


def test_a_shape_is_judged():
    found = traced(MATRICES)
    wanted = {
        "2x1": True,
        "(2, 1)": True,
        "1x2": "axes-turned",
        "number": "shape-of-number",
        "2x2": "",
        "2": "",
    }
    assert choices(found, Question(SHAPE, arrives("W")), wanted) == wanted
    wanted = {"2x1": True, "2x2": "shape-of-operand"}
    assert choices(found, Question(SHAPE, Quantity(VALUE, "Y")), wanted) == wanted


# Questions in words, refusals, limits


def test_a_question_has_words_that_follow_from_its_record():
    found, twin = traced(KNOBS), traced(KNOBS)
    wire = Quantity(PASSED, "y", 0)
    asked = {
        Question(NUMBER, arrives("x")): "What arrives at `x`?",
        Question(ZERO, arrives("x")): "Does anything arrive at `x`?",
        Question(NUMBER, wire): "What does the wire from `y` to `w` bring back?",
        Question(ZERO, wire): "Does the wire from `y` to `w` bring anything back?",
        Question(NUMBER, Quantity(VALUE, "y")): "What is the value of `y`?",
        Question(ZERO, Quantity(VALUE, "y")): "Is the value of `y` anything but 0?",
        Question(SIGN, arrives("x")): "Which sign has what arrives at `x`?",
        Question(
            LARGER, wire, Quantity(PASSED, "y", 1)
        ): "Which brings back more: the wire to `w` or the wire to `x`?",
        Question(LARGER, arrives("x"), arrives("w")): "Where does more arrive: at `x` or at `w`?",
        Question(LARGER, arrives("x")): "Where does more arrive at `x`, in A or in B?",
        Question(SAME, arrives("x")): "Does the same arrive at `x` in A and in B?",
        Question(SHAPE, arrives("x")): "What is the shape of what arrives at `x`?",
        Question(NUMBER, arrives("x"), words="How fast?"): "How fast?",
        Question(NUMBER, Quantity(KEPT, "y")): "How many numbers are kept for the way back?",
        Question(SAME, Quantity(KEPT, "y")): "Are as many numbers kept for the way back in A as in B?",
        Question(NUMBER, Quantity(RUNS, "y")): "How often does `y` run, forward and back together?",
        Question(LARGER, Quantity(RUNS, "y")): "Where does `y` run more often, in A or in B?",
        Question(LARGER, Quantity(RUNS, "y"), Quantity(RUNS, "x")): "Which runs more often: `y` or `x`?",
    }
    assert {q: feedback_table(found, q, twin)["words"] for q in asked} == asked
    dead = feedback_table(traced(DEAD), Question(CAUSE, arrives("w1")))
    assert dead["words"] == "Which node is to blame for what arrives at `w1`?"
    element = Question(NUMBER, arrives("W", 0, 1))
    with pytest.raises(GraphError, match="element"):
        feedback_table(traced(MATRICES), element)
    element = feedback_table(traced(MATRICES), Question(NUMBER, arrives("W", 1, 0)))
    assert element["words"] == "What arrives at `W`, at [1, 0]?"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (Question("count", arrives("x")), "bad-question"),
        (Question(NUMBER, Quantity("tangent", "x")), "bad-question"),
        (Question(NUMBER, arrives("nowhere")), "unknown-node"),
        (Question(NUMBER, Quantity(PASSED, "a", 7)), "unknown-wire"),
        (Question(NUMBER, Quantity(PASSED, "a")), "unknown-wire"),
        (Question(NUMBER, arrives("x", 0)), "bad-element"),
        (Question(SAME, arrives("x")), "nothing-pinned"),
        (Question(LARGER, arrives("x")), "nothing-pinned"),
    ],
)
def test_a_question_that_does_not_fit_is_refused(question, code):
    with pytest.raises(GraphError) as caught:
        av.judge(traced(FORK), question, "1")
    assert [problem.code for problem in caught.value.problems] == [code]


def test_of_a_large_tensor_one_element_is_asked():
    found = traced("x = input(shape=(5, 5), seed=1); y = sum(square(x))")
    with pytest.raises(GraphError, match="Ask for one element"):
        av.judge(found, Question(NUMBER, arrives("x")), "1")
    right = f"{2 * float(found.value['x'][0, 3]):.6f}"
    assert av.judge(found, Question(NUMBER, arrives("x", 0, 3)), right).right


def test_a_large_graph_is_judged_without_twins():
    chain = "x = 1.0\ny = x * stop_gradient(x)\nfor i in range(30):\n    y = y + x * 1.0\n"
    found = traced(chain.replace("; ", "\n") + "for i in range(30):\n    y = y + x * 1.0\n")
    question = Question(NUMBER, arrives("x"))
    assert av.judge(found, question, "61").right
    assert av.judge(found, question, "-61").mistake == "sign-turned"
    assert av.judge(found, question, "62").near  # with the stop ignored: not tried


def test_the_table_is_plain_data_and_judges_alone():
    found = traced(FORK)
    table = json.loads(json.dumps(feedback_table(found, Question(NUMBER, arrives("x"))), allow_nan=False))
    for answer in ("8", "6", "77.7", "?", "8.1"):
        assert judged(table, answer) == av.judge(found, Question(NUMBER, arrives("x")), answer)
    nan = feedback_table(traced(NAN_LOG), Question(NUMBER, arrives("p")))
    assert json.loads(json.dumps(nan, allow_nan=False)) == nan


def test_a_table_is_worked_out_once_for_both_tries():
    found, question = traced(FORK), Question(NUMBER, arrives("x"))
    module._table.forget()
    before = module._table.misses()
    av.judge(found, question, "6")
    av.judge(found, question, "8")
    assert module._table.misses() == before + 1
    assert CAUSES > 0
