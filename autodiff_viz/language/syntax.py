"""Parse logical lines to Python syntax trees, one line at a time, and check the use of names in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.problem import Correction, GraphError, Problem
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import name_fault, quoted
from autodiff_viz.language.corrections import above, mentioned, misspelt, moved_up, new_name, removed
from autodiff_viz.language.scanner import DEFINITION, LogicalLine, Span, definition, with_powers
from autodiff_viz.language.suggestions import CONSTANTS, FUNCTIONS, KEYWORDS, name_hint, nearest
from autodiff_viz.ops.catalog import OPS

# Names of formulas and lambdas: those that lines assign are recorded, and each use is checked.


_TARGET = re.compile(r"([A-Za-z_]\w*)\s*(?::[^=]*)?=(?!=)", re.ASCII)


@dataclass(slots=True)
class Names:
    """The names of a text.

    Attributes:
      assigned: every name that some line assigns, with the number of the first such line.
      defined: the names that have a value at the line being read.
      broken: names whose line has a problem of its own; their use is not reported again.
      room: how many characters zeros, ones and full may still take, written out: the printed text must be
        short enough to be read again.
      mentioned: every name in the text, whether or not it has a value, once `taken` was asked.
    """

    assigned: dict[str, int] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    room: int = limits.TEXT // 2
    mentioned: set[str] = field(default_factory=set)

    def announce(self, line: LogicalLine, statements: list[ast.stmt]) -> None:
        """Record the names that the line assigns, before any line is read."""
        for statement in statements:
            if isinstance(statement, ast.With):
                self.announce(line, statement.body)
            elif (target := target_of(statement)) is not None:
                self.assigned.setdefault(target.id, line.number + target.lineno - 1)

    def forgive(self, line: LogicalLine) -> None:
        """Record the name that a faulty line seems to assign, so that its use is no further problem."""
        if match := _TARGET.match(line.text):
            self.broken.add(match[1])
            self.assigned.setdefault(match[1], line.number)

    def taken(self, line: LogicalLine) -> set[str]:
        """Return the names that a new value cannot have: also those that are only read."""
        self.mentioned = self.mentioned or mentioned(line)
        return {*self.mentioned, *self.assigned, *self.defined}

    def check_target(self, line: LogicalLine, target: ast.Name) -> None:
        """Raise a GraphError where `target` cannot be assigned here."""
        if fault := name_fault(target.id):
            raise line.error(target, "name", f"The name {quoted(target.id)} {fault}.", "Choose another name.")
        if target.id in self.defined:
            message = f"{target.id!r} has a value already, from line {self.assigned[target.id]}."
            new = new_name(target.id, self.taken(line))
            raise line.error(target, "assigned-twice", message, f"Use a new name, such as {new}.", new)

    def check_use(self, line: LogicalLine, node: ast.Name) -> None:
        """Raise a GraphError where `node` names no value that exists at this line."""
        name = node.id
        if name in self.defined or name in self.broken:
            return
        if name not in self.assigned:
            hint = name_hint(name, self.assigned)
            correction = _name_meant(name, self.assigned)
            raise line.error(node, "unknown-name", f"{quoted(name)} has no value.", hint, correction)
        if self.assigned[name] == line.number + node.lineno - 1:
            message, hint = f"{name!r} is used to work out itself.", "A value may not depend on itself."
            raise line.error(node, "used-too-early", message, hint)
        message = f"{name!r} is used here, but gets its value only in line {self.assigned[name]}."
        correction = moved_up(line, self.assigned[name])
        raise line.error(node, "used-too-early", message, f"Move line {self.assigned[name]} up.", correction)


def _name_meant(name: str, known: Iterable[str]) -> str | Correction | None:
    """Return what to write for a name without a value: a number, a near name, or a line that gives it one."""
    if name in FUNCTIONS or (name.rpartition("_")[0] in FUNCTIONS and name.rpartition("_")[2].isdigit()):
        return None
    meant = CONSTANTS.get(name) or nearest(name, known)
    if meant or name_fault(name):
        return meant
    return above(f"{name} = 1.0")


class OpenNames(Names):
    """The names of a text that is part of a larger one, which assigns all other names."""

    def check_use(self, line: LogicalLine, node: ast.Name) -> None:
        """Raise a GraphError where the text assigns `node`, but only later."""
        if node.id in self.assigned:
            Names.check_use(self, line, node)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The names that the body of a lambda may use: `args`, its own arguments."""

    args: tuple[str, ...]

    def check_use(self, line: LogicalLine, node: ast.Name) -> None:
        """Raise a GraphError where `node` is not one of the arguments."""
        if node.id not in self.args:
            message = f"{quoted(node.id)} is not an argument of this lambda."
            hint = f"It may use {', '.join(self.args)}; custom also hands it the op's inputs and its value."
            raise line.error(node, "unknown-name", message, hint)


def target_of(statement: ast.stmt) -> ast.Name | None:
    """Return the target of a plain assignment `name = expression`; None for any other statement."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target if isinstance(target, ast.Name) else None
    return None


def check_argument(line: LogicalLine, argument: ast.arg, seen: set[str]) -> GraphError | None:
    """Return the error in an argument of a lambda, if any, and add the argument to `seen`, those before."""
    fault = name_fault(argument.arg) or ("comes twice" if argument.arg in seen else "")
    seen.add(argument.arg)
    if not fault:
        return None
    return line.error(
        argument, "name", f"The argument {quoted(argument.arg)} {fault}.", "Choose another name."
    )


# Lines: each is parsed alone.


_FIRST_WORD = re.compile(r"[a-z]+\b")
_BLOCK = 'Write with checkpoint("name"): or with group("name"): and indent the lines inside it.'
_HEADS = {
    "with": _BLOCK,
    "for": "Write for i in range(4): and indent the lines of a step below it.",
    "def": "Write def block(x): and indent its lines below it; the last one is return and a value.",
}
"""Words that open a block, and how they are written."""

_EXAMPLE = "A line looks like y = 2.0 * sin(x)."

OF_ONE = frozenset(op.name for op in OPS.values() if len(op.slots) == 1 and not op.variadic)

REMEMBERED, SHORT = 512, 120  # lines in the LRU cache; greatest number of characters of one

Statements = list[ast.stmt] | None
"""The statements of a line; None where it could not be parsed."""


def parsed_lines(
    lines: Sequence[LogicalLine], problems: list[Problem]
) -> list[tuple[LogicalLine, Statements]]:
    """Parse every line; record its mistakes in `problems`, and end where these are too many to report."""
    parsed: list[tuple[LogicalLine, Statements]] = []
    for line in lines:
        if len(problems) >= limits.PROBLEMS:
            break
        try:
            parsed.append((line, parse_line(line)))
        except GraphError as error:
            problems.extend(error.problems)
            parsed.append((line, None))
    return parsed


def announce(lines: Sequence[tuple[LogicalLine, Statements]], names: Names) -> None:
    """Record the names that the lines assign; of a line with mistakes, the name that it seems to assign."""
    for line, statements in lines:
        if statements is None:
            names.forgive(line)
        else:
            names.announce(line, statements)


def parse_line(line: LogicalLine) -> list[ast.stmt]:
    """Return the statements of one line. The head of a block gets `pass` for a body.

    Raises:
      GraphError: the scan found problems in the line, or it is no Python, or begins with a keyword that
        formulas do not have.
    """
    if line.problems:
        raise GraphError(line.problems)
    word = first_word(line)
    if word in KEYWORDS:
        span = Span(line.number, line.indent, line.number, line.indent + len(word))
        needless = removed(line) if word in ("import", "from") else None
        raise line.error(span, "not-in-language", f"Formulas do not have {word!r}.", KEYWORDS[word], needless)
    try:
        text = with_powers(line) if "^" in line.text else line.text
        if DEFINITION.match(text):
            return definition(text)
        source = f"{text} pass" if word in _HEADS and text.endswith(":") else text
        return _short(source) if len(source) <= SHORT else syntax_tree(source).body
    except SyntaxError as error:
        # Python's reason without its advice, which is about Python.
        reason = re.split(r"[.;,] |\bMaybe\b|\bPerhaps\b| \(<", error.msg)[0].strip(" .")
        message = f"This is not a formula: {reason if reason.isascii() else 'invalid syntax'}."
        better = misspelt(line, OF_ONE)
        hint = f"{better.label}." if better else _HEADS.get(word, _EXAMPLE)
        raise line.error(_place(line, error), "syntax", message, hint, better) from None
    except GraphError as error:
        (fault,) = error.problems
        raise line.error(line.whole(), fault.code, fault.message, fault.hint) from None
    except (RecursionError, MemoryError):
        message = f"Operations are more than {limits.NESTING} deep here."
        hint = "Give a part a name on a line of its own."
        raise line.error(line.whole(), "too-deep", message, hint) from None


@remembered(REMEMBERED, lambda source: source)
def _short(source: str) -> list[ast.stmt]:
    """Memoise the parse of a short line, since each edit leaves most lines unchanged.

    Callers must not change the syntax tree.
    """
    return syntax_tree(source).body


def first_word(line: LogicalLine) -> str:
    """Return the word of lower-case letters that begins the line, or ""."""
    match = _FIRST_WORD.match(line.text)
    return match[0] if match else ""


def is_head(line: LogicalLine) -> bool:
    """Return whether the line is a `with ...:` whose body is on the lines below."""
    return first_word(line) == "with" and line.text.endswith(":")


def _place(line: LogicalLine, error: SyntaxError) -> Span:
    row = min(max(error.lineno or 1, 1), line.text.count("\n") + 1)
    start = line.column(row, max((error.offset or 1) - 1, 0))
    same = error.end_lineno == error.lineno and (error.end_offset or 0) > (error.offset or 0)
    end = line.column(row, error.end_offset - 1) if same else start + 1  # type: ignore[operator]
    return Span(line.number + row - 1, start, line.number + row - 1, end)
