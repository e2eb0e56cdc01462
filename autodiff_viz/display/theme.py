"""Share the look of all figures: colours, sizes, names, axes, and the one function that makes a figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.colours import dark, faded, light, rgb
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.graph.text import MINUS

# Larger type, for a projector: all in a figure that is measured in pixels grows, but not the width.


FACTOR, LEAST = 1.44, 20  # as `--type-scale` and `--type-least` in ui/assets/lab.css

_PX = frozenset({"height", "l", "r", "t", "b", "pad", "standoff", "ticklen", "shift", "xshift", "yshift"})
_BOX = {"xsizemode": frozenset({"x0", "x1"}), "ysizemode": frozenset({"y0", "y1"})}  # in pixels if "pixel"
_FONTS = frozenset({"font", "tickfont", "textfont", "insidetextfont", "outsidetextfont"})


def enlarged(figure: Any) -> dict[str, Any]:
    """Return a figure as a dictionary, with larger type and the room that it needs.

    Args:
      figure: a Plotly figure, or one as a dictionary.
    """
    parts = figure if isinstance(figure, dict) else figure.to_plotly_json()
    # Of a trace its fonts grow, and the scale of its colours; its sizes are in units of the data.
    data = [
        {name: _layout(part) if name == "colorbar" else _fonts(name, part) for name, part in trace.items()}
        for trace in parts["data"]
    ]
    return {**parts, "data": data, "layout": _layout(parts["layout"])}


def _layout(part: Any) -> Any:
    """Enlarge all in a layout that is measured in pixels."""
    if isinstance(part, list | tuple):
        return [_layout(one) for one in part]
    if not isinstance(part, Mapping):
        return part
    px = _PX.union(*(ends for mode, ends in _BOX.items() if part.get(mode) == "pixel"))
    return {
        name: part_of * FACTOR
        if name in px and isinstance(part_of, int | float)
        else max(2, round(part_of / FACTOR))
        if name == "nticks"  # the width does not grow
        else _written(part_of)
        if name in ("text", "ticktext")
        else _fonts(name, part_of)
        if name in _FONTS
        else _layout(part_of)
        for name, part_of in part.items()
    }


def _fonts(name: str, part: Any) -> Any:
    """Enlarge a font; other properties of a trace stay as they are."""
    if name not in _FONTS or "size" not in part:
        return part
    size = part["size"]
    return {**part, "size": [one * FACTOR for one in size] if isinstance(size, list) else size * FACTOR}


def _written(text: Any) -> Any:
    """Enlarge the pieces of a text that have sizes of their own."""
    if isinstance(text, list | tuple):
        return [_written(one) for one in text]
    if not isinstance(text, str):
        return text
    return re.sub(
        r"font-size:([\d.]+)px", lambda size: f"font-size:{max(float(size[1]) * FACTOR, LEAST):g}px", text
    )


# Colours and sizes, one colour per idea. A figure is the same in both themes, so the page replaces each of
# these colours by those of `IN_THEMES`; in a file they are legible on white and on near-black.
VALUE, COTANGENT, STOP = light("file-value"), light("file-cotangent"), light("file-stop")
RULE, CHECKPOINT, NEUTRAL = light("file-rule"), light("file-checkpoint"), light("file-quiet")
NEGATIVE = light("file-negative")
"""Of a cotangent below zero; `COTANGENT` is that of one above."""

IN_THEMES = {
    VALUE: "plot-value",
    COTANGENT: "plot-cotangent",
    STOP: "plot-stop",
    RULE: "plot-rule",
    CHECKPOINT: "plot-checkpoint",
    NEUTRAL: "quiet",
    NEGATIVE: "plot-negative",
}
"""By colour, the name of that of text, lines and marks on the page."""

BARS = {COTANGENT: "wire-positive", NEGATIVE: "wire-negative"}
"""Of bars, and of the squares that name them: the canvas's wires, whose colours are too faint for text."""

SQUARE = "\u25a0"


def css_of_colours() -> str:
    """Return the rules by which the page shows figures in the colours of its theme.

    The box under the pointer and the steps of a colour scale keep their own.
    """
    lines = []
    drawn = ".js-plotly-plot .main-svg > :not(.hoverlayer)"
    for colour, name in IN_THEMES.items():
        read = f"rgb{rgb(colour)}"  # as browsers write it
        for part in ("fill", "stroke"):
            marked = f':is([style*="{part}: {read}"], [style*="{part}:{colour}"])'  # shapes, words
            lines.append(f"{drawn} {marked}:not(.cbfill) {{ {part}: var(--av-{name}) !important; }}")
        told = f'.av-told :is([style*="color:{colour}"], [style*="color: {read}"])'
        lines.append(f"{told} {{ color: var(--av-{name}) !important; }}")
    for colour, name in BARS.items():
        bars = f'{drawn} .barlayer path[style*="fill: rgb{rgb(colour)}"]'
        lines.append(f"{bars} {{ fill: var(--av-{name}) !important; }}")
        square = f'.av-told [style*="color:{light(name)}"]'
        lines.append(f"{square} {{ color: var(--av-{name}) !important; }}")
    return "\n".join(lines) + "\n"


FAINT, STRIPE, BAND = faded(NEUTRAL, 0.3), faded(NEUTRAL, 0.07), faded(CHECKPOINT, 0.09)
CLEAR = faded(light("black"), 0)
RING, AROUND = light("ground"), faded(dark("ground"), 0.75)
"""Of a point: a light ring in a dark one, which is seen on every colour and page."""

TEXT, SMALL, TITLE, EXPONENT = 15, 14, 18, 12
"""Pixels; the smaller ones must be legible from the back of a classroom, once enlarged."""

LOW, LOW_UNDER_ONE = 186, 204
"""Pixels of a figure in a low dock: what has room at 1280x720 under two lines of words, and under one."""

HEADER = 52  # pixels above the drawing that a title takes; each line under it takes LINE
LINE = 21
EDGE = 10  # pixels left free at the left and right edge

MODE_BAR = {
    "orientation": "v",  # along the right edge, so that it covers no title
    "bgcolor": CLEAR,
    "color": NEUTRAL,
    "activecolor": VALUE,
    "remove": ["select", "lasso", "autoScale", "zoomIn", "zoomOut"],
}


def draw(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], key: str) -> go.Figure:
    """Return a figure on a transparent ground. Text takes its colour from the page.

    `key` identifies the drawing: while it stays the same, a redrawn figure keeps its zoom.
    """
    base = {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"size": SMALL},
        "hoverlabel": {"align": "left", "font": {"size": SMALL}},
        "dragmode": False,  # a finger on the figure scrolls the page; the mode bar offers zoom
        "modebar": MODE_BAR,
        "showlegend": False,
        "uirevision": key,
    }
    # Plotly's own checks of every property would take five times as long as the rest; the tests run them.
    return go.Figure({"data": list(traces), "layout": {**base, **layout}}, _validate=False)


def of_sign(number: float, colour: str = COTANGENT) -> str:
    """Return the colour of a mark that stands for a number: `colour`, or the one for numbers below zero."""
    return {COTANGENT: NEGATIVE, VALUE: NEUTRAL}[colour] if number < 0 else colour


def ink(text: str) -> str:
    """Return Plotly text in the colour of the page, instead of the theme's grey for axes."""
    return f"<span style='color:currentColor'>{text}</span>"


def power(base: int, exponent: int) -> str:
    """Return a power as Plotly text, whose exponent can be read: Plotly's own is 0.7 of the text's size."""
    raised = str(exponent).replace("-", MINUS)
    return f"{base}<sup><span style='font-size:{EXPONENT}px'>{raised}</span></sup>"


def heading(title: str, under: Sequence[str], height: int) -> dict[str, Any]:
    """Return the title of a figure of this height: one finding in bold, lines of explanation under it."""
    style = f"font-size:{SMALL}px;font-weight:normal"
    lines = "".join(f"<br><span style='{style}'>{line}</span>" for line in under)
    across = {"x": 0, "xref": "container", "xanchor": "left", "pad": {"l": EDGE}}
    down = {"y": 1 - TITLE / height, "yref": "container", "yanchor": "top"}
    return {"text": ink(f"<b>{title}</b>{lines}"), "font": {"size": TITLE}, **across, **down}


def top(under: Sequence[str]) -> int:
    """Return the pixels that a title with these lines under it takes."""
    return HEADER + LINE * len(under)


def axis(**settings: Any) -> dict[str, Any]:
    """Return an axis with a quiet grid and a clear zero."""
    line = {"gridcolor": FAINT, "gridwidth": 1, "zerolinecolor": NEUTRAL, "zerolinewidth": 1.5}
    return {
        **line,
        "showline": False,
        "tickfont": {"size": SMALL},
        "ticks": "",
        "automargin": False,
        **settings,
    }


def hidden_axis(**settings: Any) -> dict[str, Any]:
    """Return an invisible axis, which only sets positions."""
    return {"visible": False, "fixedrange": True, **settings}


def note(message: str, key: str) -> go.Figure:
    """Return a figure that says in words, as Plotly text, why there is nothing to draw."""
    text = {"text": ink(in_lines(message)), "font": {"size": TEXT}, "showarrow": False, "align": "left"}
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0.5, "xanchor": "left"}
    blank = {"xaxis": hidden_axis(), "yaxis": hidden_axis(), "height": 120}
    margin = {"l": EDGE, "r": EDGE, "t": EDGE, "b": EDGE}
    return draw([], {**blank, "margin": margin, "annotations": [{**text, **place}]}, key)


IN_A_LINE = 48  # characters of a note that fit beside the words of a figure at 1280 px, and on a phone


def in_lines(message: str) -> str:
    """Return Plotly text with a break wherever a line would be longer than `IN_A_LINE`."""
    lines = []
    for line in message.split("<br>"):
        lines.append("")
        for word in _WORD.findall(line):
            longer = f"{lines[-1]} {word}".lstrip()
            if len(_TAG.sub("", longer)) <= IN_A_LINE or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(word)
    return "<br>".join(lines)


# Names as Plotly text: escaped and short.


LABEL = 16  # characters of a name that fit beside a drawing on a phone
INDENT = "  "

_SIGNS = {"stop": ("⊘", STOP), "rule": ("◆", RULE)}
"""By colour of a kind of rule, its sign and the sign's colour in figures."""

_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"(?:<[^<>]*>|[^\s<])+")


def plain(name: str) -> str:
    """Return a name as Plotly text: characters that Plotly would read as a tag or an entity are escaped."""
    return escape(name, quote=False)


def short(name: str, length: int = LABEL) -> str:
    """Return a name as Plotly text, cut in the middle if long: the end often distinguishes names."""
    if len(name) > length:
        tail = length // 3
        name = f"{name[: length - tail - 1]}…{name[-tail:]}"
    return plain(name)


def coloured(text: str, colour: str) -> str:
    """Return Plotly text in a colour; `text` is escaped already."""
    return f"<span style='color:{colour}'>{text}</span>"


def square(colour: str) -> str:
    """Return the square that names bars of this colour."""
    return coloured(SQUARE, light(BARS[colour]) if colour in BARS else colour)


def width(text: str) -> int:
    """Return the number of visible characters of Plotly text."""
    return len(unescape(_TAG.sub("", text)))


def rule_mark(rule: Rule) -> str:
    """Return a sign and a word for a node's rule; "" for `follow`."""
    if rule.kind == FOLLOW:
        return ""
    kind = KINDS[rule.kind]
    sign, colour = _SIGNS[kind.colour]
    return coloured(f"{sign} {kind.label}", colour)


# Axes of signed sizes: linear, or symmetric logarithmic if the sizes span many decades.


WIDE = 1000.0  # largest over smallest size from which a linear axis would hide the small ones
STEPS = 3  # at most this many powers of ten are named on each side of zero
ROOM = 0.06  # share of the axis left free beyond the longest bar


@dataclass(frozen=True, slots=True)
class Scale:
    """Map from sizes to places on the axis.

    `unit` is 0 for a linear axis. Otherwise sizes far below it are drawn in proportion, and sizes far above
    it by their logarithm.
    """

    low: float
    high: float
    unit: float = 0.0

    def place(self, size: float) -> float:
        """Return the place of `size` (finite) on the axis."""
        return copysign(log10(1 + abs(size) / self.unit), size) if self.unit else size

    @property
    def range(self) -> list[float]:
        """The two ends of the axis, with zero between them."""
        low, high = self.place(self.low), self.place(self.high)
        room = ROOM * (high - low)
        return [low - room if low < 0 else 0.0, high + room if high > 0 else 0.0]

    def ticks(self, whole: bool = False) -> dict[str, Any]:
        """Return the ticks of the axis, at powers of ten if it is logarithmic; no fractions of counts."""
        if whole and not self.unit and self.high < 5:
            return {"dtick": 1}
        if not self.unit:
            return {"nticks": 5, "tickangle": 0}
        first, last = round(log10(self.unit)), floor(log10(max(-self.low, self.high)))
        powers = range(last, first, -max(1, ceil((last - first) / STEPS)))
        up = [10.0**one for one in powers if 10.0**one <= self.high]
        down = [-(10.0**one) for one in powers if 10.0**one <= -self.low]
        sizes = [*down, 0.0, *reversed(up)]  # powers come largest first
        texts = [
            f"{MINUS if size < 0 else ''}{power(10, round(log10(abs(size))))}" if size else "0"
            for size in sizes
        ]
        return {"tickvals": [self.place(size) for size in sizes], "ticktext": texts}


def scale_for(sizes: Iterable[float]) -> Scale:
    """Return an axis that shows all finite ones of `sizes`."""
    finite = [float(size) for size in sizes if isfinite(size)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if low >= 0 and high <= 0:
        return Scale(0.0, 1.0)
    smallest = min(abs(size) for size in finite if size)
    wide = max(-low, high) > WIDE * smallest
    return Scale(min(low, 0.0), max(high, 0.0), 10.0 ** floor(log10(smallest)) if wide else 0.0)
