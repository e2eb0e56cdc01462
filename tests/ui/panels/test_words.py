"""Test that words of the trade are explained where they stand beside figures, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from autodiff_viz.ui import worker_jobs
from autodiff_viz.ui.panels import charts
from tests.ui.test_lab_page import lab_of, page, ran
from tests.ui.test_segments_panel import Later

SINES = "v0 = 0.5\nv1 = sin(v0)\nv2 = sin(v1)\nv3 = sin(v2)\nv4 = sin(v3)"
TENSOR = "x = [1.0, 2.0]\nz = sum(sin(x))"


def explained_words(app: AppTest) -> set[str]:
    pages = [element.proto.body for element in app.get("html")]
    return {word for body in pages for word in re.findall('data-term="([^"]*)"', body)}


@pytest.fixture
def workers(monkeypatch) -> Later:
    found = Later()
    monkeypatch.setattr(worker_jobs, "workers", lambda: found)
    monkeypatch.setattr(charts, "workers", lambda: found)
    return found


def test_the_seed_and_the_norm_of_the_bars_are_explained_beside_them():
    assert {"seed", "norm"} <= explained_words(page(lab=lab_of(TENSOR)))


@pytest.mark.parametrize(("by", "word"), [("peak", "live"), ("kept", "kept")])
def test_what_a_budget_is_of_is_explained_at_its_slider(workers, by, word):
    app = page(lab=replace(lab_of(SINES), figure="plans"))
    workers.finish("figure")
    app = ran(app)
    app.segmented_control[0].set_value(by)
    app = ran(app)
    (slider,) = app.select_slider
    assert slider.label == f"At most so many elements {word}"
    said = {"live": "still needed by a later step", "kept": "until the backward pass reads it"}
    assert said[word] in slider.help
