"""Rules of nodes on the live path. Lambdas are evaluated op by op, with the compiled ops that graphs use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import jax

from autodiff_viz.engine.check import at_node, unknown_op, wrong_alternative, wrong_arity, wrong_shape
from autodiff_viz.engine.live_path.arrays import constant
from autodiff_viz.engine.live_path.kernels import Shape, kernel, split
from autodiff_viz.graph.model import Call, Node, Term, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.ops.catalog import OPS


class Sample(NamedTuple):
    """An array, its shape per sample, and whether it carries a leading axis of swept samples."""

    array: jax.Array
    shape: Shape
    swept: bool


Read = Callable[[str], Sample]
"""Return a node's value by the node's name."""


def _rewritten(node: Node, v: Sample, dtype: str) -> Sample:
    return apply_rule(node, [v], [v.shape], dtype)[0]


CHANGED: dict[str, Callable[[Node, Sample, str], Sample | None]] = {
    FOLLOW: lambda node, v, dtype: v,
    STOP: lambda node, v, dtype: None,
    REWRITE: _rewritten,
    SCALE: lambda node, v, dtype: call("mul", (), [v, _evaluate(node.rule.number, {}, dtype)], dtype),
}
"""By kind of rule, the change of the arriving cotangent before the op's pullback; None is a symbolic zero."""


def _declared(node: Node, v: Sample, read: Read, dtype: str) -> list[Sample]:
    inputs = [read(producer) for _, producer in node.wires]
    return apply_rule(node, [v, *inputs, read(node.name)], [x.shape for x in inputs], dtype)


def _to_alternative(node: Node, v: Sample, read: Read, dtype: str) -> list[Sample | None]:
    alternative = len(node.slots) - 1
    wired = node.slots[alternative]
    if isinstance(wired, str) and (shape := read(wired).shape) != v.shape:
        raise GraphError(wrong_alternative(node, v.shape, shape))
    return [v if slot == alternative else None for slot, _ in node.wires]


PASSED: dict[str, Callable[[Node, Sample, Read, str], Sequence[Sample | None]]] = {
    PULLBACK: _declared,
    BACKWARD_AS: _to_alternative,
}
"""By kind of rule that replaces the op's derivative, the contribution to each wire."""


def apply_rule(node: Node, given: Sequence[Sample], wanted: Sequence[Shape], dtype: str) -> list[Sample]:
    """Evaluate the node's lambda on `given` and broadcast each result to its wanted shape.

    Raises:
      GraphError: arguments, results, ops or shapes do not fit; the problem names the node.
    """
    function = node.rule.function
    if function is None or len(given) != len(function.args) or len(wanted) != len(function.body):
        raise GraphError(wrong_arity(node, len(given), len(wanted)))
    names = dict(zip(function.args, given, strict=True))
    try:
        results = [_evaluate(term, names, dtype) for term in function.body]
        return [_fit(node, result, shape, dtype) for result, shape in zip(results, wanted, strict=True)]
    except GraphError as error:
        raise at_node(error, node.name) from error


def call(op: str, static: tuple, args: Sequence[Sample], dtype: str) -> Sample:
    """Evaluate one op on samples; the result is swept if an argument is."""
    if op not in OPS:
        raise GraphError(unknown_op(op))
    swept = tuple(arg.swept for arg in args)
    static, dynamic = split(OPS[op], static)
    found = kernel(op, static, tuple(arg.shape for arg in args), (), dtype, swept if True in swept else None)
    return Sample(found.run(*dynamic, *(arg.array for arg in args)), found.shape, True in swept)


def _evaluate(term: Term, names: Mapping[str, Sample], dtype: str) -> Sample:
    if isinstance(term, Call):
        return call(term.op, term.params, [_evaluate(arg, names, dtype) for arg in term.args], dtype)
    if isinstance(term, str):
        return names[term]
    array = constant(term, dtype)
    return Sample(array, array.shape, False)


def _fit(node: Node, result: Sample, shape: Shape, dtype: str) -> Sample:
    if result.shape == shape:
        return result
    try:
        return call("broadcast_to", params(shape=shape), [result], dtype)
    except GraphError as error:
        raise GraphError(wrong_shape(node, result.shape, shape)) from error
