"""Find slopes that do not fit: of corners, and second derivatives that are not the slope of the gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.finite_differences import Difference, check_input, same_beside
from autodiff_viz.engine.op_derivative import at_corner
from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.whole_program.jaxprs import Traced, traced
from autodiff_viz.engine.whole_program.program import JAX_RULES, WITH_OP, Program, dynamic_params, structure
from autodiff_viz.explain.cure import Cure, rewritten
from autodiff_viz.explain.lints.declared import declares_its_own
from autodiff_viz.explain.lints.lint import Finding, LintKind
from autodiff_viz.explain.nonfinite.cures import form_at
from autodiff_viz.graph.dtypes import FLOAT64
from autodiff_viz.graph.grad_nodes import with_reads
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.order import ancestors, consumers, descendants, order
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, PULLBACK, STOP
from autodiff_viz.graph.text import as_literal, listed_names, scalar

# Corners whose chosen slopes add up to a wrong slope of a function that has no corner there.


LEAST = 0.01  # relative difference of slopes; less may be rounding

SLOPES, MET = "slopes", "met"
"""Kinds of claims: of the output by an input, the slope on both sides and JAX's; the nodes at corners."""

FORMS = {
    "maximum(u, 0.0) + log1p(exp(-abs(u)))": "softplus({})",
    "relu(u) + log1p(exp(-abs(u)))": "softplus({})",
    "maximum(u, 0.0) + log(1.0 + exp(-abs(u)))": "softplus({})",
    "relu(u) + log(1.0 + exp(-abs(u)))": "softplus({})",
    "relu(u) - relu(-u)": "identity({})",
}
"""By expression with corners of `u`, an op that is the same function and has none."""


def wrong_corners(found: Trace, differences: Mapping[str, Difference] | None = None) -> Iterator[Finding]:
    """Yield inputs by which the slope is the same on both sides, and JAX has another one.

    Args:
      differences: what `check_inputs` returns for the trace, if it is known.
    """
    graph, way = found.graph, ancestors(found.graph, [found.output])
    corners = []
    for node in order(graph):
        if node.name not in way or node.op == INPUT:
            continue
        slots = [slot for slot, _ in node.wires if slot < len(node.op_slots)]  # the others are its rule's
        if any(at_corner(found, node.name, slot).any() for slot in slots):
            corners.append(node)
    reported = set()
    for name in found.inputs if corners else ():
        between = descendants(graph, [name]) & way
        met = tuple(node.name for node in corners if node.name in between)
        if not met or met in reported or any(graph[n].rule.kind != FOLLOW for n in between):
            continue
        slopes = _slopes(found, name, (differences or {}).get(name))
        if slopes is not None:
            reported.add(met)
            yield _corner_finding(found, name, met, *slopes)


CORNERS = LintKind("corners", wrong_corners)


def _slopes(found: Trace, name: str, known: Difference | None) -> tuple[float, float] | None:
    """Return JAX's slope and the one on both sides, at the element where they are furthest apart."""
    difference = known or check_input(found, name)
    declared, true = difference.declared, difference.true
    with np.errstate(invalid="ignore"):
        apart = np.abs(declared - true)
        wrong = np.isfinite(apart) & (apart > LEAST * np.maximum(np.abs(true), np.abs(declared)))
    wrong &= apart > LEAST * np.max(np.abs(true), initial=1e-3, where=np.isfinite(true))
    if not wrong.any():
        return None
    wrong &= same_beside(found, name)
    if not wrong.any():
        return None
    at = int(np.argmax(np.where(wrong, apart, 0.0)))
    return float(declared[at]), float(true[at])


def _corner_finding(found: Trace, name: str, met: tuple[str, ...], declared: float, true: float) -> Finding:
    form = next(_forms(found, met), None)
    where = form[0] if form else met[-1]
    at = "a corner" if len(met) == 1 else "corners"
    return Finding(
        where,
        f"The slope of {found.output} by {name} is {scalar(true)} on both sides, and JAX has "
        f"{scalar(declared)}: {listed_names(met)} {'is' if len(met) == 1 else 'are'} at {at}, and the slopes "
        "chosen there do not fit together.",
        "Each choice is allowed; write the function without corners.",
        form[1] if form else None,
        tuple(dict.fromkeys((where, *met))),
        (Claim(SLOPES, (found.output, name), (true, declared)), Claim(MET, met)),
    )


def _forms(found: Trace, met: tuple[str, ...]) -> Iterator[tuple[str, Cure]]:
    for node in found.graph.nodes:
        for text, smooth in FORMS.items():
            form = form_at(found.graph, node, text)
            if form is None or not {*met} & {*form.covered}:
                continue
            inner = [name for name in form.covered if name != node.name]
            instead = smooth.format(form.hole)
            shown = instead if smooth != "identity({})" else form.hole
            yield (
                node.name,
                Cure(
                    partial(rewritten, name=node.name, text=instead, unread=inner),
                    f"Write {node.name} as {shown}",
                    "It is the same function, so values change by rounding alone.",
                ),
            )


# Rules whose second derivative, as JAX computes it, is not the slope of the gradient.


RULES = frozenset(KINDS) - {FOLLOW, STOP}
STEP, SHORTER = 1e-4, 0.125
APART = 1e-3  # relative
KEPT = 32
SECOND, RULED_BY = "second", "ruled by"
"""Kinds of claims: of the output by an input, JAX's second derivative, the slope of the gradient and, if it
is another number, JAX's where the rule calls its op; the nodes whose rules are the cause."""

HINT = (
    "A rule that is not the derivative of its value has no second derivative: JAX differentiates what the "
    "rule computes, with values that do not move as the rule says. No function has this value and this "
    "gradient, so there is no mend: differentiate such a graph once."
)


def wrong_second(found: Trace) -> Iterator[Finding]:
    """Yield, as one finding, the rules because of which a gradient of the gradient is not its slope.

    JAX's number is that of reverse mode over reverse mode, of the program with its rules; the slope is a
    central difference of the gradient. Plain stops count as constants for both.
    """
    graph = found.graph
    way = ancestors(graph, [found.output])
    through = _straight_through(graph)
    ruled = [n.name for n in graph.nodes if n.name in way and (n.rule.kind in RULES or n.name in through)]
    if not ruled or any(found.nonfinite_origins):
        return
    frozen = _frozen(found, through)
    moved = descendants(frozen, found.inputs.keys() & frozen.by_name.keys())  # a constant has no slope
    names = tuple(name for name in ruled if name in moved and not declares_its_own(found, name))
    inputs = [name for name in found.inputs if name in ancestors(frozen, names)]
    for name in inputs:
        numbers = _both(found, frozen, name)
        if numbers is not None:
            declared = any(graph[n].rule.kind == PULLBACK for n in names)
            by_op = _by_jax(found, frozen, name, itself=False) if declared else None
            yield _second_finding(found, names, name, *numbers, by_op)
            return


SECOND_DERIVATIVE = LintKind("second-derivative", wrong_second, later=True)


def _second_finding(
    found: Trace, names: tuple[str, ...], name: str, by_jax: float, slope: float, by_op: float | None
) -> Finding:
    """Return the finding; `by_op` is JAX's number if rules call the op in their forward pass."""
    other = ""
    if by_op is not None and scalar(by_op) != scalar(by_jax):
        other = (
            " JAX's number is that of a rule whose forward pass calls the rule itself; if it calls the op, "
            f"as custom_vjp rules often do, JAX has {scalar(by_op)}."
        )
    numbers = (by_jax, slope, *((by_op,) if other else ()))
    along = "" if found.inputs[name].size == 1 else ", all its elements moved alike,"
    return Finding(
        names[0],
        f"The second derivative of {found.output} by {name}{along} is {scalar(by_jax)} in JAX, but the slope "
        f"of the gradient is {scalar(slope)}: because of the rule of {listed_names(names)}.{other}",
        HINT,
        None,
        names,
        (Claim(SECOND, (found.output, name), numbers), Claim(RULED_BY, names)),
    )


def _straight_through(graph: Graph) -> frozenset[str]:
    """Return the stops of x - stop(x) + ..., and of x + stop(... - x): a value takes the place of x."""
    uses, through = consumers(graph), set()
    for node in graph.nodes:
        if node.rule.kind != STOP or not node.wires:
            continue
        read = node.slots[-1]
        readers = [graph[name] for name, _ in uses[node.name]]
        if node.op == "identity":
            minus = [n for n in readers if n.op == "sub" and n.slots[1] == node.name]
            sums = [s for n in minus for s in (n, *(graph[r] for r, _ in uses[n.name]))]
            through |= {node.name for s in sums if read in s.slots}
        elif node.op == "sub":
            through |= {node.name for n in readers if n.op == "add" and read in n.slots}
    return frozenset(through)


def _frozen(found: Trace, through: frozenset[str]) -> Graph:
    """Return the graph with constants in place of plain stops."""
    nodes = tuple(
        Node(node.name, INPUT, (), params(value=as_literal(found.value[node.name].tolist())))
        if node.rule.kind == STOP
        and node.name not in through
        and not _is_straight(found.graph, node, through)
        else node
        for node in found.graph.nodes
    )
    # What depended on x by a stop is a constant now, which a grad node reads beside its x.
    graph = with_reads(replace(found.graph, nodes=nodes, regions=(), groups=()))
    within = ancestors(graph, [graph.output])
    return replace(graph, nodes=tuple(node for node in graph.nodes if node.name in within))


def _is_straight(graph: Graph, node: Node, through: frozenset[str]) -> bool:
    """Return whether a stop is the value that takes the place of x where x - stop(x) is added to it."""
    reads = {name for name, _ in consumers(graph)[node.name]}
    others = {slot for name in reads if graph[name].op == "add" for slot in graph[name].slots}
    return any(isinstance(o, str) and {*graph[o].slots} & through for o in others)


def _both(found: Trace, graph: Graph, name: str) -> tuple[float, float] | None:
    """Return JAX's second derivative by an input and the slope of its gradient; None if they are equal."""
    inputs = _inputs(found, graph)
    size = STEP * max(1.0, float(np.abs(inputs[name]).max(initial=0.0)))
    wide, slope = (_slope(graph, inputs, found.seed, name, step) for step in (size, size * SHORTER))
    room = APART * max(1e-3, abs(wide), abs(slope))
    if not abs(wide - slope) <= room:
        return None  # a corner, or not finite
    by_jax = _by_jax(found, graph, name)
    slope = 0.0 if abs(slope) < APART * room else slope
    return (by_jax, slope) if abs(by_jax - slope) > room + APART * abs(by_jax) else None


def _slope(graph: Graph, inputs: dict[str, np.ndarray], seed: np.ndarray, name: str, step: float) -> float:
    """Return a central difference of the gradient by an input, summed over its elements, which move alike."""
    moved = ({**inputs, name: inputs[name] + by} for by in (step, -step))
    high, low = (trace(graph, each, seed, dtype=FLOAT64).gradient[name].sum() for each in moved)
    return float(high - low) / (2 * step)


def _by_jax(found: Trace, graph: Graph, name: str, itself: bool = True) -> float:
    """Return JAX's second derivative by an input, of the whole program.

    Args:
      itself: whether declared pullbacks call themselves in the forward pass, or their op.
    """
    with precision(FLOAT64):
        inputs = _inputs(found, graph)
        shapes = tuple((name, value.shape) for name, value in inputs.items())
        program = _program(structure(graph), name, itself, shapes, found.seed.shape)
        return float(program(inputs, dynamic_params(graph), found.seed))


def _inputs(found: Trace, graph: Graph) -> dict[str, np.ndarray]:
    return {n.name: found.value[n.name].astype(np.float64) for n in graph.nodes if n.op == INPUT}


@remembered(KEPT)
def _program(graph: Graph, name: str, itself: bool, shapes: tuple, seed_shape: tuple[int, ...]) -> Traced:
    """Trace the second derivative by an input, all of whose elements move alike.

    It is that of reverse mode over reverse mode. `itself` is as of `_by_jax`.
    """
    program = Program(graph, FLOAT64, rules=JAX_RULES if itself else WITH_OP)

    def total(inputs: dict, dynamic: dict, seed: jax.Array) -> jax.Array:
        return jnp.sum(program(inputs, dynamic, {})[0] * seed)

    def slope(x: jax.Array, inputs: dict, dynamic: dict, seed: jax.Array) -> jax.Array:
        return jnp.sum(jax.grad(total)({**inputs, name: x}, dynamic, seed)[name])

    def second(inputs: dict, dynamic: dict, seed: jax.Array) -> jax.Array:
        return jnp.sum(jax.grad(slope)(inputs[name], inputs, dynamic, seed))

    like = {name: jax.ShapeDtypeStruct(shape, FLOAT64) for name, shape in shapes}
    seed = jax.ShapeDtypeStruct(seed_shape, FLOAT64)
    return traced(second, like, dynamic_params(graph), seed)
