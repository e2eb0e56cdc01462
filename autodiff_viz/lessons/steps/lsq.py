"""Ask what arrives at the step size of a quantiser: it multiplies, and it divides."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

QUANTISED = """x = 1.3
s = 0.5
steps = x / s
c = clip(steps, -3.0, 3.0)
q = backward_as(round(c), c)
y = q * s
"""
CLOSE = 1e-6  # of 3 − 2.6 in float32

LESSON = Lesson(
    key="lsq",
    track="steps",
    title="How does a quantiser learn its step size?",
    summary="A number in steps of `s`, rounded. How does the result move with `s`?",
    level=3,
    minutes=3,
    after=("ste", "fork"),
    found_by=("quantisation", "scale", "LSQ", "learned step size", "QAT"),
    text="`x` is 1.3. In steps of `s` = 0.5 that is 2.6, which `q` rounds to 3: `y` is 1.5. On the way "
    "back the rounding pretends that it did nothing.",
    steps=(
        Step(
            "Quantised",
            QUANTISED,
            look_at="q",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "s"),
                    words="What arrives at the step size `s`?",
                    told=(
                        (
                            "3",
                            "3 comes by the last product. But `s` divides `x` as well, and the "
                            "rounding lets that through.",
                        ),
                        ("-2.6", "−2.6 comes by the division. The last product sends something too."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="3 by the product, −2.6 by the division. Where nothing is clipped, the gradient of a step "
            "size is the rounding error, here 0.4 of a step.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 1: two whole steps, no error, and 0 arrives.",
            (Part(edits=(put("x", 1.0), put("s", 0.5))),),
            ("s",),
            then=(Claim("s gets", "gradient", "s", 0.0, "by hand: 2 − 2", within=EXACTLY),),
        ),
        Try(
            "Move `x` to 10: it is clipped to 3 steps, so only the product is left. `s` gets 3 and `x` "
            "gets 0.",
            (Part(edits=(put("x", 10.0), put("s", 0.5))),),
            ("s", "x"),
            then=(
                Claim("s gets", "gradient", "s", 3.0, "by hand: the clip is flat at 20", within=EXACTLY),
                Claim("x gets", "gradient", "x", 0.0, "by hand: the clip is flat at 20", within=EXACTLY),
            ),
        ),
        Try(
            "Move `x` to 1.2, which is rounded down: −0.4. Sweep `x`: what arrives at `s` is a saw.",
            (Part(edits=(put("x", 1.2), put("s", 0.5))),),
            ("s", "sweep"),
            then=(Claim("s gets", "gradient", "s", -0.4, "by hand: 2 − 2.4", within=CLOSE),),
        ),
    ),
    claims=(
        Claim("y", "value", "y", 1.5, "by hand: 3 · ½", within=EXACTLY),
        Claim("s gets", "gradient", "s", 0.4, "by hand: 3 − 2.6, which is q − x/s", within=CLOSE),
    ),
    predictions=(
        Prediction("0.4", RIGHT),
        Prediction("3", TOLD),
        Prediction("-2.6", TOLD),
        Prediction("1.5", "value"),
    ),
    sources=(
        "The step size that learns: [Esser and others](https://arxiv.org/abs/1902.08153). What passes "
        "through the rounding: [QuEST 2](https://github.com/IST-DASLab/QuEST/issues/2). Why its "
        "gradient is scaled down in training: [lsq-net "
        "23](https://github.com/zhutmost/lsq-net/issues/23).",
    ),
    code="""s = torch.tensor(0.5, requires_grad=True)
c = (1.3 / s).clamp(-3, 3)
q = c + (c.round() - c).detach()
(q * s).backward()
s.grad  # 0.4
""",
)
