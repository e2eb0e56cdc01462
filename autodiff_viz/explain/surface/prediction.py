"""Find which node is a graph's prediction, which input its data, and which array its targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import INPUT, Graph, Node
from autodiff_viz.graph.order import ancestors, consumers, descendants, order
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.ops.losses import GROUP

PREDICTIONS, TARGETS = 0, 1
"""The slots of a loss op: what it compares, and with what."""


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """A node whose rows are the predictions for the rows of a data input.

    Attributes:
      data: name of the data input, of shape [n, 2], [n, 1] or [n].
      node: name of the prediction; its value has n rows.
      loss: name of the loss op that reads it; None if it is read by other ops.
      targets: the n targets that the loss compares it with; None if there are none, or not n numbers.
    """

    data: str
    node: str
    loss: str | None
    targets: np.ndarray | None


def prediction(trace: Trace, node: str | None = None) -> Prediction | None:
    """Return the prediction of a trace whose output is a loss; None without data of one or two columns.

    The prediction is what a loss op of the graph reads in its slot of predictions; without such an op the
    last node that all paths from the data to the output share.

    Args:
      node: the node to take instead, if it has a row for each row of the data.
    """
    for data in _data_inputs(trace):
        rows = _row_nodes(trace, data)
        if rows:
            chosen = node if node in rows else _predicted(trace.graph, data, rows)
            return Prediction(data, chosen, _loss_of(trace.graph, chosen), _targets(trace, data, chosen))
    return None


def _data_inputs(trace: Trace) -> Iterator[str]:
    """Yield the inputs that may be data: those of two columns first, then those of one."""
    read = ancestors(trace.graph, [trace.output])
    inputs = [n for n in order(trace.graph) if n.op == INPUT and not n.is_parameter and n.name in read]
    for columns in (2, 1):
        for one in inputs:
            shape = trace.inputs[one.name].shape
            if shape[:1] > (0,) and (shape[1:] == (columns,) or (columns == 1 and len(shape) == 1)):
                yield one.name


def _row_nodes(trace: Trace, data: str) -> list[str]:
    """Return the nodes with a row for each row of the data that depend on a parameter and on no other data.

    Other data are inputs with a number, or a row, for each row of the data, such as the targets.
    """
    graph, n = trace.graph, len(trace.inputs[data])
    parameters = [node.name for node in graph.nodes if node.is_parameter]
    others = [one for one in _inputs_of(trace, n) if one != data]
    among = descendants(graph, [data]) & descendants(graph, parameters) & ancestors(graph, [trace.output])
    among -= descendants(graph, others)
    names = [node.name for node in order(graph) if node.name in among]
    return [name for name in names if trace.value[name].shape[:1] == (n,)]


def _inputs_of(trace: Trace, n: int) -> list[str]:
    """Return the inputs that are no parameters and have `n` rows."""
    data = [node.name for node in trace.graph.nodes if node.op == INPUT and not node.is_parameter]
    return [name for name in data if trace.inputs[name].shape[:1] == (n,)]


def _predicted(graph: Graph, data: str, rows: list[str]) -> str:
    """Return the prediction among the nodes with a row for each row of the data."""
    for node in order(graph):
        if _is_loss(node) and node.slots[PREDICTIONS] in rows:
            return node.slots[PREDICTIONS]
    # Else the last node that all paths from the data to the output share.
    return next((name for name in reversed(rows) if _is_passed(graph, data, name)), rows[-1])


def _is_loss(node: Node) -> bool:
    return node.op in OPS and OPS[node.op].group == GROUP


def _is_passed(graph: Graph, data: str, name: str) -> bool:
    """Return whether every path from the data to the output goes through `name`."""

    def reads(node: Node) -> list[str]:
        return [] if node.name == name else [producer for _, producer in node.wires]

    return data not in ancestors(graph, [graph.output], reads)


def _loss_of(graph: Graph, name: str) -> str | None:
    return next((n.name for n in order(graph) if _is_loss(n) and n.slots[PREDICTIONS] == name), None)


def _targets(trace: Trace, data: str, name: str) -> np.ndarray | None:
    """Return what the prediction is compared with.

    That is what a loss op reads as targets, else a tensor beside it in another op, else the only other data.
    """
    graph, n, loss = trace.graph, len(trace.inputs[data]), _loss_of(trace.graph, name)
    read = graph[loss].slots[TARGETS] if loss else None
    if type(read) is str and trace.value[read].size == n:
        return np.ravel(trace.value[read])
    for consumer, slot in consumers(graph)[name]:
        for other, beside in enumerate(graph[consumer].slots):
            if other != slot and type(beside) is tuple and np.size(beside) == n:
                return np.ravel(np.asarray(beside, trace.dtype))
    among = ancestors(graph, [trace.output]) - ancestors(graph, [name])
    left = [one for one in _inputs_of(trace, n) if one != data and one in among]
    if len(left) != 1 or trace.inputs[left[0]].size != n:
        return None
    return np.ravel(trace.inputs[left[0]])
