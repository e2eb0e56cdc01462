"""Verify the live numbers by one `jax.vjp` of the whole program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.engine.tolerance import Pair, agree, gaps, paired, share
from autodiff_viz.engine.trace import Trace, precision, with_output
from autodiff_viz.engine.whole_program.jaxprs import Traced, traced
from autodiff_viz.engine.whole_program.program import Program, dynamic_params, structure
from autodiff_viz.engine.whole_program.rounding import errors
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.shown import Shown

# Count runs of nodes by executing the program: the witness of the counts that are read off its jaxprs.


RUNS_KEPT = 256  # graphs whose counts are memoised


def executed_runs(
    graph: Graph, shapes: Mapping[str, tuple[int, ...]], dtype: str
) -> Mapping[str, tuple[int, int]]:
    """Execute one forward and one backward pass; return by node (runs in the one, runs in the other).

    A callback in each node counts. No jaxpr is read, so that the form in which JAX writes regions has no part
    in it. What runs does not depend on the numbers, which are ones.

    Source: `jax.vjp` with `jax.debug.callback`.
    """
    return _executed(structure(graph), tuple(sorted(shapes.items())), dtype)


@remembered(RUNS_KEPT)
def _executed(graph: Graph, shapes: tuple, dtype: str) -> Mapping[str, tuple[int, int]]:
    ran: Counter[str] = Counter()
    program, dynamic = Program(graph, dtype, marked=lambda name: ran.update((name,))), dynamic_params(graph)
    with precision(dtype):
        inputs = {name: jnp.ones(shape, dtype) for name, shape in shapes}
        output, pull = jax.vjp(lambda given: program(given, dynamic, {})[0], inputs)
        jax.effects_barrier()
        forward = dict(ran)
        pull(jnp.ones_like(output))
        jax.effects_barrier()
    return {name: (forward.get(name, 0), count - forward.get(name, 0)) for name, count in ran.items()}


KEPT = 64  # programs, traced but not compiled


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """Result of the comparison of a trace with the whole program.

    Each number is compared relative to its own size. Where it differs by more than the last digits, it may
    differ as much as rounding can move it, which depends on the numbers that it was computed from (see
    `rounding`).

    Attributes:
      agrees: whether every value, arriving cotangent, contribution and gradient is equal up to rounding, and
        of a graph with checkpoint regions, whether its nodes run as often as `trace.runs` says.
      compared: how many arrays were compared.
      worst: the largest difference, as a share of the largest number of its array; among the arrays that
        disagree, where any do.
      where: which array that is, in words; empty where nothing differs.
      rounded: for how many of the others rounding leaves fewer digits than usual, since large numbers cancel
        there or on the way.
      miscounted: nodes that do not run as often as `trace.runs` says, counted by a callback while they run.
    """

    agrees: bool
    compared: int
    worst: float
    where: str
    rounded: int = 0
    miscounted: tuple[str, ...] = ()


def verify(trace: Trace) -> Verdict:
    """Differentiate the graph as one program, with its real regions, and compare all numbers and runs.

    Args:
      trace: as `trace` made it.
    Returns:
      Whether they agree, and how closely.
    Raises:
      GraphError: no trace is given, it has no output, a checkpoint region is not valid, or a node that does
        not lead to the output is not.
    Source: `jax.vjp` of the whole program.
    """
    with_output(trace)
    if problems := diagnose(trace.graph, {name: value.shape for name, value in trace.inputs.items()}):
        raise GraphError(problems)
    with precision(trace.dtype):
        pairs = _pairs(trace, *whole_program(trace))
        apart = [not agree(each, trace.dtype) for each in pairs]
        room: list[np.ndarray] = []
        if any(apart):
            # How far rounding may move each number, given the gaps of the numbers before it.
            program, arguments = _program_of(trace)
            differences = [gaps(each.one, each.other) for each in pairs]
            room = errors(program.equations, program.leaves(arguments), differences)
    wrong = [each for each, error in zip(pairs, room, strict=False) if not agree(each, trace.dtype, error)]
    worst, where = max(((share(each), each.name) for each in wrong or pairs), default=(0.0, ""))
    miscounted, where = _miscounted(trace), where if worst > 0 else ""
    agrees = not wrong and not miscounted
    return Verdict(agrees, len(pairs), worst, where, sum(apart) - len(wrong), miscounted)


def _miscounted(trace: Trace) -> tuple[str, ...]:
    """Return the nodes that do not run as often as is counted; none where nothing is counted.

    Without regions every node runs once.
    """
    if not trace.graph.regions:
        return ()
    try:
        counted = trace.runs
    except GraphError:  # with this JAX; the page says so where the counts would be
        return ()
    shapes = {name: value.shape for name, value in trace.inputs.items()}
    executed = executed_runs(trace.graph, shapes, trace.dtype)
    names = [node.name for node in trace.graph.nodes if node.op != INPUT]
    runs = {name: (counted[name].forward, counted[name].backward) for name in names}
    return tuple(name for name in names if runs[name] != executed.get(name, (0, 0)))


def _pairs(trace: Trace, values: Mapping, gradients: Mapping, cotangents: Mapping) -> list[Pair]:
    """Pair each number of the whole program with the live one, under its name in words."""
    pairs = [paired(f"the value of {n!r}", array, trace.value[n]) for n, array in values.items()]
    pairs += [paired(f"the gradient of {n!r}", array, trace.gradient[n]) for n, array in gradients.items()]
    for (node, slot), array in cotangents.items():
        if slot == ARRIVING:
            pairs.append(paired(f"what arrives at {node!r}", array, trace.cotangent[node]))
        else:
            name = f"what {node!r} passes to its input {slot}"
            pairs.append(paired(name, array, trace.passed[node, slot]))
    return pairs


def whole_program(trace: Trace) -> tuple[dict[str, Any], dict[str, Any], dict[Wire, Any]]:
    """Differentiate the whole program with one `jax.vjp`.

    Returns:
      (values, gradients of the inputs, cotangents by wire and by (node, ARRIVING)).
    """
    program, arguments = _program_of(trace)
    return program(*arguments)


def rounding_errors(
    trace: Trace, gaps: tuple[Mapping, Mapping, Mapping] | None = None
) -> tuple[dict[str, Any], dict[str, Any], dict[Wire, Any]]:
    """Return, for each number of `whole_program`, how far rounding from the inputs on may move it.

    Args:
      gaps: how far the numbers of another graph are from these, in the form of the result, of numbers that
        both have. A number then counts from there on as it is in the other graph, as far as rounding explains
        that: see `errors`.
    """
    with precision(trace.dtype):
        program, arguments = _program_of(trace)
        known = None
        if gaps is not None:
            kinds = jax.tree.unflatten(program.tree, range(program.tree.num_leaves))
            places = {
                place: gap.get(key)
                for kind, gap in zip(kinds, gaps, strict=True)
                for key, place in kind.items()
            }
            known = [places[place] for place in range(program.tree.num_leaves)]
        rounding = errors(
            program.equations, program.leaves(arguments), known, other_function=gaps is not None
        )
    return jax.tree.unflatten(program.tree, rounding)


def without_regions(found: Trace) -> Trace:
    """Return the trace of the graph without its regions, on which no number depends.

    One that cannot run as a whole is no reason against an analysis of rounding.
    """
    return replace(found, graph=replace(found.graph, regions=()))


def _program_of(trace: Trace) -> tuple[Traced, tuple]:
    graph = trace.graph
    shapes = tuple(sorted((name, value.shape) for name, value in trace.inputs.items()))
    inputs = {name: jnp.asarray(value) for name, value in trace.inputs.items()}
    arguments = inputs, dynamic_params(graph), jnp.asarray(trace.seed)
    return _differentiated(structure(graph), shapes, trace.seed.shape, trace.dtype), arguments


@remembered(KEPT)
def _differentiated(graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str) -> Traced:
    """Trace the differentiated program once, so that new inputs run without tracing."""
    program = Program(graph, dtype, export_all=True)
    dynamic = dynamic_params(graph)

    def differentiate(inputs: dict, dynamic: dict, seed: jax.Array) -> tuple:
        # A zero for each wire and each node: the pullback gives the cotangent that arrives at it.
        shapes = jax.eval_shape(lambda: program(inputs, dynamic, {})[1])
        zeros = {name: jnp.zeros(shape.shape, dtype) for name, shape in shapes.items()}
        sinks = {(n.name, slot): zeros[name] for n in program.graph.nodes for slot, name in n.wires}
        sinks |= {(name, ARRIVING): zero for name, zero in zeros.items()}
        _, pull, values = jax.vjp(lambda i, s: program(i, dynamic, s), inputs, sinks, has_aux=True)
        gradients, cotangents = pull(seed)
        return values, gradients, cotangents

    inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
    seed = jax.ShapeDtypeStruct(seed_shape, jnp.dtype(dtype))
    return traced(differentiate, inputs, dynamic, seed)
