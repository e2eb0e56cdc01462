"""Test that TensorFlow's texts give what TensorFlow answers, and are refused where it raises or draws."""

import json

import numpy as np
import pytest

from autodiff_viz import GraphError
from autodiff_viz.reading.reading import read, with_indentation
from tests.reading.record import FOLDER, NO_ANSWERS, snippets

pytestmark = pytest.mark.every

SNIPPETS = snippets("tf")
ANSWERS = json.loads((FOLDER / "tf_answers.json").read_text("utf-8"))
BEGIN = "import tensorflow as tf\nimport numpy as np\n"


def message(text):
    """Return what the refusal of a text says."""
    reading = read(BEGIN + text)
    assert reading.refused, "this is read"
    return " ".join(f"{problem.message} {problem.hint}" for problem in reading.refused)


def slope(text, x, name="x"):
    """Return the gradient of y by x, by a tape around a line of code."""
    reading = read(
        f"{BEGIN}x = tf.Variable({x})\nwith tf.GradientTape() as t:\n    y = {text}\ng = t.gradient(y, x)"
    )
    assert not reading.refused, reading.refused
    return reading.answers()[name]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SNIPPETS)
def test_answers_are_those_of_tensorflow(name):
    text, expression = SNIPPETS[name]
    reading = read(text)
    if expression in NO_ANSWERS:
        assert reading.refused
        return
    assert not reading.refused, reading.refused
    answers = reading.answers()
    for key, expected in ANSWERS[name].items():
        if expected is None:
            assert answers[key] is None
        else:
            np.testing.assert_allclose(
                answers[key], np.array(expected, float), rtol=3e-5, atol=2e-7, err_msg=key
            )


# Measured with TensorFlow 2.21: (code, x, gradient); JAX's would differ at the corner.
CORNERS = [
    ("tf.abs(x)", 0.0, 0.0),
    ("tf.maximum(x, 1.0)", 1.0, 1.0),
    ("tf.minimum(1.0, x)", 1.0, 0.0),
    ("tf.clip_by_value(x, -1.0, 1.0)", 1.0, 1.0),
    ("tf.sqrt(x) * 0.0", 0.0, 0.0),
    ("tf.math.rsqrt(x) * 0.0", 0.0, 0.0),
    ("tf.where(x > 0.0, 1.0 / x, 0.0)", 0.0, np.nan),
    ("tf.where(x > 0.0, tf.math.reciprocal(x), 0.0)", 0.0, 0.0),
    ("tf.where(x > 0.0, x ** 0.5, 0.0)", 0.0, np.nan),
    ("tf.norm(tf.stack([x, x]))", 0.0, np.nan),
    ("x ** 0", 0.0, np.nan),
    ("tf.nn.leaky_relu(x)", 0.0, 0.2),
    ("tf.nn.relu6(x)", 6.0, 0.0),
    ("tf.nn.selu(x)", 0.0, 1.050701),
    ("tf.nn.gelu(x)", 1.0, 1.083315),
    ("tf.math.divide_no_nan(x, 0.0)", 1.0, 0.0),
    ("tf.math.xlogy(x, x)", 0.0, 0.0),
    ("x * tf.math.log(x)", 0.0, np.nan),
    ("tf.math.reduce_std(tf.stack([x, 1.0]))", 1.0, np.nan),
    ("tf.nn.l2_normalize(tf.stack([x, 0.0]), axis=0)[0]", 0.0, 1e6),
    ("tf.reduce_max(tf.stack([x, 1.0]))", 1.0, 0.5),
    ("tf.sort(tf.stack([x, 1.0]), direction='DESCENDING')[0]", 1.0, 1.0),
]


@pytest.mark.parametrize(("code", "x", "expected"), CORNERS)
def test_slopes_at_corners_are_tensorflows(code, x, expected):
    np.testing.assert_allclose(slope(code, x), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "code",
    [
        "tf.round(x)",
        "tf.floor(x) * 2.0",
        "tf.cast(tf.cast(x, tf.int32), tf.float32)",
        "tf.stop_gradient(x) * 3.0",
        "tf.cast(x > 1.0, tf.float32)",
        "tf.where(x > 1.0, 2.0, 3.0)",
        "tf.ones_like(x)",
        "np.float32(3.0) * tf.constant(x.numpy())",
        "tf.constant(2.0) * float(x)",
    ],
)
def test_what_nothing_recorded_leads_to_is_none(code):
    assert slope(code, 2.5) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = tf.constant(1)\ny = x * 2.5", "Cannot convert 2.5 to EagerTensor of dtype int32"),
        ("y = tf.constant(1.0, tf.float64) * tf.constant(1.0)", "tf.cast"),
        ("y = tf.sqrt(tf.constant(4))", "takes floats"),
        ("y = tf.constant([1.0, 2.0]).sum()", "no `.sum` that is read"),
        ("x = tf.constant(1.0)\nx.assign(2.0)", "Only a tf.Variable can be assigned to"),
        ("x = tf.Variable([1.0, 2.0])\nx.assign([1.0])", "shape mismatch"),
        ("x = tf.Variable(1.0)\ny = tf.reduce_mean(x, keep=True)", "not read with these arguments"),
        ("layer = tf.keras.layers.Dense(1, kernel_regularizer='l2')", "not read with kernel_regularizer"),
        ("opt = tf.keras.optimizers.SGD(0.1, clipnorm=1.0)", "not read with clipnorm"),
        (
            "x = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = x.numpy() * 2.0\nt.gradient(y, x)",
            "NumPy's array",
        ),
        (
            "x = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = x\nt.gradient(None, x)",
            "`target` is None",
        ),
        ("y = tf.linalg.svd([[1.0]])", "not read yet"),
        ("y = tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]])", "has no inverse"),
        ("a = tf.TensorArray(tf.float32, 1)\na.write(1, 2.0)", "not resizeable and size is: 1"),
        ("a = tf.TensorArray(tf.float32, 1)\na.write(0, 2.0).read(0)\na.read(0)", "twice"),
        ("a = tf.TensorArray(tf.float32, 2)\na.write(0, 2.0).stack()", "once all its elements"),
        ("y = tf.gather([[1.0, 2.0]], [0, 1], batch_dims=1)", "of one length"),
        ("y = tf.transpose(tf.constant([[1, 2]])) * 0.5", "Cannot convert 0.5 to EagerTensor of dtype int32"),
        ("y = tf.math.xlogy(tf.constant(1), 2)", "tf.math.xlogy takes floats"),
        ("y = tf.concat([tf.constant([1.0]), tf.constant([1])], 0)", "cannot compute concat"),
        ("y = tf.repeat([1.0], [10**9])", "the limit is 65,536"),
        ("y = tf.repeat([1.0, 2.0], [1, 2, 1])", "There are 2 elements, and 3 repeats"),
        (
            "x = tf.Variable(2.0)\nwith tf.GradientTape() as t:\n    with tf.GradientTape() as s:\n"
            "        y = x ** 3\n    g = s.gradient(y, x, x * 1.0)\nh = t.gradient(g, x)",
            "where a tape records",
        ),
        ("t = tf.GradientTape()\nt.watch()", "missing 1 required positional argument: 'tensor'"),
        ("t = tf.GradientTape()\nt.grad(1.0)", "There are watch, gradient"),
    ],
)
def test_what_tensorflow_refuses_or_is_not_read_is_refused(text, says):
    assert says in message(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [  # by hand
        ("tf.cumsum(x, reverse=True) * [1.0, 2.0, 3.0]", [1, 3, 6]),
        ("tf.cumsum(x, exclusive=True) * [1.0, 2.0, 3.0]", [5, 3, 0]),
        ("tf.cumsum(x, exclusive=True, reverse=True) * [1.0, 2.0, 3.0]", [0, 1, 3]),
        ("tf.roll(x, 1, 0) * [1.0, 2.0, 3.0]", [2, 3, 1]),
        ("tf.repeat(x, [2, 0, 1]) * [1.0, 2.0, 3.0]", [3, 0, 3]),
        ("tf.split(x, tf.constant([1, -1]))[1] * [5.0, 7.0]", [0, 5, 7]),
        ("tf.broadcast_to(x, [tf.shape(x)[0] - 1, 3])", [2, 2, 2]),
        ("tf.roll(x, -4, axis=0) * [1.0, 2.0, 3.0]", [3, 1, 2]),
        ("tf.nn.top_k(x, 2).values", [0, 1, 1]),
        ("tf.linalg.inv(tf.linalg.diag(x))", [-4, -1, -0.25]),
        ("tf.gather_nd(tf.reshape(x, [1, 3]), [[2]], batch_dims=1)", [0, 0, 1]),
    ],
)
def test_parts_and_orders_of_a_tensor(text, expected):
    np.testing.assert_allclose(slope(text, [0.5, 1.0, 2.0]), expected, atol=1e-6)


def test_a_gradient_of_drawn_weights_is_refused_and_one_that_needs_none_is_not():
    text = (
        "layer = tf.keras.layers.Dense(2)\nwith tf.GradientTape() as t:\n"
        "    y = tf.reduce_sum(layer(tf.ones((1, 3))){})\ng = t.gradient(y, layer.bias)"
    )
    np.testing.assert_array_equal(read(BEGIN + text.format("")).answers()["dense/bias"], [1.0, 1.0])
    with pytest.raises(GraphError, match="glorot_uniform"):
        read(BEGIN + text.format(" ** 2")).answers()


def test_what_became_what_is_said_by_line():
    reading = read(
        f"{BEGIN}x = tf.Variable(0.0)\nwith tf.GradientTape() as t:\n    y = tf.abs(x)\ng = t.gradient(y, x)"
    )
    assert [(change.line, change.says) for change in reading.changes] == [
        (5, "the slope of abs at 0 is 0 in TensorFlow; JAX's is 1")
    ]


def test_a_long_training_has_few_derivatives_in_its_graph():
    text = (
        "x = tf.Variable(5.0)\nfor i in range(40):\n"
        "    with tf.GradientTape() as t:\n        y = (x - 2.0) ** 2\n"
        "    g = t.gradient(y, x)\n    x.assign_sub(0.1 * g)\n    if y.numpy() < 0.0:\n        break"
    )
    reading = read(BEGIN + text)
    assert sum(node.op == "grad" for node in reading.graph.nodes) <= 5
    # x - 2 is 3 * 0.8^k after k steps, so the 40th gradient is 6 * 0.8^39
    np.testing.assert_allclose(reading.answers()["x"], 6 * 0.8**39, rtol=1e-3)


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [  # x after three steps, measured with Keras of TensorFlow 2.21
        ("SGD(0.1)", [0.5119999647, -1.4579999447]),
        ("SGD(0.1, momentum=0.9)", [0.0620000064, -0.9720000029]),
        ("SGD(0.1, momentum=0.9, nesterov=True)", [-0.1083519459, -0.6546419859]),
        ("RMSprop(0.1)", [0.3691806197, -1.3087179661]),
        ("Adagrad(0.5)", [0.1614557207, -0.9918792844]),
        ("Adam(0.1)", [0.7015886307, -1.7006257772]),
    ],
)
def test_an_optimizer_steps_as_keras_does(optimizer, expected):
    text = (
        f"x = tf.Variable([1.0, -2.0])\nopt = tf.keras.optimizers.{optimizer}\nfor i in range(3):\n"
        "    with tf.GradientTape() as t:\n        y = tf.reduce_sum(x ** 2 * [1.0, 0.5])\n"
        "    opt.apply_gradients([(t.gradient(y, x), x)])"
    )
    np.testing.assert_allclose(read(BEGIN + text).values()["x"], expected, rtol=3e-6)


def test_only_a_text_without_any_indentation_gets_that_of_its_blocks():
    assert with_indentation("with a:\nb\n\nc") == ("with a:\n    b\n\nc", [1])
    assert with_indentation("with a:\nb\n  c") == ("with a:\nb\n  c", [])


IMAGE = "tf.reshape(x, [1, 3, 3, 1])"


@pytest.mark.parametrize(
    "call",
    [
        f"tf.nn.avg_pool2d({IMAGE}, 2, 2, 'SAME')",
        f"tf.keras.layers.AveragePooling2D(2, padding='same')({IMAGE})",
    ],
)
def test_a_mean_at_the_margin_of_an_image_is_that_of_its_pixels(call):
    """By hand: of 3 rows and columns in windows of 2, one pixel is alone and four are two by two."""
    quarter, half = 0.25, 0.5
    slopes = [quarter, quarter, half, quarter, quarter, half, half, half, 1.0]
    np.testing.assert_allclose(slope(call, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), slopes)
    reading = read(f"{BEGIN}x = tf.range(1.0, 10.0)\ny = {call}")
    np.testing.assert_allclose(reading.values()["y"].ravel(), [3.0, 4.5, 7.5, 9.0])


@pytest.mark.parametrize(
    ("call", "x", "value", "gradient"),
    [
        # Closed forms in float64, to six digits.
        ("tf.sinh(x)", 1e-4, 1e-4, 1.0),
        ("tf.math.cosh(x)", 2.0, 3.762196, 3.626860),
        ("tf.math.atanh(x)", 1e-4, 1e-4, 1.0),
        ("tf.math.log(tf.math.erfc(x))", 5.0, -27.200888, -10.192699),
        ("tf.math.rsqrt(x)", 4.0, 0.5, -0.0625),
        ("tf.math.atan2(x, -1.0)", 1.0, 2.356194, -0.5),
    ],
)
def test_elementary_functions_have_their_digits(call, x, value, gradient):
    np.testing.assert_allclose(slope(call, x), gradient, rtol=1e-6)
    np.testing.assert_allclose(
        read(f"{BEGIN}y = {call.replace('x', str(x), 1)}").values()["y"], value, rtol=1e-6
    )


def test_one_einsum_reads_what_every_library_writes():
    """By hand: sums of products by letters, also of other axes and of a diagonal."""
    np.testing.assert_allclose(
        slope("tf.einsum('...i,i->...', x, [1.0, 2.0])", [[1.0, 2.0], [3.0, 4.0]]), [[1, 2]] * 2
    )
    np.testing.assert_allclose(slope("tf.einsum('ii->', x)", [[1.0, 2.0], [3.0, 4.0]]), np.eye(2))


def test_a_depth_that_is_known_is_read():
    reading = read(f"{BEGIN}n = tf.shape([1.0, 2.0, 3.0])[0]\ny = tf.one_hot([2, 0], n, on_value=5.0)")
    np.testing.assert_array_equal(reading.values()["y"], [[0, 0, 5], [5, 0, 0]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tf.sort([1.0, 2.0], direction='DOWN')", "no direction 'DOWN'"),
        ("tf.nn.dropout(tf.ones([2, 2]), 0.5, noise_shape=[2, 1])", "without noise_shape"),
        ("tf.foldl(lambda a, x: a + x, [1.0, 2.0], back_prop=False)", "not read with back_prop"),
        ("tf.keras.losses.binary_crossentropy([[1.0]], [[0.5]], axis=0)", "along the last axis"),
        ("tf.keras.layers.ReLU(6, threshold=1.0)(tf.ones([1, 2]))", "without max_value and threshold"),
    ],
)
def test_an_option_that_is_not_meant_is_refused_by_name(text, words):
    assert words in message(text)
