"""Read a derivative inside a declared one, such as `jax.vjp` in a backward function.

What is differentiated there does not depend on the cotangent that arrives, so its slopes are nodes, which the
lambda of the rule reads; the cotangent is multiplied with them there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from autodiff_viz.graph.model import GRAD, Call, names_in
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.arrays import shape_of
from autodiff_viz.reading.builder import Ref
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.terms import Terms
from autodiff_viz.reading.values import Array, Refused, leaves, mapped

ROWS = 64  # of a matrix of slopes


@contextmanager
def outside(r: Interpreter) -> Iterator[None]:
    """Read what follows as nodes, also in a declared derivative."""
    inner = r.builder
    if isinstance(inner, Terms):
        r.builder = inner.outer
    try:
        yield
    finally:
        r.builder = inner


def as_nodes(r: Interpreter, value: Any) -> Any:
    """Return arrays of a declared derivative as nodes.

    Raises:
      Refused: one depends on the cotangent that arrives.
    """
    terms = r.builder
    if not isinstance(terms, Terms):
        return value
    nodes = {name: number for known in (terms.wires, terms.captured) for number, name in known.items()}

    def node(term: Any) -> Any:
        if isinstance(term, Call):
            return terms.outer.add(term.op, [node(one) for one in term.args], **dict(term.params))
        if isinstance(term, str) and term not in nodes:
            raise Refused(
                "A derivative at what arrives is not read inside a declared derivative.",
                "Write out its formula.",
            )
        return Ref(nodes[term]) if isinstance(term, str) else term

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, Array) or leaf.is_node or leaf.is_constant:
            return leaf
        if leaf.rows:
            raise Refused("A derivative inside a declared one is not read under vmap.")
        return Array(node(leaf.held), leaf.framework, leaf.dtype, traced=leaf.traced)

    return mapped(one, value)


def depends(r: Interpreter, value: Any) -> bool:
    """Return whether a value of a declared derivative depends on what arrives."""
    terms = r.builder
    if not isinstance(terms, Terms):
        return False
    known = {*terms.wires.values(), *terms.captured.values()}
    return any(
        isinstance(leaf, Array)
        and not leaf.is_node
        and not leaf.is_constant
        and not names_in([leaf.held]) <= known
        for _, leaf in leaves(value)
    )


def product(r: Interpreter, output: Array, wrt: Array, arriving: Array, forward: bool = False) -> Array:
    """Return the product of a cotangent with the slopes of an output, or of these with a tangent.

    Raises:
      Refused: the output has too many elements.
    """
    shape, wide = shape_of(r, output), shape_of(r, wrt)
    with outside(r):
        if wrt.held.number not in r.builder.ancestors(output.held):
            return r.make("zeros_like", [output if forward else wrt])
        if _elementwise(r, output, wrt):
            total = output if shape == () else r.make("sum", [output])
            slopes = r.gradient(total, wrt)
        elif output.rows or wrt.rows or arriving.rows:
            raise Refused("A derivative inside a declared one is not read under vmap.")
        else:
            count = prod(shape)
            if count > ROWS:
                raise Refused(
                    f"A derivative in a declared one is read of at most {ROWS} outputs.", "", "too-large"
                )
            flat = r.make("reshape", [output], shape=(count,))
            rows = [r.gradient(r.make("getitem", [flat], index=(i,)), wrt) for i in range(count)]
            slopes = r.make("reshape", [r.make("stack", rows, axis=0)], shape=(count, prod(wide)))
    if _elementwise(r, output, wrt):
        return r.make("mul", [arriving, slopes])
    flat = r.make("reshape", [arriving], shape=(prod(wide if forward else shape),))
    made = r.make("matmul", [slopes, flat] if forward else [flat, slopes])
    return r.make("reshape", [made], shape=shape if forward else wide)


def _elementwise(r: Interpreter, output: Array, wrt: Array) -> bool:
    """Return whether each element of an output depends on the one at its place alone."""
    with outside(r):
        builder, shape = r.builder, r.builder.shape(wrt.held)
        way = builder.between(output.held.number, wrt.held.number)
        return all(
            builder.shape(Ref(number)) == shape
            and builder.drafts[number].op != GRAD
            and OPS[builder.drafts[number].op].elementwise
            for number in way
        ) and (builder.shape(output.held), output.rows) == (shape, wrt.rows)
