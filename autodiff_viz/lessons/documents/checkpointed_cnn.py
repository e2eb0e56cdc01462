"""Ask what a checkpoint around the tutorial's convolution saves."""

from autodiff_viz.asking.question import ASKED_ALONE, KEPT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Like,
    Part,
    Prediction,
    Try,
    members,
)
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

HEAD = """images = input(shape=(10, 16, 16, 3), seed=1)
labels = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
filter = parameter(shape=(5, 5, 3, 6), init="glorot_uniform", seed=2)
bias = parameter(shape=(6,))
kernel = parameter(shape=(216, 10), init="glorot_uniform", seed=3)
offset = parameter(shape=(10,))
"""
TAIL = """flat = flatten(pool)
logits = dense(flat, kernel, offset)
errors = softmax_cross_entropy_with_integer_labels(logits, labels)
loss = mean(errors)
"""
CONV = 'conv = conv2d(images, filter, bias, padding="VALID")\n'
POOL = "pool = max_pool(conv)\n"


def region(lines: str) -> str:
    """Put these lines inside a checkpoint region."""
    return 'with checkpoint("block"):\n' + "".join(f"    {line}\n" for line in lines.splitlines())


def network(block: str, after: str = "") -> str:
    """Write the formula of the network with `block`, which may be a region, and the lines `after` it."""
    return HEAD + block + after + TAIL


FIVE = {"training": Plan(Settings("sgd", 0.01), 5)}
LARGEST = "images 7,680, filter 450, the pool's input 8,640, kernel 2,160, flat 2,160, the loss 130"


def unchanged(variant: int, other: int = 1) -> Claim:
    """Claim that the filter's gradient is that of the graph `other`."""
    says = "Gradient of the filter, unchanged"
    return Claim(says, "gradient", "filter", Like(other), "the plain graph", variant, EXACTLY)


LESSON = Lesson(
    key="checkpointed-cnn",
    track="documents",
    title="What does checkpointing a convolution save?",
    summary="A layer's output is thrown away and computed again on the way back.",
    level=3,
    minutes=4,
    after=("last-stage",),
    found_by=("convolution", "CNN", "remat", "residuals", "Swift for TensorFlow"),
    text="Ten images go through a convolution and a pool. Without a checkpoint 21,220 numbers are kept for "
    "the way back, among them the convolution's result, 8,640. Here the convolution stands in a checkpoint.",
    steps=(
        Step(
            "Convolution checkpointed",
            network(region(CONV), POOL),
            look_at="conv",
            questions=(
                Question(
                    NUMBER,
                    Quantity(KEPT, "loss"),
                    words="How many numbers are kept now?",
                    told=(
                        (
                            "12580",
                            "12,580 takes off the convolution's result, 8,640. Does anyone outside the "
                            "region need it?",
                        ),
                        ("0", "Regions keep what enters them, and the layers outside keep theirs."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="memory",
            text="21,220, as before. A convolution is linear: its way back needs its inputs, never its "
            "result. The pool needs that result, and stands outside.",
            **FIVE,
        ),
        Step(
            "Plain",
            network(CONV, POOL),
            look_at="conv",
            text="No region.",
            **FIVE,
        ),
        Step(
            "Convolution and pool",
            network(region(CONV + POOL)),
            look_at="conv",
            text="With the pool inside, nobody outside needs the convolution's result.",
            **FIVE,
        ),
    ),
    to_try=(
        Try(
            "Draw `pool` into the region: 12,586 are kept, and the convolution's second run is needed.",
            (Part(0, (members("block", "conv", "pool"),)),),
            ("residuals",),
            then=(
                Claim(
                    "Floats that are kept",
                    "residual elements",
                    None,
                    12_586,
                    "by hand: 21,220 − 8,640 for the pool's input + 6 for the bias",
                ),
                Claim(
                    "How often the convolution runs",
                    "runs",
                    "conv",
                    (1, 1, 1),
                    "by hand: the pool's pullback needs its output again",
                ),
            ),
        ),
        Try(
            "Train *Convolution checkpointed* five steps and open its run log: `conv` runs once forward and "
            "once back in each, as the tutorial prints.",
            (Part(0, steps=5, unchanged=True),),
            ("training",),
        ),
    ),
    claims=(
        Claim("Floats that are kept", "residual elements", None, 21_220, f"by hand, as without: {LARGEST}"),
        Claim(
            "How often the convolution runs",
            "runs",
            "conv",
            ((1, 1, 0),) * 5,
            f"{SWIFT}, for forward and backward; kept by hand: no pullback needs its output again",
            at=range(5),
        ),
        unchanged(0),
        Claim("Floats that are kept", "residual elements", None, 21_220, f"by hand: {LARGEST}", 1),
        Claim(
            "Floats that are kept",
            "residual elements",
            None,
            12_586,
            "by hand: 21,220 − 8,640 for the pool's input + 6 for the bias",
            2,
        ),
        Claim(
            "How often the convolution runs",
            "runs",
            "conv",
            (1, 1, 1),
            "by hand: the pool's pullback needs its output again",
            2,
        ),
        unchanged(2),
    ),
    predictions=(
        Prediction("21220", RIGHT),
        Prediction("12580", TOLD),
        Prediction("0", TOLD),
    ),
    numbers=(1, 0, 2),
    sources=(f"{TUTORIAL}, checkpoints a convolution like this and prints each run.",),
)
