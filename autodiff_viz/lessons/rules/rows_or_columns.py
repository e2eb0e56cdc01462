"""Ask how many sweeps a gradient takes in forward and in reverse mode: one for each input, or one in all."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step
from autodiff_viz.messages import edits
from autodiff_viz.messages.edits import edit_data

WEIGHTS = """w = parameter(shape=(1000,), init="ones")
squares = square(w)
loss = sum(squares)
"""
TWO = """x = 2.0
y = 3.0
p = x * y
s = x + y
z = stack([p, s])
"""
ONE_ONE, ONE_MANY = "forward 1, reverse 1", "forward 1, reverse 1,000"
MANY_ONE, MANY_MANY = "forward 1,000, reverse 1", "forward 1,000, reverse 1,000"

LESSON = Lesson(
    key="rows-or-columns",
    track="rules",
    title="Forward or reverse mode for a loss?",
    summary="Slopes can be carried along with the values, or brought back from the output.",
    level=2,
    minutes=3,
    after=("matmul",),
    found_by=("jacfwd", "jacrev", "jvp", "jacobian", "scalar outputs"),
    text="`w` holds 1,000 weights, and `loss` is one number, the sum of their squares. You want all 1,000 "
    "slopes. Reverse mode sweeps back from the loss; forward mode carries slopes along with the values.",
    steps=(
        Step(
            "1,000 weights, one loss",
            WEIGHTS,
            look_at="w",
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "w"),
                    words="How many sweeps does each mode need?",
                    told=(
                        (
                            ONE_ONE,
                            "It is one chain rule. But a sweep forward follows one move of the weights, and "
                            "one number reaches the loss. What of each weight?",
                        ),
                        (
                            ONE_MANY,
                            "Forward, whatever moves, one number reaches the loss. Back, one number starts "
                            "there and spreads out. Which sweep holds more slopes?",
                        ),
                        (
                            MANY_MANY,
                            "Nudging each weight in turn takes one run per weight. But going back from the "
                            "loss, which weight does a sweep leave out?",
                        ),
                    ),
                    options=(ONE_ONE, ONE_MANY, MANY_ONE, MANY_MANY),
                    right=MANY_ONE,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="Back, a sweep gives a row: one output, all inputs. Forward, it gives a column: one input, "
            "all outputs. A loss is one row, so one sweep back is enough, however many weights there are.",
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
            "Open *Forward from x*: 3 and 1 reach `z`, the column of `x`. Give `y` the tangent 1 too: "
            "5 and 2, both columns in one sum.",
            (Part(2), Part(2, (edit_data(edits.Tangent(node="y", value="1")),))),
            ("z", "jacobian"),
        ),
    ),
    claims=(
        Claim("The row of the loss", "gradient", "w", (2.0,) * 1000, "by hand: 2w", within=EXACTLY),
        Claim("The loss", "value", "loss", 1000.0, "by hand: 1,000 · 1²", within=EXACTLY),
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
        Prediction(MANY_ONE, RIGHT),
        Prediction(ONE_ONE, TOLD),
        Prediction(ONE_MANY, TOLD),
        Prediction(MANY_MANY, TOLD),
    ),
    sources=(
        "When which: [jax 215](https://github.com/jax-ml/jax/issues/215), more outputs than inputs, "
        "and [jax 719](https://github.com/jax-ml/jax/issues/719), one output. PyTorch asks for a seed "
        "where there is more than one output: *grad can be implicitly created only for scalar outputs*.",
    ),
    code="""w = jnp.ones(1000)
jax.grad(lambda w: (w ** 2).sum())(w)  # 2.0 for each of them""",
)
