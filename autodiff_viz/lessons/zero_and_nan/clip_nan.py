"""Ask whether a clip onto the edge of a domain keeps the way back safe."""

from math import acos, inf, nan, sqrt

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

ONTO_THE_EDGE = """x = 10.0
c = clip(x, -1.0, 1.0)
y = arccos(c)
"""
INSIDE = ONTO_THE_EDGE.replace("-1.0, 1.0", "-0.99, 0.99")

LESSON = Lesson(
    key="clip-nan",
    track="zero_and_nan",
    title="I clip the input into the domain. Am I safe?",
    summary="An arc cosine takes −1 to 1. The input is clipped to that.",
    level=2,
    minutes=2,
    after=("branch-nan", "corner"),
    found_by=("nan", "arccos", "acos", "clamp", "clip", "angle", "domain"),
    text="`x` is 10, and `arccos` takes numbers from −1 to 1. So `x` is clipped to 1, and `y` is 0. "
    "Outside its ends a clip passes nothing on.",
    steps=(
        Step(
            "Clipped to 1",
            ONTO_THE_EDGE,
            look_at="x",
            questions=(
                Question(NUMBER, Quantity(COTANGENT, "x"), words="What arrives at `x`: a number, ∞ or NaN?"),
            ),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="NaN. In JAX “passes nothing” is a multiplication by 0, and here it meets −∞, the slope "
            "of `arccos` at 1. Clip to a range inside the domain, not onto its edge.",
        ),
        Step(
            "Clipped to 0.99",
            INSIDE,
            look_at="x",
            text="At 0.99 the slope of `arccos` is −7.09, a number like others, and 0 times it is 0.",
        ),
    ),
    to_try=(
        Try(
            "Open *Clipped to 0.99*: 0 arrives, and `y` is 0.1415.",
            (Part(1),),
            ("x",),
            then=(
                Claim("y", "value", "y", acos(0.99), "by hand: arccos 0.99", 1, digits=5),
                Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: −7.09 · 0", 1, EXACTLY),
            ),
        ),
        Try(
            "In *Clipped to 1* move `x` to 0.5, between the ends: −1.155 arrives.",
            (Part(edits=(put("x", 0.5),)),),
            ("x",),
            then=(
                Claim(
                    "What arrives at x",
                    "cotangent",
                    "x",
                    -1 / sqrt(0.75),
                    "by hand: −1/√(1 − 0.5²) = −1.1547005",
                ),
            ),
        ),
    ),
    claims=(
        Claim("What arrives at the clip", "cotangent", "c", -inf, "by hand: −1/√(1 − 1²)"),
        Claim("What arrives at x", "cotangent", "x", nan, "by hand: −∞ · 0; jax-ml/jax #23649 prints it"),
        Claim(
            "What arrives at the clip",
            "cotangent",
            "c",
            -1 / sqrt(1 - 0.99**2),
            "by hand: −1/√(1 − 0.99²)",
            1,
            digits=4,
        ),
        Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: −7.09 · 0", 1, EXACTLY),
    ),
    predictions=(
        Prediction("nan", RIGHT),
        Prediction("0", "zero-for-nan"),
        Prediction("-inf", "arriving-alone"),
    ),
    sources=(
        "[jax-ml/jax #23649](https://github.com/jax-ml/jax/issues/23649): arccos of a clip at 10.0, and "
        "its cure",
        "[pytorch/pytorch #8069](https://github.com/pytorch/pytorch/issues/8069): acos behind a clamp, "
        "with the same cure. PyTorch 2.13 gives 0 outside the ends, for its clamp chooses and does not "
        "multiply, and −∞ on an end",
    ),
    code="jax.grad(lambda x: jax.numpy.arccos(jax.numpy.clip(x, -1.0, 1.0)))(10.0)  # nan",
)
