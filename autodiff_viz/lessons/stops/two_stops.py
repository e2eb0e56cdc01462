"""Teach where Ioffe's stop-gradient trick acts: applied early and late, on the same noise."""

from autodiff_viz.lessons.lesson import (
    ANSWER,
    EXACTLY,
    NOISE,
    Claim,
    Lesson,
    Part,
    Try,
    moved,
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
ONE = BOTH.format(x="-2.0", u="input(0.91359663, low=0.9, high=1.1)")
THREE = BOTH.format(x="[-2.0, -1.0, 1.0]", u="[0.91359663, 1.07519293, 0.94398856]")
FIRST_NUMBER = f"{ANSWER}; first of its three numbers"

LESSON = Lesson(
    key="two-stops",
    track="stops",
    title="Why two stops differ",
    summary="The same trick on the same noise, early and late: only one of the gradients forgets the noise.",
    text=f"""Two copies of the computation of the lesson before share the noise `u`: in one the stop is
placed early, in the other last. Their values are equal. Follow the orange numbers from right to left: 1
arrives at the root called `clean`, which was taken at a number without noise, and 1 arrives at the root
`z_early`, which was taken at the noisy number.

The early stop did stop something: no gradient goes *through* the noise. But a derivative is also taken
*at* a number, and behind the stop that number is noisy. A stop cuts wires; it does not clean values.

So the trick belongs at the very end, after the last op whose derivative depends on where it is taken. So says
the answer to {NOISE}; its noise stands here.""",
    steps=(
        Step(
            "One number",
            ONE,
            look_at="z_early",
            text="""**Late.** The root was taken at 4, so it passes 1/(2√4) = 0.25. Times 2x = −4: −1.

**Early.** The root was taken at 3.654, so it passes 1/(2√3.654) = 0.2616. Times −4: −1.046.""",
        ),
        Step(
            "The answer's three numbers",
            THREE,
            look_at="z_early",
            text="""**Late.** The gradient is exactly [−1, −1, 1].

**Early.** The noise is in it: [−1.046, −0.964, 1.029], which is sign(x)/√u.""",
        ),
    ),
    to_try=(
        Try(
            "Move `u`: both values follow it. So does the gradient of `x_early`; that of `x_late` stays −1.",
            (Part(edits=(moved("u", 1.05),)),),
            ("x_early", "x_late"),
        ),
        Try(
            "Set `u` to 1: without noise the two agree.",
            (Part(edits=(put("u", 1.0),)),),
            ("x_early", "x_late"),
        ),
        Try(
            "Select `z_early`, then `clean`: the same root, differentiated at two different numbers.",
            (Part(edits=(selected("z_early"),)), Part(edits=(selected("clean"),))),
        ),
    ),
    claims=(
        Claim("The early value", "value", "z_early", 1.91164494, FIRST_NUMBER),
        Claim("The late value is the same", "value", "z_late", 1.91164494, FIRST_NUMBER),
        Claim("The noisy root passes", "passed", ("z_early", 0), 0.26155484, "by hand: 1/(2 · 1.91164494)"),
        Claim("The clean root passes", "passed", ("clean", 0), 0.25, "by hand: 1/(2√4)", 0, EXACTLY),
        Claim("Gradient, stopped early", "gradient", "x_early", -1.0462194, "by hand: −1/√0.91359663"),
        Claim("Gradient, stopped late", "gradient", "x_late", -1.0, FIRST_NUMBER, 0, EXACTLY),
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
)
