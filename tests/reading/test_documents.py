"""Test that the programs of the documents are read as they stand there, with the numbers printed there."""

import json

import numpy as np
import pytest

from autodiff_viz import GraphError
from autodiff_viz.reading.reading import read
from tests.reading.record_documents import FOLDER, programs

DRAW = "tf.random_uniform(tf.shape(x), minval=0.9, maxval=1.1)"
FIRST = [4.1626534 / 4, 0.9370764, 1.0806011]  # y * u as printed, over y = [4, 1, 1]
SECOND = [3.65438652 / 4, 1.07519293, 0.94398856]
PRINTED = {
    "noise": (
        FIRST,
        {"yv": [4, 1, 1], "yuv": [4.1626534, 0.9370764, 1.0806011], "zv": [2.0402582, 0.96802706, 1.0395197]},
        [-1.0201291, -0.96802706, 1.0395197],
    ),
    "noise_last": (
        SECOND,
        {
            "yv": [4, 1, 1],
            "yuv": [3.65438652, 1.07519293, 0.94398856],
            "zv": [1.91164494, 1.03691506, 0.97159076],
        },
        [-1, -1, 1],
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_noisy_programs_give_the_printed_numbers(name):
    draw, values, gradient = PRINTED[name]
    text = programs()[name]
    assert text.count(DRAW) == 1
    reading = read(text.replace(DRAW, f"tf.constant({draw})"))
    assert not reading.refused
    assert reading.dialect == "tf"
    np.testing.assert_allclose(reading.answers()["x"], gradient, rtol=1e-6)
    computed = reading.values()
    for key, printed in values.items():
        np.testing.assert_allclose(computed[key], printed, rtol=1e-6, err_msg=key)
    np.testing.assert_allclose(computed["gv"], gradient, rtol=1e-6)


def test_a_gradient_of_drawn_noise_is_refused_at_the_draw():
    reading = read(programs()["noise"])
    assert not reading.refused
    with pytest.raises(GraphError, match=r"tf\.random\.uniform draws") as raised:
        reading.answers()
    assert raised.value.problems[0].line == 6


def test_the_answer_of_the_document_needs_no_draw():
    # The second program is the answer to the question: its gradient is sign(x) whatever the noise.
    np.testing.assert_array_equal(read(programs()["noise_last"]).answers()["x"], [-1, -1, 1])


def test_the_split_model_is_read_as_it_stands():
    reading = read(programs()["split_model"])
    assert not reading.refused
    assert {"out_layer_0", "out_layer_2", "loss"} <= {node.name for node in reading.graph.nodes}
    assert any("lost their indentation" in change.says for change in reading.changes)
    with pytest.raises(GraphError, match="draws"):
        reading.answers()


def test_the_split_model_gives_the_gradients_of_tensorflow():
    recorded = json.loads((FOLDER / "split_model.json").read_text("utf-8"))
    text = programs()["split_model"]
    given = {
        "tf.random.uniform((3, 10, 10, 1))": f"tf.constant({recorded['x']})",
        "tf.cast(tf.random.uniform((3, 1)) > 0.5, tf.float32)": f"tf.constant({recorded['y']})",
    }
    for drawn, numbers in given.items():
        assert drawn in text
        text = text.replace(drawn, numbers)
    kernels = [weights[0] for weights in recorded["weights"]]
    for layer, kernel in zip(('activation="relu")', 'activation="relu")', "Dense(1)"), kernels, strict=True):
        before, _, after = text.partition(layer)
        constant = f", kernel_initializer=tf.keras.initializers.Constant({kernel}))"
        # The mark keeps the next round from this layer.
        text = before + layer.replace("relu", "RELU")[:-1] + constant + after
    reading = read(text.replace("RELU", "relu"))
    assert not reading.refused
    computed = reading.values()
    for name, expected in recorded["gradients"].items():
        parts = (
            {name: expected} if name in computed else {f"{name}.{i}": one for i, one in enumerate(expected)}
        )
        for key, numbers in parts.items():
            np.testing.assert_allclose(computed[key], numbers, rtol=2e-4, atol=2e-6, err_msg=key)
    answers = reading.answers()  # by each, the last that the text asks for
    last = {
        "sequential_2/dense/kernel": recorded["gradients"]["ref_conv_dOut2_dWeights2"][0],
        "sequential/conv2d/bias": recorded["gradients"]["ref_conv_dOut0_dWeights0"][1],
        "out_layer_0": recorded["gradients"]["ref_conv_dOut1_dOut0"],
        "out_layer_2": recorded["gradients"]["ref_conv_dLoss_dY"],
    }
    for key, numbers in last.items():
        np.testing.assert_allclose(answers[key], numbers, rtol=2e-4, atol=2e-6, err_msg=key)
