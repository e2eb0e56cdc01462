"""Teach three models trained as one: a cotangent, not a Jacobian, crosses each boundary."""

from autodiff_viz.lessons.lesson import (
    THREE_WAYS,
    TWO_MODELS,
    TWO_MODELS_QUESTION,
    Claim,
    Lesson,
    Part,
    Try,
    cut,
    ruled,
    selected,
)
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

FORMULA = """x = input(shape=(3, 10, 10, 1), seed=0)
y = [[1.0], [0.0], [1.0]]
k0 = parameter(shape=(2, 2, 1, 6), init="glorot_uniform", seed=1)
b0 = parameter(shape=(6,), init="zeros", seed=0)
out0 = cut(relu(conv2d(x, k0, b0)))
k1 = parameter(shape=(2, 2, 6, 6), init="glorot_uniform", seed=2)
b1 = parameter(shape=(6,), init="zeros", seed=0)
out1 = cut(relu(conv2d(out0, k1, b1)))
w2 = parameter(shape=(384, 1), init="glorot_uniform", seed=3)
b2 = parameter(shape=(1,), init="zeros", seed=0)
out2 = cut(sigmoid(dense(flatten(out1), w2, b2)))
loss = mean_squared_error(out2, y)
"""
STEPS = 60

LESSON = Lesson(
    key="split-model",
    track="documents",
    title="Split model",
    summary="A network cut in parts, each with its own pullback: what is handed back across a cut is small.",
    text=f"""A network is cut into three parts, one after the other, and each is differentiated by itself.
How does the loss reach the first one? {TWO_MODELS_QUESTION}, works out a **Jacobian** of every part, each
output by each input, and multiplies them.

The middle part alone has one of 3 × 384 × 486 numbers: for each of three images, every output by
every input.

None of it is needed. A **pullback** takes the cotangent of a part's output and gives the cotangents of its
input and of its weights. So each part receives one cotangent, in the shape of its output, and passes one
back. Three pullbacks in a chain are the gradient of the whole.

Without handing across, each part follows its own output, as if that were the loss. Then every prediction
goes to 0.""",
    steps=(
        Step(
            "Three parts and the loss",
            FORMULA,
            look_at="out1",
            training=Plan(Settings("sgd", 0.5), STEPS),
        ),
    ),
    to_try=(
        Try(
            "Select `out2`, where the last segment ends, and compare under the canvas what each segment "
            "passes back with its Jacobians.",
            (Part(edits=(selected("out2"),)),),
            ("segments",),
        ),
        Try(
            "Press *Train 60 steps three ways*: two curves are one, the third goes the wrong way.",
            (Part(asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "Select `out1` and press `k`: two segments become one, and no number changes.",
            (Part(edits=(cut("out1", False),)),),
            ("segments",),
        ),
        Try(
            "With the cut, put a stop on `out1`: the chain still equals the whole, and both first parts stay "
            "still.",
            (Part(edits=(cut("out1", True), ruled("out1", "stop"))),),
            ("segments",),
        ),
    ),
    claims=(
        Claim(
            "Largest difference between the chain and the whole gradient",
            "chain less whole",
            None,
            0.0,
            "the chain rule; the document finds about 1e-7 by its own route",
            within=1e-7,
        ),
        Claim(
            "Cotangent handed to the first part",
            "handed",
            "out0",
            1_458,
            "by hand: 3 × 9 × 9 × 6",
        ),
        Claim(
            "Cotangent handed to the second part",
            "handed",
            "out1",
            1_152,
            "by hand: 3 × 8 × 8 × 6",
        ),
        Claim("Cotangent handed to the third part", "handed", "out2", 3, "by hand: 3 × 1"),
        Claim(
            "Jacobian of out1 by out0, image by image",
            "jacobian",
            ("out1", "out0"),
            559_872,
            f"by hand: 3 × 384 × 486, the batch_jacobian in {TWO_MODELS}",
        ),
        Claim(
            "The same with every image by every other",
            "full jacobian",
            ("out1", "out0"),
            1_679_616,
            "by hand: 1,152 × 1,458",
        ),
        Claim("Jacobian of out1 by its kernel", "jacobian", ("out1", "k1"), 165_888, "by hand: 1,152 × 144"),
        Claim("Jacobian of out0 by its kernel", "jacobian", ("out0", "k0"), 34_992, "by hand: 1,458 × 24"),
        Claim(
            "Largest difference between the product of all Jacobians and the gradient",
            "product less whole",
            None,
            0.0,
            f"the chain rule, here in float64; {TWO_MODELS} finds about 1e-7",
            within=1e-12,
        ),
        Claim(
            "Loss by handing across less loss of joint training, in each step",
            "chain less joint",
            None,
            (0.0,) * STEPS,
            "the chain rule: the same gradient, so the same steps",
            within=1e-6,
            at=range(STEPS),
        ),
        Claim(
            "Loss in the last step when nothing is handed across: near 2/3",
            "apart loss",
            None,
            0.6667,
            "by hand: every prediction goes to 0, and two of three targets are 1",
            within=0.02,
            at=STEPS - 1,
        ),
    ),
)
