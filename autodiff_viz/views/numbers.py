"""Format arrays as text: short for a card, in full for a tooltip."""

from __future__ import annotations

import numpy as np

from autodiff_viz.engine.norm import norm as norm
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.text.text_format import MINUS, scalar

SHOWN = 3  # a vector up to this long is written out
HALF = 2  # bytes of a number of 16 bits


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
    return f"{shape(array.shape)} [{numbers}{more}], norm {scalar(norm(array), 6)}"


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
    text = _shortest(number) if number.itemsize == HALF else str(number)
    mantissa, _, exponent = text.partition("e")
    plain = mantissa.removesuffix(".0")
    return (f"{plain}e{int(exponent)}" if exponent else plain).replace("-", MINUS)


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
    """Return a shape as text, such as 3\u00d74 for (3, 4)."""
    return "\u00d7".join(str(length) for length in lengths)


def sign(array: np.ndarray) -> int:
    """Return -1, 0 or 1; 2 for a tensor with both signs, or with NaN."""
    if np.ndim(array) == 0:
        number = float(array)
        return 2 if number != number else (number > 0) - (number < 0)
    if np.isnan(array).any():
        return 2
    positive, negative = bool((array > 0).any()), bool((array < 0).any())
    return 2 if positive and negative else int(positive) - int(negative)
