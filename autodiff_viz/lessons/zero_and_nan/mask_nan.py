"""Ask for the weights of a row whose scores are all masked."""

from math import inf, nan

from autodiff_viz.asking.question import ALL_VALUES, NUMBER, VALUE, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

ALL = """a = [2.0, 1.0]
s = softmax(a + log([0.0, 0.0]))
y = s[0]
"""
LARGE = ALL.replace("log([0.0, 0.0])", "[-1e9, -1e9]")
ONE = ALL.replace("[0.0, 0.0]", "[1.0, 0.0]")
MULTIPLIED = """a = [1.0, 1.0, 1.0, 1.0, 1.0]
mask = [4.0, 0.0, 4.0, 4.0, 4.0] + log([1.0, 0.0, 1.0, 1.0, 1.0])
s = softmax(a * mask)
y = s[2]
"""
REPORTED = "tensorflow/tensorflow #11756, as reported"

LESSON = Lesson(
    key="mask-nan",
    track="zero_and_nan",
    title="May I mask a whole row with −∞?",
    summary="A softmax over two scores, both forbidden.",
    level=2,
    minutes=2,
    after=("branch-nan",),
    found_by=("nan", "attention mask", "-inf", "softmax", "padding", "masked_fill"),
    text="`a` holds two scores, 2 and 1. A softmax makes weights of them, with the sum 1. To forbid a "
    "score one adds −∞, written ln 0, and its weight is 0. Here both are forbidden.",
    steps=(
        Step(
            "Both masked",
            ALL,
            look_at="y",
            questions=(
                Question(
                    NUMBER,
                    Quantity(VALUE, "y"),
                    words="What is the first weight, `y`?",
                    told=(
                        ("nan", "A softmax divides by a sum, and here the sum is 0: 0/0."),
                        (
                            "0",
                            "A masked weight is 0 while another score is left. Here both would be 0, "
                            "and weights must have the sum 1.",
                        ),
                        (
                            "0.5",
                            "Equal scores share, and −∞ equals −∞. But e^−∞ is 0, and the softmax "
                            "divides by the sum of both.",
                        ),
                        ("0.731", "That is the weight without a mask."),
                        ("1", "That is the weight if only the second score is masked."),
                    ),
                ),
            ),
            hides=ALL_VALUES,
            reveal="why zero",
            text="A softmax must share out 1. With everything forbidden it is 0/0, which is NaN. A large "
            "number such as −1e9 in place of −∞ avoids it.",
        ),
        Step(
            "Both masked by −1e9",
            LARGE,
            look_at="y",
            text="1e9 swallows the scores: in 32 bits 2 − 1e9 and 1 − 1e9 are the same number. So the "
            "weights are equal.",
        ),
        Step(
            "One of two masked",
            ONE,
            look_at="y",
            text="e^−∞ is 0, and the other weight is 1. Every number on the way back is finite.",
        ),
        Step(
            "Multiplied by −∞",
            MULTIPLIED,
            look_at="y",
            text="A mask that multiplies the scores: the weights are right, and on the way back a 0 "
            "meets −∞ at the second score.",
        ),
    ),
    to_try=(
        Try(
            "Open *One of two masked*: weights 1 and 0, and 0 arrives at both scores.",
            (Part(2),),
            ("s", "a"),
            then=(
                Claim("The weights", "value", "s", (1.0, 0.0), "by hand: e²/(e² + 0)", 2, EXACTLY),
                Claim("The scores get", "gradient", "a", (0.0, 0.0), "by hand: s(1 − s) = 1 · 0", 2, EXACTLY),
            ),
        ),
        Try(
            "Open *Both masked by −1e9*: ½ and ½, though the scores are 2 and 1, and ±0.25 arrives.",
            (Part(1),),
            ("s", "a"),
            then=(Claim("The scores get", "gradient", "a", (0.25, -0.25), "by hand: ½ · ½", 1, EXACTLY),),
        ),
        Try(
            "Open *Multiplied by −∞*: which score gets NaN?",
            (Part(3),),
            ("a",),
            then=(Claim("The scores get", "gradient", "a", (-0.25, nan, 0.75, -0.25, -0.25), REPORTED, 3),),
        ),
    ),
    claims=(
        Claim("y", "value", "y", nan, "by hand: e^−∞/(e^−∞ + e^−∞) = 0/0"),
        Claim("The weights", "value", "s", (0.5, 0.5), "by hand: equal scores share 1", 1, EXACTLY),
        Claim("The scores get", "gradient", "a", (0.25, -0.25), "by hand: ½ · ½", 1, EXACTLY),
        Claim("The mask", "value", "log_1", (0.0, -inf), "by hand: ln 1 and ln 0", 2),
        Claim("The weights", "value", "s", (1.0, 0.0), "by hand: e²/(e² + 0)", 2, EXACTLY),
        Claim(
            "The weights",
            "value",
            "s",
            (0.25, 0.0, 0.25, 0.25, 0.25),
            "by hand: four equal scores, and one of −∞",
            3,
            EXACTLY,
        ),
        Claim("The scores get", "gradient", "a", (-0.25, nan, 0.75, -0.25, -0.25), REPORTED, 3),
    ),
    predictions=(
        Prediction("nan", RIGHT),
        Prediction("0", TOLD),
        Prediction("0.5", TOLD),
        Prediction("0.731", TOLD),
        Prediction("1", TOLD),
    ),
    sources=(
        "[tensorflow/tensorflow #11756](https://github.com/tensorflow/tensorflow/issues/11756): a mask "
        "that multiplies",
        "[pytorch/pytorch #41508](https://github.com/pytorch/pytorch/issues/41508): NaN from rows that are "
        "masked altogether; since [pytorch/pytorch PR "
        "#131060](https://github.com/pytorch/pytorch/pull/131060) attention can give them 0",
    ),
    code="y = torch.softmax(torch.tensor([2., 1.]) - float('inf'), 0)[0]  # nan",
)
