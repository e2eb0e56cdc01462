"""Teach where Ioffe's stop-gradient trick acts: applied early and late, on the same noise."""

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, LARGER, Quantity, Question
from autodiff_viz.lessons.lesson import (
    ANSWER,
    EXACTLY,
    NOISE,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
    selected,
)
from autodiff_viz.lessons.tour import Step

BOTH = """u = {u}
x_early = {x}
y_early = square(x_early)
noise_early = stop_gradient(y_early * u - y_early)
sum_early = noise_early + y_early
z_early = sqrt(sum_early)
x_late = {x}
y_late = square(x_late)
clean = sqrt(y_late)
noise_late = stop_gradient(sqrt(y_late * u) - clean)
z_late = noise_late + clean
both = stack([z_early, z_late])
"""
ONE = BOTH.format(x="-2.0", u="input(0.81, low=0.5, high=1.5)")
THREE = BOTH.format(x="[-2.0, -1.0, 1.0]", u="[0.91359663, 1.07519293, 0.94398856]")
ITS_SLOPE = "A larger number does not make a root steeper. At which number is each of the two slopes taken?"

LESSON = Lesson(
    key="two-stops",
    track="stops",
    title="Two stops on the same noise: do they do the same?",
    summary="Two copies of one computation, equal values, the noise behind a stop in both.",
    level=3,
    minutes=3,
    after=("forward-backward",),
    found_by=("noise", "stop_gradient", "Ioffe"),
    text="Both copies give 1.8, and 1 arrives at both roots, `z_early` and `clean`. In both the noise is "
    "behind a stop: in one it is added before the root, in the other after it.",
    steps=(
        Step(
            "One number",
            ONE,
            look_at="z_early",
            questions=(
                Question(
                    LARGER,
                    Quantity(COTANGENT, "sum_early"),
                    Quantity(COTANGENT, "y_late"),
                    words="Which gets more from its root: `sum_early` or `y_late`?",
                    told=(
                        (
                            "the same",
                            "What is stopped still has a value. At which number is each of the two slopes "
                            "taken?",
                        ),
                        ("y_late", ITS_SLOPE),
                    ),
                ),
            ),
            hides=ALL_COTANGENTS,
            reveal="play",
            text="A stop cuts wires; it does not clean values. A root's slope is taken at its number, and "
            "the noise is in one of them: 3.24 at `sum_early`, 4 at `y_late`.",
        ),
        Step(
            "The noise of the answer",
            THREE,
            look_at="z_early",
            text="The same two copies, with three numbers and the noise that the answer printed.",
        ),
    ),
    to_try=(
        Try(
            "Move `u` to 1.21: now `z_early` passes less, 0.227, and `clean` still 0.25.",
            (Part(edits=(put("u", 1.21),)),),
            ("z_early", "clean"),
            then=(
                Claim("z_early passes", "passed", ("z_early", 0), 0.22727273, "by hand: 1/(2 · 2.2)"),
                Claim("clean passes", "passed", ("clean", 0), 0.25, "by hand: 1/(2√4)", within=EXACTLY),
            ),
        ),
        Try(
            "Move `u` to 1: without noise both pass 0.25.",
            (Part(edits=(put("u", 1.0),)),),
            ("z_early", "clean"),
            then=(
                Claim("z_early passes", "passed", ("z_early", 0), 0.25, "by hand: 1/(2√4)", within=EXACTLY),
                Claim("clean passes", "passed", ("clean", 0), 0.25, "by hand: 1/(2√4)", within=EXACTLY),
            ),
        ),
        Try(
            "Select `sum_early`, then `y_late`: the numbers at which the two roots are taken.",
            (Part(edits=(selected("sum_early"),)), Part(edits=(selected("y_late"),))),
            ("sum_early", "y_late"),
            then=(
                Claim("The noisy number", "value", "sum_early", 3.24, "by hand: 4 · 0.81"),
                Claim("The clean number", "value", "y_late", 4.0, "by hand: (−2)²", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The early value", "value", "z_early", 1.8, "by hand: √(4 · 0.81)"),
        Claim("The late value is the same", "value", "z_late", 1.8, "by hand: √(4 · 0.81)"),
        Claim("The noisy root passes", "passed", ("z_early", 0), 0.2777778, "by hand: 1/(2 · 1.8)"),
        Claim("The clean root passes", "passed", ("clean", 0), 0.25, "by hand: 1/(2√4)", 0, EXACTLY),
        Claim("Gradient, stopped early", "gradient", "x_early", -1.1111111, "by hand: −4/(2 · 1.8)"),
        Claim("Gradient, stopped late", "gradient", "x_late", -1.0, "by hand: −4/(2√4)", 0, EXACTLY),
        Claim(
            "The early value, as the late one",
            "value",
            "z_early",
            (1.91164494, 1.03691506, 0.97159076),
            ANSWER,
            1,
        ),
        Claim("The late value", "value", "z_late", (1.91164494, 1.03691506, 0.97159076), ANSWER, 1),
        Claim(
            "Gradient, stopped early",
            "gradient",
            "x_early",
            (-1.0462194, -0.9643991, 1.0292400),
            "by hand: sign(x)/√u, number by number",
            1,
        ),
        Claim("Gradient, stopped late", "gradient", "x_late", (-1.0, -1.0, 1.0), ANSWER, 1, EXACTLY),
    ),
    predictions=(
        Prediction("sum_early", RIGHT),
        Prediction("the same", TOLD),
        Prediction("y_late", TOLD),
    ),
    sources=(f"The noise that the answer printed is from {NOISE}.",),
    code="""x = torch.tensor(4.0, requires_grad=True)
early = torch.sqrt((x * 0.81 - x).detach() + x)
early.backward()
x.grad  # 0.2777778
""",
)
