"""Encode the lab as query parameters of its address, and decode it: all that a reload must restore."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from autodiff_viz.canvas.arrange import as_first_seen
from autodiff_viz.explain.catalog import CHOICES
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.history import History, Pinned, begin
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.link import Unreadable, packed, to_link, unpacked
from autodiff_viz.graph.model import INPUT, Graph, Literal
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.short_text import FORMULA, read_short_text
from autodiff_viz.graph.text import listed
from autodiff_viz.lab.actions import typed
from autodiff_viz.lab.code import UNREAD, code_in, matching_text, reading_of
from autodiff_viz.lab.lessons import open_lesson, own_asking
from autodiff_viz.lab.persistence.asking import ASK, GUESS, asking_fields, read_asking
from autodiff_viz.lab.persistence.history import digest
from autodiff_viz.lab.persistence.json_text import squeezed, unsqueezed
from autodiff_viz.lab.persistence.training import (
    plan_text,
    read_plan,
    read_step,
    read_training,
    step_text,
    training_text,
)
from autodiff_viz.lab.state import (
    Lab,
    opened,
    refused,
    start,
    toured_at,
    with_choice,
    with_text,
    without_history,
)
from autodiff_viz.lab.tours import go_to
from autodiff_viz.language.documents import from_link
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.parse import parse, parse_literal
from autodiff_viz.lessons.codec import AT, TOUR, document_of, read_tour, tour_to_json
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.lessons.paths import PAGE, path_of
from autodiff_viz.lessons.search import meant
from autodiff_viz.lessons.tour import Tour, plain
from autodiff_viz.messages.edits import Trail as Kept

GRAPH, SEED, DTYPE, SELECTED, FIGURE = "g", "seed", "dtype", "node", "figure"
FORWARD, NOTHING_MOVES = "forward", "0"
LESSON, VARIANT, TEXT, DRAFT, SHELVED = "lesson", "variant", "text", "draft", "shelved"
RANGES, FOLDED, PLAN, STEP, TRAINED = "range", "folded", "plan", "step", "trained"
PINNED, PINNED_TEXT = {"A": "a", "B": "b"}, "pinned"
"""Names of the parameters of the pinned graph, by its letter, and of its text."""

VIEW, GALLERY, CLASS = "view", PAGE, "class"
"""Name of the parameter that selects the page, and its values for the gallery and for the counts of a class;
by default it is the lab."""

PRESENT, HIDDEN, NOTES = "present", "hidden", "notes"
"""Name of the parameter of the stage, and its values: with what comes back hidden; the presenter's notes."""

OF_THE_PAGE = (PRESENT,)
"""Names of parameters that say how the page looks, and no state of the lab: its script keeps them."""

STAMP = "at"
"""Name of the parameter with the stamp, `key.number`: the session that has written the address and the last
edit applied in it."""

KEPT = "kept"
"""Name of the parameter with a digest that replaces values too long for an address.

The browser stores these values under the digest.
"""

NAMED = 40  # characters of an unknown lesson's key that the message quotes

ELSEWHERE = "link-kept"
"""Code of the problem with an address that has only the digest."""

TOUR_ELSEWHERE = "tour-kept"
"""Code of the problem with an address that has a graph and only the place in its tour."""


LARGE = (GRAPH, SEED, TEXT, DRAFT, SHELVED, RANGES, TRAINED, ASK, GUESS)
"""Names of the parameters that may be too long for an address."""

NOT_HERE = "This graph is too large for a link. The browser in which it was made keeps it; this one does not."
DAMAGED_LINK = "This link is damaged: letters of it are wrong or missing."
TOUR_NOT_HERE = (
    "The tour of this link is too large for a link. "
    "The browser in which it was made keeps it; this one does not."
)
SAVE_THERE = "Save it there as JSON, in its panel; a JSON file can be dropped on the canvas."
OPEN_THERE = "Open it there and take it as JSON; a JSON file can be dropped on the canvas."


def to_query(lab: Lab) -> dict[str, str]:
    """Return the query parameters for `lab`, without those that have their default values."""
    return divided(lab)[0]


def divided(lab: Lab) -> tuple[dict[str, str], dict[str, str]]:
    """Return (query parameters for `lab`, parameters that are too long for an address).

    The browser has to store the second; the first then contain their digest. If not all fits, the pinned
    graph and the tour are left out first, the longer one before the other.
    """
    trained = training_text(lab)
    fields = {
        GRAPH: to_link(lab.graph, most=limits.JSON),
        **beside(lab),
        **(lab.path.fields if lab.path else {}),
        SELECTED: lab.selected,
        TEXT: None if lab.history.present.text is None else packed(lab.history.present.text),
        DRAFT: None if lab.draft is None else packed(lab.draft),
        SHELVED: None if lab.shelved is None else packed(lab.shelved),
        STEP: step_text(lab) if trained else None,  # a step is of a training: of this graph, or none
        TRAINED: trained,
    }
    query = {key: value for key, value in fields.items() if value}
    pinned: dict[str, str] = {}
    if lab.pinned is not None:
        pinned[PINNED[lab.pinned.letter]] = _pinned_link(lab.pinned.graph)
        if lab.pinned.text is not None:
            pinned[PINNED_TEXT] = packed(lab.pinned.text)
    toured = {TOUR: _tour_link(lab.tour), **({AT: str(lab.at)} if lab.at else {})} if lab.tour else {}
    large: dict[str, str] = {}
    query |= pinned | toured
    for part in sorted((pinned, toured), key=lambda part: len(urlencode(part)), reverse=True):
        if len(urlencode(query)) > limits.LINK:
            large |= {key: query.pop(key) for key in part}
    if TOUR in large:
        query[AT] = large.pop(AT, "0")  # says that there is a tour
    if len(urlencode(query)) > limits.LINK:
        large |= {key: query.pop(key) for key in LARGE if key in query}
    return ({**query, KEPT: digest(json.dumps(large))} if large else query), large


@remembered(32)
def _pinned_link(graph: Graph) -> str:
    """Return the link of a graph that stays the same from edit to edit."""
    return to_link(graph, most=limits.JSON)


@remembered(32)
def _tour_link(tour: Tour) -> str:
    """Return the link of a tour that stays the same from edit to edit."""
    return packed(tour_to_json(tour, None))


def with_toured(lab: Lab, query: Mapping[str, str], most: int = limits.LINK) -> Lab:
    """Return the lab with the tour that `query` has; the reason in `notice` if it is unreadable."""
    try:
        tour = _tour(query, most)
    except GraphError as error:
        return refused(lab, error)
    return lab if tour is None else toured_at(lab, tour, place_of(query, tour))


def _tour(query: Mapping[str, str], most: int) -> Tour | None:
    """Read the tour of an address; None if it has none.

    Raises:
      GraphError: it is unreadable or too long.
    """
    payload = query.get(TOUR)
    if not payload:
        return None
    if len(payload) > most:
        message = f"The link's tour has {len(payload)} characters; the limit is {most}."
        raise GraphError(Problem("link-too-long", message))
    return plain(read_tour(document_of(payload)))


def place_of(query: Mapping[str, str], tour: Tour) -> int:
    """Return the index of the step that an address names; the nearest one if there is none such."""
    text = query.get(AT, "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    return max(0, min(number, len(tour.steps) - 1))


def with_pinned(lab: Lab, query: Mapping[str, str], most: int = limits.LINK) -> Lab:
    """Return the lab with what `query` says to be pinned; the reason in `notice` if it is unreadable."""
    letter = next((letter for letter, key in PINNED.items() if query.get(key)), None)
    if letter is None:
        return lab
    try:
        graph = from_link(query[PINNED[letter]], most)
    except GraphError as error:
        return refused(lab, error)
    # The graph decides: a text of another one is amended to it, or left out.
    text = _unpacked(query.get(PINNED_TEXT, ""), most)
    pinned = Pinned(graph, matching_text(text, graph), letter)
    return replace(lab, history=replace(lab.history, present=lab.history.present._replace(pinned=pinned)))


def beside(lab: Lab) -> dict[str, str]:
    """Return the document's state other than its graph as query parameters, without default values."""
    ranges = ",".join(f"{name}:{low!r}:{high!r}" for name, low, high in lab.ranges if name in lab.graph)
    made = dict(lab.choices)
    # A lesson's graphs have numbers in links that stay when others are put between them.
    current = lesson(lab.lesson)
    variant = current.number_of(lab.variant) if current else lab.variant
    fields = {
        SEED: None if lab.seed is None else show_literal(lab.seed),
        DTYPE: None if lab.dtype == FLOAT32 else lab.dtype,
        FIGURE: None if lab.figure == "cotangents" else lab.figure,
        **{
            c.parameter: text
            for c in CHOICES
            if c.name in made and c.from_text(text := c.to_text(made[c.name]), lab.graph) is not None
        },
        FORWARD: _forward_text(lab),
        LESSON: lab.lesson,
        VARIANT: str(variant) if variant else None,
        RANGES: ranges,
        FOLDED: ",".join(sorted(group.name for group in lab.graph.groups if group.name in lab.collapsed)),
        PLAN: plan_text(lab.plan),
        **asking_fields(lab.asking, own_asking(lab)),
    }
    return {key: value for key, value in fields.items() if value}


def with_beside(lab: Lab, query: Mapping[str, str]) -> Lab:
    """Return the lab with the state that `beside` wrote; unreadable parameters get their default values."""
    folded = {group.name for group in lab.graph.groups}.intersection(query.get(FOLDED, "").split(","))
    key = query.get(LESSON)
    lab = replace(
        lab,
        lesson=found.key if (found := meant(key).lesson) else key,
        variant=_variant(key, query.get(VARIANT)),
    )
    try:
        lab = replace(lab, asking=read_asking(query, own_asking(lab)))
    except GraphError as error:
        lab = refused(replace(lab, asking=None), error)
    for choice in CHOICES:
        lab = with_choice(lab, choice.name, choice.from_text(query.get(choice.parameter), lab.graph))
    return replace(
        lab,
        seed=_seed(query.get(SEED)),
        dtype=query[DTYPE] if query.get(DTYPE) in DTYPES else FLOAT32,
        figure=query.get(FIGURE) or lab.figure,
        forward=_forward(query.get(FORWARD, ""), lab.graph),
        ranges=_ranges(query.get(RANGES, "")),
        collapsed=frozenset(folded),
        plan=read_plan(query.get(PLAN, "")),
    )


def from_query(query: Mapping[str, str], most: int = limits.LINK) -> Lab:
    """Decode the lab of an address. Unreadable parameters are left out, with the reason in `notice`.

    Args:
      query: the query parameters of the address.
      most: limit of characters of each compressed parameter.
    Raises:
      BeingRead: it has code that has not been read yet.
    """
    lab, selected = replace(start(), path=path_of(query)), query.get(SELECTED)
    if KEPT in query and not query.get(GRAPH):
        empty = replace(lab, history=begin(Graph(), "Open a link"), selected=None)
        return refused(with_toured(empty, query), GraphError(Problem(ELSEWHERE, NOT_HERE, OPEN_THERE)))
    if query.get(FORMULA) and not query.get(GRAPH):
        return _of_formula(query)
    if not query.get(GRAPH):
        lab = _toured(_lesson(lab, query), query, most)
        return replace(lab, selected=selected) if selected in lab.graph.by_name else lab
    text, draft = (_unpacked(query.get(key, ""), most) for key in (TEXT, DRAFT))
    try:
        graph = from_link(query[GRAPH], most)
        # One that Python wrote says neither where nodes stand nor what is closed.
        graph, cards = (graph, frozenset()) if FOLDED in query else as_first_seen(graph)
        lab = without_history(opened(lab, graph, "Open a link"))
    except GraphError as error:
        # The formula's text may be all that is left of a graph that cannot be read.
        for written in (text, draft):
            lab = lab if written is None else typed(lab, written)
        return refused(without_history(lab), error)
    lab = with_beside(lab, query)
    lab = replace(lab, collapsed=lab.collapsed | cards)
    # A training comes as a recipe, whose steps have still to be computed.
    recipe, step = query.get(TRAINED), read_step(query.get(STEP, ""))
    training = read_training(recipe, lab.graph, lab.plan) if recipe else None
    step = step if training is not None else None  # of the pass, which the browser plays
    lab = replace(lab, training=training, step=step, as_then=step is not None)
    lab = with_toured(with_pinned(lab, query, most), query, most)
    lab = replace(
        lab,
        selected=selected if selected in lab.graph.by_name else None,
        shelved=_unpacked(query.get(SHELVED, ""), most),
    )
    if text is not None:
        lab = _written_as(lab, text)
    if KEPT in query and AT in query and lab.tour is None:
        lab = refused(lab, GraphError(Problem(TOUR_ELSEWHERE, TOUR_NOT_HERE, SAVE_THERE)))
    return lab if draft is None else typed(lab, draft)


def _written_as(lab: Lab, text: str) -> Lab:
    """Return the lab with the author's text of its graph, if it fits.

    Of code that was not read to its end nobody knows whether it does: it is kept as a draft beside the graph.
    """
    fits = matching_text(text, lab.graph)
    if fits is None and code_in(text) and (why := reading_of(text).refused) and why[0].code in UNREAD:
        return replace(lab, draft=text, mistakes=why)
    return with_text(lab, fits)


def _of_formula(query: Mapping[str, str]) -> Lab:
    """Open a short address, which has the formula in place of the graph and of its text."""
    try:
        text = read_short_text(query[FORMULA], limits.TEXT)
        graph = reading_of(text).graph if code_in(text) else parse(text)
    except Unreadable as error:
        return refused(
            start(), GraphError(Problem(f"link-{error.why}", DAMAGED_LINK, "Copy the whole link."))
        )
    except GraphError as error:
        return refused(start(), error)
    return from_query({**query, GRAPH: to_link(graph, most=limits.JSON), TEXT: packed(text)}, limits.JSON)


def _toured(lab: Lab, query: Mapping[str, str], most: int) -> Lab:
    """Open the step of a short address that has a tour and no graph."""
    try:
        tour = _tour(query, most)
        if tour is None:
            return lab
        # An address with a lesson too shows that lesson beside the tour.
        at = place_of(query, tour)
        return toured_at(lab, tour, at) if lab.lesson else without_history(go_to(lab, tour, at))
    except GraphError as error:
        return refused(lab, error)


def _lesson(lab: Lab, query: Mapping[str, str]) -> Lab:
    """Open the lesson of a short address that has no graph, such as one to write on a board."""
    key = query.get(LESSON, "")
    found = meant(key)
    if key and found.lesson is None:
        message = f"There is no lesson {key[:NAMED]!r}."
        return refused(
            lab, GraphError(Problem("unknown-lesson", message, "Lessons lists all that there are."))
        )
    key = found.lesson.key if found.lesson else key
    variant = _variant(key, query[VARIANT]) if VARIANT in query else 0
    opened_here = without_history(open_lesson(lab, key, variant))
    if found.guessed:
        others = listed([f"?{LESSON}={other.key}" for other in found.others], last="or")
        hint = f"You may have meant {others}." if others else "Lessons lists all that there are."
        message = f"No lesson is called {query[LESSON][:NAMED]!r}. This is {key!r}."
        opened_here = refused(opened_here, GraphError(Problem("other-lesson", message, hint)))
    try:
        return replace(opened_here, asking=read_asking(query, own_asking(opened_here)) or opened_here.asking)
    except GraphError as error:
        return refused(opened_here, error)


def _variant(key: str | None, text: str | None) -> int:
    """Return the index of the graph of a lesson that a link names by its number."""
    # At most three digits: int() raises for thousands of them.
    number = int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else 0
    named = meant(key).lesson
    return named.variant_of(number) if named else number


def _seed(text: str | None) -> Literal | None:
    """Parse the seed; None if it is unreadable."""
    try:
        return parse_literal(text) if text else None
    except GraphError:
        return None


def _number(text: str | None) -> float | None:
    """Parse a finite number within `limits.NUMBER`; None if it is none."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) <= limits.NUMBER else None


def _forward_text(lab: Lab) -> str | None:
    """Return the tangents of the inputs as text; None while forward mode is off."""
    if lab.forward is None:
        return None
    moved = [f"{name}:{tangent!r}" for name, tangent in lab.forward if name in lab.graph]
    return ",".join(moved) or NOTHING_MOVES  # "" would be left out, and mean that forward mode is off


def _forward(text: str, graph: Graph) -> tuple[tuple[str, float], ...] | None:
    """Parse the tangents of the inputs, without those that are unreadable; None for no text."""
    if not text:
        return None
    pairs = [entry.partition(":")[::2] for entry in text.split(",")[: limits.NODES]]
    tangents = {
        name: _number(written) for name, written in pairs if name in graph and graph[name].op == INPUT
    }
    return tuple((name, number) for name, number in tangents.items() if number is not None)


def _ranges(text: str) -> tuple[tuple[str, float, float], ...]:
    """Parse the ranges of sliders, without those that are unreadable."""
    ranges = []
    for entry in text.split(",")[: limits.NODES]:
        name, _, ends = entry.partition(":")
        low, high = (_number(end) for end in [*ends.split(":"), "", ""][:2])  # "" is no number
        if low is not None and high is not None and low < high:
            ranges.append((name, low, high))
    return tuple(ranges)


def _unpacked(payload: str, most: int) -> str | None:
    """Decompress a text; None if it is unreadable or has more than `most` characters."""
    if not payload or len(payload) > most:
        return None
    try:
        return unpacked(payload, limits.TEXT)
    except Unreadable:
        return None


# The documents of a history, beside its trail: the first step and the other state of each. The browser stores
# them, so that undo leads from one document to another after a reload, too.

Aside = tuple[tuple[int, Lab], ...]


def documents(lab: Lab) -> dict[str, str]:
    """Return the state of each document other than its graphs, by the number of its first step.

    Steps are numbered as in `trail`. The entry of the open document is empty, since the address has its
    state. With one document there is no entry.
    """
    aside, states = dict(lab.aside), {}
    numbered = enumerate(lab.history.entries, lab.history.forgotten)
    for number, steps in groupby(numbered, key=lambda step: step[1].document):
        first = next(steps)[0]
        states[str(first)] = squeezed(beside(aside[number]) if number in aside else {})
    return states if len(states) > 1 else {}


def with_documents(history: History, kept: Kept) -> tuple[History, Aside]:
    """Return the history of `kept` divided into its documents, and the labs of those that are not open.

    Documents are numbered in order, relative to the open one, which is 0. `kept` is untrusted: if its
    documents are missing or malformed, the whole history is one document.
    """
    first = kept.at - len(history.past)
    try:
        # Two of one first step, "1" and "01", have no order, which is a TypeError.
        states = sorted((int(step), _query(text)) for step, text in kept.documents.items())
    except (AttributeError, TypeError, ValueError):
        return history, ()
    # A step is of the document that began last before it; documents are counted from the present one.
    begins = [step for step, _ in states]
    present = bisect_right(begins, kept.at)
    entries = tuple(
        entry._replace(document=bisect_right(begins, number) - present)
        for number, entry in enumerate(history.entries, first)
    )
    # A document may have no step that could be read; of the open one, 0, the address has the state.
    last = {entry.document: entry.graph for entry in entries}
    aside = tuple(
        (number, with_beside(Lab(begin(last[number])), query))
        for number, (_, query) in enumerate(states, 1 - present)
        if number in last and number != 0
    )
    at = len(history.past)
    return History(entries[:at], entries[at], entries[at + 1 :], history.forgotten), aside


def _query(text: Any) -> dict[str, str]:
    """Decode the query parameters of a document.

    Raises:
      TypeError, ValueError: they are malformed.
    """
    query = unsqueezed(text)
    if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
        raise ValueError(text)
    return query
