"""Find rules that forward mode cannot see, and arguments of rules that are named like another node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autodiff_viz.engine.live_path.tangents import BLOCKED, LIVE_TANGENTS
from autodiff_viz.engine.op_derivative import own_contributions
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.cure import Cure, joined, without_rules
from autodiff_viz.explain.forward.compute import jvp
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.graph import edits
from autodiff_viz.graph.grad_nodes import reads_of, runs_again
from autodiff_viz.graph.model import Call, Graph, Rule, Term
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.rule_kinds import FOLLOW, PULLBACK
from autodiff_viz.graph.text import listed_names
from autodiff_viz.language.show import Shadow, shadows

REVERSE_ONLY = frozenset(kind for kind, tangent in LIVE_TANGENTS.items() if tangent == BLOCKED)
"""Kinds of rules that are a `jax.custom_vjp`: they say what happens to a cotangent, nothing of tangents."""

SHADOW, BLIND = "shadow", "blind"
"""Kinds of claims: a node and an argument of its rule; nodes whose rules forward mode cannot see."""

NEARBY = (0.0, 0.17, -0.29, 0.53)  # moves of the inputs, relative to the larger of 1 and their size
SAME = "No value changes, and no gradient: the op has the same derivative."
CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def shadowed_arguments(found: Trace) -> Iterator[Finding]:
    """Yield the arguments of rules that have the name of a node which is not wired to their slot."""
    for shadow in shadows(found.graph):
        yield Finding(
            shadow.node,
            f"In the rule of {shadow.node}, {shadow.argument} stands for {shadow.means}, and not for node "
            f"{shadow.argument}.",
            f"Call it {shadow.better}. A rule sees only what is wired to its node.",
            _renamed(shadow),
            (shadow.node, shadow.argument),
            (Claim(SHADOW, (shadow.node, shadow.argument)),),
        )


SHADOWED_ARGUMENT = LintKind("shadowed-argument", shadowed_arguments)


def _renamed(shadow: Shadow) -> Cure:
    def edit(graph: Graph) -> Graph:
        rule = graph[shadow.node].rule
        names = {shadow.argument: shadow.better}
        args = tuple(names.get(arg, arg) for arg in rule.function.args)
        body = tuple(_with_names(term, names) for term in rule.function.body)
        function = replace(rule.function, args=args, body=body)
        return edits.with_rule(graph, shadow.node, replace(rule, function=function))

    button = f"Rename {shadow.argument} to {shadow.better} in the rule of {shadow.node}"
    return Cure(edit, button, "No number changes.")


def _with_names(term: Term, names: dict[str, str]) -> Term:
    if isinstance(term, Call):
        return replace(term, args=tuple(_with_names(arg, names) for arg in term.args))
    return names.get(term, term) if isinstance(term, str) else term


def reverse_only(found: Trace) -> Iterator[Finding]:
    """Yield, as one finding, the rules between inputs and output that forward mode cannot see."""
    names = _meeting_tangents(found)
    if not names:
        return
    idle = all(declares_its_own(found, name) for name in names)
    kind = ", a custom_vjp" if len(names) == 1 else ", each a custom_vjp"
    yield Finding(
        names[0],
        f"Forward mode cannot see the rule of {listed_names(names)}{kind}: jax.jvp, jacfwd and hessian raise "
        f"a TypeError.{' The op has the same derivative by itself.' if idle else ''}",
        "Use reverse mode, or write the rule with stop_gradient or backward_as, which both modes see.",
        joined(without_rules([name], f"Remove the rule of {name}", SAME) for name in names) if idle else None,
        names,
        (Claim(BLIND, names),),
    )


def _meeting_tangents(found: Trace) -> tuple[str, ...]:
    """Return the nodes with such a rule, on the way to the output, at which a tangent of an input arrives.

    JAX raises at the first of them. A tangent is pushed through their ops, so that those behind it are known.
    """
    graph = found.graph
    way = ancestors(graph, [graph.output], reads_of)
    way |= runs_again(graph, [graph[name] for name in way])
    ruled = [node for node in graph.nodes if node.rule.kind in REVERSE_ONLY and node.name in way]
    if not ruled or not found.inputs:
        return ()
    for node in ruled:
        graph = edits.with_rule(graph, node.name, Rule(FOLLOW))
    ones = dict.fromkeys(found.inputs, 1.0)
    tangent = jvp(graph, ones, found.inputs, dtype=found.dtype).tangent
    meets = {
        node.name: (node.name,) if node.rule.kind != PULLBACK else tuple(reads_of(node)) for node in ruled
    }  # a declared pullback stands for the op; other rules are applied to the op's value
    return tuple(n for n, at in meets.items() if not all(map(tangent.is_symbolic_zero, at)))


FORWARD_MODE = LintKind("forward-mode", reverse_only, later=True)


def declares_its_own(found: Trace, name: str) -> bool:
    """Return whether a declared pullback passes what the op's own would, at the inputs and nearby.

    A random cotangent is pulled back, since what arrives may be 0.
    """
    if found.graph[name].rule.kind != PULLBACK:
        return False
    up_to_node = replace(found.graph, output=name)
    seed = np.random.default_rng(0).uniform(0.5, 1.0, found.value[name].shape)
    for move in NEARBY:
        inputs = {n: value + move * np.maximum(1.0, np.abs(value)) for n, value in found.inputs.items()}
        moved = trace(up_to_node, inputs, seed, dtype=found.dtype)
        own = own_contributions(moved, name)
        with np.errstate(invalid="ignore"):
            if not all(np.allclose(moved.passed[name, slot], each, **CLOSE) for slot, each in own.items()):
                return False
    return True
