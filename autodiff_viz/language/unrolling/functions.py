"""Read a function of the text, `def block(x):`, and bind the arguments of its calls."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from autodiff_viz.graph.problem import Correction, Problem
from autodiff_viz.graph.text.names import name_fault, quoted
from autodiff_viz.graph.text.text_format import listed
from autodiff_viz.language.source.corrections import free_letter
from autodiff_viz.language.source.hints import FUNCTIONS
from autodiff_viz.language.source.names import check_argument
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.language.unrolling.copies import check_once, inside_loops, outside_loops, stored

EXAMPLE = "Write def block(x): and indent its lines below it; the last one is return and a value."


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the text.

    Attributes:
      line: its head.
      args: names of its arguments.
      body: its lines but the return.
      own: the names that its lines assign, outside of loops.
      returned: its return, with the line.
      result: the name that it returns, if it is a bare name that no loop assigns again.
    """

    name: str
    line: LogicalLine
    args: tuple[str, ...]
    body: tuple[tuple[LogicalLine, list[ast.stmt] | None], ...]
    own: tuple[str, ...]
    returned: tuple[LogicalLine, ast.Return]
    result: str | None


def read_function(
    line: LogicalLine,
    head: ast.FunctionDef,
    lines: Sequence[tuple[LogicalLine, list[ast.stmt] | None]],
    taken: Collection[str],
) -> Function:
    """Read a function, whose body is `lines`.

    Args:
      taken: names of values, and of functions above.
    Raises:
      GraphError: its name is taken, its arguments are not plain names, its body has a function, or does
        not end with its only return.
    """
    place = line.whole()
    if fault := name_fault(head.name):
        raise line.error(place, "name", f"The name {quoted(head.name)} {fault}.", "Choose another name.")
    if head.name in taken or head.name in FUNCTIONS:
        what = "an op" if head.name in FUNCTIONS else "the name of something else"
        raise line.error(place, "shadowed", f"{head.name!r} is {what} already.", "Choose another name.")
    args = _args(line, head)
    if not line.text.endswith(":"):  # its body is on its own line: f(x) = x ** 2
        if lines:
            message = "The line above ends its function; nothing is indented below it."
            raise lines[0][0].error(lines[0][0].whole(), "indentation", message, EXAMPLE)
        inside = replace(line, width=line.width + 1)
        lines = [(inside, [statement]) for statement in head.body]
    *body, last = lines or [(line, None)]
    for each, statements in body:
        _check(each, statements)
    end = last[1] or []
    if len(end) != 1 or not isinstance(end[0], ast.Return) or end[0].value is None:
        raise last[0].error(last[0].whole(), "return", "A function ends with a return.", EXAMPLE)
    if last[0].width != lines[0][0].width:
        message = "The return of a function stands in no block."
        raise last[0].error(last[0].whole(), "return", message, "Indent it as the function's first line.")
    value = end[0].value
    if isinstance(value, ast.Tuple):
        message = "A function returns one value."
        raise last[0].error(value, "return", message, "Write a function for each of them.")
    check_once(body)
    assigned, own = stored(body), stored(outside_loops(body))
    if both := [name for name in args if name in assigned]:
        message = f"{both[0]!r} is an argument, and line {assigned[both[0]]} assigns it."
        raise line.error(place, "shadowed", message, "Use another name in that line.")
    given = own.keys() - stored(inside_loops(body)).keys()
    result = value.id if isinstance(value, ast.Name) and value.id in given else None
    return Function(head.name, line, args, tuple(body), tuple(own), (last[0], end[0]), result)


def uncalled(lines: Iterable[tuple[LogicalLine, list[ast.stmt] | None]]) -> list[Problem]:
    """Return the problem of a text that only defines functions, whose correction calls the last one."""
    heads = [
        (line, each) for line, found in lines for each in found or () if isinstance(each, ast.FunctionDef)
    ]
    if not heads:
        return []
    line, head = heads[-1]
    args = [argument.arg for argument in head.args.args]
    call = f"{free_letter({head.name, *args})} = {head.name}({', '.join(args)})"
    added = [*(f"{name} = 1.0" for name in args), call]
    last, text = len(line.source), "".join(f"{each}\n" for each in added)
    column = len(line.source[-1])
    place = (last, column, last, column)
    correction = Correction(f"Add {listed(added)}", *place, f"\n{text}" if column else text)
    message = f"{head.name!r} is defined, and nothing calls it: there is no value to show yet."
    hint = f"Add a line such as {call.partition('(')[0]}({', '.join(['1.0'] * len(args))})."
    return list(line.error(line.whole(), "nothing-called", message, hint, correction).problems)


def _args(line: LogicalLine, head: ast.FunctionDef) -> tuple[str, ...]:
    found, seen = head.args, set[str]()
    if found.posonlyargs or found.kwonlyargs or found.vararg or found.kwarg or found.defaults:
        message = "The arguments of a function are plain names."
        raise line.error(line.whole(), "function", message, "Write for example def block(x, w):.")
    if head.returns:
        raise line.error(head.returns, "function", "Formulas have no types.", "Leave it out: def block(x):.")
    for argument in found.args:
        if error := check_argument(line, argument, seen):
            raise error
        if argument.annotation:
            raise line.error(argument, "function", "Formulas have no types.", "Leave it out: def block(x):.")
    return tuple(argument.arg for argument in found.args)


def _check(line: LogicalLine, statements: list[ast.stmt] | None) -> None:
    for statement in statements or ():
        if isinstance(statement, ast.Return):
            message = "A return stands before the end of the function."
            raise line.error(statement, "return", message, "Move it to the end of the function.")
        if isinstance(statement, ast.FunctionDef):
            message = "A function stands inside a function."
            raise line.error(line.whole(), "nested", message, "Write it outside, at the left margin.")


def arguments(
    line: LogicalLine, function: Function, call: ast.Call, given: Iterable[ast.AST]
) -> dict[str, ast.expr]:
    """Return the values of a call by argument; `given` are copies of the call's arguments.

    Raises:
      GraphError: an argument is missing, unknown or given twice.
    """
    found: dict[str, ast.expr] = {}
    takes = f"{function.name} takes {listed(function.args) or 'nothing'}"
    hint = f"Write {function.name}({', '.join(function.args)})."
    for place, value in enumerate(given):
        if isinstance(value, ast.keyword):
            name, value = value.arg, value.value
        else:
            name = function.args[place] if place < len(function.args) else None
        if name not in function.args or name in found or isinstance(value, ast.Starred):
            raise line.error(call, "arity", f"{takes}; another argument is given.", hint)
        found[name] = value  # type: ignore[index, assignment]
    if missing := [name for name in function.args if name not in found]:
        raise line.error(call, "arity", f"{takes}; {listed(missing)} missing.", hint)
    return found
