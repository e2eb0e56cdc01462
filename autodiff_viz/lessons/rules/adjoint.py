"""Ask what a right backward must satisfy: the number by which a hand-written one is tested."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    function,
    written,
)
from autodiff_viz.lessons.tour import Step

PRODUCT = """W = [[1.0, 2.0], [3.0, 4.0]]
u = [1.0, -1.0]
Ju = W @ u
"""
WEIGHTS = "expand_dims(v, 1) * expand_dims(u, 0)"
ALONG_ROWS = PRODUCT.replace("W @ u", f"custom(W @ u, pullback=lambda v, W, u, y: ({WEIGHTS}, W @ v))")
BOTH = """W = [[1.0, 2.0], [3.0, 4.0]]
u = [1.0, -1.0]
v = [3.0, 1.0]
Ju = W @ u
there = dot(v, Ju)
passed = v @ W
back = dot(passed, u)
both = stack([there, back])
"""
ARRIVING = (3.0, 1.0)

LESSON = Lesson(
    key="adjoint",
    track="rules",
    title="Is my hand-written backward right?",
    summary="A product with a matrix has a backward of its own. How is it checked?",
    level=3,
    minutes=4,
    after=("declare-derivative", "matmul"),
    found_by=("check_grads", "gradcheck", "transpose", "vjp", "dot product test"),
    text="`W` has the rows 1, 2 and 3, 4. It takes `u`, 1 and −1, to `Ju`. On the way back 3 and 1 arrive "
    "there, and your backward passes two numbers on to `u`.",
    steps=(
        Step(
            "A product with a matrix",
            PRODUCT,
            look_at="u",
            seed=ARRIVING,
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "u"),
                    words="Its two numbers times those of `u`, added up: what must that be?",
                    told=(
                        (
                            "-8",
                            "−8 goes along the rows: 1 · 3 + 2 · 1 for the first place. But which entries of "
                            "`W` does that place meet?",
                        ),
                        (
                            "16",
                            "16 adds up what is passed on. Its second number meets a −1 in `u`.",
                        ),
                        (
                            "-2",
                            "−2 counts both rows once. But 3 arrives at the first row, and 1 at the second.",
                        ),
                        (
                            "2",
                            "2 is what arrives times `u`. Between the two stands `W`.",
                        ),
                    ),
                    right="-4",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="6 · 1 + 10 · (−1). What arrives, times `Ju`, is the same: 3 · (−1) + 1 · (−1). So a "
            "backward is tested without knowing the right gradient.",
        ),
        Step(
            "Declared along the rows",
            ALONG_ROWS,
            look_at="u",
            seed=ARRIVING,
            text="This node declares `W @ v` for `u`. All values are as before.",
        ),
        Step(
            "Both products",
            BOTH,
            look_at="both",
            text="The test as a graph: `there` multiplies after the matrix, `back` before it.",
        ),
    ),
    to_try=(
        Try(
            "Open *Declared along the rows*: 5 · 1 + 13 · (−1) = −8. The rule is wrong, though no value "
            "shows it.",
            (Part(1),),
            ("u", "rule_check"),
            then=(
                Claim("What is passed on", "gradient", "u", (5.0, 13.0), "by hand: W v", 1, EXACTLY),
                Claim("The result, as before", "value", "Ju", (-1.0, -1.0), "by hand: W u", 1, EXACTLY),
            ),
        ),
        Try(
            "There declare `v @ W + 3.0`: 9 and 13 give −4 too. One `u` may miss a mistake, so tests draw "
            "several.",
            (Part(1, (function("Ju", f"lambda v, W, u, y: ({WEIGHTS}, v @ W + 3.0)"),)),),
            ("u",),
            then=(
                Claim(
                    "What is passed on",
                    "gradient",
                    "u",
                    (9.0, 13.0),
                    "by hand: Wᵀv, which is 6 and 10, and 3 more",
                    1,
                    EXACTLY,
                ),
            ),
        ),
        Try(
            "Open *Both products* and write `[2.0, 5.0]` for `u`: 62 and 62.",
            (Part(2, (written("u", "[2.0, 5.0]"),)),),
            ("there", "back"),
            then=(
                Claim("After the matrix", "value", "there", 62.0, "by hand: 3 · 12 + 1 · 26", 2, EXACTLY),
                Claim("Before it", "value", "back", 62.0, "by hand: 6 · 2 + 10 · 5", 2, EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim(
            "What arrives at u",
            "gradient",
            "u",
            (6.0, 10.0),
            "by hand: down the columns, 1 · 3 + 3 · 1 and 2 · 3 + 4 · 1",
            within=EXACTLY,
        ),
        Claim("The result", "value", "Ju", (-1.0, -1.0), "by hand: 1 − 2 and 3 − 4", within=EXACTLY),
        Claim(
            "What the wrong rule passes",
            "gradient",
            "u",
            (5.0, 13.0),
            "by hand: along the rows, 1 · 3 + 2 · 1 and 3 · 3 + 4 · 1",
            1,
            EXACTLY,
        ),
        Claim("Arriving times result", "value", "there", -4.0, "by hand: 3(1 − 2) + 1(3 − 4)", 2, EXACTLY),
        Claim("Passed on times input", "value", "back", -4.0, "by hand: 6 · 1 + 10 · (−1)", 2, EXACTLY),
    ),
    predictions=(
        Prediction("-4", RIGHT),
        Prediction("-8", TOLD),
        Prediction("16", TOLD),
        Prediction("-2", TOLD),
        Prediction("2", TOLD),
    ),
    sources=(
        "What `check_grads` compares, with differences along one random direction: [jax "
        "2648](https://github.com/jax-ml/jax/issues/2648). The two products of this lesson: "
        "`check_vjp` of [autograd](https://github.com/HIPS/autograd/blob/master/autograd/test_util.py).",
    ),
    code="""W = jnp.array([[1.0, 2.0], [3.0, 4.0]])
u = jnp.array([1.0, -1.0])
v = jnp.array([3.0, 1.0])
Ju, pull = jax.vjp(lambda u: W @ u, u)
(passed,) = pull(v)  # [6.0, 10.0]
there = v @ Ju  # -4.0
back = passed @ u  # -4.0
""",
)
