"""Ask whether small batches add up to a large one: a mean of means does not weigh all words alike."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

PARTS = """w = 0.5
first = mean([1.0] * w)
second = mean([3.0, 3.0, 3.0] * w)
loss = 0.5 * (first + second)
"""
WHOLE = """w = 0.5
loss = mean([1.0, 3.0, 3.0, 3.0] * w)
"""
SUMS = """w = 0.5
first = sum([1.0] * w)
second = sum([3.0, 3.0, 3.0] * w)
loss = (first + second) / 4.0
"""
EQUAL = """w = 0.5
first = mean([1.0, 3.0] * w)
second = mean([3.0, 3.0] * w)
loss = 0.5 * (first + second)
"""

LESSON = Lesson(
    key="accumulate",
    title="Small batches, added up: the same as one large batch?",
    summary="Four words in one batch, or one word and three in two. The losses are the same, word by word.",
    track="losses",
    level=2,
    minutes=3,
    after=("zero-grad",),
    found_by=("gradient accumulation", "mean", "tokens", "batch size"),
    text="The losses of four words are `w` times 1, 3, 3 and 3. In A their mean sends 2.5 to `w`. In B "
    "there are two batches, of one word and of three. Each takes its mean, and the two means are halved and "
    "added.",
    steps=(
        Step(
            "One word, and three",
            PARTS,
            look_at="loss",
            pinned=WHOLE,
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What arrives at `w` in B?",
                    told=(
                        (
                            "2.5",
                            "2.5 gives each word the same weight, a quarter. Which weight has the one that "
                            "is alone in its batch?",
                        ),
                        ("10", "10 is the sum of the four. Here each batch divides by how many it has."),
                        ("5", "5 divides the four words by 2. Three of them are divided once more."),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="compare",
            text="A mean of means gives the word that is alone in its batch the weight ½, and each of the "
            "three ⅙. In one large batch each has ¼.",
        ),
        Step(
            "Sums, divided once",
            SUMS,
            look_at="w",
            text="Each batch takes its sum, and the division by all four words comes last.",
        ),
        Step(
            "Two words, and two",
            EQUAL,
            look_at="w",
            text="Two words in each batch. Every word is weighed alike, as in one large batch.",
        ),
        Step(
            "One large batch",
            WHOLE,
            look_at="w",
            text="One mean of four words, each with the weight ¼.",
        ),
    ),
    to_try=(
        Try(
            "Open *Sums, divided once*: 2.5, as in one large batch.",
            (Part(1, unchanged=True),),
            ("w",),
            then=(Claim("w gets", "gradient", "w", 2.5, "by hand: (1 + 9)/4", within=EXACTLY),),
        ),
        Try(
            "Open *Two words, and two*: 2.5 again. So it goes unnoticed until the batches differ in length.",
            (Part(2, unchanged=True),),
            ("w",),
            then=(Claim("w gets", "gradient", "w", 2.5, "by hand: ½ · 4/2 + ½ · 6/2", within=EXACTLY),),
        ),
    ),
    claims=(
        Claim("w gets from two batches", "gradient", "w", 2.0, "by hand: ½ · 1 + ½ · 9/3"),
        Claim("w gets from sums", "gradient", "w", 2.5, "by hand: (1 + 9)/4", 1),
        Claim("w gets from equal batches", "gradient", "w", 2.5, "by hand: ½ · 2 + ½ · 3", 2),
        Claim("w gets from one batch", "gradient", "w", 2.5, "by hand: (1 + 3 + 3 + 3)/4", 3),
    ),
    predictions=(
        Prediction("2", RIGHT),
        Prediction("2.5", "twin"),
        Prediction("4", "factor-forgotten"),
        Prediction("10", TOLD),
        Prediction("5", "sum-for-mean"),
    ),
    sources=(
        "[transformers #24725](https://github.com/huggingface/transformers/issues/24725): take sums, "
        "not means",
        "[torchtune PR #1875](https://github.com/meta-pytorch/torchtune/pull/1875): one division, by "
        "all words",
        "[mlx-lm PR #1413](https://github.com/ml-explore/mlx-lm/pull/1413): short texts counted too much",
    ),
    code="""w = torch.tensor(0.5, requires_grad=True)
for x in ([1.0], [3.0, 3.0, 3.0]):
    ((torch.tensor(x) * w).mean() / 2).backward()
w.grad  # 2.0
""",
)
