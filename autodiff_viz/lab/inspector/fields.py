"""Build the form fields of the selected node beside the canvas, each with the edit that it sends.

A field is `{"id", "label", "type", "value", "help", "edit"}`; the browser puts the user's value into the
edit, under "value" or the key that the field gives as "as". `type` is "text", "number" (a text, stepped by 1
with the arrow keys), "check", "choice" or "several" (of its "choices", `[value, label]` each), "button" (its
edit is sent unchanged), "file" (with the data of a chosen file), or "note" (text without an edit). A "text"
field with a "table" has an edit for pasted columns.
"""

from __future__ import annotations

import re
from typing import Any

from autodiff_viz.graph.model import INPUT, Graph, Region
from autodiff_viz.graph.policies import POLICY
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS
from autodiff_viz.lab.glossary import GLOSSARY
from autodiff_viz.lab.inspector.node import NodeView
from autodiff_viz.lab.inspector.parameters import Source
from autodiff_viz.lab.state import Lab
from autodiff_viz.messages.edits import (
    Data,
    Edit,
    Function,
    Learn,
    Numbers,
    Policy,
    SetParam,
    Shape,
    Tangent,
    Trainable,
    Uncheckpoint,
    Units,
    Without,
    edit_data,
    edit_template,
)
from autodiff_viz.ops.indexing import to_text
from autodiff_viz.ops.noise import SEED
from autodiff_viz.ops.op import Param

Field = dict[str, Any]

SHAPE_HELP = "The length of each axis, such as (3, 4). Another shape is drawn anew."
UNITS_HELP = "All parameters of the layer change their shapes together."
DATA_HELP = "Numbers from a CSV or an .npy file; one dropped on the node does the same."
LEARN_HELP = "Parameters with shapes that fit, wired to its empty slots."


def fields(graph: Graph, node: NodeView, trained: bool = False, hiding: bool = False) -> list[Field]:
    """Return all fields of a node, in display order.

    Args:
      trained: whether a step of training is on view, of which a parameter has another value than its field.
      hiding: whether numbers are hidden, since they are asked for: then no graph is compared.
    """
    listed: list[Field] = []
    if node.function:
        edit = edit_template(Function, "text", node=node.name)
        function = _field("function", KINDS[node.rule].asks, "text", node.function, edit)
        listed.append({**function, "as": "text"})
        if says := arguments_said(node.function):
            listed.append({"id": "arguments", "label": says, "type": "note"})
    listed += [] if hiding else _without(graph, node)
    listed += _source(node.name, node.source, trained) if node.source else []
    if node.learns:
        edit = edit_data(Learn(node=node.name))
        listed.append(_field("learn", "Add what it learns", "button", None, edit, LEARN_HELP))
    if node.units is not None:
        edit = edit_template(Units, "value", node=node.name)
        listed.append(_field("units", "Outputs", "number", str(node.units), edit, UNITS_HELP))
    listed += [_param(node.name, param, value) for param, value in node.params]
    # Of nested regions only the first one has fields, so that no field is there twice.
    region = next((r for r in graph.regions if node.name in r.nodes), None)
    return listed + (_region(region) if region else [])


_ARGUMENTS = re.compile(r"lambda ([\w, ]{1,400}):")


def arguments_said(function: str) -> str:
    """Say what the arguments of a rule's function are; "" of a number and of an expression."""
    found = _ARGUMENTS.match(function)
    if found is None:
        return ""
    arriving, *others = found[1].replace(" ", "").split(",")
    says = f"{arriving} is the cotangent that arrives"
    if not others:
        return f"{says}."
    *inputs, out = others  # a pullback reads its inputs and its value too
    what = f"{', '.join(inputs)} {'the input' if len(inputs) == 1 else 'the inputs'}, " if inputs else ""
    return f"{says}, {what}{out} the value."


WITHOUT_HELP = "Pins the graph as it is as A, and shows B, without this, beside it."


def _without(graph: Graph, node: NodeView) -> list[Field]:
    """Return the buttons that compare the graph with one without a rule, a mute or a region of the node."""
    own = graph[node.name]
    parts = []  # what, its name, and its label
    if own.rule.kind != FOLLOW and not own.muted:  # the rule of a muted node does not act
        parts.append(("rule", node.name, KINDS[own.rule.kind].label))
    if own.muted:
        parts.append(("mute", node.name, "mute"))
    parts += [("region", r.name, f"checkpoint {r.name}") for r in graph.regions if node.name in r.nodes]
    return [
        _field(
            f"without_{what}",
            f"Compare: without {label}",
            "button",
            None,
            edit_data(Without(what=what, name=name)),
            WITHOUT_HELP,
        )
        for what, name, label in parts
    ]


def _source(name: str, source: Source, trained: bool) -> list[Field]:
    """Return the fields of an input: data or parameter, its numbers or its random draw."""

    def of(record: type[Edit], value: str = "value", **known: Any) -> dict[str, Any]:
        """Return an edit of this kind."""
        return edit_template(record, value, node=name, **known)

    listed = [
        _field("trainable", "Parameter: training may change it", "check", source.trainable, of(Trainable))
    ]
    # A tensor too long to type has neither: it is changed in the formula, or by its shape.
    if source.seed is not None or source.value is not None:
        label = "Numbers when training starts" if trained and source.trainable else "Numbers"
        numbers = _field("numbers", label, "text", source.value or "", of(Numbers))
        placeholder = "drawn at random; type some, or paste columns"
        listed.append({**numbers, "placeholder": placeholder, "table": of(Data, "text")})
        listed.append(_field("data", "Data from a file", "file", None, of(Data, "npy"), DATA_HELP))
    listed.append(_field("shape", "Shape", "text", source.shape, of(Shape), SHAPE_HELP))
    if source.inits:
        begins = _field("init", "Begins as", "choice", source.init, of(SetParam, param="init"))
        listed.append({**begins, "choices": [[init, init] for init in source.inits]})
    if source.seed is not None:
        edit, says = of(SetParam, param="seed"), SEED.doc
        listed.append(_field("seed", "Random seed", "number", str(source.seed), edit, says))
    return listed


TYPES = {"float": "number", "int": "number", "seed": "number", "bool": "check", "choice": "choice"}
"""Field type by kind of parameter; parameters of other kinds are changed in the formula."""


def _param(name: str, param: Param, value: Any) -> Field:
    """Return the field of a parameter of the op."""
    kind = TYPES.get(param.kind, "note")
    if kind == "choice" and value not in param.choices:  # a list would show another value as chosen
        kind = "note"
    if kind == "note":
        shown = to_text(value) if param.kind == "index" else str(value)
        note = f"{param.name} = {shown}   (change it in the formula)"
        return _field(f"param_{param.name}", note, "note", None, {})
    shown = value if kind != "number" else repr(float(value) if param.kind == "float" else int(value))
    edit = edit_template(SetParam, "value", node=name, param=param.name)
    field = _field(f"param_{param.name}", param.name, kind, shown, edit, param.doc)
    return {**field, "choices": [[choice, choice] for choice in param.choices]} if kind == "choice" else field


def _region(region: Region) -> list[Field]:
    """Return the fields of a checkpoint region: its policy, its saved names, its removal."""
    # With a policy that goes by names, all values of the region are kept at first, and names are taken away.
    policy = edit_template(Policy, "policy", region=region.name, saved=sorted(region.nodes))
    keeps = _field(
        "policy", f"Checkpoint {region.name} keeps", "choice", region.policy, policy, GLOSSARY["kept"]
    )
    choices = [[name, record.keeps] for name, record in POLICY.items()]
    listed = [{**keeps, "as": "policy", "choices": choices}]
    if POLICY[region.policy].takes_names:
        edit = edit_template(Policy, "saved", region=region.name, policy=region.policy)
        label, chosen = f"Values that {region.name} keeps", sorted(region.saved)
        names = [[name, name] for name in sorted(region.nodes)]
        listed.append(
            {
                **_field("saved", label, "several", chosen, edit, GLOSSARY["kept"]),
                "as": "saved",
                "choices": names,
            }
        )
    edit = edit_data(Uncheckpoint(region=region.name))
    return [*listed, _field("uncheckpoint", f"Remove checkpoint {region.name}", "button", None, edit)]


def _field(name: str, label: str, kind: str, value: Any, edit: dict[str, Any], help: str = "") -> Field:
    """Return a field as data."""
    return {"id": name, "label": label, "type": kind, "value": value, "help": help, "edit": edit}


TANGENT_HELP = "How fast this input moves in forward mode; 0 keeps it still."


def tangent_field(lab: Lab, name: str) -> list[Field]:
    """Return the field of an input's tangent, while forward mode is on."""
    if lab.forward is None or lab.graph[name].op != INPUT:
        return []
    value = dict(lab.forward).get(name, 0.0)
    edit = edit_template(Tangent, "value", node=name)
    return [_field("tangent", "Tangent", "number", f"{value:g}", edit, TANGENT_HELP)]
