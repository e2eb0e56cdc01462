"""Read programs that were written at random: their numbers are the library's, or they are refused.

The numbers of PyTorch and TensorFlow are recorded (`record_programs`); JAX computes its own here.
"""

import json

import jax
import numpy as np
import pytest

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.programs import jax_program
from tests.reading.record_programs import PROGRAMS, WRITERS, path_of
from tests.reading.training_programs import training_program
from tests.seeds import seeded
from tests.thorough import THOROUGH

RECORDED = {dialect: json.loads(path_of(dialect).read_text("utf-8")) for dialect in WRITERS}
MOST = 0.85  # of the programs that the library runs are read


@pytest.mark.sampled(12)
@pytest.mark.parametrize("dialect", WRITERS)
@pytest.mark.parametrize("first", range(0, PROGRAMS, 5))
def test_numbers_of_a_program_are_those_of_its_library(first, dialect):
    taken = compared = 0
    for seed in range(first, first + 5):
        text, right = WRITERS[dialect](seed), RECORDED[dialect][str(seed)]
        values = values_of(text)
        if right is None or values is None:
            taken += right is None  # the library raises an error, so that nobody asks for its numbers
            continue
        taken += 1
        for name, expected in right.items():
            assert name in values, (seed, name)
            np.testing.assert_allclose(
                values[name], expected, rtol=2e-4, atol=2e-5, err_msg=f"{name} of program {seed}"
            )
            compared += 1
    assert compared
    assert taken >= 5 * MOST - 1


def values_of(text):
    """The numbers of a text by name; None if it is refused."""
    reading = read(text)
    if reading.refused:
        assert all(one.code != "reader-fault" for one in reading.refused), text
        return None
    try:
        return reading.values()
    except GraphError:
        return None


@pytest.mark.longer
def test_numbers_of_a_program_are_those_of_jax():
    taken = 0
    count = 200 if THOROUGH else 3
    for seed in range(seeded(0), seeded(0) + count):
        text = jax_program(seed)
        names: dict[str, object] = {}
        try:
            exec(compile(text, f"program {seed}", "exec"), names)
        except TypeError:  # forward mode through a rule of reverse mode
            assert read(text).refused, text
            continue
        values = values_of(text)
        if values is None:
            continue
        taken += 1
        for name, expected in names.items():
            if isinstance(expected, jax.Array) and name[0] in "yzu":
                np.testing.assert_allclose(
                    values[name], expected, rtol=2e-3, atol=1e-4, err_msg=f"{name} of program {seed}"
                )
    assert taken >= count // 2


@pytest.mark.longer
def test_numbers_of_a_training_in_jax_are_those_of_jax():
    taken = 0
    count = 100 if THOROUGH else 2
    for seed in range(seeded(0), seeded(0) + count):
        text = training_program(seed)
        names: dict[str, object] = {}
        exec(compile(text, f"training {seed}", "exec"), names)
        values = values_of(text)
        if values is None:
            continue
        taken += 1
        for name, expected in names.items():
            if isinstance(expected, jax.Array) and name.startswith("y_"):
                np.testing.assert_allclose(
                    values[name], expected, rtol=2e-3, atol=1e-4, err_msg=f"{name} of training {seed}"
                )
    assert taken >= count // 2
