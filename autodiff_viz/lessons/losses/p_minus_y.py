"""Ask what arrives at the logits of a softmax with −log: the chance, less 1 at the right class."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, selected
from autodiff_viz.lessons.tour import Step

THREE_OPS = """z = log([0.2, 0.5, 0.3])
p = softmax(z)
loss = -log(p[0])
"""
FAR = """z = [0.0, 200.0]
p = softmax(z)
loss = -log(p[0])
"""
ONE_OP = """z = [0.0, 200.0]
loss = softmax_cross_entropy_with_integer_labels(z, 0.0)
"""

LESSON = Lesson(
    key="p-minus-y",
    title="Softmax, then −log: what arrives at the logits?",
    summary="A chance is too small, and its −log is the loss. What do the scores behind it get?",
    track="losses",
    level=2,
    minutes=3,
    after=("neuron",),
    found_by=("cross entropy", "softmax", "logits", "log_softmax"),
    text="`p` holds three chances, a softmax of the scores in `z`, the logits. The first class is right. Its "
    "chance is 0.2, and the loss is −log of it. So −5 arrives at that chance.",
    steps=(
        Step(
            "Three chances",
            THREE_OPS,
            look_at="p",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "z", element=(0,)),
                    words="What arrives at the first logit?",
                    told=(
                        ("-0.8", "−5 times the slope 0.2 · 0.8, which is 0.2 − 1."),
                        (
                            "-1",
                            "−1 is −5 · 0.2: this logit in the numerator. The sum below, which all three "
                            "share, holds it as well.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="The 1/p of the logarithm and the p of the softmax cancel. What is left is what is missing: "
            "the chance less 1 at the right class, the chance itself elsewhere.",
        ),
        Step(
            "Logits 0 and 200",
            FAR,
            look_at="z",
            text="The first chance is e⁻²⁰⁰, which float32 rounds to 0. Then −log is ∞, and ∞ meets a slope "
            "of 0.",
        ),
        Step(
            "Logits 0 and 200, one op",
            ONE_OP,
            look_at="z",
            text="One op does both steps and never divides by the chance. It passes the chance less 1.",
        ),
    ),
    to_try=(
        Try(
            "Select `z` and read the other two: 0.5 and 0.3, their own chances. All three add up to 0.",
            (Part(edits=(selected("z"),), unchanged=True),),
            ("z",),
            then=(
                Claim("z gets", "cotangent", "z", (-0.8, 0.5, 0.3), "by hand: p less 1 at the right class"),
            ),
        ),
        Try(
            "Open *Logits 0 and 200*: the chance is rounded to 0, the loss is ∞, and NaN arrives.",
            (Part(1, unchanged=True),),
            ("p", "z"),
            then=(
                Claim("The chance", "value", "p", (0.0, 1.0), "by hand: e⁻²⁰⁰ is below float32's least"),
                Claim("The loss", "value", "loss", float("inf"), "by hand: −log 0"),
                Claim("z gets", "cotangent", "z", (float("nan"),) * 2, "by hand: ∞ · 0"),
            ),
        ),
        Try(
            "Open *Logits 0 and 200, one op*: −1 and 1 arrive. That is why the pair has an op of its own.",
            (Part(2, unchanged=True),),
            ("z",),
            then=(Claim("z gets", "cotangent", "z", (-1.0, 1.0), "by hand: chances 0 and 1, less 1, 0"),),
        ),
    ),
    claims=(
        Claim("p gets", "cotangent", "p", (-5.0, 0.0, 0.0), "by hand: −1/0.2 at the right class"),
        Claim(
            "z gets",
            "cotangent",
            "z",
            (-0.8, 0.5, 0.3),
            "by hand: −(1/p₀) · p₀(1 − p₀) = −5 · 0.16 at the first, −(1/p₀) · (−p₀p) = p at the others; "
            "PyTorch's cross_entropy gives the same",
        ),
        Claim("The loss, too far away", "value", "loss", float("inf"), "by hand: −log 0", 1),
        Claim("The loss in one op", "value", "loss", 200.0, "by hand: log(1 + e²⁰⁰) is 200", 2),
        Claim("z gets from one op", "cotangent", "z", (-1.0, 1.0), "by hand: 0 less 1, and 1", 2),
    ),
    predictions=(
        Prediction("-0.8", RIGHT),
        Prediction("-4/5", RIGHT),
        Prediction("-5", "arriving-alone"),
        Prediction("-1", TOLD),
        Prediction("0.2", "value"),
        Prediction("0.8", "sign-turned"),
    ),
    sources=(
        "[hankcs/CS224n #17](https://github.com/hankcs/CS224n/issues/17): where is the slope of the "
        "softmax in this code?",
        "[mantasu/cs231n #10](https://github.com/mantasu/cs231n/issues/10): why less 1?",
    ),
    code="""z = torch.tensor([0.2, 0.5, 0.3]).log().requires_grad_()
loss = F.cross_entropy(z, torch.tensor(0))
loss.backward()
z.grad  # [-0.8, 0.5, 0.3]
""",
)
