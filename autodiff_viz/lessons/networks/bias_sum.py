"""Ask what arrives at a bias of a batch: a copy forward is a sum backward."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, Claim, Lesson, Part, Prediction, Try, written
from autodiff_viz.lessons.tour import Step

SUM = """x = [[1.0], [2.0], [3.0]]
w = [[2.0]]
b = [0.5]
y = dense(x, w, b)
loss = sum(y)
"""
MEAN = SUM.replace("sum(y)", "mean(y)")

LESSON = Lesson(
    key="bias-sum",
    title="One bias, a batch of three: what arrives?",
    summary="Three samples share one bias, and the loss is their sum.",
    track="networks",
    level=1,
    minutes=2,
    after=("fork",),
    found_by=("bias", "batch", "sum or mean", "broadcasting"),
    text="The three samples in `x` are 1, 2 and 3. Each is multiplied by one weight `w`, and the same bias "
    "`b`, ½, is added to each. The loss is the sum of the three answers.",
    steps=(
        Step(
            "The sum of three",
            SUM,
            look_at="y",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "b"),
                    words="What arrives at the bias?",
                    told=(
                        ("3", "1 from each of the three samples."),
                        (
                            "6",
                            "6 is what the weight gets, 1 + 2 + 3. What multiplies the bias in each sample?",
                        ),
                        ("1", "1 comes back from one sample. How many samples use this bias?"),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="Adding one bias to a batch copies it, and a copy forward is a sum backward. The mean, if "
            "you want one, sits in the loss.",
        ),
        Step(
            "The mean as the loss",
            MEAN,
            look_at="y",
            text="Each sample sends back ⅓. They still add up at the bias.",
        ),
    ),
    to_try=(
        Try(
            "Open *The mean as the loss*: each of the three sends back ⅓, and 1 arrives at the bias.",
            (Part(1, unchanged=True),),
            ("y", "b"),
            then=(
                Claim("y gets", "cotangent", "y", ((1 / 3,),) * 3, "by hand: a mean of three"),
                Claim("b gets", "gradient", "b", (1.0,), "by hand: ⅓ + ⅓ + ⅓"),
            ),
        ),
        Try(
            "Back in *The sum of three*, write 4, 5 and 6 into `x` as well: the batch is doubled, and so is "
            "what arrives, 6.",
            (Part(0, (written("x", "[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]"),), unchanged=True),),
            ("x", "b"),
            then=(Claim("b gets", "gradient", "b", (6.0,), "by hand: six times 1", within=EXACTLY),),
        ),
    ),
    claims=(
        Claim("b gets", "gradient", "b", (3.0,), "by hand: 1 + 1 + 1", within=EXACTLY),
        Claim("w gets", "gradient", "w", ((6.0,),), "by hand: 1 + 2 + 3", within=EXACTLY),
        Claim(
            "b gets, by a nudge",
            "gradient",
            "b",
            ((16.5 - 13.5) / 1.0,),
            "by hand: the loss is 12 + 3b, 13.5 at ½ and 16.5 at 1½",
        ),
        Claim("b gets from a mean", "gradient", "b", (1.0,), "by hand: 3 · ⅓", 1),
    ),
    predictions=(
        Prediction("3", RIGHT),
        Prediction("1", "mean-for-sum"),
        Prediction("6", "elsewhere"),
        Prediction("0.5", "value"),
    ),
    sources=(
        "[kvfrans/notes #5](https://github.com/kvfrans/notes/issues/5): a mean written for the sum, found "
        "with jax.grad",
        "[mxnet #2427](https://github.com/apache/mxnet/issues/2427): why is it not divided by the batch?",
        "[mlpack PR #3679](https://github.com/mlpack/mlpack/pull/3679): right for a batch of one alone",
    ),
    code="""x = jnp.array([[1.0], [2.0], [3.0]])
jax.grad(lambda b: jnp.sum(x @ jnp.array([[2.0]]) + b))(jnp.array([0.5]))  # [3.0]
""",
)
