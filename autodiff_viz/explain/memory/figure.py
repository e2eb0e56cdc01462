"""Draw what is live after each step of a pass, stacked by the node that computed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from autodiff_viz.display.colours import faded
from autodiff_viz.display.theme import (
    CHECKPOINT,
    CLEAR,
    COTANGENT,
    EDGE,
    LOW_UNDER_ONE,
    NEUTRAL,
    SMALL,
    VALUE,
    axis,
    draw,
    heading,
    ink,
    note,
    plain,
    short,
    square,
    top,
)
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.memory.compute import Memory, XlaMemory, memory, xla_memory
from autodiff_viz.explain.play.backward_program import Factor
from autodiff_viz.explain.play.compute import BACKWARD, FORWARD, LiveArray, PlayStep, totals
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import counted, listed

# What is live after a step in words


LISTED = 5  # arrays named at a step


def describe_step(step: PlayStep, name: str | None = None) -> str:
    """Return what happens in a step, in words."""
    name = step.node if name is None else name
    if step.phase == FORWARD:
        return f"{name} runs"
    if step.dropped:
        return f"{name} would run again, which JAX drops"
    if step.again:
        return f"the slope of {name} is made again" if step.slope_alone else f"{name} runs again"
    return f"the pullback of {name}"


def kind_of_array(array: LiveArray) -> str:
    """Return whether an array is a value, a factor of a derivative or a contribution to a cotangent."""
    if isinstance(array.array, Factor):
        return "factor"
    return "value" if isinstance(array.array, str) else "contribution"


def hover(measured: Memory, i: int) -> str:
    """Return what happens in a step and what is live after it, as Plotly text."""
    step, held = measured.steps[i], largest(measured, i)
    title = f"step {i + 1}, {step.phase}: after <b>{describe_step(step, plain(step.node))}</b>"
    live = f"{counted(step.live, 'element')} live, {counted(measured.bytes[i], 'byte')}"
    lines = [describe_array(measured, i, array, plain) for array in held[:LISTED]]
    more = [f"and {counted(len(held) - LISTED, 'other array')}"] if len(held) > LISTED else []
    return "<br>".join([title, live, *lines, *more])


def largest(measured: Memory, i: int) -> list[LiveArray]:
    """Return the arrays that are live after a step, largest first."""
    return sorted(measured.holds(i), key=lambda array: -array.elements)


def describe_array(measured: Memory, i: int, array: LiveArray, write: Callable[[str], str] = str) -> str:
    """Return who keeps what for whom after a step; `write` writes a name."""
    name, kind = write(array.node), kind_of_array(array)
    what = {
        "value": name,
        "factor": f"what the derivative of {name} needs",
        "contribution": f"what {name} passes",
    }[kind]
    later = [measured.steps[j] for j in array.reads if j > i]
    pulled = kind != "contribution" and all(step.phase == BACKWARD and not step.again for step in later)
    readers = listed([write(reader) for reader in measured.readers(array, i)], 3)
    return f"{what} ({array.elements:,}) for {'the pullback of ' if pulled else ''}{readers}"


MOST_NODES, MOST_STEPS = 300, 900  # of a figure that can be read
COMPILED = 150  # nodes up to which XLA is asked: it takes longer with each
APART = 10  # producers that have bars of their own
NAMED, SLANTED = 26, 16  # steps whose names fit under the axis, and whose slanted names fit
LEVEL, LONG = 36, 70  # letters of all names, as wide as the longest, that fit on a phone, in a wide window
CROWDED = 60  # steps from which bars would have no gaps
HEIGHT = 400  # pixels
WORDS, MARK = 24, 44  # pixels of the words at the top of the drawing, and of the peak's mark below them
KINDS = {"value": VALUE, "factor": CHECKPOINT, "contribution": COTANGENT}
"""By kind of array, its colour."""

AGAIN, DROPPED = "*", "\u2020"  # behind the name of a step
UNITS = ("elements", "bytes")


@dataclass(frozen=True, slots=True)
class Stack:
    """The arrays of one kind that one node computes; `node` is "" for all other nodes together."""

    node: str
    kind: str
    arrays: tuple[LiveArray, ...]


def memory_figure(trace: Trace, low: bool = False) -> go.Figure:
    """Draw a bar per step, as high as what is live after it, stacked by the node that computed it.

    Blue: values. Green: factors of derivatives, computed early. Orange: contributions to cotangents. The peak
    is marked, and where the forward pass ends. A step names what it leaves live, and who still reads it.
    """
    if words := _too_much(trace):
        return note(words, "memory")
    try:
        measured, xla = memory(trace), _xla(trace)
    except GraphError as error:
        return note(plain(error.problems[0].message), "memory")
    under = _explanation(measured, xla)
    height, steps = (LOW_UNDER_ONE + top(under) - EDGE if low else HEIGHT), len(measured.steps)
    at = measured.steps[measured.at_step]
    size = f"{counted(measured.peak, 'element')}, {counted(measured.bytes[measured.at_step], 'byte')}"
    title = f"Peak: {size}, after {describe_step(at, short(at.node))}"
    ticks = _ticks(measured)
    bottom = 46 if ticks.get("tickangle") == 0 or "nticks" in ticks else 62
    axis_height = height - top(under) - bottom - WORDS
    room = axis_height / (axis_height - MARK)
    turn = measured.turn + 0.5  # between the two passes
    line = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
    turn_line = {"type": "line", "xref": "x", "yref": "paper", "x0": turn, "x1": turn, "y0": 0, "y1": 1}
    layout = {
        "title": heading(title, under, height),
        "height": height,
        "margin": {"l": 58, "r": 42, "t": top(under), "b": bottom, "pad": 0},
        "barmode": "stack",
        "bargap": 0.06,
        "hovermode": "x",
        "xaxis": axis(range=[-0.6, steps - 0.4], showgrid=False, zeroline=False, **ticks),
        "yaxis": axis(
            domain=[0, axis_height / (axis_height + WORDS)],
            range=[0, measured.peak * room or 1],
            tickvals=_marks_up_to(measured.peak),
            title=_small("elements live"),
        ),
        "annotations": _annotations(measured),
        "shapes": [{**turn_line, "line": line}],
        "updatemenus": [_units(measured, room)],
    }
    return draw([*_bars(measured), _hovers(measured)], layout, f"memory {steps}")


def memory_text(trace: Trace) -> str:
    """Describe the figure in one sentence, for screen readers."""
    if words := _too_much(trace):
        return f"No chart of memory: {words}"
    try:
        measured, xla = memory(trace), _xla(trace)
    except GraphError as error:
        return f"No chart of memory: {error.problems[0].message}"
    at = measured.steps[measured.at_step]
    live = listed(
        [describe_array(measured, measured.at_step, array) for array in largest(measured, measured.at_step)],
        4,
    )
    elements, size = counted(measured.peak, "element"), counted(measured.bytes[measured.at_step], "byte")
    allocated = f"; XLA says {counted(xla.temporary, 'byte')} of its own" if xla else ""
    return (
        f"A bar chart of what is live after each of {counted(len(measured.steps), 'step')}: "
        f"the most is {elements}, {size}, after "
        f"{describe_step(at)}{f', which is {live}' if live else ''}; {counted(measured.kept, 'element')} "
        f"{'is' if measured.kept == 1 else 'are'} kept "
        f"for the backward pass{allocated}."
    )


def _too_much(trace: Trace) -> str:
    """Return why there is no figure; "" if there is one."""
    if not trace.graph.nodes:
        return "There is no node yet."
    # A node in regions of so many levels runs up to 2 to that power times, and its pullback once.
    graph = trace.graph
    depth = [sum(node.name in region.nodes for region in graph.regions) for node in graph.nodes]
    if len(graph.nodes) > MOST_NODES or sum(2**levels + 1 for levels in depth) > MOST_STEPS:
        return f"So many steps cannot be drawn: {MOST_NODES} nodes can, each in few regions."
    return ""


def _xla(trace: Trace) -> XlaMemory | None:
    return xla_memory(trace) if len(trace.graph.nodes) <= COMPILED else None


def _bars(measured: Memory) -> Iterator[dict[str, Any]]:
    steps = len(measured.steps)
    for i, stack in enumerate(_stacks(measured)):
        colour, opacity = KINDS[stack.kind], 0.92 if i % 2 else 0.62
        drawn = {"x": list(range(steps)), "y": _heights(stack, steps, "elements"), "hoverinfo": "skip"}
        if steps < CROWDED:
            marker = {"color": colour, "opacity": opacity, "line": {"width": 1, "color": colour}}
            yield {"type": "bar", "marker": marker, **drawn}
        else:  # a shape for a stack: a bar for each of its steps would be thousands of them
            line = {"shape": "hvh", "width": 0, "color": colour}
            yield {
                "type": "scatter",
                "mode": "lines",
                "stackgroup": "live",
                "fillcolor": faded(colour, opacity),
                "line": line,
                **drawn,
            }


def _heights(stack: Stack, steps: int, unit: str) -> tuple[int, ...]:
    return totals(steps, stack.arrays, unit)


def _stacks(measured: Memory) -> list[Stack]:
    """Return the arrays by node and kind, the largest nodes apart and the others together."""
    weight: dict[str, int] = {}
    for array in measured.arrays:
        span = array.reads[-1] - array.written
        weight[array.node] = weight.get(array.node, 0) + span * array.elements
    apart = sorted(weight, key=lambda name: -weight[name])[:APART]
    # "" is the rest, which is at the bottom of its kind.
    groups: dict[tuple[str, str], list[LiveArray]] = {}
    for array in measured.arrays:
        groups.setdefault((kind_of_array(array), array.node if array.node in apart else ""), []).append(array)
    kinds, places = [*KINDS], [step.node for step in measured.steps]
    ordered = sorted(groups, key=lambda key: (kinds.index(key[0]), places.index(key[1]) if key[1] else -1))
    return [Stack(node, kind, tuple(groups[kind, node])) for kind, node in ordered]


def _hovers(measured: Memory) -> dict[str, Any]:
    """Return an invisible line over the bars, whose points say in words what is live after each step."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(len(measured.steps))),
        "y": [step.live for step in measured.steps],
        "marker": {"color": CLEAR, "size": 1},
        "hovertext": [ink(hover(measured, i)) for i in range(len(measured.steps))],
        "hoverinfo": "text",
    }


def _ticks(measured: Memory) -> dict[str, Any]:
    if len(measured.steps) > NAMED:
        return {"title": _small("step of the pass"), "nticks": 12}
    names = [short(step.node, 9) + _mark(step) for step in measured.steps]
    letters = max(map(len, names)) * len(names)
    slant = -45 if len(names) <= SLANTED else -90
    if letters <= LEVEL:
        angle = {"tickangle": 0}
    elif letters < LONG:  # level in a wide window alone: Plotly decides
        angle = {"autotickangles": [0, slant]}
    else:
        angle = {"tickangle": slant}
    # Names that would touch are slanted: with a space at both ends Plotly sees them overlap.
    texts = [ink(f"\u00a0{name}\u00a0") for name in names]
    return {"tickvals": list(range(len(names))), "ticktext": texts, **angle}


def _mark(step: PlayStep) -> str:
    return (DROPPED if step.dropped else AGAIN) if step.again else ""


def _annotations(measured: Memory) -> list[dict[str, Any]]:
    text = {"showarrow": False, "font": {"size": SMALL}}
    middle = measured.turn + 0.5
    over = {"yref": "paper", "y": 1, "yanchor": "top", "x": middle}
    return [
        {**text, **over, "text": ink("forward"), "xanchor": "right", "xshift": -8},
        {**text, **over, "text": ink("backward"), "xanchor": "left", "xshift": 8},
        {
            **text,
            "x": measured.at_step,
            "y": measured.peak,
            "yanchor": "bottom",
            "text": _peak(measured.peak),
            "showarrow": True,
            "arrowhead": 2,
            "arrowcolor": NEUTRAL,
            "ax": 0,
            "ay": -16,
        },
    ]


def _units(measured: Memory, room: float) -> dict[str, Any]:
    """Return a button that shows bytes, and elements again; left of the axis, where no word is.

    Args:
      room: the length of the axis, of that of the highest bar.
    """
    stacks, changes = _stacks(measured), []
    for unit, live in zip(UNITS, ([step.live for step in measured.steps], list(measured.bytes)), strict=True):
        heights = [_heights(stack, len(measured.steps), unit) for stack in stacks]
        change = {
            "yaxis.range": [0, max(live) * room or 1],
            "yaxis.tickvals": _marks_up_to(max(live)),
            "yaxis.title.text": f"{unit} live",
            "annotations[2].y": live[measured.at_step],
            "annotations[2].text": _peak(live[measured.at_step]),
        }
        changes.append([{"y": [*heights, live]}, change])
    button = {"label": "bytes", "method": "update", "args": changes[1], "args2": changes[0]}
    look = {"bgcolor": CLEAR, "bordercolor": NEUTRAL, "font": {"size": SMALL}, "pad": {"t": 0, "b": 0}}
    place = {"x": 0, "xanchor": "right", "y": 1, "yanchor": "top"}
    # A button that is active at first would begin with `args2`.
    return {"type": "buttons", "active": -1, "showactive": False, "buttons": [button], **look, **place}


def _marks_up_to(peak: int) -> list[int]:
    """Return round numbers for the axis, no higher than the peak: above it stand the button and words."""
    steps = (digit * 10**power for power in range(16) for digit in (1, 2, 5))
    step = next(step for step in steps if 4 * step >= peak)
    return list(range(0, peak + 1, step))


def _peak(live: int) -> str:
    return ink(f"<b>peak</b> {live:,}")


def _small(text: str) -> dict[str, Any]:
    return {"text": text, "font": {"size": SMALL}, "standoff": 4}


def _explanation(measured: Memory, xla: XlaMemory | None) -> list[str]:
    marks = {_mark(step) for step in measured.steps}
    words = {AGAIN: "runs again", DROPPED: "would, JAX drops it"}
    again = "".join(f"{mark} {says}; " for mark, says in words.items() if mark in marks)
    lines = [
        f"{square(VALUE)} values {square(CHECKPOINT)} what derivatives need "
        f"{square(COTANGENT)} contributions to cotangents",
        f"{again}{counted(measured.kept, 'element')} kept for the backward pass",
    ]
    if xla is not None:
        lines.append(
            f"XLA's memory_analysis: {xla.temporary:,} bytes temporary, {xla.arguments:,} of arguments, "
            f"{xla.outputs:,} of outputs: it fuses ops and reuses buffers, so it is not this sum"
        )
    return lines
