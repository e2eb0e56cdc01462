"""Test that README's table of what is read has the counts of the snippets, each of which is tested beside."""

from pathlib import Path

import pytest

from tests.reading.record import snippets

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
LIBRARIES = {"JAX": "jax", "PyTorch": "torch", "TensorFlow": "tf", "NumPy and HIPS autograd": "numpy"}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_table_has_the_counts_of_the_snippets(library):
    answers = [answer for _, answer in snippets(LIBRARIES[library]).values()]
    refused = answers.count("refused")
    # Each snippet is taken with the library's own numbers, or refused where it refuses (`test_*.py`).
    assert f"| {library} | {len(answers) - refused} | 0 | {refused} | 0 |" in README
