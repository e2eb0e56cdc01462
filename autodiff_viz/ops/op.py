"""Describe an op as one frozen `Op` record, which palette, language and exporter read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jax import Array

# List shapes with which the tests call many ops; see `Op.examples`.


ONE = (
    (((),), {}),
    (((2, 3),), {}),
)
TWO = (
    (((), ()), {}),
    (((2, 3), ()), {}),
    (((2, 1), (3,)), {}),
)
THREE = (
    (((), (), ()), {}),
    (((2, 3), (), (3,)), {}),
)

SCALAR: tuple[int, ...] = ()
ORDINALS = "first", "second", "third"
MARKED = re.compile(r"<(\w+)>")


class Refusal(ValueError):
    """Raised by an op for shapes or parameters that it does not take, with a message of our own."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an op: set in its node, never differentiated.

    Attributes:
      name: keyword in a formula.
      kind: type for the language and the inspector: "int", "float", "bool", "axis" (int or None), "axes"
        (tuple of ints, or None), "shape" (tuple of lengths), "new_shape" (the same, where -1 is the length
        that is left over), "index" (see `ops.indexing`), "seed", "choice" (one of `choices`).
      default: value if it is not given.
      doc: one line, with a full stop.
      static: whether it is part of the compiled op, as `static_argnames` of `jax.jit`. The others are passed
        at run time, so that a change (of a noise seed, say) compiles nothing.
      choices: words that the kind "choice" takes.
    """

    name: str
    kind: str
    default: Any = None
    doc: str = ""
    static: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Op:
    r"""One op of the catalog.

    Attributes:
      name: as written in a formula; that of the function in jax.numpy or jax.nn where there is one.
      group: heading in the palette.
      symbol: a few characters that the node shows.
      doc: one line for the palette and the inspector, with a full stop; `documented` writes it with names for
        each `<slot>`.
      aliases: search words and signs, and names in other libraries with which a mistyped formula is answered;
        in lower case. Spaces and underscores are ignored.
      apply: JAX function of the slots' arrays (all of one float dtype), with the parameters as keywords;
        returns one array of that dtype. An op without slots also takes `dtype`.
      source: the same as an expression of jnp and jax, for an exported program, with slots and parameters by
        name. A parameter given by keyword is left out at its default, so that default must be JAX's own.
      source64: the same in float64, for an op whose `source` is float32 for every dtype: noise.
      slots: names of the input slots, used as `<name>` in the LaTeX below.
      words: what the slots are called in sentences where their names say little; see `inputs`.
      latex: the op, with `<slot>` for its operands and `<param>` for its parameters.
      derivative: per slot, LaTeX of the pullback. For an elementwise op the local derivative, which
        multiplies the arriving cotangent; for the others the passed cotangent as an expression in `\bar y`.
        May use `<slot>`, and `y` for the node's value.
      elementwise: whether output element i depends on element i of each (broadcast) input alone.
      domain: per slot, a (low, high) range in which central differences are meaningful.
      examples: shapes of the slots to test with, one tuple per example, and parameters for each.
      prepared: converts run-time parameters to keywords of `apply`, in Python's float64 where float32 has too
        few digits. None: they are passed unchanged.
      params: the parameters, in the order of positional arguments after the slots.
      variadic: whether it takes any number of arrays, as a list in a formula; `slots` then names one.
      broadcasts: whether an op that is not elementwise broadcasts its inputs by NumPy's rules.
      infix: operator in a formula, such as "+"; "" for none.
      kinks: input values at which the derivative jumps; tests keep away from them.
      of_graph: whether its value depends on how its inputs are computed, not on their arrays; then the engine
        computes it, and `apply` refuses.
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
    of_graph: bool = False
    words: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The slots in words: a name of one letter could be that of a node."""
        if self.words:
            return self.words
        one = len(self.slots) == 1
        return tuple(
            slot if len(slot) > 1 else "input" if one else f"{ORDINALS[i]} input"
            for i, slot in enumerate(self.slots)
        )

    def documented(self, operands: Sequence[str] = ()) -> str:
        """Return the doc with these operands, by default with the names of the slots."""
        names = dict(zip(self.slots, operands or self.slots, strict=False))
        return MARKED.sub(lambda match: names[match[1]], self.doc)

    def param(self, name: str) -> Param | None:
        """Return the parameter of this name, or None."""
        return next((param for param in self.params if param.name == name), None)
