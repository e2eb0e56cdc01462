"""Ask what goes back through an inner step of learning to where it began."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

INNER = """theta = 6.0
rate = 0.5
inner = 0.5 * square(theta)
g = grad(inner, theta)
adapted = theta - rate * g
loss = 0.5 * square(adapted)
"""
FIRST_ORDER = INNER.replace("grad(inner, theta)", "stop_gradient(grad(inner, theta))")

LESSON = Lesson(
    key="maml",
    track="rules",
    title='Learning to learn: what does "first order" drop?',
    summary="One step of learning stands inside a loss. What arrives where it began?",
    level=3,
    minutes=3,
    after=("second", "td-target"),
    found_by=("MAML", "meta learning", "first order", "inner loop", "FOMAML"),
    text="`theta` is 6. One inner step against its gradient `g`, which is 6, at the rate ½ takes it to "
    "`adapted`, 3. From the loss 3 arrives at `adapted`. Now the start itself is to learn.",
    steps=(
        Step(
            "Through the step",
            INNER,
            look_at="theta",
            pinned=FIRST_ORDER,
            letter="B",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "theta"),
                    words="What arrives at `theta`?",
                    told=(
                        (
                            "3",
                            "3 comes straight from `adapted`. It takes `g` for a number, and `g` moves with "
                            "`theta`.",
                        ),
                        (
                            "-1.5",
                            "−1.5 comes through `g` alone. Something comes straight from `adapted` as well.",
                        ),
                        (
                            "4.5",
                            "4.5 adds what comes through `g`. But the step goes against `g`.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="3 comes straight, −1.5 through `g`: the step itself depends on where it starts. "
            "First-order MAML pretends that it does not.",
        ),
        Step(
            "First order",
            FIRST_ORDER,
            look_at="theta",
            text="`g` has a stop: it is taken for a number. All values are as before.",
        ),
    ),
    to_try=(
        Try(
            "Open *First order*: 3 arrives, twice as much, and the loss is 4.5 as before.",
            (Part(1),),
            ("theta", "loss"),
            then=(
                Claim("What arrives at theta", "gradient", "theta", 3.0, "by hand: 3 · 1", 1, EXACTLY),
                Claim("The loss", "value", "loss", 4.5, "by hand: ½ · 3²", 1, EXACTLY),
            ),
        ),
        Try(
            "In *Through the step* move `rate` to 1: every start is taken to 0, so 0 arrives at `theta`.",
            (Part(edits=(put("rate", 1.0),)),),
            ("theta", "adapted"),
            then=(
                Claim("Where the step leads", "value", "adapted", 0.0, "by hand: 6 − 1 · 6", within=EXACTLY),
                Claim(
                    "What arrives at theta", "gradient", "theta", 0.0, "by hand: 0 · (1 − 1)", within=EXACTLY
                ),
            ),
        ),
        Try(
            "Move `rate` to 1.5, past the valley: −3 arrives at `adapted`, and 1.5 at `theta`.",
            (Part(edits=(put("rate", 1.5),)),),
            ("theta", "adapted"),
            then=(
                Claim(
                    "What arrives at adapted", "cotangent", "adapted", -3.0, "by hand: 6 − 9", within=EXACTLY
                ),
                Claim(
                    "What arrives at theta",
                    "gradient",
                    "theta",
                    1.5,
                    "by hand: −3 · (1 − 1.5)",
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("Where the step leads", "value", "adapted", 3.0, "by hand: 6 − 0.5 · 6", within=EXACTLY),
        Claim(
            "What arrives at theta",
            "gradient",
            "theta",
            1.5,
            "by hand: adapted = θ − 0.5θ, so 3 · (1 − 0.5)",
            within=EXACTLY,
        ),
        Claim("The same to first order", "gradient", "theta", 3.0, "by hand: 3 · 1", 1, EXACTLY),
    ),
    predictions=(
        Prediction("1.5", RIGHT),
        Prediction("3", TOLD),
        Prediction("-1.5", TOLD),
        Prediction("4.5", TOLD),
    ),
    sources=(
        "The method: [Finn and others](https://arxiv.org/abs/1703.03400). What the second order is "
        "worth: [maml 8](https://github.com/cbfinn/maml/issues/8). Does `detach` on `g` make it first "
        "order: [higher 128](https://github.com/facebookresearch/higher/issues/128). Which order is "
        "this code: [MAML-Pytorch 32](https://github.com/dragen1860/MAML-Pytorch/issues/32).",
    ),
    code="""theta = torch.tensor(6.0, requires_grad=True)
(g,) = torch.autograd.grad(0.5 * theta ** 2, theta, create_graph=True)
adapted = theta - 0.5 * g
loss = 0.5 * adapted ** 2
loss.backward()
theta.grad  # 1.5
""",
)
