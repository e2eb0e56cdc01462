"""What can be changed of the selected node beside the canvas, as data: each field has the edit that it sends.

A field is `{"id", "label", "type", "value", "help", "edit"}`; the browser puts what the user has set into
its edit, under "value" or what the field says "as". `type` is "text", "number" (a text, stepped by 1 with the
arrow keys), "check", "choice" or "several" (of its "choices", `[value, label]` each), "button" (its edit is
sent as it is), or "note" (only said).
"""

from __future__ import annotations

from typing import Any

from autodiff_viz.graph.model import Graph, Region
from autodiff_viz.graph.policies import POLICY
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.ops.indexing import to_text
from autodiff_viz.ops.record import Param
from autodiff_viz.views.inspector import NodeView
from autodiff_viz.views.sources import Source

Field = dict[str, Any]

SHAPE_HELP = "The length of each axis, such as (3, 4). Another shape is drawn anew."
UNITS_HELP = "All parameters of the layer change their shapes together."
LEARN_HELP = "Parameters with shapes that fit, wired to its empty slots."


def fields(graph: Graph, node: NodeView) -> list[Field]:
    """All fields of a node, in the order in which they stand."""
    found = [_function(node)] if node.function else []
    found += _source(node.name, node.source) if node.source else []
    found += _layer(node)
    found += [_param(node.name, param, value) for param, value in node.params]
    region = next((r for r in graph.regions if node.name in r.nodes), None)
    return found + (_region(region) if region else [])


def _function(node: NodeView) -> Field:
    edit = {"kind": "function", "node": node.name}
    return {**_field("function", KINDS[node.rule].asks, "text", node.function, edit), "as": "text"}


def _source(name: str, source: Source) -> list[Field]:
    """Data or parameter; its numbers, or how they are drawn."""

    def of(kind: str) -> dict[str, Any]:
        return {"kind": kind, "node": name}

    found = [
        _field("trainable", "Parameter: training may change it", "check", source.trainable, of("trainable"))
    ]
    if source.seed is not None or source.value is not None:
        numbers = _field("numbers", "Numbers", "text", source.value or "", of("numbers"))
        found.append({**numbers, "placeholder": "drawn at random; type some to set them"})
    found.append(_field("shape", "Shape", "text", source.shape, of("shape"), SHAPE_HELP))
    if source.inits:
        begins = _field("init", "Begins as", "choice", source.init, {**of("param"), "param": "init"})
        found.append({**begins, "choices": [[init, init] for init in source.inits]})
    if source.seed is not None:
        found.append(_field("seed", "Seed", "number", str(source.seed), {**of("param"), "param": "seed"}))
    return found


def _layer(node: NodeView) -> list[Field]:
    """What a layer learns."""
    found = []
    if node.learns:
        edit = {"kind": "learn", "node": node.name}
        found.append(_field("learn", "Add what it learns", "button", None, edit, LEARN_HELP))
    if node.units is not None:
        edit = {"kind": "units", "node": node.name}
        found.append(_field("units", "Outputs", "number", str(node.units), edit, UNITS_HELP))
    return found


TYPES = {"float": "number", "int": "number", "seed": "number", "bool": "check", "choice": "choice"}
"""By the kind of a parameter; one of another kind is changed in the formula."""


def _param(name: str, param: Param, value: Any) -> Field:
    kind = TYPES.get(param.kind, "note")
    if kind == "choice" and value not in param.choices:
        kind = "note"
    if kind == "note":
        shown = to_text(value) if param.kind == "index" else str(value)
        said = f"{param.name} = {shown}   (change it in the formula)"
        return _field(f"param_{param.name}", said, "note", None, {})
    shown = value if kind != "number" else repr(float(value) if param.kind == "float" else int(value))
    edit = {"kind": "param", "node": name, "param": param.name}
    field = _field(f"param_{param.name}", param.name, kind, shown, edit, param.doc)
    return {**field, "choices": [[choice, choice] for choice in param.choices]} if kind == "choice" else field


def _region(region: Region) -> list[Field]:
    """What a checkpoint region keeps."""
    policy = {"kind": "policy", "region": region.name, "saved": sorted(region.nodes)}
    keeps = _field("policy", f"Checkpoint {region.name} keeps", "choice", region.policy, policy)
    found = [{**keeps, "as": "policy", "choices": [[name, record.keeps] for name, record in POLICY.items()]}]
    if POLICY[region.policy].takes_names:
        edit = {"kind": "policy", "region": region.name, "policy": region.policy}
        label, chosen = f"Values that {region.name} keeps", sorted(region.saved)
        names = [[name, name] for name in sorted(region.nodes)]
        found.append({**_field("saved", label, "several", chosen, edit), "as": "saved", "choices": names})
    edit = {"kind": "uncheckpoint", "region": region.name}
    return [*found, _field("uncheckpoint", f"Remove checkpoint {region.name}", "button", None, edit)]


def _field(name: str, label: str, kind: str, value: Any, edit: dict[str, Any], help: str = "") -> Field:
    return {"id": name, "label": label, "type": kind, "value": value, "help": help, "edit": edit}
