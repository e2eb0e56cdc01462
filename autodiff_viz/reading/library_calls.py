"""Call a library's function that is written in JAX: its program becomes nodes of the text's graph.

What a library calls one thing is then values, dtypes and broadcasting of JAX by construction, can be called alone
and held against the real library, and stands on the canvas as one group.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.functions.convert import Converter
from autodiff_viz.functions.equations import Value
from autodiff_viz.functions.nodes import Draft, Nodes
from autodiff_viz.functions.nodes import Ref as Place
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import INPUT, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.reading.builder import Builder, Frame, Ref
from autodiff_viz.reading.costs import pay
from autodiff_viz.reading.interpreter import Interpreter
from autodiff_viz.reading.values import BOOL, FLOATS, INT, Array, Refused

KEPT = 512  # programs
TRACING, EQUATION = 40, 4  # steps of the budget for a function with shapes not met before, and for each of its equations


@dataclass(frozen=True)
class Program:
    """Nodes of a function of some shapes.

    Attributes:
      drafts: in order; the first are the arrays that it is called with.
      results: place of each result among them, with its dtype.
    """

    drafts: tuple[Draft, ...]
    results: tuple[tuple[int, str], ...]
    is_tuple: bool


_PROGRAMS: OrderedDict[Any, Program] = OrderedDict()


def call(r: Interpreter, function: Callable[..., Any], name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Add the nodes of a function of arrays, and return its result.

    Args:
      function: of JAX arrays and options.
      name: of the group that its nodes are, where there are several.
      args, options: arrays of the text, and everything else as it is.
    """
    arrays = [one for one in args if isinstance(one, Array)]
    program = _program(r, function, args, options)
    numbers: list[Any] = [r.held(one) for one in arrays]
    needs = any(one.requires_grad for one in arrays)
    library = next((one.framework for one in arrays if one.framework != "numpy"), "numpy")
    ends = {place for place, dtype in program.results if dtype in FLOATS}
    inner = len(program.drafts) - len(arrays)

    def made() -> None:
        for number, draft in enumerate(program.drafts[len(arrays):], len(arrays)):
            slots = [_slot(slot, numbers) for slot in draft.slots]
            rule = Rule(STOP) if r.no_grad and needs and number in ends else draft.rule
            ref = r.builder.add(draft.op, slots, rule, **draft.params)
            if isinstance(r.builder, Builder):
                r.builder.drafts[ref.number].framework = library
            numbers.append(ref)

    if inner > 1 and isinstance(r.builder, Builder):
        frame = Frame(name, None)
        with r.frame(frame):
            made()
    else:
        made()
    results = tuple(
        Array(numbers[place], library, dtype, requires_grad=needs and not r.no_grad and dtype in FLOATS,
              leaf=not needs or bool(r.no_grad) or dtype not in FLOATS)
        for place, dtype in program.results
    )
    return results if program.is_tuple else results[0]


def _slot(slot: Any, numbers: Sequence[Any]) -> Any:
    if isinstance(slot, Place):
        return numbers[slot.number]
    return slot


def _program(r: Interpreter, function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> Program:
    shapes = tuple((r.builder.shape(r.held(one)), one.dtype) if isinstance(one, Array) else None for one in args)
    fixed = tuple(None if isinstance(one, Array) else one for one in args)
    key = function, shapes, identity((fixed, tuple(sorted(options.items()))))
    if key in _PROGRAMS:
        _PROGRAMS.move_to_end(key)
        return _PROGRAMS[key]
    pay(TRACING)
    program = _PROGRAMS[key] = _traced(function, args, shapes, options)
    if len(_PROGRAMS) > KEPT:
        _PROGRAMS.popitem(last=False)
    return program


_DTYPES = {INT: jnp.int32, BOOL: jnp.bool_}


def _traced(function: Callable[..., Any], args: Sequence[Any], shapes: Sequence[Any], options: Mapping[str, Any]) -> Program:
    avals = [jax.ShapeDtypeStruct(each[0], _DTYPES.get(each[1], jnp.float32)) for each in shapes if each is not None]

    def of_arrays(*arrays: Any) -> Any:
        given = iter(arrays)
        return function(*[next(given) if isinstance(one, Array) else one for one in args], **options)

    program, structure = jax.make_jaxpr(of_arrays, return_shape=True)(*avals)
    _check(program.jaxpr)
    nodes = Nodes()
    values = []
    for aval in avals:
        held = nodes.add(INPUT, (), tuple(aval.shape))
        values.append(Value(tuple(aval.shape), aval.dtype, held=held))
    converter = Converter(nodes, jnp.dtype(jnp.float32))
    results = converter.run(program.jaxpr, [Value(tuple(c.shape), c.dtype, numbers=c, constant=True) for c in program.consts], values)
    places = []
    for result in results:
        held = converter.held(result)
        if not isinstance(held, Place):
            held = nodes.add("identity", (held,), result.shape)
        places.append((held.number, FLOATS[2] if result.is_float else BOOL if result.is_bool else INT))
    keep = {*range(len(avals))}
    waiting = [place for place, _ in places]
    while waiting:
        number = waiting.pop()
        if number not in keep:
            keep.add(number)
            waiting += [slot.number for slot in nodes.drafts[number].slots if isinstance(slot, Place)]
    order = {number: place for place, number in enumerate(sorted(keep))}
    drafts = []
    for number in sorted(keep):
        draft = nodes.drafts[number]
        if isinstance(draft.op, NativeOp):
            raise Refused(f"native {draft.op.label}")
        slots = tuple(Place(order[slot.number]) if isinstance(slot, Place) else slot for slot in draft.slots)
        drafts.append(Draft(draft.op, slots, draft.params, draft.shape, (), draft.rule, draft.hint))
    return Program(tuple(drafts), tuple((order[p], d) for p, d in places), not hasattr(structure, "shape"))


def _check(jaxpr: Any) -> None:
    """Refuse a program with a value that is too large, before anything of it is computed."""
    for equation in jaxpr.eqns:
        for variable in equation.outvars:
            shape = getattr(variable.aval, "shape", ())
            if prod(shape) > limits.ELEMENTS or len(shape) > limits.RANK:
                raise Refused(f"A value has shape {list(shape)}, which is too large.", "", "too-large")
