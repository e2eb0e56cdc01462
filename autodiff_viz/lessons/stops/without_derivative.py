"""Teach Swift's `withoutDerivative`, JAX's `stop_gradient`: a term with a value and a zero gradient."""

from autodiff_viz.lessons.lesson import (
    EXACTLY,
    SWIFT,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Try,
    moved,
    ruled,
)
from autodiff_viz.lessons.tour import Step

STOPPED = """x = 2.0
y = 3.0
a = sin(sin(sin(x)))
b = stop_gradient(cos(cos(cos(y))))
z = a + b
"""
OPEN = STOPPED.replace("stop_gradient(cos(cos(cos(y))))", "cos(cos(cos(y)))")

LESSON = Lesson(
    key="without-derivative",
    track="stops",
    title="Stop a gradient",
    summary="One term of a sum counts in the value, but lets no gradient through.",
    text=f"""Two terms are added, and one of them has a **stop**. Forward a stop does nothing at all: the
value goes through untouched. Backward, what arrives is not passed on, and so everything that leads to the
stop gets 0: not a small number, exactly zero.

JAX calls it `stop_gradient`, PyTorch `detach`. The example is that of
{TUTORIAL}, which calls it `withoutDerivative(at:)`.

The output is the same number with and without the stop. From the values alone, nobody can tell that it is
there. That is what makes a forgotten `stop_gradient` so hard to find, and why it helps to see one.""",
    steps=(
        Step(
            "With the stop",
            STOPPED,
            look_at="b",
            text="Look at `b`. The same 1 arrives there as at `a`, for a sum treats its terms alike. `a` "
            "passes it on, through three cosines, down to `x`. `b` passes 0.",
        ),
        Step(
            "Without it",
            OPEN,
            look_at="b",
            text="`b` passes on what arrives, and the gradient comes down to `y`. The blue numbers are those "
            "of the graph with the stop.",
        ),
    ),
    to_try=(
        Try(
            "Set the rule of `b` to *follow*: orange numbers change, no blue one does.",
            (Part(edits=(ruled("b", "follow"),)),),
        ),
        Try(
            "With the stop, move `y`: the output moves, and the gradient of `y` stays 0.",
            (Part(edits=(ruled("b", "stop"), moved("y", 2.5))),),
            ("y",),
        ),
        Try(
            "Set `b` to *follow* and `cos_1` to *stop*: the gradient comes as far as `cos_1`, no further.",
            (Part(edits=(ruled("b", "follow"), ruled("cos_1", "stop"))),),
            ("cos_1",),
        ),
    ),
    claims=(
        Claim("Gradient of x", "gradient", "x", -0.18009877, SWIFT),
        Claim("Gradient of y", "gradient", "y", 0.0, SWIFT, 0, EXACTLY),
        Claim(
            "What arrives at b",
            "cotangent",
            "b",
            1.0,
            "by hand: a sum passes the seed to each term",
            within=EXACTLY,
        ),
        Claim("Gradient of x, as before", "gradient", "x", -0.18009877, SWIFT, 1),
        Claim(
            "Gradient of y, no longer stopped",
            "gradient",
            "y",
            0.061535136,
            "by hand: −sin(cos cos 3) · sin(cos 3) · sin 3",
            1,
        ),
        Claim(
            "The output, stopped or not",
            "value",
            "z",
            1.5629054,
            "by hand: sin sin sin 2 + cos cos cos 3 = 0.7097000 + 0.8532053",
            1,
        ),
    ),
)
