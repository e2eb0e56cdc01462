"""Read an option that is given by its place as the one that NumPy or JAX has at that place."""

import inspect

import jax
import jax.nn
import jax.numpy as jnp
import jax.scipy.special
import jax.scipy.stats
import numpy as np
import pytest

from autodiff_viz.reading.functions.arrays import FUNCTIONS

LIBRARIES = {"numpy": (jnp, np), "nn": (jax.nn,), "lax": (jax.lax,), "scipy": (jax.scipy,)}
OPTIONS = {"out", "dtype", "copy"}
"""Parameters for which another one may not stand."""


def signatures(name: str) -> list[list[str]]:
    """Return the parameters that can be given by place, of a function in each library that has it."""
    module, *path = name.split(".")
    found = []
    for value in LIBRARIES.get(module, ()):
        for part in path:
            value = getattr(value, part, None)
        try:
            parameters = inspect.signature(value).parameters.values() if callable(value) else ()
        except (TypeError, ValueError):
            continue
        if parameters:
            found.append([one.name for one in parameters if one.kind.name.startswith("POSITIONAL")])
    return found


def misplaced(ours: list[str], theirs: list[str]) -> list[tuple[str, str]]:
    """Return pairs of our parameter and theirs at one place that are not the same."""
    pairs = zip(ours[1:], theirs[1:], strict=False)
    return [(a, b) for a, b in pairs if a != b and (a in theirs or b in OPTIONS)]


CHECKED = sorted(name for name in FUNCTIONS if signatures(name))


def test_most_functions_are_checked():
    assert len(CHECKED) > 250


@pytest.mark.every
@pytest.mark.parametrize("name", CHECKED)
def test_an_option_by_place_is_that_of_the_library(name):
    parameters = [*inspect.signature(FUNCTIONS[name]).parameters.values()][1:]  # without the reader
    ours = [one.name for one in parameters if one.kind.name.startswith("POSITIONAL") and one.name[0] != "_"]
    for theirs in signatures(name):
        assert misplaced(ours, theirs) == []


def test_what_is_misplaced_is_found():
    assert misplaced(["x", "axis", "keepdims"], ["a", "axis", "out", "keepdims"]) == [("keepdims", "out")]
    assert misplaced(["x", "axis"], ["a", "axis", "out"]) == []
