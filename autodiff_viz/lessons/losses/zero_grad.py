"""Ask what two backward calls leave in .grad: the sum of both, as at a fork."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put, ruled
from autodiff_viz.lessons.tour import Step

TWO_LOSSES = """w = 1.0
first = square(w - 2.0)
second = square(w + 1.0)
total = first + second
"""

LESSON = Lesson(
    key="zero-grad",
    title="Two backward() calls: what is in .grad?",
    summary="Yesterday's loss and today's both called backward. What does the optimizer find?",
    track="losses",
    level=1,
    minutes=2,
    after=("fork",),
    found_by=("zero_grad", "optimizer", ".grad", "backward twice"),
    text="`w` is 1. Yesterday's loss, `first`, sends it −2. Today's, `second`, sends it 4. Both called "
    "`backward()`, and `.grad` was not emptied between the calls.",
    steps=(
        Step(
            "Two losses, one parameter",
            TWO_LOSSES,
            look_at="w",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What is in `w.grad` after both?",
                    told=(
                        ("4", "4 is the last call alone. Does a call replace what `.grad` holds?"),
                        ("-2", "−2 is the first call alone. The second one does something to it."),
                        ("1", "1 is the mean of both. Nothing counts the calls and divides."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="Every `backward()` adds to what `.grad` holds, until you empty it. So it is a fork: here "
            "both losses stand in one graph, and what they send is added.",
        ),
    ),
    to_try=(
        Try(
            "Put a *stop* on `first`: 4 arrives, as with `zero_grad()` between the calls.",
            (Part(edits=(ruled("first", "stop"), put("w", 1.0))),),
            ("w",),
            then=(
                Claim("w gets", "gradient", "w", 4.0, "by hand: 2(1 + 1)", within=EXACTLY),
                Claim("The total", "value", "total", 5.0, "by hand: 1 + 4, as before", within=EXACTLY),
            ),
        ),
        Try(
            "Move `w` to 0.5, without a stop: −3 and 3 arrive. The two losses cancel, and `w` would stay.",
            (Part(edits=(ruled("first", "follow"), put("w", 0.5))),),
            ("w",),
            then=(
                Claim(
                    "The two wires", "added", "w", (-3.0, 3.0), "by hand: 2(½ − 2), 2(½ + 1)", within=EXACTLY
                ),
                Claim("w gets", "gradient", "w", 0.0, "by hand: −3 + 3", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The two wires", "added", "w", (-2.0, 4.0), "by hand: 2(1 − 2), 2(1 + 1)", within=EXACTLY),
        Claim("w gets", "gradient", "w", 2.0, "by hand: −2 + 4; PyTorch prints tensor(2.)", within=EXACTLY),
        Claim(
            "w gets, by a nudge",
            "gradient",
            "w",
            2.0,
            "by hand: the total is 0.81 + 4.41 = 5.22 at 1.1 and 1.21 + 3.61 = 4.82 at 0.9, and 0.4/0.2 = 2",
        ),
    ),
    predictions=(
        Prediction("2", RIGHT),
        Prediction("4", "one-path"),
        Prediction("-2", "sign-turned"),
        Prediction("1", "mean-for-sum"),
        Prediction("-8", "product-of-paths"),
    ),
    sources=(
        "[pytorch/tutorials #156](https://github.com/pytorch/tutorials/issues/156)",
        "[pytorch-examples #31](https://github.com/jcjohnson/pytorch-examples/issues/31)",
        "[micrograd PR #102](https://github.com/karpathy/micrograd/pull/102)",
    ),
    code="""w = torch.tensor(1.0, requires_grad=True)
((w - 2) ** 2).backward()
((w + 1) ** 2).backward()
w.grad  # 2.0
""",
)
