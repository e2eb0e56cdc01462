"""Ask which line lets a gradient through where nobody wrote a stop: `torch.tensor` copies numbers alone."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, ruled
from autodiff_viz.lessons.tour import Step

COPIED = """x = 2.0
a = square(x)
b = 3.0 * x
a_copy = stop_gradient(a)
b_copy = stop_gradient(b)
loss = a_copy + b_copy
"""
STACK = "torch.stack([a, b])"
LEAF = "torch.tensor([a, b], requires_grad=True)"
CLONE = "torch.tensor([a.clone(), b.clone()])"

LESSON = Lesson(
    key="hidden-stop",
    track="stops",
    title="I never wrote detach. Who cut my graph?",
    summary="A loss is right, and its input gets nothing. Which line would let it through?",
    level=1,
    minutes=3,
    after=("twins", "gets-nothing"),
    found_by=("item", "torch.tensor", "numpy", "grad is None", "does not require grad"),
    text="The loss is 4 + 6, as it should be, and `x` gets nothing. In the code one line, `torch.tensor([a, "
    "b])`, collects the two results. The canvas draws what it does to each: a stop.",
    steps=(
        Step(
            "As it was written",
            COPIED,
            look_at="a_copy",
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "x"),
                    words="Which line in its place lets the gradient through to `x`?",
                    options=(LEAF, STACK, CLONE),
                    right=STACK,
                    told=(
                        (
                            LEAF,
                            "Now the new tensor gets a gradient, and `x` none: it is a new beginning.",
                        ),
                        (
                            CLONE,
                            "The clones still know where they come from. `torch.tensor` reads their numbers "
                            "alone.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="why zero",
            text="A stop has many spellings: `torch.tensor(list)`, `.item()`, `.tolist()`, `no_grad`. Each "
            "keeps the numbers and forgets where they come from. `stack` is an op, and remembers.",
        ),
    ),
    to_try=(
        Try(
            "Set both copies to *follow*, as `torch.stack` does: 7 arrives at `x`, 4 by `a` and 3 by `b`.",
            (Part(edits=(ruled("a_copy", "follow"), ruled("b_copy", "follow"))),),
            ("x", "paths"),
            then=(
                Claim("What arrives at x", "gradient", "x", 7.0, "by hand: 2 · 2 + 3", within=EXACTLY),
                Claim("What a and b pass", "added", "x", (4.0, 3.0), "by hand: 2 · 2, and 3", within=EXACTLY),
            ),
        ),
        Try(
            "Stop `a_copy` again, as `a.item()` would: 3 arrives, and one part is missing in training.",
            (Part(edits=(ruled("b_copy", "follow"), ruled("a_copy", "stop"))),),
            ("x", "loss"),
            then=(
                Claim("What arrives at x", "gradient", "x", 3.0, "by hand: b's part alone", within=EXACTLY),
                Claim("The loss", "value", "loss", 10.0, "by hand: 4 + 6", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim(
            "What arrives at x through torch.tensor",
            "gradient",
            "x",
            0.0,
            "by hand: behind two stops; DeepXDE's pull request 1318 prints None, with as_tensor of a list",
            within=EXACTLY,
        ),
        Claim("The loss", "value", "loss", 10.0, "by hand: 2² + 3 · 2", within=EXACTLY),
        Claim("What arrives at the copy of a", "cotangent", "a_copy", 1.0, "by hand: a sum", within=EXACTLY),
    ),
    predictions=(
        Prediction(STACK, RIGHT),
        Prediction(LEAF, TOLD),
        Prediction(CLONE, TOLD),
    ),
    sources=(
        "`as_tensor` of a list and `stack`, None and 1: [DeepXDE "
        "1318](https://github.com/lululxvi/deepxde/pull/1318). `torch.tensor` in the losses of a family of "
        "learners, which did not learn: [SLM Lab 133](https://github.com/kengz/SLM-Lab/pull/133). A critic "
        "behind `.item()` that never trained: [CoursIA "
        "15256](https://github.com/jsboige/CoursIA/pull/15256).",
    ),
    code="""x = torch.tensor(2.0, requires_grad=True)
a, b = x ** 2, 3 * x
v = torch.tensor([a, b], requires_grad=True)
loss = v.sum()  # 10.0
loss.backward()
x.grad  # None
""",
)
