"""Read what PyTorch's tape does in time: hooks that come and go, rules, copies, what a training keeps.

The numbers are PyTorch 2.13's (`tests/reading/record.py` records them), of every tensor that a snippet names.
"""

import json

import numpy as np
import pytest

from autodiff_viz.reading.reading import read
from tests.reading.record import FOLDER, snippets

pytestmark = pytest.mark.every

SNIPPETS = snippets("torch_time")
ANSWERS = json.loads((FOLDER / "torch_time_answers.json").read_text("utf-8"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SNIPPETS)
def test_each_tensor_is_that_of_pytorch(name):
    text, expression = SNIPPETS[name]
    reading = read(text)
    if expression == "refused":
        assert reading.refused
        return
    assert not reading.refused, reading.refused
    answers, values = reading.answers(), reading.values()
    for key, expected in ANSWERS[name].items():
        # Of what is named like a tensor the text asks for the gradient.
        got = answers[key] if f"{key}.grad" in expression else values[key]
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6, err_msg=key)
    assert ANSWERS[name]


def test_a_hook_is_a_rule_of_the_graph_and_what_it_replaces_is_not_shown():
    reading = read(
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x.sin()\n"
        "y.register_hook(lambda g: g * 3)\nz = (y * y).sum()\nz.backward()"
    )
    kinds = [node.rule.kind for node in reading.graph.nodes]
    assert kinds.count("rewrite") == 1
    assert [node.op for node in reading.graph.nodes].count("mul") == 1
