"""Test that the comments of the code that lessons show have what PyTorch and JAX give when it runs."""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.lessons.gallery import LESSONS
from tests.lessons.record_code import FILE, codes, digest, last_numbers

CODES = codes()
RUNS = json.loads(FILE.read_text("utf-8"))
NUMBER = re.compile(r"nan|-?inf|-?\d+\.?\d*(?:e-?\d+)?")


def printed(code: str) -> list[float]:
    """Return the numbers in the comment of the last line."""
    return [float(one) for one in NUMBER.findall(code.rstrip().splitlines()[-1].partition("#")[2])]


def told(code: str, numbers: list[float]) -> list[float]:
    """Return the numbers of the comment that the code does not give."""
    return [
        one
        for one in printed(code)
        if not np.isclose(numbers, one, rtol=1e-3, atol=1e-9, equal_nan=True).any()
    ]


def test_every_lesson_with_code_is_seen_and_all_of_pytorch_have_run():
    assert CODES.keys() == {found.key for found in LESSONS if found.code}
    assert {key for key, code in CODES.items() if "torch" in code} | {"torch"} == RUNS.keys()
    assert RUNS["torch"] == "2.13.0"


@pytest.mark.parametrize("key", [key for key in RUNS if key != "torch"])
def test_the_comment_is_what_pytorch_gave(key):
    ran, numbers = RUNS[key]
    assert digest(CODES[key]) == ran, "the code has changed: run tests/lessons/record_code.py again"
    assert told(CODES[key], numbers) == []


@pytest.mark.parametrize("key", [key for key in CODES if key not in RUNS])
def test_the_comment_is_what_jax_gives(key):
    assert told(CODES[key], last_numbers(CODES[key], {"jax": jax, "jnp": jnp})) == []


def test_a_comment_with_another_number_is_seen():
    assert told("x = 1\nx  # 2.0", [1.0]) == [2.0]
    assert last_numbers("x = 2\n(x * 1.5, [x])", {}) == [3.0, 2.0]
