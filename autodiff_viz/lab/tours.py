"""Open the steps of tours and lessons, and make a step of the state of the lab."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.asking.question import ASKED_ALONE
from autodiff_viz.canvas.arrange import folded_places
from autodiff_viz.explain.catalog import CHOICES
from autodiff_viz.graph.edits import with_positions
from autodiff_viz.graph.history import Pinned
from autodiff_viz.graph.identity import remembered, same
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, without_natives
from autodiff_viz.lab.asking import ask
from autodiff_viz.lab.persistence.training import read_step, read_training, step_text, training_text
from autodiff_viz.lab.state import Lab, opened, toured_at, with_choice, with_text, with_tour
from autodiff_viz.language.parse import parse
from autodiff_viz.language.scanner import POSITIONS
from autodiff_viz.language.show import show, written
from autodiff_viz.language.statements import show_positions
from autodiff_viz.lessons.evaluate import graph_in, graph_of
from autodiff_viz.lessons.tour import Step, Tour, plain
from autodiff_viz.training.run import USUAL
from autodiff_viz.training.state import learned


def open_step(lab: Lab, tour: Tour, at: int, label: str, exact: bool = False) -> Lab:
    """Open the graph of a step as another document; undo returns to the present one.

    Args:
      exact: whether all is as the step was made, its text too. Otherwise what the visitor has pinned, has
        chosen beside figures and plans for trainings stays, where the step says nothing of it.
    Raises:
      GraphError: its formula cannot be read, or it asks for what its graph has not.
    """
    step = tour.steps[at]
    graph = graph_of(step)
    is_placed = any(node.position is not None for node in graph.nodes)
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
    after = replace(
        after,
        seed=step.seed,
        dtype=step.dtype,
        plan=step.training or after.plan,
        figure=tour.figure_of(step),
        selected=step.look_at,
        collapsed=frozenset(step.collapsed),
        forward=step.forward,
        ranges=tuple(each for each in step.ranges if each[0] in graph),
    )
    if step.trained:  # a recipe, whose steps have still to be computed
        training = read_training(step.trained, graph, after.plan)
        moment = read_step(step.moment) if training is not None else None
        after = replace(after, training=training, step=moment, as_then=moment is not None)
    return ask(after, step.questions, step.hides or ASKED_ALONE) if step.questions or step.hides else after


def is_answered(lab: Lab) -> bool:
    """Return whether nothing is asked that is still hidden, so that a step's text may be read."""
    return lab.asking is None or (bool(lab.asking.asked) and all(one.revealed for one in lab.asking.asked))


def words_on_view(lab: Lab, step: Step) -> str:
    """Return what is said of the step on view: its caption, and its text once the questions are answered."""
    return "\n\n".join(part for part in (step.caption, step.text if is_answered(lab) else "") if part)


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


def go_to(lab: Lab, tour: Tour, at: int) -> Lab:
    """Open a step of a tour as it was made; undo returns to the present state, and to the tour before.

    A tour without steps opens beside the present graph.

    Raises:
      GraphError: the step's formula cannot be read.
    """
    tour = plain(tour)
    if not tour.steps:
        return with_tour(lab, tour, 0, f"Tour: {tour.title}")
    at = max(0, min(at, len(tour.steps) - 1))
    opened_step = open_step(lab, tour, at, f"Step {at + 1}: {tour.steps[at].title}", exact=True)
    return toured_at(opened_step, tour, at)


def renewed(step: Step, state: Step) -> Step:
    """Return a step with the state of another one, and its own words."""
    words = {name: getattr(step, name) for name in ("title", "caption", "text", "notes", "reveal")}
    return replace(state, **words)


def is_as_made(lab: Lab, step: Step) -> bool:
    """Return whether graph, seed and dtype are those of a step; positions do not count."""
    return same((lab.seed, lab.dtype), (step.seed, step.dtype)) and has_graph_of(lab, step)


def has_graph_of(lab: Lab, step: Step) -> bool:
    """Return whether the graph is that of a step; positions do not count."""
    return _unplaced(lab.graph) == _own(step)


@remembered(64)
def _own(step: Step) -> Graph:
    """Return the step's own graph without positions."""
    return _unplaced(graph_of(step))


def _unplaced(graph: Graph) -> Graph:
    """Return the graph without positions."""
    return replace(graph, nodes=tuple(replace(node, position=None) for node in graph.nodes))


def tour_data(lab: Lab) -> dict[str, Any] | None:
    """Return the words of the visitor's tour in the format of web/tour/panel.js; None without one.

    Of the texts a reader gets that of the step on view alone, once its questions are answered, since it may
    name the answers.
    """
    tour = lab.tour
    if tour is None:
        return None
    steps = [
        {
            "title": step.title,
            "caption": step.caption,
            "text": step.text if lab.authoring or (i == lab.at and is_answered(lab)) else "",
            "notes": step.notes,
            "asks": len(step.questions),
        }
        for i, step in enumerate(tour.steps)
    ]
    return {
        "title": tour.title,
        "summary": tour.summary,
        "text": tour.text,
        "at": lab.at,
        "steps": steps,
        "editing": lab.authoring,
        "answered": is_answered(lab),
        "changed": bool(tour.steps) and not is_as_made(lab, tour.steps[lab.at]),
    }


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
        questions=tuple(one.question for one in lab.asking.asked) if lab.asking else (),
        hides=lab.asking.hides if lab.asking else "",
        ranges=tuple(each for each in lab.ranges if each[0] in graph),
        trained=training_text(lab),
        moment=step_text(lab) if lab.training is not None else "",
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
