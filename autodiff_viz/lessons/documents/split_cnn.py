"""Teach how to train a classifier in two models as one: pass the cotangent of the boundary back."""

from autodiff_viz.lessons.lesson import (
    RESAMPLED,
    THREE_WAYS,
    TWO_MODELS_ASKED,
    TWO_MODELS_QUESTION,
    Claim,
    Lesson,
    Part,
    Try,
    selected,
)
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

FORMULA = """x = input(shape=(4, 22, 22, 3), seed=0)
y = [[1.0], [0.0], [1.0], [0.0]]
k1 = parameter(shape=(3, 3, 3, 32), init="glorot_uniform", seed=1)
b1 = parameter(shape=(32,), init="zeros", seed=0)
k2 = parameter(shape=(3, 3, 32, 32), init="glorot_uniform", seed=2)
b2 = parameter(shape=(32,), init="zeros", seed=0)
k3 = parameter(shape=(3, 3, 32, 64), init="glorot_uniform", seed=3)
b3 = parameter(shape=(64,), init="zeros", seed=0)
with group("model_0"):
    p1 = max_pool(relu(conv2d(x, k1, b1)))
    p2 = max_pool(relu(conv2d(p1, k2, b2)))
    y_pred_0 = cut(max_pool(relu(conv2d(p2, k3, b3))))
w4 = parameter(shape=(64, 64), init="glorot_uniform", seed=4)
b4 = parameter(shape=(64,), init="zeros", seed=0)
w5 = parameter(shape=(64, 1), init="glorot_uniform", seed=5)
b5 = parameter(shape=(1,), init="zeros", seed=0)
with group("model_1"):
    h = dropout(relu(dense(flatten(y_pred_0), w4, b4)), rate=0.5, seed=6)
    y_pred_1 = cut(sigmoid(dense(h, w5, b5)))
loss = mean_squared_error(y_pred_1, y)
"""
STEPS = 60

LESSON = Lesson(
    key="split-cnn",
    track="documents",
    title="Cats and dogs in two models",
    summary="A convolutional network cut in two models, trained as one: hand the cotangent across.",
    text=f"""{TWO_MODELS_QUESTION}, has a classifier of cats and dogs and wants it in two models: `model_0`
with the convolutions, `model_1` with the dense layers. They are differentiated one by one, and yet they
must train as one.

The question's own attempt differentiates each model against that model's output. The loss is in neither. Each
step then makes `y_pred_1` smaller, for cats and dogs alike.

What is missing is one array. The **pullback** of `model_1` gives, beside the gradients of its weights, the
cotangent of `y_pred_0`: 4 × 64 numbers. Start the pullback of `model_0` with it and you have the joint
gradient; with dropout too, as long as both passes draw the same noise.

Images are 22 × 22 here, the smallest that three convolutions and three pools allow, and random.""",
    steps=(
        Step(
            "The question's two models",
            FORMULA,
            look_at="y_pred_0",
            training=Plan(Settings("sgd", 0.1), STEPS),
        ),
    ),
    to_try=(
        Try(
            "Press *Train 60 steps three ways*: joint training and handing across are one curve, "
            "the question's attempt is not.",
            (Part(asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "Resample (in Settings) and train three ways again: other noise, and the first two curves are "
            "still one.",
            (Part(edits=(RESAMPLED,), asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "Select `k3` and read the Jacobian of `y_pred_0` by it: 4.7 million numbers, for a cotangent of "
            "256.",
            (Part(edits=(selected("k3"),)),),
            ("segments",),
        ),
    ),
    claims=(
        Claim(
            "Largest difference between the chain and the whole gradient",
            "chain less whole",
            None,
            0.0,
            "the chain rule",
            within=1e-7,
        ),
        Claim(
            "Cotangent handed to model_0",
            "handed",
            "y_pred_0",
            256,
            "by hand: 4 images × 1 × 1 × 64",
        ),
        Claim(
            "Jacobian of y_pred_0 by its last kernel",
            "jacobian",
            ("y_pred_0", "k3"),
            4_718_592,
            "by hand: 256 × (3 × 3 × 32 × 64)",
        ),
        Claim(
            "Loss by handing across less loss of joint training, in each step",
            "chain less joint",
            None,
            (0.0,) * STEPS,
            "the chain rule: the same gradient and the same noise, so the same steps",
            within=1e-6,
            at=range(STEPS),
        ),
        Claim(
            "Loss of joint training in the last step: it learns the four images",
            "joint loss",
            None,
            0.0,
            "by hand: four images can be learned by heart",
            within=0.005,
            at=STEPS - 1,
        ),
        Claim(
            "Loss in the last step of the question's own attempt: near a half",
            "apart loss",
            None,
            0.5,
            f"by hand: y_pred_1 goes to 0 for all, and two of four are 1; {TWO_MODELS_ASKED}",
            within=0.02,
            at=STEPS - 1,
        ),
    ),
)
