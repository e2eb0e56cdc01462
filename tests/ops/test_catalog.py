"""Test that every op's record is complete. To add an op, write its record: these tests say what it lacks."""

import ast
import keyword
from collections.abc import Callable

import pytest

from autodiff_viz.ops.catalog import GROUPS, OPS
from autodiff_viz.ops.latex import PLACEHOLDER
from autodiff_viz.ops.op import Op
from tests.ops.samples import ELEMENTWISE

KINDS = {"int", "float", "bool", "axis", "axes", "shape", "new_shape", "index", "seed", "choice"}
BRACKETS = ("{}", "()", "[]")


def failing(holds: Callable[[Op], object]) -> list[str]:
    """Names of the ops for which a claim does not hold."""
    return [op.name for op in OPS.values() if not holds(op)]


def formulas(op: Op) -> tuple[str, ...]:
    return (op.latex, *op.derivative)


def placeholders(formula: str) -> set[str]:
    return {match["name"] for match in PLACEHOLDER.finditer(formula)} - {None}


def names(op: Op) -> list[str]:
    """Of slots and parameters."""
    return [*op.slots, *(param.name for param in op.params)]


def test_name_can_be_written_in_a_formula():
    assert failing(lambda op: op.name.isidentifier() and not keyword.iskeyword(op.name)) == []


def test_words_are_there():
    assert failing(lambda op: op.group in GROUPS) == []
    assert failing(lambda op: 1 <= len(op.symbol) <= 8) == []
    assert failing(lambda op: op.doc.endswith(".") and len(op.documented()) <= 100) == []


def test_slots_have_a_domain_a_derivative_and_a_formula():
    assert failing(lambda op: len(op.derivative) == len(op.slots)) == []
    assert failing(lambda op: op.of_graph or len(op.domain) == len(op.slots)) == []
    assert failing(lambda op: all(low < high for low, high in op.domain)) == []
    assert failing(lambda op: not op.variadic or len(op.slots) == 1) == []


def test_slots_and_parameters_have_distinct_names():
    assert failing(lambda op: len(set(names(op))) == len(names(op))) == []
    taken = {"y", "y_bar"}  # these stand for the value and the cotangent in LaTeX
    assert failing(lambda op: not taken & set(names(op))) == []


def test_examples_fit_the_slots_and_one_has_no_parameters():
    assert failing(lambda op: all(op.variadic or len(s) == len(op.slots) for s, _ in op.examples)) == []
    assert failing(lambda op: all(op.param(key) for _, given in op.examples for key in given)) == []
    assert failing(lambda op: op.of_graph or any(not given for _, given in op.examples)) == []


def test_every_parameter_is_set_in_some_example():
    assert failing(lambda op: {p.name for p in op.params} <= {key for _, g in op.examples for key in g}) == []


def test_parameters_have_a_known_kind_and_a_doc():
    assert failing(lambda op: all(p.kind in KINDS and p.doc.endswith(".") for p in op.params)) == []


def test_a_choice_has_its_words_and_nothing_else_has_any():
    assert failing(lambda op: all((p.kind == "choice") == bool(p.choices) for p in op.params)) == []
    assert failing(lambda op: all(p.default in p.choices for p in op.params if p.choices)) == []


def test_brackets_in_latex_are_balanced():
    def balanced(formula: str) -> bool:
        return all(formula.count(opening) == formula.count(closing) for opening, closing in BRACKETS)

    assert failing(lambda op: all(formula and balanced(formula) for formula in formulas(op))) == []


def test_placeholders_in_latex_are_slots_or_parameters():
    assert failing(lambda op: all(placeholders(formula) <= set(names(op)) for formula in formulas(op))) == []


def test_formula_of_the_op_shows_every_slot():
    assert failing(lambda op: set(op.slots) <= placeholders(op.latex)) == []


def test_source_is_an_expression_of_every_slot_and_parameter():
    def is_one(op: Op) -> bool:
        tree = list(ast.walk(ast.parse(op.source, mode="eval")))
        used = [node.id for node in tree if isinstance(node, ast.Name)]
        bound = {node.arg for node in tree if isinstance(node, ast.arg)}  # by a lambda of the expression
        wanted = set(names(op))
        once = all(used.count(name) == 1 for name in wanted)
        return once and not bound & wanted and set(used) - bound - {"jax", "jnp", "int", "float"} == wanted

    assert failing(lambda op: op.of_graph or is_one(op)) == []


def test_noise_is_never_called_elementwise():
    assert [op.name for op in ELEMENTWISE if not op.slots] == []


def test_infix_operators_are_distinct():
    used = [op.infix for op in OPS.values() if op.infix]
    assert sorted(used) == sorted({"+", "-", "*", "/", "**", "@", ">", "<"})


def test_symbols_are_distinct():
    assert len({op.symbol for op in OPS.values()}) == len(OPS)


def test_catalog_cannot_be_changed_by_a_visitor():
    with pytest.raises(TypeError):
        OPS["extra"] = OPS["add"]
