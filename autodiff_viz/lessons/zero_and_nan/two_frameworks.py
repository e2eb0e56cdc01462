"""Ask what JAX says where PyTorch says something else of the same line."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

ABS = """x = 0.0
y = abs(x)
"""
ABS_OF_PYTORCH = """x = 0.0
y = custom(abs(x), pullback=lambda v, x, y: v * sign(x))
"""
TIE = """x = [1.0, 3.0, 3.0]
y = max(x)
"""
TIE_OF_PYTORCH = """x = [1.0, 3.0, 3.0]
y = sum(x * one_hot(argmax(x), num_classes=3))
"""
CLIP = """x = 1.0
y = clip(x, -1.0, 1.0)
"""
PYTORCH = "PyTorch 2.13 prints it"

LESSON = Lesson(
    key="two-frameworks",
    track="zero_and_nan",
    title="The same line in PyTorch and JAX: the same gradient?",
    summary="|x| at 0: each of the two frameworks has its own answer.",
    level=2,
    minutes=3,
    after=("corner",),
    found_by=("port", "PyTorch", "JAX", "abs", "clamp", "clip", "ties", "max", "convention"),
    text="`y` is |x| and `x` is 0, at its corner: the slope is −1 to the left and 1 to the right. "
    "PyTorch takes the middle, 0. This lab computes with JAX.",
    steps=(
        Step(
            "|x| at 0",
            ABS,
            look_at="x",
            pinned=ABS_OF_PYTORCH,
            letter="B",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "x"),
                    words="What arrives at `x` in JAX?",
                    told=(
                        (
                            "0",
                            "0 is PyTorch's choice, halfway between both sides. JAX takes the slope of one "
                            "side. Which one?",
                        ),
                        (
                            "0.5",
                            "½ is what a `maximum` passes at its tie. An `abs` goes from −1 to 1: "
                            "halfway would be 0.",
                        ),
                        (
                            "nan",
                            "Strictly there is no slope at a corner. A framework picks one all the "
                            "same, and no NaN arises.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="JAX takes the right side, 1. Moved from one framework to the other, code can train "
            "differently wherever numbers sit on corners: zeros, clipped ends, ties.",
        ),
        Step(
            "With PyTorch's rule",
            ABS_OF_PYTORCH,
            look_at="x",
            text="The same values, and the rule of PyTorch: what arrives times the sign of `x`, which is "
            "0 at 0.",
        ),
        Step(
            "The largest of three",
            TIE,
            look_at="x",
            text="The largest number stands twice. JAX shares: each of the two gets a half.",
        ),
        Step(
            "As PyTorch picks it",
            TIE_OF_PYTORCH,
            look_at="x",
            text="PyTorch's `max(dim)` gives all to one index, here written as a product with that index.",
        ),
        Step(
            "A clip at its end",
            CLIP,
            look_at="x",
            text="`x` lies on the end of its clip. JAX's clip is made of a maximum and a minimum and "
            "halves; the `clamp` of PyTorch 2.13 passes 1.",
        ),
    ),
    to_try=(
        Try(
            "Open *The largest of three*, then *As PyTorch picks it*: 0, ½, ½ becomes 0, 1, 0.",
            (Part(2), Part(3)),
            ("x",),
            then=(Claim("x gets", "gradient", "x", (0.0, 1.0, 0.0), PYTORCH, 3, EXACTLY),),
        ),
        Try(
            "Open *A clip at its end*: 0.5 arrives. The `clamp` of PyTorch 2.13 says 1.",
            (Part(4),),
            ("x",),
            then=(
                Claim(
                    "x gets",
                    "gradient",
                    "x",
                    0.5,
                    "jax-ml/jax PR #2342: at a tie each gets a half",
                    4,
                    EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim(
            "x gets",
            "gradient",
            "x",
            1.0,
            "jax-ml/jax #37820 prints it: the rule takes the side x ≥ 0",
            0,
            EXACTLY,
        ),
        Claim("y", "value", "y", 0.0, "by hand: |0|", 0, EXACTLY),
        Claim("x gets", "gradient", "x", 0.0, PYTORCH, 1, EXACTLY),
        Claim(
            "x gets",
            "gradient",
            "x",
            (0.0, 0.5, 0.5),
            "by hand: two share the tie, as in jax-ml/jax PR #2342",
            2,
            EXACTLY,
        ),
        Claim("x gets", "gradient", "x", (0.0, 1.0, 0.0), PYTORCH, 3, EXACTLY),
        Claim(
            "x gets",
            "gradient",
            "x",
            0.5,
            "by hand: the maximum passes 1, the minimum ½ at its tie",
            4,
            EXACTLY,
        ),
    ),
    predictions=(
        Prediction("1", RIGHT),
        Prediction("0", TOLD),
        Prediction("0.5", TOLD),
        Prediction("nan", TOLD),
        Prediction("-1", "other-side"),
    ),
    sources=(
        "[jax-ml/jax #37820](https://github.com/jax-ml/jax/issues/37820): abs passes 1 at 0 and sign(0) is 0",
        "[pytorch/pytorch #184574](https://github.com/pytorch/pytorch/issues/184574): `clamp` passes 1 at "
        "its ends, which [PR #191142](https://github.com/pytorch/pytorch/pull/191142) makes 0; [jax-ml/jax "
        "PR #2342](https://github.com/jax-ml/jax/pull/2342): ties",
    ),
    code="x = torch.tensor(0., requires_grad=True)\nx.abs().backward()\nx.grad  # 0.0",
)
