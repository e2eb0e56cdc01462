"""What the catalog says of an op: one frozen record, from which everything else follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jax import Array

SCALAR: tuple[int, ...] = ()


class Refusal(ValueError):
    """Why an op takes no such shapes or parameters, in our words rather than JAX's."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an op, set in its node and never differentiated.

    `kind` says how the language and the inspector read it: "int", "float", "bool", "axis" (int or None),
    "axes" (tuple of ints, or None), "shape" (tuple of lengths), "new_shape" (the same, where -1 stands for
    what is left over), "index" (see `ops.indexing`), "seed", "choice" (one of the words in `choices`).
    A static parameter is part of what is compiled; the others are passed at run time, so that
    changing them (a noise seed) compiles nothing.
    """

    name: str
    kind: str
    default: Any = None
    doc: str = ""
    static: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Op:
    """One op of the catalog.

    Attributes:
      name: as written in a formula; that of the function in jax.numpy or jax.nn where there is one.
      group: heading in the palette.
      symbol: what the node shows, a few characters.
      doc: one line for the palette and the inspector, with a full stop.
      aliases: what else people call it, in lower case: words and signs to find it by, and names in other
        libraries, which a mistyped formula is answered with. Spaces and underscores count for nothing.
      apply: JAX function of the slots' arrays (all of one float dtype), with the parameters as
        keywords; returns one array of that dtype. An op without slots also takes `dtype`.
      source: the same as an expression of jnp and jax, for an exported program, in which slots and
        parameters stand under their names. A parameter given by keyword is left out at its default, so
        that default must be JAX's own.
      source64: the same in float64, for an op whose `source` is float32 whatever it meets: noise.
      slots: names of the input slots, used as `<name>` in the LaTeX below.
      latex: the op, with `<slot>` for its operands and `<param>` for its parameters.
      derivative: per slot, LaTeX of what the pullback does. For an elementwise op the local derivative,
        which multiplies the arriving cotangent; for the others the passed cotangent as an expression
        in `\\bar y`. May use `<slot>` and `y` for the node's value.
      elementwise: output element i depends on element i of each (broadcast) input alone.
      domain: per slot, a (low, high) range in which central differences are meaningful.
      examples: shapes of the slots to test with, one tuple per example, and parameters for each.
      prepared: what a compiled op takes in place of its run-time parameters, as keywords of `apply`. Worked
        out of them in Python, whose numbers have 16 digits, where float32 has too few. None: they themselves.
      params: the parameters, in the order of positional arguments after the slots.
      variadic: takes any number of arrays, as a list in a formula; `slots` then names one.
      broadcasts: though not elementwise, it brings its inputs to one shape by NumPy's rules first.
      infix: operator in a formula, such as "+"; "" for none.
      kinks: input values at which the derivative jumps; tests stay clear of them.
    """

    name: str
    group: str
    symbol: str
    doc: str
    apply: Callable[..., Array]
    source: str
    slots: tuple[str, ...]
    latex: str
    derivative: tuple[str, ...]
    elementwise: bool = True
    domain: tuple[tuple[float, float], ...] = ()
    examples: tuple[tuple[tuple[tuple[int, ...], ...], dict[str, Any]], ...] = ()
    params: tuple[Param, ...] = ()
    variadic: bool = False
    broadcasts: bool = False
    infix: str = ""
    kinks: tuple[float, ...] = ()
    aliases: tuple[str, ...] = ()
    prepared: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    source64: str = ""

    def param(self, name: str) -> Param | None:
        return next((param for param in self.params if param.name == name), None)
