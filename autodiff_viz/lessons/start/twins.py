"""Ask what a stop changes of a gradient where it changes no value."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, put, ruled
from autodiff_viz.lessons.tour import Step

STOPPED = """x = 3.0
y = x * stop_gradient(x)
"""
PLAIN = """x = 3.0
y = x * x
"""

LESSON = Lesson(
    key="twins",
    track="start",
    title="Same numbers forward: same gradient?",
    summary="Two graphs give 9. One of them has a stop on one wire.",
    level=1,
    minutes=2,
    after=("fork",),
    found_by=("detach", "stop_gradient", "same loss", "no_grad", "twins"),
    text="A and B both multiply `x`, which is 3, by itself and give 9. In B one of the two wires goes "
    "through a stop, which lets values through and no gradient. In A, 6 arrives at `x`.",
    steps=(
        Step(
            "One wire stopped",
            STOPPED,
            look_at="y",
            pinned=PLAIN,
            letter="A",
            questions=(Question(NUMBER, Quantity(COTANGENT, "x"), words="What arrives at `x` in B?"),),
            hides=ASKED_ALONE,
            reveal="compare",
            text="3: the stopped wire brings nothing, the other one its 3. Twins have equal values and "
            "other gradients, so no value and no loss tells you that a stop is there.",
        ),
        Step(
            "No wire stopped",
            PLAIN,
            look_at="y",
            text="Here both wires bring the other factor, 3, and 3 + 3 arrives. A nudge of `x` finds "
            "this 6 in both graphs, since it reads values alone.",
        ),
    ),
    to_try=(
        Try(
            "Move `x` to −1: `y` is 1, and −1 arrives, half of −2, the slope of x². It is half of that "
            "slope wherever `x` goes.",
            (Part(edits=(put("x", -1.0), ruled("y", "follow"))),),
            ("x",),
            then=(Claim("What arrives at x", "cotangent", "x", -1.0, "by hand: 1 · x", within=EXACTLY),),
        ),
        Try(
            "Select `y` and set its rule to *stop*: the stop is around the whole product now. `y` stays, "
            "and nothing arrives.",
            (Part(edits=(ruled("y", "stop"),)),),
            ("x",),
            then=(
                Claim("y stays", "value", "y", 9.0, "by hand: 3 · 3", within=EXACTLY),
                Claim(
                    "What arrives at x",
                    "cotangent",
                    "x",
                    0.0,
                    "by hand: a stop passes nothing",
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("y in B", "value", "y", 9.0, "by hand: 3 · 3", 0, EXACTLY),
        Claim(
            "What arrives at x in B",
            "cotangent",
            "x",
            3.0,
            "by hand: 1 · 3 along the wire without a stop",
            0,
            EXACTLY,
        ),
        Claim("y in A", "value", "y", 9.0, "by hand: 3 · 3", 1, EXACTLY),
        Claim("What arrives at x in A", "cotangent", "x", 6.0, "by hand: 3 + 3 = 2x", 1, EXACTLY),
        Claim(
            "The same by a nudge",
            "gradient",
            "x",
            6.0,
            "by hand: (3.1² − 2.9²)/0.2 = (9.61 − 8.41)/0.2 = 6",
            1,
        ),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("6", "stop-ignored"),
        Prediction("0", "stop-takes-all"),
        Prediction("9", "value"),
    ),
    sources=(
        "[jax.lax.stop_gradient](https://docs.jax.dev/en/latest/_autosummary/jax.lax.stop_gradient.html): "
        "the value stays as it is, and on the way back it is a constant",
    ),
    code="x = torch.tensor(3., requires_grad=True)\n(x * x.detach()).backward()\nx.grad  # 3.0",
)
