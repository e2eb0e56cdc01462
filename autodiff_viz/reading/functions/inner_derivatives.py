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
from autodiff_viz.reading.functions.arrays import shape_of
from autodiff_viz.reading.functions.terms import Terms
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused, leaves, mapped
from autodiff_viz.reading.nodes.builder import Ref

ROWS = 64  # of a matrix of slopes


@contextmanager
def outside(reader: Reader) -> Iterator[None]:
    """Read what follows as nodes, also in a declared derivative."""
    inner = reader.builder
    if isinstance(inner, Terms):
        reader.builder = inner.outer
    try:
        yield
    finally:
        reader.builder = inner


def as_nodes(reader: Reader, value: Any) -> Any:
    """Return arrays of a declared derivative as nodes.

    Raises:
      Refused: one depends on the cotangent that arrives.
    """
    terms = reader.builder
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
        return Array(node(leaf.held), leaf.framework, leaf.dtype, rows=leaf.rows, traced=leaf.traced)

    return mapped(one, value)


def depends(reader: Reader, value: Any) -> bool:
    """Return whether a value of a declared derivative depends on what arrives."""
    terms = reader.builder
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


def product(reader: Reader, output: Array, wrt: Array, arriving: Array, forward: bool = False) -> Array:
    """Return the product of a cotangent with the slopes of an output, or of these with a tangent.

    Raises:
      Refused: the output has too many elements.
    """
    shape, wide = shape_of(reader, output), shape_of(reader, wrt)
    with outside(reader):
        if wrt.held.number not in reader.builder.ancestors(output.held):
            return reader.make("zeros_like", [output if forward else wrt])
        if _elementwise(reader, output, wrt):
            total = output if shape == () else reader.make("sum", [output])
            slopes = reader.gradient(total, wrt)
        elif output.rows != wrt.rows:
            raise Refused("A derivative inside a declared one is not read here by what all rows share.")
        else:
            count = prod(shape)
            if count > ROWS:
                raise Refused(
                    f"A derivative in a declared one is read of at most {ROWS} outputs.", "", "too-large"
                )
            flat = reader.make("reshape", [output], shape=(count,))
            rows = [reader.gradient(reader.make("getitem", [flat], index=(i,)), wrt) for i in range(count)]
            slopes = reader.make("reshape", [reader.make("stack", rows, axis=0)], shape=(count, prod(wide)))
    if _elementwise(reader, output, wrt):
        return reader.make("mul", [arriving, slopes])
    flat = reader.make("reshape", [arriving], shape=(prod(wide if forward else shape),))
    made = reader.make("matmul", [slopes, flat] if forward else [flat, slopes])
    return reader.make("reshape", [made], shape=shape if forward else wide)


def _elementwise(reader: Reader, output: Array, wrt: Array) -> bool:
    """Return whether each element of an output depends on the one at its place alone."""
    with outside(reader):
        builder, shape = reader.builder, reader.builder.shape(wrt.held)
        way = builder.between(output.held.number, wrt.held.number)
        return all(
            builder.shape(Ref(number)) == shape
            and builder.drafts[number].op != GRAD
            and OPS[builder.drafts[number].op].elementwise
            for number in way
        ) and (builder.shape(output.held), output.rows) == (shape, wrt.rows)
