"""Teach that the cotangent of a value that is used twice is the sum of what its wires pass."""

from autodiff_viz.lessons.lesson import EXACTLY, Claim, Lesson, Part, Try, moved, ruled
from autodiff_viz.lessons.tour import Step

DOUBLE_AND_SQUARE = """x = 3.0
a = 2.0 * x
b = square(x)
z = a + b
"""
PRODUCT = """x = 3.0
y = x * x
"""
CANCEL = """x = 0.7
s = sin(x)
c = cos(x)
z = square(s) + square(c)
"""

LESSON = Lesson(
    key="fork",
    track="start",
    title="Gradients add at a fork",
    summary="A value that is used twice hears from both uses. What arrives is the sum.",
    text="""Here `x` is used twice, so two wires leave its node.

On the way back, each wire brings an answer to one question: *how fast does the output change with `x`,
through me alone?*

Both are right about their own path, and `x` moves along both paths at once. So **the contributions add**.
Copying on the way forward becomes adding on the way back. That is the chain rule for several variables, and
there is no more to it.""",
    steps=(
        Step(
            "Double and square",
            DOUBLE_AND_SQUARE,
            look_at="x",
            text="One wire leads to the double of `x`, the other to its square. The upper wire says 2, the "
            "lower one 2x, which is 6. At `x` arrives 2 + 6 = 8.",
        ),
        Step(
            "Both wires into one product",
            PRODUCT,
            look_at="x",
            text="Both wires end at the same product, in its two slots. Each is told the other factor, 3. At "
            "`x` arrives 3 + 3 = 6, which is 2x.",
        ),
        Step(
            "Two that cancel",
            CANCEL,
            look_at="x",
            text="The two contributions are equal and opposite. Strong wires, and nothing arrives: sin² + "
            "cos² is 1 wherever `x` goes.",
        ),
    ),
    to_try=(
        Try(
            "Move `x`: one contribution stays 2, the other follows 2x, and their sum arrives.",
            (Part(edits=(ruled("b", "follow"), moved("x", 1.0))),),
            ("x",),
        ),
        Try(
            "Select `b` and set its rule to *stop*: its contribution becomes 0 and only the 2 is left.",
            (Part(edits=(ruled("b", "stop"),)),),
            ("x",),
        ),
        Try(
            "Open *Both wires into one product*: the wires end at the same node, and still there "
            "are two terms.",
            (Part(1),),
            ("x",),
        ),
    ),
    claims=(
        Claim(
            "The two wires add", "added", "x", (2.0, 6.0), "by hand: (2x)' = 2, (x²)' = 2x = 6", 0, EXACTLY
        ),
        Claim("What arrives at x", "cotangent", "x", 8.0, "by hand: 2 + 6", 0, EXACTLY),
        Claim(
            "The two wires of x·x add",
            "added",
            "x",
            (3.0, 3.0),
            "by hand: each factor passes the other",
            1,
            EXACTLY,
        ),
        Claim("What arrives at x", "cotangent", "x", 6.0, "by hand: 3 + 3 = 2x", 1, EXACTLY),
        Claim(
            "The two wires add",
            "added",
            "x",
            (0.98544973, -0.98544973),
            "by hand: 2 sin x cos x = sin 1.4, and its negative",
            2,
        ),
        Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: (sin² + cos²)' = 1' = 0", 2, EXACTLY),
    ),
)
