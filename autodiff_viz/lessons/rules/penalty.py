"""Ask whether a penalty on a gradient reaches the weight behind it."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
    selected,
)
from autodiff_viz.lessons.tour import Step

PENALTY = """x = 2.0
w = 4.0
y = w * x
g = grad(y, x)
penalty = square(g - 1.0)
"""
STOPPED = PENALTY.replace("grad(y, x)", "stop_gradient(grad(y, x))")

LESSON = Lesson(
    key="penalty",
    track="rules",
    title="Does a gradient penalty train the weights?",
    summary="A loss asks for a slope of 1. Which inputs does it reach?",
    level=2,
    minutes=3,
    after=("second", "hidden-stop"),
    found_by=("WGAN-GP", "gradient penalty", "create_graph", "Lipschitz", "critic"),
    text="`y` is `w` times `x`, and `g`, its slope by `x`, is 4. The penalty wants that slope to be 1, so "
    "it is (4 − 1)², which is 9. The critic of a GAN is often trained with such a penalty.",
    steps=(
        Step(
            "The penalty",
            PENALTY,
            look_at="w",
            pinned=STOPPED,
            letter="B",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What arrives at the weight `w`?",
                    told=(
                        (
                            "12",
                            "12 goes through `y`, where `w` meets `x`. The penalty reads `g`, not `y`. Of "
                            "what is `g` made?",
                        ),
                        (
                            "0",
                            "0 takes `g` for a plain number. It is 4 because `w` is 4: move `w`, and `g` "
                            "moves.",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="compare",
            text="The slope of `w` times `x` by `x` is `w` itself: the penalty reaches it. Without "
            "`create_graph` the penalty is printed and trains nothing.",
        ),
        Step(
            "Without create_graph",
            STOPPED,
            look_at="w",
            text="`g` is taken for a number: it has a stop. All values are as before.",
        ),
    ),
    to_try=(
        Try(
            "Open *Without create_graph*: the penalty is 9 as before, and `w` gets 0.",
            (Part(1),),
            ("penalty", "w"),
            then=(
                Claim("The penalty", "value", "penalty", 9.0, "by hand: (4 − 1)²", 1, EXACTLY),
                Claim("What arrives at w", "gradient", "w", 0.0, "by hand: behind a stop", 1, EXACTLY),
            ),
        ),
        Try(
            "In *The penalty* select `x`: 0 arrives. A straight line has the same slope everywhere.",
            (Part(edits=(selected("x"),)),),
            ("x",),
            then=(Claim("What arrives at x", "gradient", "x", 0.0, "by hand: (w)' by x", within=EXACTLY),),
        ),
        Try(
            "Move `w` to −1: the slope has size 1, and yet −4 arrives. In a GAN the size is taken "
            "first; here the sign counts.",
            (Part(edits=(put("w", -1.0),)),),
            ("w",),
            then=(Claim("What arrives at w", "gradient", "w", -4.0, "by hand: 2(−1 − 1)", within=EXACTLY),),
        ),
    ),
    claims=(
        Claim("The slope", "value", "g", 4.0, "by hand: (wx)' by x is w", within=EXACTLY),
        Claim("What arrives at w", "gradient", "w", 6.0, "by hand: 2(4 − 1) · 1", within=EXACTLY),
        Claim("What arrives at x", "gradient", "x", 0.0, "by hand: w does not move with x", within=EXACTLY),
        Claim("The penalty, with the stop", "value", "penalty", 9.0, "by hand: (4 − 1)²", 1, EXACTLY),
        Claim("What arrives at w then", "gradient", "w", 0.0, "by hand: behind a stop", 1, EXACTLY),
    ),
    predictions=(
        Prediction("6", RIGHT),
        Prediction("0", TOLD),
        Prediction("12", TOLD),
        Prediction("4", "value"),
    ),
    sources=(
        "The penalty is that of [Gulrajani and others](https://arxiv.org/abs/1704.00028). It never "
        "reached the critic in [AiDotNet 1844](https://github.com/ooples/AiDotNet/issues/1844) and in "
        "[mlpack 3063](https://github.com/mlpack/mlpack/issues/3063).",
    ),
    code="""x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(4.0, requires_grad=True)
(g,) = torch.autograd.grad(w * x, x, create_graph=True)
penalty = (g - 1) ** 2
penalty.backward()
w.grad  # 6.0
""",
)
