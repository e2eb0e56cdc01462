"""Name the parts of the page, and compare them as data: a part is drawn again only if its data has changed.

The data of a quick part is what it shows. That of a slow part is all that its content depends on, so that the
content need not be computed to find out whether it has changed. `ui/pages.py` places each part and draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.tensor.view import is_tensor
from autodiff_viz.graph.identity import same
from autodiff_viz.lab.evaluate import LabView
from autodiff_viz.lab.exercises import tries
from autodiff_viz.lab.figures import about, comparison_key, figure_on_view
from autodiff_viz.lab.lessons import lesson_view
from autodiff_viz.lab.onward import onward
from autodiff_viz.lab.segments import cut_names
from autodiff_viz.lab.state import Lab, shows_code
from autodiff_viz.lab.surface import surface_data
from autodiff_viz.lab.training import live, own
from autodiff_viz.lab.training_panel import curves_data, track_data, train_data
from autodiff_viz.segments.view import SEGMENTS
from autodiff_viz.training.state import learned
from autodiff_viz.training.view import TRAINING

Data = Any


@dataclass(frozen=True)
class Part:
    """A part of the page, beside the lab's component, that is drawn by itself.

    Attributes:
      key: its name, by which `ui/pages.DRAWS` has the function that draws it.
      data: returns what it shows, or all that its content depends on; None if it shows nothing.
      is_open: whether it is drawn while numbers are hidden. A part that shows numbers of the whole pass or of
        other graphs, or tells what will be seen, is not.
      waits: returns whether its place then says that it comes after the answer.
      has_numbers: whether it names on the page the state that its numbers are of.
      is_large: whether it is larger than all others together, and so drawn when its place is in view.
      follows: whether each step of a running training changes it; it is then drawn once a second.
      plot: key of the plot that it is the panel of.
      frame: the control of `embedding/contract.py` that brings it into a frame; empty if none does.
    """

    key: str
    data: Callable[[Lab, LabView], Data]
    is_open: bool = False
    waits: Callable[[Lab, LabView], bool] = lambda lab, view: False
    has_numbers: bool = False
    is_large: bool = False
    follows: bool = False
    plot: str = ""
    frame: str = ""


def settings(lab: Lab, view: LabView) -> Data:
    """Return the state of the settings in the bar."""
    downloads = view.is_program, view.hiding, lab.pinned is None, lab.tour is None
    return lab.seed, lab.dtype, view.can_resample, view.seed_rows, downloads


def tensor(lab: Lab, view: LabView) -> Data:
    """Return the selected tensor with its numbers' identity; None if no drawn tensor is selected."""
    return (lab.selected, numbers(lab, view)) if is_tensor(view.trace, lab.selected) else None


def numbers(lab: Lab, view: LabView) -> Data:
    """Return the identity of all that any number depends on; positions of nodes are not part of it.

    While a training is followed live, it is the training's token, so that slow parts are not drawn at each
    step.
    """
    return lab.training.token if view.moment and live(lab) else view.follows


def claims(lab: Lab, view: LabView) -> Data:
    """Return all that the claims of the open lesson depend on; None without a lesson."""
    if lab.lesson is None:
        return None
    training = own(lab)
    made = training.course.phases if training and training.course and not live(lab) else ()
    return lab.lesson, lab.variant, lab.plan.settings, made, numbers(lab, view)


def segments_data(lab: Lab, view: LabView) -> Data:
    """Return all that the panel of segments depends on; None for a graph without cuts."""
    cuts = cut_names(view)
    return (cuts, numbers(lab, view), lab.plan) if cuts else None


def chooser(lab: Lab, view: LabView) -> Data:
    """Return what the figure on view has to choose from."""
    on = figure_on_view(lab)
    return on, lab.choices, tuple(tuple(choice.offered(lab.graph)) for choice in FIGURES[on].choices)


def figure(lab: Lab, view: LabView) -> Data:
    """Return all that the figure on view depends on."""
    on = figure_on_view(lab)
    return on, about(lab, on), comparison_key(lab, on), numbers(lab, view)


LESSON = Part("lesson", lambda lab, view: lesson_view(lab), is_open=True, frame="lesson")
"""The part beside the page, which is drawn with the whole page since it opens and closes."""

_IN_ORDER = (
    Part("problems", lambda lab, view: view.notice or view.mistaken, is_open=True),
    Part(
        "formula_head",
        lambda lab, view: (lab.draft is None, lab.shelved is None, shows_code(lab)),
        is_open=True,
    ),
    Part("train", train_data, waits=lambda lab, view: bool(learned(lab.graph))),
    Part("track", track_data, has_numbers=True),
    Part("tensor", tensor, has_numbers=True),
    Part("settings", settings, is_open=True),
    Part("tries", lambda lab, view: tries(lab), frame="lesson"),
    Part("onward", lambda lab, view: onward(lab), frame="lesson"),
    Part("claims", claims, frame="lesson"),
    Part("curves", curves_data, follows=True, plot=TRAINING.key),
    Part("surface", surface_data, follows=True),
    Part(
        "segments",
        segments_data,
        waits=lambda lab, view: bool(cut_names(view)),
        has_numbers=True,
        plot=SEGMENTS.key,
    ),
    Part("chooser", chooser, frame="plot"),
    Part("figure", figure, waits=lambda lab, view: True, has_numbers=True, is_large=True, frame="plot"),
    Part("second", numbers, has_numbers=True, is_large=True),
    LESSON,
)

PARTS: Mapping[str, Part] = {part.key: part for part in _IN_ORDER}
"""The parts other than the lab's component, in the order in which they are drawn: slow ones last."""

ASKED = "asked"
"""Data of a part that waits for the answer."""


def data_of(part: Part, lab: Lab, view: LabView) -> Data:
    """Return the data of a part; of one that is not drawn now, `ASKED` if its place says so."""
    if view.hiding and not part.is_open:
        return ASKED if part.waits(lab, view) else None
    return part.data(lab, view)


def shows(name: str, lab: Lab, view: LabView, beside: Mapping[str, Data]) -> Data:
    """Return the data of the part `name`.

    Args:
      beside: other data of a part by name, such as the data sent to the component. It is left out for a part
        of numbers that shows nothing.
    """
    part = PARTS[name]
    data = data_of(part, lab, view)
    return data, None if data is None and part.has_numbers else beside.get(name)


def changed(shown: Mapping[str, Data], lab: Lab, view: LabView, beside: Mapping[str, Data]) -> set[str]:
    """Return the parts whose data differs from what they were `shown` with, or that have never been shown."""
    return {
        name for name in PARTS if name not in shown or not same(shown[name], shows(name, lab, view, beside))
    }


def in_frame(shows: Callable[[str], bool]) -> frozenset[str]:
    """Return the parts of a frame that shows these controls."""
    return frozenset(name for name, part in PARTS.items() if part.frame and shows(part.frame))
