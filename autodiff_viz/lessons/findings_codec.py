"""Encode evaluated claims, for transfer between processes and for the persistent cache; decode them.

Cached data is trusted only as far as it can be checked against the lesson: the expected number must be the
claim's own, and whether the claim holds is recomputed from the two numbers.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_viz.graph.identity import same
from autodiff_viz.lessons.evaluate import Finding, agree, claims_of, findings
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.record import Claim, Law, Lesson, Like
from autodiff_viz.workers.disk_cache import keep

Proof = tuple[tuple[Finding, ...], ...]
"""Findings about each graph of a lesson, in the order of its variants."""

KINDS = ("float32", "float64", "int32", "int64")
NUMBERS = 100_000  # greatest number of elements of an array


def prove(key: str, directory: str | None, name: bytes) -> list[Any]:
    """Evaluate all claims of the lesson `key` and cache them; runs in a worker process.

    Args:
      key: of the lesson.
      directory: of the persistent cache, None without one.
      name: key in the cache.
    Returns:
      JSON data, for `read_proof`.
    """
    found = lesson(key)
    proof = [
        [[_written(each.expected), _written(each.found)] for each in findings(found, variant)]
        for variant in range(len(found.variants))
    ]
    keep(directory and Path(directory), name, proof)
    return proof


def read_proof(data: Any, lesson: Lesson) -> Proof:
    """Decode what `prove` returned for `lesson`.

    Raises:
      ValueError: `data` is not of this lesson.
    """
    if not isinstance(data, list) or len(data) != len(lesson.variants):
        raise ValueError("it is not of the graphs of the lesson")
    return tuple(_findings(found, claims_of(lesson, variant)) for variant, found in enumerate(data))


def _findings(data: Any, claims: tuple[Claim, ...]) -> tuple[Finding, ...]:
    if not isinstance(data, list) or len(data) != len(claims):
        raise ValueError("it is not of the claims of the lesson")
    return tuple(map(_finding, data, claims))


def _finding(data: Any, claim: Claim) -> Finding:
    if not isinstance(data, list) or len(data) != 2:
        raise ValueError("a claim has a number that is expected and one that was found")
    expected, found = map(_array, data)
    named = not isinstance(claim.expected, Law | Like)
    if named and not same(expected, np.asarray(claim.expected)):
        raise ValueError("the claim expects another number")
    return Finding(claim, expected, found, agree(found, expected, claim))


def _written(array: np.ndarray) -> dict[str, Any]:
    return {"kind": str(array.dtype), "shape": list(array.shape), "numbers": array.ravel().tolist()}


def _array(data: Any) -> np.ndarray:
    match data:
        case {"kind": str(kind), "shape": [*shape], "numbers": [*numbers]} if kind in KINDS:
            lengths = all(type(length) is int and 0 <= length <= NUMBERS for length in shape)
            if lengths and len(numbers) == prod(shape) and {*map(type, numbers)} <= {int, float}:
                with suppress(OverflowError):  # a number out of the dtype's range
                    return np.asarray(numbers, kind).reshape(shape)
    raise ValueError("it is no array")
