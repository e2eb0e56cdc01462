"""Encode evaluated claims as JSON data, for transfer between processes and for the persistent cache.

Cached data is trusted only as far as it can be checked against the lesson: the expected number must be the
claim's own, and whether the claim holds is computed again from the two numbers.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.identity import same
from autodiff_viz.lessons.evaluate import Finding, agree, claims_of, findings
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.lesson import Law, Lesson, Like
from autodiff_viz.workers.disk_cache import keep

Proof = tuple[tuple[Finding, ...], ...]
"""Findings about each graph of a lesson, in the order of its steps."""

KINDS = (*DTYPES, "int32", "int64")
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
    proved = lesson(key)
    proof = [
        [[_written(each.expected), _written(each.computed)] for each in findings(proved, variant)]
        for variant in range(len(proved.steps))
    ]
    keep(directory and Path(directory), name, proof)
    return proof


def read_proof(data: Any, lesson: Lesson) -> Proof:
    """Decode what `prove` returned for `lesson`.

    Raises:
      ValueError: `data` is not of this lesson.
    """
    if not isinstance(data, list) or len(data) != len(lesson.steps):
        raise ValueError("it is not of the graphs of the lesson")
    proof: list[tuple[Finding, ...]] = []
    for variant, pairs in enumerate(data):
        claims = claims_of(lesson, variant)
        if not isinstance(pairs, list) or len(pairs) != len(claims):
            raise ValueError("it is not of the claims of the lesson")
        checked = []
        for pair, claim in zip(pairs, claims, strict=True):
            if not isinstance(pair, list) or len(pair) != 2:
                raise ValueError("a claim has a number that is expected and one that was found")
            expected, computed = map(_array, pair)
            # The number of a law, or of another graph, would have to be computed anew to be compared.
            named = not isinstance(claim.expected, Law | Like)
            if named and not same(expected, np.asarray(claim.expected)):
                raise ValueError("the claim expects another number")
            checked.append(Finding(claim, expected, computed, agree(computed, expected, claim)))
        proof.append(tuple(checked))
    return tuple(proof)


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
