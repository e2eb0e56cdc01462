"""What the browser may ask for."""

import pytest

from autodiff_viz.ui.sweeps.component import is_want


def test_names_and_keys_are_a_question():
    assert is_want({"kind": "want", "inputs": [["x", "1a"], ["y", "2b"]]})


@pytest.mark.parametrize(
    "inputs", [None, "x", {"x": "1a"}, ["x"], [["x"]], [["x", 1]], [["x", "1a", "2"]], [["x", "1a"]] * 25]
)
def test_anything_else_is_none(inputs):
    assert not is_want({"kind": "want", "inputs": inputs})
    assert not is_want({"kind": "move", "inputs": []})
