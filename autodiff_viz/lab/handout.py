"""Lay out a handout for print: the question with room for an answer, and the graph; overleaf the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from autodiff_viz.asking.concealed import conceal
from autodiff_viz.asking.hidden import hidden
from autodiff_viz.asking.judge import feedback_table
from autodiff_viz.asking.question import NUMBER, SHAPE, Asking, Question
from autodiff_viz.asking.words import question_words
from autodiff_viz.canvas.svg import svg_of
from autodiff_viz.display.colours import tokens
from autodiff_viz.display.numbers import short
from autodiff_viz.display.prose import prose, worded
from autodiff_viz.engine.trace import Place, Trace, with_output
from autodiff_viz.engine.versions import versions
from autodiff_viz.explain.explanation import Twin
from autodiff_viz.graph.grad_nodes import without_reads
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.asking import present
from autodiff_viz.lab.evaluate import evaluated
from autodiff_viz.lab.judging import beside_of
from autodiff_viz.lab.persistence.address import KEPT
from autodiff_viz.lab.persistence.short_link import short_query, written
from autodiff_viz.lab.share import WHOLE, CodeOf, QrCode, of_tour, unanswered
from autodiff_viz.lab.state import Lab
from autodiff_viz.lab.tours import go_to
from autodiff_viz.language.show import show
from autodiff_viz.lessons.gallery import lesson

TITLE = 200  # characters of a title that are printed
LINK = 100  # characters of a link that somebody may type
FORMULA = 14  # lines of a formula that has room beside the picture
DIGITS = 6  # of numbers overleaf
ONE_COLUMN = 12  # rows that have room below one another
ROWS = 30  # nodes of the table overleaf, which has one page

_SHEET = """
@page { margin: 16mm; }
* { box-sizing: border-box; }
body { margin: 0; font: 11.5pt/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  color: var(--av-ink); background: var(--av-ground);
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
section { max-width: 178mm; margin: 0 auto; }
article { break-inside: avoid; }
header { display: flex; gap: 6mm; justify-content: space-between; align-items: start; }
.code { flex: none; width: 30mm; margin: 0; }
.code svg { display: block; width: 30mm; height: 30mm; }
section + section { break-before: page; }
h1 { font-size: 17pt; line-height: 1.2; margin: 0 0 3mm; overflow-wrap: anywhere; }
h2 { font-size: 12.5pt; margin: 4mm 0 1mm; }
p, ol { margin: 0 0 2.5mm; }
ol { padding-inline-start: 6mm; }
li { margin-block-end: 2mm; }
figure { margin: 3mm 0; text-align: center; }
figure svg { max-width: 100%; max-height: 112mm; }
.overleaf figure svg { max-height: 74mm; }
.many article figure { margin: 0; }
.many article svg { max-height: 54mm; }
.many .overleaf article svg { max-height: 46mm; }
pre, code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
pre { margin: 2mm 0; white-space: pre-wrap; overflow-wrap: anywhere; }
ul { list-style: none; margin: 1mm 0; padding: 0; }
ul li::before { content: ""; display: inline-block; width: 3.4mm; height: 3.4mm; margin-inline-end: 2mm;
  border: 0.3mm solid var(--av-ink); vertical-align: -0.5mm; }
.room { height: 11mm; border-bottom: 0.3mm solid var(--av-control); }
.hint, footer { color: var(--av-quiet); font-size: 9.5pt; }
.forth, .back { color: var(--av-value); }
.back { color: var(--av-cotangent); }
.right { font-weight: 650; }
table { border-collapse: collapse; font-size: 9.5pt; width: 100%; }
th, td { text-align: start; padding: 0.5mm 2mm; border-bottom: 0.2mm solid var(--av-edge); }
td { font-variant-numeric: tabular-nums; }
.two { columns: 2; }
footer { margin-top: 4mm; }
@media screen { section { padding: 10mm 0; } }
"""
STYLE = tokens(_SHEET) + _SHEET


@dataclass(frozen=True, slots=True)
class Sheet:
    """One graph of a handout with what is said and asked of it.

    Attributes:
      found: a trace with an output.
      asking: the questions; answers that were given to them are not printed.
      pinned: the trace with which questions compare, as in `judge`.
      title, caption: above the graph; "" for none.
      said: after the answers, overleaf; in front where nothing is asked of the graph.
    """

    found: Trace
    asking: Asking | None = None
    pinned: Trace | Twin | None = None
    title: str = ""
    caption: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """What stands above all graphs of a handout: its title, a text, and the link with its QR code."""

    title: str
    text: str = ""
    link: str = ""
    code: QrCode | None = None


def handout_of(lab: Lab, base: str | None, code_of: CodeOf) -> str:
    """Return the handout of what is open: of all steps of a tour, or of the graph on view.

    Args:
      base: address of the lab's page, for the link; None if it is not known.
      code_of: draws the QR code of the link.
    Raises:
      GraphError: a graph cannot be run.
    """
    tour = lab.tour if lab.tour is not None and lab.tour.steps else None
    query = short_query(of_tour(unanswered(lab), WHOLE))
    link = f"{base}?{written(query)}" if base and KEPT not in query else ""
    code = code_of(link) if link else None
    if tour is None:
        opened = lesson(lab.lesson)
        title = opened.title if opened else f"Gradient of {lab.graph.output}"
        return handout([_sheet(lab)], Words(title, "", link, code))
    sheets = []
    for at, step in enumerate(tour.steps):
        sheet = _sheet(go_to(lab, tour, at))
        sheets.append(replace(sheet, title=step.title, caption=step.caption, said=step.text))
    return handout(sheets, Words(tour.title, tour.text, link, code))


def _sheet(lab: Lab) -> Sheet:
    return Sheet(evaluated(lab).trace, present(lab), beside_of(lab))


def handout(sheets: Sequence[Sheet], words: Words) -> str:
    """Return a handout as a page of HTML without scripts, to be printed on both sides.

    In front are the questions with room for answers, each above its graph with "?" for what is asked.
    Overleaf are the answers with their reasons, and all numbers. Where nothing is asked there is no front.

    Raises:
      GraphError: a graph has no trace, or no output.
    """
    for sheet in sheets:
        with_output(sheet.found)
    sheets = [_fresh(sheet) for sheet in sheets]
    title = words.title.strip()[:TITLE] or "A graph"
    head, legend = _head(title, words), _legend([sheet.found for sheet in sheets])
    if any(_asked(sheet) for sheet in sheets):
        front = "".join(_question_part(sheet, sheets, at) for at, sheet in enumerate(sheets))
        parts = [f"<section>{head}{front}{legend}</section>"]
        head = f"<h1>Answers: {escape(title)}</h1>"
    else:
        parts = []
    overleaf = "".join(_answer_part(sheet, sheets, at, not parts) for at, sheet in enumerate(sheets))
    foot = f"{'' if parts else legend}{_footer(sheets[0].found)}"
    parts.append(f"<section class='overleaf'>{head}{overleaf}{foot}</section>")
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<style>{STYLE}</style></head><body class='{'one' if len(sheets) == 1 else 'many'}'>"
        f"{''.join(parts)}</body></html>"
    )


def _fresh(sheet: Sheet) -> Sheet:
    return replace(sheet, asking=sheet.asking and sheet.asking.unanswered)


def _asked(sheet: Sheet) -> list[Question]:
    return [each.question for each in sheet.asking.asked] if sheet.asking else []


def _head(title: str, words: Words) -> str:
    """Return the title and the text, and beside them the link as a code, or as words if it is short."""
    code = f"<figure class='code'>{_code(words.code)}</figure>" if words.code else ""
    link = words.link.partition("://")[2] if len(words.link) <= LINK else ""
    shown = f"<p class='hint'>{escape(link)}</p>" if link else ""
    return f"<header><div><h1>{escape(title)}</h1>{prose(words.text)}{shown}</div>{code}</header>"


def _legend(graphs: Sequence[Trace]) -> str:
    """Return what the signs of the graphs mean; of a norm only where a tensor is drawn."""
    tensors = any(array.ndim for found in graphs for array in found.value.values())
    norm = " \u2016&nbsp;\u2016 is the norm of a tensor." if tensors else ""
    return (
        "<p class='hint'><span class='forth'>\u25b6</span> value, "
        "<span class='back'>\u25c0</span> cotangent: what arrives on the way back. "
        "A thick wire passes much back, a dashed one 0. "
        f"\u201c?\u201d stands for what is asked.{norm}</p>"
    )


def _code(code: QrCode) -> str:
    return (
        f"<svg viewBox='0 0 {code.size} {code.size}' shape-rendering='crispEdges' role='img' "
        f"aria-label='QR code of the link'><path d='{escape(code.path)}'/></svg>"
    )


def _title(sheet: Sheet, sheets: Sequence[Sheet], at: int) -> str:
    return f"<h2>{at + 1}. {escape(sheet.title[:TITLE])}</h2>" if len(sheets) > 1 else ""


def _question_part(sheet: Sheet, sheets: Sequence[Sheet], at: int) -> str:
    found, letter = sheet.found, sheet.pinned.letter if isinstance(sheet.pinned, Twin) else "A"
    rows = "".join(
        f"<li>{worded(question_words(found.graph, question, letter))}{_room(question)}</li>"
        for question in _asked(sheet)
    )
    questions = f"<ol>{rows}</ol>" if rows else ""
    formula = _formula(found) if len(sheets) == 1 else ""
    said = "" if _asking_of(sheet, sheets) else prose(sheet.said)
    return (
        f"<article>{_title(sheet, sheets, at)}{prose(sheet.caption)}{said}"
        f"{questions or _asked_elsewhere(sheet, sheets)}"
        f"{_figure(found, conceal(found, _hidden_in(sheet, sheets)))}{formula}</article>"
    )


def _asking_of(sheet: Sheet, sheets: Sequence[Sheet]) -> list[int]:
    """Return the indices of the steps that ask, or hide numbers, of the same graph."""
    own = _numbers(sheet.found)
    return [at for at, other in enumerate(sheets) if other.asking and same(_numbers(other.found), own)]


def _hidden_in(sheet: Sheet, sheets: Sequence[Sheet]) -> frozenset[Place]:
    """Return the places whose numbers stand overleaf alone: what any step asks of the same graph."""
    places: set[Place] = set()
    for at in _asking_of(sheet, sheets):
        places |= hidden(sheets[at].found.graph, sheets[at].asking).places
    return frozenset(places)


def _asked_elsewhere(sheet: Sheet, sheets: Sequence[Sheet]) -> str:
    """Return a line that says which step asks for what this one does not show; "" where none does."""
    at = next((at for at in _asking_of(sheet, sheets) if _asked(sheets[at])), None)
    return f"<p class='hint'>Step {at + 1} asks for what is hidden here.</p>" if at is not None else ""


def _room(question: Question) -> str:
    """Return lines for an answer, or the options to choose from."""
    if question.options:
        return f"<ul>{''.join(f'<li>{worded(option)}</li>' for option in question.options)}</ul>"
    lines = 2 if question.kind in (NUMBER, SHAPE) else 1
    return "<div class='room'></div>" * lines


def _numbers(found: Trace) -> Any:
    """Return what the numbers of a graph follow from, but for the seed."""
    return tuple(node.content for node in found.graph.nodes), found.output, found.dtype


def _answer_part(sheet: Sheet, sheets: Sequence[Sheet], at: int, is_front: bool) -> str:
    answers = "".join(_answer(sheet.found, question, sheet.pinned) for question in _asked(sheet))
    in_front = not (is_front or _asking_of(sheet, sheets))
    said = f"{prose(sheet.caption) if is_front else ''}{'' if in_front else prose(sheet.said)}"
    formula = _formula(sheet.found) if is_front and len(sheets) == 1 else ""
    table = _table(sheet.found) if len(sheets) == 1 else ""  # the figures of a tour have its numbers
    return (
        f"<article>{_title(sheet, sheets, at)}{f'<ol>{answers}</ol>' if answers else ''}{said}"
        f"{_figure(sheet.found, sheet.found)}{formula}{table}</article>"
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
        f"<li>{worded(table['words'])} <span class='right'>{escape(answer['text'])}</span>{accepted}<br>"
        f"{worded(answer['reason'])}</li>"
    )


def _figure(found: Trace, shown: Trace) -> str:
    return f"<figure>{svg_of(found.graph, shown)}</figure>"


def _formula(found: Trace) -> str:
    text = show(without_reads(found.graph), positions=False)
    return f"<pre>{escape(text.strip())}</pre>" if len(text.splitlines()) <= FORMULA else ""


def _table(found: Trace) -> str:
    """Return value and cotangent of each node as a table."""
    rows = "".join(_rows(found))
    head = "<tr><th>node</th><th>value</th><th>cotangent</th></tr>"
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
