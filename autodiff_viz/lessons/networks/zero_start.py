"""Ask whether all weights may start at 0: each gets the other's 0, so neither moves first."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

ZEROS = """x = 1.0
w1 = parameter(0.0)
w2 = parameter(0.0)
h = w1 * x
y = w2 * h
loss = square(y - 1.0)
"""
TWINS = """x = 1.0
w1 = parameter([0.5, 0.5])
w2 = parameter([1.0, 1.0])
h = tanh(w1 * x)
y = sum(w2 * h)
loss = square(y - 2.0)
"""
RATE = Settings("sgd", 0.1)

LESSON = Lesson(
    key="zero-start",
    title="May all weights start at 0?",
    summary="Two layers with all weights 0, an error, and a training that is about to begin.",
    track="networks",
    level=1,
    minutes=3,
    after=("gets-nothing",),
    found_by=("initialisation", "initialization", "symmetry", "zero init"),
    text="`w1` and `w2` are 0, so the answer `y` is 0. It should be 1, and −2 arrives at it. Training is to "
    "move both weights.",
    steps=(
        Step(
            "Both at 0",
            ZEROS,
            look_at="y",
            training=Plan(RATE, 20),
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w2"),
                    words="What arrives at `w2`?",
                    told=(
                        ("0", "−2 times its other factor, `h`, and that is 0."),
                        ("-2", "−2 arrives at `y`. The product passes it on times its other factor."),
                        ("1", "1 is the input. What does `w1` make of it before it meets `w2`?"),
                    ),
                ),
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w1"),
                    words="And at `w1`?",
                    told=(
                        ("0", "−2 times `w2`, and that is 0."),
                        ("-2", "−2 arrives at `y`. It has to get past `w2`."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="why zero",
            text="Each weight gets −2 times the other one, which is 0, so neither moves first. Such a flat "
            "place, neither top nor bottom, is a saddle.",
        ),
        Step(
            "Two equal units",
            TWINS,
            look_at="h",
            training=Plan(RATE, 1),
            text="Nothing is 0 here. But both units read and send the same, and so both get the same.",
        ),
    ),
    to_try=(
        Try(
            "Train *Both at 0* for 20 steps: the loss stays 1.",
            (Part(0, steps=20, unchanged=True),),
            ("loss",),
            then=(Claim("The loss then", "value", "loss", 1.0, "by hand: no step moves", within=EXACTLY),),
        ),
        Try(
            "Set `w1` to 0.1: −0.2 arrives at `w2`, so the first step moves it.",
            (Part(0, (put("w1", 0.1), put("w2", 0.0))),),
            ("w1", "w2"),
            then=(
                Claim("w2 gets", "gradient", "w2", -0.2, "by hand: −2 · 0.1 · 1"),
                Claim("w1 gets", "gradient", "w1", 0.0, "by hand: −2 · 0", within=EXACTLY),
            ),
        ),
        Try(
            "Open *Two equal units* and train one step: both first weights go to 0.669. However long "
            "you train, they stay equal.",
            (Part(1, steps=1, at=1, unchanged=True),),
            ("w1",),
            then=(
                Claim(
                    "w1 then",
                    "value",
                    "w1",
                    (0.669207, 0.669207),
                    "by hand: 0.5 − 0.1 · w1's gradient",
                    digits=5,
                ),
            ),
        ),
    ),
    claims=(
        Claim("y gets", "cotangent", "y", -2.0, "by hand: 2(0 − 1)", within=EXACTLY),
        Claim("w2 gets", "gradient", "w2", 0.0, "by hand: −2 · h, and h is 0 · 1", within=EXACTLY),
        Claim("w1 gets", "gradient", "w1", 0.0, "by hand: −2 · w2 · x, and w2 is 0", within=EXACTLY),
        Claim("The loss in all steps", "value", "loss", (1.0,) * 21, "by hand", within=EXACTLY, at=range(21)),
        Claim(
            "Both units get the same",
            "gradient",
            "w1",
            (-1.692067, -1.692067),
            "by hand: 2(2 tanh ½ − 2) · 1 · (1 − tanh² ½), with tanh ½ = 0.4621172",
            1,
            digits=5,
        ),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("-2", "arriving-alone"),
        Prediction("1", TOLD),
        Prediction("0", RIGHT, question=1),
        Prediction("-2", "arriving-alone", question=1),
    ),
    sources=(
        "[LFS-GAN #2](https://github.com/KU-VGI/LFS-GAN/issues/2): two factors that are both 0",
        "[LAVT-RIS #25](https://github.com/yz93/LAVT-RIS/issues/25): prints the zeros",
        "[NaNmnist #2](https://github.com/wagonhelm/NaNmnist/issues/2): equal units stay equal",
    ),
    code="""w1 = torch.tensor(0.0, requires_grad=True)
w2 = torch.tensor(0.0, requires_grad=True)
((w2 * (w1 * 1.0) - 1.0) ** 2).backward()
w1.grad, w2.grad  # 0.0, 0.0
""",
)
