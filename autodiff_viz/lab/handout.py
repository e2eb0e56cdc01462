"""Lay out a handout for print: the question, the graph and room for an answer; overleaf the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from autodiff_viz.asking.concealed import conceal
from autodiff_viz.asking.hidden import hidden
from autodiff_viz.asking.judge import feedback_table
from autodiff_viz.asking.question import NUMBER, SHAPE, Asking, Question
from autodiff_viz.asking.words import question_words
from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.display.numbers import short
from autodiff_viz.engine.trace import Trace, with_output
from autodiff_viz.engine.versions import versions
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.graph.grad_nodes import without_reads
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.show import show

TITLE = 200  # characters of a title that are printed
FORMULA = 14  # lines of a formula that has room beside the picture
DIGITS = 6  # of numbers overleaf
ONE_COLUMN = 12  # rows that have room below one another
ROWS = 30  # nodes of the table overleaf, which has one page

STYLE = """
@page { margin: 16mm; }
* { box-sizing: border-box; }
body { margin: 0; font: 11.5pt/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  color: #1d2129; background: #ffffff; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
section { max-width: 178mm; margin: 0 auto; break-inside: avoid; }
section + section { break-before: page; }
h1 { font-size: 17pt; line-height: 1.2; margin: 0 0 3mm; overflow-wrap: anywhere; }
h2 { font-size: 12.5pt; margin: 4mm 0 1mm; }
p, ol { margin: 0 0 2.5mm; }
ol { padding-inline-start: 6mm; }
li { margin-block-end: 2mm; }
figure { margin: 3mm 0; text-align: center; }
figure svg { max-width: 100%; max-height: 112mm; }
.overleaf figure svg { max-height: 74mm; }
pre, code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
pre { margin: 2mm 0; white-space: pre-wrap; overflow-wrap: anywhere; }
ul { list-style: "\2610  "; margin: 1mm 0; padding-inline-start: 7mm; }
.room { height: 11mm; border-bottom: 0.3mm solid #8a919e; }
.hint, footer { color: #5f6672; font-size: 9.5pt; }
.right { font-weight: 650; }
table { border-collapse: collapse; font-size: 9.5pt; width: 100%; }
th, td { text-align: start; padding: 0.5mm 2mm; border-bottom: 0.2mm solid #c9ccd2; }
td { font-variant-numeric: tabular-nums; }
.two { columns: 2; }
footer { margin-top: 4mm; }
@media screen { section { padding: 10mm 0; } }
"""


def handout(found: Trace, asking: Asking | None, title: str, pinned: Trace | Twin | None = None) -> str:
    """Return a handout as a page of HTML without scripts, to be printed on one sheet.

    Page one has the title, the questions, the graph with "?" for what is asked, and room for answers.
    Overleaf are the answers with their reasons, and all numbers. Without questions it is one page.

    Args:
      found: a trace with an output.
      asking: the questions; answers that were given to them are not printed.
      title: of the graph or lesson.
      pinned: the trace with which questions compare, as in `judge`.
    Returns:
      The whole document.
    Raises:
      GraphError: there is no trace, or it has no output.
    """
    with_output(found)
    fresh = asking and asking.unanswered
    asked = [each.question for each in fresh.asked] if fresh else []
    name = title.strip()[:TITLE] or "A graph"
    parts = [_question_page(found, fresh, name, pinned) if asked else _numbers_page(found, name)]
    if asked:
        answers = "".join(_answer(found, question, pinned) for question in asked)
        parts.append(
            f"<section class='overleaf'><h1>Answers: {escape(name)}</h1><ol>{answers}</ol>"
            f"{_figure(found, found)}{_table(found)}{_footer(found)}</section>"
        )
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(name)}</title>"
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def _question_page(found: Trace, asking: Asking, name: str, pinned: Trace | Twin | None) -> str:
    letter = pinned.letter if isinstance(pinned, Twin) else "A"
    questions = [each.question for each in asking.asked]
    rows = "".join(
        f"<li>{_worded(question_words(found.graph, question, letter))}{_room(question)}</li>"
        for question in questions
    )
    concealed = conceal(found, hidden(found.graph, asking).places)
    return (
        f"<section><h1>{escape(name)}</h1>{_figure(found, concealed)}{_formula(found)}"
        f"<ol>{rows}</ol></section>"
    )


def _room(question: Question) -> str:
    """Return lines for an answer, or the options to choose from."""
    if question.options:
        return f"<ul>{''.join(f'<li>{_worded(option)}</li>' for option in question.options)}</ul>"
    lines = 2 if question.kind in (NUMBER, SHAPE) else 1
    return "<div class='room'></div>" * lines


def _numbers_page(found: Trace, name: str) -> str:
    return (
        f"<section class='overleaf'><h1>{escape(name)}</h1>{_figure(found, found)}{_formula(found)}"
        f"{_table(found)}{_footer(found)}</section>"
    )


def _answer(found: Trace, question: Question, pinned: Trace | Twin | None) -> str:
    """Return a question with its right answer and the reason; where there is none, why not."""
    try:
        table = feedback_table(found, question, pinned)
    except GraphError as error:
        return f"<li>{escape(question.words)} {escape(error.problems[0].message)}</li>"
    answer = table["answer"]
    accepted = "" if answer["accepted"] == answer["text"] else f" (accepted: {escape(answer['accepted'])})"
    return (
        f"<li>{_worded(table['words'])} <span class='right'>{escape(answer['text'])}</span>{accepted}<br>"
        f"{_worded(answer['reason'])}</li>"
    )


_CODE = re.compile("`([^`]+)`")


def _worded(text: str) -> str:
    """Return a sentence as HTML, with its names in code type."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _figure(found: Trace, shown: Trace) -> str:
    return f"<figure>{svg_of(found.graph, shown)}</figure>"


def _formula(found: Trace) -> str:
    text = show(without_reads(found.graph), positions=False)
    return f"<pre>{escape(text.strip())}</pre>" if len(text.splitlines()) <= FORMULA else ""


def _table(found: Trace) -> str:
    """Return value and cotangent of each node as a table."""
    rows = "".join(_rows(found))
    head = "<tr><th>node</th><th>value</th><th>arrives on the way back</th></tr>"
    columns = " class='two'" if len(found.graph.nodes) > ONE_COLUMN else ""
    return f"<div{columns}><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>"


def _rows(found: Trace) -> Iterator[str]:
    nodes = order(found.graph)
    for node in nodes[:ROWS]:
        numbers = (short(arrays[node.name], DIGITS) for arrays in (found.value, found.cotangent))
        cells = "".join(f"<td>{escape(number)}</td>" for number in numbers)
        yield f"<tr><td><code>{escape(node.name)}</code></td>{cells}</tr>"
    if len(nodes) > ROWS:
        yield f"<tr><td colspan='3'>and {len(nodes) - ROWS:,} more nodes</td></tr>"


def _footer(found: Trace) -> str:
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"<footer>Computed in {escape(found.dtype)} by {escape(made)}.</footer>"
