"""Teach checkpointing, which discards residuals of the forward pass and recomputes them on the way back."""

from autodiff_viz.lessons.lesson import (
    SWIFT,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
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
    title="Checkpointing",
    summary="Keep less in the forward pass, compute it again in the backward pass: memory bought with work.",
    text=f"""Derivatives need numbers from the forward pass, so JAX keeps them: the **residuals**. A
**checkpoint** region keeps only what enters it and runs its block again on the way back. No value and no
gradient changes.

That is a bargain: less memory between the passes, more work in the second one. How good it is depends on the
block. JAX looks closely: what is needed by no derivative is neither kept nor run again.

The first graph is from {TUTORIAL}. The others show what is saved.""",
    steps=(
        Step(
            "The tutorial's square",
            SQUARE,
            look_at="s",
            text="The block squares cos 10. In the tutorial it prints a line whenever it runs, and it prints "
            "twice: once forward, once backward. JAX counts the same. But the derivative of c·c needs only "
            "`c`, which entered the block and was kept. Nobody needs the second product, so JAX drops it.",
        ),
        Step(
            "Four sines",
            SINES,
            look_at="b",
            text="Four sines in a row, without a region. JAX keeps four residuals, one for each sine.",
        ),
        Step(
            "Four sines, checkpointed",
            SINES_CHECKPOINTED,
            look_at="b",
            text="All four sines in one region. JAX keeps one residual, `x`, and runs three sines again. "
            "Three, not four: the last one's value is needed by no derivative.",
        ),
    ),
    to_try=(
        Try(
            "Remove the checkpoint: its frame goes, and every number stays as it was.",
            (Part(edits=(without_region("square"),)),),
        ),
        Try(
            "Open *Four sines*, then *Four sines, checkpointed*: same value, same gradient, four residuals "
            "against one.",
            (Part(1), Part(2)),
            ("residuals",),
        ),
        Try(
            "In *Four sines, checkpointed* select `b`, then `y`: both run again, but JAX needs "
            "only the run of `b`.",
            (Part(2, (selected("b"),)), Part(2, (selected("y"),))),
            ("runs",),
        ),
    ),
    claims=(
        Claim("The square of cos 10", "value", "s", 0.704041, "by hand: (−0.8390715)²"),
        Claim("Gradient of x", "gradient", "x", -0.9129453, SWIFT),
        Claim(
            "How often the square runs",
            "runs",
            "s",
            (1, 1, 0),
            f"{SWIFT}, for forward and backward; kept by hand: the derivative 2c needs only c",
        ),
        Claim("Residuals", "residuals", None, 4, "by hand: one cosine for each sine", 1),
        Claim("Gradient of x", "gradient", "x", 0.20593520, CHAIN, 1),
        Claim("Residuals", "residuals", None, 1, "by hand: x alone enters the block", 2),
        Claim("Gradient of x, unchanged", "gradient", "x", 0.20593520, CHAIN, 2),
        Claim("How often b runs", "runs", "b", (1, 1, 1), "by hand: the derivative of c is taken at b", 2),
        Claim("How often y runs", "runs", "y", (1, 1, 0), "by hand: no derivative is taken at y", 2),
    ),
    figure="runs",
)
