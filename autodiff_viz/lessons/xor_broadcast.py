"""Teach why the tutorial's XOR never learns: its loss broadcasts predictions against targets."""

from autodiff_viz.engine.training.updates import Settings
from autodiff_viz.lessons.record import Claim, Lesson, Try, Variant
from autodiff_viz.lessons.sources import SWIFT
from autodiff_viz.lessons.tries import selected
from autodiff_viz.lessons.xor_tutorial import FORMULA

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
LONG = {"training": Settings("sgd", 0.1), "steps": 2_000}
TARGETS = ((0.0,), (1.0,), (1.0,), (0.0,))
HALF = ((0.5,), (0.5,), (0.5,), (0.5,))

LESSON = Lesson(
    key="xor-broadcast",
    title="XOR, the bug",
    summary="[4, 1] minus [4] is a 4\u00d74 matrix: nothing fails, and nothing is learned.",
    text="""The tutorial's predictions have the shape [4, 1], its targets [4]. Their difference is
no error: both are **broadcast** to 4\u00d74, every prediction beside every target. The loss is the mean of
sixteen squares where four were meant.

Work out what such a loss wants. One prediction p is compared with 0, 1, 1 and 0, so it costs
(p \u2212 \u00bd)\u00b2 + \u00bc. The best p is \u00bd, for every sample, and the loss never falls below 0.25.

Write the targets as a column, and the shapes agree.""",
    variants=(
        Variant(
            "As it was printed",
            FORMULA,
            look_at="loss",
            text="The targets are a list of four. Training finds what this loss wants: four times \u00bd.",
            **LONG,
        ),
        Variant(
            "As it was meant",
            MEANT,
            look_at="loss",
            text="The targets are a column. The first loss is 0.3157, and the same network from the same "
            "weights learns XOR.",
            **LONG,
        ),
        Variant(
            "From weights drawn at random",
            DRAWN,
            look_at="loss",
            text="The targets are a column, and the weights come from a seed. Other seeds give other "
            "weights, and not all of them learn.",
            **LONG,
        ),
    ),
    to_try=(
        Try(
            "Find the warning on the difference: it says which shapes were mixed.",
            (selected("sub_1"),),
            variant=0,
        ),
        Try(
            "Train both graphs to the end and compare the predictions at `yhat`.",
            (selected("yhat"),),
            variant=1,
            steps=2000,
        ),
        Try(
            "Train the drawn weights with seed 4: all predictions are 0, no gradient arrives, the "
            "loss is 0.5.",
            variant=2,
            steps=100,
            seed=4,
        ),
    ),
    claims=(
        Claim("Loss in step 0", "value", "loss", 0.33274758, SWIFT),
        Claim(
            "Loss after 2,000 steps: its floor",
            "value",
            "loss",
            0.25,
            "by hand: (p \u2212 \u00bd)\u00b2 + \u00bc is least at p = \u00bd",
            at=2_000,
        ),
        Claim(
            "Predictions then: halfway, all of them",
            "value",
            "yhat",
            HALF,
            "by hand: the same",
            within=1e-5,
            at=2_000,
        ),
        Claim(
            "Loss in step 0, with the shapes as meant",
            "value",
            "loss",
            0.31568435,
            "the same weights in a hand-written replay of the tutorial",
            1,
        ),
        Claim(
            "Loss after 2,000 steps",
            "value",
            "loss",
            0.0,
            "by hand: XOR can be learned",
            1,
            within=1e-9,
            at=2_000,
        ),
        Claim("Predictions then: XOR", "value", "yhat", TARGETS, "the targets", 1, within=1e-5, at=2_000),
        Claim(
            "Predictions after 2,000 steps", "value", "yhat", TARGETS, "the targets", 2, within=1e-5, at=2_000
        ),
    ),
)
