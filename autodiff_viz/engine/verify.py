"""The live numbers held against one whole-program `jax.vjp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.live import ARRIVING, Wire
from autodiff_viz.engine.program import Program, dynamic_params, structure
from autodiff_viz.engine.rounding import errors
from autodiff_viz.engine.trace import Trace, precision
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError

KEPT = 64  # programs, traced but not compiled
SAME = 16  # units of the last digit by which the same number may differ, computed in two ways
ROOM = 4  # times the error to first order: both ways round, and XLA's functions not always to the nearest


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the whole program agrees with a trace.

    Each number is held against its own size. Where it differs by more than the last digits, it may differ as
    much as rounding can move it, which follows from what it was computed from (see `rounding`).

    Attributes:
      agrees: every value, arriving cotangent, contribution and gradient is equal but for rounding.
      compared: how many arrays were compared.
      worst: the largest difference, as a share of the largest number of its array; among the arrays that
        disagree, where any do.
      where: which array that is, in words; empty where nothing differs.
      cancelled: in how many arrays large numbers cancel, so that fewer digits are left than of `worst`.
    """

    agrees: bool
    compared: int
    worst: float
    where: str
    cancelled: int = 0


class Pair(NamedTuple):
    """One array from the whole program beside the trace's; `name` says in words which."""

    name: str
    program: np.ndarray
    live: np.ndarray


def verify(trace: Trace) -> Verdict:
    """Differentiate the graph as one program, with its real regions, and compare all numbers.

    Raises:
      GraphError: a checkpoint region is not valid, or a node beside the way to the output is not.
    """
    if found := diagnose(trace.graph, {name: value.shape for name, value in trace.inputs.items()}):
        raise GraphError(found)
    with precision(trace.dtype):
        pairs = _pairs(trace, *whole_program(trace))
        apart = [not _agree(pair, trace.dtype) for pair in pairs]
        errors = _rounding_errors(trace, pairs) if any(apart) else ()
    wrong = [pair for pair, error in zip(pairs, errors, strict=False) if not _agree(pair, trace.dtype, error)]
    close = [pair for pair, far in zip(pairs, apart, strict=True) if not far]
    worst, where = max(((_share(pair), pair.name) for pair in wrong or close), default=(0.0, ""))
    cancelled = len(pairs) - len(close) - len(wrong)
    return Verdict(not wrong, len(pairs), worst, where if worst > 0 else "", cancelled)


def _pairs(trace: Trace, values: Mapping, gradients: Mapping, cotangents: Mapping) -> list[Pair]:
    names = [f"the value of {name!r}" for name in values]
    names += [f"the gradient of {name!r}" for name in gradients]
    names += [_name(key) for key in cotangents]
    live = [trace.value[name] for name in values] + [trace.gradient[name] for name in gradients]
    live += [_live(trace, key) for key in cotangents]
    program = (np.asarray(array, np.float64) for array in _arrays(values, gradients, cotangents))
    return [Pair(*row) for row in zip(names, program, (np.asarray(a, np.float64) for a in live), strict=True)]


def _arrays(*kinds: Mapping) -> list[Any]:
    return [array for kind in kinds for array in kind.values()]


def whole_program(trace: Trace) -> tuple[dict[str, Any], dict[str, Any], dict[Wire, Any]]:
    """(values, gradients of the inputs, cotangents by wire and by (node, ARRIVING)) from one `jax.vjp`."""
    program, arguments = _program_of(trace)
    return program.run(arguments)


def _rounding_errors(trace: Trace, pairs: list[Pair]) -> list[np.ndarray]:
    """For each pair, how far rounding may move its numbers apart."""
    program, arguments = _program_of(trace)
    return program.errors(arguments, [_gaps(pair) for pair in pairs])


def _program_of(trace: Trace) -> tuple[_Differentiated, tuple]:
    graph = trace.graph
    shapes = tuple(sorted((name, value.shape) for name, value in trace.inputs.items()))
    inputs = {name: jnp.asarray(value) for name, value in trace.inputs.items()}
    arguments = inputs, dynamic_params(graph), jnp.asarray(trace.seed)
    return _traced(structure(graph), shapes, trace.seed.shape, trace.dtype), arguments


@dataclass(frozen=True, slots=True)
class _Differentiated:
    """The differentiated program as equations, and the structure of its results."""

    equations: Any
    tree: Any

    def run(self, arguments: tuple) -> Any:
        return jax.tree.unflatten(self.tree, jaxpr_as_fun(self.equations)(*self._leaves(arguments)))

    def errors(self, arguments: tuple, gaps: list[np.ndarray]) -> list[np.ndarray]:
        return errors(self.equations, self._leaves(arguments), gaps)

    def _leaves(self, arguments: tuple) -> list[jax.Array]:
        kinds = [value.dtype for value in self.equations.in_avals]
        return [jnp.asarray(*pair) for pair in zip(jax.tree.leaves(arguments), kinds, strict=True)]


@lru_cache(maxsize=KEPT)
def _traced(graph: Graph, shapes: tuple, seed_shape: tuple[int, ...], dtype: str) -> _Differentiated:
    """The differentiated program, ready to run on new inputs without tracing again."""
    program = Program(graph, dtype, export_all=True)
    dynamic = dynamic_params(graph)

    def differentiate(inputs: dict, dynamic: dict, seed: jax.Array) -> tuple:
        sinks = _sinks(program, inputs, dynamic, dtype)
        _, pull, values = jax.vjp(lambda i, s: program(i, dynamic, s), inputs, sinks, has_aux=True)
        gradients, cotangents = pull(seed)
        return values, gradients, cotangents

    inputs = {name: jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for name, shape in shapes}
    seed = jax.ShapeDtypeStruct(seed_shape, jnp.dtype(dtype))
    equations, shape_of_result = jax.make_jaxpr(differentiate, return_shape=True)(inputs, dynamic, seed)
    return _Differentiated(equations, jax.tree.structure(shape_of_result))


def _sinks(program: Program, inputs: dict, dynamic: dict, dtype: str) -> dict:
    shapes = jax.eval_shape(lambda: program(inputs, dynamic, {})[1])
    zeros = {name: jnp.zeros(shape.shape, dtype) for name, shape in shapes.items()}
    wires = {(n.name, slot): zeros[name] for n in program.graph.nodes for slot, name in n.wires}
    return {**wires, **{(name, ARRIVING): zero for name, zero in zeros.items()}}


def _live(trace: Trace, key: Wire) -> np.ndarray:
    return trace.cotangent[key[0]] if key[1] == ARRIVING else trace.passed[key]


def _name(key: Wire) -> str:
    node, slot = key
    return f"what arrives at {node!r}" if slot == ARRIVING else f"what {node!r} passes to its input {slot}"


def _agree(pair: Pair, dtype: str, error: np.ndarray | float = 0.0) -> bool:
    """Whether no number is further off than its own last digits, and than rounding can move it."""
    if pair.program.shape != pair.live.shape:
        return False
    unit = float(jnp.finfo(dtype).eps) / 2
    return bool(np.all(_gaps(pair) <= SAME * unit * _sizes(pair.program) + ROOM * error))


def _gaps(pair: Pair) -> np.ndarray:
    """The differences; infinite where one of the two is not finite and the other is another number."""
    same = (pair.program == pair.live) | (np.isnan(pair.program) & np.isnan(pair.live))
    with np.errstate(invalid="ignore"):
        gaps = np.where(same, 0.0, np.abs(pair.program - pair.live))
    return np.where(np.isnan(gaps), np.inf, gaps)


def _share(pair: Pair) -> float:
    """The largest difference, as a share of the largest number."""
    if pair.program.shape != pair.live.shape:
        return float("inf")
    gap = float(_gaps(pair).max(initial=0.0))
    size = max(float(_sizes(array).max(initial=0.0)) for array in (pair.program, pair.live))
    return gap / size if size else gap


def _sizes(array: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(array), np.abs(array), 0.0)
