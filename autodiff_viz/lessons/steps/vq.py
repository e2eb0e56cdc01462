"""Ask which loss trains the code of a code book, where each of three has a stop."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

BOOK = """z = 0.5
e = 1.0
gap = stop_gradient(e - z)
zq = z + gap
rec = square(zq - 2.0)
z_held = stop_gradient(z)
e_held = stop_gradient(e)
book = square(e - z_held)
commit = 0.25 * square(z - e_held)
loss = rec + book + commit
"""
SWAPPED = BOOK.replace("e - z_held", "e_held - z").replace("(z - e_held", "(z_held - e")
DEAD = BOOK.replace("(e - z_held", "(zq - z_held")

LESSON = Lesson(
    key="vq",
    track="steps",
    title="A code book: which loss trains the code?",
    summary="An encoder, the nearest code, three losses and three stops.",
    level=3,
    minutes=4,
    after=("ste", "gan-detach"),
    found_by=("VQ-VAE", "codebook", "commitment", "vector quantisation"),
    text="The encoder says `z` = ½, and the nearest code is `e` = 1. `zq` takes its value, and `rec` wants "
    "that to be 2; `book` and `commit` compare `e` and `z`. Each of the three has a stop.",
    steps=(
        Step(
            "Three losses",
            BOOK,
            look_at="e",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "e"),
                    words="What arrives at the code `e`?",
                    told=(
                        ("0", "In `zq` and `commit` the code is looked up behind a stop. And in `book`?"),
                        ("-1", "−1 counts the −2 of `rec` as well. In `zq`, where does `e` stand?"),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="1, of `book` alone. Each stop says who has to move: the code towards `z`, `z` towards "
            "the code. The error of `rec` goes to `z`, as if it were `zq`.",
        ),
        Step(
            "Two stops swapped",
            SWAPPED,
            look_at="e",
            text="All values are as before. Now `book` moves `z`, and `commit`, four times weaker, moves "
            "the code.",
        ),
        Step(
            "zq in place of e",
            DEAD,
            look_at="book",
            text="`zq` has the value of `e`, and no path to it: every one meets a stop.",
        ),
    ),
    to_try=(
        Try(
            "Open *Two stops swapped*: the loss is 1.3125 as before, `e` gets 0.25 and `z` −3 in place of "
            "−2.25.",
            (Part(1),),
            ("e", "z", "loss"),
            then=(
                Claim("The loss", "value", "loss", 1.3125, "by hand: 1 + ¼ + 1/16", 1, EXACTLY),
                Claim("e gets", "gradient", "e", 0.25, "by hand: −½ · (½ − 1)", 1, EXACTLY),
                Claim("z gets", "gradient", "z", -3.0, "by hand: −2 − 2(1 − ½)", 1, EXACTLY),
            ),
        ),
        Try(
            "Open *zq in place of e*: the same loss again, and `e` gets 0. The code book never learns.",
            (Part(2),),
            ("e", "loss"),
            then=(
                Claim("The loss", "value", "loss", 1.3125, "by hand: 1 + ¼ + 1/16", 2, EXACTLY),
                Claim("e gets", "gradient", "e", 0.0, "by hand: behind stops", 2, EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("e gets", "gradient", "e", 1.0, "by hand: 2(1 − ½)", within=EXACTLY),
        Claim("z gets", "gradient", "z", -2.25, "by hand: 2(1 − 2) + ½(½ − 1)", within=EXACTLY),
        Claim("The loss", "value", "loss", 1.3125, "by hand: 1 + ¼ + 1/16", within=EXACTLY),
        Claim("e gets, swapped", "gradient", "e", 0.25, "by hand: −½ · (½ − 1)", 1, EXACTLY),
        Claim("z gets, swapped", "gradient", "z", -3.0, "by hand: −2 − 2(1 − ½)", 1, EXACTLY),
        Claim("e gets of zq", "gradient", "e", 0.0, "by hand: behind stops", 2, EXACTLY),
    ),
    predictions=(
        Prediction("1", RIGHT),
        Prediction("-1", TOLD),
        Prediction("1.25", "stop-ignored"),
        Prediction("0", TOLD),
    ),
    sources=(
        "The three losses: [van den Oord and others](https://arxiv.org/abs/1711.00937). Swapped: "
        "[deep-vector-quantization 2](https://github.com/karpathy/deep-vector-quantization/issues/2), "
        "[vqvae PR 20](https://github.com/MishaLaskin/vqvae/pull/20). `zq` in place of the code: "
        "[jax-vqvae-gpt 2](https://github.com/andylolu2/jax-vqvae-gpt/issues/2), [Olaf-World "
        "8](https://github.com/showlab/Olaf-World/issues/8).",
    ),
    code="""z = torch.tensor(0.5, requires_grad=True)
e = torch.tensor(1.0, requires_grad=True)
zq = z + (e - z).detach()
loss = (zq - 2) ** 2 + (e - z.detach()) ** 2 + 0.25 * (z - e.detach()) ** 2
loss.backward()
e.grad, z.grad  # (1.0, -2.25)
""",
)
