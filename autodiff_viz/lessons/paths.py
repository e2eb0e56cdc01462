"""List ways through the lessons for classes of a length or a subject, each in sittings."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.lessons.lesson import Lesson


@dataclass(frozen=True, slots=True)
class Path:
    """A choice of lessons in an order.

    Attributes:
      key: its name in links; it never changes.
      title: a few words.
      summary: one sentence: for whom, and how to go about it.
      minutes: of all of it, in class.
      sittings: keys of lessons, by sitting.
    """

    key: str
    title: str
    summary: str
    minutes: int
    sittings: tuple[tuple[str, ...], ...]

    @property
    def lessons(self) -> tuple[tuple[Lesson, ...], ...]:
        """The lessons, by sitting."""
        by_key = {lesson.key: lesson for lesson in LESSONS}
        return tuple(tuple(by_key[key] for key in keys) for keys in self.sittings)


PATHS: tuple[Path, ...] = (
    Path(
        "first-20",
        "20 minutes",
        "Three surprises, for a first hour on gradients: vote, talk to your neighbour, vote again, play.",
        20,
        (("two-knobs", "twins", "branch-nan"),),
    ),
    Path(
        "deep-45",
        "45 minutes",
        "From one neuron to depth: why gradients vanish, what a shortcut changes, and what gets nothing.",
        45,
        (("neuron", "vanish", "residual", "gets-nothing"),),
    ),
    Path(
        "rl",
        "Reinforcement learning",
        "Where the stop goes in ratios, targets and log-probabilities.",
        45,
        (("twins", "loss-zero", "td-target", "dqn-target", "cancels", "reinforce"),),
    ),
    Path(
        "numerics",
        "Numerics",
        "Where a NaN, an infinity or a zero comes from, and how to guard against it.",
        45,
        (("branch-nan", "norm-zero", "nan-from", "guard", "corner", "half"),),
    ),
    Path(
        "memory",
        "Memory",
        "What is kept for the way back, what runs again, and which plan fits a budget.",
        40,
        (("checkpointing", "last-stage", "scan", "budget"),),
    ),
    Path(
        "six-hours",
        "Six hours, twelve sittings",
        "A course. Each sitting is half an hour: vote, talk to your neighbour, vote again, play the answer.",
        360,
        (
            ("two-knobs", "fork"),
            ("twins", "loss-zero"),
            ("branch-nan", "gets-nothing"),
            ("neuron", "vanish"),
            ("matmul", "bias-sum"),
            ("p-minus-y", "step-size"),
            ("xor-broadcast",),
            ("td-target", "gan-detach"),
            ("ste", "gumbel"),
            ("surgery", "declare-derivative"),
            ("second", "penalty"),
            ("checkpointing", "scan"),
        ),
    ),
)


def path(key: str | None) -> Path | None:
    """Return the path with that key; None when there is none, since keys come from addresses."""
    return next((path for path in PATHS if path.key == key), None)
