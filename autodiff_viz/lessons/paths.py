"""List ways through the lessons for classes of a length or a subject, each in sittings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from autodiff_viz.graph.text import well_formed
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.lessons.search import meant

PATH, OF, NAME = "path", "of", "name"
"""Names of the parameters of a path in an address: its key, and of one that an address lists itself its
lessons, between commas, and its title."""

PAGE = "lessons"
"""Path of the page of lessons on the server."""

CUSTOM = "custom"
"""Key of every path that an address lists itself."""

MOST, LONGEST = 40, 60  # lessons of such a path; characters of its title, and of the name of a lesson


@dataclass(frozen=True, slots=True)
class Path:
    """A choice of lessons in an order.

    Attributes:
      key: its name in links; it never changes.
      title: a few words.
      summary: one sentence: for whom, and how to go about it.
      minutes: of all of it, in class.
      sittings: keys of lessons, by sitting.
      unknown: names of an address that no lesson has.
    """

    key: str
    title: str
    summary: str
    minutes: int
    sittings: tuple[tuple[str, ...], ...]
    unknown: tuple[str, ...] = ()

    @property
    def lessons(self) -> tuple[tuple[Lesson, ...], ...]:
        """The lessons, by sitting."""
        return tuple(tuple(filter(None, map(lesson, keys))) for keys in self.sittings)

    @property
    def alone(self) -> int:
        """The minutes of its lessons, for one who reads them alone."""
        return sum(each.minutes for sitting in self.lessons for each in sitting)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its lessons, in their order."""
        return tuple(key for keys in self.sittings for key in keys)

    @property
    def fields(self) -> dict[str, str]:
        """Its parameters in an address."""
        if self.key != CUSTOM:
            return {PATH: self.key}
        own = {} if self.title == UNNAMED else {NAME: self.title}
        return {PATH: CUSTOM, OF: ",".join(self.keys), **own}

    @property
    def page(self) -> str:
        """The address of its page, from any page of the server."""
        return f"./{PAGE}?{urlencode(self.fields, safe=',')}"


UNNAMED = "A path of lessons"
"""Title of a path whose address gives it none."""


PATHS: tuple[Path, ...] = (
    Path(
        "first-20",
        "20 minutes",
        "Three surprises to begin with: vote, talk to your neighbour, vote again, play.",
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
        "Where the stop goes in ratios, targets, critics and log-probabilities.",
        50,
        (("twins", "loss-zero", "td-target", "dqn-target", "sac", "cancels", "reinforce"),),
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
            ("neuron", "vanish"),
            ("branch-nan", "gets-nothing"),
            ("matmul", "bias-sum"),
            ("p-minus-y", "step-size"),
            ("xor-broadcast",),
            ("td-target", "gan-detach"),
            ("surgery", "declare-derivative"),
            ("ste", "gumbel"),
            ("second", "penalty"),
            ("checkpointing", "scan"),
        ),
    ),
)


def path_of(query: Mapping[str, str]) -> Path | None:
    """Return the path that an address names, or lists itself; None without one. The address is untrusted."""
    key = query.get(PATH)
    if key != CUSTOM:
        return next((path for path in PATHS if path.key == key), None)
    names = query.get(OF, "")[: MOST * (LONGEST + 1)].split(",")[:MOST]
    found = {name: meant(name) for name in map(str.strip, names) if name}
    known = [each.lesson for each in found.values() if each.lesson and not each.guessed]
    title = " ".join(well_formed(query.get(NAME, "")[: 4 * LONGEST]).split())[:LONGEST]
    return Path(
        CUSTOM,
        title or UNNAMED,
        "Questions for a class, one after the other.",
        sum(each.minutes for each in dict.fromkeys(known)),
        (tuple(dict.fromkeys(each.key for each in known)),),
        tuple(name[:LONGEST] for name, each in found.items() if not each.lesson or each.guessed),
    )
