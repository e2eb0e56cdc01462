"""Ask whether dropout that runs again draws the same mask."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RESAMPLED,
    RIGHT,
    TOLD,
    Claim,
    Law,
    Lesson,
    Like,
    Part,
    Prediction,
    Try,
    selected,
)
from autodiff_viz.lessons.tour import Step

AGAIN = """x = [1.0, 2.0, 3.0, 4.0]
with checkpoint("drop"):
    a = sin(x)
    d = dropout(a, rate=0.5, seed=8)
    e = d * a
y = sum(e)
"""
ONCE = """x = [1.0, 2.0, 3.0, 4.0]
a = sin(x)
d = dropout(a, rate=0.5, seed=8)
e = d * a
y = sum(e)
"""
SAME, MEAN, OTHER = "yes, to the last digit", "only on average", "no, the draw is another"
BY_HAND = "by hand: where d is kept it is 2 sin x, so e is 2 sin² x, of slope 4 sin x cos x"

LESSON = Lesson(
    key="mask-again",
    track="recomputation",
    title="Dropout in a checkpoint: the same mask again?",
    summary="What is drawn by chance on the way forward is needed once more on the way back.",
    level=2,
    minutes=2,
    after=("checkpointing",),
    found_by=("dropout", "remat", "rng", "random", "preserve_rng_state"),
    text="`d` drops each of the four numbers of `a` with chance ½ and doubles the others. It stands in a "
    "checkpoint, so it runs a second time on the way back.",
    steps=(
        Step(
            "Dropout in a checkpoint",
            AGAIN,
            look_at="x",
            pinned=ONCE,
            letter="B",
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "x"),
                    words="Is what arrives at `x` the same as without the checkpoint?",
                    told=(
                        (
                            MEAN,
                            "That would need many draws, and there are two runs of one. What does a draw "
                            "depend on?",
                        ),
                        (
                            OTHER,
                            "So it is with a generator that goes on after each draw. This draw has a "
                            "seed, 8. Has the second run another?",
                        ),
                    ),
                    options=(SAME, MEAN, OTHER),
                    right=SAME,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="The draw is a function of its seed: run again, it draws the same. A generator with a "
            "hidden state has to be rewound first.",
        ),
        Step(
            "Without a checkpoint",
            ONCE,
            look_at="x",
            text="`d` runs once, and its numbers are kept.",
        ),
    ),
    to_try=(
        Try(
            "In *Dropout in a checkpoint* select `d` and play: it runs twice, with equal numbers.",
            (Part(edits=(selected("d"),)),),
            ("d", "runs"),
            then=(Claim("How often d runs", "runs", "d", (1, 1, 1), "by hand: the slope of e by a is d"),),
        ),
        Try(
            "Resample, in Settings: other numbers are dropped, and the second run drops these too.",
            (Part(edits=(RESAMPLED,)),),
            ("d", "x"),
        ),
    ),
    claims=(
        Claim(
            "What arrives at x", "gradient", "x", Law("2.0 * d * cos(x)", ("d", "x")), BY_HAND, within=1e-6
        ),
        Claim("How often d runs", "runs", "d", (1, 1, 1), "by hand: the slope of e by a is d"),
        Claim(
            "What arrives at x, to the last digit",
            "gradient",
            "x",
            Like(0),
            "the same draw, so the same sum",
            1,
            EXACTLY,
        ),
        Claim("What arrives at x", "gradient", "x", Law("2.0 * d * cos(x)", ("d", "x")), BY_HAND, 1, 1e-6),
    ),
    predictions=(
        Prediction(SAME, RIGHT),
        Prediction(OTHER, TOLD),
        Prediction(MEAN, TOLD),
    ),
    sources=(
        "PyTorch rewinds its generator for that: `preserve_rng_state` of "
        "[torch.utils.checkpoint](https://docs.pytorch.org/docs/stable/checkpoint.html).",
    ),
    code="""@jax.checkpoint
def drop(x):
    a = jnp.sin(x)
    mask = jax.random.bernoulli(jax.random.PRNGKey(8), 0.5, x.shape)
    d = jnp.where(mask, a / 0.5, 0.0)
    return (d * a).sum()

jax.grad(drop)(jnp.array([1.0, 2.0, 3.0, 4.0]))  # [1.81859, -1.51360, 0.0, 0.0]
""",
)
