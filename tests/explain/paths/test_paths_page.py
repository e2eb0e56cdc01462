"""Test the list of paths as data for the browser."""

from __future__ import annotations

import json
import re

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.paths.compute import subject
from autodiff_viz.explain.paths.figure import low_paths, paths_figure, paths_text
from autodiff_viz.explain.paths.view import paths_list
from autodiff_viz.language.parse import parse

CHAIN = "w = 0.5\nh0 = 1.0\nh1 = w * h0\nh2 = w * h1\nh3 = w * h2"
LADDER = "x0 = 1.0\n" + "\n".join(f"x{i + 1} = x{i} * 0.75 + x{i} * 0.5" for i in range(20))
REVERSAL = """h = 1.0
label = square(h - 3.0)
domain = square(2.0 * rewrite(h, lambda v: 0.5 * v) - 1.0)
total = label + domain"""


def told(text: str, name: str | None):
    return paths_list(trace(parse(text)), name)


def test_a_row_has_its_nodes_its_factors_and_its_wires_largest_first():
    found = told(REVERSAL, "h")
    assert [(row["way"], row["sum"], row.get("below", False)) for row in found["rows"]] == [
        ("h → sub_1 → label → total", "1 × \u22124 × 1 = \u22124", True),
        ("h → rewrite_1 → mul_1 → sub_2 → domain → total", "0.5 × 2 × 1 × 2 × 1 = 2", False),
    ]
    assert found["rows"][1]["wires"] == ["rewrite_1:0", "mul_1:1", "sub_2:0", "domain:0", "total:1"]
    assert found["rows"][0]["wires"] == ["sub_1:0", "label:0", "total:0"]
    assert found["says"] == ["\u22122 arrives at h, the sum over 2 paths to total."]
    assert "rest" not in found


def test_without_a_selected_node_it_is_a_parameter_or_the_first_input():
    assert told(CHAIN, None)["says"][0] == "No node is selected: these are the paths of w."
    learned = "x = 1.0\nw = parameter(2.0)\nz = x * w"
    assert subject(trace(parse(learned)), None) == "w"
    assert subject(trace(parse(learned)), "x") == "x"


def test_closed_paths_and_rules_that_share_are_said():
    closed = told("x = 2.0\nz = stop_gradient(x) * x", "x")
    assert closed["says"][-1] == "1 path is closed, by a stop or an op without a derivative."
    shared = told("x = 2.0\na = rewrite(x, lambda v: clip(v, -1.0, 1.0))\nz = 3.0 * a", "x")
    assert shared["says"][-1].startswith("The rule of 'a' is not linear")
    assert told("x = 2.0\ny = 3.0\nz = y * y\nreturn z", "x")["says"] == [
        "No path from x to z passes anything."
    ]


def test_of_a_million_paths_the_message_has_some_and_the_rest_as_a_sum():
    found = told(LADDER, "x0")
    assert len(json.dumps(found)) < 12_000
    shown = len(found["rows"])
    assert found["rest"].startswith(f"{2**20 - shown:,} more paths: 86.")
    assert found["rows"][0]["sum"] == "0.75 × 1 × 0.75 × 1 × … × 1 = 0.003171"


def test_a_path_that_a_rule_begins_says_so():
    rows = told("x = 2.0\nb = rewrite(x, lambda v: 0.5)\nz = 0.0 * b", "x")["rows"]
    assert rows[0]["note"] == "begins at the rule of b"
    assert rows[0]["sum"] == "0.5"


def test_bands_of_the_figure_are_as_wide_as_what_the_paths_bring():
    found = trace(parse(CHAIN))
    (sankey,) = paths_figure(found, "w").data
    names, link = list(sankey.node.customdata), sankey.link
    bands = {(names[s], names[t]): v for s, t, v in zip(link.source, link.target, link.value, strict=True)}
    assert bands == pytest.approx(
        {("w", "h3"): 0.25, ("w", "h2"): 0.25, ("w", "h1"): 0.25, ("h1", "h2"): 0.25, ("h2", "h3"): 0.5}
    )
    ways = "w then h3, 0.25; w, h2 then h3, 0.25; w, h1, h2 then h3, 0.25"
    assert paths_text(found, "w") == f"A chart of the 3 paths from w to h3: {ways}."


def test_a_single_path_is_a_sentence_in_place_of_a_band_as_high_as_the_drawing():
    """d/dx exp(2 x) at 0 is 2."""
    found = trace(parse("x = 0.0\ny = x * 2.0\nz = exp(y)"))
    figure = paths_figure(found, "x")
    assert len(figure.data) == 0
    assert "One path: its product<br>is all that arrives at x." in figure.layout.annotations[0].text
    assert paths_text(found, "x") == "One path from x to z: x, y then z, 2."


def test_what_arrives_at_a_node_flows_through_it():
    """Of every node between, the bands in and out are equally wide, as at each joint of paths."""
    found = trace(parse("x = 0.7\na = sin(x)\nb = a * x\nc = exp(b) - a\nz = c * b"))
    (sankey,) = paths_figure(found, "x").data
    link, size = sankey.link, {}
    for source, target, value in zip(link.source, link.target, link.value, strict=True):
        size[source] = size.get(source, 0.0) - value
        size[target] = size.get(target, 0.0) + value
    between = [total for node, total in size.items() if sankey.node.customdata[node] not in ("x", "z")]
    assert between == pytest.approx([0.0] * len(between), abs=1e-9)


def test_paths_of_tensors_that_cancel_show_their_signs():
    """Row 1b: without the stop both paths bring ±A_i / 2, so that nothing arrives; A is [1, -1]."""
    text = "logp = [-1.2, -0.7]\nratio = exp(logp - logp)\nloss = -mean(ratio * [1.0, -1.0])"
    found = told(text, "logp")
    assert [row["sum"].split(";")[0] for row in found["rows"]] == ["[\u22120.5, 0.5]", "[0.5, \u22120.5]"]
    assert [row["way"].split(" → ")[1] for row in found["rows"]] == [
        "sub_1 (first input)",
        "sub_1 (second input)",
    ]
    assert (
        "Norms do not add up: those of the paths are 1.414 together, that of their sum is 0." in found["says"]
    )


def test_factors_beside_tensors_are_said_to_be_ratios_of_norms():
    """Row 37: along t, cos(t), y the seed [1, 1] brings -r sin(t) = -1, though no norm has a sign."""
    found = told("r = 2.0\nt = 0.5235988\ny = stack([r * cos(t), r * sin(t)])", "t")
    assert found["rows"][1]["sum"] == "\u22121; norms 1.414 × 0.5 × 2 × 0.7071 = 1"
    assert found["says"][1].startswith("Tensors are on the way: a factor is by how much the norm grows")
    assert not any("Tensors" in said for said in told(CHAIN, "w")["says"])


def test_long_tensors_are_compared_with_the_first_path():
    """The first element of x - mean(x) of five: 1 at its own place directly, -1/5 everywhere by the mean."""
    rows = told("x = [1.0, 2.0, 3.0, 4.0, 5.5]\ny = (x - mean(x))[0]", "x")["rows"]
    cosine = -0.2 / (1.0 * 0.2 * 5**0.5)  # of [1, 0, 0, 0, 0] and [-0.2, ..., -0.2]
    assert rows[1]["sum"].endswith(f", cosine to the first \u2212{-cosine:.3f}")
    assert "cosine" not in rows[0]["sum"]


def test_a_path_that_brings_0_or_nan_through_a_number_is_listed():
    """Row 21: the square passes 0 to the root, whose slope is infinite at 0."""
    rows = told("x = [0.0, 0.0]\nn = sqrt(sum(square(x)))\ny = square(n)", "x")["rows"]
    assert [(row["way"], row["sum"]) for row in rows] == [("x → square_1 → sum_1 → n → y", "[NaN, NaN]")]


def test_no_two_paths_read_the_same():
    """Row 16: Newton's steps, whose 7 paths fork at a, x1 and x2."""
    text = "a = 2.0\nx1 = 0.5 * (1.0 + a / 1.0)\nx2 = 0.5 * (x1 + a / x1)\nx3 = 0.5 * (x2 + a / x2)"
    ways = [row["way"] for row in told(text, "a")["rows"]]
    assert len({*ways}) == 7
    assert not any("… → …" in way for way in ways)


def test_a_long_tensor_with_a_nan_is_called_not_finite():
    """Row 21 with five elements."""
    rows = told("x = [0.0, 0.0, 0.0, 0.0, 0.0]\ny = square(norm(x))", "x")["rows"]
    assert [row["sum"] for row in rows] == ["not finite"]


def test_a_low_figure_names_only_the_ends_of_paths_of_four_nodes_whose_names_would_meet():
    found = trace(parse(CHAIN))
    labels = [drawn(found, "w").data[0].node.label for drawn in (paths_figure, low_paths)]
    named = [sorted(filter(None, (re.sub("<[^>]*>", "", one) for one in drawn))) for drawn in labels]
    assert named == [["h1", "h2", "h3", "w"], ["h3", "w"]]
