"""Ask what is left of a hard choice with a soft gradient where its stop is dropped."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, ZERO, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, ruled
from autodiff_viz.lessons.tour import Step

OPEN = """logits = log([0.25, 0.5, 0.25])
soft = softmax(logits)
hard = one_hot(argmax(soft), num_classes=3)
copy = identity(soft)
rest = hard - copy
y = rest + soft
z = sum(y * [1.0, 2.0, 3.0])
"""
STOPPED = OPEN.replace("identity(soft)", "stop_gradient(soft)")
SLOPES = (-0.25, 0.0, 0.25)
BY_HAND = "by hand: sᵢ(cᵢ − Σ sc) with s = ¼, ½, ¼ and c = 1, 2, 3, so Σ sc = 2"
CLOSE = 1e-7  # one of three numbers is a difference that may be rounded

LESSON = Lesson(
    key="gumbel",
    track="steps",
    title="A hard choice with a soft gradient: what if I drop the stop?",
    summary="The stop on one copy looks like the one thing that is in the way.",
    level=3,
    minutes=3,
    after=("ste", "cancels"),
    found_by=("gumbel softmax", "hard", "argmax", "one hot", "straight-through"),
    text="`soft` is ¼, ½, ¼, and `copy` is the same. `y` is `hard` − `copy` + `soft`: forward the hard "
    "choice 0, 1, 0. In A `copy` has a stop, and the logits get −¼, 0, ¼. B drops the stop.",
    steps=(
        Step(
            "Without the stop",
            OPEN,
            look_at="copy",
            pinned=STOPPED,
            questions=(
                Question(
                    ZERO,
                    Quantity(COTANGENT, "logits"),
                    words="Does anything arrive at the logits in B?",
                    told=(
                        (
                            "something",
                            "Now two wires lead back to `soft`, that is true. With which sign does "
                            "each count?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="why zero",
            text="Here the stop lets the gradient through: without it −`copy` and `soft` cancel, backward "
            "as they do forward.",
        ),
        Step(
            "With the stop",
            STOPPED,
            look_at="copy",
            text="`hard` and `copy` pass nothing back. What arrives comes by `soft` alone.",
        ),
    ),
    to_try=(
        Try(
            "In B stop `rest`, the difference, in place of the copy: the logits get −¼, 0, ¼, as in A.",
            (Part(edits=(ruled("rest", "stop"),)),),
            ("logits",),
            then=(Claim("The logits get", "cotangent", "logits", SLOPES, BY_HAND, within=CLOSE),),
        ),
        Try(
            "Let `rest` *follow* again and stop `y`: 0, 0, 0 once more, for another reason. Select "
            "`logits` to see which.",
            (Part(edits=(ruled("rest", "follow"), ruled("y", "stop"))),),
            ("logits",),
            then=(
                Claim(
                    "The logits get",
                    "cotangent",
                    "logits",
                    (0.0, 0.0, 0.0),
                    "by hand: behind a stop",
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("The choice", "value", "y", (0.0, 1.0, 0.0), "by hand: the largest of ¼, ½, ¼", within=CLOSE),
        Claim(
            "The logits get",
            "cotangent",
            "logits",
            (0.0, 0.0, 0.0),
            "by hand: −soft and soft pass the same, with both signs",
            within=EXACTLY,
        ),
        Claim("The logits get, with the stop", "cotangent", "logits", SLOPES, BY_HAND, 1, CLOSE),
    ),
    predictions=(
        Prediction("zero", RIGHT),
        Prediction("something", TOLD),
        Prediction("0", RIGHT),
    ),
    sources=(
        "Where the stop belongs, around the copy or around the difference: [PyTorch "
        "48574](https://github.com/pytorch/pytorch/issues/48574), "
        "[68941](https://github.com/pytorch/pytorch/issues/68941). Why there is one: [gumbel-softmax "
        "12](https://github.com/ericjang/gumbel-softmax/issues/12).",
    ),
    code="""logits = torch.tensor([0.25, 0.5, 0.25]).log().requires_grad_()
soft = logits.softmax(0)
hard = torch.nn.functional.one_hot(soft.argmax(), 3).float()
y = hard - soft.detach() + soft
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
logits.grad  # [-0.25, 0.0, 0.25]
""",
)
