"""Update the parameters of a graph whose output is the loss, with an Optax optimiser.

Stops and plain rewrites of the graph are run-time gates, and checkpoint regions change no number, so a toggle
between two steps compiles nothing. Steps are pure: the same state and the same settings give the same steps.
"""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.whole_program.program import dynamic_params
from autodiff_viz.graph.dtypes import BFLOAT16, FLOAT16, FLOAT32
from autodiff_viz.graph.grad_nodes import has_grads
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.graph.text import listed
from autodiff_viz.training.gates import gates
from autodiff_viz.training.records import Records, record_dtype
from autodiff_viz.training.state import (
    Scaling,
    Settings,
    State,
    begun,
    carried,
    in_dtype,
    learned,
    parameter_dtype,
    scaling_of,
)
from autodiff_viz.training.steps import AT_ONCE, program, traced, walked

COMPILED = 64  # nodes; a larger graph trains on the live path, since its step would compile too long


def begin(graph: Graph, settings: Settings, dtype: str = FLOAT32) -> State:
    """Return the state before the first step.

    Raises:
      GraphError: the graph cannot be trained; the problem says what is missing.
    """
    check_optimiser(settings, dtype)
    check_trainable(graph, trace(graph, dtype=dtype))
    scaling = scaling_of(None, settings.loss_scale, settings.growth_interval, dtype)
    with precision(dtype):
        return State(0, *begun(learned(graph), settings, dtype), scaling)


def check_optimiser(settings: Settings, dtype: str) -> None:
    """Check that the optimiser's own numbers fit in the dtype of the parameters.

    Raises:
      GraphError: Adam in float16, in which its epsilon is 0.
    """
    if (settings.optimiser, parameter_dtype(settings.loss_scale, dtype)) == ("adam", FLOAT16):
        message = f"Adam adds 1e-8 to what it divides by. In {FLOAT16} that is 0: a gradient of 0 gives NaN."
        hint = (
            f"Choose sgd or momentum, train in {BFLOAT16} or {FLOAT32}, or with a loss scale, which keeps "
            f"parameters in {FLOAT32}."
        )
        raise GraphError(Problem("no-epsilon", message, hint))


def check_trainable(graph: Graph, found: Trace) -> None:
    """Check that the graph has a parameter that its output depends on, and that this is one number.

    Raises:
      GraphError: there is no parameter, none leads to the output, or the output has axes.
    """
    names = [node.name for node in learned(graph)]
    if not names:
        message = "Nothing can be trained: the graph has no parameter."
        hint = (
            "Select an input and turn it into a parameter, add one from the palette, or write "
            "w = parameter(0.5) in the formula."
        )
        raise GraphError(Problem("no-parameters", message, hint))
    shape = found.value[found.output].shape
    if not ancestors(graph, [found.output]).intersection(names):
        message = (
            f"Training would change nothing: {found.output!r} does not depend on {listed(names, 3, 'or')}."
        )
        raise GraphError(Problem("no-parameters", message, "Draw a wire from a parameter into the graph."))
    if shape:
        message = f"The loss must be one number; {found.output!r} has shape {list(shape)}."
        hint = "End with mean(...) or a loss such as mean_squared_error."
        raise GraphError(Problem("no-loss", message, hint, node=found.output))


def advance(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str = FLOAT32
) -> tuple[State, Records]:
    """Make `steps` updates, at most `AT_ONCE`, under the rules that the graph has now.

    The graph may differ from that of the steps before in rules, regions, positions and input values, and in
    parameters, which `carried` describes. Run-time seeds (of noise and dropout) count up with the steps.

    Raises:
      GraphError: the graph cannot be trained, or a parameter has another shape than in `state`.
    """
    check_optimiser(settings, dtype)
    graph = played(graph)
    state = carried(graph, state, settings, dtype)
    found = trace(graph, in_dtype(state.parameters, dtype), dtype=dtype)
    check_trainable(graph, found)
    # A grad node would run rules that gates have replaced.
    if len(graph.nodes) > COMPILED or has_grads(graph):
        after, rows = walked(graph, state, min(steps, AT_ONCE), settings, dtype)
        return after, replace(rows, first=state.step)
    mixed, kind = state.scaling is not None, parameter_dtype(settings.loss_scale, dtype)
    with precision(dtype):
        knobs = {
            "inputs": {n: jnp.asarray(found.inputs[n]) for n in found.inputs if n not in state.parameters},
            "dynamic": dynamic_params(graph),
            "gates": gates(found),
            "frozen": {node.name: np.asarray(node.rule.kind == STOP) for node in learned(graph)},
            "rate": np.asarray(settings.rate, kind),
            "interval": np.int32(settings.growth_interval),
        }
        knobs = jax.device_put(knobs)
        parameters = {name: jnp.asarray(array, kind) for name, array in state.parameters.items()}
        scale, good, _ = state.scaling or (1.0, 0, 1.0)
        scaling = jnp.asarray(scale, record_dtype(dtype)), jnp.asarray(good, jnp.int32)
        now = (parameters, state.optimiser, jnp.asarray(state.step, jnp.int32), scaling)
        run = program(graph, settings.optimiser, dtype, now, knobs, mixed)
        (parameters, optimiser, _, scaling), rows = run(now, min(steps, AT_ONCE), knobs)
    scaling = state.scaling._replace(scale=scaling[0], good=scaling[1]) if mixed else None
    return State(state.step + len(rows), parameters, optimiser, scaling), replace(rows, first=state.step)


def describe_skipped(records: Records) -> str:
    """Return in words which steps were skipped; "" if none was."""
    steps = np.flatnonzero(records.skipped)
    if not steps.size:
        return ""
    if steps.size == 1:
        return f"Step {steps[0]}: gradient not finite, skipped."
    return f"{steps.size:,} steps: gradient not finite, skipped; the last is step {steps[-1]:,}."


def at_step(graph: Graph, state: State, dtype: str = FLOAT32) -> Trace:
    """Return the trace with the parameters and the noise of that step, and its loss scale as the seed.

    See also `carried`.
    """
    return traced(graph, state, dtype)


# Make training steps with picklable arguments and results, for a worker process.


def plain(state: State) -> State:
    """Return the state with NumPy arrays in place of JAX arrays."""
    parameters, optimiser = jax.tree.map(np.asarray, (dict(state.parameters), dict(state.optimiser)))
    scaling = state.scaling and Scaling(*map(np.asarray, state.scaling[:2]), state.scaling.first)
    return State(state.step, parameters, optimiser, scaling)


def advance_plain(
    graph: Graph, state: State, steps: int, settings: Settings, dtype: str
) -> tuple[State, Records] | tuple[Problem, ...]:
    """Call `advance`; return the problems if it raises `GraphError`."""
    try:
        after, records = advance(graph, state, steps, settings, dtype)
    except GraphError as error:
        return error.problems
    return plain(after), records
