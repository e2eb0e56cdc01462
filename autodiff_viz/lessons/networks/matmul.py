"""Ask why the gradient of X @ W is Xᵀ G: something comes from every sample, down a column of X."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    selected,
    written,
)
from autodiff_viz.lessons.tour import Step

DENSE = """X = [[1.0, 2.0], [3.0, 4.0]]
W = [[1.0], [1.0]]
G = [[1.0], [10.0]]
Y = X @ W
loss = sum(Y * G)
"""

LESSON = Lesson(
    key="matmul",
    title="Why is the gradient of X @ W equal to Xᵀ G?",
    summary="Two samples meet two weights, and from each sample something comes back.",
    track="networks",
    level=2,
    minutes=3,
    after=("fork", "two-knobs"),
    found_by=("matrix product", "transpose", "dense", "linear layer", "matmul"),
    text="The rows of `X` are two samples: 1, 2 and 3, 4. `Y` is each sample times the two weights in `W`. "
    "From the first sample 1 comes back, from the second 10: these are `G`.",
    steps=(
        Step(
            "Two samples, two weights",
            DENSE,
            look_at="Y",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "W", element=(0, 0)),
                    words="What arrives at the first weight?",
                    told=(
                        ("31", "1 · 1 from the first sample and 3 · 10 from the second."),
                        (
                            "21",
                            "21 is 1 · 1 + 2 · 10, along the first row. Does the first weight ever meet the "
                            "2?",
                        ),
                        ("4", "4 is 1 + 3, what the weight meets. What comes back multiplies each of them."),
                        (
                            "11",
                            "11 is 1 + 10, what comes back. Each is multiplied by what the weight meets "
                            "there.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="A weight meets one number of every sample. On the way back something comes from each "
            "sample, times that number: down a column of `X`. That is Xᵀ G.",
        ),
    ),
    to_try=(
        Try(
            "Set the 10 in `G` to 0: 1 and 2 are left, the first sample alone.",
            (Part(edits=(written("G", "[[1.0], [0.0]]"),), unchanged=True),),
            ("W",),
            then=(Claim("W gets", "gradient", "W", ((1.0,), (2.0,)), "by hand: 1 · [1, 2]", within=EXACTLY),),
        ),
        Try(
            "Select `X`: its samples get 1, 1 and 10, 10. That is G Wᵀ, by the same rule.",
            (Part(edits=(selected("X"),), unchanged=True),),
            ("X",),
            then=(
                Claim(
                    "X gets",
                    "gradient",
                    "X",
                    ((1.0, 1.0), (10.0, 10.0)),
                    "by hand: 1 · [1, 1] and 10 · [1, 1]",
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim(
            "W gets",
            "gradient",
            "W",
            ((31.0,), (42.0,)),
            "by hand: 1 · 1 + 3 · 10 and 2 · 1 + 4 · 10; NumPy's X.T @ G is the same",
            within=EXACTLY,
        ),
        Claim(
            "W gets, by a nudge",
            "gradient",
            "W",
            ((104.0 - 73.0,), (115.0 - 73.0,)),
            "by hand: the loss is 3 + 70 = 73; with weights 2, 1 it is 4 + 100, with 1, 2 it is 5 + 110",
            within=EXACTLY,
        ),
        Claim("The loss", "value", "loss", 73.0, "by hand: 3 · 1 + 7 · 10", within=EXACTLY),
    ),
    predictions=(
        Prediction("31", RIGHT),
        Prediction("21", "transposed"),
        Prediction("4", "slope-alone"),
        Prediction("11", "arriving-alone"),
    ),
    sources=(
        "[pytorch-examples #29](https://github.com/jcjohnson/pytorch-examples/issues/29): why the transpose?",
        "[sdc-issue-reports #715](https://github.com/udacity/sdc-issue-reports/issues/715): two samples, two "
        "weights, drawn",
    ),
    code="""X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
G = torch.tensor([[1.0], [10.0]])
W = torch.ones(2, 1, requires_grad=True)
((X @ W) * G).sum().backward()
W.grad  # [[31.0], [42.0]]
""",
)
