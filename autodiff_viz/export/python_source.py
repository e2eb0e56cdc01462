"""Write a graph as a JAX program that runs by itself."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.check import diagnose
from autodiff_viz.engine.live_path.arrays import initializer
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.versions import versions_said
from autodiff_viz.export.body import Body, unspaced
from autodiff_viz.export.expressions import array, called, cast, constant, data, dotted, expression, written
from autodiff_viz.export.rules import HELPERS, WIDTH
from autodiff_viz.graph.checks.argument_types import known_graph
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.structure.blocks import blocks
from autodiff_viz.graph.structure.bypass import played
from autodiff_viz.language.printer.layout import INDENT, wrapped
from autodiff_viz.ops.initializers import INITIALIZERS

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
    Nodes that the output does not depend on are left out, except inputs.

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
    parts = written_parts(graph, seed, dtype)
    inputs = parts.inputs
    text = _FILE.format(
        versions=versions_said(),
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
    if found := diagnose(replace(known_graph(graph), groups=())):
        raise GraphError(found)
    if graph.output is None:
        raise GraphError(Problem("no-output", "The graph is empty.", "Add a node."))
    graph = replace(played(graph), groups=graph.groups)  # groups become sections, named in comments
    values = trace(graph, seed=seed, dtype=dtype).value
    body = Body(graph, {name: value.shape for name, value in values.items()}, dtype)
    lines = [*body.lines(blocks(graph)), f"return {body.variables[graph.output]}"]
    inputs = {body.variables[node.name]: node for node in graph.nodes if node.op == INPUT}
    functions = "\n\n".join([*_helpers(lines), *body.rules])
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


def _helpers(lines: list[str]) -> list[str]:
    return [source for name, source in HELPERS.items() if _calls(name, lines)]


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
