"""Make the exercises of the open lesson by a click, and tick those whose states have been reached.

An exercise has parts, each a state of the lab; it is done once all have been reached. Which were reached is
kept beside the lab, since a visitor passes through them one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph.identity import identity, remembered, same
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.actions import resampled_nodes
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson, variant_of
from autodiff_viz.lab.state import LAST, Lab
from autodiff_viz.lab.training import own, plans, resets, scrubs, trains
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.lesson import Lesson, Part, Try
from autodiff_viz.training.run import still

Edit = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reached:
    """Parts of exercises that have been reached in one lesson.

    Attributes:
      lesson: key of the lesson; None without one.
      parts: (index of the exercise, index of the part).
    """

    lesson: str | None = None
    parts: frozenset[tuple[int, int]] = frozenset()


NONE = Reached()


@dataclass(frozen=True, slots=True)
class TryView:
    """One exercise on the page.

    Attributes:
      says: what to do and what to observe, in Markdown.
      trains: whether a click starts a training.
      asks: the event, as in `Part`, for which a click asks.
      done: number of its parts that have been reached.
      of: number of its parts.
      shows: nodes and plots whose numbers the text speaks of, those that the open graph has.
    """

    says: str
    trains: bool
    asks: str
    done: int
    of: int
    shows: tuple[str, ...]

    @property
    def is_done(self) -> bool:
        """Whether all of it has been done."""
        return self.done == self.of


def reached(before: Reached, lab: Lab, event: str = "") -> Reached:
    """Return the parts reached so far, with those that `lab` reaches, and `event` in it."""
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return NONE
    parts = before.parts if before.lesson == lesson.key else frozenset()
    asked = [(at, part) for at, part in _parts(lesson) if event and part.asks == event]
    return Reached(
        lesson.key, parts | _holding(lab) | {at for at, part in asked if _holds(lab, lesson, part)}
    )


def tries(lab: Lab, before: Reached = NONE) -> tuple[str, tuple[TryView, ...]] | None:
    """Return the key of the open lesson with its exercises; None without a lesson."""
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return None
    parts = reached(before, lab).parts
    # What an exercise shows and no graph of the lesson has is a plot.
    nodes = {node.name for variant in lesson.steps for node in graph_of(variant).nodes}
    views = []
    for i, item in enumerate(lesson.to_try):
        part = _next(item, i, parts)
        is_open = _is_open(lab, lesson, part)
        shows = tuple(name for name in item.shows if name in lab.graph or name not in nodes)
        # Where its training has been made, a click only shows the step.
        trains_now = part.steps > 0 and not (
            is_open and part.at is not None and _is_trained(lab, lesson, part)
        )
        done = sum((i, k) in parts for k in range(len(item.parts)))
        asks = part.asks if is_open else ""
        views.append(TryView(item.says, trains_now, asks, done, len(item.parts), shows))
    return lesson.key, tuple(views)


def do_try(lab: Lab, key: str, index: int, before: Reached = NONE) -> Lab:
    """Make the edits of the first part of an exercise that has not been reached, in its graph.

    Its training is started; where that has been made, its step is shown.
    """
    lesson = gallery.lesson(key)
    if lesson is None or not 0 <= index < len(lesson.to_try):
        return lab
    part = _next(
        lesson.to_try[index], index, reached(before, lab).parts if lab.lesson == key else frozenset()
    )
    after = lab if _is_open(lab, lesson, part) else open_lesson(lab, key, part.variant)
    if part.unchanged and not _is_unchanged(after, lesson, part):
        after = open_lesson(after, key, part.variant)
    for edit in part.edits:
        after = edited(after, edit)
    if part.untrained:
        after = resets(after)
    if part.seed is not None:
        after = plans(resets(after), seed=part.seed)  # steps that were made keep their seed
    if not part.steps:
        return after
    if part.at is not None and _is_trained(after, lesson, part):
        return scrubs(after, part.at)
    return trains(after, part.steps)


def _next(item: Try, i: int, parts: frozenset[tuple[int, int]]) -> Part:
    """Return the part that a click does: the first that has not been reached, else the last."""
    return next((part for k, part in enumerate(item.parts) if (i, k) not in parts), item.parts[-1])


def _parts(lesson: Lesson) -> list[tuple[tuple[int, int], Part]]:
    """Return all parts of a lesson's exercises with their places."""
    return [((i, k), part) for i, item in enumerate(lesson.to_try) for k, part in enumerate(item.parts)]


def _key(lab: Lab) -> bytes:
    made = own(lab)
    steps = (len(made), made.running, made.course.phases if made.course else ()) if made else ()
    return identity(
        (lab.lesson, lab.variant, lab.graph, lab.seed, lab.selected, lab.collapsed, lab.step, steps)
    )


@remembered(32, _key)
def _holding(lab: Lab) -> frozenset[tuple[int, int]]:
    """Return the parts that the lab reaches, without those that ask for an event. Memoised."""
    lesson = gallery.lesson(lab.lesson)
    return frozenset(at for at, part in _parts(lesson) if not part.asks and _holds(lab, lesson, part))


def _holds(lab: Lab, lesson: Lesson, part: Part) -> bool:
    """Return whether the lab is as a part asks for."""
    if not _is_open(lab, lesson, part):
        return False
    start = graph_of(lesson.steps[part.variant])
    if not all(_changes_nothing(lab, start, edit) for edit in part.edits):
        return False
    if part.unchanged and not _is_unchanged(lab, lesson, part):
        return False
    if part.untrained and (made := own(lab)) is not None and (len(made) or made.running):
        return False
    if not part.steps:
        return True
    if not _is_trained(lab, lesson, part):
        return False
    # The step that the part asks for is on view.
    return part.at in (None, len(own(lab)) if lab.step == LAST else lab.step)


def _is_open(lab: Lab, lesson: Lesson, part: Part) -> bool:
    """Return whether the graph that a part is about is the open one."""
    return lab.lesson == lesson.key and variant_of(lab, lesson) == part.variant


def _is_unchanged(lab: Lab, lesson: Lesson, part: Part) -> bool:
    """Return whether the graph is the lesson's but for the edits of a part."""
    own_one = open_lesson(lab, lesson.key, part.variant)
    for edit in part.edits:
        own_one = edited(own_one, edit)
    return still(lab.graph) == still(own_one.graph) and same(lab.seed, own_one.seed)


def _is_trained(lab: Lab, lesson: Lesson, part: Part) -> bool:
    """Return whether the last steps of training were made with the present graph, and as the part asks."""
    made = own(lab)
    if made is None or made.running or made.course is None or len(made) < part.steps:
        return False
    given, phases = lesson.steps[part.variant].training.settings, made.course.phases
    # The phases in which the last steps were made: those that end after the first of these steps.
    ends = [*(phase.first for phase in phases[1:]), len(made)]
    last = [phase for phase, end in zip(phases, ends, strict=True) if end > len(made) - part.steps]
    return all(
        phase.graph == still(lab.graph)
        and part.seed in (None, phase.settings.seed)
        and (
            not part.unchanged
            or phase.settings == (given if part.seed is None else replace(given, seed=part.seed))
        )
        for phase in last
    )


def _changes_nothing(lab: Lab, start: Graph, edit: Edit) -> bool:
    """Return whether an edit would change nothing; one that asks for any change, whether there is one."""
    if edit["kind"] == "resample":
        return any(_differs(lab.graph, start, name, "seed") for name in resampled_nodes(start))
    if edit["kind"] == "uncheckpoint":  # done once the region is gone and its nodes are still there
        there = all(node.name in lab.graph for node in start.nodes)
        return there and all(region.name != edit["region"] for region in lab.graph.regions)
    if edit.get("any"):
        return _differs(lab.graph, start, edit["name"], "value")
    after = edited(lab, edit)
    as_it_is = (after.graph, after.selected, after.collapsed) == (lab.graph, lab.selected, lab.collapsed)
    return as_it_is and not after.notice


def _differs(graph: Graph, start: Graph, name: str, param: str) -> bool:
    """Return whether a parameter of a node is another one than in `start`."""
    return name in graph and not same(graph[name].param(param), start[name].param(param))
