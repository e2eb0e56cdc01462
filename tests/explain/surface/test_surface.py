"""Test surfaces of predictions against forward passes in plain NumPy, and refusals where there is none."""

import numpy as np
import pytest

import autodiff_viz as av
from autodiff_viz.explain.surface.prediction import prediction
from autodiff_viz.graph.dtypes import DTYPES

XOR = """x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [[0.0], [1.0], [1.0], [0.0]]
w1 = parameter(shape=(2, 10), init="glorot_uniform", seed=0)
b1 = parameter(shape=(10,))
h = relu(dense(x, w1, b1))
w2 = parameter(shape=(10, 1), init="glorot_uniform", seed=1)
b2 = parameter(shape=(1,))
yhat = dense(h, w2, b2)
loss = mean_squared_error(yhat, y)"""

POINTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def net(parameters, points):
    """The network of `XOR` at points of shape [..., 2], in float64."""
    w1, b1, w2, b2 = (np.asarray(parameters[name], np.float64) for name in ("w1", "b1", "w2", "b2"))
    return np.maximum(points @ w1 + b1, 0.0) @ w2 + b2


def over(surface):
    """The points of a grid: [i, j] is (axes[0][j], axes[1][i])."""
    return np.stack(np.meshgrid(*(axis.astype(np.float64) for axis in surface.axes)), axis=-1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("step", [0, 7, 40])
def test_the_surface_of_any_step_is_the_network_written_out_in_numpy(step):
    trained = av.train(av.parse(XOR), "adam", 0.05, 40)
    found = av.prediction_surface(trained.at(step))
    weights = {name: trained.at(step).value[name] for name in ("w1", "b1", "w2", "b2")}
    assert (found.node, found.data, found.loss) == ("yhat", "x", "loss")
    assert (found.value.shape, *map(len, found.axes)) == ((41, 41, 1), 41, 41)
    np.testing.assert_allclose(found.value, net(weights, over(found)), atol=2e-6)
    np.testing.assert_allclose(found.predicted, net(weights, POINTS), atol=2e-6)
    np.testing.assert_array_equal(found.points, POINTS)
    np.testing.assert_array_equal(found.targets, [0.0, 1.0, 1.0, 0.0])


def test_at_the_data_points_the_surface_is_what_the_trace_predicts():
    trace = av.train(av.parse(XOR), "adam", 0.05, 20).at(20)
    found = av.prediction_surface(trace)
    at = np.array(
        [found.value[5 + int(30 * y), 5 + int(30 * x)] for x, y in POINTS]
    )  # a sixth is 5 of 40 cells
    np.testing.assert_allclose(at, trace.value["yhat"], atol=1e-6)
    np.testing.assert_allclose([found.axes[0][0], found.axes[0][-1]], [-1 / 6, 7 / 6], rtol=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_it_is_computed_in_the_dtype_of_the_trace(dtype):
    trace = av.trace(av.parse(XOR), dtype=dtype)
    found = av.prediction_surface(trace, points=9)
    assert found.value.dtype.name == dtype
    wanted = net(trace.value, over(found))
    np.testing.assert_allclose(found.value.astype(np.float64), wanted, atol=32 * DTYPES[dtype].eps)


def test_no_shape_of_the_graph_changes_so_a_reshape_to_its_number_of_rows_is_no_obstacle():
    text = XOR.replace("dense(x, w1, b1)", "dense(reshape(reshape(x, shape=(8,)), shape=(4, 2)), w1, b1)")
    trace = av.trace(av.parse(text))
    np.testing.assert_allclose(
        av.prediction_surface(trace).value, net(trace.value, over(av.prediction_surface(trace))), atol=2e-6
    )


LINE = "x = {}\nw = parameter(0.5)\nb = parameter(1.0)\nloss = mean_squared_error(x * w + b, {})"


@pytest.mark.parametrize(
    ("x", "y"),
    [("[1.0, 3.0]", "[3.0, 6.0]"), ("[[1.0], [3.0]]", "[[3.0], [6.0]]")],
)
def test_data_of_one_column_have_a_curve(x, y):
    found = av.prediction_surface(av.trace(av.parse(LINE.format(x, y))), points=5)
    np.testing.assert_allclose(found.axes[0], [2 / 3, 4 / 3, 2.0, 8 / 3, 10 / 3], rtol=1e-6)  # by hand
    np.testing.assert_allclose(found.value.ravel(), 0.5 * found.axes[0] + 1, rtol=1e-6)
    np.testing.assert_array_equal(found.points, [[1.0], [3.0]])
    np.testing.assert_array_equal(found.targets, [3.0, 6.0])


HEAD = """x = [[0.5, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
y = [0.0, 1.0, 1.0, 0.0]
w = parameter(shape=(2, 3), seed=0)
v = parameter(shape=(2,), seed=1)
"""


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("z = matmul(x, v)\nloss = mean(sigmoid_binary_cross_entropy(z, y))", "z"),
        ("z = matmul(x, w)\nloss = mean(softmax_cross_entropy_with_integer_labels(z, y))", "z"),
        ("z = matmul(x, v)\np = sigmoid(z)\nloss = mean_squared_error(p, y)", "p"),
        ("z = matmul(x, v)\nloss = mean(square(z - y))", "z"),
        ("z = matmul(x, v)\np = sigmoid(z)\nl = log(p) * y + log(1.0 - p) * (1.0 - y)\nloss = -mean(l)", "p"),
        ("z = matmul(x, v)\nr = z + sin(z)\nloss = mean(square(r - y)) + 0.1 * sum(square(v))", "r"),
        ("z = matmul(x, v)\nq = sin(z)\nloss = mean_squared_error(z, y) + mean(square(q))", "z"),
    ],
)
def test_the_prediction_is_what_a_loss_op_reads_else_what_all_paths_share(text, node):
    found = prediction(av.trace(av.parse(HEAD + text)))
    assert (found.node, found.data) == (node, "x")
    np.testing.assert_array_equal(found.targets, [0.0, 1.0, 1.0, 0.0])


def test_targets_may_be_computed():
    text = HEAD + "t = 1.0 - y\nz = matmul(x, v)\nloss = mean(sigmoid_binary_cross_entropy(z, t))"
    np.testing.assert_array_equal(prediction(av.trace(av.parse(text))).targets, [1.0, 0.0, 0.0, 1.0])


def test_a_node_with_a_row_for_each_point_can_be_chosen():
    trace = av.trace(av.parse(XOR))
    found = av.prediction_surface(trace, "h", points=5)
    w1, b1 = (trace.value[name].astype(np.float64) for name in ("w1", "b1"))
    np.testing.assert_allclose(found.value, np.maximum(over(found) @ w1 + b1, 0.0), atol=2e-6)
    for other in ("w1", "loss", "y", "none"):
        with pytest.raises(av.GraphError, match="has no row for each row of 'x'"):
            av.prediction_surface(trace, other)


ROWS = """x = {}
y = input(shape=({n},), seed=1)
w = parameter(shape=(2, 3), seed=2)
v = parameter([1.0, -2.0, 0.5])
"""
MIXED = {
    "a mean over the batch": "h = matmul(x, w)\np = matmul(h - mean(h, axis=0), v)",
    "the largest of the batch": "h = matmul(x, w)\np = matmul(h - max(h, axis=0), v)",
    "a softmax over the batch": "h = softmax(matmul(x, w), axis=0)\np = matmul(h, v)",
    "a mixture of rows": "m = parameter(shape=({n}, {n}), seed=4)\np = matmul(matmul(m, matmul(x, w)), v)",
    "dropout": "p = matmul(dropout(matmul(x, w), rate=0.5, seed=3), v)",
    "a part for each row": "u = parameter(shape=({n}, 3), seed=5)\np = matmul(matmul(x, w) + u, v)",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [4, 200])
@pytest.mark.parametrize("what", MIXED)
def test_where_a_row_depends_on_others_or_on_its_number_it_is_refused(what, n):
    """Of 200 rows one batch would take the whole grid of 11 by 11, so that no two batches could differ."""
    data = f"input(shape=({n}, 2), seed=0)"
    text = ROWS.format(data, n=n) + MIXED[what].format(n=n) + "\nloss = mean_squared_error(p, y)"
    with pytest.raises(av.GraphError, match="'p' at one row of 'x' depends on the other rows"):
        av.prediction_surface(av.trace(av.parse(text)), points=11)


@pytest.mark.parametrize("n", [1, 4, 121, 200])
def test_of_any_number_of_rows_the_surface_is_the_same(n):
    data = f"input(shape=({n}, 2), seed=0)"
    text = ROWS.format(data, n=n) + "p = matmul(tanh(matmul(x, w)), v)\nloss = mean_squared_error(p, y)"
    trace = av.trace(av.parse(text))
    found = av.prediction_surface(trace, points=11)
    w, v = (trace.value[name].astype(np.float64) for name in "wv")
    np.testing.assert_allclose(found.value, np.tanh(over(found) @ w) @ v, atol=2e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [[1.0, 2.0]]\nloss = sum(x)", "No prediction depends on data"),
        ("w = parameter(1.0)\nloss = w * 2.0", "No prediction depends on data"),
        ("x = [[1.0, 2.0, 3.0]]\nw = parameter(1.0)\nloss = sum(x * w)", "No prediction depends on data"),
    ],
)
def test_without_data_of_one_or_two_columns_there_is_none(text, said):
    with pytest.raises(av.GraphError, match=said):
        av.prediction_surface(av.trace(av.parse(text)))


def test_mistakes_in_the_arguments_are_named():
    graph = av.parse(XOR)
    with pytest.raises(av.GraphError, match="A trace is needed; found"):
        av.prediction_surface(graph)
    for points in (1, 202, 4.5):
        with pytest.raises(av.GraphError, match="number of points"):
            av.prediction_surface(av.trace(graph), points=points)
    wide = XOR.replace("10", "600")
    with pytest.raises(av.GraphError, match="numbers; at most"):
        av.prediction_surface(av.trace(av.parse(wide)), points=201)


def test_numbers_that_are_not_finite_stay_where_they_are():
    text = "x = [[1.0, 0.0], [2.0, 0.0]]\nw = parameter(1.0)\np = log(x * w)\nloss = mean(p)"
    found = av.prediction_surface(av.trace(av.parse(text)), points=5)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found.value, np.log(over(found)), rtol=1e-5)
