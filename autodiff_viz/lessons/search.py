"""Find lessons by the words that people use for them, and by other names than their keys.

`web/lessons_page/search.js` searches the page by the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from unicodedata import combining, normalize

from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import SERVED, lesson, track_of
from autodiff_viz.lessons.lesson import Lesson
from autodiff_viz.ops.catalog import OPS

NAME = 60  # characters of a name that are looked at
NEAR, ALIKE = 3, 0.7  # lessons that a mistyped name may mean, and how like their keys must be
OF_REGIONS = "checkpoint remat rematerialisation recompute memory"
OF_CUTS = "cut split segments"
OF_TRAININGS = "train training"
SYNONYMS = {
    "memory": ("oom", "vram", "activations"),
    "remat": ("oom", "activations"),
    "residual": ("skip", "resnet", "vanishing"),
    "detach": ("freeze", "frozen", "no_grad"),
    "nan": ("inf", "infinity"),
    "half": ("fp16", "amp", "mixed", "precision"),
    "bfloat16": ("bf16", "mixed", "precision"),
    "round": ("quantise", "quantize", "quantisation", "quantization"),
    "second": ("curvature",),
}
"""What people say too, by a word of a lesson."""


def words_in(text: str) -> list[str]:
    """Return the words of a text in small letters without marks: "Reshapé x²" has reshape and x2."""
    parts = normalize("NFKD", text.lower())
    return re.findall(r"[^\W_]+", "".join(letter for letter in parts if not combining(letter)))


@cache
def words_of(found: Lesson) -> tuple[str, ...]:
    """Return the words by which a lesson is found, each once."""
    words = [word for text in _texts(found) for word in words_in(text)]
    also = [word for own in words for text in SYNONYMS.get(own, ()) for word in words_in(text)]
    return tuple(dict.fromkeys(words + also))


def _texts(found: Lesson) -> Iterator[str]:
    yield from (found.title, found.key, *found.found_by, found.summary)
    yield track_of(found).title
    for step in found.steps:
        graph = graph_of(step)
        for node in graph.nodes:
            if node.op in OPS:
                yield node.op
            if node.rule.kind != FOLLOW and node.rule.kind in KINDS:
                kind = KINDS[node.rule.kind]
                yield from (kind.label, kind.call, *kind.aliases)
        if graph.regions:
            yield OF_REGIONS
        if any(node.cut for node in graph.nodes):
            yield OF_CUTS
        if step.training is not None:
            yield OF_TRAININGS
        if step.dtype != FLOAT32:
            yield step.dtype


@dataclass(frozen=True, slots=True)
class Meant:
    """What a name in an address means.

    Attributes:
      lesson: the lesson; None if no lesson has a name like it.
      others: those that may be meant as well.
      guessed: whether the name is none of the lesson's, only like one.
    """

    lesson: Lesson | None = None
    others: tuple[Lesson, ...] = ()
    guessed: bool = False


def meant(name: str | None) -> Meant:
    """Return what a name means: a key, the beginning of one, a word in one, another name, or one like it.

    Of several lessons it is the first in teaching order.
    """
    if not name:
        return Meant()
    if exact := lesson(name):
        return Meant(exact)
    wanted = "-".join(words_in(name[:NAME]))
    if not wanted:
        return Meant()
    by_key = {each.key: each for each in SERVED}
    if wanted in by_key:
        return Meant(by_key[wanted])
    for found in (
        [each for each in SERVED if each.key.startswith(wanted)],
        [each for each in SERVED if f"-{wanted}-" in f"-{each.key}-"],
        [each for each in SERVED if wanted in map(_as_key, (each.title, *each.found_by))],
    ):
        if found:
            return Meant(found[0], tuple(found[1 : 1 + NEAR]))
    near = [by_key[key] for key in get_close_matches(wanted, by_key, NEAR, ALIKE)]
    return Meant(near[0], tuple(near[1:]), guessed=True) if near else Meant()


def _as_key(text: str) -> str:
    return "-".join(words_in(text))
