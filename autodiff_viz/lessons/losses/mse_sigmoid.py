"""Ask which loss notices an answer that is confidently wrong: the sigmoid is flat there, −log makes up."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, LARGER, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

SQUARED = """z = -10.0
p = sigmoid(z)
loss = square(p - 1.0)
"""
ENTROPY = """z = -10.0
loss = softplus(-z)
"""

LESSON = Lesson(
    key="mse-sigmoid",
    title="Confidently wrong: which loss notices?",
    summary="A sigmoid is sure of the wrong answer. Squared error and cross-entropy both look at it.",
    track="losses",
    level=2,
    minutes=2,
    after=("neuron", "p-minus-y"),
    found_by=("cross entropy", "sigmoid", "mean squared error", "binary_cross_entropy"),
    text="The score `z` is −10, so its sigmoid, the chance, is 0.00005. It should be 1. A takes the square "
    "of the error. B takes −log of the chance, its cross-entropy, which is the softplus of −`z`.",
    steps=(
        Step(
            "B: −log of the chance",
            ENTROPY,
            look_at="loss",
            pinned=SQUARED,
            questions=(
                Question(
                    LARGER,
                    Quantity(COTANGENT, "z"),
                    words="Which sends more to `z`, A or B?",
                    told=(
                        (
                            "the same",
                            "Both are wrong by 1, that is true. What counts is how fast each loss falls when "
                            "`z` moves.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="sweep",
            text="The sigmoid is flat where it is sure of itself. The logarithm is steep enough there to "
            "make up for it: B sends 11,014 times as much.",
        ),
        Step(
            "A: the squared error",
            SQUARED,
            look_at="z",
            text="−2 arrives at `p`. The sigmoid's slope here is 0.00005, and hardly anything gets through.",
        ),
    ),
    to_try=(
        Try(
            "Move `z` to 0 in both graphs: the sigmoid is steepest, and still B's −0.5 is twice A's −0.25.",
            (Part(0, (put("z", 0.0),)), Part(1, (put("z", 0.0),))),
            ("z",),
            then=(
                Claim("In A z gets", "gradient", "z", -0.25, "by hand: 2(½ − 1) · ½ · ½"),
                Claim("The chance", "value", "p", 0.5, "by hand: 1/(1 + e⁰)"),
            ),
        ),
        Try(
            "Open A and move `z` to 10: almost nothing arrives, and rightly. The answer is right.",
            (Part(1, (put("z", 10.0),)),),
            ("z",),
            then=(
                Claim(
                    "z gets",
                    "gradient",
                    "z",
                    -4.1e-9,
                    "by hand: 2(p − 1) · p(1 − p), about −2 e⁻²⁰",
                    within=1e-10,
                ),
            ),
        ),
    ),
    claims=(
        Claim("z gets from −log", "gradient", "z", -0.9999546, "by hand: p − 1 with p = 1/(1 + e¹⁰)"),
        Claim(
            "z gets from the squared error",
            "gradient",
            "z",
            -9.0787493e-5,
            "by hand: 2(p − 1) · p(1 − p) with p = 1/(1 + e¹⁰)",
            1,
            within=1e-9,
        ),
        Claim(
            "The same, by the ratio of both",
            "gradient",
            "z",
            -0.9999546 / 11_014.233,
            "by hand: the ratio is 1/(2p(1 − p)) = (2 + e¹⁰ + e⁻¹⁰)/2 = 11,014.23",
            1,
            within=1e-9,
        ),
        Claim("p gets", "cotangent", "p", -1.9999092, "by hand: 2(p − 1)", 1),
    ),
    predictions=(
        Prediction("B", RIGHT),
        Prediction("A", "arriving-alone"),
        Prediction("the same", TOLD),
    ),
    sources=(
        "[Stack Exchange 208918](https://stats.stackexchange.com/questions/208918): cross-entropy for "
        "a sigmoid at the output, asked about chapter 3 of [Nielsen's "
        "book](http://neuralnetworksanddeeplearning.com/chap3.html)",
    ),
    code="""jax.grad(lambda z: jax.nn.softplus(-z))(-10.0)  # -0.9999546
jax.grad(lambda z: (jax.nn.sigmoid(z) - 1.0) ** 2)(-10.0)  # -9.0787e-05
""",
)
