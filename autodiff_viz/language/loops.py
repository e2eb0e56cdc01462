"""Read the loops and functions of a text, and copy syntax trees for their steps and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Correction, Problem
from autodiff_viz.graph.text import listed, name_fault, quoted
from autodiff_viz.language.corrections import free_letter, mentioned, new_name
from autodiff_viz.language.literals import is_number, number
from autodiff_viz.language.scanner import LogicalLine
from autodiff_viz.language.suggestions import FUNCTIONS
from autodiff_viz.language.syntax import check_argument, target_of

# Copies of syntax trees, under other names.


Names = dict[str, "str | int | ast.expr"]
"""What a name of the text means: the name of a node, the number of a step, or an argument."""

Parsed = tuple[LogicalLine, "list[ast.stmt] | None"]
"""A line, and its statements; None where it has a mistake."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What the copy of a body has of its own.

    Attributes:
      own: names of its lines, by those of the text.
      suffix: behind the names of its regions and groups.
      ending: behind the names of loops in it.
      title: before the titles of loops in it.
      shift: characters by which it is indented further.
    """

    own: Mapping[str, str]
    suffix: str = ""
    ending: str = ""
    title: str = ""
    shift: int = 0


TOP = Copy({})

_FOLDED = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__}


def stored(lines: Iterable[tuple[LogicalLine, list[ast.stmt] | None]]) -> dict[str, int]:
    """Return the names that the lines assign, in order, with the numbers of the lines."""
    first_lines: dict[str, int] = {}
    for line, statements in lines:
        _note(line, statements or (), first_lines)
    return first_lines


def check_once(lines: Sequence[Parsed]) -> None:
    """Check that no name is assigned twice in the body of a loop or a function, but for loops inside it.

    Raises:
      GraphError: one is; the problem marks the second line.
    """
    seen: dict[str, int] = {}
    for line, statements in outside_loops(lines):
        for name in (own := stored([(line, statements)])):
            if name in seen:
                message = f"{name!r} has a value already, from line {seen[name]}."
                hint = f"Use a new name, such as {new_name(name, mentioned(line))}."
                raise line.error(line.whole(), "assigned-twice", message, hint)
        seen |= own


def outside_loops(lines: Sequence[Parsed]) -> Iterator[Parsed]:
    """Yield the lines that are not in the body of a loop."""
    return _outside(lines, ast.For)


def inside_loops(lines: Sequence[Parsed]) -> list[Parsed]:
    """Return the lines that are in the body of a loop."""
    outside = {id(each) for each in outside_loops(lines)}
    return [each for each in lines if id(each) not in outside]


def _note(line: LogicalLine, statements: Iterable[ast.stmt], first_lines: dict[str, int]) -> None:
    for statement in statements:
        if isinstance(statement, ast.With):
            _note(line, statement.body, first_lines)
        elif (target := target_of(statement)) is not None:
            first_lines.setdefault(target.id, line.number)


def after(lines: Sequence[tuple[LogicalLine, object]], at: int) -> int:
    """Return the index behind the body of the block whose head is at `at`."""
    end = at + 1
    while end < len(lines) and lines[end][0].width > lines[at][0].width:
        end += 1
    return end


def outside_functions(lines: Sequence[Parsed]) -> Iterator[Parsed]:
    """Yield the lines that are not in the body of a function."""
    return _outside(lines, ast.FunctionDef)


def _outside(lines: Sequence[Parsed], head: type[ast.stmt]) -> Iterator[Parsed]:
    """Yield the lines that are not in the body of a block with such a head."""
    at = 0
    while at < len(lines):
        statements = lines[at][1]
        yield lines[at]
        at = after(lines, at) if statements and isinstance(statements[0], head) else at + 1


def frame_names(lines: Iterable[tuple[LogicalLine, list[ast.stmt] | None]]) -> set[str]:
    """Return the names of the regions and groups that the lines open."""
    heads = [s for _, statements in lines for s in statements or () if isinstance(s, ast.With)]
    return {text.value for head in heads for text in _titles(head)}


def with_frames(head: ast.With, own: Mapping[str, str], suffix: str) -> ast.With:
    """Add `suffix` to the names of the frames of a copied head; saved names become those of the copy."""
    for text in _titles(head):
        text.value += suffix
    for item in head.items:
        for keyword in getattr(item.context_expr, "keywords", ()):
            for text in getattr(keyword.value, "elts", ()) if keyword.arg == "names" else ():
                if isinstance(text, ast.Constant):
                    text.value = own.get(text.value, text.value)
    return head


def _titles(head: ast.With) -> list[ast.Constant]:
    calls = [item.context_expr for item in head.items if isinstance(item.context_expr, ast.Call)]
    first = [call.args[0] for call in calls if call.args]
    return [text for text in first if isinstance(text, ast.Constant) and type(text.value) is str]


class Parts(NamedTuple):
    """What decides whether a tree must be copied: the names in it, and the number of its nodes."""

    tree: ast.AST  # held, so that no other tree gets its id
    names: frozenset[str]
    count: int


class PartsOf:
    """Memo of the parts of trees: a tree is walked once, however often it is copied."""

    def __init__(self) -> None:
        self._walked: dict[int, Parts] = {}

    def __call__(self, tree: ast.AST) -> Parts:
        """Return the parts of a tree, which must not be changed afterwards."""
        if id(tree) not in self._walked:
            nodes = [*ast.walk(tree)]
            names = frozenset(node.id for node in nodes if isinstance(node, ast.Name))
            self._walked[id(tree)] = Parts(tree, names, len(nodes))
        return self._walked[id(tree)]


def copied(tree: Any) -> Any:
    """Return a copy of a tree that can be changed; `copy.deepcopy` takes four times as long."""
    if isinstance(tree, list):
        return [copied(each) for each in tree]
    if not isinstance(tree, ast.AST) or not tree._fields:  # an operator, which has no state
        return tree
    new = type(tree).__new__(type(tree))
    new.__dict__.update(tree.__dict__)
    for name in tree._fields:
        value = getattr(tree, name, None)
        if isinstance(value, ast.AST | list):
            setattr(new, name, copied(value))
    return new


def renamed(tree: ast.AST, names: Names, call: Callable[[ast.Call], ast.expr]) -> ast.AST:
    """Return the tree, which is changed, with the names that it reads replaced.

    Args:
      call: replaces each call, after its arguments.
    """
    return _Renamed(names, call).visit(tree)


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Names, call: Callable[[ast.Call], ast.expr]):
        self._names, self._call = names, call

    def visit_Name(self, node: ast.Name) -> ast.expr:
        meant = self._names.get(node.id)
        if meant is None:
            return node
        if isinstance(meant, int):
            return self._number(meant, node)
        if isinstance(meant, ast.expr) and not isinstance(meant, ast.Name):
            return meant  # an argument that is a number, at the place where the call has it
        name = meant.id if isinstance(meant, ast.Name) else meant
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """Rename only numbers of steps in a lambda, which reads nothing else but its arguments."""
        own = {argument.arg for argument in node.args.args}
        steps = {name: n for name, n in self._names.items() if isinstance(n, int) and name not in own}
        node.body = _Renamed(steps, lambda call: call).visit(node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        return self._call(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Compute i + 1, so that it can be an index."""
        self.generic_visit(node)
        fold = _FOLDED.get(type(node.op))
        sides = [_whole(side) for side in (node.left, node.right)]
        counted = any(getattr(side, "counted", False) for side in (node.left, node.right))
        if fold is None or None in sides or not counted:
            return node
        return self._number(fold(*sides), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Compute -i."""
        self.generic_visit(node)
        value = _whole(node)
        return (
            node
            if value is None or not getattr(node.operand, "counted", False)
            else self._number(value, node)
        )

    def _number(self, value: int, place: ast.expr) -> ast.expr:
        folded: ast.expr = ast.copy_location(ast.Constant(abs(value)), place)
        if value < 0:
            folded = ast.copy_location(ast.UnaryOp(ast.USub(), folded), place)
        folded.counted = True  # type: ignore[attr-defined]
        return folded


def _whole(node: ast.expr) -> int | None:
    """Return the value of a whole number with any signs; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _whole(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


# Functions: `def block(x):`, and the arguments of its calls.


DEF_EXAMPLE = "Write def block(x): and indent its lines below it; the last one is return and a value."


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
            raise lines[0][0].error(lines[0][0].whole(), "indentation", message, DEF_EXAMPLE)
        inside = replace(line, width=line.width + 1)
        lines = [(inside, [statement]) for statement in head.body]
    *body, last = lines or [(line, None)]
    for each, statements in body:
        _check(each, statements)
    end = last[1] or []
    if len(end) != 1 or not isinstance(end[0], ast.Return) or end[0].value is None:
        raise last[0].error(last[0].whole(), "return", "A function ends with a return.", DEF_EXAMPLE)
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
    # The node of a bare name is given the name of the call's value at once. Of one that a loop assigns again
    # there are several.
    given = own.keys() - stored(inside_loops(body)).keys()
    result = value.id if isinstance(value, ast.Name) and value.id in given else None
    return Function(head.name, line, args, tuple(body), tuple(own), (last[0], end[0]), result)


def uncalled(lines: Iterable[tuple[LogicalLine, list[ast.stmt] | None]]) -> list[Problem]:
    """Return the problem of a text that only defines functions, whose correction calls the last one."""
    heads = [
        (line, each)
        for line, statements in lines
        for each in statements or ()
        if isinstance(each, ast.FunctionDef)
    ]
    if not heads:
        return []
    line, head = heads[-1]
    args = [argument.arg for argument in head.args.args]
    call = f"{free_letter({*args, *(each.name for _, each in heads)})} = {head.name}({', '.join(args)})"
    added = [*(f"{name} = 1.0" for name in args), call]
    last, text = len(line.source), "".join(f"{each}\n" for each in added)
    column = len(line.source[-1])  # below the text, whether or not its last line is empty
    place = (last, column, last, column)
    correction = Correction(f"Add {listed(added)}", *place, f"\n{text}" if column else text)
    message = f"{head.name!r} is defined, and nothing calls it: there is no value to show yet."
    hint = f"Add a line such as {call.partition('(')[0]}({', '.join(['1.0'] * len(args))})."
    return list(line.error(line.whole(), "nothing-called", message, hint, correction).problems)


def _args(line: LogicalLine, head: ast.FunctionDef) -> tuple[str, ...]:
    args, seen = head.args, set[str]()
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        message = "The arguments of a function are plain names."
        raise line.error(line.whole(), "function", message, "Write for example def block(x, w):.")
    if head.returns:
        raise line.error(head.returns, "function", "Formulas have no types.", "Leave it out: def block(x):.")
    for argument in args.args:
        if error := check_argument(line, argument, seen):
            raise error
        if argument.annotation:
            raise line.error(argument, "function", "Formulas have no types.", "Leave it out: def block(x):.")
    return tuple(argument.arg for argument in args.args)


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
    values: dict[str, ast.expr] = {}
    takes = f"{function.name} takes {listed(function.args) or 'nothing'}"
    hint = f"Write {function.name}({', '.join(function.args)})."
    for place, value in enumerate(given):
        if isinstance(value, ast.keyword):
            name, value = value.arg, value.value
        else:
            name = function.args[place] if place < len(function.args) else None
        if name not in function.args or name in values or isinstance(value, ast.Starred):
            raise line.error(call, "arity", f"{takes}; another argument is given.", hint)
        values[name] = value  # type: ignore[index, assignment]
    if missing := [name for name in function.args if name not in values]:
        raise line.error(call, "arity", f"{takes}; {listed(missing)} missing.", hint)
    return values


# Loops: `for i in range(4):`.


FOR_EXAMPLE = "Write for i in range(4): and indent the lines of a step below it."


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
        raise line.error(counter, "loop", "A loop counts with one name.", FOR_EXAMPLE)
    if fault := name_fault(counter.id):
        raise line.error(counter, "name", f"The name {quoted(counter.id)} {fault}.", "Choose another name.")
    if counter.id in taken:
        message = f"{counter.id!r} counts the steps of this loop, and has a value elsewhere."
        raise line.error(counter, "shadowed", message, "Choose another name for one of them.")
    if numbers is None:
        message = "A loop runs over range(...) of whole numbers, written out here."
        raise line.error(head.iter, "loop", message, FOR_EXAMPLE)
    if max(map(abs, numbers)) > limits.ELEMENTS:  # before `len` of the range, which fails beyond 2**63
        message = f"A number in this range is beyond {limits.ELEMENTS:,}."
        raise line.error(head.iter, "loop", message, f"A loop has 1 to {limits.LOOP} steps.")
    try:
        steps = range(*numbers)
    except ValueError:
        raise line.error(head.iter, "loop", "A range with steps of 0 has no end.", FOR_EXAMPLE) from None
    if not 0 < len(steps) <= limits.LOOP:
        message = f"This loop has {len(steps):,} steps; 1 to {limits.LOOP} are possible."
        raise line.error(head.iter, "loop", message, "Choose another number.")
    if not line.text.endswith(":"):
        raise line.error(
            line.whole(), "indentation", "The body of a loop is on lines of its own.", FOR_EXAMPLE
        )
    if not body:
        raise line.error(line.whole(), "indentation", "This loop is empty.", FOR_EXAMPLE)
    _check_body(body)
    check_once(body)
    return Loop(counter.id, steps)


def _numbers(node: ast.expr) -> list[int] | None:
    """Return the arguments of `range(...)`, one to three whole numbers; None for anything else."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    given = node.args if called and not node.keywords else []  # type: ignore[attr-defined]
    numbers = [number(each) for each in given if is_number(each)]
    whole = all(type(n) is int for n in numbers)
    return numbers if whole and 0 < len(numbers) == len(given) <= 3 else None  # type: ignore[return-value]


def _check_body(body: Sequence[tuple[LogicalLine, list[ast.stmt] | None]]) -> None:
    for line, statements in body:
        for statement in statements or ():
            if isinstance(statement, ast.FunctionDef):
                message = "A function is defined inside a loop."
                raise line.error(line.whole(), "nested", message, "Move it above the loop.")
            if isinstance(statement, ast.Return):
                message = "A return stands inside a loop."
                raise line.error(statement, "nested", message, "Move it to the end of the text.")
