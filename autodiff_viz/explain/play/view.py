"""List the steps of a pass for the browser, which shows one after the other without asking the server."""

from __future__ import annotations

from typing import Any

from autodiff_viz.display.numbers import fork_terms, short, wire_numbers, written
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.play.compute import FORWARD, PlayStep
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.model import GRAD, INPUT, Node
from autodiff_viz.graph.rule_kinds import FOLLOW, STOP
from autodiff_viz.graph.text import listed
from autodiff_viz.language.show import show_node

DIGITS = 4  # as on the cards
FORMULA = 34  # characters of a node's formula in an equation
WIRES = 3  # of a node, whose equations are written out


def _step(trace: Trace, step: PlayStep) -> dict[str, Any]:
    """Return one step; fields that are empty are left out."""
    node = trace.graph[step.node]
    forward = step.phase == FORWARD
    own = len(node.op_slots) if forward or step.again else len(node.slots)
    data = {
        "node": step.node,
        "back": not forward,
        "again": step.region if step.again else None,
        "dropped": step.again and not step.writes,
        "wires": [f"{step.node}:{slot}" for slot, _ in _drawn(node) if slot < own and _lit(step, slot)],
        "live": step.live,
        "says": _describe_step(trace, node, step),
    }
    return {key: value for key, value in data.items() if value or key == "live"}


def _drawn(node: Node) -> list[tuple[int, str]]:
    """Return the wires that a step may light; of a grad node the one to its x."""
    return [(slot, name) for slot, name in node.wires if node.op != GRAD or slot == BY]


def _lit(step: PlayStep, slot: int) -> bool:
    """Return whether the step uses the wire: a pullback passes something down it, a run reads it."""
    return step.again or step.phase == FORWARD or (step.node, slot) in step.writes


def _describe_step(trace: Trace, node: Node, step: PlayStep) -> str:
    """Return the step's equation with the present numbers."""
    if step.again:
        return _again(trace, node, step)
    return _ran(trace, node) if step.phase == FORWARD else _pulled_back(trace, node, step)


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
    if not step.writes:
        return f"{region}: {node.name} is not needed, so JAX drops it"
    if node.name in step.writes:
        return f"{region}: {_ran(trace, node)}"
    return f"{region}: of {node.name} = {_formula(node)} only the slope is needed"


def _pulled_back(trace: Trace, node: Node, step: PlayStep) -> str:
    parts = [_arrival(trace, node), _passed_back(trace, node, step)]
    return "; ".join(part for part in parts if part)


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
    return listed([_passed(trace, node, slot) for slot in slots], WIRES)


def _nothing_passed(node: Node) -> str:
    if node.rule.kind == STOP:
        return f"{node.name} stops it: nothing is passed on"
    if not node.wires:
        return f"{node.name} reads nothing, so it ends here"
    if node.rule.kind != FOLLOW:
        return f"the rule of {node.name} passes nothing on"
    return f"{node.name} is flat: nothing is passed on"


def _passed(trace: Trace, node: Node, slot: int) -> str:
    terms = wire_numbers(trace, node, slot)
    number = written(terms, DIGITS) or short(trace.passed[node.name, slot], DIGITS)
    return f"{number} goes to {node.slots[slot]}"
