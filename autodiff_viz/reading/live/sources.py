"""Find the syntax tree of a function that is loaded, in the file that it was loaded from.

A function is known by its code: the line where that begins is looked up in the file's tree, which keeps the
lines and columns of the file. What the file says now need not be what was loaded, so the file is compiled,
and a function's code must equal what was loaded. What is compiled is only compared; nothing runs.
"""

from __future__ import annotations
import __future__

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from types import CodeType, FunctionType
from warnings import catch_warnings, simplefilter

from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.reading.nodes.costs import LONGEST, Refused

FUTURE = reduce(or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
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
      compiled: the code of these, in any order.
    """

    name: str
    lines: list[str]
    functions: dict[tuple[int, str], list[Tree]]
    compiled: list[CodeType]


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
        offset = self.files.index(file) * LINES
        fitting = [one for one in found if _is_of(code, file.compiled, one, offset)]
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
            with catch_warnings():  # Python has said them as it loaded the file
                simplefilter("ignore", SyntaxWarning)
                simplefilter("ignore", DeprecationWarning)  # of an escape, before 3.12
                tree = syntax_tree(text)
                whole = compile(tree, "", "exec", code.co_flags & FUTURE, dont_inherit=True)
            compiled = list(_nested(whole))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # of an edit that is not finished
            raise Refused(f"The file of `{name}` is no Python now.", "Load it again.", "no-source") from None
        functions: dict[tuple[int, str], list[Tree]] = {}
        for node in ast.walk(tree):
            if isinstance(node, Tree):
                first = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
                functions.setdefault((first, getattr(node, "name", "<lambda>")), []).append(node)
        if self.files:  # the first file's lines stay
            ast.increment_lineno(tree, len(self.files) * LINES)
        file = File(shown_name(code.co_filename), text.splitlines(), functions, compiled)
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


def _is_of(code: CodeType, compiled: list[CodeType], node: Tree, offset: int) -> bool:
    """Return whether a loaded code is that of a function as the file says it now."""
    if isinstance(node, ast.Lambda) and not _spans(code, node, offset):
        return False
    if code in compiled:  # equal, wherever the file is
        return True
    # A tool that rewrites assertions, such as pytest, adds names of its own; all others are still there.
    loaded = _words(code)
    return any(word.startswith("@") for word in loaded) and any(
        (one.co_firstlineno, one.co_name) == (code.co_firstlineno, code.co_name) and _words(one) <= loaded
        for one in compiled
    )


def _words(code: CodeType) -> set[str]:
    """Return the names and the constants of a code and of those in it, as texts."""
    codes = [*_nested(code)]
    names = {name for one in codes for name in (*one.co_names, *one.co_varnames, *one.co_freevars)}
    constants = (part for one in codes for part in one.co_consts if not isinstance(part, CodeType))
    return names | {*map(repr, constants)}


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
