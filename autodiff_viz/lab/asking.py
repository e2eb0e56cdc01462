"""Ask about the graph on view: keep the questions with their answers, and say what is hidden meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise

from autodiff_viz.asking.answers import read_answer
from autodiff_viz.asking.authored import check_own_answer, refused
from autodiff_viz.asking.hidden import hidden
from autodiff_viz.asking.question import (
    ALL_COTANGENTS,
    ALL_VALUES,
    CHOICE,
    COTANGENT,
    COUNTS,
    HIDES,
    KEPT,
    KINDS,
    LARGER,
    NUMBER,
    PASSED,
    QUANTITIES,
    SAME,
    SHAPE,
    UNKNOWN,
    VALUE,
    ZERO,
    Asked,
    Asking,
    Quantity,
    Question,
)
from autodiff_viz.asking.renaming import renamed_asked
from autodiff_viz.asking.words import SECOND, TO_WIRE, form_of
from autodiff_viz.engine.trace import SHAPE as OF_SHAPE
from autodiff_viz.engine.trace import VALUE as OF_VALUE
from autodiff_viz.engine.trace import Place
from autodiff_viz.graph import limits
from autodiff_viz.graph.edits import new_names
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.training import moment

OF_COUNTS = (NUMBER, ZERO, SAME, LARGER, CHOICE)
"""Kinds of questions that can be about what is counted."""

NAMED = 40  # characters of something unknown that a message quotes


def asking_of(lab: Lab) -> Asking | None:
    """Return what is asked of the graph on view; None while nothing is."""
    return lab.asking


def ask(lab: Lab, questions: Sequence[Question], hides: str) -> Lab:
    """Ask these questions in place of those before, whose answers are kept where the question stays.

    It is no step of undo: the graph is as it was.

    Raises:
      GraphError: codes "bad-question" and "too-many-questions".
    """
    if hides not in HIDES:
        raise refused(f"{quoted(hides[:NAMED])} cannot be hidden", f"Hide one of {', '.join(HIDES)}.")
    if len(questions) > limits.QUESTIONS:
        message = f"There are {len(questions)} questions; the limit is {limits.QUESTIONS}."
        raise GraphError(Problem("too-many-questions", message, "Ask some of them of another graph."))
    kept = {asked.question: asked for asked in lab.asking.asked} if lab.asking else {}
    for question in questions:
        if question not in kept:  # the graph may have lost what one is about that stays
            check_question(lab.graph, question, lab.pinned is not None)
    asked = tuple(kept.get(question, Asked(question)) for question in questions)
    return replace(lab, asking=Asking(hides, asked), notice=())


def check_question(graph: Graph, question: Question, pinned: bool) -> None:
    """Check that a question is about something that the graph has.

    Args:
      pinned: whether a graph is pinned, with which A and B can be compared.
    Raises:
      GraphError: code "bad-question".
    """
    if question.kind not in KINDS:
        raise refused(
            f"{quoted(question.kind[:NAMED])} is no kind of question", f"One of {', '.join(KINDS)}."
        )
    check_own_answer(question)
    counted = [each for each in (question.about, question.other) if each is not None and each.of in COUNTS]
    if counted and question.kind not in OF_COUNTS:
        raise refused(f"Of what is counted no {question.kind} is asked", f"One of {', '.join(OF_COUNTS)}.")
    if question.other is not None and len({question.about.of in COUNTS, question.other.of in COUNTS}) > 1:
        raise refused("A count is compared with something else", "Compare two counts.")
    if question.other is not None and question.kind != LARGER:
        raise refused("Two numbers are compared by a question of kind larger alone", "Leave out the second.")
    if not pinned and (question.kind == SAME or (question.kind == LARGER and question.other is None)):
        raise refused("The question compares A with B, and no graph is pinned", "Pin a graph as A first.")
    for quantity in (question.about, question.other):
        if quantity is not None and not has(graph, quantity):
            raise refused(f"The graph has no {describe(quantity)}", "Ask about a node or a wire that it has.")


def describe(quantity: Quantity) -> str:
    """Return what a quantity is, in words."""
    if quantity.of == PASSED:
        return f"wire into slot {quantity.slot} of {quoted(quantity.node[:NAMED])}"
    return f"{quantity.of[:NAMED]} of {quoted(quantity.node[:NAMED])}"


def has(graph: Graph, quantity: Quantity) -> bool:
    """Return whether the graph has a node, or a wire, of this quantity."""
    node = graph.by_name.get(quantity.node)
    if node is None or quantity.of not in QUANTITIES:
        return False
    if quantity.of != PASSED:
        return quantity.slot is None
    return any(slot == quantity.slot for slot, _ in node.wires)


def stop_asking(lab: Lab) -> Lab:
    """Show all numbers again; the questions are gone."""
    return replace(lab, asking=None)


def reveal(lab: Lab, at: int) -> Lab:
    """Show the answer of a question; one that is not there changes nothing."""
    return with_asked(
        lab,
        at,
        lambda asked: replace(asked, revealed=True, of=asked.of or numbers_key(lab, asked.question)),
    )


def with_asked(lab: Lab, at: int, change: Callable[[Asked], Asked]) -> Lab:
    """Return the lab with one question changed; a question that is not there changes nothing."""
    if lab.asking is None or not 0 <= at < len(lab.asking.asked):
        return lab
    asked = list(lab.asking.asked)
    asked[at] = change(asked[at])
    return replace(lab, asking=replace(lab.asking, asked=tuple(asked)), notice=())


def numbers_key(lab: Lab, question: Question) -> str:
    """Return a digest of all that the answer follows from: guesses about other numbers say nothing of these.

    The pinned graph is part of it, since a question may compare both; regions, which change no value and no
    gradient, where these do not answer it.
    """
    nodes = tuple([node.content for node in lab.graph.nodes])
    beside = lab.pinned and tuple([node.content for node in lab.pinned.graph.nodes])
    at = moment(lab)
    # Of a step of a training its settings count too: another rate has other numbers at the same step.
    numbers = nodes, lab.graph.output, lab.seed, lab.dtype, at and at.key, beside
    if not question.is_of_numbers:
        numbers += lab.graph.regions, lab.pinned and lab.pinned.graph.regions
    return blake2b(identity(numbers), digest_size=6).hexdigest()


# A graph that changes


def followed(before: Lab, after: Lab) -> Lab:
    """Return the lab after an edit, with its questions about the same nodes, whatever these are called now.

    An edit may rename a node, undo that, or jump over steps that did.
    """
    asking = after.asking
    if asking is None or asking is not before.asking or after.graph is before.graph:
        return after
    asked = asking.asked
    for one, other in pairwise(_labs_between(before, after)):
        if names := new_names(one.graph, other.graph):
            asked = tuple(_with_names(each, names, one, other) for each in asked)
    return after if asked == asking.asked else replace(after, asking=replace(asking, asked=asked))


def _with_names(asked: Asked, names: Mapping[str, str], before: Lab, after: Lab) -> Asked:
    """Return a question with its answers, which hold as before: a name changes no number."""
    new = renamed_asked(asked, names)
    holds = asked.of == numbers_key(before, asked.question)
    return replace(new, of=numbers_key(after, new.question)) if holds else new


def _labs_between(before: Lab, after: Lab) -> list[Lab]:
    """Return the states from one place of a history to another, with both ends."""
    entries, there = after.history.entries, len(after.history.past)
    here = next((i for i, entry in enumerate(entries) if entry is before.history.present), None)
    if here is None:
        return [before, after]
    step = 1 if here < there else -1
    ways = [entries[i] for i in range(here + step, there, step)]
    between = [replace(before, history=replace(before.history, present=entry)) for entry in ways]
    return [before, *between, after]


def missing(lab: Lab, question: Question) -> str:
    """Return what of a question is not there any more, in a sentence with what helps; "" if all of it is."""
    quantities = [each for each in (question.about, question.other) if each is not None]
    graph = played(lab.graph)
    for quantity in quantities:
        if not has(graph, quantity):
            return f"{_gone(lab.graph, quantity)} {HELPS}"
    if question.kind == SAME or (question.kind == LARGER and question.other is None):
        if lab.pinned is None:
            return f"No graph is pinned any more, with which this one is compared. {HELPS}"
        if not has(played(lab.pinned.graph), question.about):
            with_which = f"{lab.pinned.letter}, with which this graph is compared"
            return f"`{question.about.node}` is not in {with_which}. {HELPS}"
    return ""


HELPS = "Undo, or remove the question."


def _gone(graph: Graph, quantity: Quantity) -> str:
    """Return that the graph has no such node or wire."""
    name = f"`{quantity.node}`"
    if quantity.node not in graph:
        return f"{name} is no longer in the graph."
    if graph[quantity.node].muted:
        return f"{name} is muted, so this wire brings nothing."
    return f"The wire to {name} is no longer in the graph."


# What is hidden


def present(lab: Lab) -> Asking | None:
    """Return what is asked, without questions about what the graph no longer has."""
    if lab.asking is None:
        return None
    kept = tuple(asked for asked in lab.asking.asked if not missing(lab, asked.question))
    return replace(lab.asking, asked=kept)


def is_open(asking: Asking) -> bool:
    """Return whether a question has still to be answered; numbers can be hidden without any, too."""
    return not asking.asked or any(not asked.revealed for asked in asking.asked)


def hiding(lab: Lab) -> bool:
    """Return whether numbers of the graph are hidden."""
    return bool(hidden_places(lab, lab.graph))


def hidden_places(lab: Lab, graph: Graph) -> frozenset[Place]:
    """Return the places of the numbers that are hidden now.

    Args:
      graph: the graph that runs, whose numbers are on view.
    """
    asking, here = lab.asking, present(lab)
    if asking is None or here is None or not is_open(asking):
        return frozenset()
    lost = [one.question for one in asking.asked if not one.revealed and one not in here.asked]
    if lost or not asking.asked:
        here = _all_hidden(here, graph, lost)
    places = set(hidden(graph, here).places)
    if any(asked.question.kind == SHAPE and not asked.revealed for asked in asking.asked):
        # Neighbours of like shape would tell it.
        names = [node.name for node in graph.nodes if node.slots]
        places |= {(of, name) for name in names for of in (OF_SHAPE, OF_VALUE, COTANGENT)}
        places |= {(PASSED, node.name, slot) for node in graph.nodes for slot, _ in node.wires}
    return frozenset(places)


def _all_hidden(asking: Asking, graph: Graph, lost: Sequence[Question]) -> Asking:
    """Return what is asked with all numbers hidden that are like those of questions whose number is gone.

    Undo brings such a number back, and what stood beside it may give it away. So it is where numbers are
    hidden without any question.
    """
    output = graph.output or ""
    of_graph = [question for question in lost if question.about.of not in COUNTS]
    asked, levels = [*asking.asked], {asking.hides}
    levels |= {ALL_VALUES if question.about.of == VALUE else ALL_COTANGENTS for question in of_graph}
    if of_graph or not lost:
        asked.append(Asked(Question(ZERO, Quantity(COTANGENT, output))))
    if not all(question.is_of_numbers for question in lost):
        asked.append(Asked(Question(NUMBER, Quantity(KEPT, output))))
    return replace(asking, hides=min(levels, key=HIDES.index), asked=tuple(asked))


def guesses(lab: Lab) -> Mapping[Place, str]:
    """Return by place the last answer about it, as it stands on the canvas; a count stands nowhere."""
    if lab.asking is None:
        return {}
    found = {}
    for asked in lab.asking.asked:
        said = [text for text in asked.tries if text != UNKNOWN]
        if said and asked.question.is_of_numbers:
            before = "" if asked.of == numbers_key(lab, asked.question) else " before"
            answer = said[-1].removeprefix(TO_WIRE)
            found[_stands_at(lab, asked.question, said[-1])] = f"your answer{before}: {answer}"
    return found


def _stands_at(lab: Lab, question: Question, answer: str) -> Place:
    """Return where an answer stands: of two quantities that are compared at the one that it names.

    Of a wire that is at the node that it leads to; the answer that both are the same stands at the first.
    """
    quantity, graph = question.about, lab.graph
    if question.kind == LARGER and question.other is not None and not missing(lab, question):
        try:
            choice = read_answer(form_of(graph, question, 1), answer).choice
        except GraphError:  # it was about the graph before
            choice = ""
        quantity = question.other if choice == SECOND else quantity
    place, node = place_of(quantity), graph.by_name.get(quantity.node)
    if question.kind == LARGER and place[0] == PASSED and node is not None:
        return COTANGENT, dict(node.wires).get(place[2], node.name)
    return place


def place_of(quantity: Quantity) -> Place:
    """Return where a quantity is."""
    if quantity.of == PASSED:
        return PASSED, quantity.node, quantity.slot or 0
    return quantity.of, quantity.node
