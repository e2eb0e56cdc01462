"""Ask which of two factors gets more: a product tells each the other one."""

from autodiff_viz.asking.question import ASKED_ALONE, LARGER, PASSED, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

PRODUCT = """x = 2.0
w = 3.0
y = w * x
loss = square(y - 5.0)
"""
W, X = 0, 1  # slots of the product

LESSON = Lesson(
    key="two-knobs",
    title="Which knob moves the answer more?",
    summary="A product of two numbers is too large. Which of both hears more of it?",
    track="start",
    level=1,
    minutes=2,
    found_by=("gradient", "chain rule", "multiply", "product"),
    text="`w` is 3, `x` is 2, and their product `y` should be 5. It is 6, so something goes back from `y` "
    "along two wires.",
    steps=(
        Step(
            "One product",
            PRODUCT,
            look_at="y",
            questions=(
                Question(
                    LARGER,
                    Quantity(PASSED, "y", W),
                    Quantity(PASSED, "y", X),
                    words="Which wire brings more: the one to `w` or the one to `x`?",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="A product tells each factor the other factor. A gradient is how fast the loss moves for a "
            "step of this knob, not how large the knob is.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 0: `w` gets 0 and `x` gets −30. The lever is `w` alone.",
            (Part(edits=(put("x", 0.0), put("w", 3.0))),),
            ("w", "x"),
            then=(
                Claim("w gets", "gradient", "w", 0.0, "by hand: −10 · 0", within=EXACTLY),
                Claim("x gets", "gradient", "x", -30.0, "by hand: 2(0 − 5) · 3", within=EXACTLY),
            ),
        ),
        Try(
            "Move `w` to 2.5: `y` is 5, the loss is 0, and nothing arrives anywhere.",
            (Part(edits=(put("w", 2.5), put("x", 2.0))),),
            ("w", "x"),
            then=(
                Claim("The loss", "value", "loss", 0.0, "by hand: (2.5 · 2 − 5)²", within=EXACTLY),
                Claim("w gets", "gradient", "w", 0.0, "by hand: 2 · 0 · 2", within=EXACTLY),
                Claim("x gets", "gradient", "x", 0.0, "by hand: 2 · 0 · 2.5", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 4.0, "by hand: 2(6 − 5) · 2", within=EXACTLY),
        Claim("x gets", "gradient", "x", 6.0, "by hand: 2(6 − 5) · 3", within=EXACTLY),
        Claim(
            "x gets, by a nudge",
            "gradient",
            "x",
            6.0,
            "by hand: the loss is (3 · 2.1 − 5)² = 1.69 and (3 · 1.9 − 5)² = 0.49, and 1.2/0.2 = 6; of a "
            "parabola such a difference is exact",
        ),
    ),
    predictions=(
        Prediction("the wire to x", RIGHT),
        Prediction("the wire to w", "own-factor"),
        Prediction("the same", "arriving-alone"),
    ),
    code="jax.grad(lambda w, x: (w * x - 5.0) ** 2, (0, 1))(3.0, 2.0)  # (4.0, 6.0)",
)
