"""Find the syntax tree of a function that is loaded, in the file that it was loaded from.

A function is known by its code: the line where that begins is looked up in the file's tree, which keeps the
lines and columns of the file. What the file says now need not be what was loaded, so the names, numbers and
texts in the code are compared with those of the tree. Nothing is compiled, and nothing runs.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.reading.nodes.costs import LONGEST, Refused

LINES = 1_000_000
"""A line of the k-th file that is read is k times this and its own number, so that one number tells its file:
those of the first file, which is the only one for most models, are as they are."""

Tree = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False)
class File:
    """A file that functions are read from.

    Attributes:
      name: as a message names it.
      lines: its lines.
      functions: its functions and lambdas, by the line and the name that their code has.
    """

    name: str
    lines: list[str]
    functions: dict[tuple[int, str], list[Tree]]


class Sources:
    """The files that were read, in order."""

    def __init__(self) -> None:
        self.files: list[File] = []
        self._by_name: dict[str, File] = {}

    def function(self, function: FunctionType) -> Tree:
        """Return the tree of a function.

        Raises:
          Refused: its source is not there, or it is not what was loaded.
        """
        code, name = function.__code__, function.__qualname__
        file = self._by_name.get(code.co_filename) or self._read(function)
        found = file.functions.get((code.co_firstlineno, code.co_name), [])
        where = f"{file.name}, line {code.co_firstlineno}"
        fitting = [one for one in found if is_of(code, one)]
        if len(fitting) > 1:
            raise Refused(
                f"Several lambdas begin in {where}: which of them is meant cannot be told.",
                "Write it as a function with `def`.",
                "no-source",
            )
        if not fitting:
            raise Refused(
                f"`{name}` is not what {where} says: the file was changed after it was loaded, or a program "
                "made the function.",
                "Load the file again (in a notebook, run its cell again).",
                "no-source",
            )
        if isinstance(fitting[0], ast.AsyncFunctionDef):
            raise Refused(f"`{name}` is an async function, which is not read.", "Write `def`.")
        return fitting[0]

    def _read(self, function: FunctionType) -> File:
        code, name = function.__code__, function.__qualname__
        linecache.checkcache(code.co_filename)
        text = "".join(linecache.getlines(code.co_filename, function.__globals__))
        if not text:
            raise Refused(
                f"`{name}` has no source: it was typed at Python's prompt, or made from a text.",
                "Write it into a file or a cell of a notebook, and import it from there.",
                "no-source",
            )
        if len(text) > LONGEST:
            raise Refused(
                f"The file of `{name}` has {len(text):,} characters; {LONGEST:,} are read.",
                "Move the model into a file of its own.",
                "too-large",
            )
        try:
            tree = syntax_tree(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # of an edit that is not finished
            raise Refused(f"The file of `{name}` is no Python now.", "Load it again.", "no-source") from None
        functions: dict[tuple[int, str], list[Tree]] = {}
        for node in ast.walk(tree):
            if isinstance(node, Tree):
                first = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
                functions.setdefault((first, getattr(node, "name", "<lambda>")), []).append(node)
        if self.files:  # the first file's lines stay
            ast.increment_lineno(tree, len(self.files) * LINES)
        file = File(shown_name(code.co_filename), text.splitlines(), functions)
        self.files.append(file)
        self._by_name[code.co_filename] = file
        return file

    def place(self, line: int) -> tuple[str, int]:
        """Return the file and the line in it that a number stands for; no file if nothing was read."""
        number, line = divmod(line, LINES)
        return (self.files[number].name if number < len(self.files) else "", line)

    def text(self, line: int) -> str:
        """Return the text of a line; "" if there is none."""
        number, line = divmod(line, LINES)
        lines = self.files[number].lines if number < len(self.files) else []
        return lines[line - 1] if 0 < line <= len(lines) else ""


def shown_name(name: str) -> str:
    """Return the name of a file as a message has it: short where it is below the present folder."""
    path = Path(name)
    if path.parent.name.startswith("ipykernel_") or name.startswith("<ipython-input"):
        return "a cell of this notebook"
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else name


def is_of(code: CodeType, node: Tree) -> bool:
    """Return whether code may have been compiled from a tree: it has its names, numbers and texts.

    A tool that rewrites assertions, such as pytest, adds to their code; the texts of such a function are not
    compared.
    """
    codes = list(_nested(code))
    names = {
        part
        for one in codes
        for name in (*one.co_names, *one.co_varnames, *one.co_freevars, *one.co_cellvars)
        if not name.startswith(("@", "."))
        for part in name.split(".")
    }
    walked = list(ast.walk(node))
    words = {word for one in walked for word in _words(one)} | OF_CLASSES
    if any(name not in words and f"__{name.partition('__')[2]}" not in words for name in names):
        return False
    if any(word not in names for word in _names_in_use(node)):
        return False
    last = max(getattr(one, "end_lineno", 0) or 0 for one in walked)
    offset = node.lineno // LINES * LINES
    if any(line and line > last - offset for one in codes for *_, line in one.co_lines()):
        return False
    if isinstance(node, ast.Lambda) and not _spans(code, node, offset):
        return False
    if any(isinstance(one, ast.Assert) or _is_folded(one) for one in walked):
        return True
    written = {one.value for one in walked if isinstance(one, ast.Constant) and _plain(one.value)}
    found = {value for one in codes for constant in one.co_consts for value in _values(constant)}
    numbers = {abs(one) for one in found if not isinstance(one, str)}
    texts = {one for one in found if isinstance(one, str) and "\n" not in one and "<locals>" not in one}
    return numbers <= {abs(one) for one in written if not isinstance(one, str)} | {0, 1} and texts <= (
        {one for one in written if isinstance(one, str)} | words
    )


OF_CLASSES = frozenset(["__class__", "__classdict__", "__module__", "__qualname__", "__doc__"])
"""Names that Python itself puts into the code of a class, or of a method that asks for the class above."""


def _is_folded(node: ast.AST) -> bool:
    """Return whether Python computes an expression while it compiles: its parts are not in the code."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.Invert)
    if not isinstance(node, ast.BinOp):
        return False
    sides = [one.operand if isinstance(one, ast.UnaryOp) else one for one in (node.left, node.right)]
    constant = [isinstance(one, ast.Constant) for one in sides]
    return all(constant) or (constant[0] and isinstance(node.op, ast.Mod))  # "%s" % (x,) becomes an f-string


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _nested(one)


def _spans(code: CodeType, node: ast.Lambda, offset: int) -> bool:
    """Return whether the code of a lambda lies within its tree: several may begin in one line."""
    body = node.body
    begin, end = (body.lineno - offset, body.col_offset), (body.end_lineno - offset, body.end_col_offset)
    spans = [one for one in code.co_positions() if None not in one and one[2] != one[3]]
    inside = all(begin <= (one[0], one[2]) and (one[1], one[3]) <= end for one in spans)
    return inside and any((one[0], one[2]) == begin and (one[1], one[3]) == end for one in spans)


def _words(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node writes."""
    for key in ("id", "attr", "arg", "name", "asname", "module", "rest"):
        word = getattr(node, key, None)
        if isinstance(word, str):
            yield from word.split(".")
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def _names_in_use(node: Tree) -> Iterator[str]:
    """Yield the names that the body of a function reads or sets, but for those in annotations."""
    body = node.body if isinstance(node.body, list) else [node.body]
    waiting: list[Any] = [one for one in body if _is_tree(one)]
    while waiting:
        one = waiting.pop()
        word = one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else "__"
        if not word.startswith("__") and word != "_":
            yield word
        for name, value in ast.iter_fields(one):
            if name in ("annotation", "returns", "ctx"):
                continue
            waiting += [part for part in (value if isinstance(value, list) else [value]) if _is_tree(part)]


def _is_tree(part: Any) -> bool:
    # What is never true is left out of the code, and so is an assertion where Python runs with -O.
    if isinstance(part, (ast.If, ast.IfExp)) and isinstance(part.test, ast.Constant):
        return False
    return isinstance(part, ast.AST) and not isinstance(part, ast.Assert)


def _plain(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and value == value  # NaN is written nowhere


def _values(constant: Any) -> Iterator[Any]:
    if isinstance(constant, (tuple, frozenset)):
        for one in constant:
            yield from _values(one)
    elif _plain(constant):
        yield constant
