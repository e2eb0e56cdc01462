"""Ask for curvature along one direction: a gradient of slopes, without the matrix."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

TWO = """x = 1.0
y = 2.0
f = square(x) * y + y ** 3.0
gx = grad(f, x)
gy = grad(f, y)
dx = 1.0
dy = 1.0
hv = dx * gx + dy * gy
"""
RELU = """x = 1.0
y = relu(3.0 * x)
g = grad(y, x)
"""
TANH = """x = 1.0
y = tanh(x)
g = grad(y, x)
"""

LESSON = Lesson(
    key="hvp",
    track="rules",
    title="Curvature along one direction: must I build the whole matrix?",
    summary="How do the slopes change if both inputs move at once?",
    level=3,
    minutes=4,
    after=("second", "rows-or-columns"),
    found_by=("hessian vector product", "HVP", "curvature", "newton", "influence functions"),
    text="`f` is x²y + y³ at 1 and 2, where its slopes are 4 and 13. `hv` is their sum, 17: the slope of "
    "`f` in the direction 1, 1. Curvature in that direction is how this slope changes.",
    steps=(
        Step(
            "Two slopes and a direction",
            TWO,
            look_at="x",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`, from `hv`?",
                    told=(
                        (
                            "4",
                            "4 is how `gx`, 2xy, moves with `x`. `gy` holds an x² as well.",
                        ),
                        (
                            "2",
                            "2 is how `gy`, x² + 3y², moves with `x`. `gx` holds `x` as well.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="4 and 2. One more sweep back, through slope times direction, gives curvature times "
            "direction: 6 at `x` and 14 at `y`. No matrix was built.",
        ),
        Step("A relu", RELU, look_at="x", text="`y` is relu(3x), and `g` its slope."),
        Step("A tanh", TANH, look_at="x", text="`y` is tanh(x), and `g` its slope."),
    ),
    to_try=(
        Try(
            "Move `dy` to 0: 4 arrives at `x` and 2 at `y`, the first column of the matrix.",
            (Part(edits=(put("dy", 0.0),)),),
            ("x", "y"),
            then=(
                Claim("x gets", "gradient", "x", 4.0, "by hand: 2y", within=EXACTLY),
                Claim("y gets", "gradient", "y", 2.0, "by hand: 2x", within=EXACTLY),
            ),
        ),
        Try(
            "Open *A tanh*: −0.640 arrives. Then *A relu*: 0. It has a slope and no curvature.",
            (Part(2), Part(1)),
            ("x",),
            then=(Claim("x gets", "gradient", "x", 0.0, "by hand: the slope is 3 all around", 1, EXACTLY),),
        ),
    ),
    claims=(
        Claim("The slope along 1, 1", "value", "hv", 17.0, "by hand: 2xy + x² + 3y² = 4 + 13"),
        Claim("x gets", "gradient", "x", 6.0, "by hand: 2y + 2x = 4 + 2"),
        Claim("y gets", "gradient", "y", 14.0, "by hand: 2x + 6y = 2 + 12"),
        Claim("Of a relu", "gradient", "x", 0.0, "by hand: the slope is 3 all around", 1, EXACTLY),
        Claim(
            "Of a tanh",
            "gradient",
            "x",
            -0.6397000,
            "by hand: −2 tanh 1 · (1 − tanh² 1) = −2 · 0.7615942 · 0.4199743",
            2,
            digits=5,
        ),
    ),
    predictions=(
        Prediction("6", RIGHT),
        Prediction("4", TOLD),
        Prediction("2", TOLD),
        Prediction("17", "value"),
    ),
    sources=(
        "Products with a matrix that is never built: [jax "
        "1345](https://github.com/jax-ml/jax/issues/1345). No curvature behind a relu: "
        "[pytorch-grad-cam 582](https://github.com/jacobgil/pytorch-grad-cam/issues/582).",
    ),
    code="""def slope(x, y):
    gx, gy = jax.grad(lambda x, y: x ** 2 * y + y ** 3, (0, 1))(x, y)
    return gx + gy

jax.grad(slope, (0, 1))(1.0, 2.0)  # (6.0, 14.0)
""",
)
