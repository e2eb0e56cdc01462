"""Read programs of views and changes in place: their numbers are those of the library, or they are refused."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.memory_programs import NUMPY_BEGIN, numbers_of, numpy_statement, written
from tests.reading.record import FOLDER
from tests.seeds import seeded
from tests.thorough import THOROUGH


def differences(text: str, numbers: dict, error: str) -> list[str] | None:
    """Return what a reading gives other than the library; None if it is refused."""
    reading = read(text)
    if reading.refused:
        assert all(problem.code != "reader-fault" for problem in reading.refused), text
        return None
    if error:
        return [f"is read, and the library raises {error}"]
    values = reading.values()
    try:
        answers = reading.answers()
    except GraphError:
        answers = {}
    wrong = []
    for path, right in numbers.items():
        grad = path.endswith(".grad")
        name = path.removesuffix(".grad")
        if grad and name not in answers:
            continue
        found = answers[name] if grad else values.get(name)
        if found is None or right is None:
            if grad and (found is None) != (right is None) and np.any(found):
                wrong.append(f"{path} is {found}, not {right}")
            continue
        right = np.asarray(right, float)
        if np.shape(found) != right.shape or not np.allclose(found, right, 1e-5, 1e-6, equal_nan=True):
            wrong.append(f"{path} is {np.asarray(found).tolist()}, not {right.tolist()}")
    return wrong
