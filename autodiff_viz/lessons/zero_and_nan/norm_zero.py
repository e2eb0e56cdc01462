"""Ask for the gradient of a squared length at the origin, written with a root."""

from math import inf, nan

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put, written
from autodiff_viz.lessons.tour import Step

ROOT = """x = [0.0, 0.0]
n = sqrt(sum(square(x)))
y = square(n)
"""
WITHOUT = """x = [0.0, 0.0]
y = sum(square(x))
"""
DEVIATION = """x = [1.0, 1.0]
eps = 0.0
m = mean(x)
y = sqrt(mean(square(x - m)) + eps)
"""

LESSON = Lesson(
    key="norm-zero",
    track="zero_and_nan",
    title="The square of a length is smooth. And its gradient at 0?",
    summary="The lowest point of a smooth bowl, computed by way of a root.",
    level=2,
    minutes=3,
    after=("branch-nan",),
    found_by=("nan", "norm", "std", "standard deviation", "sqrt", "distance", "eps"),
    text="`x` is [0, 0], `n` is its length and `y` the square of that: a smooth bowl, and `x` lies at "
    "its bottom.",
    steps=(
        Step(
            "By way of the length",
            ROOT,
            look_at="x",
            questions=(
                Question(NUMBER, Quantity(COTANGENT, "x"), words="What arrives at `x`: numbers, ∞ or NaN?"),
            ),
            hides=ALL_COTANGENTS,
            reveal="why zero",
            text="Nothing looks ahead. The square passes 2n, which is 0, to the root, and the root "
            "multiplies it by its own slope, ∞. 0 · ∞ is NaN.",
        ),
        Step(
            "Without the root",
            WITHOUT,
            look_at="x",
            text="The same function without the detour: each number gets twice itself.",
        ),
        Step(
            "The spread of two numbers",
            DEVIATION,
            look_at="x",
            text="A standard deviation ends in a root as well. Of equal numbers it is 0: the root passes "
            "∞, and the squares below multiply it by 0.",
        ),
    ),
    to_try=(
        Try(
            "Set `x` to [3, 4]: 6 and 8 arrive, as from Σx².",
            (Part(edits=(written("x", "[3.0, 4.0]"),)),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", (6.0, 8.0), "by hand: 2x"),),
        ),
        Try(
            "Open *Without the root*: [0, 0] again, and 0 arrives.",
            (Part(1),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", (0.0, 0.0), "by hand: 2x", 1, EXACTLY),),
        ),
        Try(
            "Open *The spread of two numbers*: NaN. Move `eps` to 0.01: `y` is 0.1, and 0 arrives.",
            (Part(2), Part(2, edits=(put("eps", 0.01),))),
            ("x", "eps"),
            then=(
                Claim("y", "value", "y", 0.1, "by hand: √0.01", 2),
                Claim(
                    "What arrives at x",
                    "cotangent",
                    "x",
                    (0.0, 0.0),
                    "by hand: 2(x − m) = 0 times 5 · ½",
                    2,
                    EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("What the square passes", "cotangent", "n", 0.0, "by hand: 2n = 0", 0, EXACTLY),
        Claim("What the root passes", "passed", ("n", 0), nan, "by hand: 0 · 1/(2√0) = 0 · ∞"),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            (nan, nan),
            "jax-ml/jax #4177, as printed",
        ),
        Claim("What arrives at x", "cotangent", "x", (0.0, 0.0), "by hand: 2x", 1, EXACTLY),
        Claim("What the root passes", "passed", ("y", 0), inf, "by hand: 1/(2√0)", 2),
        Claim(
            "What arrives at x", "cotangent", "x", (nan, nan), "jax-ml/jax #11716, as printed for [1, 1]", 2
        ),
    ),
    predictions=(
        Prediction("nan", RIGHT),
        Prediction("0", "zero-for-nan"),
        Prediction("inf", "slope-alone"),
    ),
    sources=(
        "[jax-ml/jax #4177](https://github.com/jax-ml/jax/issues/4177): a squared norm at [0, 0], which "
        "prints [nan nan] and [0. 0.]",
        "[jax-ml/jax #11716](https://github.com/jax-ml/jax/issues/11716), [pytorch/pytorch "
        "#4320](https://github.com/pytorch/pytorch/issues/4320): the standard deviation of equal numbers. "
        "PyTorch 2.13 takes 0 for its own `norm` and `std`, and has NaN of a root written out",
    ),
    code="jax.grad(lambda x: jax.numpy.sqrt(jax.numpy.sum(x ** 2)) ** 2)(jax.numpy.zeros(2))  # [nan, nan]",
)
