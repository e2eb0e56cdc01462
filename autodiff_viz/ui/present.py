"""What the page shows of a state of the lab, evaluated once for each."""

from __future__ import annotations

from dataclasses import dataclass

from autodiff_viz.graph.identity import same
from autodiff_viz.views.compose import LabView, lab_view
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.parts import Data, follow_from


@dataclass(frozen=True, slots=True)
class Present:
    """A state of the lab and what is shown of it.

    Attributes:
      numbers: what all numbers of `view` follow from; `state` counts how often that has changed.
    """

    lab: Lab
    view: LabView
    numbers: Data
    state: int = 1


def present(lab: Lab, last: Present | None) -> Present:
    """What is shown of `lab`; what still is as it was is taken over from the `last` one."""
    if last is None:
        view = lab_view(lab)
        return Present(lab, view, follow_from(lab, view))
    if last.lab is lab:
        return last
    view = lab_view(lab, last.view)
    numbers = follow_from(lab, view)
    return Present(lab, view, numbers, last.state + (not same(numbers, last.numbers)))
