"""Test figures in large type: all text is larger, and what it stands on grows with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.figures.catalog import FIGURES
from autodiff_viz.figures.style.enlarge import enlarged
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


def test_a_figure_of_a_worker_is_a_dictionary_and_grows_too():
    figure = FIGURES["cotangents"].build(TRACE, None)
    assert enlarged(json.loads(figure.to_json()))["layout"]["height"] == enlarged(figure)["layout"]["height"]
