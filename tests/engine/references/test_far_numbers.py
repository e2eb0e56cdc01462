"""Test that the tape has a slope wherever the function has one: beyond the range of exp and cosh, too."""

from decimal import Decimal, localcontext

import pytest

from tests.engine.references.tape import PARTIALS, VALUE

FAR = (-800.0, -355.0, -20.0, 0.5, 20.0, 354.0, 355.0, 800.0)


def exact(name: str, x: float) -> tuple[Decimal, Decimal]:
    """Return value and slope in 800 digits, of the definitions."""
    e = Decimal(x).exp()
    if name == "tanh":
        return (e - 1 / e) / (e + 1 / e), 4 / (e + 1 / e) ** 2
    if name == "sigmoid":
        return e / (1 + e), e / (1 + e) ** 2
    return (1 + e).ln(), e / (1 + e)


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "softplus"])
def test_value_and_slope_are_those_of_the_definition(name):
    with localcontext() as context:
        context.prec = 800
        for x in FAR:
            value, slope = map(float, exact(name, x))
            assert VALUE[name](x) == pytest.approx(value, rel=1e-13, abs=0), x
            assert PARTIALS[name](x)[0] == pytest.approx(slope, rel=1e-13, abs=0), x
