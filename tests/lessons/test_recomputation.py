"""Test what the lessons of recomputation say of memory, which no claim counts."""

import autodiff_viz as av
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.state import start
from autodiff_viz.lessons.evaluate import trace_of
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.lesson import without_region


def test_one_region_around_all_steps_peaks_as_high_as_none_and_one_around_each_lower():
    each, none, around_all = (av.memory(trace_of(step)).peak for step in lesson("scan").steps)
    assert each < none == around_all


def test_an_inner_region_lowers_the_peak():
    """Behind the outer region v0, v2 and v3 are live; without the inner one v1 as well."""
    two = open_lesson(start(), "nested")
    one = edited(two, without_region("inner"))
    assert [av.memory(av.trace(lab.graph)).peak for lab in (two, one)] == [3, 4]
