"""Ask what a skip connection changes: each doubles the ways back, and one of them multiplies by 1 alone."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

SKIPS = """h = 0.0
for i in range(3):
    h = h + (sigmoid(h) - 0.5)
"""
PLAIN = """h = 0.0
for i in range(3):
    h = sigmoid(h) - 0.5
"""
TEN = SKIPS.replace("range(3)", "range(10)")

LESSON = Lesson(
    key="residual",
    title="What does a skip connection change?",
    summary="Three layers that let little through, each with a wire around it.",
    track="networks",
    level=2,
    minutes=3,
    after=("vanish", "fork"),
    found_by=("skip", "resnet", "residual", "paths", "vanishing"),
    text="`h` goes through three layers with a slope of ¼ each. In a row they would let 1/64 of a 1 through. "
    "Here a wire leads around each layer and is added to what comes out of it, a skip.",
    steps=(
        Step(
            "Three layers with skips",
            SKIPS,
            look_at="h",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "h"),
                    words="What arrives at `h` with the skips?",
                    told=(
                        ("125/64", "Each layer with its skip multiplies by 1 + ¼."),
                        ("1", "1 comes along the skips alone. The layers bring something too."),
                        ("1/64", "1/64 comes through all layers. There are ways around them."),
                        (
                            "65/64",
                            "1 + 1/64 are two ways: around all layers, and through all. One can also go "
                            "through some of them.",
                        ),
                        ("1.75", "1 + ¾ goes around all layers, or through one. What of two or three?"),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="Every skip doubles the ways back. Three make eight, 1.95 together, and one of the eight "
            "multiplies by nothing but 1.",
        ),
        Step(
            "No skips",
            PLAIN,
            look_at="h",
            text="One way back, through all three layers.",
        ),
        Step(
            "Ten layers with skips",
            TEN,
            look_at="h",
            text="Each layer multiplies what comes back by 1 + ¼.",
        ),
    ),
    to_try=(
        Try(
            "Open *No skips*: one way is left, and 0.0156 arrives.",
            (Part(1, unchanged=True),),
            ("h", "paths"),
            then=(Claim("h gets", "gradient", "h", 1 / 64, "by hand: ¼ · ¼ · ¼", within=EXACTLY),),
        ),
        Try(
            "Open *Ten layers with skips*: 9.31 arrives, along 1,024 ways. With skips too a gradient "
            "can grow with the depth.",
            (Part(2, unchanged=True),),
            ("h",),
            then=(Claim("h gets", "gradient", "h", 1.25**10, "by hand: 1.25¹⁰"),),
        ),
    ),
    claims=(
        Claim(
            "h gets with skips",
            "gradient",
            "h",
            1.953125,
            "by hand: 1 + 3 · ¼ + 3 · 1/16 + 1/64 = (1 + ¼)³; 2ⁿ paths: Veit et al., arXiv:1605.06431",
        ),
        Claim("h gets without", "gradient", "h", 0.015625, "by hand: (¼)³", 1),
        Claim("h gets with ten skips", "gradient", "h", 9.3132257, "by hand: 1.25¹⁰", 2),
    ),
    predictions=(
        Prediction("1.953125", RIGHT),
        Prediction("125/64", RIGHT),
        Prediction("1", "one-path"),
        Prediction("1/64", "one-path"),
        Prediction("65/64", TOLD),
        Prediction("1.75", TOLD),
    ),
    sources=(
        "[Veit et al., *Residual networks behave like ensembles*](https://arxiv.org/abs/1605.06431)",
        "[He et al., *Identity mappings*](https://arxiv.org/abs/1603.05027)",
    ),
    code="""def f(h):
    for _ in range(3):
        h = h + (jax.nn.sigmoid(h) - 0.5)
    return h

jax.grad(f)(0.0)  # 1.953125
""",
)
