"""Test `segments` and `train_by_segments` against the chain rule by hand, and the split model's sizes."""

import numpy as np
import pytest

import autodiff_viz as av

TWO = av.parse("x = 2.0\nw = parameter(3.0)\nu = parameter(0.5)\nh = cut(x * w * w)\nz = sin(h * u)")
"""h = 18, z = sin 9; by h: 0.5 cos 9; by w: 0.5 cos 9 * 12; by u: 18 cos 9; by x: 0.5 cos 9 * 9."""

LINE = av.parse(
    "x = [1.0, 2.0]\nw = parameter(0.5)\ny = cut(x * w)\nloss = mean_squared_error(y, [3.0, 6.0])"
)

SPLIT = """x = input(shape=(3, 10, 10, 1), seed=0)
k0 = parameter(shape=(2, 2, 1, 6), seed=1)
b0 = parameter(shape=(6,))
out0 = cut(relu(conv2d(x, k0, b0)))
k1 = parameter(shape=(2, 2, 6, 6), seed=2)
b1 = parameter(shape=(6,))
out1 = cut(relu(conv2d(out0, k1, b1)))
w2 = parameter(shape=(384, 1), seed=3)
out2 = cut(sigmoid(flatten(out1) @ w2))
loss = mean_squared_error(out2, [[1.0], [0.0], [1.0]])
"""
"""The sizes of the three models in "Calculating the gradient between two models"."""


def test_a_cotangent_crosses_the_cut_as_the_chain_rule_says():
    found = av.segments(TWO)
    v = 0.5 * np.cos(9.0)
    np.testing.assert_allclose(found.handed["h"], v, rtol=1e-6)
    expected = {"w": 12 * v, "u": 18 * np.cos(9.0), "x": 9 * v}
    for name, number in expected.items():
        np.testing.assert_allclose(found.gradient[name], number, rtol=1e-6)
        np.testing.assert_allclose(found.trace.gradient[name], number, rtol=1e-6)
    assert found.agrees
    assert found.difference <= 1e-5
    assert found.product_difference <= 1e-13


def test_a_segment_says_what_it_reads_and_what_it_gives():
    first, last = av.segments(TWO).segments
    assert (set(first.inputs), first.takes, first.gives) == ({"x", "w"}, (), ("h",))
    assert (last.inputs, last.takes, last.gives) == (("u",), ("h",), ("z",))
    assert "h" in first.nodes
    assert "z" in last.nodes


def test_apart_each_segment_is_differentiated_against_its_own_output():
    found = av.segments(TWO)
    # d h/d w = 12 in place of 12 * 0.5 cos 9, which is negative; the last segment has no other output than z
    np.testing.assert_allclose(found.apart["w"], 12.0)
    np.testing.assert_allclose(found.apart["u"], 18 * np.cos(9.0), rtol=1e-6)
    assert found.angles == {"w": pytest.approx(180.0), "u": pytest.approx(0.0, abs=1e-4)}
    true, apart = np.array([6 * np.cos(9.0), 18 * np.cos(9.0)]), np.array([12.0, 18 * np.cos(9.0)])
    cosine = true @ apart / np.linalg.norm(true) / np.linalg.norm(apart)
    assert found.angle == pytest.approx(np.degrees(np.arccos(cosine)), rel=1e-5)


def test_what_is_passed_back_at_a_fork_is_the_sum_of_what_all_later_segments_pass():
    graph = av.parse("x = 3.0\na = cut(x * x)\nb = cut(2.0 * a)\nz = b * a")
    found = av.segments(graph)  # z = 2 a^2: by b: a = 9; by a: b + 2 * 9 = 36
    assert (float(found.handed["b"]), float(found.handed["a"])) == (9.0, 36.0)
    assert float(found.gradient["x"]) == 36.0 * 6.0


def test_behind_a_stop_zeros_are_passed_back():
    found = av.segments(av.parse("x = [1.0, 2.0]\na = cut(x * x)\nz = sum(stop_gradient(a) * x)"))
    np.testing.assert_array_equal(found.handed["a"], [0.0, 0.0])
    np.testing.assert_array_equal(found.gradient["x"], [1.0, 4.0])


def test_inputs_seed_and_dtype_are_as_in_a_trace():
    found = av.segments(TWO, {"u": 0.0}, seed=-2.0, dtype="float64")
    assert float(found.handed["h"]) == 0.0  # u = 0
    assert float(found.gradient["u"]) == -2.0 * 18.0
    assert found.handed["h"].dtype == np.float64
    assert found.angles["w"] is None


@pytest.mark.nightly
def test_the_split_model_hands_over_cotangents_of_far_fewer_elements_than_its_jacobians():
    """By hand: 3 * 384 * 486, 1152 * 144 and 1458 * 24 against 3 * 9 * 9 * 6, 3 * 8 * 8 * 6 and 3."""
    found = av.segments(av.parse(SPLIT))
    wanted = {("out1", "out0"): 559_872, ("out1", "k1"): 165_888, ("out0", "k0"): 34_992}
    assert {pair: found.jacobian[pair].elements for pair in wanted} == wanted
    assert found.jacobian["out1", "out0"].full == 1_152 * 1_458
    assert {n: v.size for n, v in found.handed.items()} == {"out0": 1_458, "out1": 1_152, "out2": 3}
    assert found.handed_elements == 1_458 + 1_152 + 3
    others = 3 * 384 + 3 * 384 + 3  # out2 by out1 image by image, and by w2; the loss by out2
    others += (1_458 + 1_152) * 6  # by biases
    assert found.jacobian_elements == sum(wanted.values()) + others
    assert found.agrees


def test_a_product_that_is_too_large_says_so():
    found = av.segments(av.parse("w = parameter(shape=(40, 40), seed=0)\nh = cut(sin(w))\nz = sum(h)"))
    assert found.product_difference is None
    assert "2,560,000 elements" in found.too_large


def test_training_by_segments_is_joint_training_and_apart_it_is_not():
    found = av.train_by_segments(LINE, "sgd", 0.1, 4)
    w = [0.5]
    for _ in range(3):
        w.append(w[-1] - 0.1 * 5 * (w[-1] - 3))  # the gradient, by hand
    apart = 0.5 - 0.1 * 3 * np.arange(4)  # d sum(x * w)/d w = 3, in every step
    for curve, slopes in ((found.joint, np.array(w)), (found.chain, np.array(w)), (found.apart, apart)):
        np.testing.assert_allclose(curve, 2.5 * (slopes - 3) ** 2, rtol=1e-5)
    assert found.difference <= 1e-6
    np.testing.assert_allclose(found.joint, av.train(LINE, "sgd", 0.1, 4).loss, rtol=1e-6)


def test_training_by_segments_takes_other_data():
    found = av.train_by_segments(LINE, inputs={"w": 3.0})
    np.testing.assert_allclose([found.joint, found.chain, found.apart], 0.0, atol=1e-12)


NO_CUT = [
    ("w = parameter(2.0)\nloss = square(w)", "No cut divides the graph"),
    ("w = parameter(2.0)\nloss = cut(square(w))", "Cut after 'loss' divides nothing: nothing comes after it"),
    ("w = parameter(2.0)\ns = sin(w)\nc = cut(cos(s))\nloss = c * s", "another path leads round it"),
]


@pytest.mark.parametrize(("text", "says"), NO_CUT)
@pytest.mark.parametrize("function", [av.segments, av.train_by_segments])
def test_a_graph_that_no_cut_divides_says_why(function, text, says):
    with pytest.raises(av.GraphError, match=says) as caught:
        function(av.parse(text))
    assert caught.value.problems[0].code == "no-segments"


WRONG = [
    (av.segments, {"graph": "h = cut(x)"}, "not-a-graph"),
    (av.segments, {"graph": av.Graph()}, "no-output"),
    (av.segments, {"inputs": {"nowhere": 1.0}}, "unknown-input"),
    (av.segments, {"seed": [1.0, 2.0, 3.0]}, "seed-shape"),
    (av.segments, {"dtype": "float8"}, "bad-dtype"),
    (av.train_by_segments, {"optimizer": "adamw"}, "unknown-optimizer"),
    (av.train_by_segments, {"steps": 0}, "bad-number"),
    (av.train_by_segments, {"steps": 301}, "bad-number"),
    (av.train_by_segments, {"rate": "fast"}, "bad-number"),
    (av.train_by_segments, {"graph": TWO.__class__(TWO.nodes, (), "h")}, "no-segments"),
    (av.train_by_segments, {"graph": av.parse("x = 1.0\ny = cut(sin(x))\nz = cos(y)")}, "no-parameters"),
]


@pytest.mark.parametrize(("function", "given", "code"), WRONG)
def test_what_cannot_be_is_a_problem(function, given, code):
    with pytest.raises(av.GraphError) as caught:
        function(**{"graph": LINE, **given})
    assert caught.value.problems[0].code == code


def test_segments_are_told_in_a_line():
    assert repr(av.segments(LINE)).startswith("<Segments: 2, 2 elements handed back, 4 in Jacobians;")
    assert not av.segments(LINE).handed["y"].flags.writeable
