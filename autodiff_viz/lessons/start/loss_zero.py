"""Ask whether a loss that is always 0 can train, as those of chatbots do."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, ZERO, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

STOPPED = """p = 0.5
ratio = p / stop_gradient(p)
loss = 1.0 - ratio
"""
PLAIN = """p = 0.5
ratio = p / p
loss = 1.0 - ratio
"""
IN_USE = """logp = [-1.2, -0.7]
adv = [1.0, -1.0]
ratio = exp(logp - stop_gradient(logp))
loss = -mean(ratio * adv)
"""
SAYS = (
    "0 is the loss itself, its height. What arrives is its slope, and on the way back the stopped `p` is a "
    "fixed number."
)

LESSON = Lesson(
    key="loss-zero",
    track="start",
    title="My loss is exactly 0. Is it still training?",
    summary="A ratio that is always 1, a loss that is always 0: does anything go back?",
    level=1,
    minutes=2,
    after=("twins",),
    found_by=("loss is 0", "loss is zero", "GRPO", "PPO ratio", "detach", "stop_gradient"),
    text="`p` is 0.5, the chance of a good answer. `ratio` divides it by a stopped copy of itself, so "
    "`ratio` is 1 and `loss` is 0, whatever `p` is. On a small scale, this is how chatbots are trained.",
    steps=(
        Step(
            "A ratio to itself",
            STOPPED,
            look_at="p",
            pinned=PLAIN,
            letter="B",
            questions=(
                Question(
                    ZERO,
                    Quantity(COTANGENT, "p"),
                    words="What arrives at `p` in A: zero or not?",
                    told=(("zero", SAYS),),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="The height of a loss says nothing about its slope. −2 arrives, so a step raises `p`. "
            "Then the loss is 0 again, and `p` has moved.",
        ),
        Step(
            "Without the stop",
            PLAIN,
            look_at="p",
            text="The two paths bring −2 and 2, so 0 arrives: p/p is 1 for every `p`. With the stop only "
            "the first path is left.",
        ),
        Step(
            "As it is in use",
            IN_USE,
            look_at="logp",
            text="Two answers with the logarithms of their chances; `adv` says that the first was good and "
            "the second bad. GRPO, a method that trains chatbots, has this loss: 0 whenever the answers "
            "are fresh.",
        ),
    ),
    to_try=(
        Try(
            "Move `p` to 0.25: the loss is 0 as before, and −4 arrives.",
            (Part(edits=(put("p", 0.25),)),),
            ("p",),
            then=(
                Claim("The loss", "value", "loss", 0.0, "by hand: 1 − 0.25/0.25", within=EXACTLY),
                Claim("p gets", "gradient", "p", -4.0, "by hand: −1/0.25", within=EXACTLY),
            ),
        ),
        Try(
            "Open *Without the stop*: why does nothing arrive here?",
            (Part(1),),
            ("p",),
            then=(Claim("p gets", "gradient", "p", 0.0, "by hand: −2 + 2", 1, within=EXACTLY),),
        ),
        Try(
            "Open *As it is in use*: the loss is 0, and the two logarithms get −0.5 and 0.5.",
            (Part(2),),
            ("logp",),
            then=(
                Claim("The loss", "value", "loss", 0.0, "by hand: −(1 − 1)/2", 2, within=EXACTLY),
                Claim(
                    "logp gets",
                    "gradient",
                    "logp",
                    (-0.5, 0.5),
                    "by hand: −adv/2, for the ratio is 1",
                    2,
                    within=EXACTLY,
                ),
            ),
        ),
    ),
    claims=(
        Claim("The loss", "value", "loss", 0.0, "by hand: 1 − p/p", 0, EXACTLY),
        Claim("p gets", "gradient", "p", -2.0, "by hand: −1/p with the lower p held", 0, EXACTLY),
        Claim("The upper wire brings", "passed", ("ratio", 0), -2.0, "by hand: −1/p", 1, EXACTLY),
        Claim("The lower wire brings", "passed", ("ratio", 1), 2.0, "by hand: p/p²", 1, EXACTLY),
        Claim("p gets", "gradient", "p", 0.0, "by hand: −2 + 2", 1, EXACTLY),
        Claim("The loss", "value", "loss", 0.0, "by hand: −(1 − 1)/2", 2, EXACTLY),
        Claim(
            "logp gets", "gradient", "logp", (-0.5, 0.5), "by hand: −adv/2, for the ratio is 1", 2, EXACTLY
        ),
    ),
    predictions=(
        Prediction("-2", RIGHT),
        Prediction("zero", TOLD),
        Prediction("nothing", "stop-ignored"),
    ),
    sources=(
        "[huggingface/trl #2681](https://github.com/huggingface/trl/issues/2681): is x − x.detach() not "
        "all zero? Yes, and the gradient is needed",
        "[huggingface/trl #3452](https://github.com/huggingface/trl/issues/3452): the 0 is cosmetic, its "
        "gradient is not 0",
        "[huggingface/open-r1 #239](https://github.com/huggingface/open-r1/issues/239): why does the "
        "loss start at 0?",
    ),
    code="p = torch.tensor(0.5, requires_grad=True)\n(1 - p / p.detach()).backward()\np.grad  # -2.0",
)
