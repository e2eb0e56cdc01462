"""Ask what comes back from two corners that cancel in the value."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

MAXIMUM = """x = 0.0
a = maximum(x, 0.0)
b = relu(x)
y = a - b
"""
WHERE = MAXIMUM.replace("maximum(x, 0.0)", "where(x > 0.0, x, 0.0)")

LESSON = Lesson(
    key="corner",
    track="zero_and_nan",
    title="max(x, 0) − relu(x) is 0 everywhere. Its gradient too?",
    summary="Two ways to write one function, one less the other, at the corner of both.",
    level=2,
    minutes=2,
    after=("fork",),
    found_by=("relu at 0", "subgradient", "maximum", "kink", "corner", "not differentiable", "ties"),
    text="`a` is max(x, 0) and `b` is relu(x): the same function, so `y` is 0 for every `x`. Here `x` is "
    "0, at the corner of both.",
    steps=(
        Step(
            "Two ways to write it",
            MAXIMUM,
            look_at="x",
            figure="sweep",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`?",
                    told=(
                        (
                            "-0.5",
                            "`y` is `a` less `b`: what `a` brings keeps its sign, and what `b` brings is "
                            "turned. Which of the two is not 0?",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="sweep",
            text="At a corner every slope between left and right is allowed, and each op has its own: "
            "`maximum` takes the middle, ½, and `relu` takes 0. So ½ arrives.",
        ),
        Step(
            "A where in place of it",
            WHERE,
            look_at="x",
            text="At 0 the condition x > 0 is false, so `where` takes the other side, whose slope is 0. "
            "Both ways agree again.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 0.1, away from the corner: both slopes are 1 there, and 0 arrives.",
            (Part(edits=(put("x", 0.1),)),),
            ("x", "sweep"),
            then=(Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: 1 − 1", within=EXACTLY),),
        ),
        Try(
            "Open *A where in place of it*, at 0 again: does it take a side, or the middle?",
            (Part(1),),
            ("x",),
            then=(
                Claim(
                    "What arrives at x",
                    "cotangent",
                    "x",
                    0.0,
                    "by hand: 0 − 0, for x > 0 is false",
                    1,
                    EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("y", "value", "y", 0.0, "by hand: 0 − 0", 0, EXACTLY),
        Claim(
            "maximum passes",
            "passed",
            ("a", 0),
            0.5,
            "jax-ml/jax #37821 prints it; PR #2342: at a tie each gets a half",
            0,
            EXACTLY,
        ),
        Claim(
            "relu passes",
            "passed",
            ("b", 0),
            0.0,
            "jax-ml/jax PR #2342: relu takes 0",
            0,
            EXACTLY,
        ),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            0.5,
            "by hand: ½ − 0; PyTorch 2.13 prints the same",
            0,
            EXACTLY,
        ),
        Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: 0 − 0, for x > 0 is false", 1, EXACTLY),
    ),
    predictions=(
        Prediction("1/2", RIGHT),
        Prediction("0", "true-slope"),
        Prediction("1", "other-side"),
        Prediction("-0.5", TOLD),
    ),
    sources=(
        "[jax-ml/jax #37821](https://github.com/jax-ml/jax/issues/37821): 0.5 from `maximum`, 0 from `where`",
        "[jax-ml/jax PR #2342](https://github.com/jax-ml/jax/pull/2342): relu takes 0; a tie is shared, as "
        "in [HIPS/autograd #212](https://github.com/HIPS/autograd/issues/212)",
    ),
    code="x = torch.tensor(0., requires_grad=True)\n"
    "(torch.maximum(x, torch.tensor(0.)) - torch.relu(x)).backward()\n"
    "x.grad  # 0.5",
)
