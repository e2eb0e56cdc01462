"""Ask how many sweeps of forward mode a gradient takes: one for each input."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, VALUE, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

SQUARES = """x = [1.0, 2.0, 3.0]
loss = sum(square(x))
"""
TWO = """x = 2.0
y = 3.0
p = x * y
s = x + y
z = stack([p, s])
"""

LESSON = Lesson(
    key="rows-or-columns",
    track="rules",
    title="Forward or reverse mode for a loss?",
    summary="Slopes can be carried along with the values, or brought back from the output.",
    level=2,
    minutes=3,
    after=("matmul",),
    found_by=("jacfwd", "jacrev", "jvp", "jacobian", "scalar outputs"),
    text="`x` holds three numbers, and one `loss` is the sum of their squares. One sweep back brings all "
    "three slopes: 2, 4 and 6. Forward mode carries slopes along with the values instead.",
    steps=(
        Step(
            "Three inputs, one loss",
            SQUARES,
            look_at="x",
            questions=(
                Question(
                    CHOICE,
                    Quantity(VALUE, "loss"),
                    words="How many sweeps does forward mode need for the same three slopes?",
                    told=(
                        (
                            "1",
                            "It is the same chain rule. But a sweep forward follows one move of the inputs: "
                            "which of the three moves?",
                        ),
                        (
                            "2",
                            "One move of the inputs gives one number at the loss. How many numbers are "
                            "wanted?",
                        ),
                    ),
                    options=("1", "2", "3"),
                    right="3",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="Back, a sweep gives one row: all inputs of one output. Forward, it gives one column: all "
            "outputs of one input. A loss is one row, however wide.",
        ),
        Step(
            "Back with seed 1, 0",
            TWO,
            look_at="z",
            seed=(1.0, 0.0),
            text="Two inputs and two outputs. The way back begins at the first output alone.",
        ),
        Step(
            "Forward from x",
            TWO,
            look_at="z",
            forward=(("x", 1.0), ("y", 0.0)),
            figure="jacobian",
            text="The same graph. Forward mode begins with a 1 at `x`, the tangent.",
        ),
    ),
    to_try=(
        Try(
            "Open *Back with seed 1, 0*: 3 arrives at `x` and 2 at `y`, the row of the product `p`. "
            "The sum `s` adds nothing.",
            (Part(1),),
            ("x", "y"),
            then=(
                Claim("x gets", "gradient", "x", 3.0, "by hand: d(xy)/dx = y", 1, EXACTLY),
                Claim("y gets", "gradient", "y", 2.0, "by hand: d(xy)/dy = x", 1, EXACTLY),
            ),
        ),
        Try(
            "Open *Forward from x*: 3 and 1 reach `z`, the column of `x`. Nothing in it is about `y`.",
            (Part(2),),
            ("z", "jacobian"),
        ),
    ),
    claims=(
        Claim("The row of the loss", "gradient", "x", (2.0, 4.0, 6.0), "by hand: 2x", within=EXACTLY),
        Claim("The loss", "value", "loss", 14.0, "by hand: 1 + 4 + 9", within=EXACTLY),
        Claim("x gets, from the first output", "gradient", "x", 3.0, "by hand: d(xy)/dx = y", 1, EXACTLY),
        Claim("y gets, from the first output", "gradient", "y", 2.0, "by hand: d(xy)/dy = x", 1, EXACTLY),
        Claim("Both outputs", "value", "z", (6.0, 5.0), "by hand: 2 · 3 and 2 + 3", 2, EXACTLY),
        Claim(
            "With seed 1, 1 the column of x is added up",
            "gradient",
            "x",
            4.0,
            "by hand: y + 1, of the column 3, 1",
            2,
            EXACTLY,
        ),
        Claim(
            "And that of y",
            "gradient",
            "y",
            3.0,
            "by hand: x + 1, of the column 2, 1",
            2,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("1", TOLD),
        Prediction("2", TOLD),
    ),
    sources=(
        "When which: [jax 215](https://github.com/jax-ml/jax/issues/215), more outputs than inputs, "
        "and [jax 719](https://github.com/jax-ml/jax/issues/719), one output. PyTorch asks for a seed "
        "where there is more than one output: *grad can be implicitly created only for scalar outputs*.",
    ),
    code="""jax.jacrev(lambda x: (x ** 2).sum())(jnp.array([1.0, 2.0, 3.0]))  # [2.0, 4.0, 6.0]""",
)
