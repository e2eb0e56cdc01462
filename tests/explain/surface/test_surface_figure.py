"""Test the figure of a surface: colours that stay, points over it, and words that are true."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

import autodiff_viz as av
from autodiff_viz.explain.surface.figure import Learned, surface_figure, surface_text
from tests.explain.test_every_explanation import fonts, sent

HEAD = "x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]\n"
PLANE = (
    HEAD + "y = [0.0, 1.0, 1.0, 2.0]\nv = parameter([3.0, 1.0])\np = matmul(x, v)\nloss = mean(square(p - y))"
)
BINARY = (
    HEAD + "y = [0.0, 1.0, 1.0, 0.0]\nv = parameter([3.0, 1.0])\nz = matmul(x, v)\n"
    "loss = mean(sigmoid_binary_cross_entropy(z, y))"
)
TWO = (
    HEAD + "y = [0.0, 1.0, 1.0, 0.0]\nw = parameter([[3.0, 1.0], [0.0, 2.0]])\nz = matmul(x, w)\n"
    "loss = mean(softmax_cross_entropy_with_integer_labels(z, y))"
)
THREE = TWO.replace("[[3.0, 1.0], [0.0, 2.0]]", "[[3.0, 0.0, 1.0], [0.0, 2.0, 1.0]]")
THREE = THREE.replace("0.0]\nw", "2.0]\nw")
CURVE = "x = [1.0, 3.0]\nw = parameter(0.5)\nloss = mean_squared_error(x * w, [3.0, 6.0])"
FREE = HEAD + "v = parameter([3.0, 1.0])\np = matmul(x, v)\nloss = mean(square(p))"
ONE = "x = [[2.0, 1.0]]\nv = parameter([3.0, 1.0])\np = matmul(x, v)\nloss = mean(square(p))"
LOG = FREE.replace("matmul(x, v)", "log(matmul(x, v))")


def learned(text, step=0, node=None):
    trace = av.trace(av.parse(text))
    found = av.prediction_surface(trace, node, points=7)
    return Learned(found, step, trace.graph[found.loss].op if found.loss else "")


def traces(figure, kind):
    return [trace for trace in sent(figure)["data"] if trace["type"] == kind]


@pytest.mark.parametrize("text", [PLANE, BINARY, TWO, THREE, CURVE, FREE, ONE, LOG])
@pytest.mark.parametrize("low", [True, False])
def test_plotly_accepts_it_and_it_fits_beside_the_loss(text, low):
    figure = surface_figure(learned(text), low)
    layout = sent(go.Figure(figure.to_dict()))["layout"]  # this constructor checks every property
    assert min(fonts({k: v for k, v in layout.items() if k != "template"})) >= 13
    assert re.fullmatch(r"[A-Z][^\n<>]+\.", surface_text(learned(text)))
    assert not low or layout["height"] <= 240 - 46  # as the figures of a training


def test_the_words_name_node_step_columns_and_points():
    told = surface_figure(learned(PLANE, 120)).layout.meta["told"]
    said = "p after step 120 over x[:, 0] and x[:, 1]; the 4 points are the data, coloured by target."
    assert told.replace("\u00a0", " ") == f"<p>{said}</p>"
    assert "p before the first step over" in surface_text(learned(PLANE, 0))
    assert "p with the formula's own numbers over" in surface_text(learned(PLANE, None))
    assert "the 4 points are the data. It" in surface_text(learned(FREE))
    assert "the point is the data" in surface_text(learned(ONE))
    assert "Where it is not finite, nothing is drawn." in surface_text(learned(LOG))
    assert "mul_1 before the first step over x; the 2 points are the data." in surface_text(learned(CURVE))
    by_hand = "from \u22120.6667 to 4.667"  # 4 times -1/6, and 7/6
    assert by_hand in surface_text(learned(PLANE))


def test_colours_of_numbers_are_those_of_the_targets_at_every_step():
    figures = [surface_figure(learned(PLANE.replace("3.0", number))) for number in ("3.0", "-9.0")]
    heatmaps = [traces(figure, "heatmap") for figure in figures]
    assert [(each["zmin"], each["zmax"]) for (each,) in heatmaps] == [(0.0, 2.0)] * 2
    *_, points = traces(surface_figure(learned(PLANE)), "scatter")
    assert (points["marker"]["cmin"], points["marker"]["cmax"]) == (0.0, 2.0)
    assert points["text"] == ["0", "1", "1", "2"]


@pytest.mark.parametrize("text", [BINARY, TWO])
def test_of_logits_of_two_classes_the_chance_of_the_second_is_drawn(text):
    found = learned(text)
    (heatmap,) = traces(surface_figure(found), "heatmap")
    x, y = np.meshgrid(*(axis.astype(float) for axis in found.surface.axes))
    odds = 3 * x + y if text == BINARY else (x + 2 * y) - 3 * x
    np.testing.assert_allclose(surface_figure(found).data[0].z, 1 / (1 + np.exp(-odds)), atol=1e-5)
    assert (heatmap["zmin"], heatmap["zmax"]) == (0.0, 1.0)
    (line,) = traces(surface_figure(found), "contour")
    assert line["contours"]["start"] == line["contours"]["end"] == 0.5
    assert "chance of class 1 by z" in surface_text(found)


def test_of_more_classes_the_likeliest_has_a_colour_of_its_own():
    found = learned(THREE)
    x, y = np.meshgrid(*(axis.astype(float) for axis in found.surface.axes))
    logits = np.stack([3 * x, 2 * y, x + y], axis=-1)
    top = np.sort(logits, axis=-1)
    sure = top[..., 2] - top[..., 1] > 1e-5
    heatmap = surface_figure(found).data[0]
    assert sure.sum() > 30
    np.testing.assert_array_equal(heatmap.z[sure], logits.argmax(-1)[sure])
    assert len({colour for _, colour in heatmap.colorscale}) == 3
    assert "likeliest class by z" in surface_text(found)


def test_a_curve_goes_through_what_is_predicted_and_its_points_are_at_the_targets():
    line, _, points = surface_figure(learned(CURVE)).data
    np.testing.assert_allclose(line.y, 0.5 * np.asarray(line.x), rtol=1e-6)
    np.testing.assert_array_equal([points.x, points.y], [[1.0, 3.0], [3.0, 6.0]])


def test_names_are_escaped_and_many_points_are_fewer():
    _, *rest = FREE.partition("\n")
    found = learned("".join(["x = input(shape=(2000, 2), seed=0)", *rest]))
    assert "1,000 of the 2,000 points of data are drawn" in surface_text(found)
    assert len(surface_figure(found).data[-1].x) == 1000
    renamed = Learned(found.surface.__class__(**{**vars(found.surface), "node": "<i>p", "data": "<b>x"}), 0)
    figure = sent(surface_figure(renamed))
    assert not re.search(r"<(i|b)>", repr([figure["data"], figure["layout"]["meta"]]))
