"""Test that the formulas on view say what the ops do, also with names and numbers put in."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops import latex
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.op import Param
from tests.ops.latex_values import evaluate
from tests.ops.references import reference
from tests.ops.samples import ELEMENTWISE, central_difference, examples_of, sample


@pytest.mark.parametrize(("op", "shapes", "params"), examples_of(ELEMENTWISE))
def test_formula_of_an_elementwise_op_gives_its_value(op, shapes, params):
    arrays = sample(op, shapes)
    shown = evaluate(op.latex, **dict(zip(op.slots, arrays, strict=True)))
    np.testing.assert_allclose(shown, reference(op.name)(*arrays), rtol=1e-12)


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_derivative_on_show_is_that_of_central_differences(op):
    arrays = sample(op, [(50,)] * len(op.slots))
    values = dict(zip(op.slots, arrays, strict=True)) | {"y": reference(op.name)(*arrays)}
    for slot, formula in enumerate(op.derivative):
        wanted = central_difference(reference(op.name), arrays, slot, 1.0)
        np.testing.assert_allclose(evaluate(formula, **values) + np.zeros(50), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("relu", (0.0,)),
        ("abs", (0.0,)),
        ("maximum", (2.0, 2.0)),
        ("minimum", (2.0, 2.0)),
        ("clip", (-1.0, -1.0, 1.0)),
        ("clip", (1.0, -1.0, 1.0)),
        ("where", (0.0, 3.0, 4.0)),
    ],
)
def test_derivative_on_show_at_a_kink_is_what_jax_passes(name, inputs):
    op = OPS[name]
    _, pullback = jax.vjp(op.apply, *map(jnp.float32, inputs))
    shown = [evaluate(formula, **dict(zip(op.slots, inputs, strict=True))) for formula in op.derivative]
    np.testing.assert_array_equal(shown, pullback(jnp.float32(1.0)))


def test_evaluator_refuses_factors_side_by_side():
    with pytest.raises(AssertionError, match="cannot read on"):
        evaluate("2 y", y=3.0)


def test_evaluator_catches_a_wrong_sign():
    assert evaluate(r"-\frac{<a>}{<b>^{2}}", a=3.0, b=2.0) == -0.75


def test_generic_formula_shows_names_of_slots():
    assert latex.operation(OPS["clip"]) == r"\operatorname{clip}(x, \mathrm{low}, \mathrm{high})"


def test_names_take_the_place_of_slots():
    assert latex.operation(OPS["mul"], ["x", latex.name("sin_1")]) == r"x \cdot \mathrm{sin\_1}"


@pytest.mark.parametrize(
    ("name", "operands", "formula"),
    [
        ("sub", ["-3", "-4"], r"-3 - \left(-4\right)"),
        ("square", ["-3"], r"\left(-3\right)^{2}"),
        ("mul", ["-3", "-4"], r"-3 \cdot \left(-4\right)"),
        ("square", [r"1 \times 10^{7}"], r"\left(1 \times 10^{7}\right)^{2}"),
        ("sin", ["-3"], r"\sin(-3)"),
        ("maximum", ["-3", "-4"], r"\max(-3, -4)"),
        ("div", ["-3", "-4"], r"\frac{-3}{-4}"),
    ],
)
def test_negative_number_gets_parentheses_only_where_needed(name, operands, formula):
    assert latex.operation(OPS[name], operands) == formula


@pytest.mark.parametrize(
    ("exponent", "derivative"),
    [
        ("2", r"2 \cdot x"),
        ("3", r"3 \cdot x^{2}"),
        ("0.5", r"0.5 \cdot x^{-0.5}"),
        ("-1", r"-1 \cdot x^{-2}"),
        ("n", r"n \cdot x^{n - 1}"),
    ],
)
def test_the_exponent_of_a_powers_derivative_is_written_out(exponent, derivative):
    assert latex.derivative(OPS["pow"], 0, ["x", exponent]) == derivative


def test_value_and_cotangent_of_the_node_are_put_in():
    assert latex.derivative(OPS["tanh"], 0, ["2"], y="0.96") == "1 - 0.96^{2}"
    assert latex.derivative(OPS["matmul"], 0, ["A", "B"], y_bar="G") == r"G \, B^{\top}"


def test_variadic_op_lists_its_operands_and_passes_to_one_of_them():
    assert latex.operation(OPS["stack"], ["a", "b", "c"]) == r"\operatorname{stack}(a, b, c)"
    assert latex.derivative(OPS["stack"], 1, ["a", "b", "c"]).endswith("came from } b")


@pytest.mark.parametrize(
    ("name", "params", "formula"),
    [
        ("sum", {}, r"\operatorname{sum}_{}(x)"),
        ("sum", {"axis": 1}, r"\operatorname{sum}_{\text{axis }1}(x)"),
        ("reshape", {"shape": (2, -1)}, r"\operatorname{reshape}(x, (2, -1))"),
        ("getitem", {"index": (0, (1, 3, None))}, r"x[\mathtt{0, 1:3}]"),
        ("uniform", {"low": -0.5}, r"\mathcal{U}(-0.5, 1)"),
    ],
)
def test_parameters_are_put_in(name, params, formula):
    assert latex.operation(OPS[name], ["x"] if OPS[name].slots else [], params) == formula


def test_boolean_parameter_is_a_word():
    assert latex.parameter(Param("keepdims", "bool"), True) == r"\text{True}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.25, "0.25"),
        (-3.0, "-3"),
        (1 / 3, "0.333333"),
        (1.5e-7, r"1.5 \times 10^{-7}"),
        (2e30, r"2 \times 10^{30}"),
        (float("inf"), r"\infty"),
        (float("-inf"), r"-\infty"),
        (float("nan"), r"\text{NaN}"),
    ],
)
def test_number_is_written_as_in_a_book(value, shown):
    assert latex.number(value) == shown
