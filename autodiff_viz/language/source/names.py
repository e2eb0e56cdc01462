"""Resolve names in formulas and lambdas: record the assigned names, and check each use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Correction, GraphError
from autodiff_viz.graph.text.names import name_fault, numbered, quoted
from autodiff_viz.language.source.corrections import above, moved_up
from autodiff_viz.language.source.hints import CONSTANTS, FUNCTIONS, name_hint, nearest
from autodiff_viz.language.source.scanner import LogicalLine

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
    """

    assigned: dict[str, int] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    room: int = limits.TEXT // 2

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

    def check_target(self, line: LogicalLine, target: ast.Name) -> None:
        """Raise a GraphError where `target` cannot be assigned here."""
        if fault := name_fault(target.id):
            raise line.error(target, "name", f"The name {quoted(target.id)} {fault}.", "Choose another name.")
        if target.id in self.defined:
            message = f"{target.id!r} has a value already, from line {self.assigned[target.id]}."
            new = numbered(f"{target.id}_new", {*self.assigned, *self.defined})
            new = f"{target.id}_new" if f"{target.id}_new" not in self.assigned else new
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
        here = line.number + node.lineno - 1
        if self.assigned[name] == here:
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
