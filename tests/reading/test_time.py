"""Read what a tape does in time: hooks that come and go, rules of one's own, what a training keeps.

The numbers are those of PyTorch 2.13 and of JAX (`tests/reading/record.py` records them).
"""

import json

import numpy as np
import pytest

from autodiff_viz.reading.reading import read
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

pytestmark = pytest.mark.every

DIALECTS = ("torch_time", "jax_rules")
SNIPPETS = {(dialect, name): text for dialect in DIALECTS for name, text in snippets(dialect).items()}
ANSWERS = {one: json.loads((FOLDER / f"{one}_answers.json").read_text("utf-8")) for one in DIALECTS}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("dialect", "name"), SNIPPETS, ids=[name for _, name in SNIPPETS])
def test_each_number_is_that_of_the_library(dialect, name):
    text, expression = SNIPPETS[dialect, name]
    reading = read(text)
    if expression in NO_ANSWERS:
        assert reading.refused
        return
    assert not reading.refused, reading.refused
    values = reading.values()
    for key, expected in ANSWERS[dialect][name].items():
        # Of what is named like a tensor the text asks for the gradient.
        got = reading.answers()[key] if f"{key}.grad" in expression else values[key]
        if expected is None:
            assert got is None, key
            continue
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6, err_msg=key)
    assert ANSWERS[dialect][name]


def test_what_a_rule_of_tensorflow_saves_passes_nothing():
    """By hand: the rule passes 0 at 0 and 1 / (2 * 2) at 4; what it saves has an infinite slope at 0."""
    reading = read(
        "import tensorflow as tf\n@tf.custom_gradient\ndef f(x):\n    s = tf.sqrt(x)\n    def grad(g):\n"
        "        return tf.where(x > 0, g * 0.5 / tf.where(x > 0, s, 1.0), 0.0)\n"
        "    return tf.identity(s), grad\nx = tf.Variable([0.0, 4.0])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(f(x))\ng = tape.gradient(y, x)"
    )
    assert reading.refused == ()
    np.testing.assert_allclose(reading.answers()["x"], [0.0, 0.25])


def test_a_hook_is_a_rule_of_the_graph_and_what_it_replaces_is_not_shown():
    reading = read(
        "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x.sin()\n"
        "y.register_hook(lambda g: g * 3)\nz = (y * y).sum()\nz.backward()"
    )
    kinds = [node.rule.kind for node in reading.graph.nodes]
    assert kinds.count("rewrite") == 1
    assert [node.op for node in reading.graph.nodes].count("mul") == 1
