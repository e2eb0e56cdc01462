"""The whole-program path: the graph as one JAX function, written as a user would write it.

Real `lax.stop_gradient`, `jax.custom_vjp` and `jax.checkpoint`; nothing is shared with the live path
but the op catalog. It verifies the live numbers, and it is where run counts and residuals come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name

from autodiff_viz.engine.kernels import split
from autodiff_viz.engine.live import ARRIVING, Wire
from autodiff_viz.graph.blocks import Block, blocks
from autodiff_viz.graph.model import (
    BACKWARD_AS,
    INPUT,
    POLICIES,
    PULLBACK,
    REWRITE,
    STOP,
    Call,
    Graph,
    Lambda,
    Literal,
    Node,
    Region,
    Term,
)
from autodiff_viz.ops.catalog import OPS

SCOPE = "node:"  # prefix of the named scope in which each node's equations are traced

Values = dict[str, jax.Array]
Sinks = dict[Wire, jax.Array]


@jax.custom_jvp
def tap(x: jax.Array, sink: jax.Array) -> jax.Array:
    """The identity on x. The cotangent of `sink`, a zero, is the cotangent that passes here."""
    return x


@tap.defjvp
def _tap_jvp(primals: tuple, tangents: tuple) -> tuple:
    return primals[0], tangents[0] + tangents[1]


@jax.custom_jvp
def _forward_as(x: jax.Array, alternative: jax.Array) -> jax.Array:
    """The value of x with the derivative of `alternative`."""
    return x


def _forward_as_jvp(primals: tuple, tangents: tuple) -> tuple:
    return primals[0], tangents[1]


# An alternative without a derivative stays one: JAX would make an array of zeros of it, and inside a region
# it takes a function with a declared derivative for a known one then, and cannot differentiate it.
_forward_as.defjvp(_forward_as_jvp, symbolic_zeros=True)


@dataclass(frozen=True)
class Program:
    """A graph as a JAX function.

    Attributes:
      marked: put an effect that JAX never prunes in each node, to count block runs.
      export_all: let every value out of its region (to verify it), not only what is used outside.
      name_all: name every value for JAX's policies, not only those that some region saves by name. A
        name costs as much as an op when the program runs eagerly.
    """

    graph: Graph
    dtype: str
    marked: bool = False
    export_all: bool = False
    name_all: bool = False
    _block: Block = field(init=False)
    _saved: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_block", blocks(self.graph))
        object.__setattr__(self, "_saved", frozenset().union(*(r.saved for r in self.graph.regions)))

    def __call__(self, inputs: Values, dynamic: dict[str, dict], sinks: Sinks) -> tuple[jax.Array, Values]:
        """(output, values by node name).

        Args:
          inputs: one array per input node.
          dynamic: per node with run-time parameters, those parameters (see `dynamic_params`).
          sinks: zeros where a cotangent is to be read, by wire, or (node, ARRIVING) for what arrives.
        """
        env: Values = {}
        for node in self._block.nodes():
            if node.op == INPUT:
                env[node.name] = _tapped(ruled_input(node, inputs[node.name]), (node.name, ARRIVING), sinks)
        self._run(self._block, env, dynamic, sinks)
        return env[self.graph.output], env

    def _run(self, block: Block, env: Values, dynamic: dict[str, dict], sinks: Sinks) -> None:
        for item in block.items:
            if isinstance(item, Block):
                env.update(self._run_region(item, env, dynamic, sinks))
            elif item.op != INPUT:
                env[item.name] = self._run_node(item, env, dynamic.get(item.name, {}), sinks)

    def _run_region(self, block: Block, env: Values, dynamic: dict[str, dict], sinks: Sinks) -> Values:
        inside = {node.name for node in block.nodes() if node.op != INPUT}
        taken = {name for node in block.nodes() for _, name in node.wires if name not in inside}
        exported = inside if self.export_all else inside & self._used_outside(inside)

        def body(taken_values: Values, dynamic: dict[str, dict], sinks: Sinks) -> Values:
            local = dict(taken_values)
            self._run(block, local, dynamic, sinks)
            return {name: local[name] for name in sorted(exported)}

        return jax.checkpoint(body, policy=_policy(block.region))(
            {name: env[name] for name in sorted(taken)},
            {name: given for name, given in dynamic.items() if name in inside},
            {key: sink for key, sink in sinks.items() if key[0] in inside},
        )

    def _used_outside(self, inside: set[str]) -> set[str]:
        used = {name for node in self.graph.nodes if node.name not in inside for _, name in node.wires}
        return used | {self.graph.output}

    def _run_node(self, node: Node, env: Values, dynamic: dict, sinks: Sinks) -> jax.Array:
        with jax.named_scope(SCOPE + node.name):
            if self.marked:
                jax.debug.callback(_nothing)
            wired = [_tapped(env[name], (node.name, slot), sinks) for slot, name in node.wires]
            named = self.name_all or node.name in self._saved
            return _tapped(ruled(node, wired, dynamic, self.dtype, named), (node.name, ARRIVING), sinks)


def _nothing() -> None:
    """The marker's effect; it is counted in the program, never for what it does."""


def dynamic_params(graph: Graph) -> dict[str, dict[str, Any]]:
    """The run-time parameters (noise seeds and the like) of the nodes that have any."""
    found = {node.name: split(OPS[node.op], node.params)[1] for node in graph.nodes if node.op != INPUT}
    return {name: leading[0] for name, leading in found.items() if leading}


def structure(graph: Graph) -> Graph:
    """`graph` without what never changes its program: positions, input values, run-time parameters."""
    return replace(graph, nodes=tuple(_bare(node) for node in graph.nodes))


def _bare(node: Node) -> Node:
    given = () if node.op == INPUT else split(OPS[node.op], node.params)[0]
    return replace(node, params=given, position=None, cut=False)


def _tapped(value: jax.Array, key: Wire, sinks: Sinks) -> jax.Array:
    return tap(value, sinks[key]) if key in sinks else value


def _policy(region: Region) -> Callable | None:
    if region.policy == "save_only_these_names":
        return jax.checkpoint_policies.save_only_these_names(*sorted(region.saved))
    return None if region.policy == POLICIES[0] else getattr(jax.checkpoint_policies, region.policy)


def ruled_input(node: Node, value: jax.Array) -> jax.Array:
    if node.rule.kind == STOP:
        return jax.lax.stop_gradient(value)
    return _rewritten(value, node.rule.function) if node.rule.kind == REWRITE else value


def ruled(node: Node, wired: list[jax.Array], dynamic: dict, dtype: str, named: bool) -> jax.Array:
    """The node's value, with its rule; `wired` are the values on its wires, in slot order."""
    kind = node.rule.kind
    declared = kind == PULLBACK
    value = _declared(node, dynamic, dtype)(*wired) if declared else _op(node, wired, dynamic, dtype)
    if named:
        value = checkpoint_name(value, node.name)
    if kind == BACKWARD_AS:
        alternative = wired[-1] if isinstance(node.slots[-1], str) else None
        return jax.lax.stop_gradient(value) if alternative is None else _forward_as(value, alternative)
    if kind == STOP:
        return jax.lax.stop_gradient(value)
    return _rewritten(value, node.rule.function) if kind == REWRITE else value


def _op(node: Node, wired: list[jax.Array], dynamic: dict, dtype: str) -> jax.Array:
    op = OPS[node.op]
    given = {param.name: param.default for param in op.params}
    given.update(split(op, node.params)[0])
    given.update(dynamic)
    if not op.slots:
        given["dtype"] = jnp.dtype(dtype)
    values = iter(wired)
    arrays = (next(values) if isinstance(slot, str) else _constant(slot, dtype) for slot in node.op_slots)
    return op.apply(*arrays, **given)


def _constant(literal: Literal, dtype: Any) -> jax.Array:
    return jnp.asarray(np.asarray(literal, dtype))


def _rewritten(value: jax.Array, function: Lambda) -> jax.Array:
    @jax.custom_vjp
    def identity(x: jax.Array) -> jax.Array:
        return x

    identity.defvjp(lambda x: (x, None), lambda _, v: _evaluate(function, (v,), (v,)))
    return identity(value)


def _declared(node: Node, dynamic: dict, dtype: str) -> Callable[..., jax.Array]:
    """The op with its declared pullback. Only what the pullback reads is kept as a residual."""
    function = node.rule.function
    read = _names(function.body)

    @jax.custom_vjp
    def declared(*wired: jax.Array) -> jax.Array:
        return _op(node, list(wired), dynamic, dtype)

    def run(*wired: jax.Array) -> tuple[jax.Array, tuple]:
        y = declared(*wired)
        kept = zip(function.args[1:], (*wired, y), strict=True)
        return y, tuple(value if name in read else None for name, value in kept)

    def pull(kept: tuple, v: jax.Array) -> tuple[jax.Array, ...]:
        return _evaluate(function, (v, *kept), shapes)

    shapes: tuple = ()

    def with_shapes(*wired: jax.Array) -> jax.Array:
        nonlocal shapes
        shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in wired)
        return declared(*wired)

    declared.defvjp(run, pull)
    return with_shapes


def _names(terms: tuple[Term, ...]) -> set[str]:
    found: set[str] = set()
    for term in terms:
        found |= _names(term.args) if isinstance(term, Call) else {term} if isinstance(term, str) else set()
    return found


def _evaluate(function: Lambda, given: tuple, like: tuple) -> tuple[jax.Array, ...]:
    """The lambda's results, each broadcast to the shape of its counterpart in `like`."""
    names = dict(zip(function.args, given, strict=True))
    return tuple(
        jnp.broadcast_to(_term(term, names, like[0].dtype), target.shape)
        for term, target in zip(function.body, like, strict=True)
    )


def _term(term: Term, names: Mapping[str, Any], dtype: Any) -> jax.Array:
    if isinstance(term, str):
        return names[term]
    if not isinstance(term, Call):
        return _constant(term, dtype)
    op = OPS[term.op]
    given = {**{param.name: param.default for param in op.params}, **dict(term.params)}
    if not op.slots:
        given["dtype"] = dtype
    return op.apply(*(_term(arg, names, dtype) for arg in term.args), **given)
