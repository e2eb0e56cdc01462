"""Open the steps of tours and lessons, and make a step of the state of the lab."""

from __future__ import annotations

from dataclasses import replace

from autodiff_viz.canvas.arrange import folded_places
from autodiff_viz.explain.catalog import CHOICES
from autodiff_viz.graph.edits import with_positions
from autodiff_viz.graph.history import Pinned
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, without_natives
from autodiff_viz.lab.state import Lab, opened, with_choice, with_text
from autodiff_viz.language.parse import parse
from autodiff_viz.language.scanner import POSITIONS
from autodiff_viz.language.show import show, written
from autodiff_viz.language.statements import show_positions
from autodiff_viz.lessons.evaluate import graph_in, graph_of
from autodiff_viz.lessons.tour import Step, Tour
from autodiff_viz.training.run import USUAL
from autodiff_viz.training.state import learned


def open_step(lab: Lab, tour: Tour, at: int, label: str, exact: bool = False) -> Lab:
    """Open the graph of a step as another document; undo returns to the present one.

    Args:
      exact: whether all is as the step was made, its text too. Otherwise what the visitor has pinned, has
        chosen beside figures and plans for trainings stays, where the step says nothing of it.
    Raises:
      GraphError: its formula cannot be read.
    """
    step = tour.steps[at]
    graph = graph_of(step)
    is_placed = all(node.position is not None for node in graph.nodes)
    if step.collapsed and not is_placed:  # its nodes go around the cards of the collapsed groups
        graph = with_positions(graph, folded_places(graph, step.collapsed))
    after = opened(lab, graph, label)
    if exact:
        after = with_text(replace(after, choices=(), plan=USUAL), _own_text(step.formula))
    for choice in CHOICES:
        if text := dict(step.choices).get(choice.parameter):
            after = with_choice(after, choice.name, choice.from_text(text, graph))
    if exact or step.pinned:
        present = after.history.present._replace(pinned=_pinned(step))
        after = replace(after, history=replace(after.history, present=present))
    return replace(
        after,
        seed=step.seed,
        dtype=step.dtype,
        plan=step.training or after.plan,
        figure=tour.figure_of(step),
        selected=step.look_at,
        collapsed=frozenset(step.collapsed),
        forward=step.forward,
    )


def _pinned(step: Step) -> Pinned | None:
    """Return what a step pins."""
    if not step.pinned:
        return None
    return Pinned(graph_in(step.pinned), _own_text(step.pinned), step.letter)


def _own_text(formula: str) -> str | None:
    """Return a formula as its author wrote it, without the positions; None for the canonical text."""
    lines = formula.split("\n")
    text = "\n".join(line for line in lines if not line.startswith(POSITIONS))
    return None if text.strip() == written(graph_in(formula))[0].strip() else text


def captured(lab: Lab, title: str) -> Step:
    """Return the state of the lab as a step of a tour, without any words.

    Raises:
      GraphError: a node has a function of this process, which cannot be written down.
    """
    graph = without_natives(lab.graph, "a step of a tour")
    made, pinned = dict(lab.choices), lab.pinned
    chosen = ((c.parameter, c.to_text(made[c.name])) for c in CHOICES if c.name in made)
    trains = bool(learned(graph)) and (lab.plan != USUAL or lab.training is not None)
    return Step(
        title,
        _formula(graph, lab.history.present.text),
        look_at=lab.selected,
        seed=lab.seed,
        training=lab.plan if trains else None,
        collapsed=tuple(sorted(group.name for group in graph.groups if group.name in lab.collapsed)),
        dtype=lab.dtype,
        figure=lab.figure,
        choices=tuple((name, text) for name, text in chosen if text),
        forward=lab.forward,
        pinned=_formula(pinned.graph, pinned.text) if pinned else "",
        letter=pinned.letter if pinned else "A",
    )


def _formula(graph: Graph, text: str | None) -> str:
    """Return the graph as text with its positions: as its author wrote it, if that says all of it."""
    if text is not None:
        own = "\n".join([text.rstrip("\n"), *show_positions(graph.nodes), ""])
        try:
            if same(parse(own), graph):
                return own
        except GraphError:  # code, which is read and not parsed
            pass
    return show(graph)
