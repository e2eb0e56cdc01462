"""Apply the user's actions beside the canvas: each takes a lab and returns the next one.

A user's mistake raises nothing: it is put in `notice`, and the graph stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from autodiff_viz.canvas.arrange import closed_at_first, folded_places, pinned, without_backward_places
from autodiff_viz.explain.noise.compute import is_random
from autodiff_viz.graph import edits, limits
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.history import DTYPE, Setting, push, redo, undo
from autodiff_viz.graph.identity import same
from autodiff_viz.graph.model import INPUT, Call, Graph, Lambda, Literal, Node, Rule
from autodiff_viz.graph.policies import POLICY, TAKING_NAMES
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import ARRIVING, FOLLOW, KINDS, ON_INPUTS, WIRES
from autodiff_viz.graph.text import COTANGENT, listed, pullback_arguments, seed_fault
from autodiff_viz.lab.code import (
    BEING_READ,
    READINGS,
    STOPPED,
    BeingRead,
    code_in,
    imports,
    known_reading,
    reading_of,
)
from autodiff_viz.lab.labels import set_to
from autodiff_viz.lab.state import (
    Lab,
    committed,
    opened,
    refused,
    rewritten,
    start,
    stepped,
    untyped,
    with_range,
    with_text,
    without_draft,
)
from autodiff_viz.lab.training import pauses
from autodiff_viz.language.parse import parse, parse_lambda, parse_literal, placed_as, replaces
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.indexing import to_text
from autodiff_viz.ops.params import fits, needed
from autodiff_viz.reading.reading import Reading

NO_WIRES = "{!r} is wired to nothing, so it has no derivative to replace."
WIRE_FIRST = "Put this rule on a node after it. {} act here too."


def typed(lab: Lab, text: str, fresh: bool = True) -> Lab:
    """Apply a change of the formula's text; a text with mistakes is kept as a draft, and the graph stays.

    So is code that has not been read yet: see `resumed`. Groups with which the graph would be too large to be
    read are closed at first.

    Args:
      fresh: False continues the typing under way, all of which is one step of undo.
    """
    typing = lab.typing and not fresh
    try:
        graph, label, dtype = _graph_of(text, lab)
    except GraphError as error:
        return replace(lab, draft=text, mistakes=error.problems, notice=(), typing=typing)
    except BeingRead:
        return replace(lab, draft=text, mistakes=(BEING_READ,), notice=(), typing=typing)
    # The step of the typing under way is taken back first: the new one then takes its place.
    before = untyped(lab) if typing else lab
    if replaces(graph, lab.graph):  # what was selected and trained is gone, though its names may be back
        before = replace(pauses(before), selected=None)
    graph = without_backward_places(graph, lab.graph)
    if cards := closed_at_first(graph):
        before = replace(before, collapsed=before.collapsed | cards)
        graph = edits.with_positions(graph, folded_places(graph, before.collapsed))
    after = without_draft(rewritten(before, graph, label, None))
    if dtype in DTYPES and dtype != before.dtype:
        setting = Setting(DTYPE, before.dtype, dtype)
        entry = after.history.present._replace(label=label, setting=setting)
        # The same graph in another dtype is a step too.
        history = push(before.history, entry) if after.history is before.history else after.history
        after = replace(after, dtype=dtype, history=replace(history, present=entry))
    # Typing that has come back to the graph it began with has made no step: nothing is under way.
    return replace(with_text(after, text), typing=after.history is not before.history)


def _graph_of(text: str, lab: Lab) -> tuple[Graph, str, str | None]:
    """Return the graph of a formula or of code, the label of its step of undo, and the dtype of code.

    Raises:
      GraphError: it has mistakes; of code that is read in part, if the graph on view has more.
      BeingRead: it is code that has not been read yet.
    """
    code, mistaken = code_in(text), None
    if not (code and imports(text)):  # no formula imports anything
        try:
            return parse(text, previous=lab.graph), "Edit the formula", None
        except GraphError as error:
            mistaken = error
    if not code:
        raise mistaken
    reading = reading_of(text)
    if reading.refused:
        # Of a formula with a library's name before an op, the mistake says how to write it.
        if mistaken and all(problem.correction for problem in mistaken.problems):
            raise mistaken
        if _has_more(lab, text, reading):
            raise GraphError(reading.refused)
    return placed_as(reading.graph, lab.graph), "Read code", reading.dtype


def is_being_read(lab: Lab) -> bool:
    """Return whether the draft is code that has not been read yet."""
    return BEING_READ in lab.mistakes


def resumed(lab: Lab) -> Lab:
    """Go on with a draft of code that has been read meanwhile, as `typed` would have done at once."""
    if is_being_read(lab) and known_reading(lab.draft or "") is not None:
        return typed(lab, lab.draft, fresh=not lab.typing)
    return lab


def stopped(lab: Lab) -> Lab:
    """Say of a draft that is being read that the visitor has stopped it."""
    return replace(lab, mistakes=(STOPPED,)) if is_being_read(lab) else lab


def read_again(lab: Lab) -> Lab:
    """Read code anew that was not read to its end: the draft, or the text of the graph."""
    text = lab.history.present.text if lab.draft is None else lab.draft
    if not code_in(text):
        return lab
    READINGS.forget(text)
    return typed(lab, text, fresh=not lab.typing)


def _has_more(lab: Lab, text: str, reading: Reading) -> bool:
    """Return whether the graph on view has more than what can be read of this code, up to its first mistake.

    It has while a line of its own code is being written: all lines before the mistake are as they were.
    """
    old = lab.history.present.text
    if not reading.graph.nodes:
        return True
    if old is None or not code_in(old):
        return False
    above = (reading.refused[0].line or 1) - 1
    as_it_was = text.split("\n")[:above] == old.split("\n")[:above]
    return as_it_was and len(reading.graph.nodes) < len(lab.graph.nodes)


def unshelved(lab: Lab) -> Lab:
    """Put the shelved draft back into the formula."""
    return replace(typed(lab, lab.shelved or ""), shelved=None)


def set_input(lab: Lab, name: str, value: float, fresh: bool = False) -> Lab:
    """Set the value of a scalar input by its slider.

    Successive moves of one slider are one step of undo; `fresh` marks the first move of a new gesture.
    """
    node = lab.graph[name]
    if node.op != INPUT:  # a late message of a slider; the name now belongs to another node
        return lab
    try:
        graph = edits.with_param(lab.graph, name, "value", value)
    except GraphError as error:
        return refused(lab, error)
    # The range of the slider stays as it is: one around the new value would move the slider under the hand.
    moved = committed(with_range(lab, name), graph, set_to(name, value))
    # The present step was a move of this slider if it has the label of a move to the present value.
    label = set_to(name, node.param("value"))
    if not fresh and lab.history.present.label == label and graph != lab.graph:
        moved = replace(moved, history=replace(moved.history, past=lab.history.past))
    return moved


def set_rule(lab: Lab, name: str, kind: str) -> Lab:
    """Put a rule on a node, with an initial function that visibly acts; "follow" removes the rule."""
    return replace(set_rules(lab, (name,), kind), selected=name)


def set_rules(lab: Lab, names: Iterable[str], kind: str) -> Lab:
    """Put one rule on all of these nodes, as one step of undo. A node that has the rule keeps its function.

    Of several nodes, those without wires are left out where the rule replaces a derivative.

    Raises:
      ValueError: `kind` is no kind of rule.
    """
    if kind not in KINDS:
        raise ValueError(kind)
    nodes = [lab.graph[name] for name in dict.fromkeys(names)]
    fit = [node for node in nodes if node.wires or not KINDS[kind].replaces]
    if nodes and not fit:
        first = nodes[0].name
        on_inputs = listed([KINDS[name].label for name in ON_INPUTS if name != FOLLOW]).capitalize()
        hint = WIRE_FIRST.format(on_inputs)
        return refused(lab, GraphError(Problem("bad-rule", NO_WIRES.format(first), hint, node=first)))
    changed = [node for node in fit if node.rule.kind != kind]
    graph = pinned(lab.graph) if changed and KINDS[kind].alternative else lab.graph  # for its new wire
    for node in changed:
        # `backward_as` needs a node to differentiate instead; the first wire's is one that exists.
        alternative = node.wires[0][1] if KINDS[kind].alternative else None
        graph = edits.with_rule(graph, node.name, _first_rule(node, kind, graph), alternative)
    where = changed[0].name if len(changed) == 1 else f"{len(changed)} nodes"
    return committed(lab, graph, f"{KINDS[kind].action} at {where}")


def set_function(lab: Lab, name: str, text: str) -> Lab:
    """Set the function or the number of a node's rule.

    Its body is enough, such as `v * cos(x)`: the arguments are then those of the present function.
    """
    try:
        rule = lab.graph[name].rule
        if KINDS[rule.kind].number is not None:
            # A tensor is left as it is: the rule then refuses it in words of its own.
            literal = parse_literal(text)
            rule = replace(rule, number=literal if isinstance(literal, tuple) else float(literal))
        else:
            if rule.function and not text.lstrip().startswith("lambda"):
                text = f"lambda {', '.join(rule.function.args)}: ({text})"
            rule = replace(rule, function=parse_lambda(text))
        label = f"Change the {KINDS[rule.kind].label} of {name}"
        return committed(lab, edits.with_rule(lab.graph, name, rule), label)
    except GraphError as error:
        return refused(lab, error)


def set_param(lab: Lab, name: str, param: str, value: Any) -> Lab:
    """Set a parameter of a node; no change if the node has that value already, perhaps by default."""
    node = lab.graph.by_name.get(name)
    spec = OPS[node.op].param(param) if node and node.op in OPS else None
    if node and spec and same(node.param(param, spec.default), value):
        return lab
    if spec and not fits(spec, value):
        message = f"{param!r} of {name!r} is {needed(spec)}."
        return refused(lab, GraphError(Problem("bad-param", message, "Type another number.", node=name)))
    try:
        graph = edits.with_param(lab.graph, name, param, value)
        shown = to_text(value) if spec and spec.kind == "index" else value  # as in the formula: 1:3
        return committed(lab, graph, set_to(f"{param} of {name}", shown))
    except GraphError as error:
        return refused(lab, error)


def set_policy(lab: Lab, region: str, policy: str, saved: frozenset[str] = frozenset()) -> Lab:
    """Set the policy of a checkpoint region and its saved names; no change if the region no longer exists."""
    old = next((r for r in lab.graph.regions if r.name == region), None)
    if old is None:
        return lab
    # Names that left the region meanwhile are dropped, and so are all where the policy does not go by names.
    kept = saved & old.nodes if policy in TAKING_NAMES else frozenset()
    try:
        graph = edits.with_region(lab.graph, replace(old, policy=policy, saved=kept))
        return committed(lab, graph, f"Let {region} keep {POLICY[policy].keeps}")
    except GraphError as error:
        return refused(lab, error)


def set_seed(lab: Lab, seed: Literal) -> Lab:
    """Set the seed, the cotangent of the output; 1, the usual seed in JAX, is stored as None."""
    return replace(lab, seed=None if seed == 1 else seed, notice=())


def set_dtype(lab: Lab, dtype: str) -> Lab:
    """Set the dtype; a message from outside may name one that is not offered, and then nothing changes."""
    return replace(lab, dtype=dtype) if dtype in DTYPES else lab


def type_seed(lab: Lab, text: str) -> Lab:
    """Set the seed from text: a number, or rows of numbers in brackets."""
    try:
        return set_seed(lab, parse_literal(text))
    except GraphError as error:
        return refused(lab, error)


def resampled(lab: Lab) -> Lab:
    """Draw all noise and all random inputs again, each with the next random seed."""
    graph = lab.graph
    for name in resampled_nodes(graph):
        seed = graph[name].param("seed", 0)
        # After the last seed the first, also after one that is none: a problem of the graph that this mends.
        following = 0 if seed_fault(seed) or seed == limits.SEED else seed + 1
        graph = edits.with_param(graph, name, "seed", following)
    return committed(lab, graph, "Resample")


def resampled_nodes(graph: Graph) -> tuple[str, ...]:
    """Return the names of the nodes that `resampled` draws again.

    Unlike `statistics.noisy_nodes` also parameters with a random start: in a new start they differ, over the
    draws of one program they do not.
    """
    return tuple(node.name for node in graph.nodes if is_random(node))


def undone(lab: Lab) -> Lab:
    """Undo one step."""
    return stepped(lab, undo(lab.history))


def redone(lab: Lab) -> Lab:
    """Redo one step."""
    return stepped(lab, redo(lab.history))


def steps(lab: Lab) -> dict[str, str | None]:
    """Return the labels of the edits that undo and redo would act on; None where there is none."""
    history = lab.history
    return {
        "undo": history.present.label if history.can_undo else None,
        "redo": history.future[0].label if history.can_redo else None,
    }


def reset(lab: Lab) -> Lab:
    """Open the first graph again; undo returns to the present one."""
    return opened(lab, start().graph, "Reset")


def _first_rule(node: Node, kind: str, graph: Graph) -> Rule:
    """Return a rule of this kind with a function that visibly acts: negation, or the identity."""
    gives = KINDS[kind].function
    if gives == ARRIVING:
        return Rule(kind, Lambda((COTANGENT,), (Call("neg", (COTANGENT,)),)))
    if gives == WIRES:
        # The arguments are the cotangent, one for each wire, and the output: all but two have a result.
        args = pullback_arguments([producer for _, producer in node.wires], graph.by_name)
        return Rule(kind, Lambda(args, (COTANGENT,) * (len(args) - 2)))
    return Rule(kind, number=KINDS[kind].number)
