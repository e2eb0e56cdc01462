"""Ask how many of four sines a checkpoint region runs again on the way back."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, RUNS, Quantity, Question
from autodiff_viz.lessons.lesson import (
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    selected,
    without_region,
)
from autodiff_viz.lessons.tour import Step

SQUARE = """x = 10.0
c = cos(x)
with checkpoint("square"):
    s = c * c
"""
SINES = """x = 1.0
a = sin(x)
b = sin(a)
c = sin(b)
y = sin(c)
"""
SINES_CHECKPOINTED = """x = 1.0
with checkpoint("sines"):
    a = sin(x)
    b = sin(a)
    c = sin(b)
    y = sin(c)
"""
CHAIN = "by hand: cos 1 · cos(sin 1) · cos(sin sin 1) · cos(sin sin sin 1)"

LESSON = Lesson(
    key="checkpointing",
    track="recomputation",
    title="Four sines in a checkpoint: how many run again?",
    summary="Keep less on the way forward, and compute it again on the way back.",
    level=2,
    minutes=3,
    after=("neuron",),
    found_by=("checkpoint", "remat", "memory", "rematerialisation", "gradient checkpointing"),
    text="`x` is 1, and four sines follow. For the way back each would keep a number, four in all. The "
    "checkpoint around them keeps only `x` and runs again instead.",
    steps=(
        Step(
            "Four sines, checkpointed",
            SINES_CHECKPOINTED,
            look_at="b",
            questions=(
                Question(
                    CHOICE,
                    Quantity(RUNS, "y"),
                    words="How many of the four sines must run again?",
                    told=(
                        (
                            "0",
                            "A slope is a cosine of what enters its sine. For `b` that is `a`, which was "
                            "thrown away.",
                        ),
                        ("1", "One number is kept. How many are needed that were thrown away?"),
                        (
                            "4",
                            "The slope of a sine is taken at what enters it. Who needs what leaves the last "
                            "one?",
                        ),
                    ),
                    options=("0", "1", "3", "4"),
                    right="3",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="Each slope is taken at what enters a sine. No slope needs what leaves the last one, so "
            "that is not made again.",
        ),
        Step(
            "Four sines",
            SINES,
            look_at="b",
            text="The same sines without a region: four numbers are kept, and nothing runs again.",
        ),
        Step(
            "A square that prints",
            SQUARE,
            look_at="s",
            text="The tutorial's block prints a line whenever it runs: once forward, once back. Nobody needs "
            "the second product: the slope of c · c is made of `c`, which entered.",
        ),
    ),
    to_try=(
        Try(
            "Remove the checkpoint: 4 numbers are kept in place of 1, and 0.206 arrives at `x` as before.",
            (Part(edits=(without_region("sines"),)),),
            ("residuals", "x"),
            then=(
                Claim("Residuals", "residuals", None, 4, "by hand: one cosine for each sine"),
                Claim("Gradient of x, unchanged", "gradient", "x", 0.20593520, CHAIN),
            ),
        ),
        Try(
            "Open *A square that prints*: `s` runs once forward and once back, and JAX drops the second run.",
            (Part(2),),
            ("runs",),
            then=(
                Claim(
                    "How often the square runs",
                    "runs",
                    "s",
                    (1, 1, 0),
                    f"{SWIFT}; dropped by hand: the derivative 2c needs only c",
                    2,
                ),
            ),
        ),
        Try(
            "In *Four sines, checkpointed* select `c`, then `y`: the second run of `c` is needed, that "
            "of `y` is not.",
            (Part(0, (selected("c"),)), Part(0, (selected("y"),))),
            ("runs",),
            then=(
                Claim(
                    "How often c runs", "runs", "c", (1, 1, 1), "by hand: the derivative of y is taken at c"
                ),
                Claim("How often y runs", "runs", "y", (1, 1, 0), "by hand: no derivative is taken at y"),
            ),
        ),
    ),
    claims=(
        Claim("Residuals", "residuals", None, 1, "by hand: x alone enters the block"),
        Claim("Gradient of x", "gradient", "x", 0.20593520, CHAIN),
        Claim("How often a runs", "runs", "a", (1, 1, 1), "by hand: the derivative of b is taken at a"),
        Claim("How often b runs", "runs", "b", (1, 1, 1), "by hand: the derivative of c is taken at b"),
        Claim("How often c runs", "runs", "c", (1, 1, 1), "by hand: the derivative of y is taken at c"),
        Claim("How often y runs", "runs", "y", (1, 1, 0), "by hand: no derivative is taken at y"),
        Claim("Residuals", "residuals", None, 4, "by hand: one cosine for each sine", 1),
        Claim("Gradient of x, without the region", "gradient", "x", 0.20593520, CHAIN, 1),
        Claim("The square of cos 10", "value", "s", 0.704041, "by hand: (−0.8390715)²", 2),
        Claim("Gradient of x", "gradient", "x", -0.9129453, f"{SWIFT}; by hand: −sin 20", 2),
        Claim(
            "How often the square runs",
            "runs",
            "s",
            (1, 1, 0),
            f"{SWIFT}, for forward and backward; kept by hand: the derivative 2c needs only c",
            2,
        ),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("4", TOLD),
        Prediction("1", TOLD),
        Prediction("0", TOLD),
    ),
    numbers=(2, 1, 0),
    sources=(f"The square is that of {TUTORIAL}.",),
    code="""sines = lambda x: jnp.sin(jnp.sin(jnp.sin(jnp.sin(x))))
jax.grad(jax.checkpoint(sines))(1.0)  # 0.20594
""",
)
