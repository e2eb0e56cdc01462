"""Check of a graph: structure first, then ops, arity, shapes and rules."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from types import MappingProxyType

from autodiff_viz.engine.arguments import input_shapes
from autodiff_viz.engine.live_path.arrays import FLOAT32, own_shape
from autodiff_viz.engine.live_path.kernels import Shape, result_shape, split, too_many_kernels
from autodiff_viz.graph import limits
from autodiff_viz.graph.argument_types import known_graph
from autodiff_viz.graph.bypass import played
from autodiff_viz.graph.check import problems as structural
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import FOLLOW, INPUT, Call, Graph, Node, Slot, Term, params
from autodiff_viz.graph.order import ancestors, descendants, order
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import ARRIVING, KINDS, ON_INPUTS, WIRES
from autodiff_viz.graph.text_format import listed
from autodiff_viz.ops.catalog import OPS


def diagnose(graph: Graph, inputs: Mapping[str, Shape] | None = None) -> tuple[Problem, ...]:
    """Return all problems of `graph`, structural ones first. Compiles nothing.

    Args:
      graph: any graph, also an incomplete one.
      inputs: shapes of the inputs that do not have the shape of their own value.
    Returns:
      The problems; () if `trace` can run the graph.
    Raises:
      GraphError: `graph` is no graph, or `inputs` does not map names of inputs to shapes.
    """
    known_graph(graph)
    return _examine(graph, input_shapes(graph, inputs))[0] if inputs else _examined(graph)[0]


def shapes(graph: Graph) -> Mapping[str, Shape]:
    """Return the shape of every node's value by name, as far as abstract evaluation finds it."""
    return _examined(graph)[1]


@remembered(16)
def _examined(graph: Graph) -> tuple[tuple[Problem, ...], Mapping[str, Shape]]:
    return _examine(graph, {})


def _examine(graph: Graph, inputs: Mapping[str, Shape]) -> tuple[tuple[Problem, ...], Mapping[str, Shape]]:
    found = list(structural(graph))
    known: dict[str, Shape] = {}
    programs: set[Hashable] = set()
    for node in order(played(graph)):
        try:
            shape = _input_shape(node, inputs) if node.op == INPUT else _shape(node, known, programs)
        except GraphError as error:
            found.extend(at_node(error, node.name).problems)
        else:
            if shape is not None:
                known[node.name] = shape
    return tuple(dict.fromkeys(found)), MappingProxyType(known)


def runnable(graph: Graph, problems: tuple[Problem, ...]) -> Graph:
    """Return the part of `graph` that can be evaluated: no node with a problem and no descendant of one.

    Regions are dropped, since they change no number. The output is kept if its node is.
    """
    graph = played(graph)
    broken = descendants(graph, (problem.node for problem in problems if problem.node is not None))
    kept = tuple(node for node in graph.nodes if node.name not in broken)
    names = {node.name for node in kept}
    return Graph(kept, (), graph.output if graph.output in names else None)


def disconnected(graph: Graph) -> frozenset[str]:
    """Return the names of the nodes from which no path leads to the output: no cotangent can arrive there."""
    reach = ancestors(played(graph), [graph.output] if graph.output else [])
    return frozenset(node.name for node in graph.nodes if node.name not in reach)


def _shape(node: Node, shapes: Mapping[str, Shape], programs: set[Hashable]) -> Shape | None:
    """Check a node and return its shape, or None if a node before it has a problem.

    Records the node's program.
    """
    _check_arity(node)
    if any(slot is None or (isinstance(slot, str) and slot not in shapes) for slot in node.slots):
        return None
    below = tuple(_slot_shape(slot, shapes) for slot in node.slots)
    shape = _op_shape(node.op, node.params, below[: len(node.op_slots)])
    _check_rule(node, shape, below)
    _note_program(node, below, programs)
    return shape


def _note_program(node: Node, below: tuple[Shape, ...], programs: set[Hashable]) -> None:
    """Record the node's program and check the limit of different programs per graph; see `kernel`."""
    static = repr(split(OPS[node.op], node.params)[0]) if node.params else ""
    wired = tuple([slot for slot, _ in node.wires])
    program = node.op, static, below[: len(node.op_slots)], wired
    if program not in programs and len(programs) >= limits.KERNELS:
        raise GraphError(too_many_kernels(node.op))
    programs.add(program)


def _slot_shape(slot: Slot, shapes: Mapping[str, Shape]) -> Shape:
    if isinstance(slot, str):
        return shapes[slot]
    return (len(slot), *_slot_shape(slot[0], shapes)) if isinstance(slot, tuple) else ()


def _op_shape(op: str, given: tuple, below: tuple[Shape, ...]) -> Shape:
    static, _ = split(OPS[op], given)
    return result_shape(op, static, below, FLOAT32)


def _check_arity(node: Node) -> None:
    op = OPS.get(node.op)
    if op is None:
        raise GraphError(unknown_op(node.op))
    unknown = [key for key, _ in node.params if op.param(key) is None]
    if unknown:
        known = ", ".join(param.name for param in op.params) or "none"
        raise GraphError(
            Problem("unknown-param", f"{node.op!r} has no parameter {unknown[0]!r}.", f"It has: {known}.")
        )
    count, wanted = len(node.op_slots), len(op.slots)
    if (count < 1) if op.variadic else (count != wanted):
        needs = "at least one input" if op.variadic else f"{wanted} ({', '.join(op.slots) or 'none'})"
        message = f"{node.name!r} has {count} inputs; {node.op!r} takes {needs}."
        raise GraphError(Problem("arity", message, "Add or remove inputs."))


def _input_shape(node: Node, inputs: Mapping[str, Shape]) -> Shape:
    shape = inputs[node.name] if node.name in inputs else own_shape(node)
    _check_input_rule(node, shape)
    return shape


def _check_input_rule(node: Node, shape: Shape) -> None:
    kind = KINDS[node.rule.kind]
    if kind.replaces:
        those = listed([name for name in ON_INPUTS if name != FOLLOW])
        raise GraphError(
            Problem(
                "rule-on-input",
                f"{node.name!r} is an input: it has no derivative to replace.",
                f"An input takes {those}, which change what arrives; put this rule on a node after it.",
            )
        )
    if kind.function:
        _check_lambda(node, [shape], [shape])


def _check_rule(node: Node, shape: Shape, below: tuple[Shape, ...]) -> None:
    kind = KINDS[node.rule.kind]
    if kind.function == ARRIVING:
        _check_lambda(node, [shape], [shape])
    elif kind.function == WIRES:
        wired = [below[slot] for slot, _ in node.wires]
        _check_lambda(node, [shape, *wired, shape], wired)
    elif kind.alternative and below[-1] != shape:
        raise GraphError(wrong_alternative(node, shape, below[-1]))


def _check_lambda(node: Node, given: list[Shape], wanted: list[Shape]) -> None:
    function = node.rule.function
    if function is None:
        raise GraphError(
            Problem(
                "no-function", f"The {node.rule.kind} of {node.name!r} has no expression.", "Write a lambda."
            )
        )
    if len(given) != len(function.args) or len(wanted) != len(function.body):
        raise GraphError(wrong_arity(node, len(given), len(wanted)))
    names = dict(zip(function.args, given, strict=True))
    for term, shape in zip(function.body, wanted, strict=True):
        found = term_shape(term, names)
        try:
            _op_shape("broadcast_to", params(shape=shape), (found,))
        except GraphError as error:
            raise GraphError(wrong_shape(node, found, shape)) from error


def term_shape(term: Term, names: Mapping[str, Shape]) -> Shape:
    """Return the shape of a lambda's term, given the shapes of the lambda's arguments.

    Raises:
      GraphError: an op is unknown or refuses its shapes, or a name is not an argument.
    """
    if isinstance(term, Call):
        if term.op not in OPS:
            raise GraphError(unknown_op(term.op))
        return _op_shape(term.op, term.params, tuple(term_shape(arg, names) for arg in term.args))
    if isinstance(term, str) and term not in names:
        known = ", ".join(names)
        raise GraphError(
            Problem(
                "unknown-name", f"The lambda has no argument {term!r}.", f"It sees only its own: {known}."
            )
        )
    return _slot_shape(term, names)


def at_node(error: GraphError, name: str) -> GraphError:
    """Return the same problems, with `name` as the node of those that have none."""
    return GraphError(replace(problem, node=problem.node or name) for problem in error.problems)


def unknown_op(name: str) -> Problem:
    """Return the problem of an op that is not in the catalog."""
    return Problem("unknown-op", f"There is no op {name!r}.", "Choose an op from the palette.")


def wrong_alternative(node: Node, shape: Shape, alternative: Shape) -> Problem:
    """Return the problem of a `backward_as` whose alternative has another shape than the node."""
    return Problem(
        "backward-as-shape",
        f"{node.name!r} has shape {list(shape)}, but its alternative has shape {list(alternative)}.",
        "Both expressions of backward_as need the same shape; broadcast or reshape one.",
        node=node.name,
        slot=len(node.slots) - 1,
    )


def wrong_arity(node: Node, given: int, wanted: int) -> Problem:
    """Return the problem of a lambda whose number of arguments or results does not fit the node's wires."""
    names = (
        "v" if KINDS[node.rule.kind].function == ARRIVING else "v, then one per wire, then the node's value"
    )
    arguments = "1 argument" if given == 1 else f"{given} arguments"
    results = "1 result" if wanted == 1 else f"{wanted} results, as a tuple"
    return Problem(
        "rule-arity",
        f"The {node.rule.kind} of {node.name!r} needs {arguments} ({names}) and {results}.",
        "Change the lambda to match the node's wires.",
        node=node.name,
    )


def wrong_shape(node: Node, found: Shape, wanted: Shape) -> Problem:
    """Return the problem of a rule whose cotangent has another shape than the value that it belongs to."""
    return Problem(
        "rule-shape",
        f"The rule of {node.name!r} gives a cotangent of shape {list(found)} where {list(wanted)} is needed.",
        "A cotangent has the shape of the value it belongs to; sum over the extra axes.",
        node=node.name,
    )
