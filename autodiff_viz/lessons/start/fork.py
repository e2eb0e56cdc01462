"""Ask what arrives at a value that is used twice: the sum of what its wires bring."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, moved, ruled
from autodiff_viz.lessons.tour import Step

DOUBLE_AND_SQUARE = """x = 3.0
a = 2.0 * x
b = square(x)
z = a + b
"""
PRODUCT = """x = 3.0
y = x * x
"""
CANCEL = """x = 0.7
s = sin(x)
c = cos(x)
z = square(s) + square(c)
"""
BY_HAND = "by hand: 2 sin x cos x = sin 1.4, and its negative"

LESSON = Lesson(
    key="fork",
    track="start",
    title="Two uses of x: do their gradients add or compete?",
    summary="A value that is used twice hears from both uses. What does it make of them?",
    level=1,
    minutes=2,
    after=("two-knobs",),
    found_by=("sum of gradients", "accumulate", "reuse", "chain rule for several variables", "shared weight"),
    text="`x` is 3 and is used twice: doubled to `a` and squared to `b`. A path is one way from a node "
    "to the output. Two paths lead from `x` to `z`.",
    steps=(
        Step(
            "Double and square",
            DOUBLE_AND_SQUARE,
            look_at="x",
            questions=(Question(NUMBER, Quantity(COTANGENT, "x"), words="What arrives at `x`?"),),
            hides=ASKED_ALONE,
            reveal="paths",
            text="A copy on the way forward is a sum on the way back, for `x` moves along both paths at "
            "once: 2 by `a` and 2x = 6 by `b` make 8.",
        ),
        Step(
            "Both wires into one product",
            PRODUCT,
            look_at="x",
            text="Both wires end at the same product, in its two slots. Each is told the other factor, "
            "3. At `x` arrives 3 + 3 = 6, which is 2x.",
        ),
        Step(
            "A sine and a cosine",
            CANCEL,
            look_at="x",
            text="The two wires bring 0.985 and −0.985, and 0 arrives: sin² + cos² is 1 wherever `x` goes.",
        ),
    ),
    to_try=(
        Try(
            "Move `x`: one path keeps its 2, the other follows 2x, and their sum arrives.",
            (Part(edits=(ruled("b", "follow"), moved("x", 1.0))),),
            ("x",),
            then=(
                Claim(
                    "The two wires add",
                    "added",
                    "x",
                    (2.0, 2.0),
                    "by hand: 2 and 2x at x = 1",
                    within=EXACTLY,
                ),
                Claim("What arrives at x", "cotangent", "x", 4.0, "by hand: 2 + 2", within=EXACTLY),
            ),
        ),
        Try(
            "Select `b` and set its rule to *stop*, so that it passes nothing back: only the 2 is left.",
            (Part(edits=(ruled("b", "stop"),)),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", 2.0, "by hand: (2x)' alone", within=EXACTLY),),
        ),
        Try(
            "Open *Both wires into one product*: one node, and still two terms, 3 + 3.",
            (Part(1),),
            ("x",),
            then=(
                Claim("What arrives at x", "cotangent", "x", 6.0, "by hand: (x²)' = 2x", 1, within=EXACTLY),
            ),
        ),
        Try(
            "Open *A sine and a cosine*: what do its two wires add up to?",
            (Part(2),),
            ("x",),
            then=(
                Claim(
                    "What arrives at x",
                    "cotangent",
                    "x",
                    0.0,
                    "by hand: (sin² + cos²)' = 1' = 0",
                    2,
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim(
            "The two wires add", "added", "x", (2.0, 6.0), "by hand: (2x)' = 2, (x²)' = 2x = 6", 0, EXACTLY
        ),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            8.0,
            "by hand: 2 + 6; and z is 15.81 at x = 3.1 and 14.21 at 2.9, and 1.6/0.2 = 8",
            0,
            EXACTLY,
        ),
        Claim(
            "The two wires of x·x add",
            "added",
            "x",
            (3.0, 3.0),
            "by hand: each factor passes the other",
            1,
            EXACTLY,
        ),
        Claim("What arrives at x", "cotangent", "x", 6.0, "by hand: 3 + 3 = 2x", 1, EXACTLY),
        Claim("The two wires add", "added", "x", (0.98544973, -0.98544973), BY_HAND, 2),
        Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: (sin² + cos²)' = 1' = 0", 2, EXACTLY),
    ),
    predictions=(
        Prediction("8", RIGHT),
        Prediction("6", "one-path"),
        Prediction("2", "one-path"),
        Prediction("12", "product-of-paths"),
        Prediction("4", "mean-for-sum"),
        Prediction("15", "value"),
    ),
    code="x = torch.tensor(3., requires_grad=True)\n(2 * x + x ** 2).backward()\nx.grad  # 8.0",
)
