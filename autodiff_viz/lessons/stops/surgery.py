"""Teach derivative surgery: a rule that replaces the arriving cotangent by another number."""

from autodiff_viz.lessons.lesson import (
    EXACTLY,
    SWIFT,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Try,
    function,
    moved,
    put,
)
from autodiff_viz.lessons.tour import Step

REWRITTEN = """x = 30.0
a = sin(x)
half = rewrite(x, lambda v: 0.5)
b = log(half)
z = a + b
"""
TAPPED = REWRITTEN.replace("half = rewrite(x, lambda v: 0.5)", "half = identity(x)")

LESSON = Lesson(
    key="surgery",
    track="stops",
    title="Derivative surgery",
    summary="Take the cotangent off a wire, put a number of your own in its place, and watch where it goes.",
    text=f"""The node `half` does nothing forward: it returns `x`. It is there for the way back.

What arrives there is the slope of log at 30, which is 1/30. A **rule** receives that number as `v` and may
pass any other number. On the other branch nobody interferes: 1 arrives at `a`, and cos 30 goes on to `x`.

JAX does not mind: backpropagation only passes numbers along, and you change one of them. This is how
gradients are clipped, scaled, reversed, or printed while they pass.

The example and its name are from {TUTORIAL}, which prints these numbers.""",
    steps=(
        Step(
            "Rewritten to 0.5",
            REWRITTEN,
            look_at="half",
            text="The rule `lambda v: 0.5` ignores the 1/30 and passes 0.5 instead. At `x` 0.5 and 0.154 "
            "meet and make 0.654. No function has this derivative.",
        ),
        Step(
            "Only looked at",
            TAPPED,
            look_at="half",
            text="Here `half` has no rule and passes the 1/30 on. At `x` 0.033 and 0.154 meet and make "
            "0.188, the true derivative.",
        ),
    ),
    to_try=(
        Try(
            "Select `half` and change its function to `lambda v: -v`: the branch now pulls `x` "
            "the other way.",
            (Part(edits=(function("half", "lambda v: -v"),)),),
            ("half",),
        ),
        Try(
            "With `x` at 30, try `lambda v: clip(v, -0.01, 0.01)`: 1/30 is too large, so 0.01 is passed.",
            (Part(edits=(put("x", 30.0), function("half", "lambda v: clip(v, -0.01, 0.01)"))),),
            ("half",),
        ),
        Try(
            "With `lambda v: 0.5`, move `x`: what arrives at `half` changes, what it passes does not.",
            (Part(edits=(function("half", "lambda v: 0.5"), moved("x", 10.0))),),
            ("half",),
        ),
    ),
    claims=(
        Claim("What arrives at the log's input", "cotangent", "half", 0.033333335, SWIFT),
        Claim("What arrives at the sine", "cotangent", "a", 1.0, SWIFT, 0, EXACTLY),
        Claim("What is passed to x instead", "passed", ("half", 0), 0.5, SWIFT, 0, EXACTLY),
        Claim("Gradient of x", "gradient", "x", 0.65425146, SWIFT),
        Claim("Gradient of x, untouched", "gradient", "x", 0.18758478, "by hand: 1/30 + cos 30", 1),
    ),
)
