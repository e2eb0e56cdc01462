"""Ask for the gradient of a gradient, which is a node like any other."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

CUBE = """x = 3.0
y = x ** 3.0
g = grad(y, x)
"""
STOPPED = """x = 3.0
c = stop_gradient(x)
y = x * c
g = grad(y, x)
"""
ROUNDED = """x = 3.2
q = x - stop_gradient(x) + stop_gradient(round(x))
y = square(q)
g = grad(y, x)
"""

LESSON = Lesson(
    key="second",
    track="rules",
    title="A gradient is a value. Has it a gradient?",
    summary="What arrives at a node can be a node itself, and be differentiated again.",
    level=2,
    minutes=3,
    after=("declare-derivative",),
    found_by=("second derivative", "create_graph", "hessian", "double backward", "grad of grad"),
    text="`x` is 3 and `y` is x³. `g` is the slope of `y` at 3, so it is 27: a node like any other, and here "
    "the output.",
    steps=(
        Step(
            "The slope of a cube",
            CUBE,
            look_at="x",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`, from `g`?",
                    told=(
                        (
                            "6",
                            "6 is the slope of x². `g` is 3x².",
                        ),
                        (
                            "27",
                            "27 is `g` itself. How fast does it move when `x` moves?",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="The way back is arithmetic too: 3x² is made from `x`, so it moves with `x`, by 6x. A "
            "gradient has a gradient.",
        ),
        Step(
            "One factor stopped",
            STOPPED,
            look_at="g",
            text="`y` is 9, as x² would be. The slope by `x` is the other factor, `c`.",
        ),
        Step(
            "Rounded, then squared",
            ROUNDED,
            look_at="g",
            text="`q` is 3, with the slope 1 past the rounding: a straight-through step.",
        ),
    ),
    to_try=(
        Try(
            "Open *One factor stopped*: `g` is 3 and 0 arrives, for `c` counts as a number.",
            (Part(1),),
            ("g", "x"),
            then=(
                Claim("The slope", "value", "g", 3.0, "by hand: c = 3", 1, EXACTLY),
                Claim("What arrives at x", "gradient", "x", 0.0, "by hand: c is stopped", 1, EXACTLY),
            ),
        ),
        Try(
            "Open *Rounded, then squared*: `y` is 9, `g` is 6, and 2 arrives, as if nothing were rounded.",
            (Part(2),),
            ("g", "x"),
            then=(
                Claim("The slope", "value", "g", 6.0, "by hand: 2q · 1 = 6", 2, EXACTLY),
                Claim("What arrives at x", "gradient", "x", 2.0, "by hand: (2q)' = 2 · 1", 2, EXACTLY),
            ),
        ),
        Try(
            "In *The slope of a cube* move `x` to 0: `g` is 0 and 0 arrives. Move on to −1: `g` is 3, and "
            "−6 arrives.",
            (Part(edits=(put("x", 0.0),)), Part(edits=(put("x", -1.0),))),
            ("g", "x"),
            then=(
                Claim("The slope", "value", "g", 3.0, "by hand: 3 · (−1)²", within=EXACTLY),
                Claim("What arrives at x", "gradient", "x", -6.0, "by hand: 6 · (−1)", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The slope", "value", "g", 27.0, "by hand: 3x² = 3 · 9", within=EXACTLY),
        Claim("What arrives at x", "gradient", "x", 18.0, "by hand: (3x²)' = 6x = 18", within=EXACTLY),
        Claim("With a stopped factor", "gradient", "x", 0.0, "by hand: (c)' = 0", 1, EXACTLY),
        Claim("The value, rounded and squared", "value", "y", 9.0, "by hand: round(3.2)² = 3²", 2, EXACTLY),
        Claim("Its second slope", "gradient", "x", 2.0, "by hand: (2q)' = 2 · 1", 2, EXACTLY),
    ),
    predictions=(
        Prediction("18", RIGHT),
        Prediction("27", TOLD),
        Prediction("0", "grad-as-number"),
        Prediction("6", TOLD),
    ),
    sources=(
        "A rule that forgets the saved `x` loses this path: "
        "[jax 21220](https://github.com/jax-ml/jax/issues/21220). The third graph went wrong in "
        "[functorch 353](https://github.com/pytorch/functorch/issues/353).",
    ),
    code="""x = torch.tensor(3.0, requires_grad=True)
(g,) = torch.autograd.grad(x ** 3, x, create_graph=True)
g.backward()
x.grad  # 18.0
""",
)
