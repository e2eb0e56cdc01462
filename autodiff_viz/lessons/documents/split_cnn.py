"""Ask where predictions go if each of two models follows its own output."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import (
    RESAMPLED,
    RIGHT,
    THREE_WAYS,
    TOLD,
    TWO_MODELS_ASKED,
    TWO_MODELS_QUESTION,
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

ONE_CAT = """x = 1.0
w0 = parameter(2.0)
h = cut(w0 * x)
w1 = parameter(0.5)
y = cut(sigmoid(w1 * h))
loss = square(y - 1.0)
"""
SLOWER, HALF, TO_0, STAYS = "to 1, only slower", "to ½", "to 0", "it stays"

LESSON = Lesson(
    key="split-cnn",
    track="documents",
    title="Each half trains on its own output: where do predictions go?",
    summary="Two models tell cats from dogs. Each takes the gradient of what it gives itself.",
    level=3,
    minutes=4,
    after=("split-model",),
    found_by=("two models", "two optimisers", "cats and dogs", "local learning", "GradientTape"),
    text="Two models in a row give a cat `y` = 0.73, and it should be 1. But nobody uses what the loss "
    "sends: the first steps against the gradient of its own `h`, the second against that of its own `y`.",
    steps=(
        Step(
            "One cat",
            ONE_CAT,
            look_at="y",
            training=Plan(Settings("sgd", 0.1), STEPS),
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "w1"),
                    words="Where does `y` go?",
                    told=(
                        (TO_0, "Each model lowers its own output, and nothing says stop."),
                        (
                            SLOWER,
                            "Who tells the models that 1 is wanted? The loss is in neither gradient.",
                        ),
                        (HALF, "Each step lowers the model's own output. Would it stop half-way?"),
                        (STAYS, "Nothing is said of 1, but each model has a gradient: that of its output."),
                    ),
                    options=(SLOWER, HALF, TO_0, STAYS),
                    right=TO_0,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="segments",
            text="To 0: a step against the gradient of `y` makes `y` smaller, for cats and dogs alike. "
            "What the first model lacks is one array: what arrives at `h` from the loss.",
        ),
        Step(
            "Cats and dogs",
            FORMULA,
            look_at="y_pred_0",
            training=Plan(Settings("sgd", 0.1), STEPS),
            text="Four random images of 22 × 22, two of them cats. `model_0` has the convolutions, `model_1` "
            "the dense layers.",
        ),
    ),
    to_try=(
        Try(
            "In *Cats and dogs* press *Train 60 steps three ways*: joint training and handing across are one "
            "curve; *own output* ends near ½.",
            (Part(1, asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "Resample, in Settings, and train three ways again: other noise, and the first two curves are "
            "still one.",
            (Part(1, edits=(RESAMPLED,), asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "There select `k3`, the last kernel: 256 numbers cross, the Jacobian has 4.7 million.",
            (Part(1, edits=(selected("k3"),)),),
            ("segments",),
        ),
    ),
    claims=(
        Claim("The prediction", "value", "y", 0.7310586, "by hand: sigmoid(0.5 · 2)"),
        Claim(
            "What the whole gradient says to w1: more",
            "gradient",
            "w1",
            -0.2115084,
            "by hand: 2(0.7310586 − 1) · 0.7310586 · 0.2689414 · 2",
            digits=5,
        ),
        Claim(
            "Loss apart, after one step",
            "apart loss",
            None,
            0.0865273,
            "by hand: w0 = 2 − 0.1 · 1 and w1 = 0.5 − 0.1 · 0.1966119 · 2, so y falls to 0.7058447",
            digits=4,
            at=1,
        ),
        Claim(
            "Largest difference between the chain and the whole gradient",
            "chain less whole",
            None,
            0.0,
            "the chain rule",
            variant=1,
            within=1e-7,
        ),
        Claim(
            "Cotangent handed to model_0",
            "handed",
            "y_pred_0",
            256,
            "by hand: 4 images × 1 × 1 × 64",
            variant=1,
        ),
        Claim(
            "Jacobian of y_pred_0 by its last kernel",
            "jacobian",
            ("y_pred_0", "k3"),
            4_718_592,
            "by hand: 256 × (3 × 3 × 32 × 64)",
            variant=1,
        ),
        Claim(
            "Loss by handing across less loss of joint training, in each step",
            "chain less joint",
            None,
            (0.0,) * STEPS,
            "the chain rule: the same gradient and the same noise, so the same steps",
            variant=1,
            within=1e-6,
            at=range(STEPS),
        ),
        Claim(
            "Loss of joint training in the last step: it learns the four images",
            "joint loss",
            None,
            0.0,
            "by hand: the least that a squared error can be; four images can be learned by heart",
            variant=1,
            within=0.005,
            at=STEPS - 1,
        ),
        Claim(
            "Loss in the last step of the question's own attempt: near a half",
            "apart loss",
            None,
            0.5,
            f"by hand: y_pred_1 goes to 0 for all, and two of four are 1; {TWO_MODELS_ASKED}",
            variant=1,
            within=0.02,
            at=STEPS - 1,
        ),
    ),
    predictions=(
        Prediction(TO_0, RIGHT),
        Prediction(SLOWER, TOLD),
        Prediction(HALF, TOLD),
        Prediction(STAYS, TOLD),
    ),
    numbers=(1, 0),
    sources=(f"{TWO_MODELS_QUESTION}, first tried it so.",),
    code="""w0 = torch.tensor(2.0, requires_grad=True)
w1 = torch.tensor(0.5, requires_grad=True)
h = w0 * 1.0
y = torch.sigmoid(w1 * h)
loss = (y - 1) ** 2
loss.backward()
w1.grad  # -0.21151
""",
)
