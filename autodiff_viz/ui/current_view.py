"""Compute the view of a state of the lab, once per state."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.graph.identity import same
from autodiff_viz.views.compose import LabView, lab_view
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.page.parts import Data, follow_from


@dataclass(frozen=True, slots=True)
class Present:
    """A state of the lab and its view.

    Attributes:
      lab: the state.
      view: what the page shows of it.
      numbers: the data that all numbers of `view` follow from.
      state: counts how often `numbers` has changed.
    """

    lab: Lab
    view: LabView
    numbers: Data
    state: int = 1


def present(lab: Lab, last: Present | None) -> Present:
    """Return the view of `lab`; whatever has not changed is reused from `last`."""
    if last is None:
        view = lab_view(lab)
        return Present(lab, view, follow_from(lab, view))
    if last.lab is lab:
        return last
    view = lab_view(lab, last.view)
    numbers = follow_from(lab, view)
    return Present(lab, view, numbers, last.state + (not same(numbers, last.numbers)))
