"""Teach a stop: a term with a value and a zero gradient; also `detach`, `withoutDerivative`."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, ZERO, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    SWIFT,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
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
BY_HAND = "by hand: −sin(cos cos 3) · sin(cos 3) · sin 3"

LESSON = Lesson(
    key="without-derivative",
    track="stops",
    title="What exactly does stop_gradient stop?",
    summary="Move `y`, and the output moves. What goes back to it, past a stop?",
    level=1,
    minutes=2,
    after=("twins",),
    found_by=("stop_gradient", "detach", "no_grad", "withoutDerivative"),
    text="`z` adds `a` and `b`, and a 1 goes back to each. `z` moves when you move `y`: try it. But `b` "
    "carries a stop.",
    steps=(
        Step(
            "With the stop",
            STOPPED,
            look_at="b",
            questions=(Question(ZERO, Quantity(COTANGENT, "y"), words="Does anything arrive at `y`?"),),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="Exactly 0: the value follows `y`, the gradient does not. A stop makes the way back "
            "disagree with the sliders, on purpose.",
        ),
        Step(
            "Without it",
            OPEN,
            look_at="b",
            text="`b` passes on what arrives. All values are those of the graph with the stop.",
        ),
    ),
    to_try=(
        Try(
            "Set the rule of `b` to *follow*: 0.0615 arrives at `y`, and no value changes.",
            (Part(edits=(ruled("b", "follow"), put("y", 3.0))),),
            ("y", "z"),
            then=(
                Claim("What arrives at y", "gradient", "y", 0.061535136, BY_HAND),
                Claim("The output", "value", "z", 1.5629054, "by hand: 0.7097000 + 0.8532053"),
            ),
        ),
        Try(
            "With the stop, move `y` to 1.5: `z` falls from 1.56 to 1.25, and still 0 arrives.",
            (Part(edits=(ruled("b", "stop"), put("y", 1.5))),),
            ("y", "z"),
            then=(
                Claim("What arrives at y", "gradient", "y", 0.0, "by hand: behind a stop", within=EXACTLY),
                Claim(
                    "z",
                    "value",
                    "z",
                    1.2521050,
                    "by hand: 0.7097000 + cos cos cos 1.5 = 0.7097000 + 0.5424050",
                ),
            ),
        ),
        Try(
            "Set `b` to *follow* and `cos_1` to *stop*: the gradient comes as far as `cos_1`, and no "
            "further.",
            (Part(edits=(ruled("b", "follow"), ruled("cos_1", "stop"))),),
            ("cos_1", "y"),
            then=(
                Claim(
                    "What arrives at cos_1",
                    "cotangent",
                    "cos_1",
                    -0.43604828,
                    "by hand: sin(cos cos 3) · sin(cos 3)",
                ),
                Claim("What arrives at y", "gradient", "y", 0.0, "by hand: behind a stop", within=EXACTLY),
            ),
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
        Claim("Gradient of y, no longer stopped", "gradient", "y", 0.061535136, BY_HAND, 1),
        Claim(
            "The output, stopped or not",
            "value",
            "z",
            1.5629054,
            "by hand: sin sin sin 2 + cos cos cos 3 = 0.7097000 + 0.8532053",
            1,
        ),
    ),
    predictions=(
        Prediction("zero", RIGHT),
        Prediction("0.0615", "stop-ignored"),
        Prediction("something", "stop-ignored"),
    ),
    sources=(f"The example is that of {TUTORIAL}, which says `withoutDerivative(at:)`.",),
    code="""def z(x, y):
    a = jnp.sin(jnp.sin(jnp.sin(x)))
    b = jax.lax.stop_gradient(jnp.cos(jnp.cos(jnp.cos(y))))
    return a + b

jax.grad(z, argnums=(0, 1))(2.0, 3.0)  # (-0.18009877, 0.0)
""",
)
