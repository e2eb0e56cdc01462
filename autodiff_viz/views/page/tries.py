"""Make the exercises of the open lesson by a click, and tick those whose state is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.graph.identity import identity, remembered, same
from autodiff_viz.graph.model import Graph
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.record import Lesson, Try
from autodiff_viz.views.actions import resampled_nodes
from autodiff_viz.views.edits.apply import edited
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.lessons.claims import variant_of
from autodiff_viz.views.lessons.gallery import open_lesson
from autodiff_viz.views.training.actions import plans, resets, trains
from autodiff_viz.views.training.record import USUAL, settings_of

Edit = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TryView:
    """One exercise on the page.

    Attributes:
      says: what to do and what to observe, in Markdown.
      acts: whether a click does it; otherwise it is something to read.
      trains: whether a click starts a training.
      asks: for what beside the graph it asks, as in `Try`; it is done once that is requested, which is
        not part of the lab's state.
      done: whether its state is reached.
    """

    says: str
    acts: bool
    trains: bool
    asks: str
    done: bool


def _key(lab: Lab) -> bytes:
    made = (len(lab.training), lab.training.settings.seed) if lab.training else ()
    return identity((lab.lesson, lab.variant, lab.graph, lab.selected, lab.collapsed, made))


@remembered(32, _key)
def tries(lab: Lab) -> tuple[str, tuple[TryView, ...]] | None:
    """Return the key of the open lesson with its exercises; None without a lesson. Memoised."""
    found = lesson(lab.lesson)
    if found is None:
        return None
    shown = (TryView(t.says, t.acts, t.steps > 0, t.asks, _is_done(lab, found, t)) for t in found.to_try)
    return found.key, tuple(shown)


def do_try(lab: Lab, key: str, index: int) -> Lab:
    """Make the edits of an exercise, in the graph that it is about, and start its training."""
    found = lesson(key)
    if found is None or not 0 <= index < len(found.to_try):
        return lab
    item = found.to_try[index]
    open_already = lab.lesson == key and item.variant in (None, variant_of(lab, found))
    after = lab if open_already else open_lesson(lab, key, item.variant or 0)
    for edit in item.edits:
        after = edited(after, edit)
    if item.seed is not None:
        after = plans(resets(after), seed=item.seed)  # steps that were made keep their seed
    return trains(after, item.steps) if item.steps else after


def _is_done(lab: Lab, found: Lesson, item: Try) -> bool:
    """Return whether an exercise is done: its edits would change nothing, and its training has been made."""
    at = variant_of(lab, found)
    if not item.acts or item.asks or item.variant not in (None, at):
        return False
    if item.steps and not _is_trained(lab, item):
        return False
    start = graph_of(found.variants[at])
    return all(_holds(lab, start, edit) for edit in item.edits)


def _is_trained(lab: Lab, item: Try) -> bool:
    """Return whether the training that an exercise asks for has been made."""
    made = lab.training
    if made is None or len(made) < item.steps:
        return False
    return item.seed in (None, settings_of(made, USUAL.settings).seed)


def _holds(lab: Lab, start: Graph, edit: Edit) -> bool:
    """Return whether an edit would change nothing; one that asks for any change, whether there is one."""
    if edit["kind"] == "resample":
        return any(_differs(lab.graph, start, name, "seed") for name in resampled_nodes(start))
    if edit["kind"] == "uncheckpoint":
        return all(region.name != edit["region"] for region in lab.graph.regions)
    if edit.get("any"):
        return _differs(lab.graph, start, edit["name"], "value")
    after = edited(lab, edit)
    as_it_is = (after.graph, after.selected, after.collapsed) == (lab.graph, lab.selected, lab.collapsed)
    return as_it_is and not after.notice


def _differs(graph: Graph, start: Graph, name: str, param: str) -> bool:
    """Return whether a parameter of a node is another one than in `start`."""
    return name in graph and not same(graph[name].param(param), start[name].param(param))
