"""Test that a kind of rule is one record, and one entry in the table of each interpretation of a graph."""

from dataclasses import replace

import pytest

import autodiff_viz as av
from autodiff_viz.engine.live_path.lambdas import NUMBER_RULES
from autodiff_viz.engine.live_path.node_steps import LIVE_PULLBACKS
from autodiff_viz.engine.live_path.tangents import LIVE_TANGENTS
from autodiff_viz.engine.whole_program.program import JAX_RULES, WITH_OP, Program
from autodiff_viz.explain.field.compute import FOR_ONE_DERIVATIVE, WITHOUT_RULES
from autodiff_viz.explain.lints.slopes import RULES
from autodiff_viz.explain.sweep.compute import CHANGING
from autodiff_viz.export.python_source import program
from autodiff_viz.export.rule_functions import SOURCE_RULES
from autodiff_viz.export.torch_source import PASSES, TORCH_RULES, torch_program
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.rule_kinds import ARRIVING, FOLLOW, KINDS, STOP, WIRES
from autodiff_viz.lab.shared_constants import FILE, constants
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.reading.nodes.fusion import AROUND
from autodiff_viz.training.gates import GATE_RULES

OTHERS = [kind for name, kind in KINDS.items() if name != FOLLOW]


TABLES = {
    "live path": LIVE_PULLBACKS,
    "forward mode": LIVE_TANGENTS,
    "whole program": JAX_RULES,
    "whole program with the op in a declared pullback": WITH_OP,
    "field": FOR_ONE_DERIVATIVE,
    "field without rules": WITHOUT_RULES,
    "JAX file": SOURCE_RULES,
    "PyTorch file": TORCH_RULES,
    "what has a gradient in a PyTorch file": PASSES,
}
"""By what interprets a rule, its table by kind."""


@pytest.mark.parametrize("name", TABLES)
def test_every_interpretation_has_every_kind(name):
    assert TABLES[name].keys() == KINDS.keys()


@pytest.fixture
def mirror(monkeypatch):
    """A kind of which no interpretation knows."""
    monkeypatch.setitem(KINDS, "mirror", replace(KINDS[STOP], name="mirror", call="mirror"))
    return "mirror"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_lacks_a_kind_is_found(name, mirror):
    with pytest.raises(AssertionError):
        test_every_interpretation_has_every_kind(name)


KNOWN = "x = 1.5\nw = 2.0\ny = sin(x)\nz = y * w"
INTERPRETATIONS = {
    "live path": lambda graph, known: av.trace(graph),
    "forward mode": lambda graph, known: av.jvp(replace(known, graph=graph), {"x": 1.0}),
    "whole program": lambda graph, known: Program(graph, "float32")({"x": 1.5, "w": 2.0}, {}, {}),
    "field": lambda graph, known: av.field(replace(known, graph=graph), "x", "w"),
    "JAX file": lambda graph, known: program(graph, None, "float32"),
    "PyTorch file": lambda graph, known: torch_program(graph, None, "float32"),
}


@pytest.mark.parametrize("name", INTERPRETATIONS)
def test_no_interpretation_takes_an_unknown_kind_for_none(name, mirror):
    graph = parse(KNOWN)
    known = av.trace(graph)
    nodes = (replace(n, rule=Rule(mirror)) if n.name == "y" else n for n in graph.nodes)
    ruled = replace(graph, nodes=tuple(nodes))
    with pytest.raises(KeyError, match=mirror):
        INTERPRETATIONS[name](ruled, known)


def test_sets_of_kinds_follow_from_their_records():
    """So that a new kind is in the right ones by itself, or is looked at here."""
    changing = {name for name, kind in KINDS.items() if kind.function == ARRIVING or kind.number is not None}
    assert changing == CHANGING
    assert KINDS.keys() - {FOLLOW, STOP} == RULES
    declared = {name for name, kind in KINDS.items() if kind.function == WIRES}
    # Around a function that is read as one op a copy may have any rule but one that is a function itself.
    assert {*AROUND} == KINDS.keys() - declared - {FOLLOW}


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
