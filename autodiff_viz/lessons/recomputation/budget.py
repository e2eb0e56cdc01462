"""Ask how much runs again if a policy keeps one value of a region."""

from autodiff_viz.asking.question import ASKED_ALONE, CHOICE, RUNS, Quantity, Question
from autodiff_viz.lessons.lesson import RIGHT, TOLD, Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step


def keeping(*names: str) -> str:
    """Write four sines in a region that keeps these of its values."""
    listed = ", ".join(f'"{name}"' for name in names)
    policy = f', policy="save_only_these_names", names=[{listed}]' if names else ""
    return f"""v0 = 0.5
with checkpoint("all"{policy}):
    v1 = sin(v0)
    v2 = sin(v1)
    v3 = sin(v2)
    v4 = sin(v3)
"""


AGAIN, KEPT_IT = "by hand: needed, and not kept", "by hand: kept, so not needed again"

LESSON = Lesson(
    key="budget",
    track="recomputation",
    title="Which values should I keep?",
    summary="A region may keep some of its values. What does that save?",
    level=3,
    minutes=4,
    after=("checkpointing",),
    found_by=("policy", "save_only_these_names", "checkpoint_name", "plans", "memory budget"),
    text="Four sines stand in one checkpoint. It keeps `v0`, which enters, and by its policy `v2` as well. "
    "The slope of each sine is taken at what enters it.",
    steps=(
        Step(
            "Keep v2",
            keeping("v2"),
            look_at="v2",
            questions=(
                Question(
                    CHOICE,
                    Quantity(RUNS, "v4"),
                    words="How many of the four results must be computed once more?",
                    told=(
                        ("3", "So it is without the policy. `v2` is kept: who makes it again?"),
                        ("1", "From `v2` on one is enough, `v3`. But the second sine's slope needs `v1`."),
                        ("4", "No slope needs `v4`, and `v2` is kept."),
                    ),
                    options=("1", "2", "3", "4"),
                    right="2",
                ),
            ),
            hides=ASKED_ALONE,
            reveal="memory",
            text="`v1` and `v3`. Whichever of `v1` to `v3` you keep, what is kept and what is computed "
            "again add up to 4: less memory is more work.",
        ),
        Step("Keep v1 and v2", keeping("v1", "v2"), look_at="v2", text="Two values of the region are kept."),
        Step("Keep none", keeping(), look_at="v2", text="Only what enters is kept."),
        Step("Keep three", keeping("v1", "v2", "v3"), look_at="v2", text="All that a slope needs is kept."),
    ),
    to_try=(
        Try(
            "Open *Keep v1 and v2*: 3 are kept, and only `v3` is needed again.",
            (Part(1),),
            ("residuals", "runs"),
            then=(
                Claim("Floats that are kept", "residual elements", None, 3, "by hand: v0, v1, v2", 1),
                Claim("How often v3 runs", "runs", "v3", (1, 1, 1), AGAIN, 1),
            ),
        ),
        Try(
            "Open *Keep none*, then *Keep three*: 1 kept and 3 again, then 4 kept and 0 again.",
            (Part(2), Part(3)),
            ("residuals", "plans"),
            then=(Claim("Floats that are kept", "residual elements", None, 4, "by hand: v0 to v3", 3),),
        ),
    ),
    claims=(
        Claim("Floats that are kept", "residual elements", None, 2, "by hand: v0 and v2"),
        Claim("Second runs of v1 that are needed", "runs", "v1", (1, 1, 1), AGAIN),
        Claim("Second runs of v3 that are needed", "runs", "v3", (1, 1, 1), AGAIN),
        Claim("Floats that are kept", "residual elements", None, 3, "by hand: v0, v1, v2", 1),
        Claim("Floats that are kept", "residual elements", None, 1, "by hand: v0", 2),
        Claim("Floats that are kept", "residual elements", None, 4, "by hand: v0 to v3", 3),
    ),
    predictions=(
        Prediction("2", RIGHT),
        Prediction("3", TOLD),
        Prediction("1", TOLD),
        Prediction("4", TOLD),
    ),
    sources=(
        "If regions may stand in regions, the best plan for a chain is that of "
        "[Revolve](https://doi.org/10.1145/347837.347846) (TOMS 799). By its formula 10 steps with 3 "
        "values kept take 15 steps forward, 16 take 33. A budget in a library: [torchtitan PR "
        "1731](https://github.com/pytorch/torchtitan/pull/1731).",
    ),
    code="""from jax.ad_checkpoint import checkpoint_name

def sines(v0):
    v2 = checkpoint_name(jnp.sin(jnp.sin(v0)), "v2")
    return jnp.sin(jnp.sin(v2))

policy = jax.checkpoint_policies.save_only_these_names("v2")
jax.grad(jax.checkpoint(sines, policy=policy))(0.5)  # 0.62933
""",
)
