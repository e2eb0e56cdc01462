"""Ask for the second derivative of a declared rule: a product has two terms."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

CALLS = """x = 0.5
foo = custom(ones_like(x), pullback=lambda v, x, y: v * x)
fun = square(foo)
g = grad(fun, x)
"""
BARE = """x = 0.5
foo = ones_like(x)
g = 2.0 * foo * x
"""

LESSON = Lesson(
    key="product-rule",
    track="rules",
    title="I trust my rule once. May I differentiate it twice?",
    summary="A declared slope is right, and the slope of that slope is another matter.",
    level=3,
    minutes=4,
    after=("second", "declare-derivative"),
    found_by=("custom_jvp", "second derivative", "hessian of a custom rule"),
    text="`foo` is 1 and declares the slope `x`, 0.5. So its square has the slope 2 · `foo` · `x`: that is "
    "`g`, 1. Written out by hand with a plain 1 for `foo`, the next slope is 2.",
    steps=(
        Step(
            "By the rule",
            CALLS,
            look_at="x",
            pinned=BARE,
            letter="B",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x`, from `g`, with the rule?",
                    told=(
                        (
                            "2",
                            "2 takes `foo` for a number. It has declared that it moves with `x`.",
                        ),
                        (
                            "0.5",
                            "0.5 is the term in which `foo` moves. The factor `x` moves as well.",
                        ),
                        (
                            "0",
                            "0 takes all of `g` for a number. But `g` holds `x` openly, so it moves "
                            "with `x`.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="2 and 0.5: the slope of a product has two terms. In the rule `foo` stays a function, so "
            "both are there. A plain 1 has no slope, and the second is lost.",
        ),
        Step(
            "By hand",
            BARE,
            look_at="x",
            text="The slope is written out, with the value of `foo`, which has no rule here.",
        ),
    ),
    to_try=(
        Try(
            "Open *By hand*: `g` is 1 as well, and 2 arrives. A test of `g` alone finds nothing.",
            (Part(1),),
            ("g", "x"),
            then=(
                Claim("The slope", "value", "g", 1.0, "by hand: 2 · 1 · 0.5", 1, EXACTLY),
                Claim("What arrives at x", "gradient", "x", 2.0, "by hand: (2x)' = 2", 1, EXACTLY),
            ),
        ),
        Try(
            "In *By the rule* move `x` to 0: 2 arrives, as by hand. Then to 1: 4.",
            (Part(edits=(put("x", 0.0),)), Part(edits=(put("x", 1.0),))),
            ("x",),
            then=(
                Claim("What arrives at x", "gradient", "x", 4.0, "by hand: 2 · 1 + 2 · 1²", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The slope", "value", "g", 1.0, "by hand: 2 · foo · foo' = 2 · 1 · 0.5", within=EXACTLY),
        Claim(
            "What arrives at x",
            "gradient",
            "x",
            2.5,
            "by hand: 2 · foo'² + 2 · foo · foo'' = 2 · 0.25 + 2 · 1 · 1",
            within=EXACTLY,
        ),
        Claim("What arrives, by hand with a bare 1", "gradient", "x", 2.0, "by hand: (2x)' = 2", 1, EXACTLY),
    ),
    predictions=(
        Prediction("2.5", RIGHT),
        Prediction("2", TOLD),
        Prediction("0.5", TOLD),
        Prediction("1", "value"),
    ),
    sources=(
        "JAX's `custom_jvp` gives 2 or 2.5, by whether the rule calls `foo(x)`: "
        "[jax 28805](https://github.com/jax-ml/jax/issues/28805).",
    ),
    code="""@jax.custom_jvp
def foo(x):
    return jnp.ones_like(x)

foo.defjvp(lambda primals, tangents: (foo(primals[0]), primals[0] * tangents[0]))
fun = lambda x: foo(x) ** 2
jax.grad(jax.grad(fun))(0.5)  # 2.5
""",
)
