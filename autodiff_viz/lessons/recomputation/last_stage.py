"""Ask what a checkpoint around a single op saves."""

from autodiff_viz.asking.question import ASKED_ALONE, KEPT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Like,
    Part,
    Prediction,
    Try,
    members,
    without_region,
)
from autodiff_viz.lessons.tour import Step

LAST = """x = [1.0, 2.0, 3.0]
a = sin(x)
with checkpoint("last"):
    b = sin(a)
y = sum(b)
"""
BOTH = """x = [1.0, 2.0, 3.0]
with checkpoint("both"):
    a = sin(x)
    b = sin(a)
y = sum(b)
"""

LESSON = Lesson(
    key="last-stage",
    track="recomputation",
    title="I checkpointed a layer. What did I save?",
    summary="A checkpoint around one op gives something up and keeps something else.",
    level=2,
    minutes=2,
    after=("checkpointing",),
    found_by=("checkpoint", "remat", "memory not saved", "still out of memory", "jax.checkpoint"),
    text="`x` holds three numbers, and two sines follow. Without a checkpoint 6 numbers are kept for the way "
    "back: 3 slopes for each sine. Here the second sine stands in a checkpoint.",
    steps=(
        Step(
            "The second sine",
            LAST,
            look_at="b",
            questions=(
                Question(
                    NUMBER,
                    Quantity(KEPT, "y"),
                    words="How many numbers are kept now?",
                    told=(
                        (
                            "3",
                            "The 3 slopes of the second sine are given up. But its region must run again, "
                            "and from what?",
                        ),
                        ("0", "A region runs again from what enters it: that is kept."),
                        (
                            "9",
                            "The slopes inside the region are not kept. What enters it takes their place.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="memory",
            text="A region gives up what is inside and keeps what enters it. Around one sine nothing is "
            "won: 3 slopes go, and 3 inputs come in their place.",
        ),
        Step(
            "Both sines",
            BOTH,
            look_at="b",
            text="One region around both: only `x` enters.",
        ),
    ),
    to_try=(
        Try(
            "Draw `a` into the region as well: 3 are kept, and one of two sines runs again.",
            (Part(edits=(members("last", "a", "b"),)),),
            ("residuals", "runs"),
            then=(
                Claim("Floats that are kept", "residual elements", None, 3, "by hand: x alone enters"),
                Claim(
                    "How often a runs", "runs", "a", (1, 1, 1), "by hand: the derivative of b is taken at a"
                ),
                Claim("How often b runs", "runs", "b", (1, 1, 0), "by hand: a sum needs no values"),
            ),
        ),
        Try(
            "Remove the region of *The second sine*: 6 are kept, as many as with it, and nothing runs again.",
            (Part(edits=(without_region("last"),)),),
            ("residuals",),
            then=(
                Claim(
                    "Floats that are kept", "residual elements", None, 6, "by hand: 3 slopes for each sine"
                ),
                Claim("How often b runs", "runs", "b", (1, 0, 0), "by hand: there is no region"),
            ),
        ),
    ),
    claims=(
        Claim(
            "Floats that are kept",
            "residual elements",
            None,
            6,
            "by hand: 3 slopes of the first sine, 3 inputs of the second",
        ),
        Claim(
            "Gradient of x",
            "gradient",
            "x",
            (0.3600395, -0.2556391, -0.9801511),
            "by hand: cos x · cos(sin x)",
            digits=5,
        ),
        Claim("Floats that are kept", "residual elements", None, 3, "by hand: x alone enters", 1),
        Claim("Gradient of x, unchanged", "gradient", "x", Like(0), "the same chain of sines", 1, 1e-7),
    ),
    predictions=(
        Prediction("6", RIGHT),
        Prediction("3", TOLD),
        Prediction("0", TOLD),
        Prediction("9", TOLD),
    ),
    sources=(
        "Asked in [jax 19822](https://github.com/jax-ml/jax/issues/19822) and [jax "
        "12792](https://github.com/jax-ml/jax/issues/12792). A region around the last part alone, and "
        "one around all: [jax PR 7989](https://github.com/jax-ml/jax/pull/7989).",
    ),
    code="""def y(x):
    a = jnp.sin(x)
    b = jax.checkpoint(jnp.sin)(a)
    return b.sum()

jax.grad(y)(jnp.array([1.0, 2.0, 3.0]))  # [0.36004, -0.25564, -0.98015]
""",
)
