"""Ask what clipping by value leaves of a gradient: each number is cut by itself, so the arrow turns."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

BY_VALUE = """w = [0.0, 0.0]
g = rewrite(w, lambda v: clip(v, -1.0, 1.0))
loss = dot(g, [3.0, 4.0])
"""
BY_NORM = """w = [0.0, 0.0]
g = rewrite(w, lambda v: v / maximum(1.0, norm(v)))
loss = dot(g, [3.0, 4.0])
"""
CHAIN = """w = 2.0
h0 = 1.0
h1 = rewrite(w * h0, lambda v: clip(v, -1.0, 1.0))
h2 = rewrite(w * h1, lambda v: clip(v, -1.0, 1.0))
h3 = rewrite(w * h2, lambda v: clip(v, -1.0, 1.0))
"""
FREE = """w = 2.0
h0 = 1.0
h1 = w * h0
h2 = w * h1
h3 = w * h2
"""

LESSON = Lesson(
    key="clip",
    title="Clip by value: does the direction stay?",
    summary="A gradient is too long for one step and is clipped. Which arrow is left?",
    track="losses",
    level=2,
    minutes=3,
    after=("surgery", "zero-grad"),
    found_by=("clip_grad_norm_", "clip_grad_value_", "exploding", "gradient clipping"),
    text="3 and 4 come back to `g`: an arrow that is 5 long. A rule on `g` cuts each number to between −1 "
    "and 1 and passes that on. That is a clip by value.",
    steps=(
        Step(
            "A rule on g",
            BY_VALUE,
            look_at="g",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="Which two numbers arrive at `w`?",
                    told=(
                        (
                            "[0.6, 0.8]",
                            "That keeps the direction and makes the arrow 1 long. The rule here never looks "
                            "at the length.",
                        ),
                        (
                            "[0.75, 1]",
                            "That divides both by the larger one. The rule looks at each number by itself.",
                        ),
                        ("[3, 4]", "That is what arrives at `g`. Its rule passes on something else."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="By value each number is cut by itself, so the arrow turns, unless all shrink alike. By "
            "norm all are divided by the length, and it only becomes shorter.",
        ),
        Step(
            "By norm",
            BY_NORM,
            look_at="w",
            text="The rule divides by the length where that is above 1. The direction stays.",
        ),
        Step(
            "At each step of a chain",
            CHAIN,
            look_at="w",
            text="`w` is used three times, and each use clips what it passes on. The three wires bring 4, 2 "
            "and 1.",
        ),
        Step(
            "The chain without rules",
            FREE,
            look_at="w",
            text="`h3` is w³. The three wires bring 4 each.",
        ),
    ),
    to_try=(
        Try(
            "Open *By norm*: 0.6 and 0.8 arrive, a fifth of 3 and 4, in their direction.",
            (Part(1, unchanged=True),),
            ("w",),
            then=(Claim("w gets", "gradient", "w", (0.6, 0.8), "by hand: [3, 4]/√(9 + 16)"),),
        ),
        Try(
            "Open *The chain without rules*, then *At each step of a chain*: 12 and 7. A clip afterwards "
            "would see only the 12.",
            (Part(3, unchanged=True), Part(2, unchanged=True)),
            ("w",),
            then=(
                Claim("The three wires", "added", "w", (1.0, 2.0, 4.0), "by hand: h0, h1, h2 times 1"),
                Claim("w gets", "gradient", "w", 7.0, "by hand: 4 + 2 + 1", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("g gets", "cotangent", "g", (3.0, 4.0), "by hand: (3a + 4b)' = [3, 4]", within=EXACTLY),
        Claim(
            "w gets by value",
            "gradient",
            "w",
            (1.0, 1.0),
            "by hand: 3 and 4 cut to 1, at an angle to [3, 4] whose cosine is 7/(5√2) = 0.99; PyTorch's "
            "clip_grad_value_ leaves the same",
            within=EXACTLY,
        ),
        Claim("w gets by norm", "gradient", "w", (0.6, 0.8), "by hand: [3, 4]/5", 1),
        Claim("w gets in the clipped chain", "gradient", "w", 7.0, "by hand: h2 + h1 + h0, each times 1", 2),
        Claim("w gets in the chain", "gradient", "w", 12.0, "by hand: (w³)' = 3w² at 2", 3),
    ),
    predictions=(
        Prediction("[1, 1]", RIGHT),
        Prediction("[0.6, 0.8]", TOLD),
        Prediction("[0.75, 1]", TOLD),
        Prediction("[3, 4]", "rule-ignored"),
    ),
    sources=(
        "[hal-cgp PR #210](https://github.com/Happy-Algorithms-League/hal-cgp/pull/210)",
        "[verl #2282](https://github.com/verl-project/verl/issues/2282): the norm that is reported is that "
        "before the clip",
    ),
    code="""w = torch.zeros(2, requires_grad=True)
(w * torch.tensor([3.0, 4.0])).sum().backward()
torch.nn.utils.clip_grad_value_([w], 1.0)
w.grad  # [1.0, 1.0]
""",
)
