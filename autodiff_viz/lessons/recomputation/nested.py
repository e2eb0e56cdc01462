"""Ask how often an op runs inside two checkpoint regions."""

from autodiff_viz.asking.question import ASKED_ALONE, NUMBER, RUNS, Quantity, Question
from autodiff_viz.lessons.lesson import (
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    selected,
    without_region,
)
from autodiff_viz.lessons.tour import Step

NESTED = """v0 = 0.5
with checkpoint("outer"):
    with checkpoint("inner"):
        v1 = sin(v0)
        v2 = sin(v1)
    v3 = sin(v2)
    v4 = sin(v3)
"""
LEVELS = "by hand: forward, for the outer region, and for the inner one"

LESSON = Lesson(
    key="nested",
    track="recomputation",
    title="A checkpoint in a checkpoint: how often does it run?",
    summary="A region that runs again meets another region on its way.",
    level=3,
    minutes=3,
    after=("checkpointing",),
    found_by=("nested remat", "nested checkpoint", "runs", "recursive checkpointing"),
    text="Four sines stand in the region *outer*, and the first two of them in *inner* as well. Each region "
    "keeps what enters it and runs again on the way back.",
    steps=(
        Step(
            "Two levels",
            NESTED,
            look_at="v2",
            questions=(
                Question(
                    NUMBER,
                    Quantity(RUNS, "v1"),
                    words="How often does `v1` run in all, forward included?",
                    told=(
                        (
                            "2",
                            "2 is forward, and again for `outer`. That run meets `inner`: what does it keep?",
                        ),
                        ("4", "Each level adds one run. It does not double what there was."),
                        ("1", "1 is forward alone. On the way back its value is gone."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="*outer* runs again, and *inner* throws its values away once more, so it has to run a "
            "third time: one run forward, and one for each level.",
        ),
    ),
    to_try=(
        Try(
            "Select `v1`, then `v3`: 3 runs and 2.",
            (Part(edits=(selected("v1"),)), Part(edits=(selected("v3"),))),
            ("runs",),
            then=(
                Claim(
                    "How often v3 runs", "runs", "v3", (1, 1, 1), "by hand: forward, and for the outer region"
                ),
            ),
        ),
        Try(
            "Remove the region *inner*: `v1` runs twice, and 1 number is kept as before. But in the memory "
            "the peak rises from 3 to 4.",
            (Part(edits=(without_region("inner"),)),),
            ("runs", "memory"),
            then=(
                Claim(
                    "How often v1 runs", "runs", "v1", (1, 1, 1), "by hand: forward, and for the outer region"
                ),
                Claim("Floats that are kept", "residual elements", None, 1, "by hand: v0 alone enters"),
            ),
        ),
    ),
    claims=(
        Claim("How often v1 runs", "runs", "v1", (1, 2, 2), LEVELS),
        Claim(
            "How often v2 runs",
            "runs",
            "v2",
            (1, 2, 1),
            f"{LEVELS}; kept by hand: no slope inside is taken at v2, which leaves",
        ),
        Claim("How often v3 runs", "runs", "v3", (1, 1, 1), "by hand: forward, and for the outer region"),
        Claim("How often v4 runs", "runs", "v4", (1, 1, 0), "by hand: no derivative is taken at v4"),
        Claim("Floats that are kept", "residual elements", None, 1, "by hand: v0 alone enters"),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("2", TOLD),
        Prediction("4", TOLD),
        Prediction("1", TOLD),
    ),
    sources=(
        "What is kept of a checkpoint in a checkpoint: [jax "
        "18817](https://github.com/jax-ml/jax/issues/18817).",
    ),
    code="""@jax.checkpoint
def outer(v0):
    v2 = jax.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(v0)
    return jnp.sin(jnp.sin(v2))

jax.grad(outer)(0.5)  # 0.62933
""",
)
