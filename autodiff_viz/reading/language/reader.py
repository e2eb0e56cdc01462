"""Interpret the statements of a text: names, calls, loops and branches, on arrays that are nodes of a graph.

Nothing of the text runs: its syntax tree is walked, numbers of its own are computed here within limits, and
every call of a library's function is looked up in the tables of the dialects.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32, FLOAT64
from autodiff_viz.graph.model import GRAD, IDENTITY, Call, Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.language.blank import Blank, of_library, unknown
from autodiff_viz.reading.language.operators import (
    COMPARES,
    as_written,
    compared,
    formatted,
    key,
    kind,
    number,
    percent,
    plain_operator,
    room_for,
    written,
)
from autodiff_viz.reading.language.sets import Set, joined
from autodiff_viz.reading.language.sets import compared as compared_sets
from autodiff_viz.reading.language.sets import made as set_of
from autodiff_viz.reading.language.several import Site
from autodiff_viz.reading.language.streams import Left, Stream, Take
from autodiff_viz.reading.language.values import (
    BOOL,
    FLOATS,
    INT,
    NOWHERE,
    Array,
    Class,
    ClassMethod,
    Function,
    Instance,
    Native,
    Path,
    Property,
    Refused,
    Scope,
    Super,
    Unknown,
    mapped,
    parts_of,
)
from autodiff_viz.reading.nodes.builder import SEED, Builder, Frame, Held, Ref, TooLarge
from autodiff_viz.reading.nodes.costs import (
    ASKED,
    BASES,
    DEPTH,
    STEPS,
    pay,
    pay_values,
    weighed,
)
from autodiff_viz.reading.nodes.evaluation import Evaluation

State = TypeVar("State")


class Return(Exception):
    """Ends a function of the text with its value."""

    def __init__(self, value: Any):
        self.value = value


class Raised(Refused):
    """Raised where the text itself raises an error, of this name."""

    by_library = True
    name = ""


class Break(Exception):
    """Ends a loop."""


class Continue(Exception):
    """Ends a step of a loop."""


@dataclass(frozen=True)
class Request:
    """A derivative that the text asks for.

    Attributes:
      name: what it differentiates by.
      root, wrt: output and node; no output if it is made of several derivatives, no node if the library
        answers None.
      site: where it is asked for.
      value: the derivative as a node.
    """

    name: str
    root: Ref | None
    wrt: Ref | None
    site: Site
    value: Held | None = None


@dataclass(eq=False)
class Handlers:
    """What the dialects do with values of their own kinds, by the value's type or its library's name.

    Attributes:
      attribute, set_attribute: read and set `value.name`.
      item, set_item: read and set `value[index]`.
      items: list what a loop over the value yields.
      call: call the value.
      operator, compare: apply an operator or a comparison, where the library has rules of its own.
      enter: enter it as the manager of a `with`; returns (what `as` names, what leaves it).
      in_place: change an array in place, by the name of its library.
      immutable: return whether such an array is a value that does not change.
      unary: the same of an operator of one value.
      named: note that a value of a library has got a name.
      fresh: return an array of a library as it is now.
      numbers_known: refuse an array whose numbers are drawn by a library in a way that nobody knows.
      field_set: note that an object has got an attribute.
      make_rows: add a node for an op of arrays that have rows.
      check_call: refuse a call of a library's function that the library refuses.
      record_attribute: read an attribute of a named tuple.
      lay_out: note where the elements of what an op makes are in memory.
      check_method: refuse a call of a method that is not read of its arrays.
      own_numbers: return what an op makes with the numbers of its own dtype.
      own_operator: return what an operator makes of whole numbers; None if another handler reads it.
      converted: return an array in another dtype; None if it has the same numbers there.
      class_made: return what a class of the text is, which may be a kind of tuples.
      not_read: note what is unknown since a statement was refused.
      aside: note that what is only shown was refused.
      asks: return whether an expression asks for a derivative.
    """

    attribute: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    set_attribute: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    item: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    set_item: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    items: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    call: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    operator: dict[str, Callable[..., Any]] = field(default_factory=dict)
    compare: dict[str, Callable[..., Any]] = field(default_factory=dict)
    enter: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    in_place: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    immutable: dict[str, Callable[..., bool]] = field(default_factory=dict)
    unary: dict[str, Callable[..., Any]] = field(default_factory=dict)
    named: dict[str, Callable[..., None]] = field(default_factory=dict)
    fresh: dict[str, Callable[..., Any]] = field(default_factory=dict)
    numbers_known: dict[str, Callable[..., None]] = field(default_factory=dict)
    field_set: Callable[..., None] | None = None
    make_rows: Callable[..., Array] | None = None
    check_call: Callable[..., None] | None = None
    record_attribute: Callable[..., Any] | None = None
    lay_out: Callable[..., None] | None = None
    check_method: Callable[..., None] | None = None
    own_numbers: Callable[..., Array] | None = None
    own_operator: Callable[..., Array | None] | None = None
    converted: Callable[..., Array | None] | None = None
    class_made: Callable[..., Any] | None = None
    not_read: Callable[..., None] | None = None
    aside: Callable[..., None] | None = None
    asks: Callable[..., bool] = lambda *_: False


@dataclass(eq=False)
class Unread:
    """What of a text was not read, and what nobody knows therefore.

    Attributes:
      refused: why a statement, or an expression that is only shown, was refused; the first reason, where it
        is come by more often.
      needs: what is unknown that one needs.
      objects: what is unknown though its name was read before, by its identity: it may have been changed.
      numbers: nodes whose values may have been changed in place since, so that nobody knows the
        derivatives of what reads them.
      nodes: numbers of the nodes that statements have made which were then refused.
      forgotten: whether anything is unknown.
      asked: line and words of those that ask for derivatives, in the order in which they are come by.
      differentiated: the line of the first call that differentiates what was not read; 0 if there is none.
    """

    refused: dict[ast.AST, Refused] = field(default_factory=dict)
    needs: dict[ast.AST, Unknown] = field(default_factory=dict)
    objects: dict[int, tuple[Any, Unknown]] = field(default_factory=dict)
    numbers: dict[int, Unknown] = field(default_factory=dict)
    nodes: set[int] = field(default_factory=set)
    forgotten: bool = False
    asked: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    differentiated: int = 0

    def asks_again(self, name: str, line: int) -> int:
        """Return the line of a later statement that may ask for a derivative by a name; 0 if none does."""
        first = name.partition(".")[0]
        return max((at for at, words in self.asked if at >= line and first in words), default=0)


class Reader:
    """Walks a text; see `reading.read`."""

    def __init__(self, tables: dict[str, Callable[..., Any]], methods: dict[str, dict[str, Any]]) -> None:
        self.builder: Any = Builder()
        self.tables, self.methods = tables, methods
        self.scope = Scope()
        self.changes: dict[tuple[int, str], None] = {}
        self.requests: list[Request] = []
        self.roots: list[Ref] = []
        self.lines: list[int] = []
        self.printing = 0  # line of the print() that is being read
        self.calls: list[ast.AST] = []  # call expressions that are being read
        self.lines_now = 0  # the line of the statement that was entered last
        self.depth = 0
        self.no_grad = self.asked = 0
        self.compiled = ""  # what is being read whose arrays have no numbers yet, such as "jit"
        self.staged = 0  # the same as bits of `Array.traced`
        self.wide = False  # whether JAX computes in double precision
        self.frameworks: set[str] = set()
        self.handlers = Handlers()
        self.unread = Unread()
        self.whole = 0  # blocks that are read as a whole or not at all
        self.builtins: dict[str, Callable[..., Any]] = {}  # Python's own functions
        self.methods_now: list[tuple[Function, dict[str, Any]]] = []  # functions that are being called
        self.taker: Take | None = None  # what takes the values that a generator yields
        self.library = "jax"  # whose arrays `array` and `zeros` make
        self._states: dict[type, Any] = {}
        self._evaluations: dict[tuple[str, int], Evaluation] = {}

    def state(self, kind: type[State]) -> State:
        """Return the one object of a type that a dialect keeps while a text is read."""
        if kind not in self._states:
            self._states[kind] = kind()
        return self._states[kind]

    # Statements.

    def run(self, body: Iterable[ast.stmt]) -> None:
        """Interpret statements in order.

        Where one is refused, reading goes on with the next: what it would have set or changed is unknown. A
        call is refused as a whole, since what it returns depends on each of its statements.
        """
        for statement in body:
            if self.depth or self.whole or self.handlers.not_read is None:
                self.statement(statement)
                continue
            modes, before = self._modes(), len(self.builder.drafts)
            try:
                self.statement(statement)
            except Refused as refused:
                # The library's own error ends the program.
                if refused.ends or refused.by_library or _leaves(statement):
                    raise
                for name, value in modes.items():
                    setattr(self, name, value)
                self.unread.nodes |= set(range(before, len(self.builder.drafts)))
                self.handlers.not_read(self, statement, refused)

    def _modes(self) -> dict[str, Any]:
        """Return what holds while a statement is read, and is set back if it is refused."""
        names = ("scope", "depth", "no_grad", "compiled", "staged", "library", "builder")
        lists = ("lines", "calls", "methods_now")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: list(getattr(self, name)) for name in lists},
        }

    def is_known(self, value: Any) -> bool:
        """Return whether a value is known."""
        return not isinstance(value, Unknown) and id(value) not in self.unread.objects

    def aside(self, node: ast.expr) -> Any:
        """Interpret an expression whose value is only shown: where it is refused, nothing else is.

        What asks for a derivative there is an answer, or a refusal.
        """
        try:
            return self.value(node)
        except Refused as refused:
            if refused.ends or refused.by_library or self.handlers.aside is None:
                raise
            self.handlers.aside(self, node, refused)
            return None

    def check_known(self, value: Any, node: ast.AST | None = None) -> None:
        """Refuse a value that is unknown.

        Raises:
          Refused: code "unknown", with what is unknown as its cause.
        """
        cause = value if isinstance(value, Unknown) else self.unread.objects.get(id(value), (None, None))[1]
        if cause is None:
            return
        named = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        name = f"`{as_written(node, 40)}`" if named else f"`{cause.name}`" if cause.name else "This"
        refused = Refused(f"{name} is unknown: line {cause.line} was not read.", "", "unknown", node)
        refused.cause = cause
        raise refused

    def statement(self, node: ast.stmt) -> None:
        """Interpret one statement."""
        handler = getattr(self, f"_do_{type(node).__name__}", None)
        if handler is None:
            name = type(node).__name__
            word = _WORDS.get(name, name.lower())
            raise Refused(f"A statement with '{word}' is not read.", at=node)
        self.lines.append(node.lineno)
        self.lines_now = node.lineno
        self.builder.lines = tuple(reversed(self.lines))
        try:
            pay(1 + len(self.lines) // 32)  # the lines of calls inside calls are listed for each node
            handler(node)
        except Refused as refused:
            refused.at = refused.at or node
            raise
        except TooLarge as error:
            full = Refused(str(error), "Use a shorter loop.", "too-large", node)
            full.ends = True
            raise full from None
        except GraphError as error:  # an op that does not take these shapes
            problem = error.problems[0]
            raise Refused(problem.message, problem.hint, problem.code, node) from None
        finally:
            self.lines.pop()
            self.builder.lines = tuple(reversed(self.lines))

    def _do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring or a comment in quotes
            return
        before = self._node_count()
        if isinstance(self.value(node.value), Blank):  # what was computed for it is not shown either
            self.unread.nodes |= set(range(before, self._node_count()))

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Assert(self, node: ast.Assert) -> None:
        self.say(node, "`assert` is left out: the page shows every number")
        if self.handlers.asks(self, node.test):
            before = self._node_count()
            self.aside(node.test)
            self.unread.nodes |= set(range(before, self._node_count()))

    def _do_Delete(self, node: ast.Delete) -> None:
        pay_values(len(node.targets))
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.names.pop(target.id, None)
                continue
            owner = self.value(target.value) if isinstance(target, ast.Subscript) else None
            if not isinstance(owner, (list, dict)):
                raise Refused("Only a name, or an element of a list or dictionary, is deleted.", at=target)
            pay_values(len(owner))
            index = self.value(target.slice)
            try:
                del owner[key(index) if isinstance(owner, dict) else index]
            except (IndexError, KeyError, TypeError) as error:
                raise Refused(
                    f"There is no element {as_written(target.slice)}: {error}.", at=target
                ) from None

    def _do_Global(self, node: ast.Global) -> None:
        pay_values(len(node.names))
        self.scope.globals |= set(node.names)

    _do_Nonlocal = _do_Global  # type: ignore[assignment]

    def _do_Import(self, node: ast.Import) -> None:
        pay(len(node.names))
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._uses(alias.name)
            self.scope.names[name] = Path(alias.name if alias.asname else name)

    def _do_ImportFrom(self, node: ast.ImportFrom) -> None:
        pay(len(node.names))
        for alias in node.names:
            self._uses(node.module or "")
            if node.module != "__future__" and alias.name != "*":
                self.scope.names[alias.asname or alias.name] = Path(f"{node.module}.{alias.name}")

    def _uses(self, path: str) -> None:
        self.frameworks.add(LIBRARIES.get(path.partition(".")[0], ""))

    def _do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        present = self.value(node.target)
        change = self.value(node.value)
        if isinstance(present, list) and isinstance(node.op, ast.Add):
            items = self.items(change, node)
            room_for(present, len(items))
            present.extend(items)
            return
        if isinstance(present, Set) and isinstance(change, Set):
            present.of = joined(node.op, present, change, node).of
            return
        method = self.own_method(present, f"__i{_METHODS.get(type(node.op), '')}__")
        if method is not None:
            self.assign(node.target, self.call(method, [present, change], {}, node))
            return
        result = self.binary(node.op, present, change, node)
        if isinstance(present, Array) and self._changes_in_place(present):
            shared = self.in_place(present, result, node)
            if isinstance(node.target, ast.Name):
                self.named(present, node.target.id)
            elif isinstance(node.target, ast.Subscript) and not shared:
                self.assign(node.target, present)
            return
        self.assign(node.target, result)

    def _changes_in_place(self, array: Array) -> bool:
        """Return whether `+=` changes this array, and all names that it has."""
        immutable = self.handlers.immutable.get(array.framework)
        return array.framework in self.handlers.in_place and not (immutable and immutable(self, array))

    def in_place(self, array: Array, result: Array, node: ast.AST) -> bool:
        """Change an array in place, and return whether that has changed what it is a view of."""
        return self.handlers.in_place[array.framework](self, array, result, node)

    def _do_FunctionDef(self, node: ast.FunctionDef) -> None:
        function: Any = self.function(node.name, node.args, node.body)
        for decorator in reversed(node.decorator_list):
            function = self.call(self.value(decorator), [function], {}, decorator)
        self.scope.names[node.name] = function

    def function(self, name: str, args: ast.arguments, body: Any) -> Function:
        """Return a function of the text, with its defaults evaluated."""
        defaults = [self.value(one) for one in args.defaults]
        keywords = [None if one is None else self.value(one) for one in args.kw_defaults]
        return Function(name, args, body, self.scope, defaults, keywords)

    def _do_ClassDef(self, node: ast.ClassDef) -> None:
        bases = tuple(
            base.name if isinstance(base, (Path, Class)) else "" for base in map(self.value, node.bases)
        )
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            written_so = as_written(call.func if call else decorator)
            if call and call.args and written_so.rpartition(".")[2] == "partial":
                written_so = as_written(call.args[0])
            if written_so.rpartition(".")[2] not in DECORATORS:
                raise Refused(f"The decorator `{written_so}` of a class is not read.", at=decorator)
        inner = Scope({}, self.scope)
        with self.inside(inner):
            self.run(node.body)
        above = [base for base in map(self.value, node.bases) if isinstance(base, Class)]
        for base in reversed(above):
            pay_values(len(base.members) + len(inner.names))
            inner.names = {**base.members, **inner.names}
            bases = tuple(dict.fromkeys((*bases, *base.bases)))  # a class that two come from, once
        if own := sorted(UNREAD_METHODS & set(inner.names)):
            raise Refused(f"A class with `{own[0]}` is not read.", "Set what it sets in __init__.", at=node)
        if len(bases) > BASES:
            raise Refused(f"A class comes from at most {BASES} others here.", "", "too-large", node)
        made: Any = Class(node.name, bases, inner.names, tuple(above))
        pay_values(len(inner.names))
        for member in inner.names.values():
            method = member.function if isinstance(member, (Property, ClassMethod)) else member
            if isinstance(method, Function) and method.owner is None:
                method.owner = made
        if self.handlers.class_made is not None:
            made = self.handlers.class_made(self, made, node)
        self.scope.names[node.name] = made

    def _do_Return(self, node: ast.Return) -> None:
        raise Return(None if node.value is None else self.value(node.value))

    def _do_If(self, node: ast.If) -> None:
        if _is_main(node.test):
            self.run(node.body)
            return
        self.run(node.body if self.truth(self.value(node.test), node.test) else node.orelse)

    def _do_For(self, node: ast.For) -> None:
        values, before, count = self.value(node.iter), self._node_count(), 0
        name = node.target.id if isinstance(node.target, ast.Name) else "step"

        def turn(item: Any) -> None:
            nonlocal count
            # One that makes no node is paid for by its steps.
            if count >= STEPS and (self._node_count() > before or not isinstance(self.builder, Builder)):
                raise Refused(
                    f"A loop of more than {STEPS} steps is not unrolled.",
                    "Use fewer steps.",
                    "too-large",
                    node,
                )
            self.assign(node.target, item)
            try:
                with self.step(f"for {name} {count}"):
                    self.run(node.body)
            except Continue:
                pass
            count += 1

        try:
            if isinstance(values, Stream):
                values.each(turn)
            else:
                for item in self.items(values, node.iter):
                    turn(item)
        except Break:
            return
        self.run(node.orelse)

    def _node_count(self) -> int:
        return len(self.builder.drafts) if isinstance(self.builder, Builder) else limits.NODES

    def _do_While(self, node: ast.While) -> None:
        for i in range(STEPS):
            if not self.truth(self.value(node.test), node.test):
                self.run(node.orelse)
                return
            try:
                with self.step(f"while {i}"):
                    self.run(node.body)
            except Break:
                return
            except Continue:
                continue
        raise Refused(
            f"A loop of more than {STEPS} steps is not unrolled.", "Use fewer steps.", "too-large", node
        )

    def _do_Break(self, node: ast.Break) -> None:
        raise Break

    def _do_Continue(self, node: ast.Continue) -> None:
        raise Continue

    def _do_With(self, node: ast.With) -> None:
        exits: list[Callable[[], None]] = []
        try:
            for item in node.items:
                manager = self.value(item.context_expr)
                enter = self.handlers.enter.get(type(manager))
                if enter is None:
                    raise Refused(
                        f"'with {as_written(item.context_expr)}' is not read.", at=item.context_expr
                    )
                value, leave = enter(self, manager)
                exits.append(leave)
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value)
            self.run(node.body)
        finally:
            for leave in reversed(exits):
                leave()

    def _do_Try(self, node: ast.Try) -> None:
        # Whether the rest of a body runs of which a part was not read, nobody knows.
        self.whole += 1
        try:
            self._try(node)
        except (Return, Break, Continue, Left):
            self.run(node.finalbody)
            raise
        else:
            self.run(node.finalbody)
        finally:
            self.whole -= 1

    def _try(self, node: ast.Try) -> None:
        try:
            self.run(node.body)
        except Refused as refused:
            # What the library itself refuses, the text may want to show; what is only not read here must
            # be told.
            handler = next((one for one in node.handlers if _catches(one, refused)), None)
            if not refused.by_library or handler is None:
                raise
            self.say(node, f"the error that is shown: {refused.message}")
            if handler.name:
                self.scope.names[handler.name] = refused.message
            self.run(handler.body)
        else:
            self.run(node.orelse)

    def _do_Raise(self, node: ast.Raise) -> None:
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = as_written(made) if made is not None else "an error again"
        raised = Raised(f"The text raises {name} here, and ends.", at=node)
        raised.name = name.rpartition(".")[2]
        raise raised

    # Names.

    def assign(self, target: ast.expr, value: Any) -> None:
        """Bind a target to a value."""
        if isinstance(target, ast.Name):
            scope = self.scope
            if target.id in scope.globals:
                scope = scope.outer.find(target.id) or scope if scope.outer else scope
            scope.names[target.id] = self.named(value, target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            self._set_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value)
        else:
            raise Refused("This is nothing that a value can be assigned to.", at=target)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        if isinstance(value, Blank):  # fig, ax = plt.subplots()
            value = [value] * len(target.elts)
        items = list(self.items(value, target))
        stars = [i for i, one in enumerate(target.elts) if isinstance(one, ast.Starred)]
        if stars:
            first, after = stars[0], len(target.elts) - stars[0] - 1
            if len(items) < first + after:
                raise Refused(f"{len(items)} values are too few for {len(target.elts)} names.", at=target)
            middle = items[first : len(items) - after]
            items = [*items[:first], middle, *items[len(items) - after :]]
        if len(items) != len(target.elts):
            raise Refused(f"{len(items)} values cannot be unpacked to {len(target.elts)} names.", at=target)
        for one, item in zip(target.elts, items, strict=True):
            self.assign(one.value if isinstance(one, ast.Starred) else one, item)

    def named(self, value: Any, name: str) -> Any:
        """Give the node of an array the name that the text gives it; a constant becomes an input."""
        if isinstance(value, Instance) and not value.name:
            value.name = name
        for note in self.handlers.named.values():
            note(self, value, name)
        if isinstance(value, (tuple, list)):
            return value
        if isinstance(value, Array) and isinstance(self.builder, Builder):
            if not value.is_node:
                value.held = self.builder.input(value.held, name)
                self.builder.kinds[value.held.number] = value.dtype
            draft = self.builder.drafts[value.held.number]
            if not draft.hint:
                draft.hint = name
        return value

    def _set_attribute(self, target: ast.Attribute, value: Any) -> None:
        self.set_attribute(self.value(target.value), target.attr, value, target)

    def set_attribute(self, owner: Any, name: str, value: Any, target: ast.AST = NOWHERE) -> None:
        """Set an attribute of a value."""
        setter = self.handlers.set_attribute.get(type(owner))
        if isinstance(owner, Instance):
            if isinstance(value, (Array, Instance)):
                self.named(value, name)
            owner.fields[name] = value
            if self.handlers.field_set is not None:
                self.handlers.field_set(self, owner, name, value)
        elif setter is not None:
            setter(self, owner, name, value, target)
        else:
            raise Refused(f"{name!r} cannot be set here.", at=target)

    def _set_item(self, target: ast.Subscript, value: Any) -> None:
        owner, index = self.value(target.value), self.value(target.slice)
        if isinstance(owner, (list, dict)):
            try:
                _set_element(owner, index, value)
            except (IndexError, TypeError, KeyError, ValueError) as error:
                raise Refused(f"{error}".capitalize() + ".", at=target) from None
            return
        if method := self.own_method(owner, "__setitem__"):
            self.call(method, [owner, index, value], {}, target)
            return
        setter = self.handlers.set_item.get(type(owner))
        if setter is None:
            raise Refused(f"'{as_written(target)}' cannot be set.", at=target)
        self.weighed(index, value)
        setter(self, owner, index, value, target)

    # Expressions.

    def value(self, node: ast.expr) -> Any:
        """Interpret an expression."""
        pay()
        handler = getattr(self, f"_get_{type(node).__name__}", None)
        if handler is None:
            raise Refused(f"'{as_written(node)}' is not read.", at=node)
        try:
            value = handler(node)
        except Refused as refused:
            refused.at = refused.at or node
            raise
        except GraphError as error:  # an op that does not take these shapes
            problem = error.problems[0]
            raise Refused(problem.message, problem.hint, problem.code, node) from None
        if self.unread.forgotten:
            self.check_known(value, node)
        return self.fresh(value) if isinstance(value, Array) else value

    def fresh(self, array: Array) -> Array:
        """Return an array as it is now, after changes in place of what it shares its memory with."""
        if self.unread.objects:
            self.check_known(array)
        refresh = self.handlers.fresh.get(array.framework)
        return array if refresh is None else refresh(self, array)

    def _get_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, complex):
            raise Refused("Complex numbers are not read.", COMPLEX, at=node)
        if isinstance(node.value, bytes):
            raise Refused("Bytes are not read.", at=node)
        return number(node.value)

    def _get_Name(self, node: ast.Name) -> Any:
        scope = self.scope.find(node.id)
        if scope is not None:
            return scope.names[node.id]
        if node.id in self.builtins:
            return Native(self.builtins[node.id], node.id, walks=False)
        if node.id in USUAL:
            self._uses(USUAL[node.id])
            return Path(USUAL[node.id])
        if of_library(node.id) is not None:  # open, display
            return Path(node.id)
        if node.id == "object" or node.id.endswith(("Error", "Exception", "Warning", "Interrupt")):
            return Path(f"builtins.{node.id}")
        if node.id in PYTHON:
            raise Refused(f"Python's `{node.id}` is not read.", at=node)
        raise Refused(
            f"Nothing is called {node.id!r} here.",
            "Paste the line that defines it too.",
            "unknown-name",
            node,
        )

    def _get_Tuple(self, node: ast.Tuple) -> tuple:
        return tuple(self._elements(node.elts))

    def _get_List(self, node: ast.List) -> list:
        return list(self._elements(node.elts))

    def weighed(self, *values: Any) -> None:
        """Pay for a walk over the lists, tuples and dictionaries among values, with all that is in them.

        What the functions of libraries get is weighed before they are called, so that none of ours needs to
        count what it walks.
        """
        for value in values:
            if isinstance(value, (list, tuple, dict)):
                weighed(value)
                for one in parts_of([value]) if self.unread.objects else ():
                    self.check_known(one)

    def _elements(self, nodes: Iterable[ast.expr]) -> Iterator[Any]:
        for one in nodes:
            if isinstance(one, ast.Starred):
                yield from self.items(self.value(one.value), one)
            else:
                yield self.value(one)

    def _get_Dict(self, node: ast.Dict) -> dict:
        built: dict = {}
        for at, value in zip(node.keys, node.values, strict=True):
            if at is None:
                more = self.value(value)
                if not isinstance(more, dict):
                    raise Refused("'**' needs a dictionary.", at=value)
                pay_values(len(more))
                built |= more
            else:
                built[key(self.value(at))] = self.value(value)
        return built

    def _get_Slice(self, node: ast.Slice) -> slice:
        parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        if type(parts[2]) is int and parts[2] == 0:
            raise Refused("slice step cannot be zero", "Write another step.", at=node.step)
        return slice(*parts)

    def _get_JoinedStr(self, node: ast.JoinedStr) -> str:
        parts = [
            one.value if isinstance(one, ast.Constant) else formatted(self.aside(one.value), one)
            for one in node.values
        ]
        return written(parts)

    def _get_Lambda(self, node: ast.Lambda) -> Function:
        return self.function("lambda", node.args, node.body)

    def _get_IfExp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.truth(self.value(node.test), node.test) else node.orelse)

    def _get_BoolOp(self, node: ast.BoolOp) -> Any:
        wants = isinstance(node.op, ast.And)
        value: Any = None
        for one in node.values:
            value = self.value(one)
            if self.truth(value, one) is not wants:
                return value
        return value

    def _get_NamedExpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.assign(node.target, value)
        return value

    def _get_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not self.truth(value, node.operand)
        if isinstance(value, Instance):
            method = self.own_method(value, f"__{_SIGNS[type(node.op)]}__")
            if method is None:
                raise Refused("This operator is not read of an object.", at=node)
            return self.call(method, [value], {}, node)
        if isinstance(value, Array):
            if value.framework in self.handlers.unary:
                return self.handlers.unary[value.framework](self, node.op, value, None, node)
            if isinstance(node.op, ast.USub):
                return self.make("neg", [value])
            if isinstance(node.op, ast.UAdd):
                return value
            if value.dtype != BOOL:
                raise Refused("'~' is read of comparisons only.", at=node)
            return self.make("sub", [1.0, value], dtype=BOOL)
        try:
            return _UNARY[type(node.op)](value)
        except (TypeError, KeyError) as error:
            raise Refused(f"{error}.".capitalize(), at=node) from None

    def _get_BinOp(self, node: ast.BinOp) -> Any:
        return self.binary(node.op, self.value(node.left), self.value(node.right), node)

    def binary(self, op: ast.operator, left: Any, right: Any, node: ast.AST = NOWHERE) -> Any:
        """Apply an operator of Python to two values."""
        if isinstance(left, str) and isinstance(op, ast.Mod):
            return percent(left, right)
        if isinstance(left, Blank) or isinstance(right, Blank):
            blank, other = (left, right) if isinstance(left, Blank) else (right, left)
            if isinstance(other, (Array, Instance)):
                raise unknown(blank)
            return blank
        if isinstance(left, Instance) or isinstance(right, Instance):
            return self._own_operator(op, left, right, node)
        if isinstance(left, Array) or isinstance(right, Array):
            return self._array_operator(op, left, right, node)
        if isinstance(left, Set) and isinstance(right, Set):
            return joined(op, left, right, node)
        return plain_operator(op, left, right, node)

    def own_method(self, value: Any, name: str) -> Function | None:
        """Return a method such as `__add__` that the class of an object of the text has."""
        if not isinstance(value, Instance) or not isinstance(value.of, Class):
            return None
        found = value.of.members.get(name)
        return found if isinstance(found, Function) else None

    def _own_operator(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        """Apply an operator by a method of an object's class: of the left one, or else of the right one."""
        name = _METHODS.get(type(op), "")
        method = self.own_method(left, f"__{name}__")
        if method is not None:
            return self.call(method, [left, right], {}, node)
        method = self.own_method(right, f"__r{name}__")
        if method is not None and not (isinstance(left, Array) and left.framework == "numpy"):
            return self.call(method, [right, left], {}, node)
        raise Refused(
            f"{kind(left).capitalize()} and {kind(right)} cannot be joined by this operator.", at=node
        )

    def _own_comparison(self, op: ast.cmpop, left: Any, right: Any, node: ast.AST) -> Any:
        name, mirrored = _COMPARED[type(op)]
        method = self.own_method(left, f"__{name}__")
        if method is not None:
            return self.call(method, [left, right], {}, node)
        method = self.own_method(right, f"__{mirrored}__")
        if method is not None:
            return self.call(method, [right, left], {}, node)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if isinstance(op, ast.NotEq) and self.own_method(left, "__eq__"):
                return not self.truth(self._own_comparison(ast.Eq(), left, right, node), node)
            return (left is right) is isinstance(op, ast.Eq)
        raise Refused(f"{kind(left).capitalize()} and {kind(right)} have no order.", at=node)

    def _array_operator(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Array:
        self.weighed(left, right)
        if self.handlers.own_operator is not None:
            own = self.handlers.own_operator(self, op, left, right)
            if own is not None:
                return own
        for side in (left, right):
            if isinstance(side, Array) and side.framework in self.handlers.operator:
                return self.handlers.operator[side.framework](self, op, left, right, node)
        for side in (left, right):
            if not isinstance(side, (Array, int, float)):
                raise Refused(f"An array and {kind(side)} cannot be joined by an operator.", at=node)
        name = _OPERATORS.get(type(op))
        if name is not None:
            if name == "pow":
                return self.tables["numpy.power"](self, left, right)
            return self.make(name, [left, right])
        if isinstance(op, ast.MatMult):
            return self.tables["numpy.matmul"](self, left, right)
        booleans = all(
            isinstance(side, bool) or (isinstance(side, Array) and side.dtype == BOOL)
            for side in (left, right)
        )
        if isinstance(op, ast.BitAnd) and booleans:
            return self.make("mul", [left, right], dtype=BOOL)
        if isinstance(op, ast.BitOr) and booleans:
            return self.make("maximum", [left, right], dtype=BOOL)
        if isinstance(op, ast.FloorDiv):
            return self.tables["numpy.floor_divide"](self, left, right)
        if isinstance(op, ast.Mod):
            return self.tables["numpy.mod"](self, left, right)
        raise Refused(f"This operator is not read of arrays: {as_written(node)}.", at=node)

    def _get_Compare(self, node: ast.Compare) -> Any:
        left, result = self.value(node.left), True
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            if isinstance(left, Blank) or isinstance(right, Blank):
                raise unknown(left if isinstance(left, Blank) else right)
            if isinstance(op, (ast.In, ast.NotIn)) and self.own_method(right, "__contains__"):
                held = self.call(self.own_method(right, "__contains__"), [right, left], {}, node)
                result = self.truth(held, node) is isinstance(op, ast.In)
            elif type(op) in _COMPARED and isinstance(left, Instance) | isinstance(right, Instance):
                result = self._own_comparison(op, left, right, node)
                if len(node.ops) == 1:
                    return result
                result = self.truth(result, node)
            elif isinstance(left, Set) or isinstance(right, Set):
                result = compared_sets(op, left, right, node)
            elif isinstance(left, Array) or isinstance(right, Array):
                if isinstance(op, (ast.Is, ast.IsNot)):
                    result = (left is right) is isinstance(op, ast.Is)
                elif len(node.ops) > 1:
                    raise Refused(
                        "A chain of comparisons of arrays has no one answer.", "Join two by '&'.", at=node
                    )
                elif isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (list, tuple, dict)):
                    pay_values(len(right))
                    result = any(left is one for one in right) is isinstance(op, ast.In)
                else:
                    return self.compare(op, left, right, node)
            else:
                try:
                    result = compared(op, left, right)
                except TypeError as error:
                    raise Refused(f"{error}.".capitalize(), at=node) from None
            if not result:
                return False
            left = right
        return result

    def compare(self, op: ast.cmpop, left: Any, right: Any, node: ast.AST = NOWHERE) -> Array:
        """Compare arrays: 1 where it holds, else 0, and no gradient."""
        self.weighed(left, right)
        for side in (left, right):
            if isinstance(side, Array) and side.framework in self.handlers.compare:
                return self.handlers.compare[side.framework](self, op, left, right)
        if type(op) in COMPARES:
            return self.make(COMPARES[type(op)], [left, right], dtype=BOOL)
        raise Refused("This comparison is not read of arrays.", at=node)

    def _get_Attribute(self, node: ast.Attribute) -> Any:
        return self.attribute(self.value(node.value), node.attr, node)

    def attribute(self, owner: Any, name: str, node: ast.AST = NOWHERE) -> Any:
        """Return an attribute of a value."""
        if isinstance(owner, Path):
            path = f"{owner.name}.{name}"
            return CONSTANTS.get(path.rpartition(".")[2], Path(path)) if _is_number(path) else Path(path)
        getter = self.handlers.attribute.get(type(owner))
        if getter is not None:
            return getter(self, owner, name, node)
        if isinstance(owner, Native) and name in owner.attributes:
            return owner.attributes[name]
        if isinstance(owner, tuple) and hasattr(owner, "_fields"):
            return self.handlers.record_attribute(self, owner, name, node)
        raise Refused(f"{kind(owner).capitalize()} has no {name!r} that is read.", at=node)

    def _get_Subscript(self, node: ast.Subscript) -> Any:
        owner, index = self.value(node.value), self.value(node.slice)
        if isinstance(owner, (tuple, list, dict, str)):
            try:
                if isinstance(index, slice):
                    pay_values(len(owner))
                return owner[key(index) if isinstance(owner, dict) else index]
            except (IndexError, KeyError, TypeError, ValueError) as error:
                raise Refused(f"There is no element {as_written(node.slice)}: {error}.", at=node) from None
        if method := self.own_method(owner, "__getitem__"):
            return self.call(method, [owner, index], {}, node)
        getter = self.handlers.item.get(type(owner))
        if getter is None:
            raise Refused(f"{kind(owner).capitalize()} has no elements.", at=node)
        self.weighed(index)
        return getter(self, owner, index, node)

    def _comprehension(self, generators: list[ast.comprehension], make: Callable[[], None]) -> None:
        if not generators:
            make()
            return
        first, rest = generators[0], generators[1:]
        for i, item in enumerate(self.items(self.value(first.iter), first.iter)):
            if i >= STEPS:
                raise Refused(
                    f"More than {STEPS} steps are not unrolled.", "Use fewer.", "too-large", first.iter
                )
            self.assign(first.target, item)
            if all(self.truth(self.value(test), test) for test in first.ifs):
                self._comprehension(rest, make)

    def _get_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> list:
        items: list[Any] = []
        with self.inside(Scope({}, self.scope)):
            self._comprehension(node.generators, lambda: items.append(self.value(node.elt)))
        return items

    _get_GeneratorExp = _get_ListComp

    def _get_Yield(self, node: ast.Yield) -> None:
        if self.taker is None:
            raise Refused("A value is yielded inside a function.", at=node)
        self.taker(None if node.value is None else self.value(node.value))

    def _get_YieldFrom(self, node: ast.YieldFrom) -> None:
        if self.taker is None:
            raise Refused("A value is yielded inside a function.", at=node)
        values = self.value(node.value)
        if isinstance(values, Stream):
            values.each(self.taker)
            return
        for item in self.items(values, node):
            self.taker(item)

    def _get_SetComp(self, node: ast.SetComp) -> Set:
        return set_of(self, self._get_ListComp(node))

    def _get_Set(self, node: ast.Set) -> Set:
        return set_of(self, self._elements(node.elts))

    def _get_DictComp(self, node: ast.DictComp) -> dict:
        items: dict = {}

        def make() -> None:
            items[key(self.value(node.key))] = self.value(node.value)

        with self.inside(Scope({}, self.scope)):
            self._comprehension(node.generators, make)
        return items

    def _get_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "print" and self.scope.find("print") is None:
            printing, self.printing = self.printing, self.line
            for one in node.args:  # what is printed may be asked for only there
                self.aside(one.value if isinstance(one, ast.Starred) else one)
            self.printing = printing
            return None
        function = self.value(node.func)
        blank = function if isinstance(function, Blank) else None
        if isinstance(function, Path) and not self._table_of(function.name):
            blank = of_library(function.name)
        if blank is not None:
            self.say(node, f"`{blank.of}` is left out: it computes nothing here")
            for one in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.aside(one.value if isinstance(one, ast.Starred) else one)
            return blank
        args = list(self._elements(node.args))
        if isinstance(function, Native) and function.name == "super":
            args = args or self._present_method()
            if len(args) == 2 and isinstance(args[0], Class):
                return Super(args[0], args[1])
            return Path("super")
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is None:
                if not isinstance(value, dict):
                    raise Refused("'**' needs a dictionary.", at=keyword.value)
                if not all(isinstance(one, str) for one in value):
                    raise Refused("'**' needs a dictionary whose keys are texts.", at=keyword.value)
                pay_values(len(value))
                keywords |= value
            else:
                keywords[keyword.arg] = value
        return self.call(function, args, keywords, node)

    def call(
        self, function: Any, args: list[Any], keywords: dict[str, Any], node: ast.AST | None = None
    ) -> Any:
        """Call a function of the text or of a library."""
        if self.depth >= DEPTH:
            raise Refused(f"Calls are nested more than {DEPTH} deep.", "", "too-large", node)
        pay()
        if self.unread.forgotten:
            self.check_known(function, node)
        self.depth += 1
        if node is not None:
            self.calls.append(node)
        try:
            if isinstance(function, Function):
                return self._call_function(function, args, keywords, node)
            if not isinstance(function, Native) or function.walks:
                self.weighed(*args, *keywords.values())
            blanks = [one for one in args if isinstance(one, Blank)]
            if blanks and isinstance(function, Native) and function.name in self.builtins:
                if function.name in ("float", "int", "round", "abs"):  # of a time that is printed
                    return blanks[0]
                if function.name not in ("str", "repr", "isinstance", "callable", "hasattr"):
                    raise unknown(blanks[0])
            if isinstance(function, Native):
                try:
                    return function.call(self, args, keywords)
                except IndexError:  # it reads its arguments by their place
                    raise Refused(f"{function.name}() is not read with these arguments.", at=node) from None
            if isinstance(function, Path):
                return self._call_path(function, args, keywords, node)
            caller = self.handlers.call.get(type(function))
            if caller is not None:
                return caller(self, function, args, keywords, node)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError, ArithmeticError) as error:
            if isinstance(error, (GraphError, TooLarge)):
                raise
            name = getattr(function, "name", "") or "This"
            raise Refused(f"{name}() is not read with these arguments: {_about(error)}.", at=node) from error
        finally:
            self.depth -= 1
            if node is not None:
                self.calls.pop()
        raise Refused(f"{kind(function).capitalize()} cannot be called.", at=node)

    def _present_method(self) -> list[Any]:
        """Return the class that the present method is of, and its object; nothing outside of a method."""
        for function, names in reversed(self.methods_now):
            if function.owner is not None and function.parameters():
                return [function.owner, names[function.parameters()[0]]]
        return []

    def _call_function(self, function: Function, args: list, keywords: dict, node: ast.AST | None) -> Any:
        pay_values(2 * (len(function.args.args) + len(args) + len(keywords)))
        names = _bound(function, args, keywords, node)
        if function.yields:
            return Stream(lambda stream, take: self._generate(function, names, stream, take))
        self.methods_now.append((function, names))
        try:
            with self.inside(Scope(names, function.scope)):
                if isinstance(function.body, ast.expr):
                    return self.value(function.body)
                try:
                    with self.step(function.name):
                        self.run(function.body)
                except Return as returned:
                    return returned.value
            return None
        finally:
            self.methods_now.pop()

    def _generate(self, function: Function, names: dict[str, Any], stream: Stream, take: Take) -> None:
        """Run a generator; what takes its values runs where the loop over it stands."""
        around = self.scope, self.taker, self.methods_now
        inside = Scope(names, function.scope), lambda value: taken(value), [*around[2], (function, names)]

        def taken(value: Any) -> None:
            self.scope, self.taker, self.methods_now = around
            try:
                take(value)
            except (Return, Break, Continue) as by:
                raise Left(stream, by) from None
            finally:
                self.scope, self.taker, self.methods_now = inside

        self.scope, self.taker, self.methods_now = inside
        self.depth += 1  # refused as a whole
        try:
            self.run(function.body)
        except Return:
            pass
        except Left as left:
            raise left.by if left.stream is stream else left from None
        finally:
            self.depth -= 1
            self.scope, self.taker, self.methods_now = around

    def _call_path(self, path: Path, args: list, keywords: dict, node: ast.AST | None) -> Any:
        if path.name.startswith(("numpy.", "math.")):
            # NumPy takes the numbers of a TensorFlow tensor, and no gradient passes.
            args, keywords = mapped(self.plain_numbers, args), mapped(self.plain_numbers, keywords)
        known = self._table_of(path.name)
        if known is None:
            raise Refused(
                f"`{path.name}` is not read yet.", self.nearest(path.name), "unknown-function", node
            )
        library = LIBRARIES.get(path.name.partition(".")[0])
        for one in (*args, *keywords.values()):
            if isinstance(one, Blank):
                raise unknown(one)
        if self.handlers.check_call is not None:
            self.handlers.check_call(self, path.name, args)
        outside, self.library = self.library, library if library in ("jax", "numpy") else self.library
        try:
            return known(self, *args, **keywords)
        finally:
            self.library = outside

    def _table_of(self, path: str) -> Callable[..., Any] | None:
        return self.tables.get(path) or self.tables.get(canonical(path))

    def plain_numbers(self, value: Any) -> Any:
        """Return a tensor of TensorFlow as NumPy's array, which no gradient passes; all else as it is."""
        if not isinstance(value, Array) or value.framework != "tf":
            return value
        return Array(self.builder.stopped(value.held), "numpy", value.dtype)

    def nearest(self, path: str) -> str:
        """Return a hint with the function of the same library that is called most like this one."""
        library = path.partition(".")[0]
        if library in OF_MODULES:
            return f"Where {library} is installed, autodiff_viz.from_function(model, x) takes the model."
        if library not in LIBRARIES:
            return READS
        own = {full_name(name, library) for name, one in self.tables.items() if not refuses(one)}
        own = {name for name in own if name.partition(".")[0] == library}
        last = path.rpartition(".")[2][: limits.NAME]
        by_end: dict[str, list[str]] = {}
        for name in sorted(own):
            by_end.setdefault(name.rpartition(".")[2], []).append(name)
        near = get_close_matches(last, by_end, 1, 0.7)
        if not near:
            return ""
        module = path.rpartition(".")[0][: limits.NAME]
        (found,) = get_close_matches(module, by_end[near[0]], 1, 0.0)
        return f"The nearest that is read is `{found}`."

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Make a scope the present one."""
        outside, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = outside

    @contextmanager
    def grad_enabled(self, mode: bool) -> Iterator[None]:
        """Switch on or off that PyTorch differentiates by what is made meanwhile."""
        outside, self.no_grad = self.no_grad, int(not mode)
        try:
            yield
        finally:
            self.no_grad = outside

    @contextmanager
    def frame(self, frame: Frame) -> Iterator[Frame]:
        """Collect the nodes that are made meanwhile in a region or a group."""
        self.builder.frames.append(frame)
        self.builder.open_frames.append(frame)
        try:
            yield frame
        finally:
            # Two frames with the same nodes are equal: the one that was opened last is closed.
            self.builder.open_frames.pop()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Collect the nodes that are made meanwhile in a step of a loop or a call of a function."""
        if not isinstance(self.builder, Builder) or len(self.builder.steps) >= limits.NODES:
            yield
            return
        builder = self.builder
        frame = Frame(name[: limits.NAME], None)
        builder.steps.append((len(builder.open_steps), frame))
        builder.open_steps.append(frame)
        try:
            yield
        finally:
            builder.open_steps.pop()

    def items(self, value: Any, node: ast.AST = NOWHERE) -> list[Any]:
        """Return the elements of a value that is iterated over."""
        if isinstance(value, (tuple, list, str, dict)):
            pay_values(len(value))
            return list(value)
        if isinstance(value, Stream):
            found: list[Any] = []

            def keep(one: Any) -> None:
                pay_values(1)
                found.append(one)

            value.each(keep)
            return found
        if method := self.own_method(value, "__iter__"):
            return self.items(self.call(method, [value], {}, node), node)
        getter = self.handlers.items.get(type(value))
        if getter is not None:
            return getter(self, value, node)
        if isinstance(value, Blank):
            raise unknown(value)
        raise Refused(f"{kind(value).capitalize()} cannot be iterated over.", at=node)

    def truth(self, value: Any, node: ast.AST = NOWHERE) -> bool:
        """Return whether a value counts as true.

        That of an array is taken from its numbers, as the library does that runs line by line; the branch
        then stays as it is, whatever a slider does.
        """
        if isinstance(value, Blank):
            raise unknown(value)
        if isinstance(value, str):
            return bool(key(value))
        if isinstance(value, Set):
            return bool(value.of)
        for name in ("__bool__", "__len__"):
            if method := self.own_method(value, name):
                return self.truth(self.call(method, [value], {}, node), node)
        if not isinstance(value, Array):
            return bool(value)
        taken = self.holds(value, node)
        where = as_written(node, 40) if isinstance(node, ast.expr) else "this condition"
        self.say(node, f"`{where}` is {taken} for these numbers, so this branch is the one in the graph")
        return taken

    def holds(self, value: Array, node: ast.AST = NOWHERE) -> bool:
        """Return whether an array of one element is true, without a word to the reader of the code."""
        found = self.numbers(value, node)
        if found.size != 1:
            raise Refused(
                f"An array of {found.size} elements is neither true nor false.",
                "Write where(condition, a, b), or any() or all() of it.",
                "data-dependent",
                node,
            )
        return bool(found.item())

    def numbers(self, value: Array, node: ast.AST | None = None) -> np.ndarray:
        """Return the numbers of an array.

        Raises:
          Refused: what is read is compiled or mapped, so the library knows no numbers; or it was asked for
            too often.
        """
        inside = "vmap" if value.rows else self.compiled if value.traced & self.staged else ""
        if inside:
            raise Refused(
                f"Inside {inside} the numbers of an array are not known.",
                "Write where(condition, a, b).",
                "data-dependent",
                node,
            )
        if value.is_constant:
            return np.asarray(value.held, value.dtype if value.dtype in FLOATS else None)
        self.asked += 1
        if self.asked > ASKED or not isinstance(self.builder, Builder):
            raise Refused("The text asks for the numbers of arrays too often.", "", "too-large", node)
        check = self.handlers.numbers_known.get(value.framework)
        if check is not None:
            check(self, value)
        return self._evaluation(value).value(self.held(value))

    def _evaluation(self, value: Array) -> Evaluation:
        """Return what computes an array, with what was computed before: no node has changed since."""
        dtype = value.dtype if value.dtype in FLOATS else FLOAT32
        key = dtype, self.builder.forgotten
        if key not in self._evaluations:
            present = {at: one for at, one in self._evaluations.items() if at[1] == key[1]}
            self._evaluations = {**present, key: Evaluation(self.builder, dtype)}
        return self._evaluations[key]

    # Nodes.

    def make(
        self, op: str, args: list[Any], dtype: str | None = None, rule: Rule | None = None, **params: Any
    ) -> Array:
        """Add a node for an op of arrays and numbers.

        The result is an array of the arguments' library and dtype; PyTorch differentiates by it if by one of
        the arguments.
        """
        arrays = [arg for arg in args if isinstance(arg, Array)]
        if self.handlers.make_rows is not None and any(array.rows for array in arrays):
            return self.handlers.make_rows(self, op, args, dtype, rule, params)
        framework = next(
            (a.framework for a in arrays if a.framework != "numpy"),
            arrays[0].framework if arrays else "numpy",
        )
        slots = [self.held(arg) for arg in args]
        needs = dtype not in (INT, BOOL) and any(array.requires_grad for array in arrays)
        if self.no_grad and needs:
            rule = Rule(STOP)
        ref = self.builder.add(op, slots, rule, **params)
        if isinstance(self.builder, Builder):
            self.builder.drafts[ref.number].framework = framework
        kind = dtype or result_dtype(arrays, args, op)
        if framework == "jax" and kind == FLOAT64 and not self.wide:
            kind = FLOAT32  # JAX takes an array of NumPy in single precision unless it is told otherwise
        traced = self.staged
        for array in arrays:
            traced |= array.traced
        made = Array(
            ref,
            framework,
            kind,
            traced=traced,
            requires_grad=needs and not self.no_grad,
            leaf=not needs or bool(self.no_grad),
        )
        if self.handlers.lay_out is not None:
            self.handlers.lay_out(self, op, arrays, made)
        return (
            made
            if self.handlers.own_numbers is None
            else self.handlers.own_numbers(self, op, args, params, made)
        )

    def usual_float(self) -> str:
        """Return the dtype of floats that are given none."""
        return FLOAT32 if self.library == "jax" and not self.wide else FLOAT64

    def held(self, value: Any) -> Held:
        """Return what a slot holds for a value."""
        if isinstance(value, Unknown):
            self.check_known(value)
        if isinstance(value, Blank):
            raise unknown(value)
        if isinstance(value, Array):
            held = self.fresh(value).held
            if isinstance(held, (str, Call)) and isinstance(self.builder, Builder):
                raise Refused("What arrives cannot be read by a derivative inside a declared one.")
            return held
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, (int, float)):
            if math.isfinite(value):
                return float(value)
            # A constant is finite: an infinity is made from the logarithm of 0, and NaN from that of -1.
            made = self.make("log", [-1.0 if math.isnan(value) else 0.0])
            self._stands_for(made, "nan" if math.isnan(value) else "minus_infinity")
            if not value > 0:
                return made.held
            turned = self.make("neg", [made])
            self._stands_for(turned, "infinity")
            return turned.held
        if isinstance(value, (tuple, list)) and value:
            return tuple(self.held(one) for one in value)
        raise Refused(f"{kind(value).capitalize()} cannot stand where an array is needed.")

    def _stands_for(self, made: Array, name: str) -> None:
        """Say that a node stands for a number of the text that is not finite."""
        if isinstance(self.builder, Builder):
            self.builder.drafts[made.held.number].hint = name
            written = "log(-1)" if name == "nan" else "log(0)"
            self.say(self.line, f"a number that is not finite is made from {written}, as `{name}`")

    def gradient(self, root: Array, wrt: Array) -> Array:
        """Return the derivative of a number by an array, as a node."""
        ref = self.builder.add(GRAD, [root.held, wrt.held])
        return Array(ref, root.framework, wrt.dtype, rows=wrt.rows, traced=root.traced)

    def copied(self, value: Array) -> Array:
        """Return the same value as a node of its own."""
        ref = self.builder.add(IDENTITY, [value.held])
        return replace(value, held=ref, leaf=False)

    def say(self, node: ast.AST | int, text: str) -> None:
        """Note what became what, once for each line."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 0)
        self.changes[line, text] = None

    @property
    def line(self) -> int:
        """The line of the innermost statement."""
        return self.lines[-1] if self.lines else 0

    @property
    def called(self) -> str:
        """The function that is being called, as the text writes it."""
        names = (as_written(one.func) for one in reversed(self.calls) if isinstance(one, ast.Call))
        return next(names, "this")[:60]

    @property
    def site(self) -> Site:
        """The place that is being read."""
        calls = tuple((getattr(one, "lineno", 0), getattr(one, "col_offset", 0)) for one in self.calls)
        return Site(tuple(reversed(self.lines)), calls)


ALIASES = (
    ("jax.numpy.", "numpy."),
    ("jax.nn.", "nn."),
    ("jax.lax.", "lax."),
    ("math.", "numpy."),
    ("autograd.numpy.", "numpy."),
    ("autograd.scipy.", "scipy."),
    ("jax.scipy.", "scipy."),
    ("jax.tree.", "tree."),
    ("jax.tree_util.tree_", "tree."),
    ("jax.tree_util.", "tree."),
)
"""Beginnings of full names that have the tables of another library."""


def refuses(function: Callable[..., Any]) -> bool:
    """Return whether a function of the tables stands there to refuse what it is given."""
    return getattr(getattr(function, "__wrapped__", function), "__name__", "") in ("without_op", "not_read")


def canonical(path: str) -> str:
    """Return the name under which the tables have a library's function."""
    for begin, ours in ALIASES:
        if path.startswith(begin):
            return ours + path.removeprefix(begin)
    return path


def full_name(known: str, library: str) -> str:
    """Return the name that a function of the tables has in a library, which may share it with others."""
    for begin, ours in ALIASES:
        if known.startswith(ours) and begin.partition(".")[0] == library:
            return begin + known.removeprefix(ours)
    return known


COMPLEX = "Write real and imaginary parts as two arrays."
"""What to do where a text has complex numbers."""

READS = "What computes is read, of JAX, PyTorch, TensorFlow, NumPy and `math`; leave out all else."
"""What to say of a function of a library that is none of these."""

OF_MODULES = frozenset(["flax", "equinox", "haiku", "optax", "diffrax", "jaxopt", "lineax", "optimistix"])
"""Libraries of modules and solvers in JAX: their text is not read, and `from_function` takes them."""

LIBRARIES = {
    "jax": "jax",
    "torch": "torch",
    "tensorflow": "tf",
    "keras": "tf",
    "numpy": "numpy",
    "math": "numpy",
    "autograd": "numpy",
    "scipy": "numpy",
}
"""The dialect of a library, by the first part of its full name."""

USUAL = {
    "jax": "jax",
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "np": "numpy",
    "math": "math",
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "tf": "tensorflow",
    "grad": "jax.grad",
    "jit": "jax.jit",
    "vmap": "jax.vmap",
    "plt": "matplotlib.pyplot",
    "sns": "seaborn",
    "tqdm": "tqdm.tqdm",
    "os": "os",
    "sys": "sys",
    "time": "time",
    "warnings": "warnings",
}
"""What names mean that a text uses without an import, as everybody writes them."""

PYTHON = frozenset(dir(builtins))
"""Names that Python itself has."""

CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan, "newaxis": None}


def _is_number(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return name in CONSTANTS and module in ("math", "numpy", "jax.numpy", "torch", "autograd.numpy")


def result_dtype(arrays: list[Array], args: list[Any], op: str) -> str:
    """Return the dtype of what an op makes of arrays: the widest float, float32 if it makes floats."""
    floats = [array.dtype for array in arrays if array.dtype in FLOATS]
    if floats:
        return max(floats, key=FLOATS.index)
    if op in ("div", "mean", "sqrt", "exp", "log", "sin", "cos", "tanh", "sigmoid") or any(
        type(a) is float for a in args
    ):
        return "float64" if arrays and all(array.framework == "numpy" for array in arrays) else "float32"
    return INT


DECORATORS = frozenset(
    ["dataclass", "register_dataclass", "register_pytree_node_class", "register_keras_serializable"]
)
"""Decorators of classes that are read, or change no number."""

UNREAD_METHODS = frozenset(["__setattr__", "__getattribute__", "__new__", "__init_subclass__"])
"""Methods that change what an object is in ways that are not read."""

_METHODS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
"""Names of the methods of operators, without their underscores."""

_SIGNS = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARED = {
    ast.Lt: ("lt", "gt"),
    ast.Gt: ("gt", "lt"),
    ast.LtE: ("le", "ge"),
    ast.GtE: ("ge", "le"),
    ast.Eq: ("eq", "eq"),
    ast.NotEq: ("ne", "ne"),
}
"""Names of the methods of comparisons, and of those of the other side."""

_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}


def _bound(function: Function, args: list, keywords: dict, node: ast.AST | None) -> dict[str, Any]:
    """Return the arguments of a call by the names of the function's parameters."""
    spec, names = function.args, function.parameters()
    only = [arg.arg for arg in spec.kwonlyargs]
    own = {*names, *only}
    bound: dict[str, Any] = dict(zip(names, args, strict=False))
    if len(args) > len(names) and spec.vararg is None:
        raise Refused(f"{function.name}() takes {len(names)} values, and {len(args)} are given.", at=node)
    if spec.vararg is not None:
        bound[spec.vararg.arg] = tuple(args[len(names) :])
    for name, value in keywords.items():
        if name in own:
            if name in bound:
                raise Refused(f"{function.name}() gets {name!r} twice.", at=node)
            bound[name] = value
        elif spec.kwarg is None:
            raise Refused(f"{function.name}() has no argument {name!r}.", at=node)
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = {name: value for name, value in keywords.items() if name not in own}
    for name, default in zip(names[len(names) - len(function.defaults) :], function.defaults, strict=False):
        bound.setdefault(name, default)
    for name, default, given in zip(only, function.kw_defaults, spec.kw_defaults, strict=False):
        if given is not None:
            bound.setdefault(name, default)
    if missing := [name for name in (*names, *only) if name not in bound]:
        raise Refused(f"{function.name}() also needs {', '.join(missing)}.", at=node)
    return bound


_WORDS = {
    "AsyncFunctionDef": "async def",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "TryStar": "except*",
    "TypeAlias": "type",
}
"""Words of statements that are called otherwise in a syntax tree."""


def _catches(handler: ast.ExceptHandler, refused: Refused) -> bool:
    """Return whether a handler is for an error: for one of the text's own its name says so."""
    if not isinstance(refused, Raised) or handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {as_written(one).rpartition(".")[2] for one in types}
    return bool(names & {refused.name, "Exception", "BaseException"})


def _leaves(statement: ast.stmt) -> bool:
    """Return whether a statement may end the loop or the program around it, before what follows it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.Break, ast.Continue, ast.Return, ast.Raise)):
            return True
        if isinstance(one, (ast.For, ast.While)):  # what ends in it goes on behind it
            waiting += one.orelse
            continue
        if not isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(one)
    return False


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _set_element(owner: list | dict, index: Any, value: Any) -> None:
    """Set `owner[index]`, where a slice may make a list longer."""
    if isinstance(owner, dict):
        owner[key(index)] = value
    elif isinstance(index, slice):
        if not isinstance(value, (list, tuple, str, dict)):
            raise TypeError("a slice is set to a list")
        pay_values(len(owner) + len(value))
        room_for(owner, len(value))
        owner[index] = value
    else:
        owner[index] = value


def _about(error: Exception) -> str:
    """Return what Python says about arguments that do not fit, without the name of our function."""
    return str(error).partition("()")[2].strip() or str(error)


__all__ = ["SEED", "Reader", "Request", "Scope"]
