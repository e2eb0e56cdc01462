"""Ask for the slope of a smooth curve that is written with two corners."""

from math import log

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

CORNERS = """x = 0.0
y = maximum(x, 0.0) + log1p(exp(-abs(x)))
"""
SOFTPLUS = """x = 0.0
y = softplus(x)
"""

LESSON = Lesson(
    key="softplus-corner",
    track="zero_and_nan",
    title="softplus written with max and abs: is its slope right?",
    summary="ln(1 + eˣ) in the form that cannot overflow, at 0.",
    level=3,
    minutes=3,
    after=("corner",),
    found_by=("softplus", "log1p", "subgradient", "logaddexp", "numerically stable", "overflow"),
    text="`y` is ln(1 + eˣ), a smooth curve, whose slope at 0 is ½. Here it is written in a form that "
    "cannot overflow, with `maximum` and `abs`. `x` is 0.",
    steps=(
        Step(
            "With max and abs",
            CORNERS,
            look_at="x",
            figure="sweep",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`?",
                    told=(
                        (
                            "0.5",
                            "½ is the slope of the curve, and what `maximum` brings at its corner. "
                            "The `abs` brings something as well.",
                        ),
                        (
                            "1",
                            "Follow the signs: e^−|x| falls where |x| rises. So the second path takes away.",
                        ),
                        ("-0.5", "−½ comes by way of `abs` alone. The `maximum` stands at its corner too."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="0 in place of ½. Two corners that cancel in the value must cancel in the slope too, but "
            "`maximum` takes ½ and `abs` takes 1: the paths bring ½ and −½.",
        ),
        Step(
            "As one op",
            SOFTPLUS,
            look_at="x",
            text="The op has a rule of its own: its slope is the sigmoid of `x`, which is ½ at 0.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 1, away from the corners: 0.731 arrives, as it should.",
            (Part(edits=(put("x", 1.0),)),),
            ("x", "sweep"),
            then=(Claim("What arrives at x", "cotangent", "x", 0.7310586, "by hand: sigmoid(1)"),),
        ),
        Try(
            "Open *As one op*: what arrives at 0?",
            (Part(1),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", 0.5, "by hand: sigmoid(0)", 1, EXACTLY),),
        ),
    ),
    claims=(
        Claim("y", "value", "y", log(2.0), "by hand: 0 + ln(1 + 1) = 0.6931472"),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            0.0,
            "by hand: ½ + ½ · (−1) · 1; jax-ml/jax #2107 has it of JAX's softplus, which was written so",
            0,
            EXACTLY,
        ),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            0.5,
            "by hand: softplus(h) − softplus(−h) = h, so every central difference is h/2h",
            1,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("0.5", TOLD),
        Prediction("1", TOLD),
        Prediction("-0.5", TOLD),
    ),
    sources=(
        "[jax-ml/jax #2107](https://github.com/jax-ml/jax/issues/2107): the slope of softplus at 0 was "
        "0, for its `max` and `abs`",
        "[jax-ml/jax #2140](https://github.com/jax-ml/jax/issues/2140): the same in log_sigmoid. PyTorch "
        "2.13 gives ½ for this formula, since its `abs` takes 0",
    ),
    code="jax.grad(lambda x: jax.numpy.maximum(x, 0.0) + jax.numpy.log1p(jax.numpy.exp(-abs(x))))(0.0)  "
    "# 0.0",
)
