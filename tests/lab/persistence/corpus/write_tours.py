"""Write the tours of this version: `python -m tests.lab.persistence.corpus.write_tours NAME`.

As the corpus beside it, the file `tours_NAME.json` says what a version wrote and what it meant, and is never
written anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, LARGER, NUMBER, PASSED, Quantity, Question
from autodiff_viz.graph.codec import to_json
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import to_query
from autodiff_viz.lab.state import start
from autodiff_viz.lab.tours import captured, go_to
from autodiff_viz.lessons.codec import tour_to_json, tour_to_link
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings
from tests.lab.persistence.corpus.write import FOLDER, RULED

FORK = (
    "x = 3.0\na = 2.0 * x\nb = square(x)\nz = a + b\n# positions: x -40 7.5, a 200 0, b 200 120, z 400.5 12\n"
)
LINE = "x = [1.0, 2.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [2.0, 4.0])\n"


def named_tours() -> Iterator[tuple[Tour, int]]:
    """Yield tours, each with the step on view."""
    free = Step("Free", FORK, look_at="b", caption="What arrives at `x`?", text="8: 2 and 6.", notes="Wait.")
    stopped = Step("Stopped", FORK.replace("square(x)", "stop_gradient(square(x))"), pinned=FORK, letter="A")
    yield Tour(title="Two ways", summary="A fork.", text="Said first.", steps=(free, stopped)), 1
    arrives, passed = Quantity(COTANGENT, "x"), Quantity(PASSED, "a", 1)
    asked = (
        Question(NUMBER, arrives, words="How much?", told=(("6", "Only one way."),)),
        Question(LARGER, passed, Quantity(PASSED, "b", 0)),
    )
    in_half = Step("Asked", FORK, questions=asked, hides=ALL_COTANGENTS, reveal="paths", dtype="float16")
    yield Tour(title="Asked", steps=(in_half, Step("Ranged", FORK, ranges=(("x", -2.0, 7.5),)))), 0
    plan = Plan(Settings("adam", 0.5, 3), 7)
    rules = Step("Rules", RULED, seed=2.0, figure="runs", forward=(("x", 1.0),), collapsed=("gate",))
    yield Tour(title="Trained", steps=(Step("Line", LINE, training=plan), rules), figure="sweep"), 1
    taken = captured(open_lesson(start(), "fork", 1), "Taken from the page")
    yield Tour(title="Taken", steps=(taken,)), 0


def meaning(tour: Tour) -> list[dict[str, Any]]:
    """Return what a tour says, its graphs as documents."""
    return [
        {
            "title": step.title, "caption": step.caption, "text": step.text, "notes": step.notes,
            "document": to_json(graph_of(step), None), "selected": step.look_at, "dtype": step.dtype,
            "asks": [[one.kind, one.words] for one in step.questions], "hides": step.hides,
            "ranges": [list(each) for each in step.ranges], "collapsed": list(step.collapsed),
        }
        for step in tour.steps
    ]  # fmt: skip


def write_tours(name: str) -> None:
    """Write the tours of this version under a name that no other file has.

    Raises:
      FileExistsError: one has it.
    """
    kept = {
        tour.title: {
            "json": tour_to_json(tour),
            "link": tour_to_link(tour),
            "query": to_query(go_to(start(), tour, at)),
            "at": at,
            "means": meaning(tour),
        }
        for tour, at in named_tours()
    }
    with (FOLDER / f"tours_{name}.json").open("x", encoding="utf-8") as file:
        file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    write_tours(sys.argv[1])
