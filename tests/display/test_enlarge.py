"""Test figures in large type: all text is larger, and what it stands on grows with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from autodiff_viz.display.theme import enlarged, power
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.language.parse import parse

TRACE = trace(parse("x = input(0.5, low=-2.0, high=2.0)\ny = stop_gradient(x) * x\nz = sin(y)"))
READABLE = 20  # px on a projector


def sizes(part: Any) -> Iterator[float]:
    """Pixels of every font, also of those in texts."""
    if isinstance(part, dict):
        for name, one in part.items():
            if name.endswith("font") and "size" in one:
                yield from one["size"] if isinstance(one["size"], list) else [one["size"]]
            yield from sizes(one)
    elif isinstance(part, list):
        for one in part:
            yield from sizes(one)
    elif isinstance(part, str):
        yield from (float(px) for px in re.findall(r"font-size:([\d.]+)px", part))


@pytest.mark.sampled(40)
@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("name", FIGURES)
def test_every_text_of_every_figure_can_be_read_from_the_back(name, low):
    figure = FIGURES[name].build_for(low)(TRACE, None)
    before, after = (
        json.loads(json.dumps(one, default=list)) for one in (figure.to_plotly_json(), enlarged(figure))
    )
    assert min(sizes(after)) >= READABLE > min(sizes(before))
    assert after["layout"]["height"] == pytest.approx(1.44 * before["layout"]["height"])
    assert after["layout"]["margin"]["l"] == pytest.approx(1.44 * before["layout"]["margin"]["l"])
    drawn = [[trace.get("x"), trace.get("y")] for trace in before["data"]]
    assert drawn == [[trace.get("x"), trace.get("y")] for trace in after["data"]]


def test_an_axis_that_is_no_wider_has_fewer_numbers_since_each_is_wider():
    """Of 350 px, a number of five digits takes 5 * 0.5 * 20.16 px with as much around it."""
    axes = enlarged({"data": [], "layout": {"xaxis": {"nticks": 8}, "yaxis": {"nticks": 2}}})["layout"]
    assert axes["xaxis"]["nticks"] <= 350 / (5 * 0.5 * 20.16) < 8
    assert axes["yaxis"]["nticks"] == 2


def test_names_and_bands_stay_in_the_margin_that_grows():
    """A margin of 100 px has a band all over it, and names 8 px from its left end: 144 and 11.52 px."""
    band = {"xsizemode": "pixel", "xanchor": 0, "x0": -100, "x1": 0, "yref": "y", "y0": 3, "y1": 9}
    whole = {"xref": "paper", "x0": 0, "x1": 1}
    names = {"anchor": "free", "shift": -92}
    layout = {"margin": {"l": 100}, "yaxis": names, "shapes": [band, whole]}
    shown = enlarged({"data": [], "layout": layout})["layout"]
    assert shown["margin"]["l"] + shown["yaxis"]["shift"] == pytest.approx(1.44 * 8)
    assert shown["shapes"] == [{**band, "x0": pytest.approx(-144)}, whole]


def test_exponents_can_be_read_too():
    """Plotly writes <sup> in 0.7 of the text's size, 9.8 of 14 px, unless a size is given inside."""
    inside = re.search(r"<sup><span style='font-size:([\d.]+)px'>−149</span></sup>", power(2, -149))
    assert float(inside[1]) >= 11
    shown = enlarged({"data": [], "layout": {"annotations": [{"text": power(2, -149)}]}})
    assert min(sizes(shown)) >= READABLE


def test_the_scale_of_the_colours_grows_with_the_axes():
    bar = {"tickfont": {"size": 14}, "ticktext": [power(10, -3)], "tickvals": [-3.0]}
    shown = enlarged({"data": [{"type": "heatmap", "z": [[1.0]], "colorbar": bar}], "layout": {}})["data"][0]
    assert min(sizes(shown)) >= READABLE
    assert (shown["colorbar"]["tickvals"], shown["z"]) == ([-3.0], [[1.0]])


def test_a_figure_of_a_worker_is_a_dictionary_and_grows_too():
    figure = FIGURES["cotangents"].build(TRACE, None)
    assert enlarged(json.loads(figure.to_json()))["layout"]["height"] == enlarged(figure)["layout"]["height"]
