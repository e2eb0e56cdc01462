"""Ask which node is to blame for a parameter that gets no gradient."""

from autodiff_viz.asking.question import ASKED_ALONE, CAUSE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, selected
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

DEAD = """x = 2.0
w1 = parameter(-1.0)
w2 = parameter(3.0)
s = w1 * x
h = relu(s)
y = w2 * h
loss = square(y - 6.0)
"""
LEAKY = DEAD.replace("relu(s)", "leaky_relu(s)")

LESSON = Lesson(
    key="gets-nothing",
    track="start",
    title="Why does my parameter get no gradient?",
    summary="The loss is far too high, and a weight gets 0. One node is to blame.",
    level=1,
    minutes=3,
    after=("neuron",),
    found_by=("grad is None", "zero gradient", "no gradient", "dying relu", "dead relu", "not training"),
    text="The loss is 36, far too high, and yet the parameter `w1` gets 0. So training will never move it.",
    steps=(
        Step(
            "Two weights in a row",
            DEAD,
            look_at="w1",
            training=Plan(Settings("sgd", 0.01), 10),
            questions=(
                Question(
                    CAUSE,
                    Quantity(COTANGENT, "w1"),
                    words="Click the node that is to blame.",
                    told=(
                        (
                            "y",
                            "`y` is 0, but its wire back is alive: −12 arrives and 3 times that goes "
                            "on. Where does it die?",
                        ),
                        (
                            "s",
                            "The slope of `s` is `x`, which is 2. Nothing arrives at `s`: look one "
                            "node nearer to the loss.",
                        ),
                        (
                            "loss",
                            "The loss is alive: it sends −12 back. Follow that number until it is gone.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="A zero has a place. Go back from the loss until the orange number dies: −12, −36, then "
            "0. A relu is flat below 0, so its slope there is 0.",
        ),
        Step(
            "With another relu",
            LEAKY,
            look_at="w1",
            text="A leaky relu passes a hundredth of what arrives where a relu passes nothing: enough for "
            "`w1` to move again.",
        ),
    ),
    to_try=(
        Try(
            "Train 10 steps: `w1` gets 0 in each of them, and the loss stays 36.",
            (Part(steps=10, unchanged=True),),
            ("loss",),
            then=(
                Claim("The loss", "value", "loss", 36.0, "by hand: (0 − 6)²", within=EXACTLY),
                Claim("w1 has not moved", "value", "w1", -1.0, "by hand: a step against 0", within=EXACTLY),
            ),
        ),
        Try(
            "Select `w2`: it gets 0 too, and for another reason. Its factor `h` is 0.",
            (Part(edits=(selected("w2"),)),),
            ("w2",),
            then=(Claim("w2 gets", "gradient", "w2", 0.0, "by hand: −12 · 0", within=EXACTLY),),
        ),
        Try(
            "Open *With another relu*, a leaky one: −0.727 arrives at `w1`.",
            (Part(1),),
            ("w1",),
            then=(Claim("w1 gets", "gradient", "w1", -0.7272, "by hand: 2(−0.06 − 6) · 3 · 0.01 · 2", 1),),
        ),
    ),
    claims=(
        Claim("What arrives at y", "cotangent", "y", -12.0, "by hand: 2(0 − 6)", 0, EXACTLY),
        Claim("What arrives at h", "cotangent", "h", -36.0, "by hand: −12 · 3", 0, EXACTLY),
        Claim(
            "What h passes on",
            "passed",
            ("h", 0),
            0.0,
            "by hand: −36 times the slope of relu at −2, which is 0",
            0,
            EXACTLY,
        ),
        Claim("w1 gets", "gradient", "w1", 0.0, "by hand: 0 · 2", 0, EXACTLY),
        Claim("The answer", "value", "y", -0.06, "by hand: 3 · 0.01 · (−2)", 1),
        Claim("w1 gets", "gradient", "w1", -0.7272, "by hand: 2(−0.06 − 6) · 3 · 0.01 · 2", 1),
    ),
    predictions=(
        Prediction("h", RIGHT),
        Prediction("y", TOLD),
        Prediction("s", TOLD),
        Prediction("loss", TOLD),
    ),
    sources=(
        "Lu et al., *Dying ReLU and initialization*, [arXiv:1903.06733](https://arxiv.org/abs/1903.06733)",
    ),
    code="w1 = torch.tensor(-1., requires_grad=True)\n"
    "(3 * torch.relu(2 * w1) - 6).pow(2).backward()\n"
    "w1.grad  # 0.0",
)
