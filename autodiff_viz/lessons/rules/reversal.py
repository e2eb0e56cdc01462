"""Ask for the sum of two losses at a feature, of which one comes through a reversed sign."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    function,
    ruled,
)
from autodiff_viz.lessons.tour import Step

REVERSED = """h = 1.0
w = 2.0
label = square(h - 3.0)
r = rewrite(h, lambda v: -0.5 * v)
domain = square(w * r - 1.0)
total = label + domain
"""
ALONE = """w = 3.0
f = 2.0 * w
r = rewrite(f, lambda v: -0.5 * v)
domain = square(r - 1.0)
"""

LESSON = Lesson(
    key="reversal",
    track="rules",
    title="Two losses pull at h, one through a reversed sign. The sum?",
    summary="A feature is to serve one loss and to spoil another.",
    level=2,
    minutes=3,
    after=("surgery", "fork"),
    found_by=("DANN", "gradient reversal", "GRL", "adversarial", "domain adaptation"),
    text="The feature `h` is 1. `label` sends −4 to it. `domain` sends 4 to `r`, whose rule turns the sign "
    "and halves. So a feature is to help one loss and spoil the other.",
    steps=(
        Step(
            "Two losses",
            REVERSED,
            look_at="h",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "h"),
                    words="What arrives at `h`?",
                    told=(
                        (
                            "-2",
                            "−2 is what comes through `r` alone, and also the sum if its sign is not turned. "
                            "Which was it? Both wires bring something.",
                        ),
                        (
                            "-8",
                            "−8 turns the sign of the 4 and forgets the half.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="−4 and −2. `w` learns to lower `domain`, and by one rule on one wire `h` learns to raise "
            "it. Both happen in one sweep back.",
        ),
        Step(
            "One loss",
            ALONE,
            look_at="r",
            text="Twice `w` goes through a reversal: 20 would arrive at `w`, and −10 does.",
        ),
    ),
    to_try=(
        Try(
            "Give `r` the function `lambda v: 0.5 * v`, as code with one minus too many does: −2 "
            "arrives, and `h` helps both losses.",
            (Part(edits=(function("r", "lambda v: 0.5 * v"),)),),
            ("h",),
            then=(Claim("What arrives at h", "gradient", "h", -2.0, "by hand: −4 + 4 · ½", within=EXACTLY),),
        ),
        Try(
            "Set the rule of `r` to *stop*: −4 arrives. `w` still gets 2, and `domain` sends nothing to `h`.",
            (Part(edits=(ruled("r", "stop"),)),),
            ("h", "w"),
            then=(
                Claim("What arrives at h", "gradient", "h", -4.0, "by hand: −4 + 0", within=EXACTLY),
                Claim("What arrives at w", "gradient", "w", 2.0, "by hand: 2(2 · 1 − 1) · 1", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The two wires", "added", "h", (-4.0, -2.0), "by hand: 2(1 − 3), and 4 · (−½)", within=EXACTLY),
        Claim("What arrives at h", "gradient", "h", -6.0, "by hand: −4 + 4 · (−½)", within=EXACTLY),
        Claim("What arrives at r", "cotangent", "r", 4.0, "by hand: 2(2 · 1 − 1) · 2", within=EXACTLY),
        Claim("What arrives at w", "gradient", "w", 2.0, "by hand: 2(2 · 1 − 1) · 1", within=EXACTLY),
        Claim(
            "Of one loss alone, reversed",
            "gradient",
            "w",
            -10.0,
            "by hand: 2(2 · 3 − 1) · 2 = 20, times −½",
            1,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("-6", RIGHT),
        Prediction("0", "rule-ignored"),
        Prediction("-4", "one-path"),
        Prediction("-2", TOLD),
        Prediction("-8", TOLD),
    ),
    sources=(
        "The reversal is that of [Ganin and Lempitsky](https://arxiv.org/abs/1409.7495). One minus too many: "
        "[pytorch_DANN 10](https://github.com/CuthbertCai/pytorch_DANN/issues/10).",
    ),
    code="""h = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
r = h.clone()
r.register_hook(lambda v: -0.5 * v)
total = (h - 3) ** 2 + (w * r - 1) ** 2
total.backward()
h.grad  # -6.0
w.grad  # 2.0
""",
)
