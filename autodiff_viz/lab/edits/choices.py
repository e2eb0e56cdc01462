"""Open another graph of the open lesson."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.forward.view import usual_directions
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.edit import Edit, Edits
from autodiff_viz.lab.lessons import open_variant
from autodiff_viz.lab.state import Lab, refused
from autodiff_viz.lab.training import own, scrubs

# Choose the figure on view.


def _show_figure(lab: Lab, edit: Edit) -> Lab:
    name = edit["figure"]
    if name not in FIGURES:
        raise ValueError("no such figure")
    return replace(lab, figure=name)


# Switch forward mode on and off, and set the tangents of inputs.


def _switch(lab: Lab, edit: Edit) -> Lab:
    """Switch forward mode on, with a tangent of 1 for the selected or first input, or off."""
    if type(edit["on"]) is not bool:
        raise TypeError(edit["on"])
    usual = usual_directions(lab.graph, lab.selected) if lab.forward is None else lab.forward
    return replace(lab, forward=usual if edit["on"] else None)


def _tangent(lab: Lab, edit: Edit) -> Lab:
    """Set the tangent of an input, which may have gone meanwhile."""
    name, text = edit["node"], str(edit["value"])
    if lab.forward is None or name not in lab.graph or lab.graph[name].op != INPUT:
        return lab
    try:
        number = float(text.replace("\u2212", "-"))
    except ValueError:
        number = float("nan")
    if not abs(number) <= limits.NUMBER:
        message = f"A tangent is a number; {text[:40]!r} is none."
        return refused(lab, GraphError(Problem("bad-tangent", message, "Type 1, or 0 for none.", node=name)))
    others = [pair for pair in lab.forward if pair[0] != name]
    return replace(lab, forward=(*others, (name, number)) if number else tuple(others))


# Show a step of the training, while its slider is dragged.


def _show_step(lab: Lab, edit: Edit) -> Lab:
    step, training = edit["step"], own(lab)
    if type(step) is not int or step < 0:
        raise ValueError("no such step")
    if training is None or step > len(training):  # of a training that has been replaced meanwhile
        return lab
    return scrubs(lab, step)


def _open(lab: Lab, edit: Edit) -> Lab:
    key, variant = edit["lesson"], edit["variant"]
    if type(variant) is not int or variant < 0:
        raise ValueError("no such graph")
    if key != lab.lesson:  # of a lesson that has been left meanwhile
        return lab
    return open_variant(lab, key, variant)


EDITS: Edits = {
    "figure": _show_figure,
    "forward": _switch,
    "tangent": _tangent,
    "step": _show_step,
    "variant": _open,
}
