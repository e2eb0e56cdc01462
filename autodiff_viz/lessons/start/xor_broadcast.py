"""Teach a first training, of XOR, and why the tutorial's never learns: its loss broadcasts shapes."""

from autodiff_viz.lessons.documents.xor_tutorial import FORMULA
from autodiff_viz.lessons.lesson import SWIFT, TUTORIAL, Claim, Lesson, Part, Try, selected
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

MEANT = FORMULA.replace("[0.0, 1.0, 1.0, 0.0]", "[[0.0], [1.0], [1.0], [0.0]]")
DRAWN = """x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [[0.0], [1.0], [1.0], [0.0]]
W1 = parameter(shape=(2, 10), init="glorot_uniform", seed=0)
b1 = parameter(shape=(10,))
layer1 = relu(dense(x, W1, b1))
W2 = parameter(shape=(10, 1), init="glorot_uniform", seed=1)
b2 = parameter(shape=(1,))
yhat = relu(dense(layer1, W2, b2))
loss = mean(square(yhat - y))
"""
LONG = {"training": Plan(Settings("sgd", 0.1), 2_000)}
TARGETS = ((0.0,), (1.0,), (1.0,), (0.0,))
HALF = ((0.5,), (0.5,), (0.5,), (0.5,))

LESSON = Lesson(
    key="xor-broadcast",
    track="start",
    title="A first training: XOR, and a bug",
    summary="A small network learns XOR. With its targets as a list, nothing fails and nothing is learned.",
    text=f"""Two layers are to learn XOR: 1 where one of two inputs is 1, else 0. A **parameter** is an input
that training moves, a little against its gradient, again and again. Press *Train 2,000* below the graph:
the loss falls almost to 0.

Then open *As it was printed*: the same network from the same weights, as in {TUTORIAL}. Its predictions
have the shape [4, 1], its targets [4]. Their difference is no error: both are **broadcast** to 4×4, every
prediction beside every target. The loss is the mean of sixteen squares where four were meant.

Work out what such a loss wants. One prediction p is compared with 0, 1, 1 and 0, so it costs
(p − ½)² + ¼. The best p is ½, for every sample, and the loss never falls below 0.25.""",
    steps=(
        Step(
            "As it was meant",
            MEANT,
            look_at="loss",
            text="The targets are a column, as the predictions are. The first loss is 0.3157, and 2,000 "
            "steps later the predictions are 0, 1, 1 and 0.",
            **LONG,
        ),
        Step(
            "As it was printed",
            FORMULA,
            look_at="loss",
            text="The targets are a list of four. Training does what this loss wants: four times ½.",
            **LONG,
        ),
        Step(
            "From weights drawn at random",
            DRAWN,
            look_at="loss",
            text="The targets are a column, and the weights are drawn at random. Other draws give other "
            "weights, and not all of them learn.",
            **LONG,
        ),
    ),
    to_try=(
        Try(
            "Train *As it was meant* to the end: the predictions at `yhat` become 0, 1, 1 and 0.",
            (Part(0, steps=2_000, unchanged=True),),
            ("yhat",),
        ),
        Try(
            "Train *As it was printed* to the end: all four predictions become ½.",
            (Part(1, steps=2_000, unchanged=True),),
            ("yhat",),
        ),
        Try(
            "In *As it was printed*, select the difference, `sub_1`: its warning says which shapes were "
            "mixed.",
            (Part(1, (selected("sub_1"),)),),
            ("sub_1",),
        ),
        Try(
            "Train the drawn weights with seed 4 (beside the rate) for 100 steps: all predictions are 0, no "
            "gradient arrives, the loss stays 0.5.",
            (Part(2, steps=100, seed=4, unchanged=True),),
            ("yhat",),
        ),
    ),
    claims=(
        Claim("Loss in step 0", "value", "loss", 0.33274758, SWIFT, 1),
        Claim(
            "Loss after 2,000 steps: its floor",
            "value",
            "loss",
            0.25,
            "by hand: (p − ½)² + ¼ is least at p = ½",
            1,
            at=2_000,
        ),
        Claim(
            "Predictions then: halfway, all of them",
            "value",
            "yhat",
            HALF,
            "by hand: the same",
            1,
            within=1e-5,
            at=2_000,
        ),
        Claim(
            "Loss in step 0, with the shapes as meant",
            "value",
            "loss",
            0.31568435,
            "the same weights in a hand-written replay of the tutorial",
        ),
        Claim(
            "Loss after 2,000 steps",
            "value",
            "loss",
            0.0,
            "by hand: XOR can be learned",
            within=1e-9,
            at=2_000,
        ),
        Claim("Predictions then: XOR", "value", "yhat", TARGETS, "the targets", within=1e-5, at=2_000),
        Claim(
            "Predictions after 2,000 steps", "value", "yhat", TARGETS, "the targets", 2, within=1e-5, at=2_000
        ),
    ),
    numbers=(1, 0, 2),
)
