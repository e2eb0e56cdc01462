"""Ask why attention divides its scores by √d: a softmax that is sure is flat."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, LARGER, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

PLAIN = """q = 4.0
scores = [0.0, 2.0] * q
p = softmax(scores)
y = p[1]
"""
DIVIDED = PLAIN.replace("* q", "* q / 4.0")

LESSON = Lesson(
    key="root-d",
    title="Why divide attention scores by √d?",
    summary="A query and two keys, with their scores as they are, and divided by four.",
    track="networks",
    level=2,
    minutes=3,
    after=("mse-sigmoid",),
    found_by=("attention", "scale", "softmax", "transformer", "scaled dot product"),
    text="The query `q` has the scores 0 and 8 with two keys, and `y` is the softmax chance of the second. "
    "That is A. In B both scores are divided by 4, the root of 16 dimensions.",
    steps=(
        Step(
            "B: divided by 4",
            DIVIDED,
            look_at="scores",
            pinned=PLAIN,
            questions=(
                Question(
                    LARGER,
                    Quantity(COTANGENT, "q"),
                    words="Where does more arrive at `q`, in A or in B?",
                    told=(
                        (
                            "A",
                            "The division takes a factor of 4, that is true. But how steep is a softmax "
                            "that is sure, as in A?",
                        ),
                        (
                            "the same",
                            "The order of the scores is the same, not their distance. A softmax looks at "
                            "the distance.",
                        ),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="sweep",
            text="A softmax that is sure is flat: p(1 − p) is 0.0003 at a distance of 8 and 0.1 at 2. The "
            "division costs a factor of 4 and wins one of 313.",
        ),
        Step(
            "A: as they are",
            PLAIN,
            look_at="scores",
            text="The second chance is 0.9997. Whatever `q` does, it hardly changes.",
        ),
    ),
    to_try=(
        Try(
            "Move `q` to 0 in both graphs: 0.125 arrives in B, 0.5 in A. For small scores the division "
            "costs.",
            (Part(0, (put("q", 0.0),)), Part(1, (put("q", 0.0),))),
            ("q",),
            then=(
                Claim("The chances", "value", "p", (0.5, 0.5), "by hand: scores 0 and 0"),
                Claim("q gets", "gradient", "q", 0.5, "by hand: 2 · ½ · ½"),
            ),
        ),
        Try(
            "In A move `q` to 8: 0.0000002 arrives.",
            (Part(1, (put("q", 8.0),)),),
            ("q",),
            then=(Claim("q gets", "gradient", "q", 2.25e-7, "by hand: 2 e⁻¹⁶", within=3e-8),),
        ),
    ),
    claims=(
        Claim(
            "q gets in B", "gradient", "q", 0.0524968, "by hand: 2/4 · p(1 − p), p = 1/(1 + e⁻²)", digits=5
        ),
        Claim("q gets in A", "gradient", "q", 6.7048e-4, "by hand: 2 p(1 − p), p = 1/(1 + e⁻⁸)", 1, digits=3),
        Claim(
            "q gets in A, as a 78th of that in B",
            "gradient",
            "q",
            0.0524968 / 78.298,
            "by hand: p(1 − p) is 0.1049936 at 2 and 0.00033524 at 8, their ratio 313.19, less a factor of "
            "4; Vaswani et al., arXiv:1706.03762, section 3.2.1",
            1,
            digits=3,
        ),
    ),
    predictions=(
        Prediction("B", RIGHT),
        Prediction("A", TOLD),
        Prediction("the same", TOLD),
    ),
    sources=(
        "[Vaswani et al., *Attention is all you need*](https://arxiv.org/abs/1706.03762), section 3.2.1",
        "[Swin-Transformer #94](https://github.com/microsoft/Swin-Transformer/issues/94): what is the "
        "scale for?",
        "[hello-agents PR #840](https://github.com/datawhalechina/hello-agents/pull/840): the reason, "
        "put into a course",
    ),
    code="""def chance(q, divisor):
    scores = jnp.array([0.0, 2.0]) * q / divisor
    return jax.nn.softmax(scores)[1]

jax.grad(chance)(4.0, 4.0)  # 0.0524968
jax.grad(chance)(4.0, 1.0)  # 0.00067045
""",
)
