"""Offer the cures of explanations: a sentence, a button that mends and the edit that the button sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autodiff_viz.engine.diagnostics.differences import Difference
from autodiff_viz.engine.explain.cure import Cure
from autodiff_viz.engine.explain.nonfinite.cures import nonfinite_cure
from autodiff_viz.engine.explain.nonfinite.nonfinite_origin import nonfinite_origin
from autodiff_viz.engine.explain.zero.why_zero import cure_of_zero, why_zero
from autodiff_viz.engine.lints.lints import KINDS, lint_cure, lints
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.structure.bypass import returned_slot

NON_FINITE, ZERO = "non-finite", "zero"
"""Explanations that have cures: of the whole trace, and of a node."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an explanation found, without the graphs, so that a worker can send it.

    Attributes:
      of: the explanation.
      node: the node that it is about; None if it is about the whole trace.
      says: the sentence.
      mend: what its cure does; "" if it has none.
      changes: what the cure changes.
      at: the nodes that are the cause.
      wires: the wires that lead to them; of the whole trace the one at which it begins.
      later: of a lint, whether it matters only for a derivative that the graph does not take.
    """

    of: str
    node: str | None
    says: str
    mend: str = ""
    changes: str = ""
    at: tuple[str, ...] = ()
    wires: tuple[Wire, ...] = ()
    later: bool = False


def explained_zero(found: Trace, name: str, trained: bool = False) -> Explanation | None:
    """Return why nothing arrives at a node, or at single elements of it; None if all of it gets something.

    With `trained`, a step of a training is on view: a loss scale may be the cure. For single elements the way
    to the cause is not marked: that some units are silent is usual.
    """
    why = why_zero(found, name)
    if why is None:
        return None
    way = () if found.cotangent[name].any() else (why.at, why.path)
    cure = cure_of_zero(found, name, trained) if trained else None
    mend, changes = (cure.mend, cure.changes) if cure else (why.mend, why.changes)
    return Explanation(ZERO, name, why.sentence, mend, changes, *way)


def explained_non_finite(found: Trace) -> Explanation | None:
    """Return where NaN or infinity comes from; None where all numbers are finite."""
    origin = nonfinite_origin(found)
    if origin is None:
        return None
    carried = {(one.node, one.slot) for one in found.nonfinite_origins if one.carried}
    backward = (origin.backward,) if origin.backward and origin.backward not in carried else ()
    at = dict.fromkeys(name for name in (origin.forward, *(name for name, _ in backward)) if name)
    wires = tuple((name, slot) for name, slot in backward if slot not in (None, ARRIVING))
    return Explanation(NON_FINITE, None, origin.sentence, origin.mend, origin.changes, tuple(at), wires)


def explained_lints(
    found: Trace, differences: Mapping[str, Difference] | None = None
) -> tuple[Explanation, ...]:
    """Return the lints of a trace; `of` is the code, `node` the node or the checkpoint region."""
    return tuple(
        Explanation(
            of=lint.code,
            node=lint.where,
            says=f"{lint.message} {lint.hint}",
            mend=lint.button,
            changes=lint.changes,
            at=lint.nodes,
            later=lint.later,
        )
        for lint in lints(found, differences)
    )


def cure_of(found: Trace, of: str, node: str | None, trained: bool = False) -> Cure | None:
    """Return the cure of an explanation, or of a lint, of the trace; `trained` as of `explained_zero`.

    Raises:
      ValueError: there is no such explanation, or no such node.
    """
    if of == NON_FINITE:
        return nonfinite_cure(found)
    if of in KINDS:
        return lint_cure(found, of, node or "")
    if of != ZERO or node not in found.graph:
        raise ValueError(of)
    return cure_of_zero(found, node, trained)


def explanation_data(found: Explanation | None, graph: Graph) -> dict[str, Any] | None:
    """Return an explanation as data for the browser; empty fields are left out."""
    if found is None:
        return None
    data: dict[str, Any] = {"says": found.says}
    if found.mend:
        edit = {"kind": "mend", "of": found.of, "node": found.node, "mend": found.mend}
        label = f"Mend: {found.mend[0].lower()}{found.mend[1:]}"
        data |= {"label": label, "changes": found.changes, "edit": edit}
    if found.node is not None or found.at:
        data |= {"at": list(found.at), "wires": [wire_id(graph, wire) for wire in found.wires]}
    return data


def wire_id(graph: Graph, wire: Wire) -> str:
    """Return the browser's name of a wire; in a trace, a muted node has one slot."""
    name, slot = wire
    return f"{name}:{returned_slot(graph[name]) if graph[name].muted else slot}"
