"""Ask where a NaN began."""

from math import inf, nan

from autodiff_viz.asking.question import ASKED_ALONE, CAUSE, COTANGENT, Quantity, Question
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

OVERFLOW = """x = 100.0
e = exp(x)
s = 1.0 + e
y = log(s)
"""
SOFTPLUS = """x = 100.0
y = softplus(x)
"""
UNDERFLOW = """x = -110.0
y = -log(sigmoid(x))
"""
JAX_RULES = "https://docs.jax.dev/en/latest/301/custom-jvp-vjp.html"
PAGE = "JAX, custom derivative rules: log1pexp"

LESSON = Lesson(
    key="nan-from",
    track="zero_and_nan",
    title="Everything is NaN. Where did it begin?",
    summary="A curve that is almost a straight line, and a gradient that is no number.",
    level=1,
    minutes=3,
    after=("branch-nan",),
    found_by=("nan", "inf", "overflow", "log1pexp", "softplus", "float32", "exploding"),
    text="`x` is 100 and `y` is ln(1 + eˣ), so `y` should be 100, with slope 1. But `y` is ∞, and NaN "
    "arrives at `x`.",
    steps=(
        Step(
            "In 32 bits",
            OVERFLOW,
            look_at="x",
            questions=(
                Question(
                    CAUSE,
                    Quantity(COTANGENT, "x"),
                    words="Click the node that is to blame.",
                    told=(
                        (
                            "y",
                            "The logarithm of ∞ is ∞: `y` only hands on what it reads. Look nearer to `x`.",
                        ),
                        ("s", "1 more is not what makes it ∞: `s` reads an ∞ already."),
                        ("x", "100 is an ordinary number. What is made of it?"),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="`e`: e¹⁰⁰ is too large for 32 bits. A NaN begins at the first number that is not finite, "
            "or at the first wire with 0 · ∞. All others inherit it.",
        ),
        Step(
            "As one op",
            SOFTPLUS,
            look_at="x",
            text="softplus computes the same without an e¹⁰⁰, and its slope is the sigmoid of `x`.",
        ),
        Step(
            "In 64 bits",
            OVERFLOW,
            look_at="x",
            dtype=FLOAT64,
            text="64 bits reach up to e⁷⁰⁹, so e¹⁰⁰ is a number here. At 710 the same happens.",
        ),
        Step(
            "A sigmoid far out",
            UNDERFLOW,
            look_at="x",
            text="The other end: sigmoid(−110) is e⁻¹¹⁰, too small for 32 bits, so it is 0. Its "
            "logarithm is −∞.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to 87: 1 arrives. Move it to 89: NaN. Between them, at e^88.7, the numbers of 32 "
            "bits end.",
            (Part(edits=(put("x", 87.0),)), Part(edits=(put("x", 89.0),))),
            ("x",),
            then=(
                Claim(
                    "e",
                    "value",
                    "e",
                    inf,
                    "by hand: e⁸⁹ is more than 3.4028235e38 = e^88.72, the largest float32",
                ),
                Claim("What arrives at x", "cotangent", "x", nan, "by hand: 1/∞ · ∞ = 0 · ∞"),
            ),
        ),
        Try(
            "Open *In 64 bits*: 100, and 1 arrives.",
            (Part(2),),
            ("x",),
            then=(
                Claim("y", "value", "y", 100.0, "by hand: ln(1 + e¹⁰⁰) = 100 + ln(1 + e⁻¹⁰⁰)", 2),
                Claim("What arrives at x", "cotangent", "x", 1.0, "by hand: sigmoid(100)", 2),
            ),
        ),
        Try(
            "Open *A sigmoid far out*: ∞ and NaN, this time from a number that is too small.",
            (Part(3),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", nan, "by hand: −1/0 · 0 = −∞ · 0", 3),),
        ),
    ),
    claims=(
        Claim(
            "e", "value", "e", inf, "by hand: e¹⁰⁰ is more than 3.4028235e38 = e^88.72, the largest float32"
        ),
        Claim("What arrives at x", "cotangent", "x", nan, f"{PAGE}, as printed; by hand: 1/∞ · ∞ = 0 · ∞"),
        Claim("y", "value", "y", 100.0, "by hand: 100 + ln(1 + e⁻¹⁰⁰)", 1),
        Claim(
            "What arrives at x",
            "cotangent",
            "x",
            1.0,
            f"{PAGE}, as printed with its own rule; by hand: sigmoid(100)",
            1,
            EXACTLY,
        ),
        Claim("y", "value", "y", 100.0, "by hand: 100 + ln(1 + e⁻¹⁰⁰)", 2),
        Claim("What arrives at x", "cotangent", "x", 1.0, "by hand: sigmoid(100)", 2),
        Claim("y", "value", "y", inf, "by hand: −ln 0", 3),
        Claim("What arrives at x", "cotangent", "x", nan, "by hand: −1/0 · 0 = −∞ · 0", 3),
    ),
    predictions=(
        Prediction("e", RIGHT),
        Prediction("y", TOLD),
        Prediction("s", TOLD),
        Prediction("x", TOLD),
    ),
    sources=(f"[JAX: custom derivative rules]({JAX_RULES}): log1pexp, whose slope at 100 is printed as NaN",),
    code="jax.grad(lambda x: jax.numpy.log(1.0 + jax.numpy.exp(x)))(100.0)  # nan",
)
