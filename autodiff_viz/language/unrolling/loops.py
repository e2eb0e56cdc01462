"""Read the head of a loop, `for i in range(4):`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from autodiff_viz.graph import limits
from autodiff_viz.graph.text.names import name_fault, quoted
from autodiff_viz.language.expressions.literal import is_number, number
from autodiff_viz.language.source.scanner import LogicalLine
from autodiff_viz.language.unrolling.copies import check_once

EXAMPLE = "Write for i in range(4): and indent the lines of a step below it."


@dataclass(frozen=True, slots=True)
class Loop:
    """The head of a loop: the name that counts, and its numbers."""

    counter: str
    steps: range


def read_loop(
    line: LogicalLine,
    head: ast.For,
    body: Sequence[tuple[LogicalLine, list[ast.stmt] | None]],
    taken: Collection[str],
) -> Loop:
    """Read a loop.

    Args:
      body: the lines of one step.
      taken: names that the text assigns, which the counter cannot have.
    Raises:
      GraphError: it is not `for i in range(n):` with whole numbers, has too many steps or none, no body, or a
        body with a function or a return.
    """
    counter, numbers = head.target, _numbers(head.iter)
    if not isinstance(counter, ast.Name):
        raise line.error(counter, "loop", "A loop counts with one name.", EXAMPLE)
    if fault := name_fault(counter.id):
        raise line.error(counter, "name", f"The name {quoted(counter.id)} {fault}.", "Choose another name.")
    if counter.id in taken:
        message = f"{counter.id!r} counts the steps of this loop, and has a value elsewhere."
        raise line.error(counter, "shadowed", message, "Choose another name for one of them.")
    if numbers is None:
        message = "A loop runs over range(...) of whole numbers, written out here."
        raise line.error(head.iter, "loop", message, EXAMPLE)
    if max(map(abs, numbers)) > limits.ELEMENTS:
        message = f"A number in this range is beyond {limits.ELEMENTS:,}."
        raise line.error(head.iter, "loop", message, f"A loop has 1 to {limits.LOOP} steps.")
    try:
        steps = range(*numbers)
    except ValueError:
        raise line.error(head.iter, "loop", "A range with steps of 0 has no end.", EXAMPLE) from None
    if not 0 < len(steps) <= limits.LOOP:
        message = f"This loop has {len(steps):,} steps; 1 to {limits.LOOP} are possible."
        raise line.error(head.iter, "loop", message, "Choose another number.")
    if not line.text.endswith(":"):
        raise line.error(line.whole(), "indentation", "The body of a loop is on lines of its own.", EXAMPLE)
    if not body:
        raise line.error(line.whole(), "indentation", "This loop is empty.", EXAMPLE)
    _check_body(body)
    check_once(body)
    return Loop(counter.id, steps)


def _numbers(node: ast.expr) -> list[int] | None:
    """Return the arguments of `range(...)`, one to three whole numbers; None for anything else."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    given = node.args if called and not node.keywords else []  # type: ignore[attr-defined]
    found = [number(each) for each in given if is_number(each)]
    whole = all(type(n) is int for n in found)
    return found if whole and 0 < len(found) == len(given) <= 3 else None  # type: ignore[return-value]


def _check_body(body: Sequence[tuple[LogicalLine, list[ast.stmt] | None]]) -> None:
    for line, statements in body:
        for statement in statements or ():
            if isinstance(statement, ast.FunctionDef):
                message = "A function is defined inside a loop."
                raise line.error(line.whole(), "nested", message, "Move it above the loop.")
            if isinstance(statement, ast.Return):
                message = "A return stands inside a loop."
                raise line.error(statement, "nested", message, "Move it to the end of the text.")
