"""Ask what a shared weight still gets where the state is detached before the last step."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, ruled
from autodiff_viz.lessons.tour import Step

WHOLE = """w = 2.0
h0 = 1.0
h1 = w * h0
h2 = w * h1
h3 = w * h2
"""
DETACHED = WHOLE.replace("h2 = w * h1", "h2 = stop_gradient(w * h1)")
HALVED = """w = 2.0
h0 = 1.0
h1 = scale_gradient(w * h0, 0.5)
h2 = scale_gradient(w * h1, 0.5)
h3 = w * h2
"""

LESSON = Lesson(
    key="bptt",
    track="stops",
    title="hidden.detach(): what is left of the gradient?",
    summary="Three steps share one weight, and the state is detached on the way.",
    level=2,
    minutes=3,
    after=("fork", "twins"),
    found_by=("RNN", "LSTM", "BPTT", "truncated", "hidden.detach", "repackage_hidden"),
    text="Three steps multiply by the same `w` = 2: the state goes 1, 2, 4, 8. In A `w` gets 12 from all "
    "of them. In B the state `h2` is detached, which is a stop, before the last step reads it.",
    steps=(
        Step(
            "Detached",
            DETACHED,
            look_at="h2",
            pinned=WHOLE,
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What does `w` get in B?",
                    told=(
                        (
                            "8",
                            "8 would be two steps' worth, and is the last state as well. How many steps "
                            "read `w` after the stop?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="4, from one step. A shared weight hears from every step, 4 + 4 + 4. A detach silences "
            "all steps before it, but not the step that reads the detached state.",
        ),
        Step(
            "Not detached",
            WHOLE,
            look_at="h2",
            text="Nothing is stopped: all three steps reach `w`.",
        ),
        Step(
            "Halved at each step",
            HALVED,
            look_at="h2",
            text="Each state passes on half of what arrives, as in the training of MuZero.",
        ),
    ),
    to_try=(
        Try(
            "Let `h2` *follow* and stop `h1`: two steps reach `w` now, 4 + 4 = 8.",
            (Part(edits=(ruled("h2", "follow"), ruled("h1", "stop"))),),
            ("w", "paths"),
            then=(
                Claim("w gets", "gradient", "w", 8.0, "by hand: the last two steps, 4 + 4", within=EXACTLY),
            ),
        ),
        Try(
            "Open *Halved at each step*: the farther back a step, the less it brings. 4 + 2 + 1 = 7.",
            (Part(2),),
            ("w", "paths"),
            then=(Claim("w gets", "gradient", "w", 7.0, "by hand: 4 + 4/2 + 4/4", 2, EXACTLY),),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 4.0, "by hand: h2, which is w² = 4", within=EXACTLY),
        Claim("The last state", "value", "h3", 8.0, "by hand: 2³", within=EXACTLY),
        Claim("w gets of the whole", "gradient", "w", 12.0, "by hand: 3w² of w³", 1, EXACTLY),
        Claim("w gets, halved", "gradient", "w", 7.0, "by hand: 4 + 4/2 + 4/4", 2, EXACTLY),
    ),
    predictions=(
        Prediction("4", RIGHT),
        Prediction("12", "stop-ignored"),
        Prediction("8", TOLD),
        Prediction("0", "stop-takes-all"),
    ),
    sources=(
        "Detached states, asked about: [OpenNMT-py "
        "1148](https://github.com/OpenNMT/OpenNMT-py/issues/1148), [PyTorch tutorial "
        "90](https://github.com/yunjey/pytorch-tutorial/issues/90), [Diffrax "
        "204](https://github.com/patrick-kidger/diffrax/issues/204). Halving, in the words of MuZero's "
        "pseudocode: [muzero-general 22](https://github.com/werner-duvaud/muzero-general/issues/22).",
    ),
    code="""w = torch.tensor(2.0, requires_grad=True)
h = torch.tensor(1.0)
for _ in range(2):
    h = w * h
h = w * h.detach()
h.backward()
w.grad  # 4.0
""",
)
