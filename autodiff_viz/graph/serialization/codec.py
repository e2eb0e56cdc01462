"""Encode graphs as versioned JSON, and decode them with full structural checks: wholly or not at all.

The slots and parameters of each op are unknown here: `language/documents.py` reads documents from outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from autodiff_viz.graph import limits
from autodiff_viz.graph.checks.argument_types import known_graph, known_text, whole_number
from autodiff_viz.graph.checks.check import UNFINISHED, problems
from autodiff_viz.graph.model import (
    FOLLOW,
    Call,
    Graph,
    Group,
    Lambda,
    Node,
    Params,
    Region,
    Rule,
    Slot,
    Term,
)
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.registries.policies import POLICIES, POLICY
from autodiff_viz.graph.registries.rule_kinds import KINDS, RULE_KINDS
from autodiff_viz.graph.serialization.json_read import Reader, refuse
from autodiff_viz.graph.structure import grad_nodes
from autodiff_viz.graph.text.names import name_fault, quoted

VERSION = max(grad_nodes.SINCE, *(record.since for record in (*KINDS.values(), *POLICY.values())))
"""The newest version. A document states the oldest version that can express it; see `_version`."""

FORMAT = "autodiff_viz"
"""Key of the version number, which marks a document as ours."""


def to_json(graph: Graph, indent: int | None = 2) -> str:
    """Write the graph as an ASCII JSON document.

    Args:
      graph: any graph, including an unfinished one.
      indent: spaces for each level; None gives the shortest document.
    Returns:
      The text, which `from_json` reads.
    Raises:
      GraphError: `graph` is no `Graph`, or `indent` no such number.
    """
    known_graph(graph)
    indent = indent if indent is None else whole_number("indent", indent, 0, 16)
    document: dict[str, Any] = {
        FORMAT: _version(graph),
        "nodes": [_node_data(grad_nodes.own_slots(node)) for node in graph.nodes],
    }
    if graph.regions:
        document["regions"] = [_region_data(region) for region in graph.regions]
    if graph.groups:
        document["groups"] = [_group_data(group) for group in graph.groups]
    document["output"] = graph.output
    return json.dumps(document, indent=indent, separators=(",", ":" if indent is None else ": "))


def decoded(text: str) -> Graph:
    """Read the structure of a JSON document; `decoded(to_json(graph)) == graph`.

    Args:
      text: as `to_json` writes it.
    Returns:
      The graph, which may be unfinished (an empty slot, a region that cannot run): `problems` reports that.
    Raises:
      GraphError: with codes "json-..." and the JSON path of the place in each message.
    """
    top = Reader(_parse(known_text(text)), "$").object((FORMAT, "nodes", "output"), ("regions", "groups"))
    if not 1 <= top[FORMAT].integer() <= VERSION:
        message = f"The document has version {top[FORMAT].value}; this program reads up to {VERSION}."
        refuse("version", f"$.{FORMAT}", message, "Reload the page to get the newest program.")
    nodes = tuple(_node(item) for item in top["nodes"].items(limits.NODES))
    regions = top["regions"].items(limits.REGIONS) if "regions" in top else ()
    groups = top["groups"].items(limits.GROUPS) if "groups" in top else ()
    output = None if top["output"].value is None else top["output"].string()
    return _checked(Graph(nodes, tuple(map(_region, regions)), output, tuple(map(_group, groups))))


def _version(graph: Graph) -> int:
    """Return the oldest version that can express the graph.

    Version 2 adds muted nodes, 3 groups, 4 branches and cuts, 6 grad nodes; rule kinds and policies state
    theirs in `since`.
    """
    kinds = {node.rule.kind for node in graph.nodes} & KINDS.keys()
    policies = {region.policy for region in graph.regions} & POLICY.keys()
    records = (*(KINDS[kind] for kind in kinds), *(POLICY[policy] for policy in policies))
    return max((_version_of_marks(graph), *(record.since for record in records)))


def _version_of_marks(graph: Graph) -> int:
    if grad_nodes.has_grads(graph):
        return grad_nodes.SINCE
    if any(group.branches for group in graph.groups) or any(node.cut for node in graph.nodes):
        return 4
    if graph.groups:
        return 3
    return 2 if any(node.muted for node in graph.nodes) else 1


def _parse(text: str) -> Any:
    if len(text) > limits.JSON:
        message = f"The document has {len(text)} characters; the limit is {limits.JSON}."
        refuse("limit", "$", message)
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        message = f"Line {error.lineno}, column {error.colno} is not JSON: {error.msg}."
        refuse("syntax", "$", message, "Copy the whole document.")
    except RecursionError:
        refuse("limit", "$", "The document has too many brackets inside brackets.")
    except GraphError:
        raise
    except ValueError:  # Python refuses to read an integer of thousands of digits
        refuse("number", "$", "The document holds a number with too many digits.")


def _no_constant(name: str) -> NoReturn:
    refuse("number", "$", f"The document holds {name}, which is no number.", "Use finite numbers.")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twin = next(_repeated(key for key, _ in pairs))
        refuse("duplicate-key", "$", f"The key {twin[:40]!a} comes twice in one object.")
    return found


def _repeated(keys: Iterator[str]) -> Iterator[str]:
    """Yield the keys that have occurred before."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield key
        seen.add(key)


def _checked(graph: Graph) -> Graph:
    """Return the graph, or raise the problems that an unfinished graph may not have."""
    found = [problem for problem in problems(graph) if problem.code not in UNFINISHED][: limits.PROBLEMS]
    if found:
        place = {node.name: f"$.nodes[{i}]" for i, node in enumerate(graph.nodes)}
        raise GraphError(_placed(problem, place.get(problem.node or "", "$")) for problem in found)
    return graph


def _placed(problem: Problem, path: str) -> Problem:
    return replace(problem, code=f"json-{problem.code}", message=f"At {path}: {problem.message}")


def _node_data(node: Node) -> dict[str, Any]:
    """Encode a node; fields with their default value are left out."""
    data: dict[str, Any] = {"name": node.name, "op": node.op}
    if node.slots:
        data["slots"] = node.slots
    if node.params:
        data["params"] = dict(node.params)
    if node.rule.kind != FOLLOW:
        data["rule"] = {"kind": node.rule.kind}
        if node.rule.function is not None:
            function = node.rule.function
            data["rule"] |= {"args": function.args, "body": [_term_data(term) for term in function.body]}
        if node.rule.number is not None:
            data["rule"]["number"] = node.rule.number
    if node.position is not None:
        data["position"] = node.position
    if node.muted:
        data["muted"] = True
    if node.cut:
        data["cut"] = True
    return data


def _term_data(term: Term) -> Any:
    if not isinstance(term, Call):
        return term
    data: dict[str, Any] = {"op": term.op, "args": [_term_data(arg) for arg in term.args]}
    return data | {"params": dict(term.params)} if term.params else data


def _region_data(region: Region) -> dict[str, Any]:
    data: dict[str, Any] = {"name": region.name, "nodes": sorted(region.nodes)}
    if region.policy != POLICIES[0]:
        data["policy"] = region.policy
    return data | {"saved": sorted(region.saved)} if region.saved else data


def _group_data(group: Group) -> dict[str, Any]:
    data: dict[str, Any] = {"name": group.name, "nodes": sorted(group.nodes)}
    return data | {"branches": True} if group.branches else data


def _node(item: Reader) -> Node:
    optional = ("slots", "params", "rule", "position", "muted", "cut")
    data = item.object(required=("name", "op"), optional=optional)
    rule = _rule(data["rule"]) if "rule" in data else Rule()
    return Node(
        name=data["name"].string(),
        op=data["op"].string(),
        slots=_slots(data["slots"], rule) if "slots" in data else (),
        params=_params(data["params"]) if "params" in data else (),
        rule=rule,
        position=_position(data["position"]) if "position" in data else None,
        muted="muted" in data and data["muted"].boolean(),
        cut="cut" in data and data["cut"].boolean(),
    )


def _slots(item: Reader, rule: Rule) -> tuple[Slot, ...]:
    """Read the op's own slots, and one more under a rule with an alternative."""
    return tuple(map(_slot, item.items(limits.SLOTS + KINDS[rule.kind].alternative)))


def _slot(item: Reader) -> Slot:
    if item.value is None or isinstance(item.value, str):
        return item.value
    return item.literal()


def _position(item: Reader) -> tuple[float, float]:
    x, y = (axis.number() for axis in item.items(2, least=2))
    return x, y


def _params(item: Reader) -> Params:
    """Read params; null values are left out, as in `graph.model.params`."""
    given = ((key, value.datum()) for key, value in item.members().items())
    return tuple(sorted((key, value) for key, value in given if value is not None))


def _rule(item: Reader) -> Rule:
    data = item.object(required=("kind",), optional=("args", "body", "number"))
    kind = data["kind"].choice(RULE_KINDS)
    if KINDS[kind].number is not None:
        return Rule(kind, number=float(item.object(required=("kind", "number"))["number"].number()))
    if not KINDS[kind].function:
        item.object(required=("kind",))
        return Rule(kind)
    data = item.object(required=("kind", "args", "body"))
    args = tuple(_argument(arg) for arg in data["args"].items(limits.SLOTS + 2))
    if twin := next(_repeated(iter(args)), None):
        refuse(
            "type", f"{item.path}.args", f"The argument {quoted(twin)} comes twice.", "Rename one of them."
        )
    terms = data["body"].items(limits.SLOTS)
    return Rule(kind, Lambda(args, tuple(_term(term, args, limits.LAMBDA_TERMS) for term in terms)))


def _argument(item: Reader) -> str:
    if fault := name_fault(item.string()):
        refuse("type", item.path, f"The argument {quoted(item.value)} {fault}.", "Rename it.")
    return item.value


def _term(item: Reader, names: tuple[str, ...], depth: int) -> Term:
    if isinstance(item.value, str):
        if item.value not in names:
            known = f"They are {', '.join(names)}." if names else "It has none."
            refuse("type", item.path, f"{quoted(item.value)} is no argument of this function.", known)
        return item.value
    if not isinstance(item.value, dict):
        return item.literal()
    if depth == 0:
        refuse("limit", item.path, f"The function is nested deeper than {limits.LAMBDA_TERMS} terms.")
    data = item.object(required=("op", "args"), optional=("params",))
    args = tuple(_term(arg, names, depth - 1) for arg in data["args"].items(limits.SLOTS))
    return Call(data["op"].string(), args, _params(data["params"]) if "params" in data else ())


def _region(item: Reader) -> Region:
    data = item.object(required=("name", "nodes"), optional=("policy", "saved"))
    saved = data["saved"].items(limits.NODES) if "saved" in data else ()
    return Region(
        name=data["name"].string(),
        nodes=frozenset(name.string() for name in data["nodes"].items(limits.NODES)),
        policy=data["policy"].choice(POLICIES) if "policy" in data else POLICIES[0],
        saved=frozenset(name.string() for name in saved),
    )


def _group(item: Reader) -> Group:
    data = item.object(required=("name", "nodes"), optional=("branches",))
    return Group(
        name=data["name"].string(),
        nodes=frozenset(name.string() for name in data["nodes"].items(limits.NODES)),
        branches="branches" in data and data["branches"].boolean(),
    )
