"""Ask for the gradient through three steps of an iteration that rests."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

STEPS = """a = 1.0
x0 = 2.0
x1 = 0.5 * x0 + a
x2 = 0.5 * x1 + a
x3 = 0.5 * x2 + a
"""
LAST = STEPS.replace("0.5 * x2", "0.5 * stop_gradient(x2)")
CLOSED = STEPS + "x = backward_as(x3, a / (1.0 - 0.5))\n"
NEWTON = """a = 2.0
x1 = 0.5 * (1.0 + a / 1.0)
x2 = 0.5 * (x1 + a / x1)
rest = stop_gradient(x2)
x3 = 0.5 * (rest + a / rest)
"""

LESSON = Lesson(
    key="implicit",
    track="rules",
    title="Iterated to rest: must I go back through every step?",
    summary="A loop runs until nothing changes. How does its result move with its input?",
    level=3,
    minutes=4,
    after=("bptt", "fork"),
    found_by=("fixed point", "unroll", "implicit function theorem", "deep equilibrium", "custom_root"),
    text="Half of `x`, plus `a`, again and again, comes to rest at 2 · `a`. `a` is 1 and `x0` is 2, so "
    "`x1`, `x2` and `x3` are 2 as well.",
    steps=(
        Step(
            "Three steps",
            STEPS,
            look_at="a",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "a"),
                    words="What arrives at `a`, from `x3`?",
                    told=(
                        (
                            "2",
                            "2 is how far the place of rest moves. Three steps do not get there: a nudge of "
                            "`a` is still on its way.",
                        ),
                        (
                            "3",
                            "3 counts each step once. What an early step adds is halved by each later one.",
                        ),
                        (
                            "1",
                            "1 comes from the last step alone. `a` goes into the earlier ones too.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="1, ½ and ¼: three steps, three terms. Endlessly many add up to 2, and a formula gives "
            "that without any step: 1 over 1 minus the slope ½.",
        ),
        Step("The last step alone", LAST, look_at="a", text="`x2` has a stop: one step is differentiated."),
        Step(
            "The place of rest",
            CLOSED,
            look_at="a",
            text="Forward the three steps, backward the slope of a/(1 − ½): the implicit function theorem.",
        ),
        Step(
            "Newton's steps to √2",
            NEWTON,
            look_at="a",
            text="Here too only the last step is differentiated, and it is enough: at rest a Newton step has "
            "slope 0 by `x`.",
        ),
    ),
    to_try=(
        Try(
            "Open *The last step alone*: 1 arrives, half the truth. Then *The place of rest*: 2.",
            (Part(1), Part(2)),
            ("a",),
            then=(Claim("What arrives at a", "gradient", "a", 2.0, "by hand: 1/(1 − ½)", 2, EXACTLY),),
        ),
        Try(
            "Open *Newton's steps to √2*: the last step alone gives 0.35294, where 0.35355 is true.",
            (Part(3),),
            ("a",),
            then=(
                Claim(
                    "What arrives at a",
                    "gradient",
                    "a",
                    6 / 17,
                    "by hand: ½ · 1/x2 with x1 = 3/2 and x2 = 17/12",
                    3,
                ),
            ),
        ),
    ),
    claims=(
        Claim("At rest", "value", "x3", 2.0, "by hand: ½ · 2 + 1", within=EXACTLY),
        Claim("What arrives at a", "gradient", "a", 1.75, "by hand: 1 + ½ + ¼", within=EXACTLY),
        Claim("From the last step", "gradient", "a", 1.0, "by hand: the last term", 1, EXACTLY),
        Claim("From the place of rest", "gradient", "a", 2.0, "by hand: 1/(1 − ½)", 2, EXACTLY),
        Claim(
            "From Newton's last step",
            "gradient",
            "a",
            0.35355339,
            "by hand: the slope of √a at 2 is 1/(2√2)",
            3,
            within=1e-3,
        ),
    ),
    predictions=(
        Prediction("1.75", RIGHT),
        Prediction("2", TOLD),
        Prediction("3", TOLD),
        Prediction("1", TOLD),
    ),
    sources=(
        "Newton's steps and the theorem: [JAX, Custom derivative "
        "rules](https://docs.jax.dev/en/latest/notebooks/Custom_derivative_rules_for_Python_code.html). "
        "Memory that grows with the steps: [jax-md PR 158](https://github.com/jax-md/jax-md/pull/158). "
        "Going back through everything is not the only way: [jax "
        "1448](https://github.com/jax-ml/jax/issues/1448).",
    ),
    code="""def rest(a):
    x = 2.0
    for _ in range(3):
        x = 0.5 * x + a
    return x

jax.grad(rest)(1.0)  # 1.75
""",
)
