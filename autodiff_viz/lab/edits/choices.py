"""Choose what is on view: the figure, forward mode with its tangents, a training step, a lesson's graph."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.forward.view import usual_directions
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.asking import hiding
from autodiff_viz.lab.edits.compare import HIDDEN
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.lessons import open_variant
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.lab.training import own, scrubs
from autodiff_viz.messages.edits import Forward, OpenVariant, ShowFigure, ShowStep, Tangent


def _show_figure(lab: Lab, edit: ShowFigure) -> Lab:
    if edit.figure not in FIGURES:
        raise unreadable(edit)
    return replace(lab, figure=edit.figure)


def _switch(lab: Lab, edit: Forward) -> Lab:
    """Switch forward mode on, with a tangent of 1 for the selected or first input, or off.

    Raises:
      GraphError: code "hidden", while a question hides numbers: no tangents are computed then.
    """
    if edit.on and hiding(lab):
        raise GraphError(Problem("hidden", HIDDEN, "Answer first, then look at tangents."))
    usual = usual_directions(lab.graph, lab.selected) if lab.forward is None else lab.forward
    return replace(lab, forward=usual if edit.on else None)


def _tangent(lab: Lab, edit: Tangent) -> Lab:
    """Set the tangent of an input, which may have gone meanwhile."""
    name, text = edit.node, edit.value
    if lab.forward is None or name not in lab.graph or lab.graph[name].op != INPUT:
        return lab
    try:
        number = float(text.replace("\u2212", "-"))  # numbers on the page have a true minus sign
    except ValueError:
        number = float("nan")
    if not abs(number) <= limits.NUMBER:  # "not <=" is true of a NaN too
        message = f"A tangent is a number; {text[:40]!r} is none."
        return refused(lab, GraphError(Problem("bad-tangent", message, "Type 1, or 0 for none.", node=name)))
    # An input that stands still has no entry, so that links stay short.
    others = [pair for pair in lab.forward if pair[0] != name]
    return replace(lab, forward=(*others, (name, number)) if number else tuple(others))


def _show_step(lab: Lab, edit: ShowStep) -> Lab:
    step, training = edit.step, own(lab)
    if training is None or step > len(training):  # of a training that has been replaced meanwhile
        return lab
    return scrubs(lab, step)


def _open(lab: Lab, edit: OpenVariant) -> Lab:
    if edit.lesson != lab.lesson:  # of a lesson that has been left meanwhile
        return lab
    return open_variant(lab, edit.lesson, edit.variant)


HANDLERS: Handlers = {
    ShowFigure: _show_figure,
    Forward: _switch,
    Tangent: _tangent,
    ShowStep: _show_step,
    OpenVariant: _open,
}
