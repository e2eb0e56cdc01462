"""Ask how long Adam's first step is if the gradient is a million times larger: it divides by its size."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, VALUE, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

LARGE = """w = parameter(1.0)
loss = 1000.0 * w
"""
SMALL = """w = parameter(1.0)
loss = 0.001 * w
"""
ADAM, DESCENT = Settings("adam", 0.1), Settings("sgd", 0.1)
SAME, ROOT, WHOLE = "equally long", "1,000 times as long", "1,000,000 times as long"

LESSON = Lesson(
    key="adam-first",
    title="A gradient a million times larger: how much longer is Adam's step?",
    summary="Two slopes, one steep and one almost flat, and the first step of Adam on each.",
    track="losses",
    level=2,
    minutes=2,
    after=("step-size",),
    found_by=("Adam", "learning rate", "optimizer"),
    text="`w` is 1. Here its gradient is 1000; in a second graph it is 0.001, a millionth of that. Adam, a "
    "common way to choose steps, takes a first step in each. Both have the rate 0.1.",
    steps=(
        Step(
            "Slope 1000",
            LARGE,
            look_at="w",
            training=Plan(ADAM, 3),
            questions=(
                Question(
                    CHOICE,
                    Quantity(VALUE, "w"),
                    words="How long is the step here, beside that in the second graph?",
                    told=(
                        (
                            SAME,
                            "Both gradients are divided by their own size, and what is left of each is 1.",
                        ),
                        (
                            WHOLE,
                            "So it would be in plain gradient descent. Adam does not multiply the rate by "
                            "the gradient as it is.",
                        ),
                        (
                            ROOT,
                            "1,000 is the root of a million. Adam takes a root, but of the squared gradient: "
                            "that is its size.",
                        ),
                    ),
                    options=(SAME, ROOT, WHOLE),
                    right=SAME,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="training",
            text="In its first step Adam divides the gradient by its own size. Only the sign is left, so "
            "both go from 1 to 0.9.",
        ),
        Step(
            "Slope 0.001",
            SMALL,
            look_at="w",
            training=Plan(ADAM, 3),
            text="A slope of a thousandth. Adam goes as far as on the steep one.",
        ),
        Step(
            "Slope 1000, plain descent",
            LARGE,
            look_at="w",
            training=Plan(DESCENT, 1),
            text="The step is rate times gradient, 0.1 · 1000.",
        ),
        Step(
            "Slope 0.001, plain descent",
            SMALL,
            look_at="w",
            training=Plan(DESCENT, 1),
            text="The step is rate times gradient, 0.1 · 0.001.",
        ),
    ),
    to_try=(
        Try(
            "Open *Slope 0.001* and train three steps: `w` comes to 0.7, as it does on slope 1000.",
            (Part(1, steps=3, at=3, unchanged=True),),
            ("w",),
            then=(Claim("w then", "value", "w", 0.7, "by hand: 1 − 3 · 0.1", within=1e-4),),
        ),
        Try(
            "Open *Slope 1000, plain descent* and train one step: `w` lands at −99.",
            (Part(2, steps=1, at=1, unchanged=True),),
            ("w",),
            then=(Claim("w then", "value", "w", -99.0, "by hand: 1 − 0.1 · 1000"),),
        ),
        Try(
            "Do the same on *Slope 0.001, plain descent*: 0.9999. Each slope would need its own rate.",
            (Part(3, steps=1, at=1, unchanged=True),),
            ("w",),
            then=(Claim("w then", "value", "w", 0.9999, "by hand: 1 − 0.1 · 0.001"),),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 1000.0, "by hand: (1000w)'"),
        Claim(
            "w after one step of Adam",
            "value",
            "w",
            0.9,
            "by hand: m̂ = g and v̂ = g² in the first step, so m̂/√v̂ = g/|g| = 1; Kingma and Ba, "
            "arXiv:1412.6980: the size of updates does not change when the gradient is rescaled",
            within=1e-4,
            at=1,
        ),
        Claim(
            "w after one step of Adam, slope 0.001",
            "value",
            "w",
            0.9,
            "by hand: the same, less 0.001 % for the ε = 1e-8 below the line",
            1,
            within=1e-4,
            at=1,
        ),
        Claim(
            "w after three steps", "value", "w", 0.7, "by hand: g stays, so m̂/√v̂ stays 1", within=1e-4, at=3
        ),
        Claim(
            "w after three steps, slope 0.001",
            "value",
            "w",
            0.7,
            "by hand: g stays, so m̂/√v̂ stays 1",
            1,
            within=1e-4,
            at=3,
        ),
        Claim("w after one step of descent", "value", "w", -99.0, "by hand: 1 − 0.1 · 1000", 2, at=1),
        Claim(
            "w after one step of descent, slope 0.001",
            "value",
            "w",
            0.9999,
            "by hand: 1 − 0.1 · 0.001",
            3,
            at=1,
        ),
    ),
    predictions=(
        Prediction(SAME, RIGHT),
        Prediction(ROOT, TOLD),
        Prediction(WHOLE, TOLD),
    ),
    sources=("[Kingma and Ba, *Adam*](https://arxiv.org/abs/1412.6980)",),
    code="""w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.Adam([w], lr=0.1)
(1000 * w).backward()
optimizer.step()
w.item()  # 0.9
""",
)
