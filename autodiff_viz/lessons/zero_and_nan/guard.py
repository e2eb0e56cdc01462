"""Ask which repair of an entropy with a chance of 0 mends its gradient too."""

from math import log, nan

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, COTANGENT, Quantity, Question
from autodiff_viz.lessons.lesson import EXACTLY, RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try, put
from autodiff_viz.lessons.tour import Step

PLAIN = """p = 0.0
h = -(p * log(p))
"""
RESULT = """p = 0.0
h = -where(p > 0.0, p * log(p), 0.0)
"""
BEFORE = """p = 0.0
safe = where(p > 0.0, p, 1.0)
h = -where(p > 0.0, p * log(safe), 0.0)
"""
OPTIONS = ("0 in place of the product", "1 into the logarithm", "either of the two", "neither of the two")

LESSON = Lesson(
    key="guard",
    track="zero_and_nan",
    title="Entropy with a chance of 0: which repair is safe?",
    summary="0 · ln 0 should count as 0. Two people mend it, each in another place.",
    level=2,
    minutes=3,
    after=("branch-nan",),
    found_by=("nan", "entropy", "nan_to_num", "xlogy", "log 0", "cross entropy", "kl divergence"),
    text="`p` is 0, a chance that should add nothing to the entropy `h`. But 0 · ln 0 is NaN, and NaN "
    "arrives at `p`. In B a 0 stands in place of the product; in A a 1 goes into the logarithm.",
    steps=(
        Step(
            "0 in place of the product",
            RESULT,
            look_at="p",
            pinned=BEFORE,
            letter="A",
            questions=(
                Question(
                    CHOICE,
                    Quantity(COTANGENT, "p"),
                    words="Which repair makes `h` finite, and what arrives at `p`?",
                    options=OPTIONS,
                    right=OPTIONS[1],
                    told=(
                        (OPTIONS[1], "No ∞ arises any more, so there is none for a 0 to meet."),
                        (
                            OPTIONS[0],
                            "The value is mended. But the logarithm is still computed, and on "
                            "the way back a 0 meets its ∞.",
                        ),
                        (
                            OPTIONS[2],
                            "Both mend the value. In one of them the logarithm of 0 is still on "
                            "the way back.",
                        ),
                        (OPTIONS[3], "A 1 into the logarithm gives 0 · ln 1, and no ∞ anywhere."),
                    ),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="Cleaning what comes out mends the value and not the way back: in B a 0 meets ln 0 "
            "there, and the slope of the logarithm. Clean what goes in, as A does.",
        ),
        Step(
            "As the formula says",
            PLAIN,
            look_at="p",
            text="`h` is NaN already, and NaN arrives.",
        ),
        Step(
            "1 into the logarithm",
            BEFORE,
            look_at="p",
            text="The logarithm reads `safe`, which is 1 where `p` is 0. Every number is finite, forward "
            "and back. The true slope at 0 is ∞; this 0 is a choice.",
        ),
    ),
    to_try=(
        Try(
            "Open *As the formula says*: `h` is NaN there too. So B mends one of the two numbers.",
            (Part(1),),
            ("p",),
            then=(
                Claim("h", "value", "h", nan, "by hand: −(0 · (−∞))", 1),
                Claim("p gets", "gradient", "p", nan, "by hand: −(ln 0 + 0 · 1/0)", 1),
            ),
        ),
        Try(
            "Open *1 into the logarithm*: `h` is 0, and 0 arrives.",
            (Part(2),),
            ("p",),
            then=(
                Claim("h", "value", "h", 0.0, "by hand: the other branch", 2, EXACTLY),
                Claim("p gets", "gradient", "p", 0.0, "by hand: 0 · ln 1 + 0 · 1", 2, EXACTLY),
            ),
        ),
        Try(
            "Move `p` to 0.5 there: 0.347 and −0.307, as from the plain formula.",
            (Part(2, edits=(put("p", 0.5),)),),
            ("p",),
            then=(
                Claim("h", "value", "h", -0.5 * log(0.5), "by hand: −½ ln ½ = 0.3465736", 2),
                Claim("p gets", "gradient", "p", -(log(0.5) + 1), "by hand: −(ln ½ + 1) = −0.3068528", 2),
            ),
        ),
    ),
    claims=(
        Claim("h", "value", "h", 0.0, "by hand: the other branch", 0, EXACTLY),
        Claim("p gets", "gradient", "p", nan, "by hand: 0 · ln 0 = 0 · (−∞)", 0),
        Claim("h", "value", "h", nan, "by hand: −(0 · (−∞))", 1),
        Claim("p gets", "gradient", "p", nan, "by hand: −(ln 0 + 0 · 1/0)", 1),
        Claim("h", "value", "h", 0.0, "by hand: the other branch", 2, EXACTLY),
        Claim("p gets", "gradient", "p", 0.0, "by hand: 0 · ln 1 + 0 · 1", 2, EXACTLY),
    ),
    predictions=(
        Prediction(OPTIONS[1], RIGHT),
        Prediction(OPTIONS[0], TOLD),
        Prediction(OPTIONS[2], TOLD),
        Prediction(OPTIONS[3], TOLD),
    ),
    numbers=(1, 0, 2),
    sources=(
        "[huggingface/trl #7221](https://github.com/huggingface/trl/issues/7221): the entropy; "
        "[huggingface/trl PR #7252](https://github.com/huggingface/trl/pull/7252) cleans the result, and "
        "its review finds that the gradient stays NaN; [huggingface/trl PR "
        "#7263](https://github.com/huggingface/trl/pull/7263) cleans what goes in",
        "[pyro-ppl/numpyro #1696](https://github.com/pyro-ppl/numpyro/issues/1696): NaN in the gradient "
        "of an entropy",
    ),
    code="jax.grad(lambda p: -(p * jax.numpy.log(p)))(0.0)  # nan",
)
