"""Ask whether the logarithm of a sample's chance feels the mean from which the sample was drawn."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, NUMBER, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

DRAWN = """mu = 1.0
sigma = 2.0
z = mu + sigma * 1.5
logq = -0.5 * square((z - mu) / sigma) - log(sigma)
"""
STOPPED = DRAWN.replace("mu + sigma * 1.5", "stop_gradient(mu + sigma * 1.5)")

LESSON = Lesson(
    key="cancels",
    track="zero_and_nan",
    title="log_prob of a sample: does its mean get a gradient?",
    summary="A sample, and the logarithm of its chance. Both read the same mean.",
    level=2,
    minutes=3,
    after=("fork", "twins"),
    found_by=("log_prob", "rsample", "reparametrisation", "zero gradient", "REINFORCE", "score function"),
    text="`z` lies 1.5 widths above the mean `mu`, where a random draw put it. The width `sigma` is 2. "
    "`logq` says how likely `z` was, on a logarithmic scale.",
    steps=(
        Step(
            "A draw and its chance",
            DRAWN,
            look_at="mu",
            questions=(
                Question(
                    NUMBER,
                    Quantity(COTANGENT, "mu"),
                    words="What arrives at `mu`?",
                    told=(
                        (
                            "-0.75",
                            "−0.75 comes by way of the sample `z`. But the difference `sub_1` "
                            "reads `mu` once more.",
                        ),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="paths",
            text="0: one path brings 0.75, the other −0.75, and no stop is there. The sample moves along "
            "with its mean, so their distance stays, and `logq` with it.",
        ),
        Step(
            "With the sample stopped",
            STOPPED,
            look_at="mu",
            text="The path through the sample is cut. What is left is the direct one: where `mu` should "
            "go to make this `z` likelier.",
        ),
    ),
    to_try=(
        Try(
            "Open *With the sample stopped*: 0.75 arrives, the number that REINFORCE needs.",
            (Part(1),),
            ("mu",),
            then=(Claim("mu gets", "gradient", "mu", 0.75, "by hand: 1.5/sigma", 1, EXACTLY),),
        ),
        Try(
            "In *A draw and its chance* move `sigma` to 1: both paths double, to 1.5 and −1.5, and their "
            "sum stays 0.",
            (Part(edits=(put("sigma", 1.0),)),),
            ("mu",),
            then=(
                Claim(
                    "The path through the sample",
                    "passed",
                    ("z", 0),
                    -1.5,
                    "by hand: −1.5/sigma",
                    within=EXACTLY,
                ),
                Claim("mu gets", "gradient", "mu", 0.0, "by hand: 1.5 − 1.5", within=EXACTLY),
            ),
        ),
    ),
    claims=(
        Claim("The path through the sample", "passed", ("z", 0), -0.75, "by hand: −1.5/sigma", 0, EXACTLY),
        Claim("The direct path", "passed", ("sub_1", 1), 0.75, "by hand: 1.5/sigma", 0, EXACTLY),
        Claim(
            "mu gets",
            "gradient",
            "mu",
            0.0,
            "by hand: logq is −1.5²/2 − ln sigma, without mu; tensorflow/tensorflow #7236 prints 0",
            0,
            EXACTLY,
        ),
        Claim("sigma gets", "gradient", "sigma", -0.5, "by hand: −1/sigma, by the same formula", 0),
        Claim("mu gets", "gradient", "mu", 0.75, "by hand: 1.5/sigma", 1, EXACTLY),
        Claim("sigma gets", "gradient", "sigma", 0.625, "by hand: (1.5² − 1)/sigma", 1),
    ),
    predictions=(
        Prediction("0", RIGHT),
        Prediction("0.75", "one-path"),
        Prediction("-0.75", TOLD),
    ),
    sources=(
        "[tensorflow/tensorflow #7236](https://github.com/tensorflow/tensorflow/issues/7236), "
        "[pytorch/pytorch #10943](https://github.com/pytorch/pytorch/issues/10943): the gradient of the "
        "mean is 0, a bug?",
        "[google-deepmind/distrax #323](https://github.com/google-deepmind/distrax/issues/323): log_prob "
        "of a sample without its reparametrisation",
    ),
    code="mu = torch.tensor(1., requires_grad=True)\n"
    "z = mu + 2. * 1.5\n"
    "(-0.5 * ((z - mu) / 2.) ** 2).backward()\n"
    "mu.grad  # 0.0",
)
