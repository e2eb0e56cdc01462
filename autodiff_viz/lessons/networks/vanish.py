"""Ask how much gradient five sigmoids leave: slopes along a chain multiply."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

SIGMOIDS = """h = 0.0
for i in range(5):
    h = sigmoid(h) - 0.5
"""
TANHS = """h = 0.0
for i in range(5):
    h = tanh(h)
"""
WEIGHTS = """h = 1.0
for i in range(5):
    h = 2.0 * h
"""
UNMOVED = """h = 0.0
for i in range(5):
    h = sigmoid(h)
"""

LAYERS = tuple(f"for i {i}" for i in range(5))

LESSON = Lesson(
    key="vanish",
    title="How much gradient is left after five sigmoids?",
    summary="Five layers in a row, each as steep as a sigmoid can be.",
    track="networks",
    level=1,
    minutes=3,
    after=("neuron",),
    found_by=("vanishing", "exploding", "depth", "deep network"),
    text="`h` goes through five sigmoids in a row. A sigmoid is steepest at 0, with a slope of ¼. Each is "
    "moved down by ½, so that the next one begins at 0 again. A 1 comes back to the last.",
    steps=(
        Step(
            "Five sigmoids",
            SIGMOIDS,
            look_at="h",
            collapsed=LAYERS,
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "h"),
                    words="What arrives at `h`?",
                    told=(
                        ("1/1024", "¼ · ¼ · ¼ · ¼ · ¼."),
                        ("0.05", "0.05 divides one slope by five. What does the second layer do with a ¼?"),
                        ("0.25", "¼ is what the last layer passes on. Four more come before it."),
                        ("1.25", "1.25 adds up five slopes. Ways beside each other add; these are in a row."),
                        ("0.2", "0.2 shares the 1 among the layers. Each of them has a slope of ¼."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="Slopes along a chain multiply, here to 1/1024. Below 1 they vanish, and the first layers "
            "get least. Above 1 they explode, and the first layers get most.",
        ),
        Step(
            "Five tanhs",
            TANHS,
            look_at="h",
            text="A tanh is four times as steep in the middle: its slope at 0 is 1.",
        ),
        Step(
            "Five weights of 2",
            WEIGHTS,
            look_at="h",
            text="Each layer doubles, forward and back.",
        ),
        Step(
            "Five sigmoids, not moved",
            UNMOVED,
            look_at="h",
            text="A sigmoid's answer lies between 0 and 1, so from the second one on the slope is below ¼.",
        ),
    ),
    to_try=(
        Try(
            "Open *Five tanhs*: 1 is left, all of it.",
            (Part(1, unchanged=True),),
            ("h",),
            then=(Claim("h gets", "gradient", "h", 1.0, "by hand: 1⁵", within=EXACTLY),),
        ),
        Try(
            "Open *Five weights of 2*: 32 arrives, and after fifty it would be 10¹⁵.",
            (Part(2, unchanged=True),),
            ("h",),
            then=(Claim("h gets", "gradient", "h", 32.0, "by hand: 2⁵; 2⁵⁰ is 1.1 · 10¹⁵", within=EXACTLY),),
        ),
        Try(
            "Open *Five sigmoids, not moved*: 0.000676, less still.",
            (Part(3, unchanged=True),),
            ("h",),
            then=(Claim("h gets", "gradient", "h", 6.7634e-4, "by hand: s(1 − s) five times", digits=4),),
        ),
    ),
    claims=(
        Claim("h gets", "gradient", "h", 0.0009765625, "by hand: (¼)⁵ = 1/1024, exact in binary"),
        Claim("h gets through tanhs", "gradient", "h", 1.0, "by hand: 1 − tanh² 0 = 1, five times", 1),
        Claim("h gets through weights of 2", "gradient", "h", 32.0, "by hand: 2⁵", 2),
        Claim(
            "h gets through plain sigmoids",
            "gradient",
            "h",
            6.763392e-4,
            "by hand: s(1 − s) of s = 0.5, 0.62246, 0.65078, 0.65719, 0.65863, multiplied",
            3,
            digits=4,
        ),
    ),
    predictions=(
        Prediction("1/1024", RIGHT),
        Prediction("0.25", "slope-alone"),
        Prediction("0.05", TOLD),
        Prediction("1.25", TOLD),
        Prediction("0.2", TOLD),
    ),
    sources=(
        "[Nielsen, *Why are deep neural networks hard to train?*](http://neuralnetworksanddeeplearning.com/chap5.html)",
    ),
    code="""def f(h):
    for _ in range(5):
        h = jax.nn.sigmoid(h) - 0.5
    return h

jax.grad(f)(0.0)  # 0.0009765625
""",
)
