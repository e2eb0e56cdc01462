"""Ask whether a small gradient survives in float16, and why a loss is multiplied by 1024 first."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.graph.dtypes import BFLOAT16, FLOAT16
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

SMALL = """w = 1.0
a = w / 8192.0
b = a + 1.0
loss = b / 8192.0
"""
SCALED = SMALL + "scaled = 1024.0 * loss\n"
THIRTEEN, TWICE = 2.0**-13, 2.0**-26  # of 8192 = 2¹³

LESSON = Lesson(
    key="half",
    title="Does a small gradient survive in float16?",
    summary="Each number of this graph has 16 bits, and none of its values is 0.",
    track="losses",
    level=2,
    minutes=3,
    after=("nan-from",),
    found_by=("float16", "fp16", "loss scale", "amp", "mixed precision"),
    text="`w` is 1. It is divided by 8192, and so is the loss, as in a mean over so many words. The slope "
    "is 1/8192 of 1/8192, 0.000000015. The graph is computed in float16, numbers of 16 bits.",
    steps=(
        Step(
            "In float16",
            SMALL,
            look_at="loss",
            dtype=FLOAT16,
            figure="precision",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "w"),
                    words="What arrives at `w`?",
                    told=(
                        (
                            "6e-8",
                            "That is the smallest float16 above 0. A number below half of it is "
                            "rounded the other way.",
                        ),
                        (
                            "1.5e-8",
                            "That is the true slope. Which float16 is nearest to it? The smallest one above "
                            "0 is 0.00000006.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            text="No value is 0, and yet the gradient is gone. So multiply the loss by 1024, and divide "
            "the gradient by 1024 later, in 32 bits.",
        ),
        Step(
            "The loss times 1024",
            SCALED,
            look_at="w",
            dtype=FLOAT16,
            figure="precision",
            text="Each number on the way back is 1024 times as large, and so none is too small.",
        ),
        Step(
            "In bfloat16",
            SMALL,
            look_at="w",
            dtype=BFLOAT16,
            figure="precision",
            text="bfloat16 has 16 bits too. More of them say how large a number is, fewer its digits.",
        ),
    ),
    to_try=(
        Try(
            "Open *The loss times 1024*: 0.0000153 arrives. Divided by 1024, in 32 bits, it is the true "
            "slope.",
            (Part(1, unchanged=True),),
            ("w", "precision"),
            then=(Claim("w gets", "gradient", "w", 2.0**-16, "by hand: 2¹⁰ · 2⁻²⁶", within=EXACTLY),),
        ),
        Try(
            "Open *In bfloat16*: 0.000000015 arrives, without any scale.",
            (Part(2, unchanged=True),),
            ("w", "precision"),
            then=(Claim("w gets", "gradient", "w", TWICE, "by hand: 2⁻¹³ · 2⁻¹³", within=EXACTLY),),
        ),
    ),
    claims=(
        Claim(
            "w gets in float16",
            "gradient",
            "w",
            0.0,
            "by hand: the least float16 is 2⁻²⁴, and 2⁻²⁶ is below half of it; PyTorch prints 0.",
            within=EXACTLY,
        ),
        Claim("b gets", "cotangent", "b", THIRTEEN, "by hand: 1/8192"),
        Claim("The loss", "value", "loss", THIRTEEN, "by hand: 1 + 2⁻¹³ rounds to 1 in 11 digits"),
        Claim("w gets from the larger loss", "gradient", "w", 2.0**-16, "by hand: 2¹⁰ · 2⁻²⁶", 1),
        Claim("w gets in bfloat16", "gradient", "w", TWICE, "by hand: its least number is 2⁻¹³³", 2),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("1.5e-8", "true-slope"),
        Prediction("6e-8", TOLD),
        Prediction("0.000122", "slope-alone"),
    ),
    sources=(
        "[Micikevicius et al., *Mixed precision training*](https://arxiv.org/abs/1710.03740)",
        "[PyTorch, automatic mixed precision](https://docs.pytorch.org/docs/stable/amp.html): small "
        "gradients of float16 become zero",
        "[Open-Rig3R #35](https://github.com/engichang1467/Open-Rig3R/issues/35): float16 without a "
        "scale, found in a training script",
    ),
    code="""w = torch.tensor(1.0, dtype=torch.float16, requires_grad=True)
((w / 8192 + 1) / 8192).backward()
w.grad  # 0.0
""",
)
