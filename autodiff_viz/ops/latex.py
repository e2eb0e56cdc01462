"""Write ops, derivatives and numbers as LaTeX for KaTeX, from the templates in the op records."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from autodiff_viz.ops import indexing
from autodiff_viz.ops.op import Op, Param

PLACEHOLDER = re.compile(r"\\bar y|<(?P<name>\w+)>|(?<![\\A-Za-z])y(?![A-Za-z])")
r"""`<slot>` or `<param>`, the node's value `y`, or the arriving cotangent `\bar y`."""

_DIGITS = 6  # significant digits of a shown number; float32 has no more
_OPENING = re.compile(
    r"(?:^|[({[|&=]|(?<!\\),|\\\\|\\(?:gt|lt|ge|ne|lfloor|leftarrow)|\{cases\}|\{ or \})\s*$"
)
"""Text after which a negative number needs no parentheses."""


def filled(template: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders of a template by LaTeX.

    Args:
      template: `latex` or one `derivative` of an `Op`.
      values: LaTeX by name of slot or parameter, "y" for the node's value and "y_bar" for the arriving
        cotangent. A missing slot or parameter shows its own name. A negative number, or a power of ten, gets
        parentheses where it would be misread without.
    """

    def replaced(match: re.Match[str]) -> str:
        key = match["name"] or ("y" if match[0] == "y" else "y_bar")
        value = values.get(key)
        if value is None:
            return name(match["name"]) if match["name"] else match[0]
        return rf"\left({value}\right)" if _misread(value, match) else value

    return PLACEHOLDER.sub(replaced, template)


def _misread(value: str, match: re.Match[str]) -> bool:
    """Return whether a value needs parentheses where a placeholder stands."""
    # Of a base or of what is indexed, an exponent or index would go to the last digit alone.
    if match.string.startswith(("^", "["), match.end()):
        return value.startswith("-") or r"\times" in value
    return value.startswith("-") and not _OPENING.search(match.string[: match.start()])


def operation(op: Op, operands: Sequence[str] = (), params: Mapping[str, Any] | None = None) -> str:
    """Return LaTeX of the op applied to `operands` (LaTeX, one per slot, or any number for a variadic op)."""
    return filled(op.latex, _values(op, operands, params or {}))


def derivative(
    op: Op,
    slot: int,
    operands: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    y: str = "y",
    y_bar: str = r"\bar y",
) -> str:
    """Return LaTeX of the pullback for `slot`; see `Op.derivative`."""
    template = op.derivative[0 if op.variadic else slot]
    own = operands[slot : slot + 1] if op.variadic else operands
    text = filled(template, {**_values(op, own, params or {}), "y": y, "y_bar": y_bar})
    return LESS_ONE.sub(_lowered, text)


LESS_ONE = re.compile(r"\^\{(-?\d{1,9}(?:\.\d{1,9})?) - 1\}")
"""The exponent of a power's derivative, where it is a number."""


def _lowered(match: re.Match[str]) -> str:
    """Write an exponent less one as a number: x^{2 - 1} as x, x^{3 - 1} as x^{2}."""
    exponent = float(Decimal(match[1]) - 1)
    return "" if exponent == 1.0 else f"^{{{number(exponent)}}}"


def _values(op: Op, operands: Sequence[str], params: Mapping[str, Any]) -> dict[str, str]:
    shown = [", ".join(operands)] if op.variadic and operands else operands
    given = {param.name: parameter(param, params.get(param.name, param.default)) for param in op.params}
    return {**dict(zip(op.slots, shown, strict=False)), **given}


def parameter(param: Param, value: Any) -> str:
    """Return LaTeX of a parameter's value; "" for None, so that a subscript stays empty."""
    if value is None:
        return ""
    if param.kind == "index":
        return rf"\mathtt{{{indexing.to_text(value)}}}"
    if isinstance(value, tuple):
        return f"({', '.join(str(length) for length in value)})"
    if isinstance(value, bool | str):
        return rf"\text{{{value}}}"
    return rf"\text{{axis }}{number(value)}" if param.kind == "axis" else number(value)


def name(text: str) -> str:
    """Return LaTeX of a node's name: a single letter in italics, a longer name upright."""
    escaped = text.replace("_", r"\_")
    return text if len(text) == 1 else rf"\mathrm{{{escaped}}}"


def number(value: float) -> str:
    r"""Return LaTeX of a number to six digits: 0.25, 1.5 \times 10^{-7}, \infty."""
    if math.isnan(value):
        return r"\text{NaN}"
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    mantissa, _, exponent = f"{value:.{_DIGITS}g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa
