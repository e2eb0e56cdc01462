"""Ask in which of a GAN's two steps a stop on the fake changes what is trained."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, SAME, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, ruled
from autodiff_viz.lessons.tour import Step

CRITIC = """theta = 1.0
phi = 0.5
fake = 2.0 * theta
score = phi * fake
loss = 1.0 * score
"""
GENERATOR = CRITIC.replace("1.0 * score", "-1.0 * score")
STOPPED = {
    graph: graph.replace("fake = 2.0 * theta", "fake = stop_gradient(2.0 * theta)")
    for graph in (CRITIC, GENERATOR)
}

LESSON = Lesson(
    key="gan-detach",
    track="stops",
    title="fake.detach(): in which step of a GAN is it needed?",
    summary="One line, in two training steps. What does it do in each?",
    level=2,
    minutes=3,
    after=("dqn-target",),
    found_by=("GAN", "detach", "discriminator", "generator", "critic"),
    text="`theta` makes a fake, 2, and the critic `phi` gives it the score ½ · 2. This step lowers the "
    "score and trains `phi` alone. In A `fake` is detached, which is a stop; in B it is not.",
    steps=(
        Step(
            "The critic's step",
            CRITIC,
            look_at="fake",
            pinned=STOPPED[CRITIC],
            questions=(
                Question(
                    SAME,
                    Quantity(COTANGENT, "phi"),
                    words="Does `phi` get the same in both?",
                    told=(
                        (
                            "different",
                            "Many programs have the line in this step. But what lies behind the stop: does "
                            "`phi`?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="compare",
            text="2 in both: here the line saves work and changes nothing, for `phi` is not behind it. The "
            "other step has the same line, and is next. Ask of each stop whose gradient is behind it.",
        ),
        Step(
            "The generator's step",
            GENERATOR,
            look_at="fake",
            pinned=STOPPED[GENERATOR],
            caption="The other step raises the score and trains `theta`. Again `fake` is detached in A "
            "alone.",
            questions=(
                Question(
                    SAME,
                    Quantity(COTANGENT, "theta"),
                    words="Does `theta` get the same in both?",
                    told=(("the same", "The losses are equal. But what lies behind the stop this time?"),),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="why zero",
            text="With the stop `theta` gets 0 in place of −1: the generator never learns, and no loss says "
            "so.",
        ),
    ),
    to_try=(
        Try(
            "In the critic's step stop `fake`: `phi` gets 2 as before. Only `theta`, which nobody trains "
            "here, loses its 1.",
            (Part(edits=(ruled("fake", "stop"),)),),
            ("phi", "theta"),
            then=(
                Claim("phi gets", "gradient", "phi", 2.0, "by hand: 2 · 1", within=EXACTLY),
                Claim("theta gets", "gradient", "theta", 0.0, "by hand: behind a stop", within=EXACTLY),
            ),
        ),
        Try(
            "In the generator's step stop `fake`, and read the loss, `phi` and `theta`. Which of the three "
            "tells you?",
            (Part(1, (ruled("fake", "stop"),)),),
            ("theta", "phi", "loss"),
            then=(
                Claim("The loss", "value", "loss", -1.0, "by hand: −½ · 2", 1, EXACTLY),
                Claim("phi gets", "gradient", "phi", -2.0, "by hand: −2 · 1", 1, EXACTLY),
                Claim("theta gets", "gradient", "theta", 0.0, "by hand: behind a stop", 1, EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("phi gets", "gradient", "phi", 2.0, "by hand: the fake, 2 · 1", within=EXACTLY),
        Claim("theta gets", "gradient", "theta", 1.0, "by hand: ½ · 2", within=EXACTLY),
        Claim("theta gets", "gradient", "theta", -1.0, "by hand: −½ · 2", 1, EXACTLY),
        Claim("phi gets", "gradient", "phi", -2.0, "by hand: −2 · 1", 1, EXACTLY),
    ),
    predictions=(
        Prediction("the same", RIGHT),
        Prediction("different", TOLD),
        Prediction("equal", RIGHT),
        Prediction("different", RIGHT, 1),
        Prediction("the same", TOLD, 1),
    ),
    sources=(
        "Done for speed, not to be correct: [PyTorch's examples "
        "116](https://github.com/pytorch/examples/issues/116). A generator's step that had the line, and "
        "its author calls it a bug: [image2reverb "
        "37](https://github.com/nikhilsinghmus/image2reverb/issues/37).",
    ),
    code="""theta = torch.tensor(1.0, requires_grad=True)
phi = torch.tensor(0.5, requires_grad=True)
fake = 2 * theta
(phi * fake).backward()
phi.grad, theta.grad  # (2.0, 1.0)
""",
)
