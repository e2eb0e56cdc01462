"""Write a graph as a JAX program that runs by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.live_path.arrays import initializer
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.versions import describe_versions
from autodiff_viz.export.expressions import (
    OWN,
    applied,
    array,
    called,
    called_by,
    cast,
    constant,
    data,
    dotted,
    expression,
    fresh,
    identifier,
    scope,
    written,
)
from autodiff_viz.export.footer import with_footer
from autodiff_viz.export.rule_functions import HELPERS, PIECE, SOURCE_RULES, WIDTH, rule_source
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.frames import Block, blocks
from autodiff_viz.graph.grad_nodes import between, inner_graph, reads_of
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors, consumers
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.graph.problem import GraphError, Problem, known_graph, without_natives
from autodiff_viz.graph.rule_kinds import FOLLOW
from autodiff_viz.language.printer import INDENT, candidates, chains, wrapped
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.misfits import Shape
from autodiff_viz.ops.params import INITIALIZERS

# The body of `forward`: nodes, checkpoint regions and groups as lines of Python.


_RULE_ENDINGS = ("", "_fwd", "_bwd")


@dataclass
class Body:
    """Builder of the lines of `forward`; `shapes` are those of all nodes.

    Attributes:
      variables: by node name, the Python variable of the node.
      rules: source of the functions that the lines written so far call.
      around: of the program around, where these are the lines of a function inside it that a grad node
        differentiates.
    """

    graph: Graph
    shapes: Mapping[str, Shape]
    dtype: str
    rules: list[str] = field(default_factory=list)
    around: Body | None = None
    _functions: dict[str, str] = field(default_factory=dict)
    _trees: dict[str, ast.expr] = field(default_factory=dict)
    _above: list[str] = field(default_factory=list)

    @cached_property
    def variables(self) -> dict[str, str]:
        """The Python variable of each node."""
        if self.around:
            return self.around.variables
        return scope(node.name for node in self.graph.nodes)

    @cached_property
    def _taken(self) -> set[str]:
        if self.around:
            return self.around._taken
        return {*OWN, *self.variables.values()}

    @cached_property
    def _live(self) -> frozenset[str]:
        """The nodes that the output depends on; no other node is written."""
        return ancestors(self.graph, [self.graph.output], reads_of)

    @cached_property
    def _inline(self) -> Mapping[str, str]:
        return candidates(self.graph, chains(self.graph))

    @cached_property
    def _saved(self) -> frozenset[str]:
        """The nodes whose values carry their name for a region's checkpoint policy."""
        return frozenset().union(*(r.saved for r in self.graph.regions if POLICY[r.policy].takes_names))

    @cached_property
    def _uses(self) -> dict[str, tuple[tuple[str, int], ...]]:
        return consumers(self.graph)

    def lines(self, block: Block) -> list[str]:
        """Return the lines of the outermost block: the rules of inputs, then nodes and regions in order."""
        inputs = [node for node in block.nodes() if node.op == INPUT]
        self._trees.update((node.name, dotted(self.variables[node.name])) for node in inputs)
        ruled = (node for node in inputs if node.rule.kind != FOLLOW and node.name in self._live)
        return [*(self._assigned(node, self._ruled(node)) for node in ruled), *self._items(block)]

    def _items(self, block: Block) -> list[str]:
        lines: list[str] = []
        for item in block.items:
            if isinstance(item, Block) and item.region:
                lines.extend(self._region(item))
            elif isinstance(item, Block):
                group = self._group(item)
                # Both may have an empty line where they meet: one is enough.
                lines.extend(group[1:] if lines and lines[-1] == "" and group[:1] == [""] else group)
            elif item.op != INPUT and item.name in self._live:
                lines.extend(self._node(item))
        return lines

    def _node(self, node: Node) -> list[str]:
        """Return the lines of a node; none if the node is written inside its consumer's expression.

        A cut changes no number and becomes a comment after the line.
        """
        before, self._above = self._above, []
        tree = self._ruled(node)
        above, self._above = self._above, before
        if node.name in self._inline and not node.cut and len(written(tree)) <= PIECE:
            self._trees[node.name] = tree
            return above
        self._trees[node.name] = dotted(self.variables[node.name])
        ends = [f"# cut: a segment ends at {self.variables[node.name]}"] if node.cut else []
        return [*above, self._assigned(node, tree), *ends]

    def _assigned(self, node: Node, tree: ast.expr) -> str:
        text = written(tree)
        long = len(text) > WIDTH - 2 * len(INDENT) and isinstance(tree, ast.BinOp | ast.UnaryOp)
        return f"{self.variables[node.name]} = {f'({text})' if long else text}"  # brackets allow line breaks

    def _ruled(self, node: Node) -> ast.expr:
        """Return the node's value with its rule applied."""
        run, mark, declare = (partial(make, node) for make in (self._value, self._named, self._function))
        wired = [self._trees[name] for name in reads_of(node)]
        return SOURCE_RULES[node.rule.kind](node, run, mark, wired, declare)

    def _value(self, node: Node) -> ast.expr:
        if node.op == INPUT:
            return self._trees[node.name]
        if node.op == GRAD:
            return self._gradient(node)
        operands = [
            self._trees[slot] if isinstance(slot, str) else constant(slot, self.dtype)
            for slot in node.op_slots
        ]
        return applied(OPS[node.op], operands, dict(node.params), self.dtype)

    def _gradient(self, node: Node) -> ast.expr:
        """Write the function from x to z above the node, and return `jax.grad` of it at x."""
        whole = self.around.graph if self.around else self.graph
        (of, by), inside = node.slots[:2], between(whole, node).nodes
        x = self._trees[by]
        if not inside:  # z is x itself, or does not depend on it
            return called("jnp.ones_like" if of == by else "jnp.zeros_like", x)
        graph = inner_graph(whole, node)
        root = self.around or self  # names and rules are those of one file
        body = Body(graph, self.shapes, self.dtype, self.rules, root, root._functions)
        z = self.variables[of]
        # `jax.grad` takes a number: of a tensor, its sum.
        lines = [*body.lines(blocks(graph)), f"return jnp.sum({z})" if self.shapes[of] else f"return {z}"]
        function = fresh(f"{z}_of_{self.variables[by]}", self._taken)
        head = f"def {function}({self.variables[by]}):"
        self._above += ["", head, *(INDENT + line if line else "" for line in unspaced(lines)), ""]
        return called_by(called("jax.grad", dotted(function)), x)

    def _named(self, node: Node, tree: ast.expr) -> ast.expr:
        saved = node.name in self._saved and node.op != INPUT
        return called("checkpoint_name", tree, data(node.name)) if saved else tree

    def _function(self, node: Node) -> str:
        """Write the function of the node's rule and return its name."""
        if node.name in self._functions:  # a grad node runs the node once more
            return self._functions[node.name]
        name = self._functions[node.name] = fresh(
            f"{self.variables[node.name]}_rule", self._taken, _RULE_ENDINGS
        )
        wired = [self.shapes[producer] for _, producer in node.wires]
        shape, checkpointed = self.shapes[node.name], bool((self.around or self).graph.regions)
        self.rules.append(rule_source(node, name, shape, wired, self.dtype, checkpointed))
        return name

    def _region(self, block: Block) -> list[str]:
        """Return a function under `jax.checkpoint` and its call; nothing if the output does not need it."""
        inside = [node for node in block.nodes() if node.op != INPUT and node.name in self._live]
        if not inside:
            return []
        names = {node.name for node in inside}
        wires = dict.fromkeys(name for node in inside for name in reads_of(node))
        taken = ", ".join(self.variables[name] for name in wires if name not in names)
        leaving = []  # what the rest of the program reads
        for node in inside:
            outside = [user for user, _ in self._uses[node.name] if user in self._live and user not in names]
            if outside or node.name == self.graph.output:
                leaving.append(self.variables[node.name])
        given = ", ".join(leaving)
        function = fresh(identifier(block.region.name), self._taken)
        body = unspaced([*self._items(block), f"return {given}"])
        region, decorator = block.region, "@jax.checkpoint"
        if region.policy != POLICIES[0]:  # the first is JAX's default
            policy = f"jax.checkpoint_policies.{region.policy}"
            if POLICY[region.policy].takes_names:
                policy += f"({', '.join(written(data(name)) for name in sorted(region.saved))})"
            decorator = f"@partial(jax.checkpoint, policy={policy})"
        return [
            "",
            decorator,
            f"def {function}({taken}):",
            *(INDENT + line if line else "" for line in body),
            "",
            f"{given} = {function}({taken})",
        ]

    def _group(self, block: Block) -> list[str]:
        """Return the lines of a group under a comment with its name, between empty lines.

        Nothing if the group has no lines.
        """
        lines = self._items(block)
        lines = lines[:-1] if lines and not lines[-1] else lines  # an inner group ends with an empty line
        kind = "branches" if block.frame.branches else "group"
        return ["", f'# {kind} "{block.frame.name}"', *unspaced(lines), ""] if lines else []


def unspaced(lines: list[str]) -> list[str]:
    """Return the lines without an empty first line."""
    return lines if lines[0] else lines[1:]


# The whole file.


_FILE = '''"""The graph of {output} as a JAX program.

It needs jax and nothing else. Run it: it prints {output} and the gradient of every input.
Written by {versions}; with another JAX the last digits may differ.
"""

{imports}

{inputs}


{functions}


def forward({arguments}):
{body}


if __name__ == "__main__":
    value, pull_back = jax.vjp({call})
    gradients = pull_back({seed})
    print("{output} =", value)
{gradients}
'''

_GRADIENTS = """\
    for name, gradient in zip({names}, gradients):
        print(f"gradient of {{name}} =", gradient)
"""


def to_python(graph: Graph, seed: Any = None, *, dtype: str = FLOAT32) -> str:
    """Write the graph as a Python file that needs only jax.

    The file holds the inputs as arrays, one function of them with the graph's rules, checkpoint regions and
    groups, and a main part that prints the output's value and every input's gradient: the numbers of `trace`.
    Nodes that the output does not depend on are left out, except inputs. Comments at its end have the
    formula, by which `read` gives the graph back while the code is unchanged.

    Args:
      graph: complete (no empty slot, no cycle).
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The text of the file.
    Raises:
      GraphError: the graph has a problem, or the seed does not fit its output.
    """
    dtype = known_dtype(dtype)
    return with_footer(program(graph, seed, dtype), graph, seed, dtype)


def program(graph: Graph, seed: Any, dtype: str) -> str:
    """Write the file of `to_python` without its footer.

    Raises:
      GraphError: as `to_python`.
    """
    parts = written_parts(graph, seed, dtype)
    inputs = parts.inputs
    text = _FILE.format(
        versions=describe_versions(),
        output=graph.output,
        imports=imports(parts.lines, dtype),
        inputs="\n".join(f"{name} = {written(input_value(node, dtype))}" for name, node in inputs.items()),
        functions=parts.functions,
        arguments=", ".join(inputs),
        body=indented(parts.lines),
        call=", ".join(["forward", *inputs]),
        seed=written(_seed(seed, parts.shape, dtype)),
        gradients=_GRADIENTS.format(names=written(data(tuple(node.name for node in inputs.values()))))
        if inputs
        else "",
    )
    return tidied(text)


class Parts(NamedTuple):
    """What a program needs to compute a graph.

    Attributes:
      lines: of the body of `forward`.
      functions: the source of the functions that these call.
      inputs: the input nodes, by the Python variable of each.
      shape: of the output.
    """

    lines: list[str]
    functions: str
    inputs: dict[str, Node]
    shape: tuple[int, ...]


def written_parts(graph: Graph, seed: Any, dtype: str) -> Parts:
    """Write the body of a graph's `forward` and the functions that it calls.

    Raises:
      GraphError: as `to_python`.
    """
    without_natives(known_graph(graph), "a Python program", own=True)
    if problems := diagnose(replace(graph, groups=())):
        raise GraphError(problems)
    if graph.output is None:
        raise GraphError(Problem("no-output", "The graph is empty.", "Add a node."))
    graph = replace(played(graph), groups=graph.groups)  # groups become sections, named in comments
    values = trace(graph, seed=seed, dtype=dtype).value
    body = Body(graph, {name: value.shape for name, value in values.items()}, dtype)
    lines = [*body.lines(blocks(graph)), f"return {body.variables[graph.output]}"]
    inputs = {body.variables[node.name]: node for node in graph.nodes if node.op == INPUT}
    helpers = [source for name, source in HELPERS.items() if _calls(name, lines)]
    functions = "\n\n".join([*helpers, *body.rules])
    return Parts(unspaced(lines), functions, inputs, values[graph.output].shape)


def indented(lines: list[str]) -> str:
    """Return lines as the body of a function."""
    return "\n".join(f"{INDENT}{line}".rstrip() for line in lines)


def imports(lines: list[str], dtype: str) -> str:
    """Return the imports for these lines of code, with those of jax and jnp."""
    partial = ["from functools import partial", ""] if _calls("partial", lines) else []
    named = ["from jax.ad_checkpoint import checkpoint_name"] if _calls("checkpoint_name", lines) else []
    double = ["", 'jax.config.update("jax_enable_x64", True)'] if DTYPES[dtype].wide else []
    return "\n".join([*partial, "import jax", "import jax.numpy as jnp", *named, *double])


def _calls(function: str, lines: list[str]) -> bool:
    return any(re.search(rf"\b{function}\(", line) for line in lines)


def tidied(text: str) -> str:
    """Break long lines inside brackets, and leave at most two empty lines in a row."""
    lines: list[str] = []
    for line in re.sub(r"\n{4,}", "\n\n\n", text).rstrip().split("\n"):
        code = line.lstrip()
        lines.extend(wrapped(code, line.removesuffix(code), WIDTH))
    return "\n".join([*lines, ""])


def input_value(node: Node, dtype: str) -> ast.expr:
    """Return the value of an input: its numbers, or the call that draws them."""
    value = node.param("value")
    if value is not None:
        return array(value, dtype)
    key = called("jax.random.key", data(node.param("seed", 0)))
    drawn = (key, data(node.param("shape")), dotted("jnp", FLOAT32))
    if not node.is_parameter:
        return cast(called("jax.random.normal", *drawn), dtype)
    draw = expression(INITIALIZERS[initializer(node.params)].source)
    return cast(ast.Call(draw, list(drawn), []), dtype)


def _seed(seed: Any, shape: tuple[int, ...], dtype: str) -> ast.expr:
    value = dotted("value")
    if seed is None:
        return called("jnp.ones_like", value)
    if np.ndim(seed) == 0:
        return called("jnp.full_like", value, constant(float(seed), dtype))
    return array(np.broadcast_to(np.asarray(seed, np.float64), shape).tolist(), dtype)
