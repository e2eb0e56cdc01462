"""Hold the state of the lab as one frozen record, with the functions that change documents and history."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autodiff_viz.asking.question import Asking
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.history import (
    DTYPE,
    LOSS_SCALE,
    SHOWN_STEP,
    History,
    Pinned,
    Setting,
    Toured,
    begin,
    commit,
    push,
    settings_between,
    undo,
)
from autodiff_viz.graph.model import Graph, Literal
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.code import code_in, matching_text
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import written
from autodiff_viz.lessons.paths import Path
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.training.run import USUAL, Plan, Training, folded, returned

FIRST = """x = 0.6
y = 1.5
a = sin(x)
b = a * y
z = b + stop_gradient(exp(a))
"""
"""Formula of the first graph: a fork, a product and a stop."""

LAST = -1
"""Stands for the last step of the training, however many there are."""


@dataclass(frozen=True, slots=True)
class Lab:
    """State of the lab; all that the page shows is a function of it.

    Attributes:
      history: the graphs with the texts that they were typed as, with undo and redo.
      draft: the formula as the user typed it, while it has mistakes; None if it is the graph's own.
      mistakes: problems of the draft.
      typing: whether the present graph is a step of the typing under way, which is one step of undo.
      shelved: a draft that was unfinished when another graph was opened.
      notice: why the last edit was refused; cleared by the next one.
      seed: cotangent of the output, None for ones.
      dtype: "float16", "bfloat16", "float32" or "float64".
      selected: name of the node in the inspector.
      collapsed: names of the groups drawn as one card; there may be no group of a name at present.
      picked: names of the nodes that the last edit added, for the canvas to select.
      figure: key of the figure on view.
      choices: (name, value) of what was chosen beside figures, by name: an input, a loss scale.
      forward: (input, tangent) of each input that moves in forward mode; None while it is off.
      ranges: (input, low, high) of each slider that has been used.
      lesson, variant: key of the open lesson, and index of its graph.
      path: the way through the lessons that the visitor follows; None for the tracks.
      document: number of the open document, a graph that was opened with its edits; each has another number.
      newest: the highest such number so far.
      aside: (number, lab) of each other document in the history as it was left; only the document's state
        other than its graphs is used.
      plan: settings of the training.
      training: the training so far.
      asking: what is asked of the graph, with the answers so far; None while nothing is.
      step: training step whose parameters are on view; LAST for the last one, None for the graph's own
        numbers.
      as_then: whether that step's own rules apply in place of the present ones; an edit sets it to False.
      authoring: whether the visitor edits the tour, and so sees all of its texts.
    """

    history: History
    draft: str | None = None
    mistakes: tuple[Problem, ...] = ()
    typing: bool = False
    shelved: str | None = None
    notice: tuple[Problem, ...] = ()
    seed: Literal | None = None
    dtype: str = FLOAT32
    selected: str | None = None
    collapsed: frozenset[str] = frozenset()
    picked: tuple[str, ...] = ()
    figure: str = "cotangents"
    choices: tuple[tuple[str, Any], ...] = ()
    forward: tuple[tuple[str, float], ...] | None = None
    ranges: tuple[tuple[str, float, float], ...] = ()
    lesson: str | None = None
    variant: int = 0
    path: Path | None = None
    document: int = 0
    newest: int = 0
    aside: tuple[tuple[int, Lab], ...] = ()
    plan: Plan = USUAL
    training: Training | None = None
    asking: Asking | None = None
    step: int | None = None
    as_then: bool = False
    authoring: bool = False

    @property
    def graph(self) -> Graph:
        """The present graph."""
        return self.history.graph

    @property
    def pinned(self) -> Pinned | None:
        """The graph that the present one is compared with."""
        return self.history.present.pinned

    @property
    def tour(self) -> Tour | None:
        """The tour that the visitor makes or follows."""
        toured = self.history.present.toured
        return toured.tour if toured else None

    @property
    def at(self) -> int:
        """Index of the step of that tour that was opened or added last; 0 without a tour."""
        toured = self.history.present.toured
        return toured.at if toured else 0


def start() -> Lab:
    """Return the lab in its first state."""
    return Lab(begin(parse(FIRST), "Start"))


WRITTEN_OUT = "; loop written out"
"""End of a step's label if the formula has lost its loops and functions."""

NO_LONGER_CODE = "; the code became a formula"
"""End of a step's label if the graph is no longer what the code says."""

_BLOCKS = re.compile(r"^[ \t]*(for|def)\b", re.MULTILINE)


def committed(lab: Lab, graph: Graph, label: str) -> Lab:
    """Make `graph` the present one, as a step of undo, and update the author's text where possible.

    A draft with mistakes stays: only its author may discard it. Where copies of a line in a loop or a
    function now differ, the canonical text, which has neither, takes its place, and the label says so.
    """
    old_text = lab.history.present.text
    text = matching_text(old_text, graph, lab.graph)
    return rewritten(lab, graph, label + loss_of_text(old_text, text), text)


def with_tour(lab: Lab, tour: Tour | None, at: int, label: str, fresh: bool = True) -> Lab:
    """Return the lab with another tour, as a step of undo. The graph and a draft of its formula stay.

    Args:
      at: index of the step on view.
      fresh: False continues the last step of undo, if that has the same label.
    """
    before = lab.history
    if not fresh and before.present.label == label and not before.future:
        before = undo(before)
    toured = Toured(tour, max(0, min(at, len(tour.steps) - 1))) if tour else None
    entry = lab.history.present._replace(label=label, setting=None, folds=None, toured=toured)
    return replace(lab, history=push(before, entry), notice=(), picked=(), typing=False)


def toured_at(lab: Lab, tour: Tour, at: int) -> Lab:
    """Return the lab with this tour at one of its steps, without a step of undo of its own."""
    present = lab.history.present._replace(toured=Toured(tour, at))
    return replace(lab, history=replace(lab.history, present=present))


def loss_of_text(before: str | None, after: str | None) -> str:
    """Return the end of a step's label that says what the author's text has lost; "" for nothing."""
    if before is None or after is not None:
        return ""
    if code_in(before):
        return NO_LONGER_CODE
    return WRITTEN_OUT if _BLOCKS.search(before) else ""


def rewritten(lab: Lab, graph: Graph, label: str, text: str | None) -> Lab:
    """Make `graph` the present one, as a step of undo, with this text of its author."""
    history = commit(lab.history, graph, label, text)
    selected = lab.selected if lab.selected in graph else None
    # An edit applies to the present rules, so those of an earlier training step are no longer on view.
    rules = {} if history is lab.history else {"as_then": False}
    return replace(lab, history=history, notice=(), selected=selected, picked=(), typing=False, **rules)


def untyped(lab: Lab) -> Lab:
    """Return the lab before its last step, the typing under way, so that more of it is the same step."""
    before = undo(lab.history)
    return replace(_set(lab, settings_between(lab.history, before)), history=before)


def with_setting(lab: Lab, name: str, value: Any, label: str) -> Lab:
    """Return the lab with another value of a setting, as a step of undo.

    Undo and redo change this setting alone, and the graph beside it.
    """
    before = lab.dtype if name == DTYPE else lab.plan.settings.loss_scale
    entry = lab.history.present._replace(label=label, setting=Setting(name, before, value))
    return replace(_set(lab, {name: value}), history=push(lab.history, entry))


def _set(lab: Lab, settings: Mapping[str, Any]) -> Lab:
    """Return the lab with these settings."""
    if DTYPE in settings:
        lab = replace(lab, dtype=settings[DTYPE])
    if LOSS_SCALE in settings:
        scale, given = settings[LOSS_SCALE], lab.plan.settings
        # Without a loss scale there is none that could grow.
        given = replace(given, loss_scale=scale, growth_interval=given.growth_interval if scale else 0)
        lab = replace(lab, plan=replace(lab.plan, settings=given))
    if SHOWN_STEP in settings:
        lab = replace(lab, step=settings[SHOWN_STEP])
    return lab


def with_text(lab: Lab, text: str | None) -> Lab:
    """Set `text` as the author's text of the present graph; None for the canonical text."""
    usual = text is None or text == written(lab.graph)[0]
    present = lab.history.present._replace(text=None if usual else text)
    return replace(lab, history=replace(lab.history, present=present))


def formula_text(lab: Lab) -> str:
    """Return the formula editor's contents: the draft, else the author's text, else the canonical text."""
    for text in (lab.draft, lab.history.present.text):
        if text is not None:
            return text
    return written(lab.graph)[0]


def shows_code(lab: Lab) -> bool:
    """Return whether the text in the formula editor is code, a draft too."""
    return code_in(lab.history.present.text if lab.draft is None else lab.draft)


def without_draft(lab: Lab) -> Lab:
    """Discard the draft."""
    return replace(lab, draft=None, mistakes=())


BARE: dict[str, Any] = {
    "lesson": None, "variant": 0, "seed": None, "selected": None, "ranges": (),
    "collapsed": frozenset(), "forward": None, "asking": None, "step": None, "as_then": False,
}  # fmt: skip
"""State other than its graph of a document that has just been opened."""


def _bare(lab: Lab) -> Lab:
    """Return the lab as a document opens; choices that name nodes were of the one before."""
    kept = tuple((name, value) for name, value in lab.choices if not isinstance(value, str))
    return replace(lab, choices=kept, **BARE)


PASSING: dict[str, Any] = {"draft": None, "mistakes": (), "notice": (), "picked": (), "typing": False}
"""State that a change of the document clears."""

ASIDE, TRAINED = 40, 3  # documents whose state is kept; documents that also keep their training's steps


def opened(lab: Lab, graph: Graph, label: str) -> Lab:
    """Open another document: undo returns to the previous one, and a draft is shelved.

    What is pinned stays so: two documents can be compared. The visitor's tour is of no document.
    """
    first, now = begin(graph, label), lab.history.present
    first = replace(first, present=first.present._replace(pinned=now.pinned, toured=now.toured))
    return replace_document(lab, replace(_bare(lab), history=first))


def replace_document(lab: Lab, other: Lab) -> Lab:
    """Replace the present document of `lab` by that of `other`, as one step of the history of `lab`."""
    number = lab.newest + 1
    history = push(lab.history, other.history.present._replace(document=number))
    shelved = lab.draft or lab.shelved
    after = replace(other, history=history, document=number, newest=number, aside=set_aside(lab))
    return replace(after, shelved=shelved, authoring=lab.authoring, **PASSING)


def keep_history_of(lab: Lab, other: Lab) -> Lab:
    """Return `other`, which has the graph of `lab`, as the same document with the history of `lab`."""
    return replace(other, history=lab.history, document=lab.document, newest=lab.newest, aside=lab.aside)


def set_aside(lab: Lab) -> tuple[tuple[int, Lab], ...]:
    """Return `aside` with the open document in its present state.

    All but the last few trainings lose their steps, which can be recomputed.
    """
    # Documents that no step of the history leads to any more are dropped.
    known = {entry.document for entry in lab.history.entries} - {lab.document}
    others = [(number, old) for number, old in lab.aside if number in known]
    early = [
        (n, replace(old, training=old.training and folded(old.training))) for n, old in others[:-TRAINED]
    ]
    now = replace(lab, history=begin(lab.graph), aside=(), shelved=None, **PASSING)
    return (*early, *others[-TRAINED:], (lab.document, now))[-ASIDE:]


def stepped(lab: Lab, history: History) -> Lab:
    """Return the lab at another step of its history; the state of another document is restored."""
    number = history.present.document
    was = lab
    if number != lab.document:
        aside = dict(set_aside(lab))
        was = aside.pop(number, None) or _bare(lab)
        # Unfinished text belongs to the visitor, not to a document, so it comes along.
        training, shelved = returned(was.training, lab.training), lab.draft or lab.shelved
        was = replace(was, document=number, newest=lab.newest, aside=tuple(aside.items()))
        was = replace(was, training=training, shelved=shelved, authoring=lab.authoring, **PASSING)
    selected = was.selected if was.selected in history.graph else None
    passing = {"notice": (), "picked": (), "typing": False}
    if was is lab:
        was = replace(_set(lab, settings_between(lab.history, history)), as_then=False)
    # The steps between collapse or open groups when they are redone; undone, they do the reverse.
    collapsed, entries = was.collapsed, lab.history.entries
    start, end = len(lab.history.past), len(history.past)
    back = end < start
    for entry in entries[end + 1 : start + 1][::-1] if back else entries[start + 1 : end + 1]:
        if entry.folds is not None and entry.document == number:
            name, on = entry.folds
            collapsed = collapsed | {name} if on != back else collapsed - {name}
    return replace(was, history=history, selected=selected, collapsed=collapsed, **passing)


def without_history(lab: Lab, number: int = 0) -> Lab:
    """Return the open document under this number, without any history."""
    history = History((), lab.history.present._replace(document=number), ())
    return replace(lab, history=history, document=number, newest=number, aside=())


def refused(lab: Lab, error: GraphError) -> Lab:
    """Return the lab unchanged, with the error's problems in `notice`."""
    return replace(lab, notice=error.problems)


def with_choice(lab: Lab, name: str, value: Any) -> Lab:
    """Return the lab with what was chosen beside a figure; None for the usual value."""
    choices = {**dict(lab.choices), name: value}
    return replace(lab, choices=tuple(sorted((n, v) for n, v in choices.items() if v is not None)))


def slider_range(lab: Lab, name: str) -> tuple[float, float]:
    """Return (low, high), low < high: from the formula, else the slider's range so far, else a round range.

    The range is extended to contain the value.
    """
    node = lab.graph[name]
    value = float(node.param("value"))
    kept = next(((low, high) for key, low, high in lab.ranges if key == name), None)
    low, high = kept or round_range(value)
    low, high = float(node.param("low", low)), float(node.param("high", high))
    low, high = min(low, value), max(high, value)
    return (low, high) if low < high else round_range(value)


def round_range(value: float) -> tuple[float, float]:
    """Return -r to r for the smallest r of 5, 10, 50, 100, ... that contains the value."""
    reach = 5.0
    while reach < abs(value):
        reach *= 2 if str(reach)[0] == "5" else 5
    return -reach, reach


def with_range(lab: Lab, name: str) -> Lab:
    """Store the slider's present range, so that it does not change while the slider moves."""
    low, high = slider_range(lab, name)
    others = tuple(entry for entry in lab.ranges if entry[0] != name)
    return replace(lab, ranges=(*others, (name, low, high)))
