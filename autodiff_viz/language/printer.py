"""Print the parts of a formula: which nodes share a line, the order and breaks of lines, and expressions.

Expressions have the fewest brackets that Python's precedence allows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from autodiff_viz.graph.frames import outermost_first
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import (
    GRAD,
    IDENTITY,
    INPUT,
    Call,
    Frame,
    Graph,
    Lambda,
    Literal,
    Node,
    Params,
    Rule,
    Term,
)
from autodiff_viz.graph.order import consumers, find_cycle, order
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, WIRES
from autodiff_viz.language.literals import show_literal, show_param
from autodiff_viz.language.reader import stem_of
from autodiff_viz.language.scanner import Span
from autodiff_viz.ops import indexing
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.op import Param

# Inlined nodes: those that are written inside the expression of their only consumer. A node may be inlined
# when `parse` would give it back: it is used once, in the same frames, is neither output nor input, and
# its name is the automatic one that its place in the text leads to.


_AUTOMATIC = re.compile(r"(\w+)_([1-9]\d*)", re.ASCII)


def is_direct(node: Node) -> bool:
    """Return whether an identity with a rule is written `stop_gradient(x)`, not `stop_gradient(identity(x))`.

    The direct form is for a name, an empty slot or another wrapper.
    """
    if node.op != IDENTITY or _is_plain(node) or len(node.op_slots) != 1 or node.params:
        return False
    return isinstance(node.slots[0], (str, type(None))) and _stem(node.name) != IDENTITY


def _is_plain(node: Node) -> bool:
    """Return whether no wrapper is written around the op."""
    return node.rule.kind == FOLLOW and not node.muted and not node.cut


def candidates(graph: Graph, chains: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the nodes that could be inlined, with their consumers, judging from their neighbours alone.

    `chains` has the names of the frames around each node.
    """
    kept = {name for region in graph.regions for name in region.saved} | {graph.output}
    inlinable = {}
    for name, uses in consumers(graph).items():
        node = graph[name]
        if len(uses) != 1 or name in kept or node.op == INPUT:
            continue
        consumer = graph[uses[0][0]]
        if consumer.op == GRAD and uses[0][1] >= BY:  # x, and what the function from x to z reads by name
            continue
        stem = stem_of(node) if is_direct(node) else node.op
        wrapped = False
        if uses[0][1] == 0 and is_direct(consumer):
            # A wrapper without an op would be parsed as a wrapper of the node inside it, if that can have it.
            marks_once = not node.cut and not (consumer.muted and node.muted)
            wrapped = _is_plain(node) if consumer.rule.kind != FOLLOW else marks_once
        if _stem(name) == stem and chains[name] == chains[consumer.name] and not wrapped:
            inlinable[name] = consumer.name
    return inlinable


def well_numbered(graph: Graph, ordered: Sequence[Node], inlined: Iterable[str]) -> set[str]:
    """Return those of `inlined` that get their own number back when the text is parsed.

    `parse` numbers the steps of a stem upwards and skips the names that lines assign. So the numbers must
    increase through the text and stay below the first one that no node has.
    """
    inlined = set(inlined)
    taken = defaultdict(set)
    for node in graph.nodes:
        if match := _AUTOMATIC.fullmatch(node.name):
            taken[match[1]].add(int(match[2]))
    lowest = {stem: next(k for k in count(1) if k not in numbers) for stem, numbers in taken.items()}
    kept = set()
    # From the end of the text, so that each number is compared with those behind it.
    for name in reversed(reading_order(graph, ordered, inlined)):
        if name not in inlined:
            continue
        match = _AUTOMATIC.fullmatch(name)
        stem, number = match[1], int(match[2])  # type: ignore[index]
        if number < lowest[stem]:
            lowest[stem] = number
            kept.add(name)
    return kept


def reading_order(graph: Graph, ordered: Sequence[Node], inlined: set[str]) -> list[str]:
    """Return the names of all nodes in the order in which `parse` makes them.

    That is line by line, innermost first, left to right.
    """
    names: list[str] = []
    for root in ordered:
        if root.name in inlined:
            continue
        stack = [(root, iter(root.slots))]  # an explicit stack: an inlined chain may be long at first
        while stack:
            node, rest = stack[-1]
            inner = next((slot for slot in rest if isinstance(slot, str) and slot in inlined), None)
            if inner is not None:
                stack.append((graph[inner], iter(graph[inner].slots)))
                continue
            stack.pop()
            names.append(node.name)
    return names


def _stem(name: str) -> str:
    match = _AUTOMATIC.fullmatch(name)
    return match[1] if match else ""


# Lines: their order, blocks and breaks.


WIDTH = 90  # characters; a line can be broken only inside brackets
INDENT = "    "

Chains = dict[str, tuple[str, ...]]


def chains(graph: Graph, frames: Iterable[Frame] | None = None) -> Chains:
    """Map each node to the names of the frames around it, the outermost first; of all frames by default."""
    around: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for frame in outermost_first(graph.frames if frames is None else frames):
        for name in frame.nodes:
            around[name].append(frame.name)
    return {name: tuple(frames) for name, frames in around.items()}


def text_order(graph: Graph, around: Chains) -> tuple[Node, ...]:
    """Return the nodes in topological order with the nodes of each frame together; ties as in `graph.nodes`.

    Where there is no such order, groups are split first, which need not be in one piece. Where regions cannot
    run as wholes, the order ignores frames. A frame that is split is written as several blocks.
    """
    ordered = order(graph)
    if not graph.frames:
        return ordered
    return _grouped(ordered, around, 0) or _grouped(ordered, chains(graph, graph.regions), 0) or ordered


def _grouped(nodes: Sequence[Node], around: Chains, depth: int) -> tuple[Node, ...] | None:
    """Order the frames and free nodes of one level, each frame as one node; None if there is no order."""
    step_of: dict[str, str] = {}
    members: dict[str, list[Node]] = {}
    for node in nodes:
        chain = around[node.name]
        step = f"frame {chain[depth]}" if len(chain) > depth else node.name  # no node's name has a space
        step_of[node.name] = step
        members.setdefault(step, []).append(node)
    wires: dict[str, dict[str, None]] = {step: {} for step in members}
    for node in nodes:
        step = step_of[node.name]
        wires[step] |= {step_of[p]: None for _, p in node.wires if step_of.get(p, step) != step}
    level = Graph(tuple(Node(step, "", tuple(producers)) for step, producers in wires.items()))
    if find_cycle(level):
        return None
    ordered: list[Node] = []
    for step in order(level):
        inner = members[step.name]
        if step.name.startswith("frame "):
            inner = _grouped(inner, around, depth + 1)
            if inner is None:
                return None
        ordered.extend(inner)
    return tuple(ordered)


class Stretch(NamedTuple):
    """A line of text as part of a longer line that is broken.

    Attributes:
      indent: indentation of the line.
      start: offset of its first character in the longer line.
      end: offset of its end.
    """

    indent: str
    start: int
    end: int


def wrapped(line: str, indent: str, width: int = WIDTH) -> Iterator[str]:
    """Break the line at spaces inside brackets where it is too long; `indent` precedes it."""
    for before, start, end in stretches(line, indent, width):
        yield before + line[start:end]


def stretches(line: str, indent: str, width: int = WIDTH) -> Iterator[Stretch]:
    """Return the parts of the line from which `wrapped` makes lines."""
    if len(indent) + len(line) <= width:
        yield Stretch(indent, 0, len(line))
        return
    start, last, depth, quoted = 0, 0, 0, False
    for i, letter in enumerate(line):
        quoted ^= letter == '"'  # texts have no escapes: each quote begins or ends one
        if quoted:
            continue
        if last > start and len(indent) + i - start >= width:
            yield Stretch(indent, start, last)
            indent = indent if start else indent + INDENT  # once, behind the first of them
            start = last + 1  # without the space
        depth += (letter in "([{") - (letter in ")]}")
        if letter == " " and depth > 0:
            last = i
    yield Stretch(indent, start, len(line))


def span_of(lines: Sequence[Stretch], first: int, start: int, end: int) -> Span:
    """Return the span of the characters from `start` to `end` of a line that is broken into `lines`.

    The first of `lines` is line `first` of the text.
    """
    line, column = _at(lines, start)
    end_line, last = _at(lines, end - 1)
    return Span(first + line, column, first + end_line, last + 1)


def _at(lines: Sequence[Stretch], at: int) -> tuple[int, int]:
    line = len(lines) - 1
    while lines[line].start > at:
        line -= 1
    return line, len(lines[line].indent) + at - lines[line].start


# Expressions: operators by precedence, calls, rules and lambdas.


COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)  # Python's precedence, loosest first

_LEVELS = {">": COMPARISON, "<": COMPARISON, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT}
_INFIX = {
    op.name: (op.infix, level, level + (level == COMPARISON), level + 1)
    for op in OPS.values()
    if (level := _LEVELS.get(op.infix)) is not None
} | {op.name: (op.infix, POWER, ATOM, SIGN) for op in OPS.values() if op.infix == "**"}
"""Operator, its own level, and the levels that its left and right operands need to stand without brackets."""

EMPTY = "..."  # an empty slot

Place = tuple[str, int, int]
"""Name of a node, and its first and end offset in a piece of text."""


class Shown(NamedTuple):
    """A piece of an expression.

    Attributes:
      text: of the expression.
      level: precedence of its outermost operator.
      constant: whether it is a number.
      places: places of the nodes in it.
    """

    text: str
    level: int = ATOM
    constant: bool = False
    places: tuple[Place, ...] = ()


def joined(*pieces: str | Shown, level: int = ATOM) -> Shown:
    """Concatenate the pieces, with the places of all nodes in them."""
    text, places = "", []
    for piece in pieces:
        if type(piece) is str:
            text += piece
        else:
            if piece.places:
                start = len(text)
                places += [(name, first + start, last + start) for name, first, last in piece.places]
            text += piece.text
    return Shown(text, level, places=tuple(places))


def show_operand(slot: Literal | None) -> Shown:
    """Write a constant, or `...` for an empty slot."""
    if slot is None:
        return Shown(EMPTY)
    text = show_literal(slot)
    return Shown(text, SIGN if text[0] == "-" else ATOM, constant=not isinstance(slot, tuple))


def show_applied(op: str, operands: Sequence[Shown], params: Params) -> Shown:
    """Write an op applied to operands, as operator, index or call."""
    if op in _INFIX and len(operands) == 2 and not params:
        sign, level, left, right = _INFIX[op]
        return joined(_within(operands[0], left), f" {sign} ", _within(operands[1], right), level=level)
    if op == "neg" and len(operands) == 1 and not params and not operands[0].constant:
        return joined("-", _within(operands[0], SIGN), level=SIGN)  # -2.0 would be a number, not an op
    if op == "getitem" and len(operands) == 1 and [key for key, _ in params] == ["index"]:
        return joined(_within(operands[0], ATOM), f"[{indexing.to_text(params[0][1])}]")
    if op == "at_set" and len(operands) == 2 and [key for key, _ in params] == ["index"]:
        bare = operands[0].constant or operands[0].text == EMPTY  # 0.at would be no number
        x = Shown(f"({operands[0].text})") if bare else operands[0]
        return joined(_within(x, ATOM), f".at[{indexing.to_text(params[0][1])}].set(", operands[1], ")")
    slots: Sequence[Shown] = operands
    if op in OPS and OPS[op].variadic:
        slots = [joined("[", *_listed(operands), "]")]
    return show_call(op, slots, params, OPS[op].params if op in OPS else ())


def show_call(function: str, slots: Sequence[str | Shown], params: Params, known: Sequence[Param]) -> Shown:
    """Write `function(slots, params)`, with the parameters by keyword and in the order of `known`."""
    names = [param.name for param in known]
    ordered = sorted(params, key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names))
    arguments = [*slots, *(f"{key}={show_param(value)}" for key, value in ordered)]
    return joined(f"{function}(", *_listed(arguments), ")")


def _listed(pieces: Sequence[str | Shown]) -> list[str | Shown]:
    """Put commas between the pieces."""
    return [part for piece in pieces for part in (", ", piece)][1:]


def show_rule(inner: Shown, rule: Rule, alternative: Shown) -> Shown:
    """Write an expression inside the wrapper that gives it `rule`."""
    if rule.kind == FOLLOW:
        return inner
    kind = KINDS.get(rule.kind)
    if kind is None:  # an unknown kind is not in the language, but messages about it show it
        return joined(f"{rule.kind}(", inner, ")")
    if kind.alternative:
        return joined(f"{kind.call}(", inner, ", ", alternative, ")")
    if not kind.argument:
        return joined(f"{kind.call}(", inner, ")")
    keyword = f"{kind.argument}=" if kind.function == WIRES else ""
    return joined(f"{kind.call}(", inner, f", {keyword}{show_argument(rule) or '...'})")


def show_argument(rule: Rule) -> str:
    """Write the function or the number of a rule, as it is typed; "" where it has none."""
    if rule.function is not None:
        return show_lambda(rule.function)
    return "" if rule.number is None else show_literal(rule.number)


def show_lambda(function: Lambda) -> str:
    """Write a lambda as text that `parse_lambda` reads back."""
    body = [_show_term(term).text for term in function.body]
    shown = body[0] if len(body) == 1 else f"({', '.join(body)})"
    return f"lambda {', '.join(function.args)}: {shown}" if function.args else f"lambda: {shown}"


def _show_term(term: Term) -> Shown:
    if isinstance(term, Call):
        return show_applied(term.op, [_show_term(inner) for inner in term.args], term.params)
    return Shown(term) if isinstance(term, str) else show_operand(term)


def _within(operand: Shown, level: int) -> Shown:
    return operand if operand.level >= level else joined("(", operand, ")")
