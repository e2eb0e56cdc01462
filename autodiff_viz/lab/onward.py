"""Name the one thing to press next in an open lesson, once what is asked of the graph has been answered."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.lab.exercises import NONE, PLOTS, Reached, TryView, tries
from autodiff_viz.lab.lessons import lesson_view, path_on_view, variant_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.tours import is_answered
from autodiff_viz.lab.training import own
from autodiff_viz.lessons import gallery
from autodiff_viz.lessons.paths import Path

GRAPH, TRY, TRAINING, LESSON, LESSONS, END = "graph", "try", "training", "lesson", "lessons", "end"


@dataclass(frozen=True, slots=True)
class Onward:
    """What comes next.

    Attributes:
      kind: `GRAPH`, another graph of the lesson, of which something is asked; `TRY`, an exercise; `TRAINING`,
        that of an exercise while it runs, so that there is nothing to press; `LESSON`, the next one of the
        path or the track, or the first of the next track; `LESSONS`, the page of all; or `END`, the page of
        the path whose last lesson it is.
      says: what its button says.
      key: key of the lesson that it is in, or that it opens; "" for a page.
      at: index of the graph or of the exercise; 0 otherwise.
      exercise: of `TRY` the exercise; None otherwise.
      path: of `END` the path; None otherwise.
    """

    kind: str
    says: str
    key: str
    at: int = 0
    exercise: TryView | None = None
    path: Path | None = None


def onward(lab: Lab, before: Reached = NONE) -> Onward | None:
    """Return what comes next: what is asked of a later graph, then the first exercise that is not done.

    None without a lesson, and while something is asked, since answering it is next.
    """
    lesson, view = gallery.lesson(lab.lesson), lesson_view(lab)
    exercises = tries(lab, before)
    if lesson is None or view is None or exercises is None or not is_answered(lab):
        return None
    at = variant_of(lab, lesson)
    asks = [i for i, step in enumerate(lesson.steps) if i > at and step.questions]
    if asks:
        return Onward(GRAPH, "Next question", lesson.key, asks[0])
    for i, item in enumerate(exercises[1]):
        if not item.is_done and item.trains and (made := own(lab)) is not None and made.running:
            return Onward(TRAINING, f"Training: {len(made):,} of {made.goal:,} \u2026", lesson.key, i)
        if not item.is_done:
            which = f"Do {'the rest of ' if item.done else ''}try {i + 1} for me"
            if item.opens:
                which = f"Now open {PLOTS[item.opens[0]]}"
            return Onward(TRY, which, lesson.key, i, item)
    if view.after is not None:
        return Onward(LESSON, f"Next: {view.after_title}", view.after)
    if path := path_on_view(lab):
        return Onward(END, "Back to the path", "", path=path)
    tracks = [*gallery.TRACKS]
    here = gallery.track_of(lesson)
    if here in tracks[:-1]:
        following = tracks[tracks.index(here) + 1]
        return Onward(LESSON, f"Next track: {following.title}", following.lessons[0].key)
    return Onward(LESSONS, "Back to all lessons", "")
