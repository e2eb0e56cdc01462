"""Ask which number crosses from one model to the one before it."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    THREE_WAYS,
    TOLD,
    TWO_MODELS,
    TWO_MODELS_QUESTION,
    Claim,
    Lesson,
    Part,
    Prediction,
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

TWO = """x = 1.0
w0 = parameter(2.0)
h = cut(w0 * x)
w1 = parameter(3.0)
y = cut(w1 * h)
loss = square(y - 4.0)
"""

LESSON = Lesson(
    key="split-model",
    track="documents",
    title="A network in two halves: what must cross?",
    summary="Two models stand in a row, and only the second one meets the loss.",
    level=2,
    minutes=4,
    after=("two-knobs",),
    found_by=("pipeline", "two models", "vjp", "jacobian", "split learning", "batch_jacobian"),
    text="Two models in a row: the first gives `h`, 2, the second makes `y` of it, 6. It should be 4. The "
    "second model is differentiated by itself, up to the cut at `h`.",
    steps=(
        Step(
            "Two models",
            TWO,
            look_at="h",
            training=Plan(Settings("sgd", 0.02), STEPS),
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "h"),
                    words="Which number must it hand to the first?",
                    told=(
                        (
                            "3",
                            "3 is the second model's own slope, its Jacobian. It does not know yet how wrong "
                            "`y` is.",
                        ),
                        ("4", "4 is what arrives at `y`. The second model multiplies it by its slope."),
                        ("24", "24 has gone through the first model as well: that is its own work."),
                        ("0", "The first model has no loss of its own. It hears of this one across the cut."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="12 = 4 · 3: what arrives at the cut, one number for each number there. Nobody needs the "
            "Jacobian, which for whole layers is far larger.",
        ),
        Step(
            "Three parts and the loss",
            FORMULA,
            look_at="out1",
            training=Plan(Settings("sgd", 0.5), STEPS),
            text="Two convolutions and a dense layer, with a cut behind each. Three pullbacks in a chain are "
            "the gradient of the whole.",
        ),
    ),
    to_try=(
        Try(
            "In *Three parts and the loss* select `out2`: 1,152 numbers cross at `out1`. Its Jacobian by "
            "`out0` has 559,872 image by image, and 1,679,616 in full.",
            (Part(1, edits=(selected("out2"),)),),
            ("segments",),
        ),
        Try(
            "There press *Train 60 steps three ways*: two curves are one. The third, where nothing "
            "crosses, goes the wrong way.",
            (Part(1, asks=THREE_WAYS),),
            ("segments",),
        ),
        Try(
            "Keep the cut after `out1` and put a stop on it: the first two parts get nothing.",
            (Part(1, edits=(cut("out1", True), ruled("out1", "stop"))),),
            ("segments",),
            then=(
                Claim(
                    "The first bias gets", "gradient", "b0", (0.0,) * 6, "by hand: behind a stop", 1, EXACTLY
                ),
                Claim(
                    "The second bias gets", "gradient", "b1", (0.0,) * 6, "by hand: behind a stop", 1, EXACTLY
                ),
            ),
        ),
    ),
    claims=(
        Claim("What crosses", "cotangent", "h", 12.0, "by hand: 2(6 − 4) · 3", within=EXACTLY),
        Claim("What the first model makes of it", "gradient", "w0", 12.0, "by hand: 12 · 1", within=EXACTLY),
        Claim("How many numbers cross", "handed", "h", 1, "by hand: h is one number"),
        Claim(
            "Largest difference between the chain and the whole gradient",
            "chain less whole",
            None,
            0.0,
            "the chain rule; the document finds about 1e-7 by its own route",
            variant=1,
            within=1e-7,
        ),
        Claim(
            "Cotangent handed to the first part",
            "handed",
            "out0",
            1_458,
            "by hand: 3 × 9 × 9 × 6",
            variant=1,
        ),
        Claim(
            "Cotangent handed to the second part",
            "handed",
            "out1",
            1_152,
            "by hand: 3 × 8 × 8 × 6",
            variant=1,
        ),
        Claim("Cotangent handed to the third part", "handed", "out2", 3, "by hand: 3 × 1", 1),
        Claim(
            "Jacobian of out1 by out0, image by image",
            "jacobian",
            ("out1", "out0"),
            559_872,
            f"by hand: 3 × 384 × 486, the batch_jacobian in {TWO_MODELS}",
            variant=1,
        ),
        Claim(
            "The same with every image by every other",
            "full jacobian",
            ("out1", "out0"),
            1_679_616,
            "by hand: 1,152 × 1,458",
            variant=1,
        ),
        Claim(
            "Jacobian of out1 by its kernel", "jacobian", ("out1", "k1"), 165_888, "by hand: 1,152 × 144", 1
        ),
        Claim("Jacobian of out0 by its kernel", "jacobian", ("out0", "k0"), 34_992, "by hand: 1,458 × 24", 1),
        Claim(
            "Largest difference between the product of all Jacobians and the gradient",
            "product less whole",
            None,
            0.0,
            f"the chain rule, here in float64; {TWO_MODELS} finds about 1e-7",
            variant=1,
            within=1e-12,
        ),
        Claim(
            "Loss by handing across less loss of joint training, in each step",
            "chain less joint",
            None,
            (0.0,) * STEPS,
            "the chain rule: the same gradient, so the same steps",
            variant=1,
            within=1e-6,
            at=range(STEPS),
        ),
        Claim(
            "Loss in the last step when nothing is handed across: near 2/3",
            "apart loss",
            None,
            0.6667,
            "by hand: every prediction goes to 0, and two of three targets are 1",
            variant=1,
            within=0.02,
            at=STEPS - 1,
        ),
    ),
    predictions=(
        Prediction("12", RIGHT),
        Prediction("3", TOLD),
        Prediction("4", TOLD),
        Prediction("24", TOLD),
        Prediction("0", TOLD),
    ),
    numbers=(1, 0),
    sources=(
        f"{TWO_MODELS_QUESTION}, by multiplying the Jacobians of all parts. A chain of pullbacks gives the "
        "same, to 1e-7.",
    ),
    code="""w0 = torch.tensor(2.0, requires_grad=True)
w1 = torch.tensor(3.0, requires_grad=True)
h = w0 * 1.0
received = h.detach().requires_grad_()
loss = (w1 * received - 4) ** 2
loss.backward()
received.grad  # 12.0
h.backward(received.grad)
w0.grad  # 12.0
""",
)
