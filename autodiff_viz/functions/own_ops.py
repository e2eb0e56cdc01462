"""Write JAX's own functions of a graph as a document: a lab of one's own has them as ops (`ops/own.py`)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from autodiff_viz.engine.live_path.prepare import prepare
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32, FLOAT64
from autodiff_viz.graph.model import OWN_OP, Graph, Node
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import quoted
from autodiff_viz.ops.native import NativeOp
from autodiff_viz.ops.programs import Unwritten, written


def with_own_ops(graph: Graph) -> tuple[Graph, str]:
    """Return a graph with names in place of JAX's own functions, and the document of these functions.

    A graph without such nodes is returned as it is, with an empty document.

    Raises:
      GraphError: code "native-op": a function cannot leave this process.
    """
    natives = [node for node in graph.nodes if node.is_native]
    if not natives:
        return graph, ""
    shapes = prepare(graph, {}, FLOAT32, forward_only=True).shapes
    names: dict[NativeOp, str] = {}
    records, count = [], dict[str, int]()
    for node in natives:
        if node.op in names:
            continue
        label = node.op.label.replace("-", "_")
        count[label] = count.get(label, 0) + 1
        names[node.op] = f"{OWN_OP}{label}" + (f"_{count[label]}" if count[label] > 1 else "")
        records.append(
            _record(
                node,
                names[node.op],
                [shapes[slot] if isinstance(slot, str) else np.shape(slot) for slot in node.op_slots],
            )
        )
    nodes = [replace(node, op=names[node.op]) if node.is_native else node for node in graph.nodes]
    return replace(graph, nodes=tuple(nodes)), json.dumps(records)


def _record(node: Node, name: str, shapes: list[tuple[int, ...]]) -> dict[str, Any]:
    programs: dict[str, Any] = {}
    for dtype in DTYPES:
        structs = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
        with jax.enable_x64(dtype == FLOAT64):
            try:
                programs[dtype] = written(jax.make_jaxpr(node.op.op.apply)(*structs))
            except Unwritten as error:
                message = (
                    f"{quoted(node.name)} is {quoted(node.op.label)} of JAX, which cannot leave this "
                    f"process: {error}. The page of the lab is a process of its own."
                )
                hint = "trace, what explains a trace, and the figure in a notebook take it as it is."
                raise GraphError(Problem("native-op", message, hint, node=node.name)) from error
            except (TypeError, ValueError, NotImplementedError):  # JAX has it for some dtypes alone
                continue
    return {"name": name, "label": node.op.label, "shapes": shapes, "programs": programs}
