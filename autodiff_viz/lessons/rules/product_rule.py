"""Ask for the second derivative of a hand-written square, whose rule reads a number that was saved."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, function
from autodiff_viz.lessons.tour import Step

SAVED = """x = 3.0
saved = stop_gradient(x)
y = custom(x * saved, pullback=lambda v, x, saved, y: (2.0 * saved * v, 0.0))
z = x * y
g = grad(z, x)
"""
PLAIN = """x = 3.0
y = square(x)
z = x * y
g = grad(z, x)
"""

LESSON = Lesson(
    key="product-rule",
    track="rules",
    title="I trust my rule once. May I differentiate it twice?",
    summary="A hand-written backward gives the right slope. Then someone asks for the slope of that slope.",
    level=3,
    minutes=4,
    after=("second", "declare-derivative"),
    found_by=(
        "custom_jvp",
        "second derivative",
        "hessian of a custom rule",
        "double backward",
        "gradgradcheck",
        "save_for_backward",
    ),
    text="`y` is x², with a backward written by hand: `saved` keeps `x`, 3, and the rule passes on "
    "2 · `saved`, 6. `z` is `x` times `y`, so x³, and its slope `g` is 27, as it should be.",
    steps=(
        Step(
            "By the rule",
            SAVED,
            look_at="x",
            pinned=PLAIN,
            letter="B",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`, from `g`?",
                    told=(
                        (
                            "18",
                            "18 is 6x, which calculus gives. It needs all of `g` to move with `x`. Does "
                            "`saved` tell anyone that it does?",
                        ),
                        ("12", "`y` moves with `x`, and so does the factor `x`: 6 and 6."),
                        (
                            "6",
                            "6 is one term of a product. `g` is `y` plus `x` times 2 · `saved`: look for "
                            "every factor that moves.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="`g` is `y` + `x` · 2 · `saved`. `y` brings 6 and `x` brings 6. `saved` is a plain number: "
            "its 6 is lost. The rule is right once and wrong twice, and no error says so.",
        ),
        Step(
            "A square without a rule",
            PLAIN,
            look_at="x",
            text="The same values and the same `g`. The slope 2x is made from `x`, so it moves with it.",
        ),
    ),
    to_try=(
        Try(
            "In the rule of `y` write `x` for `saved`: 18 arrives. Such a rule may be differentiated again.",
            (Part(edits=(function("y", "lambda v, x, saved, y: (2.0 * x * v, 0.0)"),)),),
            ("x",),
            then=(
                Claim("The slope, as before", "value", "g", 27.0, "by hand: 3 · 3²", within=EXACTLY),
                Claim("What arrives at x", "gradient", "x", 18.0, "by hand: 6 + 6 + 6", within=EXACTLY),
            ),
        ),
        Try(
            "Open *A square without a rule*: `g` is 27 there too. A test of the first slope finds nothing; "
            "18 arrives.",
            (Part(1),),
            ("g", "x"),
            then=(
                Claim("The slope", "value", "g", 27.0, "by hand: 3 · 3²", 1, EXACTLY),
                Claim("What arrives at x", "gradient", "x", 18.0, "by hand: (3x²)' = 6 · 3", 1, EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The slope", "value", "g", 27.0, "by hand: y + x · 2 · saved = 9 + 18", within=EXACTLY),
        Claim(
            "What arrives at x",
            "gradient",
            "x",
            12.0,
            "by hand: 2 · saved for y, and 2 · saved for the factor x",
            within=EXACTLY,
        ),
        Claim("What arrives without a rule", "gradient", "x", 18.0, "by hand: (3x²)' = 6 · 3", 1, EXACTLY),
    ),
    predictions=(
        Prediction("12", RIGHT),
        Prediction("18", TOLD),
        Prediction("6", TOLD),
        Prediction("0", "grad-as-number"),
        Prediction("27", "value"),
    ),
    sources=(
        "In PyTorch all that `forward` computes and keeps in `ctx` is such a number, and the second "
        "derivative is silently wrong: [pytorch 58509](https://github.com/pytorch/pytorch/issues/58509). "
        "In JAX a `custom_jvp` rule loses a term if it does not call its own function: "
        "[jax 28805](https://github.com/jax-ml/jax/issues/28805).",
    ),
    code="""class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.saved = x.detach()
        return x * ctx.saved

    @staticmethod
    def backward(ctx, v):
        return 2 * ctx.saved * v

x = torch.tensor(3.0, requires_grad=True)
z = x * Square.apply(x)
(g,) = torch.autograd.grad(z, x, create_graph=True)  # 27.0
g.backward()
x.grad  # 12.0
""",
)
