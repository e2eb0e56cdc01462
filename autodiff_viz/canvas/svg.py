"""Draw the canvas as SVG text, for notebooks: cards, wires and frames in the colours of the light theme.

It is made from the canvas's own data (canvas/drawing.py), with numbers that are written here, since there is
no browser to write them. It holds neither scripts nor addresses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from math import isfinite, sqrt
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from autodiff_viz.canvas.arrange import cards_of, folded_graph, outermost
from autodiff_viz.canvas.cards import WIDEST, WINDOW
from autodiff_viz.canvas.drawing import Picture, drawing
from autodiff_viz.canvas.layout.layering import port_offset
from autodiff_viz.canvas.layout.sugiyama import Space, layout
from autodiff_viz.canvas.records import ASKED, DASH, THINNEST, passed
from autodiff_viz.display.colours import light
from autodiff_viz.display.heatmap import ALPHABET, SHADES
from autodiff_viz.display.numbers import in_full, number_text, sign
from autodiff_viz.engine.live_path.check import diagnose, runnable
from autodiff_viz.engine.tolerance import norm
from autodiff_viz.engine.trace import Trace, trace, trace_part
from autodiff_viz.graph.model import Graph, Node
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.graph.rule_kinds import STOP as STOPPED
from autodiff_viz.graph.text import MINUS, counted
from autodiff_viz.ops.catalog import OPS

Data = Mapping[str, Any]
Point = tuple[float, float]

INK, QUIET, LINE, GROUND = light("ink"), light("quiet"), light("edge"), light("raised")
VALUE, COTANGENT, NEGATIVE = light("value"), light("cotangent"), light("negative")
STOP, RULE, CHECKPOINT = light("stop"), light("rule"), light("checkpoint")
COLOURS = {"stop": STOP, "rule": RULE}  # of a kind of rule
SIGNS = {-1: light("wire-negative"), 0: LINE, 1: light("wire-positive"), 2: QUIET}
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
WEIGHT = 600  # of text, unless it says another one
LETTER = 0.56  # of the font's size: width of a letter, on average
TURN, MORE_TURN, MOST_TURN = 46, 0.1, 80  # px by which a wire that comes back turns beyond its ends
WORDS, LINE_HIGH = 13.0, 20.0  # px of words below a picture
MARGIN, PAD, TAB = 34, 14, 18  # px around the picture, around the nodes of a frame, and of its name


def svg_of(graph: Graph, trace: Trace | None, says: str = "") -> str:
    """Return the picture of a graph with the numbers of `trace`, or without numbers.

    Args:
      trace: of the graph, or of the part of it that can be evaluated.
      says: words below it.
    """
    data = drawing(Picture(graph, trace, {}, (), None, 0)).data
    nodes = {node["id"]: node | _texts(node, trace) for node in data["nodes"]}
    scale = largest(trace)
    frames = [
        *_frames(data["groups"], nodes, QUIET, "none"),
        *_frames(data["regions"], nodes, CHECKPOINT, "9 6"),
    ]
    wires = (
        _wire(wire, nodes, passed(trace, graph[wire["to"]], wire["slot"]), scale) for wire in data["wires"]
    )
    left, top = (min(node[axis] for node in nodes.values()) - MARGIN for axis in "xy")
    width = max(node["x"] + node["w"] for node in nodes.values()) + MARGIN - left
    height = max(node["y"] + node["h"] for node in nodes.values()) + MARGIN - top
    inside = "".join([*frames, *wires, *(_card(node) for node in nodes.values())])
    output = next((node["id"] for node in data["nodes"] if node["isOutput"]), None)
    described = f"Graph of {len(data['nodes'])} nodes" + (f" with the output {output}" if output else "")
    return _svg((left, top, width, height), described, inside, says)


def _svg(view: tuple[float, float, float, float], described: str, inside: str, *says: str) -> str:
    """Write the element around a picture, of which `view` is (left, top, width, height), with words below."""
    left, top, width, height = view
    for line in filter(None, says):
        inside += _text(left + PAD, top + height + LINE_HIGH / 2, line, WORDS, QUIET, weight=400)
        width, height = max(width, 2 * PAD + WORDS * LETTER * len(line)), height + LINE_HIGH
    box = " ".join(map(_n, (left, top, width, height)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" aria-label={quoteattr(described)} '
        f'font-family={quoteattr(FONT)} font-weight="{WEIGHT}" '
        f'style="max-width: 100%; height: auto; background: {GROUND}">{inside}</svg>'
    )


_NAMES = (
    "ink",
    "quiet",
    "edge",
    "value",
    "cotangent",
    "negative",
    "stop",
    "rule",
    "checkpoint",
    "wire-negative",
    "wire-positive",
)


def css_of_pictures(inside: str) -> str:
    """Return the rules by which a page shows the pictures in an element in the colours of its theme.

    Args:
      inside: selector of the element.
    """
    rules = [
        f'{inside} [{part}="{light(name)}"] {{ {part}: var(--av-{name}); }}'
        for name in _NAMES
        for part in ("fill", "stroke")
    ]
    rules.append(f'{inside} rect[fill="{GROUND}"] {{ fill: var(--av-raised); }}')
    rules.append(f'{inside} text[fill="{GROUND}"] {{ fill: var(--av-ground); }}')
    return "\n".join(rules) + "\n"


def _texts(node: Data, trace: Trace | None) -> dict[str, str]:
    """Return the numbers of a node as text, short and in full."""
    unknown = "no cotangent yet" if node["connected"] else "no path to the output: nothing arrives"
    texts = {}
    for which, nothing in (("value", "no value yet"), ("cotangent", unknown)):
        array = getattr(trace, which)[node["id"]] if which in node else None
        asked = which in node.get("hidden", ())
        texts[which] = ASKED if asked else DASH if array is None else number_text(array)
        texts[f"{which}Full"] = nothing if array is None else in_full(array)
    return texts


def largest(trace: Trace | None) -> float:
    """Return the norm of the largest finite contribution; 0 without any."""
    sizes = [norm(array) for array in trace.passed.values()] if trace else []
    return max((size for size in sizes if isfinite(size)), default=0.0)


def thickness(passed: np.ndarray, scale: float) -> float:
    """Return the thickness: 0 for a zero contribution, 1 for the largest, and the square root between.

    Most contributions of a graph are within a tenth of the largest: its logarithm would not tell them apart.
    web/base/numbers.js computes the same for the canvas.
    """
    size = norm(passed)
    if size == 0:
        return 0.0
    if not isfinite(size) or scale == 0:
        return 1.0
    return round(min(1.0, max(THINNEST, sqrt(size / scale))), 3)


def _n(number: float) -> str:
    """Write a length in px."""
    return f"{number:.1f}".removesuffix(".0")


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    fill: str,
    anchor: str = "start",
    weight: int = WEIGHT,
    more: str = "",
) -> str:
    """Write a line of text; `anchor` is start, middle or end, `more` are other attributes."""
    attributes = [f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{fill}"']
    attributes += [f'font-weight="{weight}"'] * (weight != WEIGHT) + [f'text-anchor="{anchor}"'] * (
        anchor != "start"
    )
    attributes += [more] * bool(more)
    return f"<text {' '.join(attributes)}>{escape(_printable(text))}</text>"


def _printable(text: str) -> str:
    """Replace characters that XML does not have."""
    return "".join(c if c.isprintable() else " " for c in text)


def _fitted(text: str, room: float, most: float) -> float:
    """Return the size of font, of at most `most` px, at which a text fits into `room` px."""
    return max(6.0, min(most, room / (LETTER * max(len(text), 1))))


def _card(node: Data) -> str:
    """Draw a node: symbol and name, value and arriving cotangent, constants, rule and output."""
    w, h, rule = node["w"], node["h"], node["rule"]
    colour = COLOURS.get(KINDS[rule].colour) if rule != FOLLOW and rule in KINDS else None
    stroke = STOP if node.get("problem") else colour or (INK if node["isOutput"] else LINE)
    dash = ' stroke-dasharray="7 5"' if node["muted"] else ""
    tooltip = [node["id"], f"value {node['valueFull']}", f"cotangent {node['cotangentFull']}"]
    tooltip += filter(None, (node.get("problem"), node.get("warning")))
    parts = [
        f"<title>{escape(_printable(' '.join(tooltip)))}</title>",
        f'<rect width="{_n(w)}" height="{_n(h)}" rx="{26 if node["isInput"] else 10}" fill="{GROUND}" '
        f'stroke="{stroke}" stroke-width="{2 if stroke != LINE else 1.5}"{dash}/>',
        *(_tab(node) if node.get("tab") else _face(node)),
        f'<rect x="-3" y="5" width="6" height="{_n(h - 10)}" rx="3" fill="{STOP}"/>' * (rule == STOPPED),
    ]
    slots = node["slots"]
    for i, slot in enumerate(slots):
        if "constant" in slot:
            parts.append(_text(-7, h * (i + 1) / (len(slots) + 1) + 4.5, slot["constant"], 13, VALUE, "end"))
    if colour:
        words = " ".join(filter(None, (KINDS[rule].label, node["ruleText"])))
        parts.append(_chip(8, words, colour))
    if node["isOutput"]:
        parts.append(_chip(w - 8 - _chip_width("output"), "output", INK))
    place = f'transform="translate({_n(node["x"])} {_n(node["y"])})"'
    return f"<g data-id={quoteattr(_printable(node['id']))} {place}>{''.join(parts)}</g>"


def _face(node: Data) -> Iterator[str]:
    """Write symbol and name, and below them the numbers or the pictures."""
    symbol, name, room = node["symbol"], node["id"], node["w"] - 22
    # An input's symbol is its name, so the word for it stands where other cards have their names.
    what = ("parameter" if node["isParameter"] else "input") if node["isInput"] and symbol == name else name
    yield _text(12, 24, symbol, _fitted(symbol, 0.5 * room, 20), INK)
    yield _text(node["w"] - 11, 23, what, _fitted(what, 0.45 * room, 12.5), QUIET, "end", 400)
    yield f'<path d="M11 33H{_n(node["w"] - 11)}" stroke="{LINE}"/>'
    yield from _pictures(node) if "heat" in node else _numbers(node)


def _ink(cotangent: str) -> str:
    """Return the colour of a cotangent's number."""
    return NEGATIVE if cotangent.startswith(MINUS) else COTANGENT


def _tab(node: Data) -> Iterator[str]:
    """Write the name of a parameter below its layer, with value and cotangent."""
    right, room = node["w"] - 11, 0.5 * node["w"] - 16
    yield _text(11, node["h"] / 2 + 4.5, node["id"], _fitted(node["id"], room, 12.5), INK)
    for text, y, fill in ((node["value"], 18, VALUE), (node["cotangent"], 36, _ink(node["cotangent"]))):
        yield _text(right, y, text, _fitted(text, room, 13), fill, "end")


def _numbers(node: Data) -> Iterator[str]:
    """Write value and cotangent one below the other."""
    middle, room = (33 + node["h"]) / 2, node["w"] - 34
    for text, y, fill, mark in (
        (node["value"], middle - 4.5, VALUE, "M11 {0}l6 4.5-6 4.5z"),
        (node["cotangent"], middle + 16, COTANGENT, "M17 {0}l-6 4.5 6 4.5z"),
    ):
        yield f'<path d="{mark.format(_n(y - 10))}" fill="{fill}"/>'
        written = fill if fill == VALUE else _ink(text)
        yield _text(node["w"] - 11, y, text, _fitted(text, room, 16), written, "end")


def _pictures(node: Data) -> Iterator[str]:
    """Draw the heat-maps of value and cotangent side by side, with the norms below."""
    heat, half = node["heat"], (node["w"] - 30) / 2
    for i, (which, fill) in enumerate((("value", VALUE), ("cotangent", COTANGENT))):
        left, cells = 11 + i * (half + 8), heat.get(which, "")
        if cells:
            yield from _cells(cells, heat["columns"], left, half, node["h"] - 66, which, fill)
        yield _text(
            left + half / 2, node["h"] - 9, node[which], _fitted(node[which], half, 13), fill, "middle"
        )


def _cells(
    cells: str, columns: int, left: float, width: float, height: float, which: str, fill: str
) -> Iterator[str]:
    """Draw one square for each cell that is not zero; a negative one has the colour of negative numbers.

    The squares of a shade are one path: pages have up to thousands of them.
    """
    rows = len(cells) // columns
    side = min(width / columns, height / rows)
    x, y = left + (width - side * columns) / 2, 40 + (height - side * rows) / 2
    squares: dict[int, list[str]] = {}
    for i, letter in enumerate(cells):
        level = ALPHABET.index(letter) - SHADES
        if level:
            squares.setdefault(level, []).append(f"M{i % columns} {i // columns}h1v1h-1z")
    yield f'<g class="cells {which}" transform="translate({_n(x)} {_n(y)}) scale({side:.3f})">'
    for level, paths in squares.items():
        shade = STOP if level > SHADES else fill if level > 0 else SIGNS[-1]
        strength = min(1.0, (abs(level) / SHADES) ** 0.8)
        yield f'<path d="{"".join(paths)}" fill="{shade}" fill-opacity="{strength:.2f}"/>'
    yield "</g>"
    frame = f'x="{_n(x)}" y="{_n(y)}" width="{_n(side * columns)}" height="{_n(side * rows)}"'
    yield f'<rect {frame} fill="none" stroke="{LINE}"/>'


def _chip_width(text: str) -> float:
    return 12 + 11.5 * LETTER * len(text)


def _chip(x: float, text: str, fill: str) -> str:
    """Write a rule, or that the node is the output, above the card on a ground of its colour."""
    width = _chip_width(text)
    back = f'<rect x="{_n(x)}" y="-10" width="{_n(width)}" height="19" rx="6" fill="{fill}"/>'
    fitted = f'textLength="{_n(width - 12)}" lengthAdjust="spacingAndGlyphs"'  # whatever the font
    return back + _text(x + width / 2, 3.5, text, 11.5, GROUND, "middle", more=fitted)


def _wire(wire: Data, nodes: Mapping[str, Data], passed: np.ndarray | None, scale: float) -> str:
    """Draw a wire: thickness and colour show the size and the sign of what it passes back."""
    source, target = nodes[wire["from"]], nodes[wire["to"]]
    start = (source["x"] + (0 if source.get("tab") else source["w"]), source["y"] + source["h"] / 2)
    end = (target["x"], target["y"] + target["h"] * (wire["slot"] + 1) / (len(target["slots"]) + 1))
    signed = 0 if passed is None else sign(passed)
    nothing = passed is not None and signed == 0 and not wire["alternative"]
    colour = RULE if wire["alternative"] else QUIET if nothing else SIGNS[signed]
    dashes = "1 7" if wire["alternative"] else "5 5" if nothing else ""
    line = "" if nothing else ' stroke-linecap="round"'
    line += f' stroke-dasharray="{dashes}"' if dashes else ""
    width = 1.5 + 5 * (0.0 if passed is None else thickness(passed, scale))
    number = ASKED if wire.get("hidden") else "nothing known" if passed is None else in_full(passed)
    tooltip = f"{wire['from']} to {wire['to']}: passes {number}"
    if source.get("tab"):  # from it up to the slot of its layer, past their left edges
        (x, y), (u, v) = start, end
        out = 20 + 0.12 * abs(y - v)
        path = f"M{_n(x)} {_n(y)}C{_points((x - out, y, u - out, v, u, v))}"
    else:
        path = _curve([start, *map(tuple, wire["via"]), end])
    return (
        f'<path data-wire="{wire["slot"]}" d="{path}" fill="none" '
        f'stroke="{colour}" stroke-width="{_n(width)}"{line}>'
        f"<title>{escape(_printable(tooltip))}</title></path>"
    )


def _curve(points: list[Point]) -> str:
    """Return a cubic path through the points, level at each, as web/canvas/state/geometry.js draws it."""
    path, passed = f"M{_n(points[0][0])} {_n(points[0][1])}", False
    for i, ((x, y), (u, v)) in enumerate(pairwise(points)):
        if passed:
            passed = False
        elif i + 2 < len(points) and x > u > points[i + 2][0]:
            path, passed = path + _way_back(*points[i : i + 3]), True
        else:
            across = u - x
            reach = max(across / 2, min(30.0, across)) if across >= 0 else 40 - across / 3
            path += f"C{_n(x + reach)} {_n(y)} {_n(u - reach)} {_n(v)} {_n(u)} {_n(v)}"
    return path


def _way_back(start: Point, over: Point, end: Point) -> str:
    """Return the path of a wire to a node on the left, which comes back at a height between them."""
    (x, y), (_, middle), (u, v) = start, over, end
    out, back = x + _turn(y, middle), u - _turn(middle, v)
    turns = (out, y, out, middle, x, middle), (back, middle, back, v, u, v)
    return f"C{_points(turns[0])}L{_n(u)} {_n(middle)}C{_points(turns[1])}"


def _turn(start: float, end: float) -> float:
    """Return the px by which a wire that comes back turns beyond its ends."""
    return min(TURN + MORE_TURN * abs(end - start), MOST_TURN)


def _points(numbers: Iterable[float]) -> str:
    return " ".join(map(_n, numbers))


def _frames(frames: Iterable[Data], nodes: Mapping[str, Data], colour: str, dash: str) -> Iterator[str]:
    """Draw a frame around the nodes of each region or group, with its name."""
    for frame in sorted(frames, key=lambda frame: -len(frame["nodes"])):
        held = [nodes[name] for name in frame["nodes"] if name in nodes]
        if held:
            x, y = min(n["x"] for n in held) - PAD, min(n["y"] for n in held) - PAD - TAB
            w = max(n["x"] + n["w"] for n in held) + PAD - x
            h = max(n["y"] + n["h"] + n["foot"] for n in held) + PAD - y
            yield (
                f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="14" fill="{colour}" '
                f'fill-opacity="0.05" stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>'
            )
            yield _text(x + 12, y + 15, frame["name"], 12, colour)


# The picture of a graph or a trace in a notebook.


def picture(thing: Graph | Trace, says: str = "") -> str | None:
    """Return the canvas's picture as an SVG element; None for a graph without nodes.

    A graph has the numbers of its own inputs, as far as it can be evaluated.

    Args:
      says: words below it.
    """
    graph = thing.graph if isinstance(thing, Trace) else thing
    if not graph.nodes:
        return None
    return svg_of(graph, thing if isinstance(thing, Trace) else _traced(graph), says)


def _traced(graph: Graph) -> Trace | None:
    """Trace a graph, or the part of it that has no problems; None if nothing can be evaluated."""
    try:
        return trace(graph)
    except GraphError as error:
        problems = diagnose(graph) or error.problems
    try:
        return trace_part(runnable(graph, problems))
    except GraphError:
        return None


# The overview of a graph that is too large for that.

CARDS = 20  # of an overview: a cell of a notebook then has less than 40 kB
CARD = (150.0, 52.0)  # px of each


class Overview(NamedTuple):
    """A picture without numbers, and what of the graph is in it: a sentence, which is in the picture too."""

    svg: str
    says: str


def overview(graph: Graph, more: str = "") -> Overview:
    """Draw a large graph: outermost groups as one card each, of many cards those nearest to the output.

    Args:
      more: words below those that say so.
    """
    card_of = cards_of(graph, outermost(graph))
    folded = folded_graph(graph, card_of)[0]
    shown = _nearest(folded, card_of.get(graph.output or "", graph.output))
    grouped = "with each outermost group as one card" if card_of else ""
    if len(shown) < len(folded.nodes):
        which = f"the {len(shown)} nearest to the output" if graph.output else f"the last {len(shown)}"
        says = ", ".join(filter(None, (f"Of {counted(len(graph.nodes), 'node')}", grouped, which)))
    else:
        says = ", ".join(filter(None, (counted(len(graph.nodes), "node"), grouped)))
    says += ". The lab shows all of them: av.lab(graph)."
    # What is not shown is an empty slot here, so that ports stay in their places.
    nodes = [
        replace(node, slots=tuple(s if s in shown else None for s in node.slots), position=None)
        for node in folded.nodes
        if node.name in shown
    ]
    return Overview(_overview(nodes, Counter(card_of.values()), (says, more)), says)


def _nearest(graph: Graph, output: str | None) -> set[str]:
    """Return the names of at most `CARDS` nodes: those from which the fewest wires lead to the output."""
    if output is None:
        return {node.name for node in order(graph)[-CARDS:]}
    shown = [output]
    for name in shown:  # grows on the way
        new = dict.fromkeys(read for _, read in graph[name].wires if read in graph and read not in shown)
        shown += [*new][: CARDS - len(shown)]
    return {*shown}


def _overview(nodes: list[Node], inside: Mapping[str, int], says: tuple[str, ...]) -> str:
    """Draw nodes, and cards of groups with the number of nodes inside."""
    placed = layout(Graph(tuple(nodes), (), None, ()), Space(lambda node: CARD, widest=WIDEST, window=WINDOW))
    (w, h), at = CARD, placed.positions
    wires = [
        _curve([(at[name][0] + w, at[name][1] + h / 2), *placed.bends.get((node.name, slot), ()), end])
        for node in nodes
        for slot, name in node.wires
        for end in [(at[node.name][0], at[node.name][1] + h / 2 + port_offset(node, h, slot))]
    ]
    parts = [f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.5"/>' for path in wires]
    for node in nodes:
        (x, y), size = at[node.name], inside.get(node.name)
        name = node.name.removeprefix("group ") if size else node.name
        what = counted(size, "node") if size else OPS[node.op].symbol if node.op in OPS else node.op
        parts += [
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="10" fill="{GROUND}" '
            f'stroke="{QUIET if size else LINE}" stroke-width="1.5"/>',
            _text(x + 11, y + 22, name, _fitted(name, w - 22, 16), INK),
            _text(x + 11, y + 41, what, _fitted(what, w - 22, 12.5), QUIET, weight=400),
        ]
    left, top = min(x for x, _ in at.values()) - MOST_TURN, min(y for _, y in at.values()) - MARGIN
    width = max(x for x, _ in at.values()) + w + MOST_TURN - left
    height = max(y for _, y in at.values()) + h + MARGIN - top
    return _svg((left, top, width, height), says[0], "".join(parts), *says)
