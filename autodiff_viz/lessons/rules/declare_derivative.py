"""Teach how to declare a pullback, on the tutorial's sillyExp."""

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
)
from autodiff_viz.lessons.tour import Step

DECLARED = """x = 3.0
y = custom(2.7182817 ** x, pullback=lambda v, x, y: v * y)
"""
FOLLOWED = """x = 3.0
y = 2.7182817 ** x
"""
WRONG = DECLARED.replace("v * y)", "v * x)")

LESSON = Lesson(
    key="declare-derivative",
    track="rules",
    title="Declare a derivative",
    summary="Tell JAX what the derivative of a function is, instead of having it worked out.",
    text=f"""{TUTORIAL}, has a function `sillyExp` that computes the exponential as a power,
`2.7182817 ** x`. We know the derivative of that from school: it is the function itself.

A node can say so. It declares a **pullback**: the function that takes what arrives at the node and gives what
it passes on.

Declaring pays when you know something that JAX cannot: a formula that is cheaper, or steadier, or the
derivative of something that is not differentiable at all.

But JAX takes your word for it, and no error appears anywhere. That is why the lab puts the true slope beside
every declared one.""",
    steps=(
        Step(
            "Declared",
            DECLARED,
            look_at="y",
            text="`v` arrives from the output, and `v * y` is passed on to `x`, where `y` is the value that "
            "the forward pass has already computed. The gradient is 20.09, like the value.",
        ),
        Step(
            "Left to JAX",
            FOLLOWED,
            look_at="y",
            text="JAX differentiates the power: `y` times the logarithm of 2.7182817, which is almost 1. The "
            "gradient is 20.09 too; only the logarithm had to be worked out.",
        ),
        Step(
            "Declared wrongly",
            WRONG,
            look_at="y",
            text="The node declares `v * x`. The value is still right, and the gradient is 3 where it should "
            "be 20. Training would go on, to the wrong place.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` and watch the sweep: the declared derivative lies on the true one.",
            (Part(edits=(function("y", "lambda v, x, y: v * y"), moved("x", 2.0))),),
            ("sweep",),
        ),
        Try(
            "Open *Declared wrongly*: the declared line leaves the true one, and the value does not notice.",
            (Part(2),),
            ("sweep",),
        ),
        Try(
            "In *Declared*, select `y` and change its function to `lambda v, x, y: v`: whatever arrives is "
            "passed as it is.",
            (Part(edits=(function("y", "lambda v, x, y: v"),)),),
            ("y",),
        ),
    ),
    claims=(
        Claim("sillyExp(3)", "value", "y", 20.085535, SWIFT),
        Claim("Its gradient at 3", "gradient", "x", 20.085535, SWIFT),
        Claim("The power at 3", "value", "y", 20.085537, "by hand: e³", 1),
        Claim("JAX's own gradient", "gradient", "x", 20.085537, "by hand: ln e · e³", 1),
        Claim("The value, still right", "value", "y", 20.085535, SWIFT, 2),
        Claim("The gradient, as declared", "gradient", "x", 3.0, "by hand: v · x = 1 · 3", 2, EXACTLY),
    ),
    figure="sweep",
)
