"""Switch forward mode on and off, and set the tangents of inputs."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.views.edits.record import Edit, Edits
from autodiff_viz.views.forward import usual_directions
from autodiff_viz.views.lab import Lab, refused


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


EDITS: Edits = {"forward": _switch, "tangent": _tangent}
