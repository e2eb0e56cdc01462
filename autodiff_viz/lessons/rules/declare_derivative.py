"""Ask what arrives behind a wrongly declared pullback, on the tutorial's sillyExp."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    function,
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
    title="I declare a wrong derivative. Does anyone notice?",
    summary="A node says itself what it passes on. Here it says something wrong.",
    level=2,
    minutes=2,
    after=("surgery",),
    found_by=("custom_vjp", "custom_gradient", "autograd.Function", "pullback", "own backward"),
    text="`y` is eˣ at 3, so it is 20.09, and its slope is 20.09 as well. But the node declares a rule of "
    "its own: where `v` arrives, it passes on `v * x`.",
    steps=(
        Step(
            "Declared wrongly",
            WRONG,
            look_at="y",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`?",
                    told=(
                        (
                            "20.09",
                            "20.09 is the true slope. Who would compare it with the declared one, and when?",
                        ),
                        (
                            "60.3",
                            "60.3 is the true slope times the declared one. A rule does not multiply the "
                            "truth: it stands in its place.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="sweep",
            text="A declared derivative is believed. All values stay right, no error appears, and training "
            "follows the wrong slope.",
        ),
        Step(
            "Declared rightly",
            DECLARED,
            look_at="y",
            text="The node passes on `v * y`, with the `y` that is there already.",
        ),
        Step(
            "Left to JAX",
            FOLLOWED,
            look_at="y",
            text="JAX works out the slope of the power: `y` times the logarithm of 2.7182817.",
        ),
    ),
    to_try=(
        Try(
            "Open *Declared rightly*, `v * y`: 20.09 arrives, and in the sweep the two lines are one.",
            (Part(1),),
            ("sweep",),
            then=(Claim("What arrives at x", "gradient", "x", 20.085535, SWIFT, 1),),
        ),
        Try(
            "In *Declared wrongly* declare `lambda v, x, y: v`: 1 arrives, wherever `x` is.",
            (Part(edits=(function("y", "lambda v, x, y: v"),)),),
            ("x", "sweep"),
            then=(
                Claim(
                    "What arrives at x", "gradient", "x", 1.0, "by hand: the seed, as it is", within=EXACTLY
                ),
                Claim("The value, still right", "value", "y", 20.085535, SWIFT),
            ),
        ),
    ),
    claims=(
        Claim("What arrives, as declared", "gradient", "x", 3.0, "by hand: v · x = 1 · 3", within=EXACTLY),
        Claim("The value, still right", "value", "y", 20.085535, SWIFT),
        Claim("sillyExp(3)", "value", "y", 20.085535, SWIFT, 1),
        Claim("Its gradient at 3", "gradient", "x", 20.085535, SWIFT, 1),
        Claim("The power at 3", "value", "y", 20.085537, "by hand: e³", 2),
        Claim("JAX's own gradient", "gradient", "x", 20.085537, "by hand: ln e · e³", 2),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("20.09", TOLD),
        Prediction("60.3", TOLD),
        Prediction("1", "seed"),
    ),
    numbers=(2, 0, 1),
    sources=(f"The function is `sillyExp` of {TUTORIAL}.",),
    code="""@jax.custom_vjp
def y(x):
    return 2.7182817 ** x

def forward(x):
    return y(x), x

def backward(x, v):
    return (v * x,)

y.defvjp(forward, backward)
jax.grad(y)(3.0)  # 3.0
""",
    figure="sweep",
)
