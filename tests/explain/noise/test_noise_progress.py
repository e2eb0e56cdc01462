"""Test the progress of the noise of two graphs, A and B, which is one job."""

from __future__ import annotations

import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.explain.noise.figure import noise_figure
from autodiff_viz.language.parse import parse
from autodiff_viz.workers import jobs


@pytest.fixture
def sent(monkeypatch):
    """All reports of this process."""
    found = []
    monkeypatch.setattr(jobs._Sender, "send", found.append)
    monkeypatch.setattr(jobs, "PERIOD", 0.0)
    return found


def test_a_and_b_have_one_progress(sent):
    """3,000 draws of A in three chunks of 1,000, then as many of B: 6,000 in all."""
    a, b = (trace(parse(f"x = {x}\ny = x * normal(seed=3)")) for x in (1.25, 2.75))
    noise_figure(b, "3000", Twin(a, "A"))
    assert [(each.done, each.whole) for each in sent] == [(n, 6000) for n in range(0, 6000, 1000)]


def test_after_a_part_counts_are_whole_again(sent):
    with pytest.raises(KeyError), jobs.as_part(1, 2):
        raise KeyError
    jobs.report(1, 4)
    assert (sent[0].done, sent[0].whole) == (1, 4)
