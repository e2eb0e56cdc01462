"""Give the stage what a presenter says of the visitor's tour, or of the open lesson: steps and notes."""

from __future__ import annotations

from typing import Any

from autodiff_viz.lab.lessons import variant_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.tours import is_answered
from autodiff_viz.lessons import gallery


def talk_data(lab: Lab) -> dict[str, Any] | None:
    """Return the talk as data (`web/present/course.js`); None without a lesson or a tour with steps.

    The texts of steps give numbers away, so that they are notes: the audience sees title and caption alone.
    """
    lesson = gallery.lesson(lab.lesson)
    toured = lab.tour is not None and bool(lab.tour.steps)
    tour = lab.tour if toured else lesson
    if tour is None:
        return None
    at = lab.at if toured else variant_of(lab, lesson)
    step = tour.steps[at]
    # The audience's own pages hold the notes too: what names an answer comes after it.
    text = step.text if is_answered(lab) else ""
    return {
        "of": "tour" if toured else "lesson",
        "title": tour.title,
        "steps": [each.title for each in tour.steps],
        "at": at,
        "caption": step.caption or (step.title if len(tour.steps) > 1 else ""),
        "notes": "\n\n".join(filter(None, (step.notes, text, tour.text))),
    }
