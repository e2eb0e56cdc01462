"""Ask what comes back through a guess that is right or wrong."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

GUESS = """z = -1.0
guess = greater(z, 0.0)
loss = square(guess - 1.0)
"""
SOFTPLUS = """z = -1.0
loss = softplus(-z)
"""

LESSON = Lesson(
    key="accuracy",
    track="zero_and_nan",
    title="Can I train on accuracy itself?",
    summary="A guess is wrong, and the loss says so. What does the score behind it get?",
    level=1,
    minutes=2,
    after=("gets-nothing",),
    found_by=(
        "argmax",
        "non-differentiable",
        "metric",
        "threshold",
        "greater",
        "step function",
        "zero gradient",
    ),
    text="The score `z` is −1, so the guess is 0; it should be 1. The loss is 1 for a wrong guess and 0 "
    "for a right one, so a low loss is a high accuracy. It sends −2 back to `guess`.",
    steps=(
        Step(
            "Counting mistakes",
            GUESS,
            look_at="z",
            figure="sweep",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "z"),
                    words="What arrives at `z`?",
                    told=(
                        (
                            "nan",
                            "Only at the jump itself, at 0, is there no slope. Here `z` is −1. "
                            "What happens to the guess near −1?",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="sweep",
            text="0 arrives. Move `z` a little and no guess flips: accuracy is a staircase, flat wherever "
            "it does not jump. To train, take a loss that slopes.",
        ),
        Step(
            "Another loss",
            SOFTPLUS,
            look_at="z",
            figure="sweep",
            text="ln(1 + e^−z) is high where the guess is wrong and low where it is right, and it slopes "
            "everywhere.",
        ),
    ),
    to_try=(
        Try(
            "Move `z` to −0.001, a little before the jump: still 0.",
            (Part(edits=(put("z", -0.001),)),),
            ("z", "sweep"),
            then=(
                Claim(
                    "z gets", "gradient", "z", 0.0, "by hand: −2 · 0, still on the flat step", within=EXACTLY
                ),
            ),
        ),
        Try(
            "Open *Another loss*: −0.731 arrives. Move `z` to 1: the guess is right, and −0.269 still "
            "arrives, asking for more.",
            (Part(1), Part(1, edits=(put("z", 1.0),))),
            ("z",),
            then=(Claim("z gets", "gradient", "z", -0.2689414, "by hand: sigmoid(1) − 1", 1),),
        ),
    ),
    claims=(
        Claim("What arrives at the guess", "cotangent", "guess", -2.0, "by hand: 2(0 − 1)", 0, EXACTLY),
        Claim(
            "z gets",
            "gradient",
            "z",
            0.0,
            "by hand: the loss is 1 at −0.9 and at −1.1, and (1 − 1)/0.2 = 0",
            0,
            EXACTLY,
        ),
        Claim("z gets", "gradient", "z", -0.7310586, "by hand: sigmoid(−1) − 1", 1),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("-2", "arriving-alone"),
        Prediction("1", "value"),
        Prediction("nan", TOLD),
    ),
    sources=(
        "[pytorch/pytorch #1339](https://github.com/pytorch/pytorch/issues/1339): the derivative of argmax "
        "is 0 almost everywhere",
        "[fundamentalvision/Uni-Perceiver "
        "#2](https://github.com/fundamentalvision/Uni-Perceiver/issues/2): why is accuracy among the "
        "losses? It sends nothing back and is there for the log",
    ),
    code="jax.grad(lambda z: ((z > 0.0).astype(float) - 1.0) ** 2)(-1.0)  # 0.0",
)
