"""Give the stage what a presenter says of the visitor's tour, or of the open lesson: steps and notes.

Before a talk it is also what each step draws, so that what is too small for the last row is known.
"""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson, variant_of
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.tours import go_to, is_answered
from autodiff_viz.lessons import gallery


def talk_data(lab: Lab) -> dict[str, Any] | None:
    """Return the talk as data (`web/present/course.js`); None without a lesson or a tour with steps.

    The texts of steps give numbers away, so that they are notes. The audience sees titles and captions, and
    what the visitor's own tour says after its questions have been answered.
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
        "caption": step.caption,
        "said": text if toured and lab.asking is not None else "",
        "notes": "\n\n".join(filter(None, (step.notes, text, tour.text))),
    }


DRAWN = ("nodes", "wires", "regions", "groups")
"""What of a drawing says how much room it takes."""


def stage_data(lab: Lab) -> list[dict[str, Any] | None]:
    """Return what each step of the talk draws as it opens, as in drawings; None for one that cannot.

    The pictures of tensors are left out. What a step asks for is hidden in it, as on the stage.
    """
    lesson = gallery.lesson(lab.lesson)
    toured = lab.tour is not None and bool(lab.tour.steps)
    count = len(lab.tour.steps) if toured else len(lesson.steps) if lesson else 0
    drawn: list[dict[str, Any] | None] = []
    for at in range(count):
        try:
            step = go_to(lab, lab.tour, at) if toured else open_lesson(lab, lesson.key, at)
            found = lab_view(step).drawing
        except GraphError:
            drawn.append(None)
            continue
        cards = [{key: value for key, value in node.items() if key != "heat"} for node in found["nodes"]]
        drawn.append({**{key: found[key] for key in DRAWN}, "dtype": step.dtype, "nodes": cards})
    return drawn
