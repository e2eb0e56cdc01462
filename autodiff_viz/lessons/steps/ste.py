"""Ask what arrives before a rounding that pretends, on the way back, to be the identity."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

ROUNDED = "x = 3.2\nq = round(x)\ny = square(q)\n"
THROUGH = ROUNDED.replace("round(x)", "backward_as(round(x), x)")
BY_STOP = ROUNDED.replace("round(x)", "x + stop_gradient(round(x) - x)")
SIGN = "x = 1.7\nc = clip(x, -1.0, 1.0)\ny = backward_as(sign(x), c)\n"
DOCUMENTED = "JAX's documentation, Advanced automatic differentiation, straight-through estimator"

LESSON = Lesson(
    key="ste",
    track="steps",
    title="Can a network learn through round()?",
    summary="A step has the slope 0. On the way back it may pretend otherwise.",
    level=1,
    minutes=3,
    after=("accuracy", "surgery"),
    found_by=("round", "quantise", "straight-through", "sign", "binarise"),
    text="`x` is 3.2, `q` rounds it to 3, and `y` squares that: 9. In A nothing arrives at `x`, for a step "
    "is flat. In B the rounding pretends, on the way back, to be `x` itself.",
    steps=(
        Step(
            "Straight through",
            THROUGH,
            look_at="q",
            pinned=ROUNDED,
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x` in B?",
                    told=(
                        ("6.4", "6.4 is twice 3.2. At which number is the square taken?"),
                        ("1", "1 is the slope that `q` pretends to have. What arrives at `q` multiplies it."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="Forward a step, backward a straight line: wrong about the function, and here right about "
            "the direction. To lower `y`, lower `x`.",
        ),
        Step(
            "Rounded",
            ROUNDED,
            look_at="q",
            text="The slope of a step is 0 wherever it has one, so nothing arrives.",
        ),
        Step(
            "With a stop",
            BY_STOP,
            look_at="q",
            text="The same by hand: `x`, and the difference to what is rounded, behind a stop.",
        ),
        Step(
            "A sign",
            SIGN,
            look_at="y",
            text="The sign pretends to be a clip, which is flat beyond 1: so far out nothing arrives.",
        ),
    ),
    to_try=(
        Try(
            "In B move `x` to 3.6: it rounds to 4, and 8 arrives. It stays 8 until `x` rounds to "
            "another number.",
            (Part(edits=(put("x", 3.6),)),),
            ("x", "sweep"),
            then=(
                Claim("y", "value", "y", 16.0, "by hand: 4²", within=EXACTLY),
                Claim("What arrives at x", "gradient", "x", 8.0, "by hand: 2 · 4 · 1", within=EXACTLY),
            ),
        ),
        Try(
            "Open *With a stop*: 6 as well. So it is written where there are no rules.",
            (Part(2),),
            ("x",),
            then=(Claim("What arrives at x", "gradient", "x", 6.0, "by hand: 2 · 3 · 1", 2),),
        ),
        Try(
            "In *A sign* 0 arrives at 1.7. Move `x` to 0.5: 1.",
            (Part(3, (put("x", 0.5),)),),
            ("x",),
            then=(Claim("What arrives at x", "gradient", "x", 1.0, "by hand: the clip's slope", 3, EXACTLY),),
        ),
    ),
    claims=(
        Claim("What is rounded", "value", "q", 3.0, DOCUMENTED, within=EXACTLY),
        Claim("What arrives at x", "gradient", "x", 6.0, "by hand: 2 · 3 · 1", within=EXACTLY),
        Claim("What arrives at x past a step", "gradient", "x", 0.0, DOCUMENTED, 1, EXACTLY),
        Claim("What arrives at x, with a stop", "gradient", "x", 6.0, "by hand: 2 · 3 · 1", 2),
        Claim("What arrives at x beyond 1", "gradient", "x", 0.0, "by hand: the clip is flat", 3, EXACTLY),
    ),
    predictions=(
        Prediction("6", RIGHT),
        Prediction("6.4", TOLD),
        Prediction("0", "rule-ignored"),
        Prediction("9", "value"),
        Prediction("1", TOLD),
    ),
    sources=(
        "round(3.2) with its slopes 0 and 1: [JAX, Advanced automatic "
        "differentiation](https://github.com/jax-ml/jax/blob/jax-v0.8.0/docs/advanced-autodiff.md). The sum "
        "with a stop can miss by a rounding: [JAX 9032](https://github.com/jax-ml/jax/issues/9032). The "
        "estimator: [Bengio and others](https://arxiv.org/abs/1308.3432).",
    ),
    code="""x = torch.tensor(3.2, requires_grad=True)
q = x + (x.round() - x).detach()
(q ** 2).backward()
x.grad  # 6.0
""",
)
