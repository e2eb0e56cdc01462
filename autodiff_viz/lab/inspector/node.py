"""Show the selected node: its op, its rule and the numbers of its pullback, with equations as MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from xml.etree.ElementTree import tostring

import numpy as np
from latex2mathml.converter import convert_to_element

from autodiff_viz.display.numbers import Terms, fork_terms, wire_numbers
from autodiff_viz.engine.trace import Trace
from autodiff_viz.explain.rule_check.view import Apart, declared_apart
from autodiff_viz.graph.grad_nodes import BY, OF, between, own_slots
from autodiff_viz.graph.identity import remembered
from autodiff_viz.graph.model import GRAD, INPUT, Graph, Node
from autodiff_viz.graph.mute import played
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.graph.text import listed
from autodiff_viz.lab.inspector.parameters import Source, source_view, units, wanted
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.printer import show_argument
from autodiff_viz.ops import latex
from autodiff_viz.ops.catalog import OPS, slot_label
from autodiff_viz.ops.op import Param

NAMED = 4  # nodes in a sentence
REMEMBERED = 64  # node views, memoised since a view is compared before it is drawn

INPUT_DOC = "A value that you set."
PARAMETER_DOC = "A parameter: a value that training may change."


@dataclass(frozen=True, slots=True)
class WireView:
    """View of a wire into the node: its producer, its derivative and its contribution.

    Attributes:
      producer: the node that it comes from.
      label: name of the slot.
      derivative: the op's local derivative or pullback with names, in LaTeX; "" if there is nothing to write.
      numbers: local × arriving = passed, with the numbers of the trace; () if there is nothing to write.
      passed: the contribution; None if it is not known.
      nothing: why it passes nothing, in words; "" if it passes something.
      apart: both numbers, where a declared derivative passes another one than the true derivative.
    """

    producer: str
    label: str
    derivative: str
    numbers: Terms
    passed: np.ndarray | None
    nothing: str = ""
    apart: str = ""


@dataclass(frozen=True, slots=True)
class NodeView:
    """View of a node; numbers are None where they are unknown.

    Attributes:
      name, op: of the node.
      doc: one sentence about the op.
      formula: the op with names, in LaTeX.
      rule: kind of its rule; `rule_says` describes that of the node as it runs.
      function: the rule's function or number as text.
      value: the value.
      arriving: the arriving cotangent.
      fork: the arriving cotangent as a sum of contributions; () if it is no sum of numbers.
      wires: one view for each wire into the node.
      params: the op's parameters with their values.
      is_input, is_output: whether it is an input, or the output of the graph.
      region: names of the checkpoint regions around it.
      source: where an input's value comes from.
      learns: whether parameters of known shapes can be added to the layer.
      units: the layer's number of outputs, where it can be changed.
    """

    name: str
    op: str
    doc: str
    formula: str
    rule: str
    rule_says: str
    function: str
    value: np.ndarray | None
    arriving: np.ndarray | None
    fork: Terms
    wires: tuple[WireView, ...]
    params: tuple[tuple[Param, object], ...]
    is_input: bool
    is_output: bool
    region: str
    source: Source | None = None
    learns: bool = False
    units: int | None = None


GRAD_DOC = "Gradient of {0} by {1}: the cotangent of {1} for output {0}."
RUNS_AGAIN = (
    "It runs {0} again, forward and backward, and reads {1}: to {2} it passes back the second derivative, "
    "the Hessian times what arrives."
)
UNRELATED = "It is zero: no gradient comes from {0} to {1}."
PASSES_NOTHING = "nothing: {0} {1}reads no value of it"


@remembered(REMEMBERED, lambda graph, trace, name: (graph.identity, trace.identity if trace else None, name))
def node_view(graph: Graph, trace: Trace | None, name: str) -> NodeView:
    """Return the view of the node `name`; numbers that `trace` does not have are left out."""
    # Its rule and its source are those that the user has set; all else is of the graph that runs, in which a
    # muted node is the identity.
    own, graph = graph[name], played(graph)
    node = graph[name]
    op = OPS.get(node.op)
    known = trace is not None and name in trace.value
    arrives = trace is not None and name in trace.cotangent
    apart = declared_apart(trace, name) if trace and op and not trace.hides(name) else {}  # by slot
    return NodeView(
        name=name,
        op=node.op,
        doc=_doc(own, graph),
        formula=_formula(node),
        rule=own.rule.kind,
        rule_says=KINDS[node.rule.kind].says,
        function=show_argument(own.rule),
        value=trace.value[name] if known else None,
        arriving=trace.cotangent[name] if arrives else None,
        fork=fork_terms(graph, trace, name) if arrives else (),
        wires=tuple(_wire(trace, node, *wire, apart.get(wire[0])) for wire in node.wires) if op else (),
        params=tuple((p, node.param(p.name, p.default)) for p in op.params) if op else (),
        is_input=node.op == INPUT,
        is_output=name == graph.output,
        region=", ".join(region.name for region in graph.regions if name in region.nodes),
        source=source_view(own),
        learns=bool(wanted(graph, name)),
        units=units(graph, name),
    )


def _doc(node: Node, running: Graph) -> str:
    """Return a sentence about the node; about a grad node also the nodes that run again and those read."""
    if node.muted:
        return f"Muted: {node.op} does not act; the node returns its first wired input."
    op = OPS.get(node.op)
    if node.op == INPUT:
        return PARAMETER_DOC if node.is_parameter else INPUT_DOC
    if node.op == GRAD and all(isinstance(slot, str) for slot in node.slots[:2]):
        return f"{GRAD_DOC.format(*node.slots)} {_runs_again(running[node.name], running)}".strip()
    if op is None:
        return "This op is not in the catalog."
    # A node of a variadic op may have fewer slots than the op's sentence names, or none.
    return op.documented([_read(node, i) for i in range(len(op.slots))] if node.slots else ())


def _read(node: Node, slot: int) -> str:
    """Return what a slot reads, as text: a node, a number, or which slot it is."""
    held = node.slots[slot] if slot < len(node.slots) else None
    if isinstance(held, str):
        return held
    number = isinstance(held, int | float)
    return show_literal(held) if number else "a constant" if held else f"its {slot_label(node, slot)}"


def _runs_again(node: Node, running: Graph) -> str:
    """Return what a grad node runs again, what it reads, and where its cotangents go, in a sentence."""
    of, by = node.slots[:2]
    again = [each.name for each in between(running, node).nodes]
    if again:
        reads = node.slots[BY:]
        each = by if len(reads) == 1 else "each of them"
        return RUNS_AGAIN.format(listed(again, NAMED), listed(reads, NAMED), each)
    return "" if of == by else UNRELATED.format(of, by)


def _formula(node: Node) -> str:
    """Return the op with the names of its operands, in LaTeX."""
    op = OPS.get(node.op)
    if op is None:  # an input
        return ""
    operands = [_operand(slot) for slot in own_slots(node).op_slots]
    return rf"{latex.name(node.name)} = {latex.operation(op, operands, dict(node.params))}"


def _operand(slot: object) -> str:
    """Return a slot's contents in LaTeX; a long tensor is shortened."""
    if slot is None:
        return r"\square"
    if isinstance(slot, str):
        return latex.name(slot)
    if isinstance(slot, int | float):
        return latex.number(slot)
    text = show_literal(slot)
    return rf"\mathtt{{{text if len(text) < 24 else text[:22] + '..'}}}"


def _wire(trace: Trace | None, node: Node, slot: int, producer: str, apart: Apart | None) -> WireView:
    """Return the view of one wire."""
    # The slot that `backward_as` adds is none of the op's: there is no derivative of the op by it.
    op, own = OPS[node.op], slot < len(node.op_slots)
    operands = [_operand(s) for s in node.op_slots]
    wire = (node.name, slot)
    known = trace is not None and wire in trace.passed
    symbol = rf"\frac{{\partial {latex.name(node.name)}}}{{\partial {latex.name(producer)}}}"
    if op.of_graph:
        shown = _second_derivative(node, slot)
    else:
        shown = latex.derivative(op, slot, operands, dict(node.params), latex.name(node.name)) if own else ""
    # Of other ops no partial derivative is written, but what the pullback passes, of the cotangent ȳ.
    if op.elementwise and own:
        shown = f"{symbol} = {shown}"
    nothing = ""
    if known and node.op == GRAD and slot == OF:
        # The gradient depends on the nodes before the output, not on the output's value.
        again = "runs it again and " if between(trace.graph, node).nodes else ""
        nothing = PASSES_NOTHING.format(node.name, again)
    return WireView(
        producer=producer,
        label=slot_label(node, slot),
        derivative="" if KINDS[node.rule.kind].replaces else shown,
        numbers=wire_numbers(trace, node, slot) if known and not trace.hides(node.name) else (),
        passed=trace.passed[wire] if known else None,
        nothing=nothing,
        apart=apart.in_short(6) if apart else "",
    )


def _second_derivative(node: Node, slot: int) -> str:
    """Return what a grad node passes down a wire, in LaTeX; the second derivative in words of the Hessian."""
    z, x, by = (latex.name(node.slots[i]) for i in (OF, BY, slot))
    if slot == OF:  # it passes nothing there
        return ""
    below = rf"\partial {x}^2" if slot == BY else rf"\partial {by} \, \partial {x}"
    return rf"\frac{{\partial^2 {z}}}{{{below}}} \, \bar y"


# Equations as MathML

EQUATIONS = 4096  # equations; they contain names and literals but no numbers of a trace

_NESTED = re.compile(r"\\text\{([^{}]*)\\text\{([^{}]*)\}([^{}]*)\}")  # a parameter within a text


@remembered(EQUATIONS, lambda latex: latex)
def mathml(latex: str) -> str:
    """Return the equation as MathML, a well-formed XML text in which all text is escaped; "" for "".

    Args:
      latex: LaTeX of `ops/latex.py`.
    """
    if not latex:
        return ""
    # Two things that the library does not read are rewritten: text commands inside each other, and line
    # breaks, which the browser finds itself.
    tree = convert_to_element(_NESTED.sub(r"\\text{\1\2\3}", latex.replace(r"\allowbreak", "")))
    for element in tree.iter():  # the library writes signs as entities, which `tostring` would escape
        element.text = element.text and unescape(element.text)
    return tostring(tree, "unicode")
