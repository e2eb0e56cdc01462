"""Ask what a product with a matrix sends back, by which a hand-written backward is tested."""

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
    selected,
)
from autodiff_viz.lessons.tour import Step

PRODUCT = """W = [[1.0, 2.0], [3.0, 4.0]]
u = [1.0, -1.0]
Ju = W @ u
y = dot(Ju, [3.0, 1.0])
"""
WEIGHTS = "expand_dims(v, 1) * expand_dims(u, 0)"
ALONG_ROWS = PRODUCT.replace("W @ u", f"custom(W @ u, pullback=lambda v, W, u, y: ({WEIGHTS}, W @ v))")

LESSON = Lesson(
    key="adjoint",
    track="rules",
    title="Is my hand-written backward right?",
    summary="A product with a matrix has a backward of its own. How is it checked?",
    level=3,
    minutes=4,
    after=("declare-derivative", "matmul"),
    found_by=("check_grads", "gradcheck", "transpose", "vjp", "dot product test"),
    text="`W` has the rows 1, 2 and 3, 4. It takes `u` to `Ju`, and on the way back 3 and 1 arrive there. "
    "You write the backward yourself.",
    steps=(
        Step(
            "JAX's own backward",
            PRODUCT,
            look_at="u",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "u", element=(0,)),
                    words="What must arrive at the first place of `u`?",
                    told=(
                        (
                            "4",
                            "4 adds up the first column. But 3 arrives at the first row and 1 at the second: "
                            "weigh them.",
                        ),
                        (
                            "3",
                            "3 is what arrives at the first row. The first place of `u` goes into both rows.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="Forward reads the matrix by rows, back by columns. Then what arrives times the result "
            "equals what is passed on times the input: a test that needs no right numbers.",
        ),
        Step(
            "Declared along the rows",
            ALONG_ROWS,
            look_at="u",
            text="This node declares `W @ v` for `u`. All values are as before.",
        ),
    ),
    to_try=(
        Try(
            "Select `Ju`. Arriving times result: 3 · (−1) + 1 · (−1) = −4. Passed on times input: 6 · 1 + "
            "10 · (−1) = −4.",
            (Part(edits=(selected("Ju"),)),),
            ("Ju", "u"),
            then=(
                Claim("The result", "value", "Ju", (-1.0, -1.0), "by hand: 1 − 2 and 3 − 4", within=EXACTLY),
                Claim("What is passed on", "gradient", "u", (6.0, 10.0), "by hand: Wᵀv", within=EXACTLY),
            ),
        ),
        Try(
            "Open *Declared along the rows*: 5 · 1 + 13 · (−1) = −8, and not −4. The rule is wrong, though "
            "no value shows it.",
            (Part(1),),
            ("u", "rule_check"),
            then=(
                Claim("What is passed on", "gradient", "u", (5.0, 13.0), "by hand: W v", 1, EXACTLY),
                Claim(
                    "The output, as before", "value", "y", -4.0, "by hand: 3 · (−1) + 1 · (−1)", 1, EXACTLY
                ),
            ),
        ),
        Try(
            "There declare `v @ W` in place of `W @ v`: 6 and 10, and −4 on both sides.",
            (Part(1, (function("Ju", f"lambda v, W, u, y: ({WEIGHTS}, v @ W)"),)),),
            ("u",),
            then=(Claim("What is passed on", "gradient", "u", (6.0, 10.0), "by hand: Wᵀv", 1, EXACTLY),),
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
        Claim("Arriving times result", "value", "y", -4.0, "by hand: 3(1 − 2) + 1(3 − 4)", within=EXACTLY),
        Claim(
            "What the wrong rule passes",
            "gradient",
            "u",
            (5.0, 13.0),
            "by hand: along the rows, 1 · 3 + 2 · 1 and 3 · 3 + 4 · 1",
            1,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("6", RIGHT),
        Prediction("5", "transposed"),
        Prediction("4", TOLD),
        Prediction("3", TOLD),
    ),
    sources=(
        "What `check_grads` compares, with differences along one random direction: [jax "
        "2648](https://github.com/jax-ml/jax/issues/2648). The two products of this lesson: "
        "`check_vjp` of [autograd](https://github.com/HIPS/autograd/blob/master/autograd/test_util.py).",
    ),
    code="""W = jnp.array([[1.0, 2.0], [3.0, 4.0]])
u = jnp.array([1.0, -1.0])
Ju, pull = jax.vjp(lambda u: W @ u, u)
pull(jnp.array([3.0, 1.0]))  # [6.0, 10.0]
""",
)
