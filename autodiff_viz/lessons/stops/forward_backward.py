"""Teach a forward pass with noise and a backward pass without, by a stop at the right place."""

from autodiff_viz.lessons.lesson import (
    ANSWER,
    EXACTLY,
    NOISE,
    QUESTION,
    RESAMPLED,
    Claim,
    Law,
    Lesson,
    Part,
    Try,
)
from autodiff_viz.lessons.tour import Step

RANDOM = "uniform(shape=(3,), low=0.9, high=1.1, seed=0)"
# The document prints y·u for y = [4, 1, 1]; u is that divided by y, exact in decimals.
FIRST_DRAW = "[1.04066335, 0.9370764, 1.0806011]"
SECOND_DRAW = "[0.9135966300, 1.07519293, 0.94398856]"

START = """x = [-2.0, -1.0, 1.0]
y = square(x)
u = {u}
yu = y * u
"""
NAIVE = START + "z = sqrt(yu)\n"
EARLY = START + "noise = stop_gradient(yu - y)\nz = sqrt(noise + y)\n"
LAST = START + "clean = sqrt(y)\nnoise = stop_gradient(sqrt(yu) - clean)\nz = noise + clean\n"

SIGNS = (-1.0, -1.0, 1.0)
NOISY = Law("abs(x) * sqrt(u)", ("x", "u"))

LESSON = Lesson(
    key="forward-backward",
    track="stops",
    title="Forward one thing, backward another",
    summary="Noise belongs in the value but not in the gradient, and it matters where the stop is put.",
    text=f"""{NOISE}, asks how a value can have noise while its gradient has none.

Forward, `y` = x² is multiplied by noise `u` between 0.9 and 1.1, and a root is taken. Backward, the noise
should be forgotten: √(x²) is |x|, whose gradient is sign(x), here exactly [−1, −1, 1].

The noise has to go behind a stop, and it matters where. Placed early, the root comes after the stop and is
differentiated at a noisy number. Placed last, only the sum comes after it. The answer calls it Sergey Ioffe's
trick.

The last two graphs hold the draws of `u` that the question and its answer printed.""",
    steps=(
        Step(
            "Naive",
            NAIVE.format(u=RANDOM),
            look_at="x",
            text="No stop: JAX differentiates what ran, noise and all. The gradient is sign(x)·√u.",
        ),
        Step(
            "Stop placed early",
            EARLY.format(u=RANDOM),
            look_at="z",
            text="The noise is added behind a stop: stop(y·u − y) + y. But the root comes after it, and is "
            "differentiated at the noisy number: sign(x)/√u. Wrong in a new way.",
        ),
        Step(
            "Stop placed last",
            LAST.format(u=RANDOM),
            look_at="noise",
            text="A clean root carries the gradient, and the difference between the noisy root and the clean "
            "one is added behind a stop. Forward that is the noisy root; backward it is exactly sign(x).",
        ),
        Step(
            "The question's draw, naive",
            NAIVE.format(u=FIRST_DRAW),
            look_at="x",
            text="No stop, and the noise that the question printed: the gradient is sign(x)·√u, here "
            "[−1.020, −0.968, 1.040].",
        ),
        Step(
            "The answer's draw, last",
            LAST.format(u=SECOND_DRAW),
            look_at="noise",
            text="The stop placed last, and the noise that the answer printed: the gradient is exactly "
            "[−1, −1, 1].",
        ),
    ),
    to_try=(
        Try(
            "In *Naive*, press *Resample* (in Settings): the gradient of `x` is another one with each draw.",
            (Part(0, (RESAMPLED,)),),
            ("x",),
        ),
        Try(
            "In *Stop placed early*, resample: where the noise is above 1, the gradient is below 1 in size. "
            "In *Naive* it is above.",
            (Part(1, (RESAMPLED,)),),
            ("u", "x"),
        ),
        Try(
            "In *Stop placed last*, resample: the values change, and the gradient of `x` stays [−1, −1, 1].",
            (Part(2, (RESAMPLED,)),),
            ("x",),
        ),
    ),
    claims=(
        Claim("The value, with its noise", "value", "z", NOISY, "by hand: √(x²u) = |x|√u", 0),
        Claim(
            "Gradient of x",
            "gradient",
            "x",
            Law("sign(x) * sqrt(u)", ("x", "u")),
            "by hand: (|x|√u)' = sign(x)·√u",
            0,
        ),
        Claim("The same value", "value", "z", NOISY, "by hand: (yu − y) + y = yu", 1),
        Claim(
            "Gradient of x",
            "gradient",
            "x",
            Law("sign(x) / sqrt(u)", ("x", "u")),
            "by hand: 2x / (2√(x²u)) = sign(x)/√u",
            1,
        ),
        Claim("The same value", "value", "z", NOISY, "by hand: (√(yu) − √y) + √y = √(yu)", 2),
        Claim("Gradient of x", "gradient", "x", SIGNS, ANSWER, 2, EXACTLY),
        Claim(
            "What reaches the noise",
            "cotangent",
            "u",
            (0.0, 0.0, 0.0),
            "by hand: all behind the stop is 0",
            2,
            EXACTLY,
        ),
        Claim("y·u", "value", "yu", (4.1626534, 0.9370764, 1.0806011), QUESTION, 3),
        Claim("The value z", "value", "z", (2.0402582, 0.96802706, 1.0395197), QUESTION, 3),
        Claim("Gradient of x", "gradient", "x", (-1.0201291, -0.96802706, 1.0395197), QUESTION, 3),
        Claim("y·u", "value", "yu", (3.65438652, 1.07519293, 0.94398856), ANSWER, 4),
        Claim("The value z", "value", "z", (1.91164494, 1.03691506, 0.97159076), ANSWER, 4),
        Claim("Gradient of x", "gradient", "x", SIGNS, ANSWER, 4, EXACTLY),
    ),
)
