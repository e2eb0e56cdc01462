"""List the steps of a pass for the browser, which shows one after the other without asking the server."""

from __future__ import annotations

from typing import Any

from autodiff_viz.display.numbers import fork_terms, short, wire_numbers, written
from autodiff_viz.engine.trace import ARRIVES, PASSED, VALUE, Trace
from autodiff_viz.explain.explanation import ExplanationKind
from autodiff_viz.explain.play.compute import FORWARD, PlayStep, play
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import listed
from autodiff_viz.language.show import show_node

DIGITS = 4  # as on the cards
FORMULA = 34  # characters of a node's formula in an equation
WIRES = 3  # of a node, whose equations are written out


def step_data(trace: Trace, step: PlayStep, shown: Trace | None = None) -> dict[str, Any]:
    """Return one step; fields that are empty are left out.

    Args:
      shown: the trace as it is on view, if that hides numbers: an equation with one of them is not written.
    """
    node = trace.graph[step.node]
    forward = step.phase == FORWARD
    runs = forward or step.again
    # A run reads the slots of the op, without the alternative of a rule; a pullback lights what it passes
    # something down. Of a grad node, which does not read its z, it is the wire to its x.
    drawn = [slot for slot, _ in node.wires if node.op != GRAD or slot == BY]
    lit = [s for s in drawn if (s < len(node.op_slots) if runs else (step.node, s) in step.writes)]
    if shown is not None and runs and (VALUE, node.name) in shown.hidden:
        says = f"{node.name} = {_formula(node)} = ?"
    elif shown is not None and not runs:
        says = "; ".join(
            filter(None, (_arrives_of(trace, shown, node), _passes_of(trace, shown, node, step)))
        )
    elif step.again:
        says = _again(trace, node, step)
    elif forward:
        says = _ran(trace, node)
    else:
        says = "; ".join(filter(None, (_arrival(trace, node), _passed_back(trace, node, step))))
    data = {
        "node": step.node,
        "back": not forward,
        "again": step.region if step.again else None,
        "dropped": step.dropped,
        "slope": step.slope_alone,
        "wires": [f"{step.node}:{slot}" for slot in lit],
        "live": step.live,
        "says": says,
    }
    return {key: value for key, value in data.items() if value or key == "live"}


def _arrives_of(trace: Trace, shown: Trace, node: Node) -> str:
    """Return what arrives, as far as it is on view."""
    if (ARRIVES, node.name) in shown.hidden:
        return f"? arrives at {node.name}"
    wires = {(PASSED, *wire) for wire in consumers(shown.graph)[node.name]}
    if wires.isdisjoint(shown.hidden):
        return _arrival(trace, node)
    return f"{short(trace.cotangent[node.name], DIGITS)} arrives at {node.name}"


def _passes_of(trace: Trace, shown: Trace, node: Node, step: PlayStep) -> str:
    """Return what the node passes back, as far as it is on view."""
    if not shown.hides(node.name):
        return "" if node.op == INPUT else _passed_back(trace, node, step)
    return "what it passes back is asked for" if node.wires else ""


def _ran(trace: Trace, node: Node) -> str:
    value = short(trace.value[node.name], DIGITS)
    if node.op == INPUT:
        return f"{node.name} = {value}"
    return f"{node.name} = {_formula(node)} = {value}"


def _formula(node: Node) -> str:
    text = show_node(node)
    return text if len(text) <= FORMULA else text[: FORMULA - 1] + "\u2026"


def _again(trace: Trace, node: Node, step: PlayStep) -> str:
    region = f"\u201c{step.region}\u201d runs again"
    if step.dropped:
        return f"{region}: {node.name} is not needed, so JAX drops it"
    if step.slope_alone:
        return f"{region}: of {node.name} = {_formula(node)} only the slope is needed"
    return f"{region}: {_ran(trace, node)}"


def _arrival(trace: Trace, node: Node) -> str:
    """Return what arrives, where it is not simply what one wire has passed."""
    if fork := fork_terms(trace.graph, trace, node.name):
        return f"{written(fork, DIGITS, is_sum=True)} arrives at {node.name}"
    if node.name == trace.output:
        return f"the seed {short(trace.seed, DIGITS)} arrives at {node.name}"
    return ""


def _passed_back(trace: Trace, node: Node, step: PlayStep) -> str:
    """Return what the node passes down its wires."""
    if node.op == INPUT:
        return f"the gradient of {node.name} is {short(trace.gradient[node.name], DIGITS)}"
    slots = [wire[1] for wire in step.writes if isinstance(wire, tuple)]
    if not slots:
        return _nothing_passed(node)
    parts = []
    for slot in slots:
        number = written(wire_numbers(trace, node, slot), DIGITS)
        number = number or short(trace.passed[node.name, slot], DIGITS)  # no equation of it is written
        parts.append(f"{number} goes to {node.slots[slot]}")
    return listed(parts, WIRES)


def _nothing_passed(node: Node) -> str:
    if node.rule.kind == STOP:
        return f"{node.name} stops it: nothing is passed on"
    if not node.wires:
        return f"{node.name} reads nothing, so it ends here"
    if node.rule.kind != FOLLOW:
        return f"the rule of {node.name} passes nothing on"
    return f"{node.name} is flat: nothing is passed on"


PLAY = ExplanationKind(
    key="play",
    what_it_says="The steps of the pass in the order in which JAX runs them.",
    public=("play",),
    compute=lambda trace, _: play(trace),
    row="steps of the pass",
)
