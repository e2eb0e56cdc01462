"""Ask which of two unbiased gradients of a mean is noisier: through the draw, or by its score."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import RESAMPLED, RIGHT, TOLD, Claim, Law, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

# Of this seed the first 1,000 draws, which *Noise* shows, spread nearly as all do: 30.8, 4.2 and 17.9.
DRAW = """mu = 1.0
eps = normal(mean=0.0, scale=1.0, seed=6)
"""
THROUGH = DRAW + "z = mu + eps\nf = square(z)\n"
SCORED = DRAW + "z = stop_gradient(mu + eps)\nf = square(z) * (-0.5 * square(z - mu))\n"
CENTRED = SCORED.replace("f = square(z) *", "f = (square(z) - 2.0) *")

LESSON = Lesson(
    key="reinforce",
    track="steps",
    title="Two roads to the same mean: which gradient is noisier?",
    summary="Through the draw, or by how good it was: both are right on average.",
    level=3,
    minutes=4,
    after=("cancels",),
    found_by=("policy gradient", "REINFORCE", "reparametrisation", "score function", "variance", "baseline"),
    text="`z` is `mu`, which is 1, plus a draw `eps` around 0. How does the mean of z² grow with `mu`? On "
    "average A and B both say 2. A goes back through the draw: 2z. B stops it and takes z² · `eps`.",
    steps=(
        Step(
            "By its score",
            SCORED,
            look_at="z",
            pinned=THROUGH,
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "mu"),
                    words="Which jumps more from draw to draw?",
                    options=("A, through the draw", "B, by its score", "both alike"),
                    right="B, by its score",
                    told=(
                        (
                            "both alike",
                            "Their means agree. Asked is how far a single draw strays from its mean.",
                        ),
                        (
                            "A, through the draw",
                            "In A the noise comes in once, in 2z. How often does it come into z² · `eps`?",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="noise",
            text="B: its variance is 30, that of A is 4. B knows only how large z² came out with this "
            "draw. A knows also in which direction z² grows.",
        ),
        Step(
            "Through the draw",
            THROUGH,
            look_at="z",
            text="The draw moves with `mu`, so the slope of z² is known: 2z.",
        ),
        Step(
            "Less its mean",
            CENTRED,
            look_at="f",
            text="2 is the mean of z². What is measured from it has the same mean gradient and a smaller "
            "variance.",
        ),
    ),
    to_try=(
        Try(
            "Press *Resample*, in Settings, a few times, and read what arrives at `mu`. Then do the "
            "same in *Through the draw*.",
            (Part(0, (RESAMPLED,)), Part(1, (RESAMPLED,))),
            ("mu", "noise"),
        ),
        Try(
            "Open *Less its mean*, which subtracts 2, and look at *Noise*: a variance of 18 in place "
            "of 30, and the same mean.",
            (Part(2),),
            ("noise",),
        ),
    ),
    claims=(
        Claim(
            "What mu gets in one draw",
            "gradient",
            "mu",
            Law("square(z) * (z - mu)", ("z", "mu")),
            "by hand: z² times the slope of −½(z − mu)², which is z − mu = eps",
        ),
        Claim(
            "What mu gets in one draw, through it",
            "gradient",
            "mu",
            Law("2.0 * z", ("z",)),
            "by hand: 2z, of which the variance is 4 · 1; that of z² · eps is (1 + 6 · 3 + 15) − 2² = 30",
            1,
        ),
        Claim(
            "What mu gets in one draw, less the mean",
            "gradient",
            "mu",
            Law("(square(z) - 2.0) * (z - mu)", ("z", "mu")),
            "by hand, as above; with E eps² = 1, E eps⁴ = 3, E eps⁶ = 15 its variance is (15 + 2 · 3 + 1) − "
            "4 = 18",
            2,
        ),
    ),
    predictions=(
        Prediction("B, by its score", RIGHT),
        Prediction("A, through the draw", TOLD),
        Prediction("both alike", TOLD),
    ),
    sources=(
        "Both roads, called score function and pathwise: [Mohamed and "
        "others](https://arxiv.org/abs/1906.10652), *Monte Carlo gradient estimation in machine "
        "learning*.",
    ),
    code="""mu = torch.tensor(1.0, requires_grad=True)
eps = torch.tensor(0.5)  # one draw
z = (mu + eps).detach()
(z ** 2 * (-0.5 * (z - mu) ** 2)).backward()
mu.grad  # 1.125
""",
)
