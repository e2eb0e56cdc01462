"""Ask a library for the numbers of a case: JAX, NumPy and HIPS autograd live, others by what was recorded."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import autograd.numpy
import autograd.scipy.special
import jax
import jax.scipy
import numpy as np
import scipy.linalg
import scipy.special

from tests.reading.grid.record import numbers
from tests.reading.grid.rows import FOLDER, Call
from tests.reading.grid.texts import Case

Numbers = Mapping[str, np.ndarray | None]

RECORDED = ("torch", "tf")
MODULES: dict[str, dict[str, Any]] = {
    "jax": {"jnp": jax.numpy, "lax": jax.lax, "jax": jax, "ndarray": jax.numpy.zeros(1)},
    "numpy": {"np": np, "scipy": scipy, "ndarray": np.zeros(1)},
    "autograd": {"np": autograd.numpy, "scipy": autograd.scipy},
    "math": {"math": math},
}
"""What the names of a dialect are looked up in where its library is installed with the tests."""


@cache
def recorded(dialect: str) -> dict[str, Any]:
    """Return what `record.py` has written."""
    return json.loads((FOLDER / f"{dialect}_answers.json").read_text("utf-8"))


def has(call: Call) -> bool:
    """Return whether a library has the function of a call."""
    if call.dialect in RECORDED:
        return call.name not in recorded(call.dialect)["absent"]
    path = call.name if call.name.startswith("ndarray.") else call.code.partition("(")[0]
    first, *rest = path.split(".")
    found = MODULES[call.dialect].get(first)
    for name in rest:
        found = getattr(found, name, None)
    return found is not None or first not in MODULES[call.dialect]


def numbers_of(case: Case) -> Numbers | None:
    """Return the numbers of a case by its own library; None if it raises an error."""
    if case.call.dialect not in RECORDED:
        return run(case)
    answer = recorded(case.call.dialect)["answers"].get(case.name)
    return None if answer is None else {name: _array(case, one)[0] for name, one in answer.items()}


def errors_of(case: Case) -> Numbers:
    """Return how far a library's numbers are from its own ones in double precision, where it has them."""
    if case.call.dialect in RECORDED:
        answer = recorded(case.call.dialect)["answers"].get(case.name, {})
        return {name: _array(case, one)[1] for name, one in answer.items()}
    if case.call.dialect != "jax":
        return {}  # they compute in double precision as it is
    right, wide = run(case), run(case, wide=True)
    if right is None or wide is None:
        return {}
    pairs = {name: (value, wide[name]) for name, value in right.items()}
    with np.errstate(all="ignore"):
        return {
            name: np.nan_to_num(np.abs(a.astype(float) - b), nan=0.0, posinf=0.0)
            for name, (a, b) in pairs.items()
            if a.shape == b.shape
        }


def _array(case: Case, place: int | None) -> Any:
    return (None, None) if place is None else numbers(recorded(case.call.dialect)["arrays"][place])


def run(case: Case, wide: bool = False) -> Numbers | None:
    """Run a text of ours, in double precision if wanted; return None if its library raises an error."""
    names: dict[str, object] = {}
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        jax.enable_x64(wide),
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
    ):
        warnings.simplefilter("ignore")
        try:
            exec(compile(case.text, case.name, "exec"), names)
            return {one: np.asarray(names[one]) for one in case.values}
        except Exception:
            return None
