"""Choose the ranges of the sliders of scalar inputs."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.views.lab import Lab


def slider_range(lab: Lab, name: str) -> tuple[float, float]:
    """Return (low, high), low < high: from the formula, else the slider's range so far, else a round range.

    The range is extended to contain the value.
    """
    node = lab.graph[name]
    value = float(node.param("value"))
    kept = next(((low, high) for key, low, high in lab.ranges if key == name), None)
    low, high = kept or _round_range(value)
    low, high = float(node.param("low", low)), float(node.param("high", high))
    low, high = min(low, value), max(high, value)
    return (low, high) if low < high else _round_range(value)


def _round_range(value: float) -> tuple[float, float]:
    """Return -r to r for the smallest r of 5, 10, 50, 100, ... that contains the value."""
    reach = 5.0
    while reach < abs(value):
        reach *= 2 if str(reach)[0] == "5" else 5
    return -reach, reach


def with_range(lab: Lab, name: str) -> Lab:
    """Store the slider's present range, so that it does not change while the slider moves."""
    low, high = slider_range(lab, name)
    others = tuple(entry for entry in lab.ranges if entry[0] != name)
    return replace(lab, ranges=(*others, (name, low, high)))
