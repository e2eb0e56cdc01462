"""Build cures: edits that mend what an explanation found, with the words for a button."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from autodiff_viz.engine.trace import Trace, exact_inputs, trace
from autodiff_viz.graph import edits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.frames import frame_problems
from autodiff_viz.graph.model import Graph, Rule, Slot
from autodiff_viz.graph.order import consumers
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.graph.subgraph import graft
from autodiff_viz.language.parse import parse_addition
from autodiff_viz.language.printer import show_operand

SAME_VALUES = "No value changes."


@dataclass(frozen=True, slots=True)
class Cure:
    """An edit that mends what an explanation found.

    Attributes:
      edit: returns the mended graph, of a graph with the nodes of the trace that was explained; muted nodes
        and groups, which a trace does not have, stay.
      mend: what it does, as the text of a button.
      changes: what becomes different and what does not, as a sentence.
      dtype: that the graph is to be computed in from now on; "" for the present one.
      loss_scale: that a training is to have from now on; 0 for the present one.
    """

    edit: Callable[[Graph], Graph]
    mend: str
    changes: str
    dtype: str = ""
    loss_scale: float = 0.0


def joined(cures: Iterable[Cure]) -> Cure:
    """Return one cure that applies all of these in order; the same text is said once."""
    cures = tuple(cures)

    def edit(graph: Graph) -> Graph:
        for cure in cures:
            graph = cure.edit(graph)
        return graph

    mends = [cure.mend for cure in cures]
    # One sentence for a button: "Remove the stop at a, leak the relu b".
    texts = [*dict.fromkeys([*mends[:1], *(f"{mend[0].lower()}{mend[1:]}" for mend in mends[1:])])]
    sentences = [*dict.fromkeys(cure.changes for cure in cures)]
    if not all(SAME_VALUES in each for each in sentences):  # what one of them leaves, another changes
        sentences = [each.replace(SAME_VALUES, "").strip() for each in sentences]
    changes = " ".join(filter(None, sentences))
    # Of dtypes the last one is in force; of loss scales the largest saves all that the others save.
    dtype = next((cure.dtype for cure in reversed(cures) if cure.dtype), "")
    return Cure(edit, ", ".join(texts), changes, dtype, max(cure.loss_scale for cure in cures))


def without_rules(names: Iterable[str], mend: str, changes: str) -> Cure:
    """Return the cure that removes the rules of these nodes."""

    def edit(graph: Graph) -> Graph:
        for name in names:
            graph = edits.with_rule(graph, name, Rule(FOLLOW))
        return graph

    return Cure(edit, mend, changes)


def retraced(found: Trace, cure: Cure) -> Trace | None:
    """Trace the cured graph with the inputs and the seed of `found`; None if that is no valid graph.

    A loss scale of the cure takes the place of the seed; with another dtype, inputs have all their digits.
    """
    try:
        graph = cure.edit(found.graph)
        # The trace has rounded its inputs: in a wider dtype the graph's own numbers are wanted.
        known = exact_inputs(found) if cure.dtype else found.inputs
        inputs = {name: value for name, value in known.items() if name in graph}
        seed = np.asarray(cure.loss_scale, found.dtype) if cure.loss_scale else found.seed
        return trace(graph, inputs, seed, dtype=cure.dtype or found.dtype)
    except GraphError:
        return None


def wider(found: Trace) -> Iterator[Cure]:
    """Yield the cures that compute the same graph in a dtype with more bits."""
    for dtype in (FLOAT32, FLOAT64):
        if DTYPES[dtype].bits > DTYPES[found.dtype].bits:
            yield Cure(
                lambda graph: graph,
                f"Compute in {dtype}",
                f"All numbers are {dtype} in place of {found.dtype}.",
                dtype=dtype,
            )


def written(slot: Slot) -> str:
    """Return what a slot holds as text for an expression."""
    return slot if isinstance(slot, str) else show_operand(slot).text


def fed(graph: Graph, target: str, slot: int, text: str) -> Graph:
    """Put an expression into a slot of `target`; its nodes join the regions and groups of `target`."""
    after, last = _added(graph, text, target)
    return _accepted(graph, edits.with_slot(after, target, slot, last))


def rewritten(graph: Graph, name: str, text: str, unread: Iterable[str] = ()) -> Graph:
    """Replace the op of a node by an expression; name, readers and rule stay.

    Args:
      unread: nodes that are deleted if nothing reads them any more.
    """
    after, last = _added(graph, text, name)
    # The node takes the place of the expression's last one, which is deleted: so its readers stay.
    root = after[last]
    alternative = after[name].slots[len(after[name].op_slots) :]
    node = replace(after[name], op=root.op, slots=(*root.slots, *alternative), params=root.params)
    nodes = tuple(node if n.name == name else n for n in after.nodes if n.name != last)
    after = _in_frames(replace(after, nodes=nodes), lambda names: names - {last})
    # What nothing reads any more goes, also what is read only by others of these.
    left = {each for each in unread if each in after and each != after.output}
    while gone := {each for each in left if not consumers(after)[each]}:
        after, left = edits.without_nodes(after, gone), left - gone
    return _accepted(graph, after)


def _added(graph: Graph, text: str, beside: str) -> tuple[Graph, str]:
    """Add the nodes of an expression, in the frames of `beside`, and return its last node too."""
    piece = parse_addition(text, graph.by_name)
    new = frozenset(node.name for node in piece.nodes)
    after = _in_frames(graft(graph, piece).graph, lambda names: names | new if beside in names else names)
    return after, piece.nodes[-1].name


def _in_frames(graph: Graph, change: Callable[[frozenset[str]], frozenset[str]]) -> Graph:
    regions = tuple(replace(region, nodes=change(region.nodes)) for region in graph.regions)
    return replace(
        graph,
        regions=regions,
        groups=tuple(replace(group, nodes=change(group.nodes)) for group in graph.groups),
    )


def _accepted(before: Graph, after: Graph) -> Graph:
    """Return the graph `after`.

    Raises:
      GraphError: it has problems of regions and groups that `before` does not have.
    """
    known = set(frame_problems(before))
    if new := tuple(problem for problem in frame_problems(after) if problem not in known):
        raise GraphError(new)
    return after
