"""Ask which way the weights go where nothing stops two views from becoming alike by becoming nothing."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, SIGN, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, ruled
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

OPEN = """w = parameter(1.0)
p = 0.5
z1 = 2.0 * w
z2 = 1.0 * w
goal = identity(z1)
loss = 0.5 * square(p * z2 - goal)
"""
STOPPED = OPEN.replace("identity(z1)", "stop_gradient(z1)")
BOTH = """w = 1.0
z1 = 2.0 * w
z2 = 1.0 * w
goal1 = stop_gradient(z1)
goal2 = stop_gradient(z2)
loss = 0.25 * square(z1 - goal2) + 0.25 * square(z2 - goal1)
"""
TWENTY = Plan(Settings(rate=0.1), 20)

LESSON = Lesson(
    key="simsiam",
    track="stops",
    title="What keeps two views from collapsing into one?",
    summary="Two views of a picture should have like features. There is a cheap way to get there.",
    level=3,
    minutes=4,
    after=("td-target",),
    found_by=("SimSiam", "BYOL", "collapse", "self-supervised", "stop-gradient"),
    text="Two views of a picture have the features 2`w` and `w`; a predictor guesses the first as `p` "
    "times the second. With a stop on `goal`, in A, `w` gets −0.75 and grows. At `w` = 0 all pictures look "
    "alike.",
    steps=(
        Step(
            "Without the stop",
            OPEN,
            look_at="goal",
            pinned=STOPPED,
            training=TWENTY,
            questions=(
                Question(
                    SIGN,
                    Quantity(COTANGENT, "w"),
                    words="Is what `w` gets in B positive, negative or 0?",
                    told=(
                        (
                            "-",
                            "That is the pull of `z2` alone, as with the stop. Now `goal` may move as "
                            "well: in which direction does it come nearer?",
                        ),
                        ("0", "Two pulls meet at `w`, against each other. Which is the stronger?"),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="+2.25, so `w` shrinks towards 0: the cheapest way to make two things equal is to make both "
            "nothing. The stop forbids one of them to come along.",
        ),
        Step(
            "With the stop",
            STOPPED,
            look_at="goal",
            training=TWENTY,
            text="`goal` is held in each step, and `w` grows towards it. It never arrives, for `goal` is "
            "made of `w` and grows as well.",
        ),
        Step(
            "No predictor, both sides",
            BOTH,
            look_at="loss",
            text="Each view runs after the other one, which is stopped. Even so `w` shrinks.",
        ),
    ),
    to_try=(
        Try(
            "Train A and B for 20 steps: 4.25 in A, 0.006 in B.",
            (Part(1, steps=20, unchanged=True), Part(0, steps=20, unchanged=True)),
            ("w", "training"),
            then=(
                Claim(
                    "w after 20 steps",
                    "value",
                    "w",
                    0.0061099,
                    "by hand: (1 − 0.1 · 2.25)²⁰ = 0.775²⁰",
                    digits=4,
                ),
            ),
        ),
        Try(
            "In *No predictor, both sides* let both goals *follow*: 1 in place of 0.5, the same sign. The "
            "stop alone does not save you.",
            (Part(2, (ruled("goal1", "follow"), ruled("goal2", "follow"))),),
            ("w",),
            then=(
                Claim(
                    "w gets",
                    "gradient",
                    "w",
                    1.0,
                    "by hand: the loss is then ½w², for both differences are w",
                    2,
                    EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 2.25, "by hand: (½ − 2) · (½ − 2)", within=EXACTLY),
        Claim(
            "w after 20 steps",
            "value",
            "w",
            0.0061099,
            "by hand: each step multiplies w by 1 − 0.1 · 2.25, and 0.775²⁰ = 0.0061099",
            digits=4,
            at=20,
        ),
        Claim("w gets, with the stop", "gradient", "w", -0.75, "by hand: (½ − 2) · ½", 1, EXACTLY),
        Claim(
            "w after 20 steps, with the stop",
            "value",
            "w",
            4.2478511,
            "by hand: each step multiplies w by 1 + 0.1 · 0.75, and 1.075²⁰ = 4.2478511",
            1,
            digits=5,
            at=20,
        ),
        Claim(
            "w gets, with two stops and no predictor",
            "gradient",
            "w",
            0.5,
            "by hand: ½ · (2 − 1) · 2 + ½ · (1 − 2) · 1",
            2,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("+", RIGHT),
        Prediction("-", TOLD),
        Prediction("0", TOLD),
    ),
    sources=(
        "Chen and He, [Exploring simple siamese representation "
        "learning](https://arxiv.org/abs/2011.10566): the stop is essential against collapse. Where it "
        "stands in code: [SimSiam 22](https://github.com/PatrickHua/SimSiam/issues/22), "
        "[39](https://github.com/PatrickHua/SimSiam/issues/39).",
    ),
    code="""w = torch.tensor(1.0, requires_grad=True)
z1, z2 = 2 * w, 1 * w
(0.5 * (0.5 * z2 - z1) ** 2).backward()
w.grad  # 2.25
""",
)
