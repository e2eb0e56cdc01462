"""The wrappers that bend a gradient: stop_gradient, rewrite, custom, backward_as; bypass, which mutes; and
cut, which ends a segment.

A wrapper round an op puts its rule on that op's node. Round a name, or round another wrapper, it makes
an identity node that carries the rule.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from autodiff_viz.graph.model import (
    BACKWARD_AS,
    FOLLOW,
    IDENTITY,
    INPUT,
    PULLBACK,
    REWRITE,
    STOP,
    Node,
    Rule,
)
from autodiff_viz.language.calls import bind
from autodiff_viz.language.tree import Applied

if TYPE_CHECKING:
    from autodiff_viz.language.expression import Reader

KIND = {"stop_gradient": STOP, "rewrite": REWRITE, "custom": PULLBACK, "backward_as": BACKWARD_AS}
BYPASS = "bypass"
CUT = "cut"
WRAPPER = {kind: name for name, kind in KIND.items()}

_ARGUMENTS = {
    "stop_gradient": ("x",),
    "rewrite": ("x", "function"),
    "custom": ("x", "pullback"),
    "backward_as": ("x", "alternative"),
    BYPASS: ("x",),
    CUT: ("x",),
}
_EXAMPLE = {
    "stop_gradient": "stop_gradient(sin(x))",
    "rewrite": "rewrite(sin(x), lambda v: 0.5 * v)",
    "custom": "custom(exp(x), pullback=lambda v, x, y: v * y)",
    "backward_as": "backward_as(round(x), x)",
    BYPASS: "bypass(sin(x))",
    CUT: "cut(relu(x))",
}


def stem_of(node: Node) -> str:
    """What the automatic name of an identity begins with that is written as a wrapper alone."""
    marks = BYPASS if node.muted else CUT if node.cut else ""
    return WRAPPER.get(node.rule.kind, marks)


def read_wrapper(reader: Reader, call: ast.Call, depth: int) -> Applied:
    """A wrapper and what it is round, as one node to be.

    Raises:
      GraphError: an argument is missing or is not what the wrapper needs.
    """
    name = call.func.id  # type: ignore[attr-defined]
    given = bind(reader, name, _ARGUMENTS[name], call)
    if len(given) < len(_ARGUMENTS[name]):
        needed = " and ".join(_ARGUMENTS[name])
        raise reader.error(call, "arity", f"{name} needs {needed}.", f"Write {_EXAMPLE[name]}.")
    inner = reader.read(given["x"], depth)
    span = reader.line.span(call)
    if name in (BYPASS, CUT):
        if (
            not isinstance(inner, Applied)
            or inner.cut
            or inner.op == INPUT
            or (name == BYPASS and inner.muted)
        ):
            inner = Applied(IDENTITY, (inner,), (), span, stem=name)
        return replace(inner, muted=inner.muted or name == BYPASS, cut=name == CUT, span=span)
    if not isinstance(inner, Applied) or inner.rule.kind != FOLLOW or inner.muted or inner.cut:
        inner = Applied(IDENTITY, (inner,), (), span, stem=name)
    if name == "backward_as":
        inner = replace(inner, operands=(*inner.operands, reader.read(given["alternative"], depth)))
    function = given.get("function", given.get("pullback"))
    rule = Rule(KIND[name], None if function is None else reader.read_lambda(function))
    return replace(inner, rule=rule, span=span)
