"""Ask what a checkpoint around every step of a loop keeps, beside one around all."""

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
    selected,
)
from autodiff_viz.lessons.tour import Step

BODY = ("s = sin(h)", "h = cos(s)")


def _indented(by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in BODY)


EACH = 'h = 0.5\nfor i in range(3):\n    with checkpoint("step"):\n' + _indented(8)
NONE = "h = 0.5\nfor i in range(3):\n" + _indented(4)
ALL = 'h = 0.5\nwith checkpoint("all"):\n    for i in range(3):\n' + _indented(8)

LESSON = Lesson(
    key="scan",
    track="recomputation",
    title="A checkpoint around every step, or one around all?",
    summary="A loop of equal steps, and two places for a checkpoint.",
    level=3,
    minutes=4,
    after=("last-stage", "bptt"),
    found_by=("scan", "remat", "loop", "peak memory", "layers of a transformer"),
    text="`h` goes through three equal steps, each with a sine and a cosine. Without a checkpoint every step "
    "keeps 2 numbers for the way back, 6 in all. Here each step is a checkpoint of its own.",
    steps=(
        Step(
            "Around every step",
            EACH,
            look_at="h_2",
            questions=(
                Question(
                    NUMBER,
                    Quantity(KEPT, "h_2"),
                    words="How many numbers are kept now?",
                    told=(
                        (
                            "1",
                            "1 is enough for one region around all steps. Here are three regions: what "
                            "enters each?",
                        ),
                        ("6", "6 are kept without regions. Inside a region nothing is kept."),
                        ("0", "Each region must run again from what enters it. That is kept."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="memory",
            text="3, the state that enters each step. One region around all keeps only 1, but on the way "
            "back it needs all its numbers at once. Step by step they come and go.",
        ),
        Step(
            "No checkpoint",
            NONE,
            look_at="h_2",
            text="Two slopes are kept of every step.",
        ),
        Step(
            "Around all steps",
            ALL,
            look_at="h_2",
            text="Only `h` enters. On the way back all steps run first, and then all is there at once.",
        ),
    ),
    to_try=(
        Try(
            "Open *Around all steps*: 1 is kept. Then look at the memory: its peak is as high as with no "
            "checkpoint at all.",
            (Part(2),),
            ("residuals", "memory"),
            then=(Claim("Floats that are kept", "residual elements", None, 1, "by hand: h alone enters", 2),),
        ),
        Try(
            "In *Around every step* select `s_0`, then `s_2`: each sine runs once more, wherever it stands.",
            (Part(0, (selected("s_0"),)), Part(0, (selected("s_2"),))),
            ("runs",),
            then=(
                Claim(
                    "How often s_0 runs", "runs", "s_0", (1, 1, 1), "by hand: the slope of c is taken at s"
                ),
                Claim(
                    "How often s_2 runs", "runs", "s_2", (1, 1, 1), "by hand: the slope of c is taken at s"
                ),
            ),
        ),
    ),
    claims=(
        Claim(
            "Floats that are kept", "residual elements", None, 3, "by hand: the state that enters each step"
        ),
        Claim(
            "Gradient of h",
            "gradient",
            "h",
            -0.08236762,
            "by hand: three times −sin(sin h) · cos h, from h = 0.5 on",
        ),
        Claim("Floats that are kept", "residual elements", None, 6, "by hand: 3 · 2 slopes", 1),
        Claim("Gradient of h, unchanged", "gradient", "h", Like(0), "the same three steps", 1, 1e-6),
        Claim("Floats that are kept", "residual elements", None, 1, "by hand: h alone enters", 2),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("6", TOLD),
        Prediction("1", TOLD),
        Prediction("0", TOLD),
    ),
    sources=(
        "A language model of 2.8 billion weights took 15,695 MiB in place of 19,558, and 1,128 ms in "
        "place of 1,112: [axlearn PR 1171](https://github.com/apple/axlearn/pull/1171). Each step a "
        "checkpoint, in a simpler loop: [energnn PR 96](https://github.com/energnn/energnn/pull/96).",
    ),
    code="""@jax.checkpoint
def step(h):
    return jnp.cos(jnp.sin(h))

def run(h):
    for i in range(3):
        h = step(h)
    return h

jax.grad(run)(0.5)  # -0.082368
""",
)
