"""Write arrays: as typed numbers, which the browser formats, and as text where Python prints them itself.

web/base/numbers.js reads typed numbers and writes the same texts; golden files hold both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import copysign, isfinite, prod
from typing import Any

import numpy as np

from autodiff_viz.engine.op_derivative import changed_cotangent, local_derivative
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import ARRIVES, PASSED, Trace
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.grad_nodes import OF
from autodiff_viz.graph.model import GRAD, Graph, Node
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import MINUS, scalar
from autodiff_viz.ops.misfits import Shape

SHOWN = 3  # a vector up to this long is written out
HALF = 2  # bytes of a number of 16 bits
PLAIN = {FLOAT32: 1e6}  # from where on all digits of a number are written with a power of ten; else from 1e16
WHOLE = 1e15  # below it a number without a fraction is sent as an integer, which JSON writes in fewer bytes

Number = int | float | str
"""A number as it is sent: the shortest decimal that names it in its dtype, or "nan", "inf", "-inf", "-0"."""

Typed = Number | dict[str, Any]
"""An array as it is sent: a number, or {"numbers": all, "shape"}, or {"norm", "sign", "shape"}.

The shape of a vector that is written out is left out, and that of any other array where the reader knows it.
"""


def typed(array: np.ndarray, *, whole: bool = False, shaped: bool = True, signed: bool = False) -> Typed:
    """Return an array as it is sent, of which the browser makes every text.

    Args:
      whole: send all elements; else of a tensor that is not written out only the norm.
      shaped: send the shape; else the reader knows it, or does not show it.
      signed: send the sign with a norm.
    """
    array = np.asarray(array)
    if array.ndim == 0:
        return shortest(array[()])
    if array.size > 0 and array.ndim == 1 and array.size <= SHOWN:
        return {"numbers": [shortest(number) for number in array]}
    dims = {"shape": [*array.shape]} if shaped or not array.size else {}
    if whole:
        return {**dims, "numbers": [shortest(number) for number in array.ravel()]}
    size = {"norm": sent(norm(array))}
    return {**dims, **size, "sign": sign(array)} if signed else {**dims, **size}


def shortest(number: np.generic) -> Number:
    """Return a number as it is sent; NaN and infinities, which JSON does not have, as words.

    -0 is a word too, since a change from 0 to it would not be seen by comparing.
    """
    exactly = float(number)
    if number.itemsize == 8 or not exactly or not isfinite(exactly):
        return sent(exactly)
    return sent(float(_decimal(number)))


def sent(number: float) -> Number:
    """Return a float64 as it is sent."""
    if number and number - number == 0:
        return int(number) if -WHOLE < number < WHOLE and number.is_integer() else number
    if not number:
        return "-0" if copysign(1.0, number) < 0 else 0
    return "nan" if number != number else "inf" if number > 0 else "-inf"


def _decimal(number: np.generic) -> str:
    return _shortest(number) if number.itemsize == HALF else str(number)


def rounded(number: float, digits: int) -> Number:
    """Return a number as it is sent where fewer digits are shown: the one that `scalar` writes.

    Where a power of ten is shown it has all its digits, since `scalar` would round it a second time.
    """
    few = float(f"{number:.{digits}g}")
    return sent(few if 1e-4 <= abs(few) < 1e6 and abs(number) >= 1e-4 else number)


def short(array: np.ndarray, digits: int = 4) -> str:
    """Return a few significant digits; of a tensor its shape and Euclidean norm.

    Of a number of 16 bits no more than its dtype has.
    """
    array = np.asarray(array)
    if array.itemsize == HALF:
        digits = min(digits, DTYPES[array.dtype.name].digits)
    if array.ndim == 0:
        return scalar(float(array), digits)
    if array.ndim == 1 and array.size <= SHOWN:
        return "[" + ", ".join(scalar(float(x), 3) for x in array) + "]"
    return f"{shape(array.shape)} \u2016{scalar(norm(array), 3)}\u2016"


def full(array: np.ndarray) -> str:
    """Return all digits that the dtype holds; of a large tensor its first numbers, shape and norm."""
    array = np.asarray(array)
    if array.ndim == 0:
        return exact(array)
    numbers = ", ".join(exact(x) for x in array.ravel()[:8])
    more = ", \u2026" if array.size > 8 else ""
    dims = f"{shape(array.shape)} " if array.ndim > 1 or array.size > 8 else ""  # a row is seen to be one
    return f"{dims}[{numbers}{more}], norm {scalar(norm(array), 6)}"


def declared_and_true(declared: np.ndarray, true: np.ndarray, dtype: str) -> tuple[str, str]:
    """Return a gradient and its central difference as text; a single element with the digits of its dtype.

    The difference is computed in float64. It has float32's digits beside 16 bits, and its own where the dtype
    cannot hold it.
    """
    if declared.size == 1:
        declared, true = declared.reshape(()), true.reshape(())
        with np.errstate(over="ignore"):
            rounded = true.astype(FLOAT32 if DTYPES[dtype].half else dtype)
        is_lost = np.isfinite(true) and (not np.isfinite(rounded) or (rounded == 0) != (true == 0))
        return full(declared.astype(dtype)), scalar(float(true), 9) if is_lost else full(rounded)
    return short(declared), short(true)


def exact(number: np.ndarray) -> str:
    """Return the shortest decimal text that gives this number back in its dtype, spelled as by `scalar`.

    Both zeros are "0": the sign of a zero is no part of what a reader compares.
    """
    number = np.asarray(number)[()]
    if number == 0 or not np.isfinite(number):
        return scalar(float(number))
    decimal = shortest(number)
    size = abs(decimal if number.itemsize == HALF else float(number))
    if 1e-4 <= size < PLAIN.get(number.dtype.name, 1e16):
        return repr(decimal).removesuffix(".0").replace("-", MINUS)
    mantissa, _, exponent = np.format_float_scientific(float(decimal), trim="-").partition("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def _shortest(number: np.ndarray) -> str:
    """Return what `str` is for float32. For 16 bits `str` writes too many digits, or a power of ten early."""
    kind = number.dtype.type
    for digits in range(1, 9):
        found = float(f"{float(number):.{digits}g}")
        with np.errstate(over="ignore"):
            if kind(found) == number:
                break
    return repr(found)


def bracketed(number: np.ndarray, digits: int) -> str:
    """Return a number as a term of a sum or a product: in brackets if it is negative."""
    text = scalar(float(number), digits)
    return f"({text})" if text.startswith(MINUS) else text


def shape(lengths: tuple[int, ...]) -> str:
    """Return a shape as text, such as 3\u00d74 for (3, 4), and [3] for (3,): no factor of what follows."""
    return f"[{lengths[0]}]" if len(lengths) == 1 else "\u00d7".join(str(length) for length in lengths)


def sign(array: np.ndarray) -> int:
    """Return -1, 0 or 1; 2 for a tensor with both signs, or with NaN."""
    if np.ndim(array) == 0:
        number = float(array)
        return 2 if number != number else (number > 0) - (number < 0)
    if np.isnan(array).any():
        return 2
    positive, negative = bool((array > 0).any()), bool((array < 0).any())
    return 2 if positive and negative else int(positive) - int(negative)


# Build lines of numbers from pieces, of which some are written anew while a slider is dragged.


Term = tuple[str, str] | tuple[np.ndarray, str, str]
"""A piece of a line of numbers: (text, its role: `COTANGENT`, or ""), or (number, role, place).

The place is that in a slider's table, "" for a number that no slider changes.
"""

Terms = tuple[Term, ...]

COTANGENT = "cotangent"


def added(terms: Sequence[Term]) -> Terms:
    """Return terms with plus signs between them."""
    return tuple(piece for term in terms for piece in ((" + ", ""), term))[1:]


def place(what: str, node: str, slot: int | None = None) -> str:
    """Return where a number is in a slider's table, as web/canvas/scrub.js names it."""
    return f"{what} {node}" if slot is None else f"{what} {node}:{slot}"


def term_data(terms: Terms) -> list[list[Any]]:
    """Return pieces as they are sent; the browser writes the numbers, negative ones in brackets."""
    return [[piece[0], piece[1]] if len(piece) == 2 else [typed(piece[0]), *piece[1:]] for piece in terms]


def written(terms: Terms, digits: int, is_sum: bool = False) -> str:
    """Return pieces as one text, with negative numbers in brackets.

    Args:
      is_sum: the last number is a total, which has none.
    """
    last = len(terms) - 1 if is_sum else len(terms)
    texts = []
    for i, piece in enumerate(terms):
        if len(piece) == 2:
            texts.append(piece[0])
        else:
            texts.append(bracketed(piece[0], digits) if i < last else scalar(float(piece[0]), digits))
    return "".join(texts)


def fork_terms(graph: Graph, trace: Trace, name: str) -> Terms:
    """Return the arriving cotangent as a sum, if it has more than one contribution and all are scalars."""
    uses = consumers(graph)[name]
    parts = {wire: trace.passed[wire] for wire in uses if wire in trace.passed}
    if any((PASSED, *wire) in trace.hidden for wire in uses) or (ARRIVES, name) in trace.hidden:
        return ()
    if len(parts) + (name == trace.output) < 2 or any(part.ndim for part in parts.values()):
        return ()
    seed: list[Term] = [(trace.seed, "", "")] if name == trace.output else []
    terms: list[Term] = [*seed, *((part, "", place("passed", *wire)) for wire, part in parts.items())]
    return (*added(terms), (" = ", ""), (trace.cotangent[name], "", place("cotangent", name)))


VECTOR = 20  # characters of a vector that fit on a card


def number_text(array: np.ndarray, digits: int = 4) -> str:
    """Return a scalar or a short vector as text, with as many digits as fit; else the Euclidean norm."""
    array = np.asarray(array)
    if array.ndim == 0:
        return scalar(float(array), digits)
    return _written_out(array) or f"\u2016{scalar(norm(array), 3)}\u2016"


def _written_out(array: np.ndarray) -> str:
    """Return a short vector as text; "" for any other array and if it does not fit."""
    if array.ndim != 1 or array.size > SHOWN:
        return ""
    texts = ("[" + ", ".join(scalar(float(x), digits) for x in array) + "]" for digits in (3, 2))
    return next((text for text in texts if len(text) <= VECTOR), "")


def in_full(array: np.ndarray) -> str:
    """Return all digits of an array, or its norm if it is drawn, since its numbers are shown elsewhere."""
    return f"norm {scalar(norm(array), 6)}" if has_picture(np.shape(array)) else full(array)


def shape_text(array: np.ndarray) -> str:
    """Return the shape, such as "[3, 4]"; "" for a scalar and for a vector that is written out."""
    array = np.asarray(array)
    return "" if array.ndim == 0 or _written_out(array) else str(list(array.shape))


MOST = 12  # cells along either side


def has_picture(shape: Shape) -> bool:
    """Return whether a value of this shape is drawn: it has elements, which the card does not write out."""
    return bool(shape) and prod(shape) > (SHOWN if len(shape) == 1 else 0)


State = tuple[str, str]

DIGITS = 6  # significant digits; float32 has no more


def wire_numbers(trace: Trace, node: Node, slot: int) -> Terms:
    """Return the rule's equation with numbers, such as local × arriving = passed; only for scalars."""
    arriving, passed = trace.cotangent[node.name], trace.passed[node.name, slot]
    if arriving.ndim or passed.ndim or (node.op == GRAD and slot == OF):
        return ()
    pieces = _PIECES.split(KINDS[node.rule.kind].equation)
    if "<local>" in pieces:
        local = local_derivative(trace, node.name, slot)
        if local is None or _is_symbolic(local, arriving, passed):
            return ()
    name = node.name
    made: dict[str, Callable[[], Term]] = {
        "<local>": lambda: (local, "", place("local", name, slot)),
        "<arriving>": lambda: (arriving, COTANGENT, place("cotangent", name)),
        "<changed>": lambda: (changed_cotangent(trace, name), COTANGENT, place("changed", name)),
        "<passed>": lambda: (passed, COTANGENT, place("passed", name, slot)),
    }
    return tuple(made[piece]() if piece in made else (piece, "") for piece in pieces if piece)


def _is_symbolic(local: np.ndarray, arriving: np.ndarray, passed: np.ndarray) -> bool:
    """Return whether JAX passes a symbolic zero where the product would be NaN, such as 0 times infinity."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(passed).all() and np.isnan(local * arriving).any())


_PIECES = re.compile(r"(<\w+>)")
