"""Test the view of the segments of a graph."""

from dataclasses import replace

import numpy as np

from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.evaluate import lab_view
from autodiff_viz.lab.parts import PARTS
from autodiff_viz.lab.segments import segments_view, trained_job
from autodiff_viz.lab.state import opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.segments.compute import Curves
from autodiff_viz.segments.view import trained

TEXT = "w = parameter(3.0)\nu = parameter(0.5)\nh = cut(w * w)\nz = square(h * u - 1.0)"


def lab_of(text):
    return opened(start(), parse(text), "Open")


def seen(text):
    lab = lab_of(text)
    return segments_view(lab, lab_view(lab))


def test_a_graph_without_cuts_says_nothing_and_its_part_has_no_data():
    lab = start()
    assert segments_view(lab, lab_view(lab)) is None
    assert PARTS["segments"].data(lab, lab_view(lab)) is None


def test_an_unfinished_graph_says_nothing_yet():
    assert seen("x = 1.0\na = cut(sin(...))\nz = a * x") is None


def test_the_chain_the_product_and_the_broken_way_are_told():
    found = seen(TEXT)
    assert found.agrees
    assert found.chain.startswith("2 pullbacks in a chain equal the whole gradient")
    assert "in float64" in found.product
    # true: 2 (h u - 1) u 2 w = 21 by w, 2 (h u - 1) h = 63 by u; broken: 6 by w, 63 by u; both positive
    assert dict(found.angles) == {"w": "0.0°", "u": "0.0°"}
    assert "13.0° off" in found.broken  # atan(21 / 63) - atan(6 / 63)


def test_a_small_gradient_that_vanished_is_seen_beside_a_large_one():
    lab = lab_of("w = parameter(3.0)\nu = parameter(0.5)\nh = cut(w * 1e-6)\nz = h * u + sin(u)")
    view = lab_view(lab)
    assert segments_view(lab, view).agrees
    lost = {**dict(view.trace.gradient.items()), "w": np.float32(0.0)}  # 5e-7, beside 0.88 of u
    found = segments_view(lab, replace(view, trace=replace(view.trace, gradient=lost)))
    assert not found.agrees
    assert "differ from the whole gradient" in found.chain


def test_cuts_that_divide_nothing_are_said_to():
    found = seen("x = 1.0\np = sin(x)\na = cut(exp(p))\nz = a * p")
    assert found.division is None


def test_what_cannot_be_trained_offers_no_steps():
    assert seen("x = 1.0\nh = cut(sin(x))\nz = h * x").steps == 0
    assert seen(TEXT).steps == 100


def test_to_cut_redraws_the_segments_and_no_other_numbers():
    lab = lab_of(TEXT)
    after = edited(lab, {"kind": "cut_after", "nodes": ["h"], "on": False})
    before, now = ((each, lab_view(each)) for each in (lab, after))
    assert PARTS["segments"].data(*before) != PARTS["segments"].data(*now)
    assert PARTS["figure"].data(*before) == PARTS["figure"].data(*now)
    assert before[1].follows == now[1].follows  # and with it the check and the counts


def test_the_curves_follow_from_the_graph_and_not_from_where_its_nodes_stand():
    lab = lab_of(TEXT)
    moved = tuple(replace(node, position=(1.0, 2.0)) for node in lab.graph.nodes)
    other = opened(lab, replace(lab.graph, nodes=moved), "Move")
    assert trained_job(other, 3).key == trained_job(lab, 3).key != trained_job(lab, 4).key
    found = trained(*trained_job(lab, 3).arguments)
    assert isinstance(found, Curves)
    assert len(found.chain) == 3


def test_a_loss_scale_has_no_part_in_these_trainings_and_the_page_says_so():
    """In float16 parameters are float16: the same curves as without a loss scale."""
    lab = lab_of(TEXT)
    scaled = replace(
        lab, dtype="float16", plan=replace(lab.plan, settings=replace(lab.plan.settings, loss_scale=8.0))
    )
    found = segments_view(scaled, lab_view(scaled))
    assert found.unscaled == "These three have no loss scale: their parameters are float16, too."
    assert seen(TEXT).unscaled == ""
    plain = replace(scaled, plan=lab.plan)
    assert trained_job(scaled, 3).key == trained_job(plain, 3).key
    runs = [trained(lab.graph, one.plan.settings, 4, "float16").chain for one in (scaled, plain)]
    np.testing.assert_array_equal(*runs)
    assert all(loss == np.float16(loss) for loss in runs[0])
