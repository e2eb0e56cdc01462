"""Ask whether a stop changes anything where it cuts off a network that nobody trains."""

from autodiff_viz.asking.question import ASKED_ALONE, COTANGENT, SAME, Quantity, Question
from autodiff_viz.lessons.lesson import (
    EXACTLY,
    RIGHT,
    TOLD,
    Claim,
    Lesson,
    Part,
    Prediction,
    Try,
    put,
    ruled,
)
from autodiff_viz.lessons.tour import Step

OPEN = """w = 0.5
w_old = 0.5
q = 2.0 * w
target = 1.0 + 3.0 * w_old
loss = 0.5 * square(target - q)
"""
STOPPED = OPEN.replace("1.0 + 3.0 * w_old", "stop_gradient(1.0 + 3.0 * w_old)")
ON_ITSELF = "In the lesson before, the target was made from `w` itself. What is it made from here?"

LESSON = Lesson(
    key="dqn-target",
    track="stops",
    title="Must I detach a network that is not in the optimiser?",
    summary="The target comes from an old copy that nobody trains. With the stop or without?",
    level=2,
    minutes=2,
    after=("td-target",),
    found_by=("DQN", "target network", "detach", "no_grad", "optimizer"),
    text="The target, 2.5, comes from `w_old`, an old copy of `w` that no optimiser moves. In A a stop holds "
    "it, and `w` gets −3. B forgets the stop.",
    steps=(
        Step(
            "Without the stop",
            OPEN,
            look_at="target",
            pinned=STOPPED,
            questions=(
                Question(
                    SAME,
                    Quantity(COTANGENT, "w"),
                    words="Does `w` get the same in B?",
                    told=(("different", ON_ITSELF),),
                ),
            ),
            hides=ASKED_ALONE,
            reveal="compare",
            text="−3 in both. A stop changes what its own path leads to, and nothing else. This one saves "
            "work: a gradient that nobody reads, and what is kept for it.",
        ),
        Step(
            "With the stop",
            STOPPED,
            look_at="target",
            text="Nothing goes back beyond `target`.",
        ),
    ),
    to_try=(
        Try(
            "In B move `w_old` to 1: the target is 4, and `w` gets −6, with the stop or without.",
            (Part(edits=(put("w_old", 1.0),)),),
            ("w", "target"),
            then=(
                Claim("The target", "value", "target", 4.0, "by hand: 1 + 3 · 1", within=EXACTLY),
                Claim("w gets", "gradient", "w", -6.0, "by hand: −(4 − 1) · 2", within=EXACTLY),
            ),
        ),
        Try(
            "Put `w_old` back to 0.5: it gets 4.5 in B. Stop `target`: it gets 0, and one number less is "
            "kept.",
            (Part(edits=(put("w_old", 0.5), ruled("target", "stop"))),),
            ("w_old", "residuals"),
            then=(
                Claim("w_old gets", "gradient", "w_old", 0.0, "by hand: behind a stop", within=EXACTLY),
                Claim("Numbers kept", "residual elements", None, 3, "by hand: ½, 2 and target − q"),
            ),
        ),
    ),
    claims=(
        Claim("w gets", "gradient", "w", -3.0, "by hand: −(2.5 − 1) · 2", within=EXACTLY),
        Claim("w_old gets", "gradient", "w_old", 4.5, "by hand: (2.5 − 1) · 3", within=EXACTLY),
        Claim("Numbers kept", "residual elements", None, 4, "by hand: ½, 2, 3 and target − q"),
        Claim("w gets, with the stop", "gradient", "w", -3.0, "by hand: −(2.5 − 1) · 2", 1, EXACTLY),
        Claim("w_old gets, with the stop", "gradient", "w_old", 0.0, "by hand: behind a stop", 1, EXACTLY),
    ),
    predictions=(
        Prediction("the same", RIGHT),
        Prediction("different", TOLD),
        Prediction("equal", RIGHT),
    ),
    sources=(
        "Equal curves, and about 10 % of the memory of the GPU saved: [Hands-on-RL "
        "112](https://github.com/boyu-ai/Hands-on-RL/issues/112). The same doubt: [Deep Q-Learning, paper to "
        "code, 9](https://github.com/philtabor/Deep-Q-Learning-Paper-To-Code/issues/9), [minimalRL "
        "41](https://github.com/seungeunrho/minimalRL/pull/41).",
    ),
    code="""w = torch.tensor(0.5, requires_grad=True)
w_old = torch.tensor(0.5, requires_grad=True)
target = 1 + 3 * w_old
(0.5 * (target - 2 * w) ** 2).backward()
w.grad, w_old.grad  # (-3.0, 4.5)
""",
)
