"""Write the rules of nodes in an exported program: an expression, and the function that it calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autodiff_viz.engine.live_path.check import term_shape
from autodiff_viz.export.expressions import (
    applied,
    called,
    constant,
    data,
    dotted,
    fresh,
    in_dtype,
    scope,
    written,
)
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import Call, Node, Term, names_in
from autodiff_viz.graph.rule_kinds import ARRIVING, BACKWARD_AS, FOLLOW, KINDS, PULLBACK, REWRITE, SCALE, STOP
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import Shape

WIDTH = 100  # characters in a line
PIECE = 60  # characters; a longer subexpression becomes a variable

_STRAIGHT_THROUGH = '''
@jax.custom_jvp
def straight_through(x, alternative):
    """The value of x with the derivative of `alternative`."""
    return x


def straight_through_jvp(primals, tangents):
    return straight_through(*primals), tangents[1]


# An alternative may have no derivative at all, inside `jax.checkpoint` too.
straight_through.defjvp(straight_through_jvp, symbolic_zeros=True)
'''

_SCALE_GRADIENT = '''
def scale_gradient(x, scale):
    """x itself; the cotangent that arrives is multiplied by `scale`."""

    @jax.custom_vjp
    def identity(x):
        return x

    identity.defvjp(lambda x: (identity(x), None), lambda _, v: (jnp.multiply(v, scale),))
    return identity(x)
'''

_CUSTOM = '''
@jax.custom_vjp
def {name}({inputs}):
    """{doc}"""
    return {value}


def {name}_fwd({inputs}):
    {forward}


def {name}_bwd({residuals}, {v}):
    {backward}


{name}.defvjp({name}_fwd, {name}_bwd)
'''


@dataclass
class Pull:
    """State of the translation of a lambda to Python: variables and shapes by argument, lines so far."""

    variables: dict[str, str]
    shapes: dict[str, Shape]
    dtype: str
    taken: set[str]
    lines: list[str] = field(default_factory=list)

    def result(self, term: Term, wanted: Shape) -> ast.expr:
        """Return one result, in the shape of the value whose cotangent it is."""
        tree, own = self.term(term), term_shape(term, self.shapes)
        (v, shape), *_ = self.shapes.items()
        if not isinstance(term, str | Call | tuple):
            like_v = called("jnp.full_like", dotted(self.variables[v]), tree)
            return like_v if wanted == shape else in_dtype(called("jnp.full", data(wanted), tree), self.dtype)
        return tree if own == wanted else called("jnp.broadcast_to", tree, data(wanted))

    def term(self, term: Term) -> ast.expr:
        """Return a term as an expression; a long one becomes a variable with a line of its own."""
        if isinstance(term, str):
            return dotted(self.variables[term])
        if not isinstance(term, Call):
            return constant(term, self.dtype)
        tree = self.applied(term)
        text = written(tree)
        if len(text) <= PIECE:
            return tree
        step = fresh(f"step_{len(self.lines) + 1}", self.taken)
        self.lines.append(f"{step} = {text}")
        return dotted(step)

    def applied(self, term: Call) -> ast.expr:
        """Return the op of a term with its arguments filled in."""
        return applied(OPS[term.op], [self.term(arg) for arg in term.args], dict(term.params), self.dtype)


def rule_source(
    node: Node, name: str, shape: Shape, wired: Sequence[Shape], dtype: str, checkpointed: bool
) -> str:
    """Return the source of the function `name`, for a node whose rule has a lambda.

    For a rule that changes the arriving cotangent, the function is an identity of the node's value. For a
    rule that gives the contributions, it is the node's op as a function of its wires.

    Args:
      shape: of the node.
      wired: shapes of the node's wires.
      checkpointed: whether the program has a checkpoint region anywhere.
    """
    function = node.rule.function
    rewrite = KINDS[node.rule.kind].function == ARRIVING
    shapes = (shape,) if rewrite else (shape, *wired, shape)
    taken = {name, f"{name}_fwd", f"{name}_bwd", "residuals", "_"}
    variables = scope(function.args, taken)
    pull = Pull(
        variables, dict(zip(function.args, shapes, strict=True)), dtype, {*taken, *variables.values()}
    )
    wanted = [shape] if rewrite else wired
    results = [pull.result(term, target) for term, target in zip(function.body, wanted, strict=True)]
    read = names_in(function.body)
    kept = [] if rewrite else [variables[arg] for arg in function.args[1:] if arg in read]
    v = variables[function.args[0]]
    given = [*kept, *([v] if function.args[0] in read else [])]
    # If `jax.checkpoint` has found a variable to be a constant, JAX passes a Python or NumPy number, with its
    # own precision and its own errors.
    arrays: list[str] = []
    if checkpointed and given:
        several = ", ".join(given)
        convert = "jnp.asarray({})" if len(given) == 1 else "map(jnp.asarray, ({}))"
        arrays = [f"{several} = {convert.format(several)}"]
    if rewrite:
        doc = "x itself; the cotangent that arrives is rewritten."
        forward = {"inputs": "x", "doc": doc, "value": "x", "forward": f"return {name}(x), None"}
    else:
        forward = _op(node, name, variables, kept, dtype)
    return _CUSTOM.format(
        name=name,
        v=v,
        residuals="residuals" if kept else "_",
        backward=function_body(
            [f"{packed(kept)} = residuals"] if kept else [],
            arrays,
            pull.lines,
            [f"return {packed([written(tree) for tree in results])}"],
        ),
        **forward,
    )


def _op(node: Node, name: str, variables: dict[str, str], kept: list[str], dtype: str) -> dict[str, str]:
    """Return the parts of the source for the op itself; `kept` are the residuals that its pullback reads."""
    _, *inputs, y = variables.values()
    arguments, whole = ", ".join(inputs), f"{name}({', '.join(inputs)})"
    first = [f"{y} = {whole}"] if y in kept else []  # computed once, for the result and as a residual
    last = f"return {y if first else whole}, {packed(kept) if kept else None}"
    wired = iter(inputs)
    operands = [
        dotted(next(wired)) if isinstance(slot, str) else constant(slot, dtype) for slot in node.op_slots
    ]
    return {
        "inputs": arguments,
        "doc": f"{node.op} with a derivative of its own.",
        "value": written(applied(OPS[node.op], operands, dict(node.params), dtype)),
        "forward": function_body(first, [last]),
    }


def packed(items: Sequence[str]) -> str:
    """Return items as a tuple."""
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def function_body(*parts: Sequence[str]) -> str:
    """Return lines as the body of a function."""
    return "\n    ".join(line for part in parts for line in part)


Tree = ast.expr
Written = Callable[
    [Node, Callable[[], Tree], Callable[[Tree], Tree], Sequence[Tree], Callable[[], str]], Tree
]


def _stop(node: Node, run: Callable, mark: Callable, wired: Sequence[Tree], declare: Callable) -> Tree:
    return called("jax.lax.stop_gradient", mark(run()))


def _backward_as(node: Node, run: Callable, mark: Callable, wired: Sequence[Tree], declare: Callable) -> Tree:
    if not isinstance(node.slots[-1], str):  # backward as a constant: nothing is passed
        return _stop(node, run, mark, wired, declare)
    return called("straight_through", mark(run()), wired[-1])


SOURCE_RULES: dict[str, Written] = {
    FOLLOW: lambda node, run, mark, wired, declare: mark(run()),
    STOP: _stop,
    REWRITE: lambda node, run, mark, wired, declare: called(declare(), mark(run())),
    SCALE: lambda node, run, mark, *_: called(
        "scale_gradient", mark(run()), constant(node.rule.number, FLOAT32)
    ),
    PULLBACK: lambda node, run, mark, wired, declare: mark(called(declare(), *wired)),
    BACKWARD_AS: _backward_as,
}
"""By kind of rule, the expression of a node's value with that rule.

Called with the node, a function that gives its op's value, a function that names a value for checkpoint
policies, the values on its wires, and a function that writes the rule's function and returns its name.
"""

HELPERS = {"straight_through": _STRAIGHT_THROUGH, "scale_gradient": _SCALE_GRADIENT}
"""Source of the functions that rules call, by name."""
