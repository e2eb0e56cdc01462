"""Teach derivative surgery: a rule that replaces the arriving cotangent by another number."""

from autodiff_viz.asking.question import ALL_COTANGENTS, NUMBER, PASSED, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    SWIFT,
    TOLD,
    TUTORIAL,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    function,
    put,
)
from autodiff_viz.lessons.tour import Step

REWRITTEN = """x = 30.0
a = sin(x)
half = rewrite(x, lambda v: 0.5)
b = log(half)
z = a + b
"""
TAPPED = REWRITTEN.replace("half = rewrite(x, lambda v: 0.5)", "half = identity(x)")
CLIP = "lambda v: clip(v, -0.01, 0.01)"

LESSON = Lesson(
    key="surgery",
    track="stops",
    title="Can I change a gradient on its way?",
    summary="A node receives a number on the way back. Its rule has another idea.",
    level=1,
    minutes=2,
    after=("fork",),
    found_by=("hook", "register_hook", "withDerivative", "gradient surgery", "clip", "rewrite"),
    text="`x` is 30, and its logarithm sends 1/30 back, to the node `half`. Forward, `half` returns what it "
    "gets; on the way back its rule says `lambda v: 0.5`, where `v` is what arrives.",
    steps=(
        Step(
            "With a rule",
            REWRITTEN,
            look_at="half",
            questions=(
                Question(
                    NUMBER,
                    Quantity(PASSED, "half", 0),
                    words="What does `half` pass on to `x`?",
                    told=(
                        (
                            "0.0167",
                            "That is half of what arrives. The rule has no `v` in it: what does it return?",
                        ),
                        ("0.533", "That adds the rule's number to what arrives. A rule replaces it."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="0.5, whatever arrives. The way back is numbers passed along, and a rule may pass any "
            "other: what `x` gets is then not the slope of `z`. So gradients are clipped, scaled or turned "
            "round.",
        ),
        Step(
            "Only looked at",
            TAPPED,
            look_at="half",
            text="Here `half` has no rule. What arrives at `x` is the true derivative.",
        ),
    ),
    to_try=(
        Try(
            "Change the rule to `lambda v: -v`: now −1/30 goes on, and `x` gets 0.121.",
            (Part(edits=(put("x", 30.0), function("half", "lambda v: -v"))),),
            ("half", "x"),
            then=(
                Claim("What half passes", "passed", ("half", 0), -1 / 30, "by hand: −1/30"),
                Claim("What arrives at x", "gradient", "x", 0.12091812, "by hand: cos 30 − 1/30"),
            ),
        ),
        Try(
            f"With `x` at 30, try `{CLIP}`: 1/30 is too large, so 0.01 goes on.",
            (Part(edits=(put("x", 30.0), function("half", CLIP))),),
            ("half",),
            then=(
                Claim("What half passes", "passed", ("half", 0), 0.01, "by hand: the least of 1/30 and 0.01"),
            ),
        ),
        Try(
            "With `lambda v: 0.5`, move `x` to 10: 0.1 arrives at `half`, and still 0.5 goes on.",
            (Part(edits=(function("half", "lambda v: 0.5"), put("x", 10.0))),),
            ("half",),
            then=(
                Claim("What arrives at half", "cotangent", "half", 0.1, "by hand: 1/10"),
                Claim("What half passes", "passed", ("half", 0), 0.5, "by hand: the rule", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("What arrives at the log's input", "cotangent", "half", 0.033333335, SWIFT),
        Claim("What arrives at the sine", "cotangent", "a", 1.0, SWIFT, 0, EXACTLY),
        Claim("What is passed to x instead", "passed", ("half", 0), 0.5, SWIFT, 0, EXACTLY),
        Claim("Gradient of x", "gradient", "x", 0.65425146, SWIFT),
        Claim("Gradient of x, untouched", "gradient", "x", 0.18758478, "by hand: 1/30 + cos 30", 1),
    ),
    predictions=(
        Prediction("0.5", RIGHT),
        Prediction("1/30", "rule-ignored"),
        Prediction("0.0167", TOLD),
        Prediction("0.533", TOLD),
    ),
    sources=(f"The example, its name and its numbers are from {TUTORIAL}.",),
    code="""x = torch.tensor(30.0, requires_grad=True)
half = x.clone()
half.register_hook(lambda v: torch.full_like(v, 0.5))
(x.sin() + half.log()).backward()
x.grad  # 0.65425146
""",
)
