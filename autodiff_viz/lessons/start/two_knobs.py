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
    title="Which of two numbers moves the loss more?",
    summary="A product of two numbers is too large. Which of the two gets the larger gradient?",
    track="start",
    level=1,
    minutes=2,
    found_by=("gradient", "chain rule", "multiply", "product", "knob"),
    text="`w` is 3 and `x` is 2. Their product `y` is 6 and should be 5. On the way back each of the two "
    "gets its gradient: how fast the loss moves when it moves.",
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
            text="`y` gets 2, and a product tells each factor the other one: 2 · 3 = 6 to `x`, 2 · 2 = 4 "
            "to `w`. The smaller number moves the loss more.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 0: `y` is 0 whatever `w` is, so `w` gets 0. `x` gets −30.",
            (Part(edits=(put("x", 0.0), put("w", 3.0))),),
            ("w", "x"),
            then=(
                Claim("w gets", "gradient", "w", 0.0, "by hand: −10 · 0", within=EXACTLY),
                Claim("x gets", "gradient", "x", -30.0, "by hand: 2(0 − 5) · 3", within=EXACTLY),
            ),
        ),
        Try(
            "Put `x` back to 2 and move `w` to 2.5: `y` is 5, the loss is 0, and both get 0.",
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
