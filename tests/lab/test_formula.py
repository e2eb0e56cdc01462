"""Test the data of the formula editor: marks of mistakes and of the selected node."""

from __future__ import annotations

import json
from dataclasses import replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Problem
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.formula import MARKED, WRAPPERS, formula, words
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS

OWN = "# mine\nx = 1.0\ny = sin(x) * exp(x)\n"


def cut(text: str, place: dict) -> str:
    """What a place within one line marks."""
    assert place["line"] == place["endLine"]
    return text.split("\n")[place["line"] - 1][place["column"] : place["endColumn"]]


PLACES = """x = 1.0
b = log(x) + sin(x)  # two nodes, and their sum
c = concatenate([x,
    b * 2.0])
with checkpoint("r"):
    d = exp(b); e = exp(d)
with group("g"):
    for i in range(2):
        e = sin(e)
with checkpoint("r"):
    f = e * d
"""


def test_every_node_has_the_place_in_the_text_that_makes_it():
    lab = typed(start(), PLACES)
    named = dict(zip((node.name for node in lab.graph.nodes), formula(lab)["places"].split(" "), strict=True))
    assert named == {
        "x": "1",
        "log_1": "2:4-10",
        "sin_1": "2:13-19",
        "b": "2",
        "mul_1": "4:4-11",
        "c": "3:0-4:13",
        "d": "6:4-14",
        "e": "6:16-26",
        "e_0": "9",
        "e_1": "9",
        "f": "11",
    }


def test_every_frame_has_the_lines_that_begin_it():
    lab = typed(start(), PLACES)
    frames = [frame.name for frame in lab.graph.frames]
    named = dict(zip(frames, formula(lab)["heads"].split(" "), strict=True))
    assert named == {"r": "5,10", "g": "7", "for i 0": "8", "for i 1": "8"}


def test_the_call_of_a_function_begins_a_frame_where_it_is_called():
    lab = typed(start(), "x = 1.0\ndef f(a):\n    return sin(a) * a\ny = f(x)\nz = f(y) + 1.0\n")
    frames = [frame.name for frame in lab.graph.frames]
    data = formula(lab)
    assert dict(zip(frames, data["heads"].split(" "), strict=True)) == {"f 1": "4", "f 2": "5"}
    named = dict(zip((node.name for node in lab.graph.nodes), data["places"].split(" "), strict=True))
    assert named["y"] == "3"
    assert [place for name, place in named.items() if name.startswith("sin")] == ["3:11-17", "3:11-17"]


def test_a_mistake_marks_what_is_wrong_and_says_how_to_mend_it():
    text = "x = 1.0\ny = sin(x) + q"
    (mistake,) = formula(typed(start(), text))["mistakes"]
    assert cut(text, mistake) == "q"
    assert mistake["message"]
    assert mistake["hint"]


def test_a_mistake_of_the_whole_text_has_no_place():
    (mistake,) = formula(typed(start(), "x = 1.0\n" * limits.TEXT))["mistakes"]
    assert "line" not in mistake


def test_a_problem_of_the_graph_is_marked_at_its_node():
    text = "x = [1.0, 2.0]\nw = [1.0, 2.0, 3.0]\ny = x * w\n"
    lab = typed(start(), text)
    (mark,) = formula(lab, lab_view(lab).problems)["marks"]
    assert cut(text, mark) == "y = x * w"


def test_of_very_many_problems_the_first_are_marked():
    lab = typed(start(), "".join(f"y{i} = add(..., ...)\n" for i in range(300)))
    assert len(formula(lab, lab_view(lab).problems)["marks"]) == MARKED


def test_a_problem_without_a_node_is_not_marked():
    assert formula(start(), [Problem("region-not-convex", "Message.")])["marks"] == []


def test_nothing_but_mistakes_is_marked_in_a_draft():
    data = formula(replace(typed(start(), OWN + "z = "), selected="x"), [Problem("c", "Message.", node="x")])
    assert ("places" in data, "heads" in data, data["marks"]) == (False, False, [])


def test_every_op_and_wrapper_can_be_completed_with_a_line_about_it():
    found = {entry["word"]: entry for entry in words()}
    assert found.keys() == {"input", "zeros", "ones", "full", *WRAPPERS, *OPS}
    assert all(entry["doc"] for entry in found.values())


def test_the_wrappers_examples_are_in_the_language():
    for doc in WRAPPERS.values():
        example = doc.split(": ", 1)[1].rstrip(".")
        text = f"{example}\n    y = sin(x)" if example.endswith(":") else f"y = {example}"
        assert "y" in parse(f"x = 1.0\n{text}")


def test_the_data_can_travel_as_json():
    data = formula(typed(start(), OWN))
    assert json.loads(json.dumps(data, allow_nan=False)) == data


SHADOWED = "a = 2.0\ny = custom(0.5 * (1.0 + a), pullback=lambda v, a, y: v * a)\n"


def test_an_argument_that_stands_for_another_node_is_noted_where_it_stands():
    lab = typed(start(), SHADOWED)
    data = formula(lab, lab_view(lab).problems)
    (note,) = data["notes"]
    assert cut(SHADOWED, note) == SHADOWED.splitlines()[1]
    assert note["message"].startswith(
        "Shadowed: in its rule, a stands for node add_1, 1.0 + a, not for node a."
    )
    assert data["marks"] == data["mistakes"] == []  # the program is valid


def test_the_note_stands_on_the_node_and_beside_the_checks_as_well():
    view = lab_view(typed(start(), SHADOWED))
    warned = {node["id"]: node.get("warning") for node in view.drawing["nodes"]}
    assert warned["y"].startswith("Shadowed: in its rule, a stands for node add_1")
    assert warned["a"] is None
    assert [note for note in view.notes if note.startswith("at y: Shadowed")]
    assert view.problems == ()


def test_a_text_that_is_written_here_is_not_read_again(monkeypatch):
    monkeypatch.setattr("autodiff_viz.lab.formula.places_in", None)
    lab = opened(start(), parse("x = 2.0\ny = sin(x) * exp(x)"), "")
    assert formula(lab)["places"] == "1 2:4-10 2:13-19 2"


def test_a_mistake_brings_the_text_that_mends_it_with_its_place():
    (found,) = formula(typed(start(), "x = 2.0\ny = 2x"))["mistakes"]
    assert found["correction"] == {
        "label": "Write 2 * x",
        "text": "2 * x",
        "line": 2,
        "column": 4,
        "endLine": 2,
        "endColumn": 6,
    }


def test_a_caret_is_said_to_be_a_power_and_stays_as_it_was_typed():
    text = "x = 2.0  # mine\ny = x^2\n"
    data = formula(typed(start(), text))
    assert (data["text"], data["mistakes"]) == (text, [])
    assert data["readings"] == ["^ is read as power; Python writes it **."]
    assert formula(start())["readings"] == []
