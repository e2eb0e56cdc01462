"""Read modules of Python's own: `math` of numbers, `random`, `itertools`, `functools.reduce`, `copy`.

`math` of plain numbers is computed in double precision, as Python does. The draws of `random` are Python's
own where the text gives a seed.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.reading.functions.arrays import constant
from autodiff_viz.reading.functions.draws import Draws
from autodiff_viz.reading.language.operators import number, room_for
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused, leaves
from autodiff_viz.reading.nodes.costs import LENGTH, pay_values

# fmt: off
NAMES = frozenset(
    [
        "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin",
        "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "floor",
        "ceil", "trunc", "fabs", "fmod", "hypot", "degrees", "radians", "isclose", "isnan",
        "isinf", "isfinite", "copysign", "gcd", "erf", "erfc", "gamma", "lgamma", "cbrt", "isqrt",
        "remainder", "dist", "prod", "fsum",
    ]
)
# fmt: on
"""Functions of `math` that are computed of plain numbers."""


def _of_numbers(name: str, otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
    function = getattr(math, name)

    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        given = [leaf for one in (*args, *keywords.values()) for _, leaf in leaves(one)]
        if all(isinstance(one, (int, float)) for one in given):
            try:
                found = number(function(*args, **keywords))
            except (ValueError, ArithmeticError, TypeError) as error:
                raise Refused(f"{str(error).rstrip('.')}.".capitalize()) from None
            if isinstance(found, float) and math.isfinite(found) and abs(found) > limits.NUMBER:
                raise Refused("This number is too large.", "", "too-large")
            return found
        if otherwise is None:
            raise Refused(f"`math.{name}` is read of numbers that are written out.")
        # `math` takes the number of an array, which no gradient passes, and JAX refuses it of a traced one.
        plain = [
            reader.builtins["float"](reader, [one], {}) if isinstance(one, Array) else one for one in args
        ]
        return otherwise(reader, *plain, **keywords)

    return read


@dataclass(eq=False)
class Random:
    """Python's own generator while a text is read; whether the text has given it a seed."""

    generator: random.Random = field(default_factory=lambda: random.Random(0))
    seeded: bool = False


def _seed(reader: Reader, a: Any = None, version: int = 2) -> None:
    if a is not None and type(a) not in (int, float, str):
        raise Refused("A seed is a whole number that is written out.", "Write random.seed(0).")
    state = reader.state(Random)
    state.generator, state.seeded = random.Random(a if a is not None else 0), a is not None


def _drawn(name: str) -> Callable[..., Any]:
    def read(reader: Reader, *args: Any, **keywords: Any) -> Any:
        state = reader.state(Random)
        if not all(type(one) in (int, float) for one in (*args, *keywords.values())):
            raise Refused(f"random.{name}() is read with numbers that are written out.")
        try:
            found = number(getattr(state.generator, name)(*args, **keywords))
        except (ValueError, TypeError, ArithmeticError) as error:
            raise Refused(f"{str(error).rstrip('.')}.".capitalize()) from None
        if state.seeded:
            return found
        if type(found) is int:
            raise Refused(
                f"random.{name}() draws another number each time.", "Write random.seed(0) before it.", "drawn"
            )
        made = constant(reader, found, "numpy", "float64")
        made.held = reader.builder.input(made.held, "")
        reader.state(Draws).unseeded.add(made.held.number)
        reader.say(reader.line, f"random.{name}() draws other numbers each time; these are an example")
        return made

    return read


def _picked(name: str) -> Callable[..., Any]:
    def read(reader: Reader, values: Any, *args: Any, **keywords: Any) -> Any:
        state = reader.state(Random)
        if not state.seeded:
            raise Refused(
                f"What random.{name}() picks is another each time.",
                "Write random.seed(0) before it.",
                "drawn",
            )
        items = values if isinstance(values, list) else reader.items(values)
        if any(type(one) is not int for one in (*args, *keywords.values())):
            raise Refused(f"random.{name}() is read with whole numbers that are written out.")
        pay_values(len(items) + sum(args) + sum(keywords.values()))
        try:
            return getattr(state.generator, name)(items, *args, **keywords)
        except (ValueError, IndexError, TypeError) as error:
            raise Refused(f"{str(error).rstrip('.')}.".capitalize()) from None

    return read


def _several(name: str) -> Callable[..., Any]:
    function = getattr(itertools, name)

    def read(reader: Reader, *args: Any, **keywords: Any) -> list[Any]:
        given = [one if type(one) is int else reader.items(one) for one in args]
        if any(type(one) is not int for one in keywords.values()):
            raise Refused(f"itertools.{name}() is read with whole numbers that are written out.")
        found: list[Any] = []
        try:
            for one in function(*given, **keywords):
                pay_values(len(one) if isinstance(one, tuple) else 1)
                room_for(found, 1)
                found.append(one)
        except (ValueError, TypeError) as error:
            raise Refused(f"{str(error).rstrip('.')}.".capitalize()) from None
        return found

    return read


def _chain(reader: Reader, *args: Any) -> list[Any]:
    found = [each for one in args for each in reader.items(one)]
    if len(found) > LENGTH:
        raise Refused(f"A list has at most {LENGTH:,} elements.", "", "too-large")
    return found


def _repeat(reader: Reader, one: Any, times: Any = None) -> list[Any]:
    if type(times) is not int or not 0 <= times <= LENGTH:
        raise Refused(f"itertools.repeat() is read with a number of times, of at most {LENGTH:,}.")
    pay_values(times)
    return [one] * times


def reduce(reader: Reader, function: Any, values: Any, *first: Any) -> Any:
    """Read `functools.reduce`."""
    items = [*first[:1], *reader.items(values)]
    if not items:
        raise Refused("reduce() of nothing has no value.", "Give it a first value.")
    total = items[0]
    for one in items[1:]:
        total = reader.call(function, [total, one], {})
    return total


def _copy(reader: Reader, value: Any) -> Any:
    """Read a copy of a list or a dictionary; what it holds is not copied."""
    if isinstance(value, (list, dict)):
        pay_values(len(value))
        return value.copy()
    is_constant = type(value) in (tuple, int, float, str, bool, type(None))
    if is_constant or (isinstance(value, Array) and value.framework == "jax"):
        return value
    raise Refused("A copy is read of lists and dictionaries.", "Make it anew.")


DRAWN = (
    "random", "uniform", "gauss", "normalvariate", "randint", "randrange", "expovariate",
    "betavariate",
)  # fmt: skip
ITERATORS = (
    "product", "combinations", "permutations", "combinations_with_replacement", "islice",
    "pairwise",
)  # fmt: skip


def install(reader: Reader) -> None:
    """Teach a reader modules of Python's own."""
    for name in NAMES:
        known = reader.tables.get(f"math.{name}") or reader.tables.get(f"numpy.{name}")
        reader.tables[f"math.{name}"] = _of_numbers(name, known)
    reader.tables["random.seed"] = _seed
    for name in DRAWN:
        reader.tables[f"random.{name}"] = _drawn(name)
    for name in ("choice", "shuffle", "sample"):
        reader.tables[f"random.{name}"] = _picked(name)
    for name in ITERATORS:
        if hasattr(itertools, name):
            reader.tables[f"itertools.{name}"] = _several(name)
    reader.tables["itertools.chain"] = _chain
    reader.tables["itertools.chain.from_iterable"] = lambda reader, values: _chain(
        reader, *reader.items(values)
    )
    reader.tables["itertools.repeat"] = _repeat
    reader.tables["functools.reduce"] = reduce
    reader.tables["copy.copy"] = _copy
