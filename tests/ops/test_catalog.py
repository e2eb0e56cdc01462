"""Every record is complete. To add an op, write its record and run these: they say what is missing."""

import ast
import keyword

import pytest

from autodiff_viz.ops.catalog import GROUPS, OPS
from autodiff_viz.ops.latex import PLACEHOLDER
from tests.ops.samples import ELEMENTWISE

KINDS = {"int", "float", "bool", "axis", "axes", "shape", "new_shape", "index", "seed", "choice"}


@pytest.fixture(params=OPS.values(), ids=lambda op: op.name)
def op(request):
    return request.param


def test_name_can_be_written_in_a_formula(op):
    assert op.name.isidentifier()
    assert not keyword.iskeyword(op.name)


def test_words_are_there(op):
    assert op.group in GROUPS
    assert 1 <= len(op.symbol) <= 8
    assert op.doc.endswith(".")
    assert len(op.doc) <= 100


def test_slots_have_a_domain_a_derivative_and_a_formula(op):
    assert len(op.domain) == len(op.derivative) == len(op.slots)
    assert all(low < high for low, high in op.domain)
    assert not op.variadic or len(op.slots) == 1


def test_slots_and_parameters_have_distinct_names(op):
    names = [*op.slots, *(param.name for param in op.params)]
    assert len(set(names)) == len(names)
    assert not {"y", "y_bar"} & set(names)  # these stand for the value and the cotangent in LaTeX


def test_examples_fit_the_slots_and_one_has_no_parameters(op):
    assert all(op.variadic or len(shapes) == len(op.slots) for shapes, _ in op.examples)
    assert all(op.param(key) for _, given in op.examples for key in given)
    assert any(not given for _, given in op.examples)


def test_every_parameter_is_set_in_some_example(op):
    assert {param.name for param in op.params} <= {key for _, given in op.examples for key in given}


def test_parameters_have_a_known_kind_and_a_doc(op):
    assert all(param.kind in KINDS and param.doc.endswith(".") for param in op.params)


def test_a_choice_has_its_words_and_nothing_else_has_any(op):
    assert all((param.kind == "choice") == bool(param.choices) for param in op.params)
    assert all(param.default in param.choices for param in op.params if param.choices)


@pytest.mark.parametrize(("opening", "closing"), ["{}", "()", "[]"])
def test_brackets_in_latex_are_balanced(op, opening, closing):
    for formula in (op.latex, *op.derivative):
        assert formula
        assert formula.count(opening) == formula.count(closing)


def test_placeholders_in_latex_are_slots_or_parameters(op):
    known = {*op.slots, *(param.name for param in op.params)}
    for formula in (op.latex, *op.derivative):
        assert {match["name"] for match in PLACEHOLDER.finditer(formula)} - {None} <= known


def test_formula_of_the_op_shows_every_slot(op):
    shown = {match["name"] for match in PLACEHOLDER.finditer(op.latex)}
    assert set(op.slots) <= shown


def test_source_is_an_expression_of_every_slot_and_parameter(op):
    tree = list(ast.walk(ast.parse(op.source, mode="eval")))
    names = [node.id for node in tree if isinstance(node, ast.Name)]
    bound = {node.arg for node in tree if isinstance(node, ast.arg)}  # by a lambda of the expression
    wanted = {*op.slots, *(param.name for param in op.params)}
    assert not bound & wanted
    assert set(names) - bound - {"jax", "jnp", "int"} == wanted
    assert all(names.count(name) == 1 for name in wanted)


def test_noise_is_never_called_elementwise():
    assert all(op.slots for op in ELEMENTWISE)


def test_infix_operators_are_distinct():
    used = [op.infix for op in OPS.values() if op.infix]
    assert sorted(used) == sorted({"+", "-", "*", "/", "**", "@", ">", "<"})


def test_symbols_are_distinct():
    assert len({op.symbol for op in OPS.values()}) == len(OPS)


def test_catalog_cannot_be_changed_by_a_visitor():
    with pytest.raises(TypeError):
        OPS["extra"] = OPS["add"]
