"""Make the exercises of the open lesson by a click, and tick those that have been done and seen.

An exercise has parts, each a state of the lab; it is done once all have been reached, and what shows their
numbers has been on view in them. Which were is kept beside the lab, since a visitor passes through them one
after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.graph.identity import identity, remembered, same
from autodiff_viz.graph.model import Graph
from autodiff_viz.lab.actions import resampled_nodes
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.figures import TABS
from autodiff_viz.lab.lessons import open_lesson, variant_of
from autodiff_viz.lab.state import LAST, Lab
from autodiff_viz.lab.tours import is_answered
from autodiff_viz.lab.training import own, plans, resets, scrubs, trains
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.lesson import Lesson, Part, Try
from autodiff_viz.training.run import still

Edit = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reached:
    """Parts of exercises that have been reached in one lesson, and what was seen of them.

    Attributes:
      lesson: key of the lesson; None without one.
      parts: (index of the exercise, index of the part).
      looked: (index of the exercise, index of the part, plot that was on view in its state).
    """

    lesson: str | None = None
    parts: frozenset[tuple[int, int]] = frozenset()
    looked: frozenset[tuple[int, int, str]] = frozenset()

    def is_done(self, i: int, k: int, plots: Sequence[str]) -> bool:
        """Return whether a part was reached and, if its exercise is about plots, with one of them on view."""
        return (i, k) in self.parts and (not plots or any((i, k, plot) in self.looked for plot in plots))

    def unseen(self, i: int, plots: Sequence[str]) -> list[str]:
        """Return the plots of an exercise that were on view in none of its states."""
        return [plot for plot in plots if all((of, name) != (i, plot) for of, _, name in self.looked)]


NONE = Reached()

PLOTS: Mapping[str, str] = {kind.key: kind.title for kind in TABS}
"""Titles of the plots that an exercise may show, by name."""


@dataclass(frozen=True, slots=True)
class TryView:
    """One exercise on the page.

    Attributes:
      says: what to do and what to observe, in Markdown.
      trains: whether a click starts a training.
      asks: the event, as in `Part`, for which a click asks.
      done: number of its parts that have been done and seen.
      of: number of its parts.
      shows: nodes and plots whose numbers the text speaks of, those that the open graph has.
      unseen: plots that were on view in no state of it.
      opens: plots to be opened now: the state is reached, and they are all that is left.
      moves: inputs of the open graph whose sliders it moves, with the value to reach; None for any.
      bends: nodes of the open graph to which it gives a rule.
    """

    says: str
    trains: bool
    asks: str
    done: int
    of: int
    shows: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    moves: tuple[tuple[str, float | None], ...] = ()
    bends: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether all of it has been done and seen."""
        return self.done == self.of and not self.unseen


def reached(before: Reached, lab: Lab, event: str = "", plots: Iterable[str] = ()) -> Reached:
    """Return the parts reached so far, with those that `lab` reaches.

    Args:
      event: what has just happened in `lab`, as `Part.asks` names it; "" for nothing.
      plots: those that are on view with the numbers of `lab`.
    """
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return NONE
    if before.lesson != lesson.key:
        before = Reached(lesson.key)
    holding, of = _holding(lab), [item.parts for item in lesson.to_try]
    parts = {(i, k) for i, k in holding if of[i][k].asks in ("", event)}
    looked = {(i, k, plot) for i, k in holding for plot in _plots(lesson)[i] if plot in plots}
    return Reached(lesson.key, before.parts | parts, before.looked | looked)


def unlooked(before: Reached, lab: Lab) -> frozenset[str]:
    """Return the plots that have not been on view in a state of an exercise that `lab` has."""
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return frozenset()
    looked = before.looked if before.lesson == lesson.key else frozenset()
    plots = _plots(lesson)
    return frozenset(plot for i, k in _holding(lab) for plot in plots[i] if (i, k, plot) not in looked)


def tries(lab: Lab, before: Reached = NONE) -> tuple[str, tuple[TryView, ...]] | None:
    """Return the key of the open lesson with its exercises; None without a lesson."""
    lesson = gallery.lesson(lab.lesson)
    if lesson is None:
        return None
    now, plots = reached(before, lab), _plots(lesson)
    views = []
    for i, item in enumerate(lesson.to_try):
        part = _next(item, i, now, plots[i])
        is_open = _is_open(lab, lesson, part)
        shows = tuple(name for name in item.shows if name in lab.graph or name in plots[i])
        # Where its training has been made, a click only shows the step.
        trains_now = part.steps > 0 and not (
            is_open and part.at is not None and _is_trained(lab, lesson, part)
        )
        done = sum(now.is_done(i, k, plots[i]) for k in range(len(item.parts)))
        asks = part.asks if is_open else ""
        unseen, opens = now.unseen(i, plots[i]), _opens(lab, now, i, plots[i])
        slid = [edit for edit in part.edits if edit["kind"] == "slide" and is_open]
        moves = {
            each["name"]: None if each.get("any") else float(each["value"])
            for each in slid
            if each["name"] in lab.graph
        }
        ruled = [
            edit for edit in part.edits if edit["kind"] == "rules" and edit["rule"] != "follow" and is_open
        ]
        bends = [name for each in ruled for name in each["nodes"] if name in lab.graph]
        views.append(
            TryView(
                *(item.says, trains_now, asks, done, len(item.parts), shows),
                *map(tuple, (unseen, opens, moves.items(), bends)),
            )
        )
    return lesson.key, tuple(views)


def exercises_data(lab: Lab, before: Reached) -> list[dict[str, Any]] | None:
    """Return the exercises in the format of web/lesson/exercise.js.

    None without any, and while something is asked, since they tell what will be seen.
    """
    exercises = tries(lab, before) if is_answered(lab) else None
    if exercises is None or not exercises[1]:
        return None
    return [
        {
            "says": each.says,
            "done": each.is_done,
            "parts": each.done,
            "moves": [name for name, _ in each.moves],
            "aims": {name: value for name, value in each.moves if value is not None},
            "bends": [*each.bends],
        }
        for each in exercises[1]
    ]


def _opens(lab: Lab, now: Reached, i: int, plots: Sequence[str]) -> list[str]:
    """Return the plots of an exercise that are left to be opened in the state of the lab."""
    here = [k for of, k in sorted(_holding(lab)) if of == i and (i, k) in now.parts]
    if not here:
        return []
    if unseen := now.unseen(i, plots):
        return unseen
    # Each has been on view in another part: this one needs one of them.
    return [] if all(now.is_done(i, k, plots) for k in here) else [*plots[:1]]


def do_try(lab: Lab, key: str, index: int, before: Reached = NONE) -> Lab:
    """Make the edits of the first part of an exercise that has not been reached, in its graph.

    Its training is started; where that has been made, its step is shown.
    """
    lesson = gallery.lesson(key)
    if lesson is None or not 0 <= index < len(lesson.to_try):
        return lab
    now = reached(before, lab) if lab.lesson == key else NONE
    part = _next(lesson.to_try[index], index, now, _plots(lesson)[index])
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
    begun = trains(after, part.steps)
    # A part about the start stays there, so that it is reached once the steps are made.
    return scrubs(begun, 0) if part.at == 0 and begun.training.running else begun


def _next(item: Try, i: int, now: Reached, plots: Sequence[str]) -> Part:
    """Return the part that a click does: the first that has not been done, else the last."""
    return next((part for k, part in enumerate(item.parts) if not now.is_done(i, k, plots)), item.parts[-1])


def _plots(lesson: Lesson) -> list[tuple[str, ...]]:
    """Return by exercise the plots that it shows: what it shows and no graph of the lesson has."""
    nodes = {node.name for variant in lesson.steps for node in graph_of(variant).nodes}
    return [tuple(name for name in item.shows if name not in nodes) for item in lesson.to_try]


def _key(lab: Lab) -> bytes:
    made = own(lab)
    steps = (len(made), made.running, made.course.phases if made.course else ()) if made else ()
    return identity(
        (
            *(lab.lesson, lab.variant, lab.graph, lab.seed, lab.selected, lab.collapsed, lab.forward),
            *(lab.step, steps),
        )
    )


@remembered(32, _key)
def _holding(lab: Lab) -> frozenset[tuple[int, int]]:
    """Return the parts whose states the lab has, also of those that ask for an event. Memoised."""
    lesson = gallery.lesson(lab.lesson)
    parts = [((i, k), part) for i, item in enumerate(lesson.to_try) for k, part in enumerate(item.parts)]
    return frozenset(at for at, part in parts if _holds(lab, lesson, part))


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
    if edit["kind"] == "tangent":  # forward mode has to be on
        return lab.forward is not None and dict(lab.forward).get(edit["node"], 0.0) == float(edit["value"])
    if edit.get("any"):
        return _differs(lab.graph, start, edit["name"], "value")
    after = edited(lab, edit)
    as_it_is = (after.graph, after.selected, after.collapsed) == (lab.graph, lab.selected, lab.collapsed)
    return as_it_is and not after.notice


def _differs(graph: Graph, start: Graph, name: str, param: str) -> bool:
    """Return whether a parameter of a node is another one than in `start`."""
    return name in graph and not same(graph[name].param(param), start[name].param(param))
