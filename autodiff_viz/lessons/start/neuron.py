"""Ask what arrives at the weight of one neuron: the chain rule, step by step."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    PLAY,
    RIGHT,
    STEPS,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
)
from autodiff_viz.lessons.tour import Step

NEURON = """x = 2.0
w = {w}
b = -1.0
t = {t}
p = w * x
s = p + b
y = sigmoid(s)
loss = square(y - t)
"""
FLAT = "by hand: 2y·y(1 − y) with y = sigmoid(4) = 0.98201379"

LESSON = Lesson(
    key="neuron",
    track="start",
    title="How does one neuron hear of its mistake?",
    summary="A weight, a sum, a sigmoid and a loss: what is left of the mistake when it arrives?",
    level=1,
    minutes=3,
    after=("fork",),
    found_by=("sigmoid", "backpropagation", "chain rule", "saturation", "neuron", "perceptron"),
    text="The answer `y` is ½ and should be `t`, which is 1, so the loss sends −1 back. On the way to "
    "the weight `w` it meets a sigmoid, whose slope here is ¼, a sum, and a product.",
    steps=(
        Step(
            "One neuron",
            NEURON.format(w=0.5, t=1.0),
            look_at="w",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What arrives at `w`?",
                    told=(
                        (
                            "-0.25",
                            "−0.25 is what arrives at the product. Its own slope is still missing: a "
                            "product tells `w` the other factor, `x`.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="Each step multiplies what arrives by its own slope and passes that on: −1 · ¼ · 1 · 2 = "
            "−0.5. Multiplied along the way, the slopes of the steps are that of the whole: the chain rule.",
        ),
        Step(
            "Farther out",
            NEURON.format(w=2.5, t=0.0),
            look_at="y",
            text="The answer is 0.982 and should be 0. The square sends 1.964 back, and the sigmoid "
            "multiplies it by y(1 − y) = 0.0177. So 0.0347 goes on, and `w` gets twice that.",
        ),
    ),
    to_try=(
        Try(
            "Step through the pass with the arrow keys, and say each number before you look.",
            (Part(asks=STEPS),),
        ),
        Try(
            "Move `x` to 0: `w` gets 0, though the mistake is larger.",
            (Part(edits=(put("x", 0.0),)),),
            ("w",),
            then=(
                Claim("Gradient of w", "gradient", "w", 0.0, "by hand: its slope is x = 0", within=EXACTLY),
                Claim("The loss", "value", "loss", 0.53444665, "by hand: (sigmoid(−1) − 1)² = 0.73105858²"),
            ),
        ),
        Try(
            "Open *Farther out* and play it: 1.964 arrives at `y`, and 0.0347 gets through, for the "
            "sigmoid is almost flat there.",
            (Part(1, asks=PLAY),),
            ("y",),
            then=(Claim("What the sigmoid passes", "passed", ("y", 0), 0.034690, FLAT, 1, digits=4),),
        ),
    ),
    claims=(
        Claim("The answer", "value", "y", 0.5, "by hand: sigmoid(0.5·2 − 1) = sigmoid(0)", 0, EXACTLY),
        Claim("The loss", "value", "loss", 0.25, "by hand: (0.5 − 1)²", 0, EXACTLY),
        Claim("What arrives at the answer", "cotangent", "y", -1.0, "by hand: 2(0.5 − 1)", 0, EXACTLY),
        Claim("What the sigmoid passes", "passed", ("y", 0), -0.25, "by hand: 0.5(1 − 0.5)·(−1)", 0, EXACTLY),
        Claim("Gradient of w", "gradient", "w", -0.5, "by hand: −0.25·x", 0, EXACTLY),
        Claim("Gradient of b", "gradient", "b", -0.25, "by hand: −0.25·1", 0, EXACTLY),
        Claim("Gradient of x", "gradient", "x", -0.125, "by hand: −0.25·w", 0, EXACTLY),
        Claim("What arrives at the answer", "cotangent", "y", 1.9640276, "by hand: 2·sigmoid(4)", 1),
        Claim("What the sigmoid passes", "passed", ("y", 0), 0.034690, FLAT, 1, digits=4),
        Claim("Gradient of w", "gradient", "w", 0.069380, "by hand: twice that, since x = 2", 1, digits=4),
    ),
    predictions=(
        Prediction("-0.5", RIGHT),
        Prediction("-1", "arriving-alone"),
        Prediction("-0.25", TOLD),
        Prediction("-0.125", "own-factor"),
        Prediction("0.5", "sign-turned"),
        Prediction("0.25", "value"),
    ),
    code="jax.grad(lambda w: (jax.nn.sigmoid(w * 2.0 - 1.0) - 1.0) ** 2)(0.5)  # -0.5",
)
