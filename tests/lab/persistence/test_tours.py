"""Test tours in addresses: too large for one, previewed, with sliders and trainings, of earlier versions."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from autodiff_viz.graph import limits
from autodiff_viz.graph.link import packed
from autodiff_viz.lab.actions import set_input
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import TOUR_ELSEWHERE, divided, from_query, to_query
from autodiff_viz.lab.persistence.link_preview import OWN_TOUR, preview
from autodiff_viz.lab.share import share_data
from autodiff_viz.lab.state import start
from autodiff_viz.lab.tours import captured, go_to
from autodiff_viz.lab.training import scrubs, trains_again
from autodiff_viz.lessons.codec import read_tour, tour_to_json
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.training.run import Plan
from autodiff_viz.training.state import Settings
from tests.lab.persistence.corpus.write import FOLDER
from tests.lab.persistence.corpus.write_tours import meaning
from tests.lab.regression import finished, trained
from tests.own_lesson import KEY

SQUARE = "x = 3.0\ny = x * x\n"
SMALL = Tour(
    title="Two <b>ways</b>", steps=(Step("Free", SQUARE), Step("Stopped", "x = 3.0\ny = stop_gradient(x)\n"))
)
SIGNS = [chr(code) for code in range(33, 2000) if chr(code).isprintable()]
NOTES = ["".join(Random(seed).choices(SIGNS, k=limits.PROSE)) for seed in range(12)]
"""No packing makes them short."""
LARGE = replace(SMALL, steps=(*SMALL.steps, *(Step("More", SQUARE, notes=notes) for notes in NOTES)))


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


@pytest.mark.parametrize(
    "payload", ["damaged", packed("[]"), packed('{"title": 1}'), packed("{"), "A" * 70_000]
)
def test_a_tour_that_cannot_be_read_has_the_preview_of_any(payload):
    assert preview("/", {"tour": payload}) == OWN_TOUR


def test_a_step_has_the_ranges_of_its_sliders():
    lab = set_input(open_lesson(start(), KEY), "x", 40.0, fresh=True)
    step = captured(lab, "A")
    assert [name for name, *_ in step.ranges] == ["x"]
    opened = go_to(start(), Tour(title="T", steps=(step,)), 0)
    assert opened.ranges == lab.ranges
    assert from_query(to_query(opened)).ranges == lab.ranges


def test_a_step_has_the_training_on_view():
    """By hand: with x = 1 and target 0 the gradient is 2 w, so w is 0.5 * 0.8^k after k steps of rate 0.1."""
    plan = Plan(Settings("sgd", 0.1), 4)
    line = "x = [1.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [0.0])\n"
    made = Tour(title="T", steps=(Step("A", line, training=plan),))
    lab = go_to(start(), made, 0)
    step = captured(scrubs(trained(lab, 4), 2), "A")
    tour = Tour(title="T", steps=(step,))
    assert read_tour(tour_to_json(tour)) == tour
    back = finished(trains_again(go_to(start(), tour, 0)))
    assert back.step == 2
    assert float(lab_view(back).trace.value["w"]) == pytest.approx(0.5 * 0.8**2, rel=1e-6)


# What earlier versions wrote: JSON, links and what they meant. Each file is written once, by `write_tours`.

FILES = sorted(path.name for path in FOLDER.glob("tours_*.json"))


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
