"""Test tours in addresses: too large for one, previewed, with sliders and trainings, and of earlier versions."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import packed
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import TOUR_ELSEWHERE, divided, from_query, to_query
from autodiff_viz.lab.persistence.link_preview import OWN_TOUR, preview
from autodiff_viz.lab.share import share_data
from autodiff_viz.lab.state import Lab, start, toured_at, without_history
from autodiff_viz.lab.tours import captured, go_to
from autodiff_viz.lessons.codec import read_tour, tour_to_json
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings
from tests.lab.persistence.corpus.write import FOLDER

SQUARE = "x = 3.0\ny = x * x\n"
SMALL = Tour(title="Two <b>ways</b>", steps=(Step("Free", SQUARE), Step("Stopped", "x = 3.0\ny = stop_gradient(x)\n")))
NOTES = "".join(Random(5).choices([chr(code) for code in range(33, 2000)], k=limits.PROSE - 1))
"""No packing makes it short."""
LARGE = replace(SMALL, steps=(*SMALL.steps, *(Step(f"Step {i}", SQUARE, notes=NOTES) for i in range(12))))


def test_a_tour_too_large_for_its_link_is_missed_in_another_browser_and_found_in_its_own():
    lab = go_to(start(), LARGE, 3)
    query, kept = divided(lab)
    assert {*kept} == {"tour"}
    elsewhere = from_query(query)
    assert elsewhere.graph == lab.graph
    assert elsewhere.tour is None
    (problem,) = elsewhere.notice
    assert problem.code == TOUR_ELSEWHERE
    assert "too large for a link" in problem.message
    assert "JSON" in problem.hint
    back = edited(elsewhere, {"seq": 1, "kind": "restored", "query": {**query, **kept}})
    assert (back.tour, back.at, back.notice) == (LARGE, 3, ())
    shared = share_data(lab, {"base": "https://host.example/"}, lambda text: None)
    assert (shared["elsewhere"], shared["file"]) == (True, "download_tour")
    assert "tour is too large" in shared["says"]


def test_a_link_of_a_tour_is_previewed_by_its_title_and_its_steps():
    seen = preview("/", {"tour": packed(tour_to_json(SMALL, None))})
    assert seen.title == "Two <b>ways</b> · autodiff_viz"  # escaped where it is written
    assert seen.description == "2 steps: Free, Stopped."
    told = preview("/", {"tour": packed(tour_to_json(replace(SMALL, summary="A sum. " * 90), None))})
    assert told.description.startswith("A sum. A sum.")
    assert len(told.description) == 200


@pytest.mark.parametrize("payload", ["damaged", packed("[]"), packed('{"title": 1}'), packed("{"), "A" * 70_000])
def test_a_tour_that_cannot_be_read_has_the_preview_of_any(payload):
    assert preview("/", {"tour": payload}) == OWN_TOUR


def test_a_step_has_the_ranges_of_its_sliders():
    lab = set_input(open_lesson(start(), "fork"), "x", 40.0, fresh=True)
    step = captured(lab, "A")
    assert [name for name, *_ in step.ranges] == ["x"]
    opened = go_to(start(), Tour(title="T", steps=(step,)), 0)
    assert opened.ranges == lab.ranges
    assert from_query(to_query(opened)).ranges == lab.ranges


def test_a_step_has_the_training_on_view():
    line = "x = [1.0, 2.0]\nw = parameter(0.5)\ny = x * w\nloss = mean_squared_error(y, [3.0, 6.0])\n"
    made = go_to(start(), Tour(title="T", steps=(Step("A", line, training=Plan(Settings("sgd", 0.1), 3)),)), 0)
    trained = edited(made, {"seq": 1, "kind": "learn", "act": "train"})
    assert trained.training is not None


# What earlier versions wrote: JSON, links and what they meant. Each file is written once, by `write_tours`.

FILES = sorted(path.name for path in FOLDER.glob("tours_*.json"))


def meaning(tour: Tour) -> list[dict[str, object]]:
    """What a tour says, its graphs as documents."""
    return [
        {
            "title": step.title, "caption": step.caption, "text": step.text, "notes": step.notes,
            "document": to_json(graph_of(step), None), "selected": step.look_at, "asks": len(step.questions),
            "hides": step.hides, "ranges": [list(each) for each in step.ranges], "dtype": step.dtype,
        }
        for step in tour.steps
    ]  # fmt: skip


def opened_lab(fields: dict[str, str]) -> Lab:
    return without_history(from_query(fields))


@pytest.mark.parametrize("name", FILES)
def test_tours_of_an_earlier_version_open_as_they_were(name):
    kept = json.loads((FOLDER / name).read_text("utf-8"))
    assert len(kept) >= 3
    for title, each in kept.items():
        tour = read_tour(each["json"])
        assert (tour.title, meaning(tour)) == (title, each["means"])
        assert read_tour(each["link"]) == tour
        lab = from_query(each["query"])
        assert (lab.tour, lab.at, lab.notice) == (tour, each["at"], ())
