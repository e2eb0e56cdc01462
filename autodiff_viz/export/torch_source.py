"""Write a graph as a PyTorch program that runs by itself and gives the lab's values and gradients.

Rules become `torch.autograd.Function`, stops `detach`, checkpoint regions `torch.utils.checkpoint`, and grad
nodes `torch.autograd.grad`. Random numbers are written out, since PyTorch draws others from the same seed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.linear_rules import is_linear
from autodiff_viz.engine.live_path.check import diagnose, term_shape
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.versions import describe_versions
from autodiff_viz.export.expressions import (
    called,
    data,
    dotted,
    expression,
    fresh,
    identifier,
    scope,
    written,
)
from autodiff_viz.export.footer import with_footer
from autodiff_viz.export.python_source import Body, indented, tidied, unspaced
from autodiff_viz.export.rule_functions import Pull, function_body, packed
from autodiff_viz.export.torch_ops import (
    HELPERS,
    filled,
    multiplied,
    plain_numbers,
    tensor,
    torch_applied,
    torch_constant,
)
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.grad_nodes import BY, OF, between, reads_of, runs_again
from autodiff_viz.graph.model import GRAD, INPUT, Call, Graph, Node, Rule, Term, names_in
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, without_natives
from autodiff_viz.graph.rule_kinds import (
    ARRIVING,
    BACKWARD_AS,
    FOLLOW,
    KINDS,
    PULLBACK,
    REWRITE,
    SCALE,
    STOP,
)
from autodiff_viz.language.printer import INDENT
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.ops.piecewise import COMPARISONS
from autodiff_viz.ops.places import AT_PLACES, PLACES

_OWN = frozenset((
    "torch", "checkpoint", "ctx", "forward", "value", "tensor", "print", "float", "slice", "grad",
    "ScaleGradient", "StraightThrough", *HELPERS,
))  # fmt: skip
"""Names that the file uses itself."""

_FLAT = frozenset((
    "sign", "round", "floor", "argmax", "argsort", "one_hot", "zeros_like", "ones_like", "uniform", "normal",
    *COMPARISONS,
))  # fmt: skip
"""Ops whose value has no gradient in PyTorch."""

_STRAIGHT_THROUGH = '''
class StraightThrough(torch.autograd.Function):
    """The value of x with the derivative of the alternative."""

    @staticmethod
    def forward(ctx, x, alternative):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, v):
        return None, v
'''

_SCALE_GRADIENT = '''
class ScaleGradient(torch.autograd.Function):
    """x itself; the gradient that arrives is multiplied by the scale."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, v):
        return v * ctx.scale, None
'''

_GRAD = '''
def grad(z, x):
    """The derivative of the sum of z by x, as a value that can be differentiated again."""
    if not z.requires_grad:  # a derivative that is constant
        return torch.zeros_like(x)
    (slope,) = torch.autograd.grad(z.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if slope is None else slope
'''

_FUNCTIONS = {
    **HELPERS,
    "ScaleGradient": _SCALE_GRADIENT,
    "StraightThrough": _STRAIGHT_THROUGH,
    "grad": _GRAD,
}

_CUSTOM = '''
class {name}(torch.autograd.Function):
    """{doc}"""

    @staticmethod
    def forward({inputs}):
        {forward}

    @staticmethod
    def backward(ctx, {v}):
        {backward}
'''


@dataclass
class _TorchPull(Pull):
    """Translation of a lambda to the body of a `backward`."""

    twice: bool = False

    def result(self, term: Term, wanted: Shape) -> ast.expr:
        if not isinstance(term, str | Call | tuple):
            return filled(wanted, self.term(term), self.dtype)
        tree = self.term(term)
        same = term_shape(term, self.shapes) == wanted
        return tree if same else called("torch.broadcast_to", tree, data(wanted))

    def term(self, term: Term) -> ast.expr:
        return super().term(term) if isinstance(term, str | Call) else torch_constant(term, self.dtype)

    def applied(self, term: Call) -> ast.expr:
        operands = [self.term(arg) for arg in term.args]
        shapes = [term_shape(arg, self.shapes) for arg in term.args]
        own = term_shape(term, self.shapes)
        return torch_applied(term.op, operands, dict(term.params), shapes, own, self.dtype, self.twice)


@dataclass
class _TorchBody(Body):
    """Builder of the lines of `forward` in PyTorch."""

    @cached_property
    def variables(self) -> dict[str, str]:
        return scope((node.name for node in self.graph.nodes), _OWN)

    @cached_property
    def _taken(self) -> set[str]:
        return {*_OWN, *self.variables.values()}

    @cached_property
    def _live(self) -> frozenset[str]:
        return ancestors(self.graph, [self.graph.output])

    @cached_property
    def _inline(self) -> dict[str, str]:
        by_name = self.graph.by_name
        differentiated = {name for node in self._grads for name in (node.slots[OF], node.slots[BY])}
        return {
            name: user
            for name, user in super()._inline.items()
            if name not in differentiated and by_name[user].op != GRAD
        }

    @cached_property
    def _grads(self) -> list[Node]:
        return [node for node in self.graph.nodes if node.op == GRAD]

    @cached_property
    def differentiable(self) -> frozenset[str]:
        """The nodes whose tensors may require a gradient."""
        leaves = {node.slots[BY] for node in self._grads}
        names: set[str] = set()
        for node in blocks(self.graph).nodes():
            if node.name in leaves or (node.rule.kind != STOP and self._passes(node, names)):
                names.add(node.name)
        return frozenset(names)

    def _passes(self, node: Node, names: set[str]) -> bool:
        """Return whether a node has a gradient to pass to one of `names`, or is an input."""
        return node.op == INPUT or PASSES[node.rule.kind](self, node, names)

    def _passes_as_op(self, node: Node, names: set[str]) -> bool:
        """Return whether the op of a node has a gradient to pass to one of `names`."""
        if node.op == GRAD and self._constant(node):
            return False
        skipped = {
            "where": {0},
            "softmax_cross_entropy_with_integer_labels": {1},
            **{op: {PLACES} for op in AT_PLACES},
        }
        beside = skipped.get(node.op, set())
        return node.op not in _FLAT and any(name in names for slot, name in node.wires if slot not in beside)

    def _ruled(self, node: Node) -> ast.expr:
        kind, wired = node.rule.kind, [self._trees[name] for _, name in node.wires]
        tree = TORCH_RULES[kind](self, node, self._value(node), wired)
        if any(each.slots[BY] == node.name for each in self._grads) and not self._has_gradient(node):
            # The tensor by which is differentiated must require a gradient.
            tree = called("requires_grad_", of=called("detach", of=tree) if kind != STOP else tree)
        return tree

    def _straight_through(self, node: Node, tree: ast.expr, wired: Sequence[ast.expr]) -> ast.expr:
        if not isinstance(node.slots[-1], str):  # a constant passes nothing
            return called("detach", of=tree)
        # Detached, since PyTorch would pass a 0 to rules behind it, where JAX passes nothing.
        plain = replace(node, rule=Rule(), slots=node.op_slots)
        tree = called("detach", of=tree) if self._passes(plain, set(self.differentiable)) else tree
        return called("StraightThrough.apply", tree, wired[-1])

    def _has_gradient(self, node: Node) -> bool:
        return node.rule.kind != STOP and self._passes(node, set(self.differentiable))

    def _value(self, node: Node) -> ast.expr:
        if node.op == INPUT:
            return self._trees[node.name]
        if node.op == GRAD:
            return self._gradient(node)
        operands, shapes = [], []
        for slot in node.op_slots:
            wired = isinstance(slot, str)
            operands.append(self._trees[slot] if wired else torch_constant(slot, self.dtype))
            shapes.append(self.shapes[slot] if wired else np.shape(slot))
        own, twice = self.shapes[node.name], bool(self._grads)
        return torch_applied(node.op, operands, dict(node.params), shapes, own, self.dtype, twice)

    def _constant(self, node: Node) -> str:
        """Return the function that makes a derivative of 1 or 0, which nothing moves; "" for any other."""
        of, by = node.slots[:2]
        if of == by:
            return "torch.ones_like"
        moved = {by}
        for each in between(self.graph, node).nodes:
            if self._passes(each, moved):
                moved.add(each.name)
        return "" if of in moved else "torch.zeros_like"

    def _gradient(self, node: Node) -> ast.expr:
        of, by = node.slots[:2]
        z, x = self._trees[of], self._trees[by]
        if constant := self._constant(node):
            return called(constant, x)
        if any(each.op == GRAD for each in between(self.graph, node).nodes):
            return called("grad", z, x)
        number = called("sum", of=z) if self.shapes[of] else z
        whole = called("torch.autograd.grad", number, x)
        whole.keywords = [ast.keyword("create_graph", ast.Constant(True))]
        return ast.Subscript(whole, ast.Constant(0), ast.Load())

    def _function(self, node: Node) -> str:
        name = self._functions.get(node.name)
        if name is None:
            words = re.sub(r"\W", "", self.variables[node.name].title().replace("_", ""), flags=re.ASCII)
            name = self._functions[node.name] = fresh(f"{words or 'Node'}Rule", self._taken)
            wired = [self.shapes[producer] for _, producer in node.wires]
            self.rules.append(_rule(node, name, self.shapes[node.name], wired, self.dtype, bool(self._grads)))
        return name

    def _region(self, block: Block) -> list[str]:
        inside = [node for node in block.nodes() if node.op != INPUT and node.name in self._live]
        if not inside:
            return []
        names = {node.name for node in inside}
        wires = dict.fromkeys(name for node in inside for _, name in node.wires)
        taken = ", ".join(self.variables[name] for name in wires if name not in names)
        leaving = [
            self.variables[node.name]
            for node in inside
            if node.name == self.graph.output
            or any(user in self._live and user not in names for user, _ in self._uses[node.name])
        ]
        given = ", ".join(leaving)
        function = fresh(identifier(block.region.name), self._taken)
        body = unspaced([*self._items(block), f"return {given}"])
        region, differs = block.region, []
        if region.policy != POLICIES[0]:
            keeps = POLICY[region.policy].keeps
            differs = [f"# JAX keeps {keeps} ({region.policy}); PyTorch runs all of it again: equal numbers"]
        arguments = f", {taken}" if taken else ""
        return [
            "",
            *differs,
            f"def {function}({taken}):",
            *(INDENT + line if line else "" for line in body),
            "",
            f"{given} = checkpoint({function}{arguments}, use_reentrant=False)",
        ]


Ruled = Callable[[_TorchBody, Node, ast.expr, Sequence[ast.expr]], ast.expr]

TORCH_RULES: Mapping[str, Ruled] = {
    FOLLOW: lambda body, node, tree, wired: tree,
    STOP: lambda body, node, tree, wired: called("detach", of=tree),
    REWRITE: lambda body, node, tree, wired: called(f"{body._function(node)}.apply", tree),
    SCALE: lambda body, node, tree, wired: called(
        "ScaleGradient.apply", tree, expression(repr(float(node.rule.number)))
    ),
    PULLBACK: lambda body, node, tree, wired: called(f"{body._function(node)}.apply", *wired),
    BACKWARD_AS: _TorchBody._straight_through,
}
"""By kind of rule, the expression of a node, from that of its op and those of the nodes that it reads."""

PASSES: Mapping[str, Callable[[_TorchBody, Node, set[str]], bool]] = {
    **dict.fromkeys((FOLLOW, REWRITE, SCALE), _TorchBody._passes_as_op),
    STOP: lambda body, node, names: False,
    PULLBACK: lambda body, node, names: any(name in names for _, name in node.wires),
    BACKWARD_AS: lambda body, node, names: node.slots[-1] in names,
}
"""By kind of rule, whether a node has a gradient to pass to one of some nodes."""


def _rule(node: Node, name: str, shape: Shape, wired: Sequence[Shape], dtype: str, twice: bool) -> str:
    """Return the source of the `autograd.Function` of a node whose rule has a lambda."""
    function = node.rule.function
    rewrite = KINDS[node.rule.kind].function == ARRIVING
    shapes = (shape,) if rewrite else (shape, *wired, shape)
    variables = scope(function.args, {*_OWN, name})
    taken = {*_OWN, name, *variables.values()}
    pull = _TorchPull(variables, dict(zip(function.args, shapes, strict=True)), dtype, taken, twice=twice)
    wanted = [shape] if rewrite else wired
    results = [pull.result(term, target) for term, target in zip(function.body, wanted, strict=True)]
    passed = ", ".join(written(tree) for tree in results)
    v = variables[function.args[0]]
    if rewrite:
        x = fresh("x", {*_OWN, name})
        return _CUSTOM.format(
            name=name,
            doc="x itself; the gradient that arrives is rewritten.",
            inputs=f"ctx, {x}",
            forward=f"return {x}.view_as({x})",
            v=v,
            backward=_lines(pull.lines, [f"return {passed}"]),
        )
    _, *inputs, y = variables.values()
    read = names_in(function.body)
    kept = [variables[arg] for arg in function.args[1:] if arg in read]
    each = iter(zip(inputs, wired, strict=True))
    operands, given = [], []
    for slot in node.op_slots:
        operand, own = next(each) if isinstance(slot, str) else (None, np.shape(slot))
        operands.append(dotted(operand) if operand else torch_constant(slot, dtype))
        given.append(own)
    value = torch_applied(node.op, operands, dict(node.params), given, shape, dtype, twice)
    text = written(value)
    # A Function may not return what it was given as it is.
    text = f"{text}.view_as({text})" if isinstance(value, ast.Name) else text
    save = [f"ctx.save_for_backward({', '.join(kept)})"] if kept else []
    return _CUSTOM.format(
        name=name,
        doc=f"{node.op} with a derivative of its own.",
        inputs=", ".join(["ctx", *inputs]),
        forward=_lines([f"{y} = {text}"], save, [f"return {y}"]),
        v=v,
        backward=_lines(
            [f"{packed(kept)} = ctx.saved_tensors"] if kept else [], pull.lines, [f"return {passed}"]
        ),
    )


def _lines(*parts: Sequence[str]) -> str:
    return function_body(*parts).replace("\n", f"\n{INDENT}")


_FILE = '''"""The graph of {output} as a PyTorch program.

It needs torch and nothing else. Run it: it prints {output} and the gradient of every input.
The numbers that are expected are those of {versions}.
"""

{imports}

{inputs}


{functions}


def forward({arguments}):
{body}


if __name__ == "__main__":
    value = forward({arguments})
{main}
'''

_SHOWN = 8  # numbers of an array that stand in a comment


def to_torch(graph: Graph, seed: Any = None, *, dtype: str = FLOAT32) -> str:
    """Write the graph as a Python file that needs only torch.

    The file holds the inputs as tensors, one function of them, and a main part that prints the output's value
    and every input's gradient, with the lab's numbers in comments. Where PyTorch takes another slope at a
    corner than JAX, the file has a function with JAX's. Random numbers are written out. A checkpoint region's
    policy becomes a comment: PyTorch runs all of a region again. Comments at its end have the formula,
    by which `read` gives the graph back while the code is unchanged.

    Args:
      graph: complete (no empty slot, no cycle).
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The text of the file.
    Raises:
      GraphError: the graph has a problem or an op that cannot be written, or the seed does not fit.
    """
    dtype = known_dtype(dtype)
    return with_footer(torch_program(graph, seed, dtype), graph, seed, dtype)


def torch_program(graph: Graph, seed: Any, dtype: str) -> str:
    """Write the file of `to_torch` without its footer.

    Raises:
      GraphError: as `to_torch`.
    """
    without_natives(known_graph(graph), "a PyTorch program", own=True)
    if problems := diagnose(replace(graph, groups=())):
        raise GraphError(problems)
    if graph.output is None:
        raise GraphError(Problem("no-output", "The graph is empty.", "Add a node."))
    graph = replace(played(graph), groups=graph.groups)
    if problems := _shared_rules(graph):
        raise GraphError(problems)
    lab = trace(graph, seed=seed, dtype=dtype)
    body = _TorchBody(graph, {name: value.shape for name, value in lab.value.items()}, dtype)
    lines = [*body.lines(blocks(graph)), f"return {body.variables[graph.output]}"]
    if not all(np.isfinite(arriving).all() for arriving in lab.cotangent.values()):
        lines, body.rules = [*map(multiplied, lines)], [*map(multiplied, body.rules)]
    inputs = {body.variables[node.name]: node for node in graph.nodes if node.op == INPUT}
    text = _FILE.format(
        output=graph.output,
        versions=describe_versions(),
        imports="\n".join(
            [
                "import torch",
                *(["from torch.utils.checkpoint import checkpoint"] if _used("checkpoint", lines) else []),
            ]
        ),
        inputs="\n".join(f"{name} = {written(_leaf(node, lab))}" for name, node in inputs.items()),
        functions="\n\n".join([*_helpers([*lines, *body.rules]), *body.rules]),
        arguments=", ".join(inputs),
        body=indented(unspaced(lines)),
        main=indented(_main(lab, seed, inputs, body)),
    )
    return _commented(tidied(text), lab, [node.name for node in inputs.values()])


def _shared_rules(graph: Graph) -> tuple[Problem, ...]:
    """Return a problem for each rule that PyTorch would apply to a sum, and JAX to each of its terms.

    A grad node of the lab runs the nodes between its two again. PyTorch does not: what comes back by the
    derivative and from elsewhere arrives at such a node together.
    """
    live = ancestors(graph, [graph.output])
    again = [runs_again(graph, [node]) for node in graph.nodes if node.op == GRAD and node.name in live]
    outside = ancestors(graph, [graph.output], reads_of)
    return tuple(
        Problem(
            "not-written",
            f"The rule of {node.name!r} is not linear in what arrives, and a grad node runs it again: JAX "
            "applies the rule in each run, PyTorch once, to the sum of what arrives.",
            "Use the JAX file.",
            node=node.name,
        )
        for node in graph.nodes
        if not is_linear(node.rule) and sum(node.name in run for run in (outside, *again)) > 1
    )


def _used(function: str, lines: Sequence[str]) -> bool:
    return any(re.search(rf"(?<!\.)\b{function}(\.apply)?\(", line) for line in lines)


def _helpers(lines: Sequence[str]) -> list[str]:
    called = [source for name, source in _FUNCTIONS.items() if _used(name, lines)]
    # One of them may call another.
    return [source for name, source in _FUNCTIONS.items() if _used(name, [*lines, *called])]


def _leaf(node: Node, lab: Trace) -> ast.expr:
    value = node.param("value")
    made = tensor(plain_numbers(lab.inputs[node.name]) if value is None else value, lab.dtype)
    made.keywords = [*made.keywords, ast.keyword("requires_grad", ast.Constant(True))]
    return made


def _main(lab: Trace, seed: Any, inputs: dict[str, Node], body: _TorchBody) -> list[str]:
    output = lab.graph[lab.output]
    lines = []
    if lab.output in body.differentiable:
        guard = any(node.op == GRAD for node in lab.graph.nodes)
        lines = [f"value.backward({_seed(lab, seed)})"]
        if guard:  # a derivative may turn out to be constant
            lines = ["if value.requires_grad:", f"{INDENT}{lines[0]}"]
    else:
        lines = [f"# {body.variables[output.name]} passes no gradient: there is nothing to run backward"]
    lines.append(f'print("{output.name} =", value)')
    lines.extend(f'print("gradient of {node.name} =", {name}.grad)' for name, node in inputs.items())
    return lines


def _commented(text: str, lab: Trace, names: Sequence[str]) -> str:
    """Put the numbers that are expected behind the prints, which are the last lines."""
    lines = text.rstrip("\n").split("\n")
    arrays = [lab.value[lab.output], *(lab.gradient[name] for name in names)]
    ends = [i for i, line in enumerate(lines) if line.startswith(f"{INDENT}print(")]
    for i, array in zip(ends, arrays, strict=True):
        while not lines[i].endswith(")"):  # a long name, broken over two lines
            i += 1
        nothing = " (or None)" if array is not arrays[0] and not array.any() else ""
        lines[i] += f"  # expected: {_numbers(array)}{nothing}"
    return "\n".join([*lines, ""])


def _seed(lab: Trace, seed: Any) -> str:
    if seed is None:
        return "torch.ones_like(value)" if lab.seed.shape else ""
    if np.ndim(seed) == 0:
        return f"torch.full_like(value, {float(seed)!r})"
    return ast.unparse(tensor(plain_numbers(lab.seed), lab.dtype))


def _numbers(array: np.ndarray) -> str:
    """Return an array for a comment, with the digits of its precision; a long one ends in dots."""
    digits = DTYPES[str(array.dtype)].digits
    flat = [f"{float(each):.{digits}g}" for each in array.ravel()[:_SHOWN]]
    if not array.ndim:
        return flat[0]
    return f"[{', '.join(flat)}{', ...' if array.size > _SHOWN else ''}]"
