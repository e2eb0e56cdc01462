"""Ask whether the logit of an expert learns that did not run."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, ZERO, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, written
from autodiff_viz.lessons.tour import Step

GATED = """chances = [0.25, 0.75]
logits = log(chances)
p = softmax(logits)
pick = one_hot(argmax(p), num_classes=2)
y = sum(pick * p * [2.0, 4.0])
"""
PICKED = GATED.replace("pick * p * [", "pick * [")
CLOSE = 1e-6  # of a softmax in float32

LESSON = Lesson(
    key="top1",
    track="steps",
    title="Only one expert runs. Which logits learn?",
    summary="A router picks one of two experts. What does the logit of the other one get?",
    level=2,
    minutes=3,
    after=("accuracy",),
    found_by=("mixture of experts", "MoE", "router", "top-1", "argmax", "gate"),
    text="The chances are ¼ and ¾, a softmax of two logits, so the router picks the second expert, which "
    "says 4. In A that is the answer. In B its chance multiplies it: 3. The first expert did not run.",
    steps=(
        Step(
            "The chance multiplies",
            GATED,
            look_at="logits",
            pinned=PICKED,
            questions=(
                Question(
                    ZERO,
                    Quantity(COTANGENT, "logits", element=(0,)),
                    words="Does anything arrive at the first expert's logit in B?",
                    told=(
                        (
                            "zero",
                            "True of A, where no chance enters the answer. In B ¾ multiplies it: what "
                            "becomes of ¾ if the first logit grows?",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="−0.75. The choice passes nothing, but the chance does, and a softmax makes it from all "
            "logits: if the first grows, the chance of the second falls.",
        ),
        Step(
            "Picked alone",
            PICKED,
            look_at="pick",
            text="A choice moves in jumps. Nothing goes back through it, and the router never learns.",
        ),
    ),
    to_try=(
        Try(
            "Open *Picked alone*: `y` is 4, and both logits get 0. Select `logits` to see why.",
            (Part(1),),
            ("logits", "y"),
            then=(
                Claim("y", "value", "y", 4.0, "by hand: the second expert", 1, EXACTLY),
                Claim(
                    "The logits get",
                    "cotangent",
                    "logits",
                    (0.0, 0.0),
                    "by hand: a choice is flat",
                    1,
                    EXACTLY,
                ),
            ),
        ),
        Try(
            "In B make the chances `[0.5, 0.5]`: 0.5 and −0.5 arrive. Of equals the first is picked, and it "
            "says 2.",
            (Part(edits=(written("chances", "[0.5, 0.5]"),)),),
            ("logits", "y"),
            then=(
                Claim("y", "value", "y", 1.0, "by hand: ½ · 2", within=CLOSE),
                Claim(
                    "The logits get",
                    "cotangent",
                    "logits",
                    (0.5, -0.5),
                    "by hand: 2 · ½ · ½ and −2 · ½ · ½",
                    within=CLOSE,
                ),
            ),
        ),
    ),
    claims=(
        Claim("The answer", "value", "y", 3.0, "by hand: ¾ · 4", within=CLOSE),
        Claim(
            "The logits get",
            "cotangent",
            "logits",
            (-0.75, 0.75),
            "by hand: 4 · (−¼ · ¾) and 4 · ¾ · ¼",
            within=CLOSE,
        ),
        Claim("The logits get of a choice", "cotangent", "logits", (0.0, 0.0), "by hand: flat", 1, EXACTLY),
    ),
    predictions=(
        Prediction("something", RIGHT),
        Prediction("zero", TOLD),
        Prediction("-0.75", RIGHT),
    ),
    sources=(
        "How a router learns past its choice: [a Switch Transformer "
        "138](https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/138), "
        "[MLX 652](https://github.com/ml-explore/mlx/issues/652).",
    ),
    code="""def answer(logits):
    p = jax.nn.softmax(logits)
    pick = jax.nn.one_hot(jnp.argmax(p), 2)
    return jnp.sum(pick * p * jnp.array([2.0, 4.0]))

jax.grad(answer)(jnp.log(jnp.array([0.25, 0.75])))  # [-0.75, 0.75]
""",
)
