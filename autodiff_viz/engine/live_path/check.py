"""Check a graph: structure first, then ops, arity, shapes and rules."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType

from autodiff_viz.engine.arguments import input_shapes
from autodiff_viz.engine.grad_op import check_grad, op_call
from autodiff_viz.engine.live_path.arrays import own_shape
from autodiff_viz.engine.live_path.kernels import too_many_kernels
from autodiff_viz.engine.live_path.lambdas import NUMBER_RULES, LambdaBuilder, LambdaProgram
from autodiff_viz.engine.live_path.op_calls import (
    Program,
    check_call,
    known_op,
    program_key,
    result_shape,
    split,
)
from autodiff_viz.graph import limits
from autodiff_viz.graph.check import problems as structural
from autodiff_viz.graph.check import rule_problems
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.grad_nodes import BY
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Lambda, Node, Term
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.order import ancestors, descendants, order
from autodiff_viz.graph.problem import GraphError, Problem, known_graph
from autodiff_viz.graph.rule_kinds import ARRIVING, FOLLOW, KINDS, ON_INPUTS, WIRES
from autodiff_viz.graph.shown import Several
from autodiff_viz.graph.text import listed, quoted, shape_of
from autodiff_viz.ops.misfits import Shape, slot_names


def diagnose(graph: Graph, inputs: Mapping[str, Shape] | None = None) -> tuple[Problem, ...]:
    """Return all problems of `graph`, structural ones first. Compiles nothing.

    Args:
      graph: any graph, also an incomplete one.
      inputs: shapes of the inputs that do not have the shape of their own value.
    Returns:
      The problems; () if and only if `trace` can run the graph, apart from problems of names, literals, sizes
      of documents, positions, cuts, regions and groups, which do not stop `trace`.
    Raises:
      GraphError: `graph` is no graph, or `inputs` does not map names of inputs to shapes.
    """
    known_graph(graph)
    return Several(
        _examine(graph, input_shapes(graph, inputs))[0] if inputs is not None else _examined(graph)[0]
    )


def shapes(graph: Graph) -> Mapping[str, Shape]:
    """Return the shape of every node's value by name, as far as abstract evaluation finds it."""
    return _examined(graph)[1]


PREPARED: deque[tuple[Graph, Mapping[str, Shape]]] = deque(maxlen=8)
"""The last graphs that a trace has prepared with inputs of their own shapes, and the shapes of all values."""


@remembered(16)
def _examined(graph: Graph) -> tuple[tuple[Problem, ...], Mapping[str, Shape]]:
    # A graph that could be prepared has no other problems than those of its structure: an edit, whose trace
    # comes first, examines it no second time. Graphs are compared now, and not when a trace adds one.
    playing = played(graph)
    for other, known in [*PREPARED]:
        if other is playing or other.identity == playing.identity:
            return tuple(dict.fromkeys(structural(graph))), MappingProxyType(known)
    return _examine(graph, {})


def _examine(graph: Graph, inputs: Mapping[str, Shape]) -> tuple[tuple[Problem, ...], Mapping[str, Shape]]:
    reported = list(structural(graph))
    known: dict[str, Shape] = {}
    totals = _Totals()
    playing = played(graph)
    for node in order(playing):
        try:
            if node.op == INPUT:
                check_no_slots(node)
                shape = inputs[node.name] if node.name in inputs else own_shape(node)
                # Of an input only the rule is compiled; its value is given, and counts for nothing here.
                if node.rule.kind != FOLLOW:
                    totals.add(node, (), check_rule(node, shape, ()).programs)
            elif node.op == GRAD:
                shape = _grad_shape(playing, node, known, totals)
            else:
                shape = _shape(node, known, totals)
        except GraphError as error:
            reported.extend(at_node(error, node.name).problems)
        else:
            if shape is not None:
                known[node.name] = shape
    return tuple(dict.fromkeys(reported)), MappingProxyType(known)


@dataclass(slots=True)
class _Totals:
    """What the nodes that have passed the check need together: programs, and elements of values."""

    programs: set[Hashable] = field(default_factory=set)
    elements: int = 0

    def add(self, node: Node, shape: Shape, programs: Iterable[Program], inside: int = 0) -> None:
        """Add what a node needs; `inside` are the elements of values that a grad node computes inside.

        Raises:
          GraphError: it would be more than a graph may need. The node then adds nothing.
        """
        elements = self.elements + inside + (prod(shape) if shape else 0)
        if elements > limits.TOTAL_ELEMENTS:
            raise GraphError(total_too_large(node, elements))
        keyed = {program_key(*program): program[0] for program in programs}
        new = [op for key, op in keyed.items() if key not in self.programs]
        if len(self.programs) + len(new) > limits.KERNELS:
            raise GraphError(too_many_kernels(new[limits.KERNELS - len(self.programs)]))
        self.programs.update(keyed)
        self.elements = elements


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


def _shape(node: Node, shapes: Mapping[str, Shape], totals: _Totals) -> Shape | None:
    """Check a node and return its shape, or None if a node before it has a problem."""
    check_call(node.name, node.op, node.params, len(node.op_slots))
    if any(slot is None or (isinstance(slot, str) and slot not in shapes) for slot in node.slots):
        return None
    below = tuple(shapes[slot] if isinstance(slot, str) else shape_of(slot) for slot in node.slots)
    operands = below[: len(node.op_slots)]
    static, _ = split(known_op(node.op), node.params)
    try:
        shape = result_shape(node.op, static, operands, FLOAT32)
    except GraphError as error:
        raise GraphError([_naming_nodes(problem, node) for problem in error.problems]) from error
    wired = tuple([slot for slot, _ in node.wires if slot < len(operands)])
    rule = () if node.rule.kind == FOLLOW else check_rule(node, shape, below).programs
    totals.add(node, shape, [(node.op, static, operands, wired), *rule])
    return shape


def _naming_nodes(problem: Problem, node: Node) -> Problem:
    """Return a problem of an op's shapes, which names its slots, with the nodes that these are.

    A slot may have the name of a node that another slot reads.
    """
    names = slot_names(known_op(node.op), len(node.op_slots))
    pairs = zip(names, node.op_slots, strict=True)
    stand = [
        f"{name} stands for {quoted(held)}" for name, held in pairs if name != held and type(held) is str
    ]
    if problem.code != "shape-mismatch" or not stand:
        return problem
    return replace(problem, message=f"{problem.message} In {quoted(node.name)}, {listed(stand)}.")


def _grad_shape(graph: Graph, node: Node, shapes: Mapping[str, Shape], totals: _Totals) -> Shape | None:
    """Check a grad node and return its shape, that of its x."""
    check_grad(graph, node)
    if any(slot is None or (isinstance(slot, str) and slot not in shapes) for slot in node.slots):
        return None
    call = op_call(graph, node, shapes.__getitem__)
    shape = shapes[node.slots[BY]]
    below = tuple([shapes[slot] if isinstance(slot, str) else shape_of(slot) for slot in call.slots])
    wired = tuple([slot for slot, _ in node.wires])
    rule = () if node.rule.kind == FOLLOW else check_rule(node, shape, ()).programs
    totals.add(node, shape, [(call.op, (), below, wired), *rule], call.inner_elements)
    return shape


def check_no_slots(node: Node) -> None:
    """Check that an input has no slots.

    Raises:
      GraphError: it has some.
    """
    if node.slots:
        message = f"{node.name!r} is an input with {len(node.slots)} slots; an input has none."
        raise GraphError(Problem("arity", message, "Leave them out.", node=node.name))


@remembered(limits.NODES, lambda node, shape, below: (node.content, shape, below))
def check_rule(node: Node, shape: Shape, below: tuple[Shape, ...]) -> LambdaProgram:
    """Check the rule of a node and return the rule's function, empty if the rule has none.

    Args:
      shape: of the node's value.
      below: of all its slots.
    Raises:
      GraphError: the rule does not fit the node.
    """
    if malformed := tuple(rule_problems(node)):
        raise GraphError(malformed)
    kind, rule = KINDS[node.rule.kind], node.rule
    if kind.replaces and node.op == INPUT:
        those = listed([name for name in ON_INPUTS if name != FOLLOW])
        message = f"{node.name!r} is an input: it has no derivative to replace."
        hint = f"An input takes {those}, which change what arrives; put this rule on a node after it."
        raise GraphError(Problem("rule-on-input", message, hint))
    if kind.alternative and below[-1] != shape:
        one, other = list(shape), list(below[-1])
        message = f"{node.name!r} has shape {one}, but its alternative has shape {other}."
        hint = "Both expressions of backward_as need the same shape; broadcast or reshape one."
        raise GraphError(
            Problem("backward-as-shape", message, hint, node=node.name, slot=len(node.slots) - 1)
        )
    if kind.number is not None:
        return _check_lambda(node, NUMBER_RULES[kind.name](rule.number), [shape], [shape])
    if kind.function == ARRIVING:
        return _check_lambda(node, rule.function, [shape], [shape])
    if kind.function == WIRES:
        wired = [below[slot] for slot, _ in node.wires]
        return _check_lambda(node, rule.function, [shape, *wired, shape], wired)
    return LambdaProgram()


def _check_lambda(node: Node, function: Lambda, given: list[Shape], wanted: list[Shape]) -> LambdaProgram:
    """Write a rule's function as a program whose results have the wanted shapes."""
    builder = LambdaBuilder(dict(zip(function.args, given, strict=True)))
    results = []
    for term, shape in zip(function.body, wanted, strict=True):
        place = builder.term(term)
        try:
            results.append(builder.fitted(place, shape))
        except GraphError as error:
            given_shape = list(builder.shapes[place])
            message = (
                f"The rule of {node.name!r} gives a cotangent of shape {given_shape} where {list(shape)} is "
                "needed."
            )
            hint = "A cotangent has the shape of the value it belongs to; sum over the extra axes."
            raise GraphError(Problem("rule-shape", message, hint, node=node.name)) from error
    return LambdaProgram(tuple(builder.body), tuple(results))


def term_shape(term: Term, names: Mapping[str, Shape]) -> Shape:
    """Return the shape of a lambda's term, given the shapes of the lambda's arguments.

    Raises:
      GraphError: an op is unknown or refuses its shapes.
    """
    builder = LambdaBuilder(names)
    return builder.shapes[builder.term(term)]


def at_node(error: GraphError, name: str) -> GraphError:
    """Return the same problems, with `name` as the node of those that have none."""
    return GraphError(replace(problem, node=problem.node or name) for problem in error.problems)


def total_too_large(node: Node, elements: int) -> Problem:
    """Return the problem of tensors that are allowed one by one and too large together."""
    message = f"The values up to {node.name!r} have {elements} elements in all."
    hint = f"At most {limits.TOTAL_ELEMENTS} are allowed together; use smaller tensors."
    return Problem("too-large", message, hint, node=node.name)
