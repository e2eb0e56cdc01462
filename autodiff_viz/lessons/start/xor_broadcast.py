"""Ask where a training ends whose loss broadcasts: of four predictions, and of the tutorial's network."""

from autodiff_viz.asking.question import ASKED_ALONE, NUMBER, VALUE, Quantity, Question
from autodiff_viz.lessons.documents.xor_tutorial import FORMULA
from autodiff_viz.lessons.lesson import (
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    selected,
)
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

LIST, COLUMN = "[0.0, 1.0, 1.0, 0.0]", "[[0.0], [1.0], [1.0], [0.0]]"
FOUR = """yhat = parameter([[0.2], [0.4], [0.6], [0.8]])
y = [0.0, 1.0, 1.0, 0.0]
loss = mean(square(yhat - y))
"""
MEANT = FORMULA.replace(LIST, COLUMN)
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
SHORT = {"training": Plan(Settings("sgd", 0.5), 100)}
LONG = {"training": Plan(Settings("sgd", 0.1), 2_000)}
TARGETS = ((0.0,), (1.0,), (1.0,), (0.0,))
HALF = ((0.5,), (0.5,), (0.5,), (0.5,))
FLOOR = "by hand: (p − ½)² + ¼ is least, ¼, at p = ½"
REPLAY = "by hand: the same weights, multiplied out in plain Python"

LESSON = Lesson(
    key="xor-broadcast",
    track="start",
    title="Same data, same start: do both learn XOR?",
    summary="Two losses differ by the brackets around four targets. No error is raised.",
    level=1,
    minutes=3,
    after=("two-knobs",),
    found_by=(
        "broadcasting",
        "loss stuck",
        "shapes",
        "not learning",
        "training",
        "parameter",
        "xor",
        "brackets",
    ),
    text="`yhat` holds four predictions for XOR. It is a **parameter**: an input that training moves, a "
    "little against its gradient, again and again. The targets `y` are a column in A and a list in "
    "B. Both losses begin at 0.3.",
    steps=(
        Step(
            "Targets in a list",
            FOUR,
            look_at="loss",
            pinned=FOUR.replace(LIST, COLUMN),
            letter="A",
            questions=(
                Question(
                    NUMBER,
                    Quantity(VALUE, "loss"),
                    words="B trains until nothing moves. Where does its loss end?",
                    right="0.25",
                    told=(
                        (
                            "0.25",
                            "A prediction p is compared with 0, 1, 1 and 0, so it costs (p − ½)² + "
                            "¼. The best p is ½.",
                        ),
                        (
                            "0",
                            "So it ends in A. In B each prediction meets all four targets, and cannot "
                            "be 0 and 1 at once.",
                        ),
                        (
                            "0.3",
                            "Something arrives at each prediction, so they move and the loss falls. "
                            "To which number does each go?",
                        ),
                        (
                            "0.5",
                            "All predictions 0 would cost 0.5, and so would all 1. Is there a better "
                            "compromise?",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="training",
            text="[4, 1] minus [4] is a table of 16: every prediction meets every target. ½ suits them "
            "all, so that is what is learned.",
            **SHORT,
        ),
        Step(
            "Targets in a column",
            FOUR.replace(LIST, COLUMN),
            look_at="loss",
            text="[4, 1] minus [4, 1] is four differences. Each prediction goes to its own target, and "
            "the loss to 0.",
            **SHORT,
        ),
        Step(
            "As it was meant",
            MEANT,
            look_at="loss",
            text="A network with its targets in a column. The first loss is 0.3157, and 2,000 steps "
            "later the predictions are 0, 1, 1 and 0.",
            **LONG,
        ),
        Step(
            "As it was printed",
            FORMULA,
            look_at="loss",
            text="The network that a tutorial printed, with its targets in a list. Training does what "
            "this loss wants: four times ½.",
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
            "Train B for 100 steps: all four predictions end at ½, the loss at 0.25.",
            (Part(0, steps=100, unchanged=True),),
            ("yhat",),
            then=(
                Claim("Predictions", "value", "yhat", HALF, "by hand: the same for each", within=1e-6),
                Claim("The loss", "value", "loss", 0.25, FLOOR),
            ),
        ),
        Try(
            "Select the difference, `sub_1`: it warns which shapes were mixed.",
            (Part(0, (selected("sub_1"),)),),
            ("sub_1",),
        ),
        Try(
            "Train *As it was meant*, then *As it was printed*: 0, 1, 1, 0, and four times ½.",
            (Part(2, steps=2_000, unchanged=True), Part(3, steps=2_000, unchanged=True)),
            ("yhat",),
            then=(Claim("Predictions", "value", "yhat", HALF, FLOOR, 3, within=1e-5),),
        ),
        Try(
            "Train *From weights drawn at random* with seed 4: all predictions are 0, nothing arrives.",
            (Part(4, steps=100, seed=4, unchanged=True),),
            ("yhat",),
            then=(
                Claim(
                    "The loss", "value", "loss", 0.5, "by hand: 0, 1, 1 and 0 less 0: (0 + 1 + 1 + 0)/4", 4
                ),
            ),
        ),
    ),
    claims=(
        Claim("The first loss", "value", "loss", 0.3, "by hand: the mean of (p − ½)² is 0.05, and 0.05 + ¼"),
        Claim(
            "What arrives at the predictions",
            "gradient",
            "yhat",
            ((-0.15,), (-0.05,), (0.05,), (0.15,)),
            "by hand: (p − ½)/2, which sends each to ½",
        ),
        Claim("Loss after 100 steps: its floor", "value", "loss", 0.25, FLOOR, at=100),
        Claim("The first loss", "value", "loss", 0.3, "by hand: (0.04 + 0.36 + 0.16 + 0.64)/4", 1),
        Claim(
            "What arrives at the predictions",
            "gradient",
            "yhat",
            ((0.1,), (-0.3,), (-0.2,), (0.4,)),
            "by hand: (p − y)/2, which sends each to its target",
            1,
        ),
        Claim("Predictions after 100 steps", "value", "yhat", TARGETS, "the targets", 1, within=1e-6, at=100),
        Claim("Loss in step 0, with the shapes as meant", "value", "loss", 0.31568435, REPLAY, 2),
        Claim(
            "Loss after 2,000 steps",
            "value",
            "loss",
            0.0,
            "by hand: the least that a squared error can be",
            2,
            within=1e-9,
            at=2_000,
        ),
        Claim("Predictions then: XOR", "value", "yhat", TARGETS, "the targets", 2, within=1e-5, at=2_000),
        Claim("Loss in step 0", "value", "loss", 0.33274758, SWIFT, 3),
        Claim("Loss after 2,000 steps: its floor", "value", "loss", 0.25, FLOOR, 3, at=2_000),
        Claim(
            "Predictions then: halfway, all of them",
            "value",
            "yhat",
            HALF,
            "by hand: the same",
            3,
            within=1e-5,
            at=2_000,
        ),
        Claim(
            "Predictions after 2,000 steps", "value", "yhat", TARGETS, "the targets", 4, within=1e-5, at=2_000
        ),
    ),
    predictions=(
        Prediction("0.25", RIGHT),
        Prediction("0", TOLD),
        Prediction("0.3", TOLD),
        Prediction("0.5", TOLD),
    ),
    numbers=(3, 4, 1, 0, 2),
    sources=(
        f"{TUTORIAL}, which prints the network and its first loss",
        "[pytorch/pytorch #16045](https://github.com/pytorch/pytorch/issues/16045): a loss of shapes (n, "
        "1) and (n,) raises no error",
        "[pytorch/pytorch PR #18349](https://github.com/pytorch/pytorch/pull/18349): so `mse_loss` warns "
        "when the sizes differ",
    ),
    code="yhat = torch.tensor([[0.2], [0.4], [0.6], [0.8]], requires_grad=True)\n"
    "y = torch.tensor([0., 1., 1., 0.])\n"
    "((yhat - y) ** 2).mean().backward()\n"
    "yhat.grad.flatten().tolist()  # [-0.15, -0.05, 0.05, 0.15]",
)
