"""Print applied ops, rules and lambdas, with the fewest brackets that Python's precedence allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autodiff_viz.graph.model import FOLLOW, Call, Lambda, Literal, Params, Rule, Term
from autodiff_viz.graph.registries.rule_kinds import KINDS, WIRES
from autodiff_viz.language.expressions.literal import show_literal
from autodiff_viz.language.expressions.params import show_param
from autodiff_viz.ops import indexing
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.record import Param

COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)  # Python's precedence, loosest first

_LEVELS = {">": COMPARISON, "<": COMPARISON, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT}
_INFIX = {
    op.name: (op.infix, level, level + (level == COMPARISON), level + 1)
    for op in OPS.values()
    if (level := _LEVELS.get(op.infix)) is not None
} | {op.name: (op.infix, POWER, ATOM, SIGN) for op in OPS.values() if op.infix == "**"}
"""Operator, its own level, and the levels that its left and right operands need to stand without brackets."""

EMPTY = "..."  # an empty slot

Place = tuple[str, int, int]
"""Name of a node, and its first and end offset in a piece of text."""


class Shown(NamedTuple):
    """A piece of an expression.

    Attributes:
      text: of the expression.
      level: precedence of its outermost operator.
      constant: whether it is a number.
      places: places of the nodes in it.
    """

    text: str
    level: int = ATOM
    constant: bool = False
    places: tuple[Place, ...] = ()


def joined(*pieces: str | Shown, level: int = ATOM) -> Shown:
    """Concatenate the pieces, with the places of all nodes in them."""
    text, places = "", []
    for piece in pieces:
        if type(piece) is str:
            text += piece
        else:
            if piece.places:
                start = len(text)
                places += [(name, first + start, last + start) for name, first, last in piece.places]
            text += piece.text
    return Shown(text, level, places=tuple(places))


def show_operand(slot: Literal | None) -> Shown:
    """Write a constant, or `...` for an empty slot."""
    if slot is None:
        return Shown(EMPTY)
    text = show_literal(slot)
    return Shown(text, SIGN if text[0] == "-" else ATOM, constant=not isinstance(slot, tuple))


def show_applied(op: str, operands: Sequence[Shown], params: Params) -> Shown:
    """Write an op applied to operands, as operator, index or call."""
    if op in _INFIX and len(operands) == 2 and not params:
        sign, level, left, right = _INFIX[op]
        return joined(_within(operands[0], left), f" {sign} ", _within(operands[1], right), level=level)
    if op == "neg" and len(operands) == 1 and not params and not operands[0].constant:
        return joined("-", _within(operands[0], SIGN), level=SIGN)  # -2.0 would be a number, not an op
    if op == "getitem" and len(operands) == 1 and [key for key, _ in params] == ["index"]:
        return joined(_within(operands[0], ATOM), f"[{indexing.to_text(params[0][1])}]")
    if op == "at_set" and len(operands) == 2 and [key for key, _ in params] == ["index"]:
        bare = operands[0].constant or operands[0].text == EMPTY  # 0.at would be no number
        x = Shown(f"({operands[0].text})") if bare else operands[0]
        return joined(_within(x, ATOM), f".at[{indexing.to_text(params[0][1])}].set(", operands[1], ")")
    slots: Sequence[Shown] = operands
    if op in OPS and OPS[op].variadic:
        slots = [joined("[", *_listed(operands), "]")]
    return show_call(op, slots, params, OPS[op].params if op in OPS else ())


def show_call(function: str, slots: Sequence[str | Shown], params: Params, known: Sequence[Param]) -> Shown:
    """Write `function(slots, params)`, with the parameters by keyword and in the order of `known`."""
    names = [param.name for param in known]
    ordered = sorted(params, key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names))
    arguments = [*slots, *(f"{key}={show_param(value)}" for key, value in ordered)]
    return joined(f"{function}(", *_listed(arguments), ")")


def _listed(pieces: Sequence[str | Shown]) -> list[str | Shown]:
    """Put commas between the pieces."""
    return [part for piece in pieces for part in (", ", piece)][1:]


def show_rule(inner: Shown, rule: Rule, alternative: Shown) -> Shown:
    """Write an expression inside the wrapper that gives it `rule`."""
    if rule.kind == FOLLOW:
        return inner
    kind = KINDS.get(rule.kind)
    if kind is None:  # an unknown kind is not in the language, but messages about it show it
        return joined(f"{rule.kind}(", inner, ")")
    if kind.alternative:
        return joined(f"{kind.call}(", inner, ", ", alternative, ")")
    if not kind.argument:
        return joined(f"{kind.call}(", inner, ")")
    keyword = f"{kind.argument}=" if kind.function == WIRES else ""
    return joined(f"{kind.call}(", inner, f", {keyword}{show_argument(rule) or '...'})")


def show_argument(rule: Rule) -> str:
    """Write the function or the number of a rule, as it is typed; "" where it has none."""
    if rule.function is not None:
        return show_lambda(rule.function)
    return "" if rule.number is None else show_literal(rule.number)


def show_lambda(function: Lambda) -> str:
    """Write a lambda as text that `parse_lambda` reads back."""
    body = [_show_term(term).text for term in function.body]
    shown = body[0] if len(body) == 1 else f"({', '.join(body)})"
    return f"lambda {', '.join(function.args)}: {shown}" if function.args else f"lambda: {shown}"


def _show_term(term: Term) -> Shown:
    if isinstance(term, Call):
        return show_applied(term.op, [_show_term(inner) for inner in term.args], term.params)
    return Shown(term) if isinstance(term, str) else show_operand(term)


def _within(operand: Shown, level: int) -> Shown:
    return operand if operand.level >= level else joined("(", operand, ")")
