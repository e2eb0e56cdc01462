"""Build the graph as one JAX function, as a user of JAX would write it (the whole-program path).

The function uses the real `lax.stop_gradient`, `jax.custom_vjp` and `jax.checkpoint`, and shares nothing with
the live path but the op catalog. It verifies the live numbers and is the source of run counts and residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name

from autodiff_viz.engine.live_path.arrays import rounded
from autodiff_viz.engine.live_path.op_calls import split
from autodiff_viz.engine.live_path.passes import ARRIVING, Wire
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.grad_nodes import inner_graph, runs_again
from autodiff_viz.graph.model import GRAD, INPUT, Call, Graph, Lambda, Literal, Node, Region, Term, names_in
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, FOLLOW, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.ops.catalog import OPS

# Apply the rules of nodes in the whole program, by the JAX functions that a user would write.


Run = Callable[..., jax.Array]
"""Evaluate an op on the values of its wires."""

Mark = Callable[[jax.Array], jax.Array]
"""Name the op's value for JAX's checkpoint policies, or return it unchanged."""

JaxRule = Callable[[Node, Run, Mark, Sequence[jax.Array]], jax.Array]


@jax.custom_jvp
def _forward_as(x: jax.Array, alternative: jax.Array) -> jax.Array:
    """Return x, with the derivative of `alternative`."""
    return x


# It calls itself, so that a second derivative goes by the rule too. An alternative without a derivative keeps
# its symbolic zero. JAX would otherwise instantiate an array of zeros; inside a region it then takes a
# function with a declared derivative for a known one, and cannot differentiate it.
_forward_as.defjvp(lambda primals, tangents: (_forward_as(*primals), tangents[1]), symbolic_zeros=True)


def _changed(value: jax.Array, change: Callable[[jax.Array], jax.Array]) -> jax.Array:
    """Return the value; its arriving cotangent goes through `change`."""

    @jax.custom_vjp
    def identity(x: jax.Array) -> jax.Array:
        return x

    # It calls itself, so that a second derivative goes by the rule too.
    identity.defvjp(lambda x: (identity(x), None), lambda _, v: (change(v),))
    return identity(value)


def _declared(function: Lambda, op: Run, itself: bool = True) -> Run:
    """Return the op with its declared pullback. Only values that the pullback reads are kept as residuals.

    Args:
      itself: whether its forward pass calls the rule again, so that a second derivative goes by the rule too.
        Otherwise it calls the op, whose own derivative JAX then takes.
    """
    read = names_in(function.body)

    @jax.custom_vjp
    def declared(*wired: jax.Array) -> jax.Array:
        return op(*wired)

    def run(*wired: jax.Array) -> tuple[jax.Array, tuple]:
        y = declared(*wired) if itself else op(*wired)
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


def _evaluate(function: Lambda, given: tuple, like: tuple) -> tuple[jax.Array, ...]:
    """Evaluate the lambda and broadcast each result to the shape of its counterpart in `like`."""
    names = dict(zip(function.args, given, strict=True))
    return tuple(
        jnp.broadcast_to(_term(term, names, like[0].dtype), target.shape)
        for term, target in zip(function.body, like, strict=True)
    )


def _term(term: Term, names: Mapping[str, Any], dtype: Any) -> jax.Array:
    if isinstance(term, str):
        return names[term]
    if not isinstance(term, Call):
        return constant(term, dtype)
    op = OPS[term.op]
    given = {**{param.name: param.default for param in op.params}, **dict(term.params)}
    if not op.slots:
        given["dtype"] = dtype
    return op.apply(*(_term(arg, names, dtype) for arg in term.args), **given)


def constant(literal: Literal, dtype: Any) -> jax.Array:
    """Return a literal as an array."""
    return jnp.asarray(rounded(literal, dtype))


def _stop(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    return jax.lax.stop_gradient(mark(run(*wired)))


def _backward_as(node: Node, run: Run, mark: Mark, wired: Sequence[jax.Array]) -> jax.Array:
    if not isinstance(node.slots[-1], str):  # backward as a constant: nothing is passed
        return _stop(node, run, mark, wired)
    return _forward_as(mark(run(*wired)), wired[-1])


JAX_RULES: dict[str, JaxRule] = {
    FOLLOW: lambda node, run, mark, wired: mark(run(*wired)),
    STOP: _stop,
    REWRITE: lambda node, run, mark, wired: _changed(
        mark(run(*wired)), lambda v: _evaluate(node.rule.function, (v,), (v,))[0]
    ),
    SCALE: lambda node, run, mark, wired: _changed(
        mark(run(*wired)), lambda v: v * constant(node.rule.number, v.dtype)
    ),
    PULLBACK: lambda node, run, mark, wired: mark(_declared(node.rule.function, run)(*wired)),
    BACKWARD_AS: _backward_as,
}
"""By kind of rule, the value of a node with that rule."""

WITH_OP: Mapping[str, JaxRule] = {
    **JAX_RULES,
    PULLBACK: lambda node, run, mark, wired: mark(_declared(node.rule.function, run, itself=False)(*wired)),
}
"""The same, but the forward pass of a declared pullback calls the op in place of the rule."""

SCOPE = "node:"  # prefix of the named scope in which each node's equations are traced
REGION = "region:"  # prefix of that of each region, which is named by its index in the graph

Values = dict[str, jax.Array]
Sinks = dict[Wire, jax.Array]


@jax.custom_jvp
def tap(x: jax.Array, sink: jax.Array) -> jax.Array:
    """Return x. The cotangent of `sink`, a zero, is the cotangent that passes here."""
    return x


@tap.defjvp
def _tap_jvp(primals: tuple, tangents: tuple) -> tuple:
    return primals[0], jax.lax.add(*tangents)


@dataclass(frozen=True)
class Program:
    """A graph as a JAX function.

    Attributes:
      marked: called with a node's name each time that the node's block runs, by an effect that JAX never
        prunes.
      export_all: return every value from its region (to verify it), not only those used outside.
      name_all: name every value for JAX's checkpoint policies, not only those that some region saves by name.
        A name costs as much as an op when the program runs eagerly.
      whole: the graph that this one is a part of: the inside of a grad node, or a segment. What its grad
        nodes run again is found in the whole graph. Its ops have no scopes of their own.
      rules: by kind, the value of a node with a rule.
    """

    graph: Graph
    dtype: str
    marked: Callable[[str], None] | None = None
    export_all: bool = False
    name_all: bool = False
    whole: Graph | None = None
    rules: Mapping[str, JaxRule] = field(default_factory=lambda: JAX_RULES, hash=False)
    _block: Block = field(init=False)
    _saved: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_block", blocks(self.graph))
        object.__setattr__(self, "_saved", frozenset().union(*(r.saved for r in self.graph.regions)))

    def __call__(self, inputs: Values, dynamic: dict[str, dict], sinks: Sinks) -> tuple[jax.Array, Values]:
        """Evaluate the graph and return (output, values by node name).

        Args:
          inputs: one array per input node.
          dynamic: by node name, the run-time parameters of the nodes that have any (see `dynamic_params`).
          sinks: zeros whose cotangents are read, by wire, or by (node, ARRIVING) for the arriving cotangent.
        """
        env = self.values(inputs, dynamic, sinks)
        return env[self.graph.output], env

    def values(self, inputs: Values, dynamic: dict[str, dict], sinks: Sinks) -> Values:
        """Evaluate the graph, which needs no output, and return its values by node name."""
        env: Values = {}
        for node in self._block.nodes():
            if node.op == INPUT:
                value = ruled_input(node, inputs[node.name], self.rules)
                env[node.name] = _tapped(value, (node.name, ARRIVING), sinks)
        self._run(self._block, env, dynamic, sinks)
        return env

    def _run(self, block: Block, env: Values, dynamic: dict[str, dict], sinks: Sinks) -> None:
        for item in block.items:
            if isinstance(item, Block):
                env.update(self._run_region(item, env, dynamic, sinks))
            elif item.op != INPUT:
                env[item.name] = self._run_node(item, env, dynamic, sinks)

    def _run_region(self, block: Block, env: Values, dynamic: dict[str, dict], sinks: Sinks) -> Values:
        inside = {node.name for node in block.nodes() if node.op != INPUT}
        taken = {name for node in block.nodes() for _, name in node.wires if name not in inside}
        exported = inside if self.export_all else inside & self._used_outside(inside)

        def body(taken_values: Values, dynamic: dict[str, dict], sinks: Sinks) -> Values:
            local = dict(taken_values)
            self._run(block, local, dynamic, sinks)
            return {name: local[name] for name in sorted(exported)}

        region, policy = block.region, None  # nothing is saved: JAX's default, and the first of ours
        if region.policy != POLICIES[0]:
            policy = getattr(jax.checkpoint_policies, region.policy)
            policy = policy(*sorted(region.saved)) if POLICY[region.policy].takes_names else policy
        # A grad node runs nodes again that may be in no region; their run-time parameters come along.
        used = inside | runs_again(self.whole or self.graph, block.nodes())
        with jax.named_scope(f"{REGION}{self._index(region)}"):
            return jax.checkpoint(body, policy=policy)(
                {name: env[name] for name in sorted(taken) if name in env},
                {name: given for name, given in dynamic.items() if name in used},
                {key: sink for key, sink in sinks.items() if key[0] in inside},
            )

    def _used_outside(self, inside: set[str]) -> set[str]:
        used = {name for node in self.graph.nodes if node.name not in inside for _, name in node.wires}
        return used | {self.graph.output}

    def _index(self, region: Region) -> int:
        """Return the number of a region among those of the whole graph."""
        return [each.name for each in (self.whole or self.graph).regions].index(region.name)

    def _run_node(self, node: Node, env: Values, dynamic: dict[str, dict], sinks: Sinks) -> jax.Array:
        with nullcontext() if self.whole else jax.named_scope(SCOPE + node.name):
            if self.marked:
                jax.debug.callback(partial(self.marked, node.name))
            wired = [_tapped(env.get(name), (node.name, slot), sinks) for slot, name in node.wires]
            named = self.name_all or node.name in self._saved
            run = self.gradient(node, dynamic) if node.op == GRAD else None
            value = ruled(node, wired, dynamic.get(node.name, {}), self.dtype, named, run, self.rules)
            return _tapped(value, (node.name, ARRIVING), sinks)

    def gradient(self, node: Node, dynamic: dict[str, dict]) -> Run:
        """Return a grad node as a function of its wires: `jax.vjp` of the function from x to z.

        Whatever else that function reads is an argument too, so that JAX differentiates by it.
        """
        whole = self.whole or self.graph  # inside another grad node, z may be left out: its value is not read
        of, by, *others = node.slots
        graph = inner_graph(whole, node)
        program = Program(graph, self.dtype, whole=whole)

        def run(z: jax.Array, x: jax.Array, *values: jax.Array) -> jax.Array:
            if of != graph.output:  # z does not depend on x
                return jnp.zeros_like(x)
            given = dict(zip(others, values, strict=True))
            y, pull = jax.vjp(lambda x: program({by: x, **given}, dynamic, {})[0], x)
            return pull(jnp.ones_like(y))[0]

        return run


def dynamic_params(graph: Graph) -> dict[str, dict[str, Any]]:
    """Return the run-time parameters (noise seeds and the like), by node name, of the nodes that have any."""
    split_off = {node.name: split(OPS[node.op], node.params)[1] for node in graph.nodes if node.op != INPUT}
    return {name: leading[0] for name, leading in split_off.items() if leading}


def structure(graph: Graph) -> Graph:
    """Return `graph` without what never changes its program: positions, input values, run-time parameters."""
    nodes = []
    for node in graph.nodes:
        static = () if node.op == INPUT else split(OPS[node.op], node.params)[0]
        nodes.append(replace(node, params=static, position=None, cut=False))
    return replace(graph, nodes=tuple(nodes))


def _tapped(value: jax.Array, key: Wire, sinks: Sinks) -> jax.Array:
    return tap(value, sinks[key]) if key in sinks else value


def ruled_input(node: Node, value: jax.Array, rules: Mapping[str, JaxRule] = JAX_RULES) -> jax.Array:
    """Return an input's value with the input's rule applied; `rules` as of `Program`."""
    return rules[node.rule.kind](node, lambda: value, _unmarked, ())


def ruled(
    node: Node,
    wired: list[jax.Array],
    dynamic: dict,
    dtype: str,
    named: bool,
    run: Run | None = None,
    rules: Mapping[str, JaxRule] = JAX_RULES,
) -> jax.Array:
    """Return the node's value with its rule applied.

    Args:
      wired: the values on its wires, in slot order.
      run: evaluates the node on these; by default its op does.
      rules: as of `Program`.
    """

    def run_op(*wired: jax.Array) -> jax.Array:
        return _op(node, wired, dynamic, dtype)

    def marked(value: jax.Array) -> jax.Array:
        return checkpoint_name(value, node.name)

    return rules[node.rule.kind](node, run or run_op, marked if named else _unmarked, wired)


def _unmarked(value: jax.Array) -> jax.Array:
    return value


def _op(node: Node, wired: Sequence[jax.Array], dynamic: dict, dtype: str) -> jax.Array:
    op = OPS[node.op]
    given = {param.name: param.default for param in op.params}
    given.update(split(op, node.params)[0])
    given.update(dynamic)
    if not op.slots:
        given["dtype"] = jnp.dtype(dtype)
    values = iter(wired)
    arrays = (next(values) if isinstance(slot, str) else constant(slot, dtype) for slot in node.op_slots)
    return op.apply(*arrays, **given)
