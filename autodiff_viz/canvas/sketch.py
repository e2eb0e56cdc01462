"""Draw a graph as a sketch for a small picture: cards with symbols, wires, rules, frames, without any number.

Where a number is asked for stands a question mark in its colour.

A number of a trace would tell what a lesson asks, and could not be read at this size. The sketch is a list of
shapes, which `svg` writes for a page and `ui/server/card_picture.py` paints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from math import inf

from autodiff_viz.asking.question import COTANGENT, PASSED, VALUE, Quantity
from autodiff_viz.canvas.cards import constant_text
from autodiff_viz.canvas.layout.sugiyama import Layout, Space, layout
from autodiff_viz.canvas.layout.tabs import layers_of
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, KINDS, STOP
from autodiff_viz.ops.catalog import OPS

SIZE = (372, 148)  # px of the picture on a card of the page of lessons
LEAST = 0.38  # least scale: a symbol has then 11 px; a larger graph is cropped
MOST = 0.62  # largest scale: two nodes need not fill the picture
TEXT, HIGH, LETTER = 29, 64, 17  # px of a symbol, of a card, and of a letter across
BROAD, MORE = "mwMW@", 10  # letters that are wider, and by how many px
CONSTANT = 4  # characters of a constant that stands beside its op's symbol
MARK, MARKED = 30, 22  # px of a question mark's disc, and of the mark
PAD, FRAME = 12, 16  # px around all, and between a frame and its nodes
FEW = 8  # nodes; of more, parameters with one reader are left out
ROW = 1_000  # px across, after which a chain goes on in another row
MOST_TURN = 60  # px by which a wire that comes back turns beyond its ends

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `look` says what it is: a key of `LOOKS`."""

    x: float
    y: float
    w: float
    h: float
    radius: float
    look: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A wire: cubic curves from `start`, each with two control points and an end."""

    start: Point
    parts: tuple[tuple[Point, Point, Point], ...]
    look: str


@dataclass(frozen=True, slots=True)
class Word:
    """A text with its middle at (x, y); `look` is that of the box that it stands on, "" for a card."""

    x: float
    y: float
    text: str
    size: float
    look: str = ""


Shape = Box | Curve | Word

WIRE, CARD, INPUT_CARD, OUTPUT_CARD = "w", "n", "i", "o"
STOPPED, RULED, BAR, CUT_LINE, REGION, GROUP = "s", "r", "b", "c", "k", "g"
ASKED_COTANGENT, ASKED_VALUE = "q", "v"
LOOKS = (WIRE, CARD, INPUT_CARD, OUTPUT_CARD, STOPPED, RULED, BAR, CUT_LINE, REGION, GROUP)
LOOKS += (ASKED_COTANGENT, ASKED_VALUE)


@dataclass(frozen=True, slots=True)
class Sketch:
    """A picture of a graph.

    Attributes:
      shapes: from back to front.
      view: (left, top, width, height) of what is in the picture.
      cropped: whether parts of the graph are outside of it.
    """

    shapes: tuple[Shape, ...]
    view: tuple[float, float, float, float]
    cropped: bool = False


def sketch(
    graph: Graph,
    focus: str | None = None,
    collapsed: Iterable[str] = (),
    size: tuple[float, float] = SIZE,
    asked: Iterable[Quantity] = (),
) -> Sketch:
    """Return the sketch of a graph for a picture of `size` px.

    Args:
      focus: the node to show if not all can be: else one with a rule, in a region or at a cut is shown.
      collapsed: groups that are one card.
      asked: the numbers that are asked for; of one that is counted nothing is marked.
    """
    graph = _less(_folded(graph, collapsed))
    faces = {node.name: _face(node) for node in graph.nodes}
    sizes = {name: (max(HIGH, _across(face) + 26), HIGH) for name, face in faces.items()}
    bare = tuple(replace(node, position=None) for node in graph.nodes)
    for widest, window in ((ROW, size), (inf, (inf, inf))):
        space = Space(lambda node: sizes[node.name], widest=widest, window=window)
        placed = layout(replace(graph, nodes=bare), space)
        boxes = {name: (*placed.positions[name], *sizes[name]) for name in sizes}
        frames = [*_frames(graph, boxes)]
        extents = [*boxes.values(), *((frame.x, frame.y, frame.w, frame.h) for frame in frames)]
        view, cropped = _view(graph, extents, boxes, focus, size)
        if not cropped:
            break  # else in one row, of which a part can be read on its own
    wires = {(node, slot): curve for node, slot, curve in _wires(graph, placed, boxes)}
    shapes = [*frames, *wires.values(), *_cards(graph, boxes, faces), *_marks(asked, boxes, wires)]
    return Sketch(tuple(shape for shape in shapes if _is_in(shape, view)), view, cropped)


def _folded(graph: Graph, collapsed: Iterable[str]) -> Graph:
    """Return the graph with each collapsed group as one node, named after the group."""
    for group in (group for group in graph.groups if group.name in set(collapsed)):
        if not group.nodes <= graph.by_name.keys():  # in another one that is one node already
            continue
        reads = dict.fromkeys(
            name
            for node in graph.nodes
            if node.name in group.nodes
            for _, name in node.wires
            if name not in group.nodes
        )
        card = Node(group.name, "", (*reads,))
        nodes = []
        for node in graph.nodes:
            if node.name not in group.nodes:
                slots = (group.name if slot in group.nodes else slot for slot in node.slots)
                nodes.append(replace(node, slots=tuple(slots)))
            elif card not in nodes:
                nodes.append(card)
        inside = group.nodes
        graph = replace(
            graph,
            nodes=tuple(nodes),
            output=group.name if graph.output in inside else graph.output,
            groups=tuple(other for other in graph.groups if not other.nodes <= inside),
            regions=tuple(other for other in graph.regions if not other.nodes & inside),
        )
    return graph


def _across(face: str) -> int:
    """Return the px that a symbol takes."""
    return LETTER * len(face) + MORE * sum(letter in BROAD for letter in face)


def _less(graph: Graph) -> Graph:
    """Return the graph without parameters that only their layer reads, if it has many nodes."""
    if len(graph.nodes) <= FEW:
        return graph
    left = layers_of(graph).keys()
    nodes = (node for node in graph.nodes if node.name not in left)
    kept = tuple(replace(n, slots=tuple(None if s in left else s for s in n.slots)) for n in nodes)
    frames = {
        kind: tuple(
            replace(frame, nodes=rest) for frame in getattr(graph, kind) if (rest := frame.nodes - left)
        )
        for kind in ("regions", "groups")
    }
    return replace(graph, nodes=kept, **frames)


def _face(node: Node) -> str:
    """Return what is written on a node: its symbol, with a short constant where it reads two things."""
    if node.op == INPUT or node.op not in OPS:
        return node.name
    if node.op == "identity" and node.rule.kind in KINDS and node.rule.kind != FOLLOW:
        return KINDS[node.rule.kind].label  # its symbol, x, would be read as an input's name
    symbol, slots = OPS[node.op].symbol, node.op_slots
    held = [(i, constant_text(s)) for i, s in enumerate(slots) if s is not None and not isinstance(s, str)]
    if len(slots) == 2 and len(held) == 1 and len(held[0][1]) <= CONSTANT + 2 and len(symbol) == 1:
        at, text = held[0][0], held[0][1].removesuffix(".0")
        return f"{symbol} {text}" if at else f"{text} {symbol}"
    return symbol


def _frames(graph: Graph, boxes: Mapping[str, tuple]) -> Iterator[Box]:
    """Yield a frame around the nodes of each region and group, the outer ones first."""
    marked = [(frame, GROUP) for frame in graph.groups] + [(frame, REGION) for frame in graph.regions]
    for frame, look in sorted(marked, key=lambda pair: -len(pair[0].nodes)):
        held = [boxes[name] for name in frame.nodes if name in boxes]
        if not held:
            continue
        inner = [other for other, _ in marked if other.nodes < frame.nodes]
        pad = FRAME + 10 * bool(inner)
        x, y = min(b[0] for b in held) - pad, min(b[1] for b in held) - pad
        right, low = max(b[0] + b[2] for b in held) + pad, max(b[1] + b[3] for b in held) + pad
        yield Box(x, y, right - x, low - y, 20, look)


def _view(
    graph: Graph,
    extents: list[tuple[float, float, float, float]],
    boxes: Mapping[str, tuple],
    focus: str | None,
    size: tuple[float, float],
) -> tuple[tuple[float, float, float, float], bool]:
    """Return what is in the picture, in its proportions: all, or as much as can be read around the focus."""
    left, top = (min(each[i] for each in extents) - PAD for i in (0, 1))
    right, low = (max(each[i] + each[i + 2] for each in extents) + PAD for i in (0, 1))
    scale = min(size[0] / (right - left), size[1] / (low - top), MOST)
    wide, high = (px / max(scale, LEAST) for px in size)
    x, y, w, h = boxes[_focus(graph, boxes, focus)]
    # All of it stands in the middle; a cropped picture has the focus there, and nothing beyond the graph.
    across = (left + right - wide) / 2
    if right - left > wide:
        across = min(max(x + w / 2 - wide / 2, left), right - wide)
    down = (top + low - high) / 2
    if low - top > high:
        down = min(max(y + h / 2 - high / 2, top), low - high)
    return (across, down, wide, high), scale < LEAST


def _focus(graph: Graph, boxes: Mapping[str, tuple], wanted: str | None) -> str:
    regions = [name for region in graph.regions for name in sorted(region.nodes)]
    marked = [node.name for node in graph.nodes if node.rule.kind != FOLLOW or node.cut]
    last = [name for name in (wanted, graph.output) if name]
    return next(name for name in (*marked, *regions, *last, *boxes) if name in boxes)


def _wires(graph: Graph, placed: Layout, boxes: Mapping[str, tuple]) -> Iterator[tuple[str, int, Curve]]:
    for node in graph.nodes:
        x, y, _, h = boxes[node.name]
        wired = [(slot, name) for slot, name in node.wires if name in boxes]
        for at, (slot, name) in enumerate(wired):
            a, b, c, d = boxes[name]
            start, end = (a + c, b + d / 2), (x, y + h * (at + 1) / (len(wired) + 1))
            points = [start, *placed.bends.get((node.name, slot), ()), end]
            look = RULED if node.rule.kind == BACKWARD_AS and slot == len(node.slots) - 1 else WIRE
            yield node.name, slot, Curve(start, tuple(_through(points)), look)


def _through(points: list[Point]) -> Iterator[tuple[Point, Point, Point]]:
    """Yield cubic curves through the points, level at each, as canvas/svg.py draws them."""
    passed = False
    for at, ((x, y), (u, v)) in enumerate(pairwise(points)):
        if passed:
            passed = False
        elif at + 2 < len(points) and x > u > points[at + 2][0]:  # back to another row, at the height v
            end, low = points[at + 2]
            out, back = (MOST_TURN if abs(a - b) > MOST_TURN else 46 for a, b in ((y, v), (v, low)))
            yield (x + out, y), (x + out, v), (x, v)
            yield (x, v), (end, v), (end, v)
            yield (end - back, v), (end - back, low), (end, low)
            passed = True
        else:
            reach = (u - x) / 2 if u > x else 40 + (x - u) / 3
            yield (x + reach, y), (u - reach, v), (u, v)


def _cards(graph: Graph, boxes: Mapping[str, tuple], faces: Mapping[str, str]) -> Iterator[Shape]:
    for node in graph.nodes:
        x, y, w, h = boxes[node.name]
        look = (
            STOPPED
            if node.rule.kind == STOP
            else RULED
            if node.rule.kind != FOLLOW
            else OUTPUT_CARD
            if node.name == graph.output
            else INPUT_CARD
            if node.op == INPUT
            else CARD
        )
        yield Box(x, y, w, h, h / 2 if node.op == INPUT else 16, look)
        if node.rule.kind == STOP:
            yield Box(x - 5, y + 8, 10, h - 16, 5, BAR)
        if node.cut:
            yield Box(x + w + 16, y - 10, 5, h + 20, 2, CUT_LINE)
        yield Word(x + w / 2, y + h / 2, faces[node.name], TEXT)


def _marks(
    asked: Iterable[Quantity], boxes: Mapping[str, tuple], wires: Mapping[tuple[str, int], Curve]
) -> Iterator[Shape]:
    """Yield a question mark at the foot of each card, and on each wire, whose number is asked for."""
    for about in dict.fromkeys(asked):
        if about.of == PASSED and (about.node, about.slot) in wires:
            curve = wires[about.node, about.slot]
            (x, y), (u, v) = curve.start, curve.parts[-1][2]
            x, y = (x + u) / 2, (y + v) / 2
        elif about.of in (COTANGENT, VALUE) and about.node in boxes:
            left, top, w, h = boxes[about.node]
            x, y = left + w - MARK / 4, top + h - MARK / 8
        else:
            continue
        look = ASKED_VALUE if about.of == VALUE else ASKED_COTANGENT
        yield Box(x - MARK / 2, y - MARK / 2, MARK, MARK, MARK / 2, look)
        yield Word(x, y, "?", MARKED, look)


def _is_in(shape: Shape, view: tuple[float, float, float, float]) -> bool:
    """Return whether any of a shape may be in the picture."""
    if isinstance(shape, Word):
        x, y, w, h = shape.x - 200, shape.y - 20, 400, 40
    elif isinstance(shape, Box):
        x, y, w, h = shape.x, shape.y, shape.w, shape.h
    else:
        points = [shape.start, *(point for part in shape.parts for point in part)]
        x, y = (min(point[i] for point in points) for i in (0, 1))
        w, h = max(point[0] for point in points) - x, max(point[1] for point in points) - y
    left, top, wide, high = view
    return x <= left + wide and x + w >= left and y <= top + high and y + h >= top


# As SVG, whose colours a style sheet gives.


def svg(drawn: Sketch, size: tuple[float, float] = SIZE) -> str:
    """Return the sketch as an SVG element, which says nothing to screen readers; classes are the looks."""
    inside = "".join(map(_element, drawn.shapes))
    box = " ".join(map(_n, drawn.view))
    kind = "sketch cropped" if drawn.cropped else "sketch"
    return (
        f'<svg class="{kind}" viewBox="{box}" width="{size[0]}" height="{size[1]}" aria-hidden="true">'
        f"{inside}</svg>"
    )


def _n(number: float) -> str:
    return f"{number:.0f}"


def _element(shape: Shape) -> str:
    if isinstance(shape, Word):
        size = f' font-size="{_n(shape.size)}"' if shape.size != TEXT else ""
        look = f' class="on-{shape.look}"' if shape.look else ""
        return f'<text{look} x="{_n(shape.x)}" y="{_n(shape.y)}"{size}>{escape(shape.text)}</text>'
    if isinstance(shape, Box):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.w)}" height="{_n(shape.h)}"'
        return f'<rect class="{shape.look}" {place} rx="{_n(shape.radius)}"/>'
    parts = "".join("C" + " ".join(f"{_n(x)} {_n(y)}" for x, y in part) for part in shape.parts)
    return f'<path class="{shape.look}" d="M{_n(shape.start[0])} {_n(shape.start[1])}{parts}"/>'
