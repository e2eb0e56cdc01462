"""Test that a rule check compares nothing where an op has no value, for every op that has such places.

Where an op has a value is NumPy's to say.
"""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.explain.rule_check import compute as kinds
from autodiff_viz.explain.rule_check.figure import rule_check_figure
from autodiff_viz.explain.rule_check.view import declared_states
from autodiff_viz.ops.catalog import OPS
from tests.ops.references import reference

GRID = np.linspace(-5.0, 5.0, 101)


def function(name: str):
    """The op of one number by NumPy, with the second operand of a power held."""
    given = reference(name)
    return (lambda x: given(x, 0.5)) if name == "pow" else given


def is_restricted(name: str) -> bool:
    op = OPS[name]
    if not op.elementwise or op.variadic or (len(op.slots) != 1 and name != "pow"):
        return False
    with np.errstate(all="ignore"):
        return not np.isfinite([function(name)(x) for x in GRID]).all()


RESTRICTED = [name for name in OPS if is_restricted(name)]


def inside(name: str) -> float:
    """A number of which the op has a value."""
    return 2.0 if name == "arccosh" else 0.5


def text(name: str, x: float, pullback: str) -> str:
    op = "x ** 0.5" if name == "pow" else f"{name}(x)"
    return f"x = {x}\nz = custom({op}, pullback=lambda v, a, y: {pullback})"


def test_the_ops_that_have_no_value_somewhere_are_these():
    """By hand: of numbers below 0, of numbers beyond 1 in size or below 1, and at 0, 1 or -1 themselves."""
    arcs, logs = {"arcsin", "arccos", "arccosh", "arctanh"}, {"log", "log1p", "log2", "log10"}
    assert {*RESTRICTED} == arcs | logs | {"sqrt", "rsqrt", "pow"}


@pytest.mark.every
@pytest.mark.parametrize("name", RESTRICTED)
@pytest.mark.parametrize("pullback", ["2.0 * v * cos(a)", "0.0 * v", "v / a"])
def test_nothing_is_compared_where_the_op_has_no_value(name, pullback):
    check = av.rule_check(av.trace(av.parse(text(name, inside(name), pullback))), "z")
    along = check.worst
    with np.errstate(all="ignore"):
        valued = np.isfinite([function(name)(x) for x in along.positions])
    assert along.outside.tolist() == (~valued).tolist()
    assert (along.gaps[~valued] == 0).all()
    assert np.isfinite(function(name)(along.where))
    assert "Where z has no finite value, nothing is compared." in check.sentence
    [claim] = [claim for claim in check.claims if claim.kind == kinds.OUTSIDE]
    np.testing.assert_array_equal(claim.numbers[0], along.positions[~valued])
    for line in rule_check_figure(av.trace(av.parse(text(name, inside(name), pullback))), "z").data:
        shown = np.asarray(line.x, float)[np.isfinite(np.asarray(line.y, float))]
        with np.errstate(all="ignore"):
            assert np.isfinite([function(name)(x) for x in shown]).all()


@pytest.mark.every
@pytest.mark.parametrize("name", RESTRICTED)
def test_a_true_derivative_declared_by_its_value_is_equal_wherever_there_is_one(name):
    """By hand, each slope as a function of the value y, which is NaN outside; there JAX may pass a number."""
    slopes = {
        "log": "v * exp(-y)",
        "log1p": "v * exp(-y)",
        "sqrt": "v * 0.5 / y",
        "pow": "v * 0.5 / y",
        "arcsin": "v / cos(y)",
        "arccos": "-v / sin(y)",
        "arccosh": "v / sinh(y)",
        "arctanh": "v * cosh(y) ** 2.0",
        "log2": "v / (0.6931471805599453 * exp2(y))",
        "log10": "v / (2.302585092994046 * exp(2.302585092994046 * y))",
        "rsqrt": "-0.5 * v * y ** 3.0",
    }
    check = av.rule_check(av.trace(av.parse(text(name, inside(name), slopes[name]))), "z")
    assert not check.worst.differs
    assert "the two are equal" in check.sentence
    assert "infinity" not in check.sentence
    assert "\u221e" not in check.sentence


@pytest.mark.every
@pytest.mark.parametrize("name", RESTRICTED)
def test_at_a_number_without_a_value_there_is_no_derivative_to_name(name):
    for rule in (True, False):
        made = text(name, -3.0, "2.0 * v")
        plain = f"x = -3.0\nz = {'x ** 0.5' if name == 'pow' else f'{name}(x)'}"
        found = av.trace(av.parse(made if rule else plain))
        sentence = av.rule_check(found, "z").sentence
        assert "z has no finite value at x = \u22123" in sentence
        assert "JAX's derivative is" not in sentence
        assert "Declared" not in sentence
        assert declared_states(found) == {}


@pytest.mark.every
def test_of_a_tensor_only_the_elements_with_a_value_count():
    declared = "x = [0.5, -3.0]\nz = custom(log1p(x), pullback=lambda v, a, y: {})\ns = sum(z)"
    true = av.trace(av.parse(declared.format("v * exp(-y)")))
    assert declared_states(true) == {}
    assert not av.rule_check(true, "z").worst.differs
    wrong = av.trace(av.parse(declared.format("3.0 * v * exp(-y)")))
    assert "declared 2, true 0.667" in declared_states(wrong)["z"][0]
