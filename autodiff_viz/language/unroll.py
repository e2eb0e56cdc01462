"""Unroll `for i in range(n):` and inline `def block(x):`, before a graph is built.

Each step of a loop, and each call of a function, becomes a group with a copy of the body's lines. In a copy,
names that the body assigns have the number of the step, or of the call, behind them: `h_0`, `h_1`, ... A name
that is assigned before the loop too is passed from step to step, as in Python, and below the loop it means
the last step's value. In a loop inside a loop the numbers of both steps are behind a name: `h_0_1`.
"""

from __future__ import annotations

import ast
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.graph.text import numbered
from autodiff_viz.language.corrections import mentioned, new_name
from autodiff_viz.language.loops import (
    TOP,
    Copy,
    Function,
    Names,
    PartsOf,
    after,
    arguments,
    copied,
    frame_names,
    outside_functions,
    outside_loops,
    read_function,
    read_loop,
    renamed,
    stored,
    with_frames,
)
from autodiff_viz.language.scanner import LogicalLine
from autodiff_viz.language.suggestions import FUNCTIONS
from autodiff_viz.language.syntax import Statements, is_head, target_of

# Names of the copies that loops and functions make, and of their groups; limits on how many there are.


MANY = 4  # times the groups that a graph may have: a few too many are reported where groups are read


class Fresh:
    """Maker of names that neither the text nor another copy has.

    Attributes:
      taken: names that are in use.
    """

    def __init__(self, assigned: Mapping[str, int], frames: Iterable[str]):
        self._made: dict[str, int] = {}
        self._frames = set(frames)
        self._copied = self._titles = self._heads = self._lines = self._parts = 0
        self.taken = ChainMap(self._made, assigned)  # type: ignore[arg-type]

    def name(self, line: LogicalLine, name: str, *choices: str) -> str:
        """Return a name for a copy of `name`: the first of `choices` that is free.

        Raises:
          GraphError: none is.
        """
        new = next((new for new in choices if new not in self.taken), None)
        if new is None:
            message = f"A copy of {name!r} is named {choices[0]!r} here, and there is that name already."
            raise line.error(line.whole(), "name-taken", message, f"Rename {name!r} or {choices[0]!r}.")
        self._made[new] = line.number
        return new

    def title(self, line: LogicalLine, stem: str, number: int | None = None) -> str:
        """Return the title of a group: `stem`, or `stem.2` and so on, and the number.

        Raises:
          GraphError: there are too many groups, or nodes.
        """
        self._check_nodes(line)
        self._titles += 1
        if self._titles > limits.GROUPS:
            message = f"The steps of loops and the calls of functions are more than {limits.GROUPS} groups."
            raise line.error(line.whole(), "too-many-groups", message, "Use fewer.")
        end = "" if number is None else f" {number}"
        free, more = stem + end, 1
        while any(frame == free or frame.startswith(f"{free} ") for frame in self._frames):
            more += 1
            free = f"{stem}.{more}{end}"
        self._frames.add(free)
        return free

    def head(self, line: LogicalLine) -> None:
        """Count the head of a group. Loops in loops can make many without a line in them.

        Raises:
          GraphError: there are many more than a graph may have.
        """
        self._heads += 1
        if self._heads > MANY * limits.GROUPS:
            message = f"The steps of these loops are more than {limits.GROUPS} groups."
            raise line.error(line.whole(), "too-many-groups", message, "Use fewer steps.")

    def count(self, line: LogicalLine) -> None:
        """Count a copy of a line.

        Raises:
          GraphError: it is one too many.
        """
        self._copied += 1
        self._check_nodes(line)

    def copy(self, line: LogicalLine, parts: int) -> None:
        """Count a copy of a line, of so many parts, whether or not it makes a node.

        Raises:
          GraphError: the lines that loops and functions stand for are more, or longer, than a text may be.
        """
        self._lines += 1
        self._parts += parts
        if self._lines > limits.LINES or self._parts > limits.COPIED:
            most = f"{limits.LINES:,} lines, or {limits.COPIED:,} names, numbers and ops"
            message = f"Written out, the loops and functions are more than {most}."
            raise line.error(line.whole(), "too-many-copies", message, "Use fewer steps, or calls.")

    def _check_nodes(self, line: LogicalLine) -> None:
        if self._copied > limits.NODES:
            message = f"The copies of lines make more than {limits.NODES} nodes."
            raise line.error(line.whole(), "too-many-nodes", message, "Use fewer steps, or calls.")


# Copies of lines, in the order in which they run.


Line = tuple[LogicalLine, Statements]


def unrolled(lines: list[Line], problems: list[Problem]) -> list[Line]:
    """Return lines without loops and functions; mistakes in these go to `problems`."""
    if not any(opens_block(statements) for _, statements in lines):
        return lines
    unroller = _Unroller(lines, problems)
    unroller.run(lines)
    return unroller.copies


def opens_block(statements: Statements) -> bool:
    """Return whether a line is the head of a loop or of a function."""
    return bool(statements) and isinstance(statements[0], ast.For | ast.FunctionDef)  # type: ignore[index]


class _Unroller:
    def __init__(self, lines: Sequence[Line], problems: list[Problem]):
        self.copies: list[Line] = []
        self._problems = problems
        self._names: Names = {}  # what a name of the text means here: a node, or the number of a step
        self._assigned = stored(outside_functions(lines))  # names that the text assigns, with their lines
        self._frames = frame_names(lines)
        self._fresh = Fresh(self._assigned, self._frames)
        self._functions: dict[str, Function] = {}
        self._later = {
            statements[0].name: line.number  # type: ignore[index, union-attr]
            for line, statements in lines
            if statements and isinstance(statements[0], ast.FunctionDef)
        }
        self._broken: set[str] = set()  # functions with mistakes; their calls are not reported again
        self._parts = PartsOf()
        self._calls: Counter[str] = Counter()  # of functions; and of loops, by their counter
        self._inside: list[str] = []  # the functions that are being copied, each called by the one before
        self._outside: Names = {}  # the names where the first of them is called

    def run(self, lines: Sequence[Line]) -> None:
        """Copy all lines, the bodies of loops and functions as often as they run."""
        at = 0
        while at < len(lines) and len(self._problems) < limits.PROBLEMS:
            line, statements = lines[at]
            head: Any = statements[0] if opens_block(statements) else None  # type: ignore[index]
            end = after(lines, at) if head else at + 1
            body, before = lines[at + 1 : end], len(self.copies)
            try:
                if isinstance(head, ast.FunctionDef):
                    function = read_function(line, head, body, ChainMap(self._assigned, self._functions))
                    self._functions[function.name] = function
                elif head:
                    self._loop(line, head, body, self._names, TOP)
                else:
                    self._plain(line, statements)
            except (GraphError, RecursionError, MemoryError) as error:
                if isinstance(head, ast.FunctionDef):
                    self._broken.add(head.name)
                if not isinstance(error, GraphError):
                    message = f"Operations are more than {limits.NESTING} deep here."
                    hint = "Give a part a name on a line of its own."
                    error = line.error(line.whole(), "too-deep", message, hint)
                self._problems.extend(error.problems)
                # Lines without statements: the names that they seem to assign are not reported as missing.
                del self.copies[before:]
                self.copies += [(each, None) for each, _ in lines[at:end]]
            at = end

    def _loop(self, line: LogicalLine, head: ast.For, body: Sequence[Line], names: Names, copy: Copy) -> None:
        """Copy the body of a loop for each step. `names` then has the values of the last one."""
        loop = read_loop(line, head, body, ChainMap(self._assigned, self._later, names))  # type: ignore[arg-type]
        inner, inside = dict(names), stored(outside_loops(body))  # loops inside name their own lines
        title = self._fresh.title(line, f"{copy.title}for {loop.counter}")
        self._calls[loop.counter] += 1
        again = f"_{self._calls[loop.counter]}"
        # Where an earlier loop over this counter has made the name already, the number of this one is added;
        # where that is taken too, the counter.
        also = ("", again, f"_{loop.counter}{again}")
        for step in loop.steps:
            end = copy.ending + f"_{step}".replace("-", "m")  # a name has no minus
            own = {
                name: self._fresh.name(line, name, *(name + more + end for more in also)) for name in inside
            }
            self._head(line, f"{title} {step}")
            inner[loop.counter] = step
            now = Copy(own, f"{copy.suffix} {step}", end, f"{title} {step} ", copy.shift)
            self._body(body, inner, now)
        del inner[loop.counter]
        names.update(inner)

    def _body(self, lines: Sequence[Line], names: Names, copy: Copy) -> None:
        """Copy the lines of a loop or a function, and the loops among them."""
        at = 0
        while at < len(lines):
            line, statements = lines[at]
            moved = replace(line, width=line.width + copy.shift) if copy.shift else line
            head, end = statements[0] if statements else None, at + 1
            if isinstance(head, ast.For):
                end = after(lines, at)
                self._loop(moved, head, lines[at + 1 : end], names, copy)
            else:
                self._copy(moved, statements, names, copy.own, copy.suffix)
            at = end

    def _plain(self, line: LogicalLine, statements: Statements) -> None:
        """Copy a line outside of loops and functions, which may call functions and read what loops assign."""
        if statements is None or not (self._names or self._functions or self._later):
            self.copies.append((line, statements))
            return
        for statement in statements:
            target = target_of(statement)
            if target is not None and target.id in self._names:
                message = f"{target.id!r} has a value already, from the loop above."
                hint = f"Use a new name, such as {new_name(target.id, mentioned(line))}."
                raise line.error(target, "assigned-twice", message, hint)
        self._copy(line, statements, self._names, {}, "")

    def _copy(
        self, line: LogicalLine, statements: Statements, names: Names, own: Mapping[str, str], suffix: str
    ) -> None:
        """Copy a line: names that it reads are replaced by `names`, those that it assigns by `own`.

        Assigned names are added to `names`.
        """
        self._fresh.copy(line, sum(self._parts(each).count for each in statements or ()))
        if statements is None:
            self.copies.append((line, None))
        for statement in statements or ():
            if (target := target_of(statement)) is not None:
                self._assign(line, statement, own.get(target.id, target.id), names)  # type: ignore[arg-type]
                if target.id in own:
                    names[target.id] = own[target.id]
            elif isinstance(statement, ast.With):
                self._with(line, statement, names, own, suffix)
            else:
                self.copies.append((line, [self._expression(line, statement, names)]))

    def _with(
        self, line: LogicalLine, statement: ast.With, names: Names, own: Mapping[str, str], suffix: str
    ) -> None:
        head = with_frames(copied(statement), own, suffix)
        if suffix and (taken := self._frames & frame_names([(line, [head])])):
            message = f"A copy of this block is named {min(taken)!r}, and there is a block of that name."
            raise line.error(statement, "name-taken", message, "Rename one of them.")
        if is_head(line):
            self.copies.append((line, [head]))
            return
        before = len(self.copies)
        head.body = []
        for inner in statement.body:
            self._copy(line, [inner], names, own, suffix)
        pieces, self.copies[before:] = self.copies[before:], []
        # More lines than statements: a call was inlined, as a block of its own.
        if len(pieces) > len(statement.body):
            message = "A block on one line calls no function."
            raise line.error(statement, "not-in-language", message, "Indent its lines below it.")
        head.body = [inner for _, statements in pieces for inner in statements or ()]
        self.copies.append((line, [head]))

    def _assign(
        self, line: LogicalLine, statement: ast.Assign | ast.Return, target: str, names: Names
    ) -> None:
        value = statement.value
        if self._is_call(line, value):
            given = [self._expression(line, each, names) for each in (*value.args, *value.keywords)]  # type: ignore[attr-defined]
            self._inline(line, value, given, target, names)  # type: ignore[arg-type]
            return
        self._emit(line, statement, target, self._expression(line, value, names))

    def _emit(self, line: LogicalLine, place: ast.AST, target: str, value: ast.expr) -> None:
        """Add the line `target = value` with the place of `place`."""
        self._fresh.count(line)
        left = ast.copy_location(ast.Name(target, ast.Store()), getattr(place, "targets", [place])[0])
        self.copies.append((line, [ast.copy_location(ast.Assign([left], value), place)]))

    def _expression(self, line: LogicalLine, tree: ast.AST, names: Names) -> ast.AST:
        """Return a copy with names replaced; calls of functions are inlined on lines before it."""

        def call(node: ast.Call) -> ast.expr:
            if not self._is_call(line, node):
                return node
            name = node.func.id  # type: ignore[attr-defined]
            target = self._fresh.name(line, name, numbered(name, self._fresh.taken))
            self._inline(line, node, [*node.args, *node.keywords], target, names)
            return ast.copy_location(ast.Name(target, ast.Load()), node)

        used = self._parts(tree).names
        if used.isdisjoint(names) and used.isdisjoint(self._later):
            return tree
        return renamed(copied(tree), names, call)

    def _is_call(self, line: LogicalLine, node: ast.expr) -> bool:
        """Return whether an expression is the call of a function of the text.

        Raises:
          GraphError: the function is defined below, or calls itself.
        """
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if name not in self._later or name in FUNCTIONS:
            return False
        if name in self._broken:
            raise GraphError(())  # its mistake is reported at its definition
        if name in self._inside:
            through = f" through {self._inside[-1]!r}" if name != self._inside[-1] else ""
            message = f"{name!r} calls itself{through}; a graph has no end then."
            raise line.error(node, "recursion", message, "Repeat it with for i in range(4):.")
        if name not in self._functions:
            message = f"{name!r} is called here, but defined only in line {self._later[name]}."
            raise line.error(node, "used-too-early", message, f"Move line {self._later[name]} up.")
        return True

    def _inline(
        self, line: LogicalLine, call: ast.Call, given: Iterable[ast.AST], target: str, names: Names
    ) -> None:
        """Copy the body of a function as a group, whose last line assigns `target`."""
        function = self._functions[call.func.id]  # type: ignore[attr-defined]
        self._calls[function.name] += 1
        title = self._fresh.title(line, function.name, self._calls[function.name])
        ending = f"{function.name}_{self._calls[function.name]}"
        if not self._inside:
            self._outside = names
        inner: Names = dict(self._outside)  # as in Python, not the names of the function that calls it
        for name, value in arguments(line, function, call, given).items():
            if isinstance(value, ast.Name | ast.Constant):
                inner[name] = value
            else:
                inner[name] = self._fresh.name(line, name, f"{name}_{ending}")
                self._emit(line, value, inner[name], value)
        own = {name: self._fresh.name(line, name, f"{name}_{ending}") for name in function.own}
        if function.result in own:
            own[function.result] = target  # its line makes the call's value, so none is added for the return
        inner |= own
        self._head(line, title)
        self._inside.append(function.name)
        shift = line.width - function.line.width
        copy = Copy(own, title.removeprefix(function.name), f"_{ending}", f"{title} ", shift)
        try:
            self._body(function.body, inner, copy)
            if function.result not in own:
                end, last = function.returned
                moved = replace(end, width=end.width + shift)
                self._assign(moved, last, target, inner)
        finally:
            self._inside.pop()

    def _head(self, line: LogicalLine, title: str) -> None:
        """Add the head of a group, with the place and the indentation of `line`."""
        self._fresh.head(line)
        text = f'with group("{title}"):'
        (head,) = syntax_tree(f"{text} pass").body
        for node in ast.walk(head):  # a mistake, such as too many groups, is marked at the line
            node.lineno = node.end_lineno = 1  # type: ignore[attr-defined]
            node.col_offset, node.end_col_offset = 0, len(line.text.split("\n")[0])  # type: ignore[attr-defined]
        self.copies.append((replace(line, text=text, powers=()), [head]))
