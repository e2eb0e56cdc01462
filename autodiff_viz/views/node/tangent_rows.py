"""Show forward mode of the selected node: local x tangent = passed on for each wire into it."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff_viz.engine.diagnostics.op_derivative import local_derivative
from autodiff_viz.engine.explain.derivatives.forward_mode import Tangents
from autodiff_viz.engine.live_path.tangents import FORWARD, OF_THE_OP
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.text.text_format import scalar
from autodiff_viz.views.canvas.cards import in_full
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.node.terms import Terms, added, place
from autodiff_viz.views.numbers import bracketed, short

DIGITS = 6
TANGENT = "tangent"
BLOCKED = "Blocked: jax.jvp raises a TypeError at this rule, a custom_vjp."
UNKNOWN = "Unknown: forward mode is blocked before it."
HELP = "How fast this input moves in forward mode; 0 keeps it still."


class TangentRows(NamedTuple):
    """What the panel says in forward mode; empty while it is off.

    Attributes:
      tangent: of the node, as text.
      added: the tangent as the sum of what its wires add.
      wires: for each wire into the node, in order, local x tangent = passed on, in pieces with their roles.
    """

    tangent: str = ""
    added: Terms = ()
    wires: tuple[Terms, ...] = ()


def tangent_rows(found: Tangents | None, name: str) -> TangentRows:
    """Return the rows of a node."""
    if found is None or name not in found.graph:
        return TangentRows()
    node = found.graph[name]
    wires = tuple(_wire(found, name, slot, read) for slot, read in node.wires)
    if name in (*found.blocked, *found.aside):
        return TangentRows(BLOCKED, (), wires)
    if name not in found.tangent:
        return TangentRows(UNKNOWN, (), wires)
    return TangentRows(in_full(found.tangent[name]), _added(found, name), wires)


def _added(found: Tangents, name: str) -> Terms:
    """Return the tangent as a sum, if several wires add to it and all are scalars."""
    wires = [(name, slot) for slot, _ in found.graph[name].wires if (name, slot) in found.passed]
    parts = {wire: found.passed[wire] for wire in wires}
    parts = {wire: part for wire, part in parts.items() if part.any() or part.ndim}
    if len(parts) < 2 or any(part.ndim for part in parts.values()):
        return ()
    total = scalar(float(found.tangent[name]), DIGITS)
    terms = [(bracketed(part, DIGITS), "", place("pushed", *wire)) for wire, part in parts.items()]
    return (*added(terms), (" = ", ""), (total, "", place("tangent", name)))


def _wire(found: Tangents, name: str, slot: int, read: str) -> Terms:
    """Return local x tangent = passed on, with numbers where they are scalars."""
    node, wire = found.graph[name], (name, slot)
    if read not in found.tangent or wire not in found.passed:
        return ()
    tangent, passed = found.tangent[read], found.passed[wire]
    if tangent.ndim or passed.ndim:
        return (("passes on ", ""), (short(passed, DIGITS), TANGENT, place("pushed", *wire)))
    local = local_derivative(found.trace, name, slot) if FORWARD[node.rule.kind] == OF_THE_OP else None
    moves = (bracketed(tangent, DIGITS), TANGENT, place("tangent", read))
    adds = (bracketed(passed, DIGITS), TANGENT, place("pushed", *wire))
    if local is None:
        return (moves, (" \u2192 ", ""), adds)
    return ((bracketed(local, DIGITS), "", place("local", *wire)), (" \u00d7 ", ""), moves, (" = ", ""), adds)


def tangent_field(lab: Lab, name: str) -> list[dict[str, Any]]:
    """Return the field of an input's tangent, while forward mode is on."""
    if lab.forward is None or lab.graph[name].op != INPUT:
        return []
    value = dict(lab.forward).get(name, 0.0)
    edit = {"kind": "tangent", "node": name}
    return [
        {
            "id": "tangent",
            "label": "Tangent",
            "type": "number",
            "value": f"{value:g}",
            "help": HELP,
            "edit": edit,
        }
    ]
