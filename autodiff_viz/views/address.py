"""The lab in the address bar: everything that a reload must bring back, as query parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from autodiff_viz.engine.arrays import FLOAT32, FLOAT64
from autodiff_viz.graph import limits
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph, Literal
from autodiff_viz.graph.packed import Unreadable, packed, unpacked
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.language.amend import amended
from autodiff_viz.language.documents import from_link
from autodiff_viz.language.parse import parse_literal
from autodiff_viz.language.show import show_literal
from autodiff_viz.lessons.gallery import lesson
from autodiff_viz.views.actions import typed
from autodiff_viz.views.lab import Lab, alone, opened, refused, start, with_text
from autodiff_viz.views.lessons import open_lesson
from autodiff_viz.views.retraining import (
    plan_text,
    read_plan,
    read_step,
    read_training,
    step_text,
    training_text,
)
from autodiff_viz.views.trail import digest

GRAPH, SEED, DTYPE, SELECTED, FIGURE, SWEPT = "g", "seed", "dtype", "node", "figure", "sweep"
LESSON, VARIANT, TEXT, DRAFT, SHELVED = "lesson", "variant", "text", "draft", "shelved"
RANGES, FOLDED, PLAN, STEP, TRAINED = "range", "folded", "plan", "step", "trained"
VIEW, GALLERY = "view", "lessons"
"""Which page an address is of: the lab where it says nothing."""

KEPT = "kept"
"""In place of what is too long for an address: its digest, by which the browser that keeps it finds it."""

NAMED = 40  # characters of a lesson's key that are said back

ELSEWHERE = "link-kept"
"""Code of the problem with an address that has only the digest."""


LARGE = (GRAPH, SEED, TEXT, DRAFT, SHELVED, RANGES, TRAINED)
"""What may be too long for an address."""

NOT_HERE = "This graph is too large for a link. The browser in which it was made keeps it; this one does not."
OPEN_THERE = "Open it there and take it as JSON; a JSON file can be dropped on the canvas."


def to_query(lab: Lab) -> dict[str, str]:
    """Query parameters for `lab`; what has its usual value is left out."""
    return divided(lab)[0]


def divided(lab: Lab) -> tuple[dict[str, str], dict[str, str]]:
    """(query parameters for `lab`, what is too long for them). In place of the second, which the browser has
    to keep, the first have its digest."""
    found = {
        GRAPH: to_link(lab.graph, most=limits.JSON),
        **beside(lab),
        SELECTED: lab.selected,
        TEXT: None if lab.history.present.text is None else packed(lab.history.present.text),
        DRAFT: None if lab.draft is None else packed(lab.draft),
        SHELVED: None if lab.shelved is None else packed(lab.shelved),
        STEP: step_text(lab),
        TRAINED: training_text(lab),
    }
    query = {key: value for key, value in found.items() if value}
    if len(urlencode(query)) <= limits.LINK:
        return query, {}
    large = {key: query.pop(key) for key in LARGE if key in query}
    return {**query, KEPT: digest(json.dumps(large))}, large


def beside(lab: Lab) -> dict[str, str]:
    """What belongs to the document beside its graph, as query parameters; what is as usual is left out."""
    ranges = ",".join(f"{name}:{low!r}:{high!r}" for name, low, high in lab.ranges if name in lab.graph)
    found = {
        SEED: None if lab.seed is None else show_literal(lab.seed),
        DTYPE: None if lab.dtype == FLOAT32 else lab.dtype,
        FIGURE: None if lab.figure == "cotangents" else lab.figure,
        SWEPT: lab.swept,
        LESSON: lab.lesson,
        VARIANT: str(lab.variant) if lab.variant else None,
        RANGES: ranges,
        FOLDED: ",".join(sorted(group.name for group in lab.graph.groups if group.name in lab.collapsed)),
        PLAN: plan_text(lab.plan),
    }
    return {key: value for key, value in found.items() if value}


def with_beside(lab: Lab, query: Mapping[str, str]) -> Lab:
    """The lab with what `beside` has written; what cannot be read is as usual."""
    folded = {group.name for group in lab.graph.groups}.intersection(query.get(FOLDED, "").split(","))
    swept = query.get(SWEPT)
    return replace(
        lab,
        seed=_seed(query.get(SEED)),
        dtype=FLOAT64 if query.get(DTYPE) == FLOAT64 else FLOAT32,
        figure=query.get(FIGURE) or lab.figure,
        swept=swept if swept in lab.graph.by_name else None,
        lesson=query.get(LESSON),
        variant=_whole(query.get(VARIANT)),
        ranges=_ranges(query.get(RANGES, "")),
        collapsed=frozenset(folded),
        plan=read_plan(query.get(PLAN, "")),
    )


def from_query(query: Mapping[str, str], most: int = limits.LINK) -> Lab:
    """The lab of an address, whose parameters have at most so many characters each. What cannot be read is
    left out, with the reason in `notice`."""
    lab = start()
    if KEPT in query and not query.get(GRAPH):
        empty = replace(lab, history=begin(Graph(), "Open a link"), selected=None)
        return refused(empty, GraphError(Problem(ELSEWHERE, NOT_HERE, OPEN_THERE)))
    if not query.get(GRAPH):
        return _lesson(lab, query)
    try:
        lab = alone(opened(lab, from_link(query[GRAPH], most), "Open a link"))
    except GraphError as error:
        return refused(_rewritten(lab, query, most), error)
    lab = _trained(with_beside(lab, query), query)
    selected = query.get(SELECTED)
    lab = replace(lab, selected=selected if selected in lab.graph.by_name else None)
    lab = replace(lab, shelved=_unpacked(query.get(SHELVED, ""), most))
    text, draft = (_unpacked(query.get(key, ""), most) for key in (TEXT, DRAFT))
    if text is not None:
        lab = with_text(lab, amended(text, lab.graph))
    return lab if draft is None else typed(lab, draft)


def _lesson(lab: Lab, query: Mapping[str, str]) -> Lab:
    """The lesson of an address that says no more: a short one, to write on a board."""
    key = query.get(LESSON, "")
    if key and lesson(key) is None:
        message = f"There is no lesson {key[:NAMED]!r}."
        return refused(
            lab, GraphError(Problem("unknown-lesson", message, "Lessons lists all that there are."))
        )
    found = open_lesson(lab, key, _whole(query.get(VARIANT)))
    return alone(found)


def _trained(lab: Lab, query: Mapping[str, str]) -> Lab:
    """With its training, which has still to be made again."""
    step = read_step(query.get(STEP, ""))
    training = read_training(query[TRAINED], lab.graph, lab.plan) if query.get(TRAINED) else None
    return replace(lab, training=training, step=step, as_then=step is not None)


def _rewritten(lab: Lab, query: Mapping[str, str], most: int) -> Lab:
    """The text that goes with a graph that cannot be read: it may be all that is left."""
    text, draft = (_unpacked(query.get(key, ""), most) for key in (TEXT, DRAFT))
    for written in (text, draft):
        lab = lab if written is None else typed(lab, written)
    return alone(lab)


def _seed(text: str | None) -> Literal | None:
    try:
        return parse_literal(text) if text else None
    except GraphError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) <= limits.NUMBER else None


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else 0


def _ranges(text: str) -> tuple[tuple[str, float, float], ...]:
    found = []
    for entry in text.split(",")[: limits.NODES]:
        name, _, ends = entry.partition(":")
        low, high = (_number(end) for end in [*ends.split(":"), "", ""][:2])
        if low is not None and high is not None and low < high:
            found.append((name, low, high))
    return tuple(found)


def _unpacked(payload: str, most: int) -> str | None:
    if not payload or len(payload) > most:
        return None
    try:
        return unpacked(payload, limits.TEXT)
    except Unreadable:
        return None
