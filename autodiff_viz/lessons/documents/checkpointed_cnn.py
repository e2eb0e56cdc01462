"""Teach that a checkpoint around the tutorial's convolution saves no residuals; around more ops it does."""

from autodiff_viz.lessons.lesson import (
    EXACTLY,
    SWIFT,
    TUTORIAL,
    Claim,
    Lesson,
    Like,
    Part,
    Try,
    members,
    policy,
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
RELU = "active = relu(conv)\n"


def region(lines: str) -> str:
    """Put these lines inside a checkpoint region."""
    return 'with checkpoint("block"):\n' + "".join(f"    {line}\n" for line in lines.splitlines())


def network(block: str, after: str = "") -> str:
    """Write the formula of the network with `block`, which may be a region, and the lines `after` it."""
    return HEAD + block + after + TAIL


FIVE = {"training": Plan(Settings("sgd", 0.01), 5)}
COUNTED = "by hand: residual floats of JAX's own pullback"
LARGEST = "images 7,680, filter 450, the pool's input 8,640, kernel 2,160, flat 2,160, the loss 130"


def unchanged(variant: int, other: int = 0) -> Claim:
    """Claim that the filter's gradient is that of the graph `other`."""
    says = "Gradient of the filter, unchanged"
    return Claim(says, "gradient", "filter", Like(other), "the plain graph", variant, EXACTLY)


LESSON = Lesson(
    key="checkpointed-cnn",
    track="documents",
    title="A checkpointed convolution",
    summary="A layer's output is thrown away and computed again on the way back. What does that save?",
    text=f"""Ten images go through a convolution, a pool and a dense layer. {TUTORIAL}, wraps the convolution
so that its output is discarded and computed again in the backward pass, and prints each run: one forward,
one backward, in each of five steps. So it does here.

Now count the **residuals**, the floats that JAX keeps between the passes. A convolution is linear: its
pullback needs its inputs, never its output. So a region with the convolution alone saves nothing. Put more
into it, and it pays.""",
    steps=(
        Step(
            "Plain",
            network(CONV, POOL),
            look_at="conv",
            text="No region: JAX keeps 21,220 floats. The pool needs the convolution's output.",
            **FIVE,
        ),
        Step(
            "Convolution checkpointed",
            network(region(CONV), POOL),
            look_at="conv",
            text="The tutorial's region, and JAX keeps 21,220 floats as before: the pool, outside, still "
            "needs the convolution's output, so it is kept anyway. JAX even drops the second run.",
            **FIVE,
        ),
        Step(
            "Convolution and pool",
            network(region(CONV + POOL)),
            look_at="conv",
            text="With the pool inside, the convolution's output is needed by nobody outside: 12,586 floats "
            "where 21,220 were.",
            **FIVE,
        ),
        Step(
            "With relu, plain",
            network(CONV + RELU, "pool = max_pool(active)\n"),
            "active",
            text="A relu after the convolution, and no region: JAX keeps 38,500 floats.",
            **FIVE,
        ),
        Step(
            "Convolution and relu",
            network(region(CONV + RELU), "pool = max_pool(active)\n"),
            "active",
            text="Convolution and relu in one region: 21,226 floats where 38,500 were.",
            **FIVE,
        ),
    ),
    to_try=(
        Try(
            "Train *Convolution checkpointed* five steps and open its run log: `conv` runs once forward and "
            "once backward in each step, as the tutorial prints.",
            (Part(1, steps=5, unchanged=True),),
            ("training",),
        ),
        Try(
            "In *Convolution and pool*, drag `pool` out of the region: JAX keeps 21,220 floats again.",
            (Part(2, (members("block", "conv"),)),),
            ("residuals",),
        ),
        Try(
            "In *Convolution and pool*, choose the policy that keeps everything: the region is there, and "
            "saves nothing.",
            (Part(2, (members("block", "conv", "pool"), policy("block", "everything_saveable"))),),
            ("residuals",),
        ),
    ),
    claims=(
        Claim("Floats that are kept", "residual elements", None, 21_220, f"by hand: {LARGEST}"),
        Claim(
            "How often the convolution runs",
            "runs",
            "conv",
            ((1, 1, 0),) * 5,
            f"{SWIFT}, for forward and backward; kept by hand: no pullback needs its output again",
            1,
            at=range(5),
        ),
        Claim("Floats that are kept", "residual elements", None, 21_220, "by hand: as before", 1),
        unchanged(1),
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
        Claim(
            "Floats that are kept",
            "residual elements",
            None,
            38_500,
            "by hand: 21,220 + 2 · 8,640, for the relu keeps its sign and a zero for each unit",
            3,
        ),
        Claim(
            "Floats that are kept",
            "residual elements",
            None,
            21_226,
            "by hand: 38,500 − 2 · 8,640 + 6 for the bias",
            4,
        ),
        unchanged(4, 3),
    ),
    figure="residuals",
)
