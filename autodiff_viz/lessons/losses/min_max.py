"""Ask where two players come to if one lowers and one raises the same number: outwards, in a spiral."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, VALUE, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings

GAME = """theta = parameter(1.0)
phi = parameter(1.0)
loss = theta * rewrite(phi, lambda v: -v)
"""
VALLEY = """theta = parameter(1.0)
phi = parameter(1.0)
loss = theta * phi
"""
INWARDS, CIRCLE, SPIRAL, DOWN = (
    "straight to 0, 0",
    "round in a circle",
    "in a spiral outwards",
    "down a valley, away",
)
SMALL = Plan(Settings("sgd", 0.1), 100)

LESSON = Lesson(
    key="min-max",
    title="Where does gradient descent lead a game of two?",
    summary="Two players share one number. One wants it low, the other high, and both take small steps.",
    track="losses",
    level=2,
    minutes=3,
    after=("surgery", "step-size", "gan-detach"),
    found_by=("GAN", "game", "adversarial", "two optimizers", "equilibrium"),
    text="`loss` is `theta` times `phi`. `theta` lowers it. A rule turns the sign of what `phi` gets, so "
    "`phi` raises it, and only at 0, 0 would both rest. From 1, 1 both take 100 small steps, at the same "
    "time.",
    steps=(
        Step(
            "One down, one up",
            GAME,
            look_at="loss",
            training=SMALL,
            questions=(
                Question(
                    CHOICE,
                    Quantity(VALUE, "theta"),
                    words="Which way do they go?",
                    told=(
                        (
                            SPIRAL,
                            "Each step is at right angles to the way from 0, 0, so it ends further out.",
                        ),
                        (
                            INWARDS,
                            "0, 0 is where both would rest. But at 1, 1 `theta` falls and `phi` rises, "
                            "equally fast: draw that arrow.",
                        ),
                        (
                            CIRCLE,
                            "Endlessly small steps would go round. A real step goes straight on. Where does "
                            "a straight step from a circle end?",
                        ),
                        (DOWN, "So it would be if both went down. The rule lets `phi` go up."),
                    ),
                    options=(INWARDS, CIRCLE, SPIRAL, DOWN),
                    right=SPIRAL,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="field",
            text="These arrows go round, and each straight step along them ends further out. They are the "
            "slopes of no function: a turned sign or a stop can leave nothing to descend.",
        ),
        Step(
            "One down, one up, rate 1",
            GAME,
            look_at="loss",
            training=Plan(Settings("sgd", 1.0), 4),
            text="Each step of rate 1 turns by an eighth and is √2 times as far out.",
        ),
        Step(
            "Both down",
            VALLEY,
            look_at="loss",
            training=SMALL,
            text="Without the rule both lower the product. It is a saddle: down on two sides, up on two.",
        ),
    ),
    to_try=(
        Try(
            "Train 100 steps: `theta` ends at −0.56 and `phi` at −2.26, further out than they began.",
            (Part(0, steps=100, at=100, unchanged=True),),
            ("theta", "phi", "field"),
            then=(
                Claim("theta then", "value", "theta", -0.56034, "by hand: as below", digits=4),
                Claim("phi then", "value", "phi", -2.25735, "by hand: as below", digits=4),
            ),
        ),
        Try(
            "Open *One down, one up, rate 1* and train four steps: they come to −4, −4.",
            (Part(1, steps=4, at=4, unchanged=True),),
            ("theta", "phi"),
            then=(
                Claim("theta then", "value", "theta", -4.0, "by hand: −4 − 1 · 0", within=EXACTLY),
                Claim("phi then", "value", "phi", -4.0, "by hand: 0 + 1 · (−4)", within=EXACTLY),
            ),
        ),
        Try(
            "Open *Both down* and train 100 steps: from 1, 1 straight to 0, 0.",
            (Part(2, steps=100, at=100, unchanged=True),),
            ("theta", "phi"),
            then=(Claim("theta then", "value", "theta", 0.9**100, "by hand: times 0.9 a step", digits=4),),
        ),
        Try(
            "There, begin with `phi` at 0.9: both end far away.",
            (Part(2, (put("phi", 0.9),), steps=100, at=100, unchanged=True),),
            ("theta", "phi"),
            then=(
                Claim(
                    "theta then",
                    "value",
                    "theta",
                    689.03,
                    "by hand: half of 1.9 · 0.9¹⁰⁰ + 0.1 · 1.1¹⁰⁰, for the sum shrinks by 0.9 a step and the "
                    "difference grows by 1.1",
                    digits=3,
                ),
            ),
        ),
    ),
    claims=(
        Claim("theta gets", "gradient", "theta", 1.0, "by hand: phi", within=EXACTLY),
        Claim("phi gets", "gradient", "phi", -1.0, "by hand: theta, its sign turned", within=EXACTLY),
        Claim(
            "theta after 100 steps",
            "value",
            "theta",
            -0.56034,
            "by hand: as a complex number, theta + i·phi is multiplied by 1 + 0.1i a step: "
            "√2 · 1.01⁵⁰ · cos(π/4 + 100 arctan 0.1), 2.3259 from the middle",
            digits=4,
            at=100,
        ),
        Claim(
            "phi after 100 steps",
            "value",
            "phi",
            -2.25735,
            "by hand: √2 · 1.01⁵⁰ · sin(π/4 + 100 arctan 0.1)",
            digits=4,
            at=100,
        ),
        Claim(
            "theta in steps 0 to 4 of rate 1",
            "value",
            "theta",
            (1.0, 0.0, -2.0, -4.0, -4.0),
            "by hand: times 1 + i a step",
            1,
            within=EXACTLY,
            at=range(5),
        ),
        Claim(
            "phi in steps 0 to 4 of rate 1",
            "value",
            "phi",
            (1.0, 2.0, 2.0, 0.0, -4.0),
            "by hand: times 1 + i a step",
            1,
            within=EXACTLY,
            at=range(5),
        ),
        Claim("theta gets, both down", "gradient", "theta", 1.0, "by hand: phi", 2),
        Claim("phi gets, both down", "gradient", "phi", 1.0, "by hand: theta", 2),
    ),
    predictions=(
        Prediction(SPIRAL, RIGHT),
        Prediction(INWARDS, TOLD),
        Prediction(CIRCLE, TOLD),
        Prediction(DOWN, TOLD),
    ),
    sources=("[Mescheder et al., *The numerics of GANs*](https://arxiv.org/abs/1705.10461)",),
    code="""theta = torch.nn.Parameter(torch.tensor(1.0))
phi = torch.nn.Parameter(torch.tensor(1.0))
down = torch.optim.SGD([theta], lr=0.1)
up = torch.optim.SGD([phi], lr=0.1, maximize=True)
for _ in range(2):
    down.zero_grad(), up.zero_grad()
    (theta * phi).backward()
    down.step(), up.step()
theta.item(), phi.item()  # 0.79, 1.19
""",
)
