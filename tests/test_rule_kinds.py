"""Test that a kind of rule is one record, and one entry in the table of each interpretation of a graph."""

import pytest

from autodiff_viz.engine.live_path.lambdas import NUMBER_RULES
from autodiff_viz.engine.live_path.node_steps import LIVE_PULLBACKS
from autodiff_viz.engine.live_path.tangents import LIVE_TANGENTS
from autodiff_viz.engine.whole_program.program import JAX_RULES
from autodiff_viz.export.rule_functions import SOURCE_RULES
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.lab.shared_constants import FILE, constants
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.training.gates import GATE_RULES

OTHERS = [kind for name, kind in KINDS.items() if name != FOLLOW]


@pytest.mark.parametrize(
    "table",
    [LIVE_PULLBACKS, LIVE_TANGENTS, JAX_RULES, SOURCE_RULES],
    ids=["live", "tangents", "program", "export"],
)
def test_every_interpretation_has_every_kind(table):
    assert table.keys() == KINDS.keys()


def test_a_kind_with_a_number_has_a_function_of_it():
    assert NUMBER_RULES.keys() == {name for name, kind in KINDS.items() if kind.number is not None}


def test_training_can_switch_only_rules_that_change_what_arrives():
    assert GATE_RULES.keys() <= {name for name, kind in KINDS.items() if not kind.replaces}


@pytest.mark.parametrize("field", ["label", "action", "does", "says", "key", "call", "icon"])
def test_no_two_kinds_are_called_alike(field):
    said = [getattr(kind, field) for kind in OTHERS]
    assert all(said)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.name)
def test_its_example_is_in_the_language(kind):
    graph = parse(f"x = 1.0\ny = {kind.example}")
    assert graph["y"].rule.kind == kind.name
    assert kind.call in show(graph)


def test_the_browser_has_pythons_records():
    assert FILE.read_text("utf-8") == constants(), "Run python -m autodiff_viz.lab.shared_constants."
