"""Write lessons as Markdown that a teacher edits, and read them, with each error at its line.

`README.md` in this folder shows a whole lesson. A file begins with TOML between two lines `+++`. The text of
the lesson follows, then a section for each graph (`## its title`) and the parts `# Exercises`, `# Claims`,
`# Answers`, `# Sources` and `# Code`. A fence holds what is no prose: a formula, or a record of `codec.py` as
TOML.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import Reader
from autodiff_viz.graph.problem import GraphError, Problem, known_text
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import quoted, well_formed
from autodiff_viz.language.suggestions import did_you_mean, nearest
from autodiff_viz.lessons import lesson as edits_of
from autodiff_viz.lessons.codec import (
    CLAIM,
    FORMAT,
    LESSON,
    PART,
    QUESTION,
    STEP,
    VERSION,
    plain_data,
    tour_in,
)
from autodiff_viz.lessons.lesson import Claim, Lesson, Part, Prediction, Try
from autodiff_viz.lessons.tour import Step

WIDTH = 110
EXERCISES, CLAIMS, ANSWERS, SOURCES, CODE = "Exercises", "Claims", "Answers", "Sources", "Code"
PARTS = (EXERCISES, CLAIMS, ANSWERS, SOURCES, CODE)
ELSEWHERE = {"key", "track", "steps", "text", "to_try", "claims", "predictions", "sources", "code"}
"""Fields of a lesson that do not stand in its head."""
CLAIM_HEAD = ("claim", "number", "of", "is", "graph", "source")
"""Columns of a table of claims: words, the quantity, its node (and slot, or another node), the number with
`exactly`, `within 1e-7` or `to 4 digits`, the graph from 0 where it is not the first, and the source."""
ANSWER_HEAD = ("answer", "what it meets", "graph", "question")
"""Columns of the table of answers: the last two count from 0, and are left out where all are 0."""

EDITS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "put": ("slide", ("name", "value")),
    "moved": ("slide", ("name", "value")),
    "written": ("constant", ("node", "text")),
    "ruled": ("rules", ("nodes", "rule")),
    "function": ("function", ("node", "text")),
    "selected": ("select", ("node",)),
    "cut": ("cut_after", ("nodes", "on")),
    "members": ("region", ("region", "nodes")),
    "policy": ("policy", ("region", "policy")),
    "without_region": ("uncheckpoint", ("region",)),
    "branches": ("branches", ("group", "k")),
    "trained_alone": ("tune", ("group", "branch")),
    "collapsed": ("collapse", ("group",)),
    "tangent": ("tangent", ("node", "value")),
    "resampled": ("resample", ()),
}
"""Functions of `lesson.py` that make edits, as a file calls them: `put("x", 0.0)`. For each the kind of its
edit, and the fields that its arguments are."""

# Read.


class Lines:
    """Lines of a text, read one after the other.

    Attributes:
      number: of the line that comes next, from 1.
    """

    def __init__(self, text: str):
        self._lines = text.split("\n")
        self.number = 1

    @property
    def next(self) -> str | None:
        """The line that comes next; None at the end."""
        return self._lines[self.number - 1] if self.number <= len(self._lines) else None

    def take(self) -> str:
        """Return the line that comes next, and go on."""
        line = self._lines[self.number - 1]
        self.number += 1
        return line

    def until(self, end: str, what: str) -> list[str]:
        """Return all lines up to one that is `end`, which is taken too.

        Raises:
          GraphError: there is none.
        """
        begun, found = self.number - 1, []
        while self.next is not None:
            if self.next.rstrip() == end:
                self.take()
                return found
            found.append(self.take())
        raise wrong(f"{what} has no end.", begun, f"Write a line {end} below it.")


def wrong(message: str, line: int, hint: str = "") -> GraphError:
    """Return the error of a place in a lesson."""
    return GraphError(Problem("lesson-text", message, hint, line=line))


class Document:
    """What has been read of a lesson: data for `codec.py`, and the line of each record by its path."""

    def __init__(self, key: str, track: str):
        self.data: dict[str, Any] = {"key": key, "track": track, "steps": []}
        self.lines: dict[str, int] = {"$": 1}

    def add(self, owner: dict[str, Any], path: str, name: str, record: Any, line: int) -> str:
        """Append a record to a list of its owner, and return its path."""
        owner.setdefault(name, []).append(record)
        where = f"{path}.{name}[{len(owner[name]) - 1}]"
        self.lines[where] = line
        return where

    def note(self, path: str, inside: list[str], first: int) -> None:
        """Keep the line of each field that lines of TOML give to the record at a path."""
        for i, line in enumerate(inside):
            if found := re.match(r"([a-z_]+) *=", line):
                self.lines[f"{path}.{found[1]}"] = first + i

    def line_of(self, path: str) -> int:
        """Return the line of the field or of the record that a path of the data is in."""
        return self.lines[max((each for each in self.lines if path.startswith(each)), key=len)]


def read_lesson(text: str, key: str, track: str = "", *, is_known: bool = False) -> Lesson:
    """Read a lesson; `read_lesson(lesson_text(lesson), lesson.key, lesson.track) == lesson`.

    Args:
      text: a file in the form of this module.
      key, track: what the name of the file and of its folder say.
      is_known: whether it is a lesson of the project, whose graphs the tests check.
    Raises:
      GraphError: with the line of the place.
    """
    return _decoded(document_of(text, key, track), is_known)


def document_of(text: str, key: str, track: str = "") -> Document:
    """Read what a lesson holds, as data that `read_lesson` decodes.

    Raises:
      GraphError: with the line of the place.
    """
    document = Document(key, track)
    lines = Lines(well_formed(known_text(text)).removeprefix("\ufeff").replace("\r\n", "\n"))
    if len(text) > limits.TOUR:
        raise wrong(f"The lesson has {len(text):,} characters; the limit is {limits.TOUR:,}.", 1)
    _read_head(lines, document)
    document.data["text"] = _prose(lines)
    while lines.next is not None:
        line = lines.number
        heading = lines.take()
        if heading.startswith("## "):
            _read_graph(lines, document, heading[3:].strip(), line)
        elif heading.removeprefix("# ") in PARTS and heading.startswith("# "):
            _READ[heading[2:]](lines, document)
        else:
            raise wrong(f"{quoted(heading[:60])} is no heading of a lesson.", line, _heading_meant(heading))
    return document


def _heading_meant(heading: str) -> str:
    """Return the heading that was perhaps meant, or which there are."""
    words = heading.lstrip("#").strip()
    if heading.startswith("##"):
        return f"Did you mean {quoted(f'## {words}')}?"
    if near := nearest(words, PARTS):
        return f"Did you mean '# {near}'?"
    return f"A graph begins with '## its title', a part with '# ' and {', '.join(PARTS)}."


def _decoded(document: Document, is_known: bool) -> Lesson:
    """Decode the data; an error gets the line of its record in place of its path."""
    try:
        return tour_in(Reader({FORMAT: VERSION, **document.data}, "$"), is_known)  # type: ignore[return-value]
    except GraphError as error:
        problem = error.problems[0]
        found = re.match(r"At (\$[^:]*): (?:line (\d+): )?", problem.message)
        if not found:
            raise wrong(problem.message, 1, problem.hint) from error
        field = re.sub(r"\[\d+\]$", "", found[1].rpartition(".")[2])
        line = document.line_of(found[1]) + (int(found[2]) - 1 if found[2] else 0)
        message = ("" if field == "$" else f"{field}: ") + problem.message[found.end() :]
        raise wrong(message, line, problem.hint) from error


def _read_head(lines: Lines, document: Document) -> None:
    if lines.next is None or lines.next.rstrip() != "+++":
        raise wrong('A lesson begins with +++ and lines such as title = "...".', 1)
    lines.take()
    inside = lines.until("+++", "What stands between +++ and +++")
    document.note("$", inside, 2)
    document.data |= _fields(inside, 2, LESSON.keys() - ELSEWHERE)


def _fields(lines: list[str], first: int, known: Iterable[str]) -> dict[str, Any]:
    """Return the fields that lines of TOML give.

    Raises:
      GraphError: they are no TOML, or one has no name that is known.
    """
    found = _toml(lines, first)
    for i, line in enumerate(lines):
        if (name := line.partition("=")[0].strip().strip('"')) in found and name not in known:
            hint = did_you_mean(name, known) or f"Here may be {', '.join(sorted(known))}."
            raise wrong(f"The name {quoted(name[:60])} is unknown.", first + i, hint)
    return {name: value for name, value in found.items() if name in known}


def _toml(lines: list[str], first: int) -> dict[str, Any]:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        why, _, place = str(error).partition(" (at ")
        at = re.match(r"line (\d+)", place)
        index = (int(at[1]) if at else len(lines)) - 1
        said = quoted(lines[index].strip()[:60]) if index < len(lines) else "This"
        message = f"{said} cannot be read: {_PLAIN.get(why, why[:1].lower() + why[1:])}."
        raise wrong(message, first + index, 'Write name = "text", a number, true, or [a list].') from error


_PLAIN = {
    "Cannot overwrite a value": "the name has a value already",
    "Invalid value": "what stands behind the = is no value, and text needs quotes",
}
"""What the reader of TOML says, in plain words."""


def _heading(line: str) -> bool:
    return line.startswith("#")


def _prose(lines: Lines, ends: Callable[[str], bool] = _heading) -> str:
    """Return the text up to a heading, a fence or the end: its paragraphs without their line breaks."""
    paragraphs: list[list[str]] = [[]]
    while lines.next is not None and not ends(lines.next) and not lines.next.startswith(("```", "|")):
        line = lines.take().strip()
        if line:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs if paragraph)


def _fences(
    lines: Lines, ends: Callable[[str], bool] = _heading, needed: str = ""
) -> Iterator[tuple[str, list[str], int, str]]:
    """Yield each fence's name, lines, the first one's number, and the prose before it; last prose alone.

    Args:
      needed: what stands here alone; "" where prose may stand too.
    """
    while True:
        if needed:
            _no_prose(lines, ends, needed)
        prose = _prose(lines, ends)
        if lines.next is None or not lines.next.startswith(("```", "|")):
            yield "", [], lines.number, prose
            return
        line = lines.number
        if lines.next.startswith("|"):
            yield TABLE, list(_rows(lines)), line, prose
            continue
        name = lines.take()[3:].strip()
        yield name, lines.until("```", f"The fence {quoted(name)}"), line + 1, prose


def _unknown_fence(name: str, line: int, *known: str) -> GraphError:
    return wrong(f"A fence {quoted(name)} has no meaning here.", line - 1, f"Here may be {', '.join(known)}.")


def _read_graph(lines: Lines, document: Document, title: str, line: int) -> None:
    step: dict[str, Any] = {"title": title}
    path = document.add(document.data, "$", "steps", step, line)
    texts = []
    for name, inside, first, prose in _fences(lines):
        texts.append(prose)
        if name in ("formula", "pinned"):
            document.lines[f"{path}.{name}"] = first
            step[name] = "\n".join([*inside, ""])
        elif name == "graph":
            document.note(path, inside, first)
            step |= _fields(inside, first, STEP.keys() - {"title", "formula", "pinned", "text", "questions"})
        elif name == "question":
            question = _fields(inside, first, QUESTION.keys())
            if isinstance(question.get("told"), dict):
                question["told"] = [[answer, says] for answer, says in question["told"].items()]
            document.note(document.add(step, path, "questions", question, first), inside, first)
        elif name:
            raise _unknown_fence(name, first, "formula", "pinned", "graph", "question")
    step["text"] = "\n\n".join(text for text in texts if text)


_ITEM = re.compile(r"\d+\. ")


def _read_exercises(lines: Lines, document: Document) -> None:
    def ends(line: str) -> bool:
        return _heading(line) or bool(_ITEM.match(line))

    _no_prose(lines, ends, "a number such as '1. '")
    while lines.next is not None and (item := _ITEM.match(lines.next)):
        exercise: dict[str, Any] = {"says": "", "parts": []}
        path = document.add(document.data, "$", "to_try", exercise, lines.number)
        first = lines.next[item.end() :]
        lines.take()
        for name, inside, at, prose in _fences(lines, ends):
            exercise["says"] = " ".join(filter(None, (exercise["says"] or first, prose)))
            if name == "part":
                part = _fields(inside, at, {*PART, "shows"})
                if "shows" in part:
                    exercise["shows"] = part.pop("shows")
                if "edits" in part:
                    part["edits"] = _edits(part["edits"], inside, at)
                document.note(document.add(exercise, path, "parts", part, at), inside, at)
            else:
                _add_claims(name, inside, at, document, exercise, path, "then")


def _no_prose(lines: Lines, ends: Callable[[str], bool], needed: str) -> None:
    while lines.next is not None and not lines.next.strip():
        lines.take()
    line = lines.number
    if prose := _prose(lines, ends):
        raise wrong(f"Found {quoted(prose[:60])}, where {needed} is needed.", line)


def _edits(calls: Any, inside: list[str], first: int) -> list[Mapping[str, Any]]:
    """Return the edits of a list of calls, each of which is named with its own line where it is wrong."""
    if not isinstance(calls, list):
        raise wrong("edits is a list of calls.", first, "Write edits = ['put(\"x\", 0.0)'].")
    lines = [next((i for i, line in enumerate(inside) if str(call) in line), 0) for call in calls]
    return [_edit(call, first + line) for call, line in zip(calls, lines, strict=True)]


def _edit(call: Any, line: int) -> Mapping[str, Any]:
    """Return the edit that a call such as `put("x", 0.0)` names."""
    hint = f"There are {', '.join(EDITS)}, each as a call with its arguments in quotes or as numbers."
    try:
        (statement,) = syntax_tree(known_text(call)[: limits.LINE]).body
        tree = statement.value if isinstance(statement, ast.Expr) else None
        if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords):
            raise ValueError
        if tree.func.id not in EDITS:
            raise ValueError
        return getattr(edits_of, tree.func.id)(*map(_argument, tree.args))
    except (TypeError, ValueError, SyntaxError, RecursionError, MemoryError, GraphError) as error:
        raise wrong(f"{quoted(str(call)[:60])} is no edit.", line, hint) from error


def _argument(node: ast.expr) -> Any:
    """Return the number, text or truth value that an argument of a call is.

    Raises:
      ValueError: it is something else.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_argument(node.operand)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str, bool):
        return node.value
    raise ValueError


def _claim(inside: list[str], line: int) -> dict[str, Any]:
    return {"of": None, **_fields(inside, line, CLAIM.keys())}


_TOLERANCE = re.compile(r"(.*?)(?: (exactly)| within (\S+)| to (\d+) digits)?")


def _claims_of_table(rows: list[str], first: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and the record of each claim in a table."""
    for line, cells in _cells(rows, first):
        if len(cells) != len(CLAIM_HEAD):
            raise wrong(
                f"A row of claims has {len(CLAIM_HEAD)} cells.", line, f"They are {', '.join(CLAIM_HEAD)}."
            )
        says, quantity, of, expected, graph, source = cells
        names = [int(name) if name.isdigit() else name for name in of.split(", ")]
        found = _TOLERANCE.fullmatch(expected)
        record = {"says": says, "quantity": quantity, "of": names if len(names) > 1 else of or None}
        record["expected"] = _value_of(found[1] if found else expected, line)
        if found and (found[2] or found[3]):
            record["within"] = _value_of(found[3] or "0.0", line)
        if found and found[4]:
            record["digits"] = int(found[4])
        if graph:
            record["variant"] = _value_of(graph, line)
        yield line, record | {"source": source}


def _value_of(cell: str, line: int) -> Any:
    try:
        return tomllib.loads(f"cell = {cell}")["cell"]
    except tomllib.TOMLDecodeError as error:
        hint = "Write 6.0, [1.0, 2.0] or 'nan', and behind it exactly, within 1e-7 or to 4 digits."
        raise wrong(f"{quoted(cell[:60])} is no number.", line, hint) from error


def _read_claims(lines: Lines, document: Document) -> None:
    for name, inside, at, _ in _fences(lines, needed="a table of claims, or a fence 'claim',"):
        _add_claims(name, inside, at, document, document.data, "$", "claims")


def _add_claims(
    name: str, inside: list[str], at: int, document: Document, owner: dict[str, Any], path: str, field: str
) -> None:
    if name == TABLE:
        for line, record in _claims_of_table(inside, at):
            document.add(owner, path, field, record, line)
    elif name == "claim":
        document.note(document.add(owner, path, field, _claim(inside, at), at), inside, at)
    elif name:
        raise _unknown_fence(name, at, "a table of claims", "claim")


def _read_answers(lines: Lines, document: Document) -> None:
    for name, inside, at, _ in _fences(lines, needed="a table of answers"):
        if name and name != TABLE:
            raise _unknown_fence(name, at, "a table of answers")
        for line, cells in _cells(inside, at):
            if len(cells) not in (2, len(ANSWER_HEAD)) or not all(cell.isdigit() for cell in cells[2:]):
                raise wrong("A row of answers has 2 or 4 cells.", line, f"They are {', '.join(ANSWER_HEAD)}.")
            record: dict[str, Any] = {"answer": cells[0], "meets": cells[1]}
            record |= {name: int(cell) for name, cell in zip(("step", "question"), cells[2:], strict=False)}
            document.add(document.data, "$", "predictions", record, line)


TABLE = "table"
_CELL = re.compile(r"(?<!\\)\|")  # a bar in a cell is written \|


def _rows(lines: Lines) -> Iterator[str]:
    while lines.next is not None and lines.next.startswith("|"):
        yield lines.take()


def _cells(rows: Iterable[str], first: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each row of a table below its head, and the row's cells."""
    for i, row in enumerate(rows):
        if i > 1:
            yield first + i, [cell.strip().replace(BAR, "|") for cell in _CELL.split(row.strip())[1:-1]]


def _read_sources(lines: Lines, document: Document) -> None:
    def ends(line: str) -> bool:
        return _heading(line) or line.startswith("- ")

    _no_prose(lines, ends, "a line that begins with '- '")
    while lines.next is not None and lines.next.startswith("- "):
        line, first = lines.number, lines.take()[2:].strip()
        rest = _prose(lines, ends)
        document.add(document.data, "$", "sources", f"{first} {rest}".strip(), line)


def _read_code(lines: Lines, document: Document) -> None:
    for name, inside, at, _ in _fences(lines, needed="a fence 'python'"):
        if name == "python":
            document.data["code"] = "\n".join([*inside, ""])
        elif name:
            raise _unknown_fence(name, at, "python")


_READ: Mapping[str, Callable[[Lines, Document], None]] = {
    EXERCISES: _read_exercises,
    CLAIMS: _read_claims,
    ANSWERS: _read_answers,
    SOURCES: _read_sources,
    CODE: _read_code,
}

# Write.


def lesson_text(lesson: Lesson) -> str:
    """Write a lesson in the form of this module."""
    data = plain_data(lesson)
    head = {name: value for name, value in data.items() if name not in ELSEWHERE}
    parts = [f"+++\n{_toml_of(head)}+++\n", _wrapped(lesson.text)]
    parts += [_graph_text(step) for step in lesson.steps]
    if lesson.to_try:
        parts += [f"# {EXERCISES}\n", *(_exercise_text(i, one) for i, one in enumerate(lesson.to_try, 1))]
    if lesson.claims:
        parts += [f"# {CLAIMS}\n", *_claim_texts(lesson.claims)]
    if lesson.predictions:
        parts += [f"# {ANSWERS}\n", _answers_text(lesson.predictions)]
    if lesson.sources:
        parts += [f"# {SOURCES}\n", "".join(_wrapped(one, "- ", "  ") for one in lesson.sources)]
    if lesson.code:
        parts += [f"# {CODE}\n", _fence("python", lesson.code)]
    return "\n".join(part for part in parts if part)


def _fence(name: str, inside: str) -> str:
    return f"```{name}\n{inside.rstrip(chr(10))}\n```\n"


def _graph_text(step: Step) -> str:
    data = plain_data(step)
    title, formula, text = data.pop("title"), data.pop("formula"), data.pop("text", "")
    pinned, questions = data.pop("pinned", ""), data.pop("questions", [])
    parts = [f"## {title}\n", _fence("formula", formula)]
    if pinned:
        parts.append(_fence("pinned", pinned))
    if data:
        parts.append(_fence("graph", _toml_of(data)))
    for question in questions:
        told = question.pop("told", [])
        says = "".join(
            f"{json.dumps(answer, ensure_ascii=False)} = {_value(words, 9)}\n" for answer, words in told
        )
        inside = _toml_of(question) + (f"\n[told]\n{says}" if told else "")
        parts.append(_fence("question", inside))
    if text:
        parts.append(_wrapped(text))
    return "\n".join(parts)


def _exercise_text(number: int, exercise: Try) -> str:
    parts = [_wrapped(exercise.says, f"{number}. ", "   ")]
    shown = {"shows": list(exercise.shows)} if exercise.shows else {}
    *earlier, last = map(_part_text, exercise.parts)
    parts += [_fence("part", text) for text in (*earlier, last + _toml_of(shown))]
    return "\n".join([*parts, *_claim_texts(exercise.then)])


def _part_text(part: Part) -> str:
    data = plain_data(replace(part, edits=()))
    calls = [f"'{call}'" if "'" not in call else _value(call) for call in map(_call_of, part.edits)]
    one = f"edits = [{', '.join(calls)}]\n"
    many = "edits = [\n" + "".join(f"    {call},\n" for call in calls) + "]\n"
    return ("" if not calls else one if len(one) <= WIDTH else many) + _toml_of(data)


def _call_of(edit: Mapping[str, Any]) -> str:
    """Return the call that makes an edit.

    Raises:
      GraphError: none does.
    """
    for name, (kind, names) in EDITS.items():
        if kind == edit["kind"]:
            given = [edit[each] for each in names]
            values = [one for value in given for one in (value if isinstance(value, list) else [value])]
            if dict(getattr(edits_of, name)(*values)) == dict(edit):
                shown = (
                    json.dumps(one, ensure_ascii=False) if type(one) is str else repr(one) for one in values
                )
                return f"{name}({', '.join(shown)})"
    raise GraphError(Problem("lesson-text", f"No call makes the edit {quoted(str(edit)[:80])}."))


def _claim_texts(claims: Iterable[Claim]) -> Iterator[str]:
    """Yield tables of claims that fit in a row, and a fence for each that does not."""
    rows: list[tuple[str, ...]] = []
    for claim in claims:
        row = _claim_row(claim)
        if row:
            rows.append(row)
            continue
        if rows:
            yield _table_text(CLAIM_HEAD, rows)
            rows = []
        data = {name: value for name, value in plain_data(claim).items() if value is not None}
        yield _fence("claim", _toml_of(data))
    if rows:
        yield _table_text(CLAIM_HEAD, rows)


def _claim_row(claim: Claim) -> tuple[str, ...]:
    """Return a claim as a row of a table; () where it does not fit in one."""
    data = plain_data(claim)
    expected = _value(data["expected"])
    names = data["of"] if isinstance(data["of"], list) else [data["of"] or ""]
    alike = all(not (isinstance(name, str) and (name.isdigit() or ", " in name)) for name in names)
    if (
        "at" in data
        or {"within", "digits"} <= data.keys()
        or len(expected) > WIDTH
        or "{" in expected
        or not alike
    ):
        return ()
    if "within" in data:
        expected += " exactly" if data["within"] == 0 else f" within {data['within']!r}"
    if "digits" in data:
        expected += f" to {data['digits']} digits"
    graph = str(data["variant"]) if "variant" in data else ""
    return data["says"], data["quantity"], ", ".join(map(str, names)), expected, graph, data["source"]


def _table_text(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', BAR) for cell in line)} |\n" for line in lines)


def _answers_text(predictions: Iterable[Prediction]) -> str:
    rows = [(one.answer, one.meets, str(one.step), str(one.question)) for one in predictions]
    columns = len(ANSWER_HEAD) if any(row[2:] != ("0", "0") for row in rows) else 2
    return _table_text(ANSWER_HEAD[:columns], [row[:columns] for row in rows])


BAR = "\\|"
_NO_BEGINNING = re.compile(r"#.*|-|\d+\.|\|.*|```.*")  # a line that begins so is no prose


def _wrapped(text: str, first: str = "", later: str = "") -> str:
    """Return prose in lines of at most `WIDTH` characters, which `_prose` joins again."""
    lines = [first]
    for word in text.split(" "):
        fits = len(lines[-1]) + 1 + len(word) <= WIDTH
        if lines[-1] in (first, later) or fits or _NO_BEGINNING.fullmatch(word):
            lines[-1] += ("" if lines[-1] in (first, later) else " ") + word
        else:
            lines.append(later + word)
    return "\n".join(lines) + "\n"


def _toml_of(data: Mapping[str, Any]) -> str:
    return "".join(f"{_key_of(name)} = {_value(value, len(name) + 3)}\n" for name, value in data.items())


def _key_of(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any, before: int = 0) -> str:
    """Return a value in TOML, in several lines where it is long."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key_of(name)} = {_value(item)}" for name, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        one = "[" + ", ".join(map(_value, value)) + "]"
        if before + len(one) <= WIDTH or not before:
            return one
        return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        if not before or before + len(text) <= WIDTH or "\\" in text:
            return text
        return (
            '"""\\\n'
            + _wrapped(value.replace('"', '\\"'), "    ", "    ").replace("\n", " \\\n").rstrip(" \\\n")
            + '"""'
        )
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)
