"""Teach a forward pass with noise and a backward pass without, by a stop at the right place."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, SAME, Quantity, Question
from autodiff_viz.lessons.lesson import (
    ANSWER,
    EXACTLY,
    NOISE,
    QUESTION,
    RESAMPLED,
    RIGHT,
    TOLD,
    Claim,
    Law,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
)
from autodiff_viz.lessons.tour import Step

RANDOM = "uniform(shape=(3,), low=0.9, high=1.1, seed=0)"
# The document prints y·u for y = [4, 1, 1]; u is that divided by y, exact in decimals.
FIRST_DRAW = "[1.04066335, 0.9370764, 1.0806011]"
SECOND_DRAW = "[0.9135966300, 1.07519293, 0.94398856]"

ONE = "x = -2.0\ny = square(x)\nu = 0.81\n"
THREE = "x = [-2.0, -1.0, 1.0]\ny = square(x)\nu = {u}\n"
CLEAN = "x = -2.0\ny = square(x)\nz = sqrt(y)\n"
NAIVE = "yu = y * u\nz = sqrt(yu)\n"
EARLY = "yu = y * u\nnoise = stop_gradient(yu - y)\nz = sqrt(noise + y)\n"
LAST = "yu = y * u\nclean = sqrt(y)\nnoise = stop_gradient(sqrt(yu) - clean)\nz = noise + clean\n"

SIGNS = (-1.0, -1.0, 1.0)
NOISY = Law("abs(x) * sqrt(u)", ("x", "u"))

LESSON = Lesson(
    key="forward-backward",
    track="stops",
    title="Noise forward, none backward: where does the stop go?",
    summary="A value should be noisy and its gradient should not. Two places for the stop, one of them "
    "right.",
    level=2,
    minutes=4,
    after=("twins",),
    found_by=("noise", "custom gradient", "Ioffe", "straight-through", "forward and backward"),
    text="`u` makes `z` noisy: 1.8 in place of √4 = 2. On the way back the noise should be forgotten. A "
    "has no noise, and `x` gets −1. B puts the noise behind a stop.",
    numbers=(1, 5, 0, 2, 3, 4),
    steps=(
        Step(
            "The noise behind a stop",
            ONE + EARLY,
            look_at="noise",
            pinned=CLEAN,
            questions=(
                Question(
                    SAME,
                    Quantity(COTANGENT, "x"),
                    words="Does `x` get the same in both?",
                    told=(
                        (
                            "the same",
                            "No gradient goes through the noise. But the root comes after it: at which "
                            "number is its slope taken?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="compare",
            text="−1.11: the root comes after the stop, and its slope is taken at the noisy 3.24. Where "
            "must a stop stand so that no slope is taken at a noisy number? The next graph has another "
            "place.",
        ),
        Step(
            "The stop after the root",
            ONE + LAST,
            look_at="noise",
            pinned=CLEAN,
            caption="Here two roots are taken, of the clean and of the noisy number. Their difference goes "
            "behind a stop and is added. Again A has no noise.",
            questions=(
                Question(
                    SAME,
                    Quantity(COTANGENT, "x"),
                    words="Does `x` get the same in both?",
                    told=(
                        ("different", "Which root does the way back meet, and at which number is it taken?"),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="−1, exactly, whatever `u` is. The stop belongs after the last op whose slope depends on "
            "where it is taken: only a sum comes after it.",
        ),
        Step(
            "No stop",
            ONE + NAIVE,
            look_at="u",
            text="What ran is differentiated, noise and all: −0.9.",
        ),
        Step(
            "Three numbers",
            THREE.format(u=RANDOM) + LAST,
            look_at="noise",
            text="The stop after the root, with noise that is drawn.",
        ),
        Step(
            "As it was asked",
            THREE.format(u=FIRST_DRAW) + NAIVE,
            look_at="u",
            text="No stop, and the draw that was printed by whoever asked.",
        ),
        Step(
            "As it was answered",
            THREE.format(u=SECOND_DRAW) + LAST,
            look_at="noise",
            text="The stop after the root, and the draw of the answer.",
        ),
    ),
    to_try=(
        Try(
            "In the first graph move `u` to 1: without noise −1 arrives here too.",
            (Part(edits=(put("u", 1.0),)),),
            ("x",),
            then=(Claim("x gets", "gradient", "x", -1.0, "by hand: −4 / (2√4)", within=EXACTLY),),
        ),
        Try(
            "In *The stop after the root* move `u` to 1.21: `z` becomes 2.2. Does `x` hear of it?",
            (Part(1, (put("u", 1.21),)),),
            ("x", "z"),
            then=(
                Claim("z", "value", "z", 2.2, "by hand: √(4 · 1.21)", 1),
                Claim("x gets", "gradient", "x", -1.0, "by hand: −4 / (2√4)", 1, EXACTLY),
            ),
        ),
        Try(
            "In *Three numbers* press *Resample*, in Settings, twice. Which numbers change, and which never "
            "do?",
            (Part(3, (RESAMPLED,)),),
            ("x",),
            then=(Claim("x gets", "gradient", "x", SIGNS, "by hand: the sign of x", 3, EXACTLY),),
        ),
    ),
    claims=(
        Claim("The value, with its noise", "value", "z", 1.8, "by hand: √(4 · 0.81) = 2 · 0.9"),
        Claim("x gets", "gradient", "x", -1 / 0.9, "by hand: −4 / (2 · 1.8)"),
        Claim("The same value", "value", "z", 1.8, "by hand: (√3.24 − √4) + √4", 1),
        Claim("x gets", "gradient", "x", -1.0, "by hand: −4 / (2√4)", 1, EXACTLY),
        Claim(
            "What reaches the noise", "cotangent", "u", 0.0, "by hand: all behind the stop is 0", 1, EXACTLY
        ),
        Claim("The same value", "value", "z", 1.8, "by hand: √(4 · 0.81)", 2),
        Claim("x gets", "gradient", "x", -0.9, "by hand: (|x|√u)' = sign(x)·√u, and √0.81 = 0.9", 2),
        Claim("The same value", "value", "z", NOISY, "by hand: (√(yu) − √y) + √y = √(yu) = |x|√u", 3),
        Claim("Gradient of x", "gradient", "x", SIGNS, ANSWER, 3, EXACTLY),
        Claim("y·u", "value", "yu", (4.1626534, 0.9370764, 1.0806011), QUESTION, 4),
        Claim("The value z", "value", "z", (2.0402582, 0.96802706, 1.0395197), QUESTION, 4),
        Claim("Gradient of x", "gradient", "x", (-1.0201291, -0.96802706, 1.0395197), QUESTION, 4),
        Claim("y·u", "value", "yu", (3.65438652, 1.07519293, 0.94398856), ANSWER, 5),
        Claim("The value z", "value", "z", (1.91164494, 1.03691506, 0.97159076), ANSWER, 5),
        Claim("Gradient of x", "gradient", "x", SIGNS, ANSWER, 5, EXACTLY),
    ),
    predictions=(
        Prediction("different", RIGHT),
        Prediction("the same", TOLD),
        Prediction("not the same", RIGHT),
        Prediction("the same", RIGHT, 1),
        Prediction("different", TOLD, 1),
    ),
    sources=(f"{NOISE}. The answer calls it Sergey Ioffe's trick.",),
    code="""x = torch.tensor(-2.0, requires_grad=True)
u = 0.81
y = x ** 2
noise = (y * u - y).detach()
z = torch.sqrt(noise + y)
z.backward()
x.grad  # -1.1111
""",
)
