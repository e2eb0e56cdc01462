"""Write a program of JAX as plain data, and run it in another process: names of primitives, and numbers.

A lab of one's own is a process of its own (`lab/launch.py`). What JAX's own functions in a graph compute
comes to it so, and nothing that is written so is code. JAX finds the derivatives: those of a rule that
somebody has declared are written as programs too.
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

from autodiff_viz.ops.op import Refusal

Data = Any
"""What JSON can hold."""

PRIMITIVES: Mapping[str, core.Primitive] = {
    one.name: one
    for module in (lax, lax.linalg, core.primitives)  # none of them has all
    for one in vars(module).values()
    if isinstance(one, core.Primitive)
}
INLINE = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr"}
"""Calls that say nothing of derivatives, by the parameter with their program."""

RECORDS = {
    one.__name__: one
    for one in (
        lax.GatherDimensionNumbers,
        lax.ScatterDimensionNumbers,
        lax.ConvDimensionNumbers,
        lax.GatherScatterMode,
        lax.FftType,
        lax.Precision,
        lax.RandomAlgorithm,
        lax.RoundingMethod,
        lax.DotAlgorithm,
        lax.DotAlgorithmPreset,
        lax.linalg.EighImplementation,
        lax.linalg.SvdAlgorithm,
    )
}
"""Types of JAX that parameters of primitives have: tuples with names, and words of a list."""


ORDERS = 2
"""How often a function with a rule of its author can be differentiated: its rule often calls it again."""


class Unwritten(ValueError):
    """Raised for what is no plain data: a function of Python, a random key, an effect on the outside."""


def written(program: core.ClosedJaxpr, orders: int = ORDERS) -> Data:
    """Return a program as data.

    Args:
      orders: how often it can be differentiated where rules are declared.
    Raises:
      Unwritten: it holds something else than numbers and JAX's primitives.
    """
    inner = program.jaxpr
    if inner.effects:
        raise Unwritten("it acts on the outside")
    number: dict[Any, int] = {}
    for variable in (*inner.constvars, *inner.invars):
        number[variable] = len(number)
    equations, count = [], len(number)

    def read(atom: Any) -> Data:
        return (
            {"literal": _value(np.asarray(atom.val, atom.aval.dtype))} if _is_literal(atom) else number[atom]
        )

    for equation in inner.eqns:
        equations.append([*_equation(equation, orders), [read(atom) for atom in equation.invars]])
        for variable in equation.outvars:
            number[variable] = count
            count += 1
    return {
        "constants": [_value(one) for one in program.consts],
        "arguments": [_kind(variable.aval) for variable in inner.invars],
        "equations": equations,
        "results": [read(atom) for atom in inner.outvars],
    }


def run(program: Data, *arrays: Any) -> list[Any]:
    """Return the results of a program that `written` has made."""
    values = [*map(_read, program["constants"]), *arrays]

    def operand(given: Data) -> Any:
        return values[given] if isinstance(given, int) else _read(given["literal"])

    for name, params, operands in program["equations"]:
        values += _apply(name, params, [operand(each) for each in operands])
    return [operand(each) for each in program["results"]]


def _equation(equation: core.JaxprEqn, orders: int) -> tuple[str, Data]:
    """Return an equation's name and what it says beside its operands."""
    name, params = equation.primitive.name, equation.params
    if name in INLINE:
        return "call", written(params[INLINE[name]], orders)
    if name == "scan":  # JAX's versions differ in how they say which operands are which
        body, given = params["jaxpr"], params.get("ft_in")
        counts = [params["num_consts"], params["num_carry"]] if given is None else [*map(len, given.elts[:2])]
        whole = body if isinstance(body, core.ClosedJaxpr) else core.ClosedJaxpr(body, ())
        plain = {key: params[key] for key in ("length", "reverse", "unroll")}
        return name, {"body": written(whole, orders), "counts": counts, **plain}
    if name == "custom_linear_solve":
        return name, [
            [int(of), None if one is None else written(one, orders)]
            for of, one in zip(params["const_lengths"], params["jaxprs"], strict=True)
        ]
    if name in ("custom_jvp_call", "custom_vjp_call"):
        return name, _declared(equation, orders)
    if PRIMITIVES.get(name) is not equation.primitive:
        raise Unwritten(f"{name} is no primitive of JAX")
    return name, {key: _value(one, orders) for key, one in params.items()}


def _declared(equation: core.JaxprEqn, orders: int) -> Data:
    """Return a function with a rule of its author: both as programs, and the places that the rule is for."""
    function = written(equation.params["call_jaxpr"], orders)
    structs = [_struct(one.aval) for one in equation.invars]
    results = [_struct(one.aval) for one in equation.outvars]
    if len(_floats(results)) < len(results):
        raise Unwritten("a function with a rule returns something else than floats")

    def bound(*arrays: Any) -> tuple[Any, ...]:
        given = equation.primitive.get_bind_params(equation.params)
        return tuple(equation.primitive.bind(*arrays, **given))

    def moved(places: list[int], arrays: Sequence[Any], tangents: Sequence[Any]) -> Any:
        return jax.jvp(_of(places, bound, arrays), [arrays[i] for i in places], list(tangents))

    def pulled(places: list[int], arrays: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        return jax.vjp(_of(places, bound, arrays), *[arrays[i] for i in places])[1](tuple(cotangents))

    forward = equation.primitive.name == "custom_jvp_call"

    def rule(places: list[int]) -> core.ClosedJaxpr:
        other = [structs[i] for i in places] if forward else results
        return jax.make_jaxpr(partial(moved if forward else pulled, places))(structs, other)

    def known(places: list[int]) -> core.ClosedJaxpr | None:
        """Return the rule; None if the function closes over one of these arrays, of which it says nothing."""
        try:
            return rule(places)
        except Exception as error:
            if type(error).__name__ != "CustomVJPException":  # which JAX does not export
                raise
            return None

    places = _floats(structs)
    if not orders:
        return {"function": function, "rule": None, "places": places}
    made = known(places)
    if made is None:
        places = [i for i in places if known([i])]
        made = rule(places)
    return {"function": function, "rule": written(made, orders - 1), "places": places}


def _of(places: list[int], function: Callable[..., Any], arrays: Sequence[Any]) -> Callable[..., Any]:
    """Return a function of the arrays at some places, with the others as they are."""

    def of_some(*some: Any) -> Any:
        merged = list(arrays)
        for i, one in zip(places, some, strict=True):
            merged[i] = one
        return function(*merged)

    return of_some


def _apply(name: str, params: Data, arrays: list[Any]) -> list[Any]:
    if name == "call":
        return run(params, *arrays)
    if name == "scan":
        return _scanned(params, arrays)
    if name == "custom_linear_solve":
        return _solved(params, arrays)
    if name in ("custom_jvp_call", "custom_vjp_call"):
        return _with_rule(name, params, arrays)
    primitive = PRIMITIVES[name]
    given = primitive.get_bind_params({key: _read(one) for key, one in params.items()})
    results = primitive.bind(*[jnp.asarray(one) for one in arrays], **given)
    return list(results) if primitive.multiple_results else [results]


def _scanned(params: Data, arrays: list[Any]) -> list[Any]:
    """Run a loop: its constants come first, then what it carries, then what it goes through."""
    fixed, carried = params["counts"]
    constants, begin, along = arrays[:fixed], arrays[fixed : fixed + carried], arrays[fixed + carried :]

    def step(carry: list[Any], one: list[Any]) -> tuple[list[Any], list[Any]]:
        results = run(params["body"], *constants, *carry, *one)
        return results[:carried], results[carried:]

    how = {key: params[key] for key in ("length", "reverse", "unroll")}
    end, made = lax.scan(step, begin, along, **how)
    return [*end, *made]


def _solved(params: Data, arrays: list[Any]) -> list[Any]:
    """Solve linear equations by the functions that an equation of JAX has for that."""
    programs: list[Callable[..., list[Any]] | None] = []
    for count, program in params:
        own, arrays = arrays[:count], arrays[count:]
        programs.append(None if program is None else partial(run, program, *own))
    matvec, _, solve, transposed = programs
    assert matvec
    assert solve
    return lax.custom_linear_solve(
        lambda x: matvec(*x),
        arrays,
        lambda _, b: solve(*b),
        None if transposed is None else lambda _, b: transposed(*b),
    )


def _with_rule(name: str, params: Data, arrays: list[Any]) -> list[Any]:
    """Call a function that has a rule of its author."""
    places = params["places"]
    function = _of(places, partial(run, params["function"]), arrays)
    some = [arrays[i] for i in places]

    def merged(read: Sequence[Any]) -> list[Any]:
        return _of(places, lambda *all_of_them: list(all_of_them), arrays)(*read)

    if name == "custom_jvp_call":
        moving = jax.custom_jvp(function)

        @moving.defjvp
        def moved(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
            made = run(_known(params["rule"]), *merged(primals), *tangents)
            return made[: len(made) // 2], made[len(made) // 2 :]

        return moving(*some)

    def pulled(read: Sequence[Any], arriving: list[Any]) -> tuple[Any, ...]:
        return tuple(run(_known(params["rule"]), *merged(read), *arriving))

    pulling = jax.custom_vjp(function)
    pulling.defvjp(lambda *read: (function(*read), read), pulled)
    return pulling(*some)


def _known(rule: Data) -> Data:
    if rule is None:
        raise Refusal(f"A function with a rule of its author is differentiated {ORDERS} times here, at most.")
    return rule


def _floats(given: Sequence[Any]) -> list[int]:
    return [i for i, one in enumerate(given) if jax.dtypes.issubdtype(one.dtype, np.floating)]


def _is_literal(atom: Any) -> bool:
    return isinstance(atom, core.Literal)


def _struct(aval: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype)


def _kind(aval: Any) -> Data:
    if not isinstance(aval.dtype, np.dtype):
        raise Unwritten(f"it reads a {aval.dtype}")
    return [list(aval.shape), aval.dtype.name]


def _value(one: Any, orders: int = ORDERS) -> Data:
    """Return a parameter as data."""
    if one is None or type(one) in (bool, int, float, str):
        return one
    if isinstance(one, enum.Enum) and type(one).__name__ in RECORDS:
        return {"of": type(one).__name__, "word": one.name}
    if isinstance(one, tuple) and hasattr(one, "_fields") and type(one).__name__ in RECORDS:
        return {"of": type(one).__name__, "fields": [_value(each, orders) for each in one]}
    if type(one) in (tuple, list):
        return {type(one).__name__: [_value(each, orders) for each in one]}
    if isinstance(one, core.ClosedJaxpr):
        return {"program": written(one, orders)}
    if isinstance(one, core.Jaxpr) and not one.constvars:
        return {"open": written(core.ClosedJaxpr(one, ()), orders)}
    if isinstance(one, np.dtype) or (isinstance(one, type) and issubclass(one, np.generic)):
        return {"dtype": jnp.dtype(one).name}
    if isinstance(one, np.ndarray | np.generic | jax.Array) and isinstance(one.dtype, np.dtype):
        array = np.asarray(one)
        text = base64.b64encode(array.tobytes()).decode()
        return {"array": text, "shape": list(array.shape), "dtype": array.dtype.name}
    raise Unwritten(f"it holds a {type(one).__name__}")


def _read(data: Data) -> Any:
    """Return what `_value` has written."""
    if not isinstance(data, dict):
        return data
    if "array" in data:
        plain = np.frombuffer(base64.b64decode(data["array"]), jnp.dtype(data["dtype"]))
        return plain.reshape(data["shape"])
    if "dtype" in data:
        return jnp.dtype(data["dtype"])
    if "word" in data:
        return RECORDS[data["of"]][data["word"]]
    if "fields" in data:
        return RECORDS[data["of"]](*map(_read, data["fields"]))
    if "tuple" in data:
        return tuple(map(_read, data["tuple"]))
    if "list" in data:
        return [*map(_read, data["list"])]
    program = data.get("program") or data["open"]
    structs = [jax.ShapeDtypeStruct(tuple(shape), jnp.dtype(name)) for shape, name in program["arguments"]]
    with jax.enable_x64(True):  # the dtypes are those that it was written with
        traced = jax.make_jaxpr(partial(run, program))(*structs)
    return traced if "program" in data else traced.jaxpr
