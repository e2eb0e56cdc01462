"""Ask what a row of an embedding gets: a lookup is a product with 0s and 1s, so each use counts once."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    selected,
    written,
)
from autodiff_viz.lessons.tour import Step

LOOKUP = """E = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
words = [2.0, 0.0, 2.0]
pick = one_hot(words, num_classes=3)
found = pick @ E
loss = sum(found)
"""

LESSON = Lesson(
    key="embedding",
    title="Which rows of an embedding learn?",
    summary="A sentence of three words looks up its rows in a table of three. One word comes twice.",
    track="networks",
    level=2,
    minutes=2,
    after=("bias-sum",),
    found_by=("lookup", "gather", "sparse", "nn.Embedding"),
    text="`E` has a row for each of three words, counted from 0. A sentence uses word 2, word 0, and word 2 "
    "again. `found` holds these rows, and 1 comes back to each number there.",
    steps=(
        Step(
            "Three lookups",
            LOOKUP,
            look_at="found",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "E", element=(2, 0)),
                    words="What arrives at the first number of the row of word 2?",
                    told=(
                        ("2", "1 from each of its two uses."),
                        ("1", "1 comes back from one use. How often is this row used?"),
                        ("0.67", "Nothing divides by the three words: the loss is a sum."),
                        ("3", "3 counts all lookups. Not every one is of this row."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="play",
            text="A lookup is a product with 0s and 1s. A row gets something for each use, and a row that "
            "is not used gets nothing.",
        ),
    ),
    to_try=(
        Try(
            "Select `E` and read the row of word 1: 0. Adam moves such a row all the same, by what it "
            "got in earlier steps.",
            (Part(edits=(selected("E"),), unchanged=True),),
            ("E",),
            then=(
                Claim(
                    "E gets",
                    "gradient",
                    "E",
                    ((1.0, 1.0), (0.0, 0.0), (2.0, 2.0)),
                    "by hand: uses of each word",
                    within=EXACTLY,
                ),
            ),
        ),
        Try(
            "Write 1, 1, 1 into `words`: the row of word 1 gets 3, and the others 0.",
            (Part(edits=(written("words", "[1.0, 1.0, 1.0]"),), unchanged=True),),
            ("E",),
            then=(
                Claim(
                    "E gets",
                    "gradient",
                    "E",
                    ((0.0, 0.0), (3.0, 3.0), (0.0, 0.0)),
                    "by hand: three uses of word 1",
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim(
            "E gets",
            "gradient",
            "E",
            ((1.0, 1.0), (0.0, 0.0), (2.0, 2.0)),
            "by hand: the column sums of the picks, 1, 0, 2; PyTorch's Embedding gives the same",
            within=EXACTLY,
        ),
        Claim(
            "The rows that are found",
            "value",
            "found",
            ((5.0, 6.0), (1.0, 2.0), (5.0, 6.0)),
            "by hand: rows 2, 0 and 2 of E",
            within=EXACTLY,
        ),
    ),
    predictions=(
        Prediction("2", RIGHT),
        Prediction("1", "arriving-alone"),
        Prediction("5", "value"),
        Prediction("0.67", TOLD),
        Prediction("3", TOLD),
    ),
    sources=(
        "[pytorch #18404](https://github.com/pytorch/pytorch/issues/18404): Adam moves rows that get 0",
    ),
    code="""table = torch.nn.Embedding(3, 2)
table(torch.tensor([2, 0, 2])).sum().backward()
table.weight.grad  # [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]
""",
)
