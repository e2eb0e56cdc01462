"""Write the answers of the public interface as a sentence with a table: one line of `ANSWERS` for each kind.

From it come the text in a terminal, the table of a notebook and that below a figure's picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.asking.judge import Judgement
from autodiff_viz.canvas.records import ASKED, DASH
from autodiff_viz.display.numbers import number_text, short
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import ARRIVES, VALUE, Trace
from autodiff_viz.engine.verify import Verdict
from autodiff_viz.explain.compare.compute import Comparison
from autodiff_viz.explain.field.compute import Field
from autodiff_viz.explain.forward.compute import Tangents
from autodiff_viz.explain.jacobian.compute import FullJacobian
from autodiff_viz.explain.lints.lint import Lint
from autodiff_viz.explain.memory.compute import Memory
from autodiff_viz.explain.noise.compute import Statistics
from autodiff_viz.explain.paths.compute import Paths
from autodiff_viz.explain.plans.compute import Plan
from autodiff_viz.explain.play.backward_program import Factor
from autodiff_viz.explain.play.compute import PlayStep
from autodiff_viz.explain.precision.compute import Precision
from autodiff_viz.explain.rule_check.compute import RuleCheck
from autodiff_viz.explain.sweep.compute import Sweep
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.shown import Several
from autodiff_viz.graph.text import counted, listed, scalar
from autodiff_viz.lab.launch import Page
from autodiff_viz.lessons.tour import Tour
from autodiff_viz.reading.live.comparison import ModelCheck
from autodiff_viz.reading.reading import Reading
from autodiff_viz.reading.watch import Watch
from autodiff_viz.segments.compute import Curves, Segments
from autodiff_viz.training.compute import Training

MOST = 60  # rows of a table
WORDS = 100  # characters of a cell
TOLD = 6  # problems, changes and refusals that are told
FEW = 6  # things that are listed in a cell
DIGITS = 6  # of a number

Row = tuple[str, ...]


class Answer(NamedTuple):
    """What is said of an answer.

    Attributes:
      says: sentences, a line each.
      heads: of the columns; the first one names the row.
      rows: at most `MOST` of them.
      count: how many rows there are in all.
    """

    says: tuple[str, ...]
    heads: Row = ()
    rows: tuple[Row, ...] = ()
    count: int = 0


def answer_of(thing: Any) -> Answer:
    """Return what is said of an answer; of a record without a line of its own, its fields."""
    known = next((kind for kind in type(thing).__mro__ if kind in ANSWERS), None)
    return ANSWERS[known](thing) if known else _by_field(thing)


def text_of(answer: Answer) -> str:
    """Return an answer as text: sentences, then the table in columns."""
    lines = [*answer.says]
    if answer.rows:
        table = [answer.heads, *answer.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(answer.heads))]
        lines += ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
        lines += filter(None, [_more(answer)])
    return "\n".join(lines)


def table_of(answer: Answer) -> str:
    """Return the table of an answer as HTML; "" without one."""
    if not answer.rows:
        return ""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in answer.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in answer.rows
    )
    more = _more(answer)
    foot = f'<tfoot><tr><td colspan="{len(answer.heads)}">{more}</td></tr></tfoot>' if more else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>{foot}</table>"


def _more(answer: Answer) -> str:
    left = answer.count - len(answer.rows)
    return f"and {left:,} more" if left > 0 else ""


def _tabled(
    says: str | Iterable[str], heads: Sequence[str], rows: Iterable[Sequence[Any]], most: int = MOST
) -> Answer:
    """Return an answer whose cells are texts, or what `_cell` writes."""
    every = [*rows]
    shown = tuple(tuple(map(_cell, row)) for row in every[:most])
    lines = (says,) if isinstance(says, str) else tuple(filter(None, says))
    return Answer(lines, tuple(heads), shown, len(every))


def _cell(cell: Any) -> str:
    """Write what stands in a cell: a text, a number, an array, or how many there are of other things."""
    if cell is None:
        return DASH
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, int | np.integer):
        return f"{cell:,}"
    if isinstance(cell, float | np.floating):
        return scalar(float(cell), DIGITS)
    if isinstance(cell, np.ndarray):
        return short(cell, DIGITS)
    if isinstance(cell, Graph):
        return counted(len(cell.nodes), "node")
    if isinstance(cell, Factor):
        return f"a factor of {cell.node}"
    if isinstance(cell, frozenset | Mapping):
        return f"{len(cell):,}"
    if isinstance(cell, tuple | list):
        if len(cell) == 2 and isinstance(cell[0], str) and isinstance(cell[1], int):
            return f"{cell[0]} slot {cell[1]}"  # a wire
        cell = ", ".join(map(_cell, cell[:FEW])) + ", …" * (len(cell) > FEW)
    text = " ".join(str(cell).split())
    return text if len(text) <= WORDS else f"{text[: WORDS - 1]}…"


def _by_field(thing: Any) -> Answer:
    """Return the sentence of a record, and a row for each of its other fields that says something."""
    says = getattr(thing, "sentence", "") or repr(thing).partition("(")[0]
    if not is_dataclass(thing):
        return Answer((str(says),))
    known = ((field.name, getattr(thing, field.name)) for field in fields(thing) if field.repr)
    told = ("sentence", "claims")
    rows = [(name, value) for name, value in known if name not in told and not _is_nothing(value)]
    return _tabled(says, ("", ""), rows)


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | tuple | Mapping) and not value)


def number_at(trace: Trace, of: str, name: str) -> str:
    """Return a value, or what arrives, as a text; a mark where it is asked for, or where there is none."""
    if (of, name) in trace.hidden:
        return ASKED
    arrays = trace.value if of == VALUE else trace.cotangent
    return number_text(arrays[name], DIGITS) if name in arrays else DASH


def numbers_of(trace: Trace, most: int = MOST) -> Answer:
    """Return the value and the cotangent of each node; `most` is the number of rows."""
    rows = ((n.name, *(number_at(trace, of, n.name) for of in (VALUE, ARRIVES))) for n in order(trace.graph))
    return _tabled((repr(trace), *trace.notes), ("node", "value", "cotangent"), rows, most)


def _of_graph(graph: Graph) -> Answer:
    output = f" with the output {graph.output}" if graph.output else ""
    rows = (
        (node.name, node.op, ", ".join(map(_slot, node.slots)), "" if (r := node.rule.kind) == FOLLOW else r)
        for node in graph.nodes
    )
    problems = [str(problem) for problem in diagnose(graph)[:TOLD]]
    says = (f"Graph of {counted(len(graph.nodes), 'node')}{output}.", *problems)
    return _tabled(says, ("node", "op", "reads", "rule"), rows)


def _slot(slot: Any) -> str:
    return slot if isinstance(slot, str) else "..." if slot is None else _cell(np.asarray(slot))


def _of_reading(reading: Reading) -> Answer:
    says = [repr(reading), reading.about_output, reading.extent]
    for some, what in ((reading.refused, "refusals"), (reading.changes, "changes")):
        says += map(str, some[:TOLD])
        says += [f"and {len(some) - TOLD:,} more {what}"] * (len(some) > TOLD)
    check = getattr(reading, "check", None)
    says += str(check).splitlines() if check else ()
    return _of_graph(reading.graph)._replace(says=tuple(filter(None, says)))


def _of_jacobian(found: FullJacobian) -> Answer:
    says = f"Jacobian of {found.of} by {listed(found.by)}: {found.rows.shape[0]} by {found.rows.shape[1]}."
    heads = ("", *(str(i) for i in range(min(found.rows.shape[1], 12))))
    rows = ((str(i), *(float(number) for number in row[:12])) for i, row in enumerate(found.rows))
    more = ("The first 12 columns:",) if found.rows.shape[1] > 12 else ()
    return _tabled((says, found.sentence, *more), heads, rows)


def _of_paths(found: Paths) -> Answer:
    rows = ((" → ".join(path.nodes), path.product) for path in found.paths)
    others = found.count - len(found.paths)
    rest = [("all other paths", found.rest)] * (others > 0)
    says = (
        f"The cotangent of {found.name} over {counted(found.count, 'path')}; {found.closed:,} pass nothing."
    )
    return _tabled(says, ("path", "adds"), (*rows, *rest))


def _of_memory(found: Memory) -> Answer:
    says = (
        f"At most {found.peak:,} elements are live, {found.peak_bytes:,} bytes, after step {found.at_step}."
    )
    rows = (
        (i, step.phase + " again" * step.again, step.node, step.live, size)
        for i, (step, size) in enumerate(zip(found.steps, found.bytes, strict=True))
    )
    return _tabled(says, ("step", "phase", "node", "elements live", "bytes"), rows)


def _of_tangents(found: Tangents) -> Answer:
    rows = ((name, found.trace.value[name], tangent) for name, tangent in found.tangent.items())
    return _tabled(repr(found), ("node", "value", "tangent"), rows)


def _of_comparison(found: Comparison) -> Answer:
    rows = ((name, *found.values[name], *found.cotangents[name]) for name in found.values)
    return _tabled(found.sentence, ("node", "value in A", "in B", "cotangent in A", "in B"), rows)


def _of_field(found: Field) -> Answer:
    true = [("true gradient", *found.true_gradient)] if found.true_gradient is not None else []
    rows = [("at", *found.point), ("gradient by the rules", *found.gradient), *true]
    return _tabled((repr(found), found.sentence), ("", found.x, found.y), rows)


def _of_precision(found: Precision) -> Answer:
    rows = (
        (p.node if p.slot is None else f"{p.node}, slot {p.slot}", p.what, p.kind, p.count, p.size)
        for p in found.places
    )
    return _tabled((found.sentence, found.scales), ("node", "of", "kind", "elements", "of all"), rows)


def _of_rule_check(found: RuleCheck) -> Answer:
    each = ((along, along.at_here) for along in found.along)
    rows = ((a.by, a.here, *(of[at] for of in (a.declared, a.true, a.difference))) for a, at in each)
    return _tabled(found.sentence, ("by", "at", "declared", "true", "central difference"), rows)


def _of_statistics(found: Statistics) -> Answer:
    says = f"Cotangents over {found.draws:,} draws of {listed(found.noisy, 4)}."
    each = (found.present, found.mean, found.error, found.variance)
    rows = ((name, *(of[name] for of in each)) for name in found.mean)
    return _tabled(says, ("node", "this draw", "mean", "its error", "variance"), rows)


def _of_sweep(found: Sweep) -> Answer:
    says = f"{found.output} over {len(found.positions):,} values of {found.name}."
    values = found.along(found.value[found.output], found.output)
    rows = zip(found.positions, values, found.gradient, strict=True)
    return _tabled(says, (found.name, found.output, "gradient"), rows)


def _of_training(found: Training) -> Answer:
    rows = ((i, loss) for i, loss in enumerate(map(float, found.loss)))
    return _tabled(repr(found), ("step", "loss"), rows)


def _of_curves(found: Curves) -> Answer:
    rows = (
        (i, *map(float, row)) for i, row in enumerate(zip(found.joint, found.chain, found.apart, strict=True))
    )
    says = "The loss before each step, for three ways to train."
    return _tabled(says, ("step", "whole graph", "chain of segments", "each by itself"), rows)


def _of_segments(found: Segments) -> Answer:
    rows = ((name, found.gradient[name], found.apart[name]) for name in found.gradient)
    return _tabled(repr(found), ("input", "gradient of the chain", "each segment by itself"), rows)


def _of_verdict(found: Verdict) -> Answer:
    says = "All numbers agree with one jax.vjp of the whole program." if found.agrees else "Numbers differ."
    where = f"The largest difference is {scalar(found.worst, 3)}, {found.where}." if found.where else ""
    return Answer(tuple(filter(None, (says, f"{found.compared:,} arrays were compared.", where))))


def _of_judgement(found: Judgement) -> Answer:
    return Answer(tuple(filter(None, (found.says, found.reason))))


def _of_lint(found: Lint) -> Answer:
    return Answer((f"{found.where}: {found.message}", found.hint))


def _of_plan(found: Plan) -> Answer:
    rows = (
        ("most elements live", found.peak),
        ("kept for the backward pass", found.kept),
        ("reruns", found.reruns),
    )
    return _tabled(f"{found.name}: {counted(len(found.regions), 'region')}.", ("", ""), rows)


def _of_watch(found: Watch) -> Answer:
    rows = ((number, found.losses[number]) for number in found.steps)
    says = f"{counted(len(found.losses), 'step')} watched, {len(found.steps)} of them kept."
    return _tabled(says, ("step", "loss"), rows)


def _of_several(found: Several) -> Answer:
    """Return a line for each record, of what `COLUMNS` names or of all its fields."""
    if not found:
        return Answer(("None.",))
    names = COLUMNS.get(type(found[0])) or [each.name for each in fields(found[0])]
    rows = ([getattr(one, name) for name in names] for one in found)
    says = f"{type(found[0]).__name__}: {len(found):,}"
    return _tabled(says, [name.replace("_", " ") for name in names], rows)


COLUMNS: Mapping[type, tuple[str, ...]] = {
    Lint: ("where", "message", "hint"),
    Plan: ("name", "peak", "kept", "reruns"),
    PlayStep: ("phase", "node", "again", "reads", "writes", "live"),
    Problem: ("node", "message", "hint"),
}
"""What is shown of each of several records."""


def _of_tour(found: Tour) -> Answer:
    rows = ((i + 1, step.title, step.caption) for i, step in enumerate(found.steps))
    return _tabled((found.title, found.summary), ("step", "title", "says"), rows)


ANSWERS: Mapping[type, Callable[[Any], Answer]] = {
    Comparison: _of_comparison,
    Curves: _of_curves,
    Field: _of_field,
    FullJacobian: _of_jacobian,
    Graph: _of_graph,
    Judgement: _of_judgement,
    Lint: _of_lint,
    Memory: _of_memory,
    ModelCheck: lambda check: Answer(tuple(str(check).splitlines())),
    Page: lambda page: Answer((str(page),)),
    Paths: _of_paths,
    Plan: _of_plan,
    Precision: _of_precision,
    Reading: _of_reading,
    RuleCheck: _of_rule_check,
    Segments: _of_segments,
    Several: _of_several,
    Statistics: _of_statistics,
    Sweep: _of_sweep,
    Tangents: _of_tangents,
    Tour: _of_tour,
    Trace: numbers_of,
    Training: _of_training,
    Verdict: _of_verdict,
    Watch: _of_watch,
}
"""What is said of each kind; of all others their sentence, with a row for each field."""
