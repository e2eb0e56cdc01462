"""Ask for the sign without the stop on a TD target, which then comes down to the estimate."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, SIGN, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put, ruled
from autodiff_viz.lessons.tour import Step

OPEN = """w = 0.5
f = 6.0
q = 2.0 * w
next_q = f * w
target = 1.0 + 0.5 * next_q
loss = 0.5 * square(target - q)
"""
STOPPED = OPEN.replace("1.0 + 0.5 * next_q", "stop_gradient(1.0 + 0.5 * next_q)")
THREE = """theta = [0.1, -0.1, 0.0]
v = dot(theta, [1.0, 2.0, -1.0])
target = stop_gradient(1.0 + dot(theta, [2.0, 1.0, 0.0]))
loss = -0.5 * square(target - v)
"""
DOCUMENTED = "JAX's documentation, Advanced automatic differentiation, the TD(0) update"

LESSON = Lesson(
    key="td-target",
    track="stops",
    title="What does the stop on the TD target change?",
    summary="An estimate runs after a target that is made from the same weight.",
    level=2,
    minutes=4,
    after=("twins", "loss-zero"),
    found_by=("TD", "temporal difference", "bootstrap", "semi-gradient", "reinforcement learning"),
    text="The estimate `q` is 2`w` = 1. Its target is 2.5 and made of `next_q` = 6`w`, with the same `w`. In "
    "A a stop holds the target: `w` gets −3, so a step against it raises `q`. B has no stop.",
    steps=(
        Step(
            "Without the stop",
            OPEN,
            look_at="target",
            pinned=STOPPED,
            questions=(
                Question(
                    SIGN,
                    Quantity(COTANGENT, "w"),
                    words="Is what `w` gets in B positive, negative or 0?",
                    told=(
                        (
                            "-",
                            "So it is with the stop. Without it `target` sends something back as well: which "
                            "way does it pull, and how hard?",
                        ),
                        (
                            "0",
                            "Both paths pull, and against each other. Are they equally strong?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="paths",
            text="+1.5: the target pulls with 4.5, the estimate with −3. The loss falls as well if the "
            "target comes down. The stop says: do not move the goal.",
        ),
        Step(
            "With the stop",
            STOPPED,
            look_at="target",
            text="One path is left, by `q`. A step against −3 raises the estimate.",
        ),
        Step(
            "Three weights",
            THREE,
            look_at="target",
            text="The update of JAX's documentation. Its loss has a minus, so its gradient is the step "
            "itself.",
        ),
    ),
    to_try=(
        Try(
            "In B move `f` to 4: 0 arrives, and learning stands still at a loss of 0.5.",
            (Part(edits=(put("f", 4.0),)),),
            ("w", "loss"),
            then=(
                Claim("What arrives at w", "gradient", "w", 0.0, "by hand: −1 · 2 + 1 · 2", within=EXACTLY),
                Claim("The loss", "value", "loss", 0.5, "by hand: ½(2 − 1)²", within=EXACTLY),
            ),
        ),
        Try(
            "Move `f` to 2: −0.5 arrives. The sign is right again, the step too small by half.",
            (Part(edits=(put("f", 2.0),)),),
            ("w",),
            then=(
                Claim(
                    "What arrives at w",
                    "gradient",
                    "w",
                    -0.5,
                    "by hand: −0.5 · 2 + 0.5 · 1; −1 with the stop",
                    within=EXACTLY,
                ),
            ),
        ),
        Try(
            "In *Three weights* let `target` *follow*: 1.2, 2.4, −1.2 become −1.2, 1.2, −1.2.",
            (Part(2, (ruled("target", "follow"),)),),
            ("theta",),
            then=(
                Claim(
                    "The step",
                    "gradient",
                    "theta",
                    (-1.2, 1.2, -1.2),
                    "by hand: −1.2 · ([2, 1, 0] − [1, 2, −1])",
                    2,
                ),
            ),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", 1.5, "by hand: −1.5 · 2 + 1.5 · 3", within=EXACTLY),
        Claim("The loss", "value", "loss", 1.125, "by hand: ½ · 1.5²", within=EXACTLY),
        Claim("w gets, with the stop", "gradient", "w", -3.0, "by hand: −1.5 · 2", 1, EXACTLY),
        Claim("The same loss", "value", "loss", 1.125, "by hand: ½ · 1.5²", 1, EXACTLY),
        Claim("The step", "gradient", "theta", (1.2, 2.4, -1.2), DOCUMENTED, 2),
    ),
    predictions=(
        Prediction("+", RIGHT),
        Prediction("-", TOLD),
        Prediction("0", TOLD),
    ),
    sources=(
        "*Three weights* and both of its steps: [JAX, Advanced automatic "
        "differentiation](https://github.com/jax-ml/jax/blob/jax-v0.8.0/docs/advanced-autodiff.md). What the "
        "stop is there for: [baselines 105](https://github.com/openai/baselines/issues/105); forgotten: "
        "[easy-rl 117](https://github.com/datawhalechina/easy-rl/pull/117).",
    ),
    code="""w = torch.tensor(0.5, requires_grad=True)
q = 2 * w
target = 1 + 0.5 * 6 * w
loss = 0.5 * (target - q) ** 2
loss.backward()
w.grad  # 1.5
""",
)
