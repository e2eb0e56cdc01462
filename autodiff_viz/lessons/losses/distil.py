"""Ask what a temperature does to the gradient of soft targets: it divides twice, so T² stands before it."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

SOFT = """T = 1.0
z = [1.0, 0.0]
teacher = softmax([0.0, 1.0] / T)
loss = -sum(teacher * log_softmax(z / T))
"""
SQUARED = """T = 4.0
z = [1.0, 0.0]
teacher = softmax([0.0, 1.0] / T)
loss = square(T) * -sum(teacher * log_softmax(z / T))
"""
STAYS, TWO, FOUR, FIFTEEN = "not at all", "2 times", "4 times", "about 15 times"

LESSON = Lesson(
    key="distil",
    title="Soft targets: what does the temperature do to the gradient?",
    summary="A student learns a teacher's chances, and all their logits are divided by a temperature.",
    track="losses",
    level=3,
    minutes=3,
    after=("p-minus-y",),
    found_by=("distillation", "temperature", "soft targets", "teacher and student"),
    text="`z`, the logits of a student, is 1, 0. Those of its teacher are 0, 1, and the student is to learn "
    "the teacher's chances. Before each softmax all are divided by `T`, the temperature. It goes from 1 to "
    "4.",
    steps=(
        Step(
            "T in both softmaxes",
            SOFT,
            look_at="z",
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "z"),
                    words="How much smaller is what then arrives at `z`?",
                    told=(
                        (FIFTEEN, "4 from the chain, and almost 4 from chances that come closer together."),
                        (
                            STAYS,
                            "Both sides are divided alike, that is true. But a step of `z` now moves "
                            "`z` / `T`, so it counts less.",
                        ),
                        (TWO, "2 is the root of 4. What divides is `T`, not its root."),
                        (
                            FOUR,
                            "4 is one factor: `z` is divided by `T`. What do the two sets of chances do "
                            "meanwhile?",
                        ),
                    ),
                    options=(STAYS, TWO, FOUR, FIFTEEN),
                    right=FIFTEEN,
                ),
            ),
            hides=ASKED_ALONE,
            reveal="sweep",
            text="One 1/T comes from the chain. For a large `T` almost another one comes from chances that "
            "move closer together. So people put T² before the loss.",
        ),
        Step(
            "T² in front",
            SQUARED,
            look_at="z",
            text="The same loss at temperature 4, times 16. It sends about as much as at temperature 1.",
        ),
    ),
    to_try=(
        Try(
            "Move `T` to 4: 0.0311 arrives where 0.462 did. That is the fall by 15.",
            (Part(0, (put("T", 4.0),)),),
            ("z",),
            then=(
                Claim(
                    "z gets",
                    "gradient",
                    "z",
                    (0.0310883, -0.0310883),
                    "by hand: tanh(1/(2T))/T at 4",
                    digits=5,
                ),
            ),
        ),
        Try(
            "Open *T² in front* and move `T` to 10: 0.5 arrives, as 0.497 did at 4.",
            (Part(1, (put("T", 10.0),)),),
            ("z",),
            then=(
                Claim("z gets", "gradient", "z", (0.49958, -0.49958), "by hand: 10 tanh(1/20)", within=2e-5),
            ),
        ),
    ),
    claims=(
        Claim(
            "z gets at temperature 1",
            "gradient",
            "z",
            (0.4621172, -0.4621172),
            "by hand: (student − teacher)/T = (σ(1/T) − σ(−1/T))/T = tanh(1/(2T))/T",
        ),
        Claim(
            "z gets at temperature 1, by the ratio to what it gets at 4",
            "gradient",
            "z",
            (14.86465 * 0.0310883, -14.86465 * 0.0310883),
            "by hand: tanh(1/2)/(tanh(1/8)/4) = 14.8647",
            digits=5,
        ),
        Claim(
            "z gets at 4 with T²",
            "gradient",
            "z",
            (0.497413, -0.497413),
            "by hand: 4 tanh(1/8)",
            1,
            digits=5,
        ),
    ),
    predictions=(
        Prediction(FIFTEEN, RIGHT),
        Prediction(FOUR, TOLD),
        Prediction(TWO, TOLD),
        Prediction(STAYS, TOLD),
    ),
    sources=(
        "[Hinton et al., *Distilling the knowledge in a neural network*](https://arxiv.org/abs/1503.02531)",
        "[transformers #12299](https://github.com/huggingface/transformers/issues/12299): why T²?",
        "[keras-io #869](https://github.com/keras-team/keras-io/issues/869): it was missing",
    ),
    code="""def loss(z, T):
    teacher = jax.nn.softmax(jnp.array([0.0, 1.0]) / T)
    return -jnp.sum(teacher * jax.nn.log_softmax(z / T))

jax.grad(loss)(jnp.array([1.0, 0.0]), 1.0)  # [0.4621172, -0.4621172]
jax.grad(loss)(jnp.array([1.0, 0.0]), 4.0)  # [0.0310883, -0.0310883]
""",
)
