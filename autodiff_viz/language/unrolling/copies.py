"""Copy syntax trees under other names, for the steps of a loop and the calls of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autodiff_viz.language.source.names import target_of
from autodiff_viz.language.source.scanner import LogicalLine

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
    found: dict[str, int] = {}
    for line, statements in lines:
        _note(line, statements or (), found)
    return found


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
                hint = f"Use a new name, such as {name}_new."
                raise line.error(line.whole(), "assigned-twice", message, hint)
        seen |= own


def outside_loops(lines: Sequence[Parsed]) -> Iterator[Parsed]:
    """Yield the lines that are not in the body of a loop."""
    return _outside(lines, ast.For)


def inside_loops(lines: Sequence[Parsed]) -> list[Parsed]:
    """Return the lines that are in the body of a loop."""
    outside = {id(each) for each in outside_loops(lines)}
    return [each for each in lines if id(each) not in outside]


def _note(line: LogicalLine, statements: Iterable[ast.stmt], found: dict[str, int]) -> None:
    for statement in statements:
        if isinstance(statement, ast.With):
            _note(line, statement.body, found)
        elif (target := target_of(statement)) is not None:
            found.setdefault(target.id, line.number)


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
        return _placed(ast.Name(meant if isinstance(meant, str) else "", ast.Load()), node, meant)

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
        found: ast.expr = ast.copy_location(ast.Constant(abs(value)), place)
        if value < 0:
            found = ast.copy_location(ast.UnaryOp(ast.USub(), found), place)
        found.counted = True  # type: ignore[attr-defined]
        return found


def _placed(name: ast.Name, place: ast.expr, meant: object) -> ast.expr:
    if isinstance(meant, ast.Name):
        name.id = meant.id
    elif isinstance(meant, ast.expr):
        return meant
    return ast.copy_location(name, place)


def _whole(node: ast.expr) -> int | None:
    """Return the value of a whole number with any signs; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _whole(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
