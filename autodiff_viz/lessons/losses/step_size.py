"""Ask where one step of gradient descent ends: a gradient says how steep it is, not how far to go."""

from autodiff_viz.asking.question import ASKED_ALONE, NUMBER, VALUE, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

BOWL = """w = parameter(1.0)
loss = square(w)
"""

LESSON = Lesson(
    key="step-size",
    title="How far is one step of gradient descent?",
    summary="A bowl, a ball at 1, and one step downhill. Where does it come to lie?",
    track="losses",
    level=1,
    minutes=2,
    after=("two-knobs",),
    found_by=("learning rate", "lr", "SGD", "step size"),
    text="`w` is 1 and the loss is its square, a bowl whose lowest place is at 0. Gradient descent moves `w` "
    "against its gradient, by the gradient times a rate. Here the rate is 1.",
    steps=(
        Step(
            "Rate 1",
            BOWL,
            look_at="w",
            training=Plan(Settings("sgd", 1.0), 3),
            questions=(
                Question(
                    NUMBER,
                    Quantity(VALUE, "w"),
                    words="Where is `w` after one step?",
                    told=(
                        (
                            "0",
                            "At 0 the bowl is lowest. The gradient does not know where that is: it says how "
                            "steep it is at 1.",
                        ),
                        ("3", "3 is uphill. The step goes against the gradient, so its sign is turned."),
                        ("-2", "−2 is the step. It begins at 1."),
                        ("-1", "As high as before, on the other side of the bowl."),
                    ),
                    right="-1",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="training",
            text="The gradient says how steep, not how far. The step is rate times slope, and a steep bowl "
            "needs a small rate. At rate 1 `w` jumps from side to side for ever.",
        ),
        Step(
            "Rate 0.5",
            BOWL,
            look_at="w",
            training=Plan(Settings("sgd", 0.5), 1),
            text="The step is 0.5 · 2, as long as the way to the lowest place. In a bowl twice as steep "
            "half that rate would do.",
        ),
        Step(
            "Rate 1.25",
            BOWL,
            look_at="w",
            training=Plan(Settings("sgd", 1.25), 2),
            text="Each step ends higher than it began. The bowl is steeper there, and the next step longer.",
        ),
    ),
    to_try=(
        Try(
            "Open *Rate 0.5* and train one step: `w` is at the lowest place at once.",
            (Part(1, steps=1, at=1, unchanged=True),),
            ("w",),
            then=(Claim("w then", "value", "w", 0.0, "by hand: 1 − 0.5 · 2", within=EXACTLY),),
        ),
        Try(
            "Open *Rate 1.25* and train two steps: −1.5, then 2.25, and away.",
            (Part(2, steps=2, at=1, unchanged=True), Part(2, steps=2, at=2, unchanged=True)),
            ("w",),
            then=(Claim("w then", "value", "w", 2.25, "by hand: −1.5 − 1.25 · (−3)", within=EXACTLY),),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 2.0, "by hand: (w²)' = 2w at 1", within=EXACTLY),
        Claim("w after one step", "value", "w", -1.0, "by hand: 1 − 1 · 2", within=EXACTLY, at=1),
        Claim(
            "w in steps 0 to 3",
            "value",
            "w",
            (1.0, -1.0, 1.0, -1.0),
            "by hand: each step multiplies w by 1 − 2 · rate, here −1",
            within=EXACTLY,
            at=range(4),
        ),
        Claim(
            "w after one step of 0.5",
            "value",
            "w",
            0.0,
            "by hand: 1 − 2 · 0.5 is 0",
            1,
            within=EXACTLY,
            at=1,
        ),
        Claim(
            "w in steps 0 to 2 of 1.25",
            "value",
            "w",
            (1.0, -1.5, 2.25),
            "by hand: 1 − 2 · 1.25 is −1.5, and (−1.5)² = 2.25; of a rate above 2 over the curvature, here "
            "2/2, the steps grow",
            2,
            within=EXACTLY,
            at=range(3),
        ),
    ),
    predictions=(
        Prediction("-1", RIGHT),
        Prediction("0", TOLD),
        Prediction("3", TOLD),
        Prediction("-2", TOLD),
    ),
    sources=(
        "[Goh, *Why momentum really works*](https://distill.pub/2017/momentum/): it begins with plain "
        "descent in a bowl",
    ),
    code="""w = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([w], lr=1.0)
(w ** 2).backward()
optimizer.step()
w.item()  # -1.0
""",
)
