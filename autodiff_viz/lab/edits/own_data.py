"""Set an input to a user's data: pasted columns, CSV, or an .npy file."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from autodiff_viz.canvas.arrange import pinned
from autodiff_viz.canvas.notices import offering
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT, Literal, Node, params
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.text import counted, listed, shape_of
from autodiff_viz.lab.edits.edit import Handlers, unreadable
from autodiff_viz.lab.edits.nodes import fresh_name
from autodiff_viz.lab.inspector.parameters import DRAWN, ENDS
from autodiff_viz.lab.own_data import BYTES, DATA_OF, Data, Unreadable, fitted, read_npy, read_table
from autodiff_viz.lab.state import Lab, committed
from autodiff_viz.messages import edits as messages

OFFERED = 20_000  # characters of a table that a refusal sends back, to be read in another way


def _data(lab: Lab, edit: messages.Data) -> Lab:
    """Set the value of an input, or add an input that has it."""
    name = edit.node
    node = None if name is None else lab.graph.by_name.get(name)
    if name is not None and node is None:
        return lab  # a late message; the node has been deleted
    if node is not None and node.op != INPUT:
        message = f"{name} is computed from other nodes; data goes into an input."
        hint = "Drop it on an input, or where there is no node."
        raise GraphError(Problem("own-data", message, hint, node=name))
    try:
        data = _read(edit)
    except GraphError as error:
        raise GraphError(replace(problem, node=name) for problem in error.problems) from error
    # An input of two axes keeps them, also with a single column; any other one takes that as a vector.
    rank = 1
    if node is not None:
        held = node.param("value")
        rank = len(node.param("shape", ()) if held is None else shape_of(held))
    value = _literal(fitted(data, rank).tolist())
    if node is None:
        name = fresh_name(lab.graph, INPUT)
        graph = edits.with_node(
            pinned(lab.graph), Node(name, INPUT, (), params(value=value), position=edit.at)
        )
    else:
        # The value stands in place of a random draw; a tensor has no slider whose ends it could keep.
        changes = {"value": value, **dict.fromkeys(DRAWN), **(dict.fromkeys(ENDS) if shape_of(value) else {})}
        graph = edits.with_params(lab.graph, name, changes)
    notes = [f"{_size(shape_of(value))}, {lab.dtype}", *data.notes]
    # Data of another shape is taken, although nodes after it may not fit it; those that did before are named.
    known = {problem.node for problem in diagnose(lab.graph)}
    unfit = dict.fromkeys(p.node for p in diagnose(graph) if p.node and p.node not in known)
    if unfit:
        notes.append(f"this shape does not fit {listed([*unfit], 3)}")
    return committed(lab, graph, f"{DATA_OF} {name}: {'; '.join(notes)}")


def _read(edit: messages.Data) -> Data:
    """Read the data; a table that cannot be read whole offers the part that can."""
    if edit.npy is not None:
        if len(edit.npy) > 2 * BYTES:  # base64 takes 4/3; what is longer is not decoded
            raise GraphError(Problem("own-data", "This file is too large.", "Take fewer rows."))
        try:
            data = b64decode(edit.npy, validate=True)
        except ValueError as error:
            raise unreadable(edit) from error
        return read_npy(data)
    text = edit.text
    if text is None:
        raise unreadable(edit)
    try:
        return read_table(text, edit.without, edit.complete)
    except Unreadable as error:
        (problem,) = error.problems
        if len(text) > OFFERED or not (error.columns or error.rows):
            raise
        without, complete = [*edit.without, *error.columns], edit.complete or error.rows
        less = structs.replace(edit, without=without, complete=complete, seq=None)
        # The offer is this edit once more, with what cannot be read left out.
        columns = listed([str(column) for column in error.columns])
        offer = "Leave out the rows with empty cells" if error.rows else f"Leave out column {columns}"
        raise GraphError(offering(problem, offer, messages.edit_data(less))) from error


def _literal(value: Any) -> Literal:
    """Return nested lists as a literal."""
    return tuple(map(_literal, value)) if isinstance(value, list) else value


def _size(shape: tuple[int, ...]) -> str:
    """Write a shape in words: "4 rows, 2 columns"."""
    if len(shape) == 2:
        return f"{counted(shape[0], 'row')}, {counted(shape[1], 'column')}"
    return f"shape {list(shape)}" if len(shape) > 2 else counted(int(np.prod(shape)), "number")


HANDLERS: Handlers = {messages.Data: _data}
