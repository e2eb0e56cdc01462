"""Set up the tests of ops: strict dtype promotion, and float64 where a test requests it."""

import jax
import pytest


@pytest.fixture(autouse=True)
def _strict_dtype_promotion():
    """An op that mixes dtypes fails, as it would in a program that is strict about them."""
    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield
