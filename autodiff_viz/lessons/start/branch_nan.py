"""Ask what comes back from a branch that was not taken."""

from math import nan

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

ROOT = """x = 0.0
y = where(x > 0.0, sqrt(x), 0.0)
"""
TWICE = """x = 0.0
safe = where(x > 0.0, x, 1.0)
y = where(x > 0.0, sqrt(safe), 0.0)
"""
LOGARITHM = """x = 0.0
y = where(x > 0.0, log(x), 0.0)
"""
FAQ = "JAX's FAQ, gradients contain NaN where using where"
ROOT_SLOPE = "by hand: 0 · 1/(2√0) = 0 · ∞"

LESSON = Lesson(
    key="branch-nan",
    track="start",
    title="A branch is not taken. Does it matter for the gradient?",
    summary="A guarded root, with every number on the way forward 0. What comes back?",
    level=1,
    minutes=2,
    after=("fork",),
    found_by=("nan", "where", "sqrt", "mask", "double where", "inf"),
    text="`x` is 0, so `where` does not take the root, and `y` is 0. Many programs guard a root like this. "
    "Every number on the way forward is finite. ∞ and NaN, which is no number at all, are answers too.",
    steps=(
        Step(
            "A guarded root",
            ROOT,
            look_at="x",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`?",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="`where` computes both branches and sends 0 to the one not taken. The root multiplies "
            "that 0 by its slope, ∞. 0 · ∞ is NaN, and so is every sum with NaN.",
        ),
        Step(
            "With a second where",
            TWICE,
            look_at="x",
            text="The first `where` gives the root a 1 to read in place of the 0. Its slope there is ½, "
            "and 0 · ½ is 0.",
        ),
        Step(
            "A guarded logarithm",
            LOGARITHM,
            look_at="x",
            text="The same with a logarithm, as JAX's FAQ has it: the value is 0, the gradient NaN.",
        ),
    ),
    to_try=(
        Try(
            "Open *With a second where*: `y` stays 0, and 0 arrives.",
            (Part(1),),
            ("x",),
            then=(
                Claim("y", "value", "y", 0.0, "by hand: the branch that is taken", 1, within=EXACTLY),
                Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: 0 · ½ · 0", 1, within=EXACTLY),
            ),
        ),
        Try(
            "In *A guarded root* move `x` to 4: the root is taken, 0.25 arrives, and nobody would "
            "suspect the line.",
            (Part(edits=(put("x", 4.0),)),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", 0.25, "by hand: 1/(2√4)", within=EXACTLY),),
        ),
        Try(
            "Open *A guarded logarithm*: is it any better?",
            (Part(2),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", nan, "by hand: 0 · 1/0 = 0 · ∞", 2),),
        ),
    ),
    claims=(
        Claim(
            "What where sends to the root",
            "passed",
            ("y", 1),
            0.0,
            "by hand: the branch is not taken",
            0,
            EXACTLY,
        ),
        Claim("What arrives at x", "cotangent", "x", nan, ROOT_SLOPE, 0),
        Claim("What arrives at x", "cotangent", "x", 0.0, "by hand: 0 · ½ · 0", 1, EXACTLY),
        Claim("The value", "value", "y", 0.0, FAQ, 2, EXACTLY),
        Claim("What arrives at x", "cotangent", "x", nan, FAQ, 2),
    ),
    predictions=(
        Prediction("NaN", RIGHT),
        Prediction("0", "zero-for-nan"),
        Prediction("inf", "slope-alone"),
    ),
    sources=(
        "[JAX's FAQ](https://docs.jax.dev/en/latest/faq.html#gradients-contain-nan-where-using-where): "
        "gradients contain NaN where using `where`",
        "[jax-ml/jax #347](https://github.com/jax-ml/jax/issues/347): a root behind a `where`; "
        "[ml-explore/mlx #3668](https://github.com/ml-explore/mlx/issues/3668): the same in MLX",
    ),
    code="x = torch.tensor(0., requires_grad=True)\n"
    "torch.where(x > 0, x.sqrt(), 0.).backward()\n"
    "x.grad  # nan",
)
