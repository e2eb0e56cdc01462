"""Teach the chain rule: one neuron forward and backward, step by step."""

from autodiff_viz.lessons.lesson import EXACTLY, PLAY, STEPS, Claim, Lesson, Part, Try, put
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

LESSON = Lesson(
    key="neuron",
    track="start",
    title="One neuron, the chain rule",
    summary="Values go forward; on the way back each step multiplies by its own slope, and that is all.",
    text="""A neuron multiplies its input `x` by a weight `w`, adds a bias `b` and squashes the sum with a
sigmoid. The loss says how far its answer `y` is from the target `t`.

**Press play**, below the graph. First the values come, from left to right. Then the way back begins at the
loss with a 1, and each node does one small thing: it multiplies what arrives by *its own* derivative and
hands that on. What arrives at a node is its **cotangent**: how fast the loss moves when this node moves.

No node knows the whole formula. Multiplied along the way, the local derivatives are the derivative of the
whole: that is **the chain rule**, and backpropagation is no more than this.""",
    steps=(
        Step(
            "One neuron",
            NEURON.format(w=0.5, t=1.0),
            look_at="w",
            text="""On the way back:

- the square: 2(y − t) = −1
- the sigmoid: y(1 − y) = 0.25, so −0.25 goes on
- the sum hands it on as it is
- the product: `w` gets −0.25 · x = −0.5""",
        ),
        Step(
            "Far out, where the sigmoid is flat",
            NEURON.format(w=2.5, t=0.0),
            look_at="y",
            text="""The answer is 0.982 and should be 0, and yet little comes back:

- the square: 2(y − t) = 1.964
- the sigmoid: y(1 − y) = 0.0177, so 0.0347 goes on
- the sum hands it on as it is
- the product: `w` gets 0.0347 · x = 0.0694""",
        ),
    ),
    to_try=(
        Try(
            "Press play, then step back and forth with the arrow keys, or the buttons beside Play: say what "
            "comes before you look.",
            (Part(asks=STEPS),),
        ),
        Try(
            "Move `x` to 0: nothing goes to `w` any more, since its local derivative is `x`.",
            (Part(edits=(put("x", 0.0),)),),
            ("w",),
        ),
        Try(
            "Open *Far out* and play it: 1.964 arrives at the sigmoid, and hardly anything gets through.",
            (Part(1, asks=PLAY),),
            ("y",),
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
        Claim(
            "What the sigmoid passes",
            "passed",
            ("y", 0),
            0.034690,
            "by hand: 2y·y(1 − y) with y = sigmoid(4) = 0.98201379",
            1,
            digits=4,
        ),
        Claim("Gradient of w", "gradient", "w", 0.069380, "by hand: twice that, since x = 2", 1, digits=4),
    ),
)
