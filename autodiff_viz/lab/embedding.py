"""Open the lab in a frame: ask before the numbers are shown, where the frame's address wants that."""

from __future__ import annotations

from autodiff_viz.asking.question import ALL_COTANGENTS, COTANGENT, NUMBER, SHAPE, ZERO, Quantity, Question
from autodiff_viz.embedding.contract import ASK, Embed
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.asking import ask, asking_of
from autodiff_viz.lab.judging import asked_of
from autodiff_viz.lab.state import Lab


def opened_in_frame(lab: Lab, embed: Embed) -> Lab:
    """Return the lab as a frame opens it.

    If the frame shows numbers after an answer and the link asks nothing, the question is what arrives at the
    selected node, or at the first input.
    """
    if embed.reveal != ASK or asking_of(lab) is not None or not lab.graph.nodes:
        return lab
    inputs = [node.name for node in lab.graph.nodes if node.op == INPUT]
    about = Quantity(COTANGENT, lab.selected or next(iter(inputs), lab.graph.nodes[0].name))
    for kind in (NUMBER, ZERO, SHAPE):
        try:
            return asked_of(lab, [Question(kind, about)], ALL_COTANGENTS)
        except GraphError:
            continue
    return ask(lab, (), ALL_COTANGENTS)
