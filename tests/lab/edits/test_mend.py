"""Test that one click mends what an explanation found, or is refused if the numbers have changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.lab.actions import redone, set_input, set_rule, undone
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.inspector.panel import Answers, check_data, node_data
from autodiff_viz.lab.persistence.history import recalled, trail
from autodiff_viz.lab.persistence.json_text import squeezed, unsqueezed
from autodiff_viz.lab.state import LAST, Lab, formula_text, opened, start, without_history
from autodiff_viz.lab.training import plans, trains
from autodiff_viz.language.parse import parse
from autodiff_viz.training.run import advanced
from autodiff_viz.workers.jobs import Answer

TRAP = "x = 0.0\nc = x < 1.0\ny = where(c, x, sqrt(x))"


def lab_of(text: str, selected: str | None = None) -> Lab:
    lab = opened(start(), parse(text), "Open")
    return edited(lab, {"kind": "select", "node": selected}) if selected else lab


def offered(lab: Lab) -> dict:
    """What reaches the page of the cure: of the selected node, else of the whole graph."""
    view = lab_view(lab)
    if lab.selected:
        analysis = Answer(program_says(view.trace, lab.selected))
        return without_nulls(node_data(lab, view, Answers(counts=analysis, counting=True)))["why"]
    return without_nulls(
        check_data(lab, view, Answers(Answer(verification(view.trace)), checks=True), details=False)
    )


def test_the_note_on_a_nan_is_the_sentence_on_its_origin_with_a_button():
    said = offered(lab_of(TRAP))
    assert said["notes"] == []
    assert said["origin"]["says"].startswith("'sqrt_1' passes 0 × ∞ = NaN back to 'x'")
    assert said["origin"]["label"] == "Mend: double where: a second one before sqrt_1"
    assert "origin" not in offered(lab_of("x = 2.0\ny = x * x"))


def test_the_button_mends_in_one_step_of_undo():
    lab = lab_of(TRAP)
    mended = edited(lab, offered(lab)["origin"]["edit"])
    assert formula_text(mended).startswith("x = 0.0\nc = x < 1.0\ny = where(c, x, sqrt(where(c, 1.0, x)))")
    assert lab_view(mended).trace.gradient["x"] == 1.0
    assert mended.history.present.label == "Double where: a second one before sqrt_1"
    assert undone(mended).graph == lab.graph


def places(lab: Lab) -> dict[str, tuple[float, float]]:
    return {node["id"]: (node["x"], node["y"]) for node in lab_view(lab).drawing["nodes"]}


def test_a_mend_keeps_the_places_of_cards_that_somebody_has_moved_and_covers_none():
    lab = lab_of(TRAP)
    moved = {"kind": "move", "positions": {"sqrt_1": [400.0, 300.0], "y": [700.0, 60.0]}}
    lab = edited(lab, moved)
    assert not lab.notice
    before, after = places(lab), places(edited(lab, offered(lab)["origin"]["edit"]))
    assert all(after[name] == pytest.approx(place, abs=0.1) for name, place in before.items())
    (x, y), others = after["where_1"], [place for name, place in after.items() if name != "where_1"]
    assert all(abs(x - other) > 128 or abs(y - below) > 80 for other, below in others)
    assert before["x"][0] < x < before["sqrt_1"][0]


SOFTPLUS = "x = 0.0\ny = maximum(x, 0.0) + log1p(exp(-abs(x)))"


def test_a_hint_is_mended_in_one_step_of_undo():
    lab = lab_of(SOFTPLUS)
    (hint,) = offered(lab)["lints"]
    assert (hint["name"], hint["label"]) == ("y", "Mend: write y as softplus(x)")
    assert hint["at"] == ["y", "maximum_1", "abs_1"]
    mended = edited(lab, hint["edit"])
    assert formula_text(mended) == "x = 0.0\ny = softplus(x)\n"
    assert lab_view(mended).trace.gradient["x"] == 0.5
    assert "lints" not in offered(mended)
    assert undone(mended).graph == lab.graph
    elsewhere = edited(set_input(lab, "x", 1.0), hint["edit"])
    assert elsewhere.notice[0].code == "nothing-to-mend"


def test_a_hint_about_a_checkpoint_removes_it():
    lab = lab_of("x = [1.0, 2.0]\nw = [3.0, 4.0]\nwith checkpoint('c'):\n    a = x @ w\nz = sin(a)")
    (hint,) = offered(lab)["lints"]
    assert (hint["name"], hint["at"]) == ("c", ["a"])
    assert edited(lab, hint["edit"]).graph.regions == ()


def test_hints_that_matter_for_other_derivatives_come_later_and_a_nan_is_told_once():
    lab = lab_of("x = 2.0\na = scale_gradient(sin(x), -1.0)\nz = a * x")
    assert "lints" not in offered(lab)  # nobody has asked for another derivative
    hints = offered(edited(lab, {"kind": "forward", "on": True}))["lints"]
    assert len(hints) == 2  # forward mode, and the second derivative
    assert all(hint["later"] and "label" not in hint for hint in hints)
    assert "lints" not in offered(lab_of(TRAP))  # the origin of the NaN says and mends it


def test_a_graph_that_nobody_has_arranged_is_laid_out_with_the_new_card_in_its_column():
    lab = lab_of(TRAP)
    mended = edited(lab, offered(lab)["origin"]["edit"])
    assert all(node.position is None for node in mended.graph.nodes)
    across = {name: x for name, (x, _) in places(mended).items()}
    assert across["c"] < across["where_1"] < across["sqrt_1"] < across["y"]


def test_of_single_elements_the_way_to_the_cause_is_not_marked():
    why = offered(lab_of("x = [-1.0, 2.0]\nz = sum(relu(x))", "x"))
    assert why["says"] == "Nothing arrives at 1 of 2 elements: dead relu 'relu_1'."
    assert not {"at", "wires"} & why.keys()


def test_the_selected_node_offers_to_remove_the_stop_and_stays_selected():
    lab = lab_of("x = 2.0\na = sin(x)\nb = stop_gradient(a)\nz = 3.0 * b", "x")
    why = offered(lab)
    assert (why["label"], why["changes"]) == ("Mend: remove the stop at b", "No value changes.")
    assert (why["at"], why["wires"]) == (["b"], ["a:0", "b:0"])
    mended = edited(lab, why["edit"])
    assert mended.selected == "x"
    np.testing.assert_allclose(lab_view(mended).trace.cotangent["x"], 3 * np.cos(2.0), rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda lab: set_input(lab, "x", 2.0), "nothing-to-mend"),
        (lambda lab: set_rule(lab, "a", "stop"), "other-cure"),
    ],
)
def test_a_cure_of_other_numbers_than_those_that_are_there_is_refused(change, code):
    lab = lab_of("x = -2.0\na = relu(x)\nz = 3.0 * a", "x")
    edit = offered(lab)["edit"]
    assert edit["mend"] == "Leak the relu a"
    changed = change(lab)
    refused = edited(changed, edit)
    assert (refused.graph, refused.notice[0].code) == (changed.graph, code)
    assert "no longer applies" in refused.notice[0].message


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "mend"},
        {"kind": "mend", "of": "zero", "node": "no", "mend": ""},
        {"kind": "mend", "of": "other", "node": None, "mend": ""},
        {"kind": "mend", "of": "zero", "node": ["x"], "mend": 3},
    ],
)
def test_an_edit_that_names_no_explanation_is_refused(edit):
    assert edited(lab_of(TRAP), edit).notice[0].code == "bad-edit"


def test_muted_nodes_and_groups_stay_and_a_muted_node_has_one_wire_to_light():
    lab = lab_of("x = 2.0\nwith group('g'):\n    m = x * x\n    a = stop_gradient(m)\nz = 3.0 * a", "x")
    lab = edited(lab, {"kind": "mute", "nodes": ["m"], "on": True})
    why = offered(lab)
    mended = edited(lab, why["edit"])
    assert why["wires"] == ["m:0", "a:0"]
    assert mended.graph["m"].muted
    assert [group.name for group in mended.graph.groups] == ["g"]
    assert lab_view(mended).trace.cotangent["x"] == 3.0


UNDERFLOW = "w = parameter(1.0)\nm = w * 0.0001220703125\ny = m * 0.0001220703125"


def halved(lab: Lab) -> Lab:
    return replace(lab, dtype="float16")


def test_a_wider_dtype_is_one_step_of_undo_and_survives_a_reload():
    lab = halved(lab_of(UNDERFLOW, "w"))
    why = offered(lab)
    assert why["label"] == "Mend: compute in float32"
    mended = edited(lab, why["edit"])
    assert (mended.dtype, mended.graph) == ("float32", lab.graph)
    assert lab_view(mended).trace.cotangent["w"] == 2.0**-26
    assert mended.history.present.label == "Compute in float32"
    assert (undone(mended).dtype, redone(undone(mended)).dtype) == ("float16", "float32")
    later = edited(mended, {"kind": "rules", "nodes": ["m"], "rule": "stop"})
    kept = trail(later.history).data
    history = recalled(kept, [(later.graph, None)])
    again = undone(undone(replace(later, history=history)))
    assert again.dtype == "float16"


def test_a_number_too_large_is_mended_by_the_dtype():
    lab = halved(lab_of("x = 300.0\ny = square(x)"))
    mended = edited(lab, offered(lab)["origin"]["edit"])
    assert (mended.dtype, float(lab_view(mended).trace.value["y"])) == ("float32", 90_000.0)


def test_at_a_step_of_a_training_the_loss_scale_is_the_mend():
    """A step of 64 times 2^-26 is 2^-20; before the mend the parameter stays where it is."""
    lab = halved(plans(lab_of(UNDERFLOW, "w"), rate=64.0))
    lab = replace(lab, training=advanced(trains(lab, 2).training, 2), step=LAST)
    view = lab_view(lab)
    assert float(view.moment.parameters["w"]) == 1.0
    analysis = Answer(program_says(view.trace, "w", trained=True))
    why = without_nulls(node_data(lab, view, Answers(counts=analysis, counting=True)))["why"]
    assert why["label"] == "Mend: train with a loss scale of 4"
    mended = edited(lab, why["edit"])
    assert not mended.notice
    assert mended.plan.settings.loss_scale == 4.0
    assert undone(mended).plan.settings.loss_scale is None
    on = trains(mended, 2)
    on = replace(on, training=advanced(on.training, 2))
    assert float(lab_view(on).moment.parameters["w"]) == 1.0 - 2 * 64 * 2.0**-26


def scaled() -> Lab:
    """A training in float16 whose loss scale of 4 was a mend, as in the test above."""
    lab = halved(plans(lab_of(UNDERFLOW, "w"), rate=64.0))
    lab = replace(lab, training=advanced(trains(lab, 2).training, 2), step=LAST)
    return edited(lab, {"kind": "mend", "of": "zero", "node": "w", "mend": "Train with a loss scale of 4"})


def test_a_loss_scale_is_one_step_of_undo_after_a_reload_too_and_nothing_else_of_the_training_is():
    mended = plans(scaled(), rate=8.0, growth_interval=10)
    kept = trail(mended.history).data
    again = replace(without_history(mended), history=recalled(kept, [(mended.graph, None)]))
    settings = undone(again).plan.settings
    assert (settings.loss_scale, settings.growth_interval, settings.rate) == (None, 0, 8.0)
    assert redone(undone(again)).plan.settings.loss_scale == 4.0


@pytest.mark.parametrize("scale", [-4.0, 0, 2.0**25, float("nan"), True, "4", [4]])
def test_a_loss_scale_of_a_stored_history_that_is_none_ends_what_is_read(scale):
    history = edited(scaled(), {"kind": "rules", "nodes": ["m"], "rule": "stop"}).history
    kept = trail(history).data
    mend = next(number for number, step in kept["steps"].items() if "loss_scale" in unsqueezed(step))
    spoilt = {**unsqueezed(kept["steps"][mend]), "loss_scale": [None, scale]}
    kept["steps"] = {**kept["steps"], mend: squeezed(spoilt)}
    assert recalled(kept, [(history.graph, None)]).past == ()
