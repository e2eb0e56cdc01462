"""Lay out printed text in lines: order of the lines, blocks, and line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autodiff_viz.graph.model import Frame, Graph, Node
from autodiff_viz.graph.structure.groups import outermost_first
from autodiff_viz.graph.structure.order import find_cycle, order
from autodiff_viz.language.source.caret import Span

WIDTH = 90  # characters; a line can be broken only inside brackets
INDENT = "    "

Chains = dict[str, tuple[str, ...]]


def chains(graph: Graph, frames: Iterable[Frame] | None = None) -> Chains:
    """Map each node to the names of the frames around it, the outermost first; of all frames by default."""
    found: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for frame in outermost_first(graph.frames if frames is None else frames):
        for name in frame.nodes:
            found[name].append(frame.name)
    return {name: tuple(frames) for name, frames in found.items()}


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
    step_of = {node.name: _step(node, around, depth) for node in nodes}
    members: dict[str, list[Node]] = {}
    for node in nodes:
        members.setdefault(step_of[node.name], []).append(node)
    wires: dict[str, dict[str, None]] = {step: {} for step in members}
    for node in nodes:
        step = step_of[node.name]
        wires[step] |= {step_of[p]: None for _, p in node.wires if step_of.get(p, step) != step}
    level = Graph(tuple(Node(step, "", tuple(producers)) for step, producers in wires.items()))
    if find_cycle(level):
        return None
    found: list[Node] = []
    for step in order(level):
        inner = members[step.name]
        if step.name.startswith("frame "):
            inner = _grouped(inner, around, depth + 1)
            if inner is None:
                return None
        found.extend(inner)
    return tuple(found)


def _step(node: Node, around: Chains, depth: int) -> str:
    chain = around[node.name]
    return f"frame {chain[depth]}" if len(chain) > depth else node.name


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
        quoted ^= letter == '"'
        if quoted:
            continue
        if last > start and len(indent) + i - start >= width:
            yield Stretch(indent, start, last)
            indent = indent if start else indent + INDENT
            start = last + 1
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
