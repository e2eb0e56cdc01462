"""Collect all that a figure without a server can be asked: drawings, numbers of nodes, paths, steps, tables.

It is what the page's server would answer, asked for ahead: each number is JAX's, computed as a file is made.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zlib import compress

import numpy as np
from msgspec import json

from autodiff_viz.asking.judge import feedback_table
from autodiff_viz.asking.question import Asked
from autodiff_viz.asking.summary import name_in_line
from autodiff_viz.canvas.delta import without_nulls
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.analysis import program_says
from autodiff_viz.explain.paths.compute import takes_long
from autodiff_viz.explain.paths.view import paths_list
from autodiff_viz.explain.verification.view import verification
from autodiff_viz.graph.edits import with_param
from autodiff_viz.graph.history import begin
from autodiff_viz.graph.limits import VERIFIED_AT_ONCE
from autodiff_viz.graph.model import Graph, Literal
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.edits.compare import flipped
from autodiff_viz.lab.evaluate import LabView, lab_view, sweep_tables
from autodiff_viz.lab.inspector.panel import Answers, node_data
from autodiff_viz.lab.judging import beside_of, result_title, result_words
from autodiff_viz.lab.page import lab_drawing, play_data
from autodiff_viz.lab.persistence.address import KEPT, to_query
from autodiff_viz.lab.state import Lab
from autodiff_viz.workers.jobs import Answer

Data = dict[str, Any]

TABLED = 8  # sliders with a table; each takes some 15 KB for a graph of 15 nodes
SHOWN = (
    "graph",
    "dtype",
    "nodes",
    "wires",
    "regions",
    "groups",
    "selected",
    "sweeps",
    "sliders",
    "twins",
    "asking",
)
"""Fields of the page's drawing that a figure shows."""

UNFINISHED = "A figure needs a graph that runs: {}."
MORE = "{} more in the lab."
LATER = "Sliders come after the answer."
NOT_CHECKED = "Not checked: a graph of more than {:,} nodes is checked in the lab."


@dataclass(frozen=True, slots=True)
class Made:
    """A state of the lab with all that can be asked about it.

    Attributes:
      lab: the state.
      view: what the page would show of it.
      data: in the format of web/figure/source.js.
    """

    lab: Lab
    view: LabView
    data: Data


def lab_of(graph: Graph, seed: Literal | None = None, dtype: str = "float32") -> Lab:
    """Return the lab with one graph."""
    return Lab(begin(graph, "Open"), seed=seed, dtype=dtype)


def lab_at(trace: Trace) -> Lab:
    """Return the lab at a trace: with its inputs as the values of the graph, its seed and its dtype."""
    graph = trace.graph
    for name, value in trace.inputs.items():
        if graph[name].param("value") is not None:
            graph = with_param(graph, name, "value", _literal(value))
    return lab_of(
        graph, _literal(trace.seed) if trace.seed.size and (trace.seed != 1).any() else None, trace.dtype
    )


def _literal(array: Any) -> Literal:
    """Return an array as a literal of the language."""

    def frozen(value: Any) -> Any:
        return tuple(map(frozen, value)) if isinstance(value, list) else float(value)

    return frozen(array.tolist())


class Words(NamedTuple):
    """What is said of a state: a title, a text, and the text once its questions are answered; all plain."""

    title: str = ""
    text: str = ""
    told: str = ""


UNSAID = Words()


def state_of(lab: Lab, base: str, checked: bool, words: Words = UNSAID) -> Made:
    """Return a state of the lab with all that can be asked about it.

    While numbers are hidden, since questions ask for them, they are not in its data: what is shown after each
    answer, and what judges them, is in a packed text of its own (`hidden`), unpacked for an answer.

    Args:
      base: address of the lab, "" if it is not known.
      checked: whether the whole program is to be compared, which compiles it.
      words: what is said of it.
    Raises:
      GraphError: the graph cannot be run.
    """
    made = _plain_state(lab, base, checked, words)
    if made.view.hiding:
        made.data["hidden"] = packed(_after_answers(made, base, checked, words))
    return made


def _plain_state(lab: Lab, base: str, checked: bool, words: Words) -> Made:
    """Return a state without what is hidden in it."""
    lab = replace(
        lab, selected=None, forward=None, training=None, step=None, notice=(), draft=None, mistakes=()
    )
    view = lab_view(lab)
    if not view.is_program:
        problem = next(iter(view.problems), None)
        reason = problem.message.rstrip(".") if problem else "it has no output"
        raise GraphError(
            view.problems or Problem("not-a-program", UNFINISHED.format(reason), "Mend it first.")
        )
    drawing = lab_drawing(lab, view)
    tabled = dict([*view.sweeps.items()][:TABLED])
    tables = [] if view.hiding else [table for table in sweep_tables(view, tabled) if table["count"]]
    movable = {table["input"] for table in tables}
    sliders = drawing["sliders"]
    rows = [row for row in sliders["rows"] if row["name"] in movable]
    more = sliders["more"] + len(sliders["rows"]) - len(rows)
    says = LATER if view.hiding and more else MORE.format(more) if more else ""
    shown = {name: drawing[name] for name in SHOWN if name in drawing}
    shown |= {
        "sweeps": {name: tabled[name] for name in movable},
        "sliders": {**sliders, "rows": rows, "more": 0, "says": says},
    }
    records = {name: shown.pop(name) for name in ("nodes", "wires")}
    large = len(view.graph.nodes) > VERIFIED_AT_ONCE
    names = [] if large else [node.name for node in view.graph.nodes]
    data = {
        "title": words.title,
        "text": words.text,
        "drawing": {**records, **without_nulls(shown)},
        "nodes": {name: _node(lab, view, name) for name in names},
        "paths": {}
        if view.hiding or takes_long(view.trace)
        else {name: paths_list(view.trace, name) for name in names},
        "play": play_data(view, 1),
        "tables": tables,
        "says": _check(view) if checked and not view.hiding else "",
        "notes": list(view.notes),
        "link": link_to(lab, base),
    }
    return Made(lab, view, data)


def _after_answers(made: Made, base: str, checked: bool, words: Words) -> Data:
    """Return what judges the answers to each question, and the state after each has been answered."""
    lab, run = made.lab, made.view.evaluated.trace
    asked = lab.asking.asked
    beside = beside_of(lab)
    levels = [tuple(_told(each, i <= at) for i, each in enumerate(asked)) for at in range(len(asked) - 1)]
    labs = [replace(lab, asking=replace(lab.asking, asked=level)) for level in levels]
    states = [_plain_state(one, base, checked, words).data for one in labs]
    open_to_all = replace(lab, asking=None)
    states.append(_plain_state(open_to_all, base, checked, words._replace(text=words.told)).data)
    tables = [feedback_table(run, each.question, beside) for each in asked]
    of = name_in_line(result_title(lab))
    return {"tables": tables, "after": states, "of": of, "words": result_words(lab)}


def _told(asked: Asked, revealed: bool) -> Asked:
    return replace(asked, revealed=revealed)


def _node(lab: Lab, view: LabView, name: str) -> Data:
    """Return the panel's data of a node; what changes the graph is left out."""
    answers = (
        Answers() if view.hiding else Answers(counts=Answer(program_says(view.trace, name)), counting=True)
    )
    data = node_data(replace(lab, selected=name), view, answers)
    if data["why"]:
        data["why"] = {key: value for key, value in data["why"].items() if key in ("says", "at", "wires")}
    return without_nulls({**data, "fields": [], "kinds": []})


def _check(view: LabView) -> str:
    """Return the sentence of the check of all numbers."""
    if len(view.graph.nodes) > VERIFIED_AT_ONCE:
        return NOT_CHECKED.format(VERIFIED_AT_ONCE)
    return verification(view.trace).sentence


def link_to(lab: Lab, base: str) -> str:
    """Return the link to a state of the lab; "" without an address, and for a graph too large for a link."""
    if not base:
        return ""
    query = to_query(lab)
    return "" if KEPT in query else f"{base}?{urlencode(query)}"


def with_twins(made: list[Made], base: str, checked: bool) -> list[Made]:
    """Return the states, and after them the other graph of each that is compared with one."""
    all_made = [*made]
    for at, one in enumerate(made):
        if one.lab.pinned is not None and "hidden" not in one.data:  # the other one would tell
            words = Words(one.data["title"], one.data["text"], one.data["text"])
            other = state_of(flipped(replace(one.lab, asking=None)), base, checked, words)
            one.data["twin"], other.data["twin"] = len(all_made), at
            all_made.append(other)
    return all_made


def packed(data: Any) -> str:
    """Return data as web/figure/source.js unpacks it: JSON, deflated, as base64."""
    return b64encode(compress(json.encode(data), 9)).decode()


def first_of(states: Iterable[Data]) -> Data:
    """Return what the first paint needs of the first state: its drawing, and what it is about."""
    first = next(iter(states))
    return {name: first[name] for name in ("title", "text", "drawing", "says", "link")} | {
        "nodes": {}, "paths": {}, "play": {"steps": []}, "tables": [], "notes": [],
    }  # fmt: skip


# Tables of sliders are most of a file: it has as many positions as fit, evenly spaced, the same for all.

TABLES = 44_000  # characters of the numbers of all tables, before they are packed
COARSER = (1, 2, 5, 10, 20)  # strides that divide the steps of a slider


def thinned(made: list[Made]) -> list[Made]:
    """Return the states with tables that fit into a file; without any if not even the coarsest do."""
    every = [table for one in made for table in one.data["tables"]]
    size = sum(len(table["numbers"]) for table in every)
    stride = next((stride for stride in COARSER if size / stride <= TABLES), None)
    for one in made:
        tables = one.data["tables"] if stride else []
        one.data["tables"] = [_thinner(table, stride) for table in tables]
    return made


def _thinner(table: Data, stride: int) -> Data:
    """Return every so manieth position of a table, with both ends."""
    steps = table["count"] - 1
    stride = next(each for each in reversed(COARSER) if each <= stride and steps % each == 0)
    numbers = np.frombuffer(b64decode(table["numbers"]), "<f8" if table["wide"] else "<f4")
    some = numbers.reshape(table["count"], -1)[::stride]
    return {**table, "count": steps // stride + 1, "numbers": b64encode(some.tobytes()).decode()}
