"""Teach the tutorial's XOR training, with its printed numbers and a relu that is dead at first."""

from autodiff_viz.engine.training.updates import Settings
from autodiff_viz.lessons.record import Claim, Lesson, Part, Try, Variant
from autodiff_viz.lessons.sources import SWIFT, TUTORIAL
from autodiff_viz.lessons.tries import ruled, written
from autodiff_viz.lessons.xor_printed import AT_LAYER1, AT_YHAT, LOSSES, W1, W2

TEN = range(10)
PRINTED = {"within": 1e-7, "at": TEN}  # the tutorial prints about eight decimals of numbers below 1


def nested(numbers: tuple) -> str:
    """Write nested tuples of numbers as a tensor of the formula language."""
    return str(numbers).replace("(", "[").replace(",)", "]").replace(")", "]")


FORMULA = f"""x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [0.0, 1.0, 1.0, 0.0]
W1 = parameter({nested(W1)})
b1 = parameter(shape=(10,))
layer1 = relu(dense(x, W1, b1))
W2 = parameter({nested(W2)})
b2 = parameter(shape=(1,))
yhat = relu(dense(layer1, W2, b2))
loss = mean(square(yhat - y))
"""

LESSON = Lesson(
    key="xor-tutorial",
    title="XOR, the tutorial's own run",
    summary="A small network trained for ten steps, with every loss and gradient as it was once printed.",
    text=f"""{TUTORIAL}, trains the network of the lesson before for ten steps, and prints the loss and what
arrives at `yhat` and `layer1`. From its own starting weights every printed number comes back here.

Look at the first sample, [0, 0]. In step 0 all biases are 0, so its prediction is relu(0) = 0. There −0.25
arrives: the loss would fall if this prediction rose. But the derivative of relu at 0 is taken as 0, so
nothing is passed on, and the tutorial prints a row of zeros at `layer1`. The unit is **dead** for this
sample. The other samples move the bias above 0. In step 1 the gradient gets through.

The loss hardly falls, from 0.333 to 0.311. It could not fall far: the targets are a list of four, so this is
the bug of the lesson before.""",
    variants=(Variant("Ten steps", FORMULA, look_at="yhat", training=Settings("sgd", 0.02), steps=10),),
    to_try=(
        Try(
            "Train ten steps, go back to step 0, then to 1: the first row of what arrives at `layer1` is "
            "zero, then it is not.",
            (Part(steps=10, at=0, unchanged=True), Part(steps=10, at=1, unchanged=True)),
            ("layer1",),
        ),
        Try(
            "Stop the gradient at `layer1` and train ten steps: `W1` stays as it is, `W2` goes on learning.",
            (Part(edits=(ruled("layer1", "stop"),), steps=10),),
            ("W1", "W2"),
        ),
        Try(
            "Set the last bias, `b2`, to [0.1] and start over: no sample is dead at the start.",
            (
                Part(
                    edits=(ruled("layer1", "follow"), written("b2", "[0.1]")), untrained=True, unchanged=True
                ),
            ),
            ("yhat",),
        ),
    ),
    claims=(
        Claim("All ten losses", "value", "loss", LOSSES, SWIFT, **PRINTED),
        Claim(
            "What arrives at yhat in all ten steps",
            "cotangent",
            "yhat",
            tuple(tuple((number,) for number in step) for step in AT_YHAT),
            SWIFT,
            **PRINTED,
        ),
        Claim("What arrives at layer1 in all ten steps", "cotangent", "layer1", AT_LAYER1, SWIFT, **PRINTED),
        Claim(
            "What passes the last relu in step 0: nothing for the first sample",
            "passed",
            ("yhat", 0),
            tuple((number if i else 0.0,) for i, number in enumerate(AT_YHAT[0])),
            f"{SWIFT}; by hand: relu'(0) = 0, and 1 where the prediction is above 0",
            within=1e-7,
        ),
        Claim(
            "What passes it in step 1: all that arrives",
            "passed",
            ("yhat", 0),
            tuple((number,) for number in AT_YHAT[1]),
            f"{SWIFT}; by hand: every prediction is above 0 now",
            within=1e-7,
            at=1,
        ),
    ),
)
