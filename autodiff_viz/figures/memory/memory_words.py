"""Write in words what is live after a step, the node that computed it, and its readers."""

from __future__ import annotations

from collections.abc import Callable

from autodiff_viz.engine.explain.memory.backward_program import Factor
from autodiff_viz.engine.explain.memory.memory import Memory
from autodiff_viz.engine.explain.memory.play import BACKWARD, FORWARD, LiveArray, PlayStep
from autodiff_viz.figures.style.plotly_text import counted, plain
from autodiff_viz.graph.text.text_format import listed

LISTED = 5  # arrays named at a step


def step_said(step: PlayStep, name: str | None = None) -> str:
    """Return what happens in a step, in words."""
    name = step.node if name is None else name
    if step.phase == FORWARD:
        return f"{name} runs"
    return f"{name} runs again" if step.again else f"the pullback of {name}"


def kind_of_array(array: LiveArray) -> str:
    """Return whether an array is a value, a factor of a derivative or a contribution to a cotangent."""
    if isinstance(array.array, Factor):
        return "factor"
    return "value" if isinstance(array.array, str) else "contribution"


def hover(found: Memory, i: int) -> str:
    """Return what happens in a step and what is live after it, as Plotly text."""
    step, held = found.steps[i], largest(found, i)
    said = f"step {i + 1}, {step.phase}: after <b>{step_said(step, plain(step.node))}</b>"
    live = f"{counted(step.live, 'element')} live, {counted(found.bytes[i], 'byte')}"
    lines = [told(found, i, array, plain) for array in held[:LISTED]]
    more = [f"and {counted(len(held) - LISTED, 'other array')}"] if len(held) > LISTED else []
    return "<br>".join([said, live, *lines, *more])


def largest(found: Memory, i: int) -> list[LiveArray]:
    """Return the arrays that are live after a step, largest first."""
    return sorted(found.holds(i), key=lambda array: -array.elements)


def told(found: Memory, i: int, array: LiveArray, write: Callable[[str], str] = str) -> str:
    """Return who keeps what for whom after a step; `write` writes a name."""
    name, kind = write(array.node), kind_of_array(array)
    what = {"value": name, "factor": f"a factor of {name}", "contribution": f"what {name} passes"}[kind]
    later = [found.steps[j] for j in array.reads if j > i]
    pulled = kind != "contribution" and all(step.phase == BACKWARD and not step.again for step in later)
    readers = listed([write(reader) for reader in found.readers(array, i)], 3)
    return f"{what} ({array.elements:,}) for {'the pullback of ' if pulled else ''}{readers}"
