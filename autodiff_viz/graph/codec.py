"""Encode graphs as versioned JSON, and decode them with full structural checks: wholly or not at all.

The slots and parameters of each op are unknown here: `language/documents.py` reads documents from outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from autodiff_viz.graph import grad_nodes, limits
from autodiff_viz.graph.check import UNFINISHED, problems
from autodiff_viz.graph.model import (
    Call,
    Graph,
    Group,
    Lambda,
    Literal,
    Node,
    Params,
    Region,
    Rule,
    Term,
)
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.graph.problem import (
    GraphError,
    Problem,
    known_graph,
    known_text,
    whole_number,
    without_natives,
)
from autodiff_viz.graph.rule_kinds import FOLLOW, KINDS, RULE_KINDS
from autodiff_viz.graph.text import literal_fault, name_fault, quoted

# Read parsed JSON by type: each value carries its JSON path, which a refusal names.


_DEPTH = limits.RANK + 2  # nesting of lists: the deepest literal, or an index inside a parameter
_SHOWN = 40  # characters of a value that a message quotes


def refuse(code: str, path: str, message: str, hint: str = "") -> NoReturn:
    """Raise a `GraphError` for the JSON path `path` ("$" is the document); its code begins with "json-"."""
    where = "" if path == "$" else f"At {path}: "
    raise GraphError(Problem(f"json-{code}", where + message, hint))


@dataclass(frozen=True, slots=True)
class Reader:
    """A parsed JSON value with its path. Each method returns the value as one type, or refuses it."""

    value: Any
    path: str

    def object(self, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Reader]:
        """Return the members of an object with all `required` keys, and no others but `optional` ones."""
        members, required = self.members(), tuple(required)
        if missing := [key for key in required if key not in members]:
            refuse("missing-key", self.path, f"The key {missing[0]!r} is missing.")
        known = (*required, *optional)
        if unknown := [key for key in members if key not in known]:
            message = f"The key {unknown[0][:40]!a} is unknown."
            refuse("unknown-key", self.path, message, f"Known keys are {', '.join(known)}.")
        return members

    def members(self) -> dict[str, Reader]:
        """Return the members of an object with any keys of bounded length."""
        if not isinstance(self.value, dict):
            self.wrong("an object")
        for key in self.value:
            if len(key) > limits.NAME:
                refuse("limit", self.path, f"A key is longer than {limits.NAME} characters.")
        return {key: Reader(value, f"{self.path}.{key}") for key, value in self.value.items()}

    def items(self, most: int, least: int = 0) -> list[Reader]:
        """Return a list of `least` to `most` values."""
        if not isinstance(self.value, list):
            self.wrong("a list")
        if not least <= len(self.value) <= most:
            bounds = f"{least}" if least == most else f"at most {most}"
            refuse("limit", self.path, f"The list has {len(self.value)} values; it may have {bounds}.")
        return [Reader(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def string(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.wrong("a string")
        return self.value

    def choice(self, known: tuple[str, ...]) -> str:
        """Return a string that is one of `known`."""
        if self.string() not in known:
            self.wrong(f"one of {', '.join(filter(None, known))}")
        return self.value

    def integer(self) -> int:
        """Return an int; a bool is refused."""
        if type(self.value) is not int:
            self.wrong("a whole number")
        return self.value

    def boolean(self) -> bool:
        """Return a bool."""
        if type(self.value) is not bool:
            self.wrong("true or false")
        return self.value

    def number(self) -> float:
        """Return a finite number, bounded by `limits.NUMBER`."""
        if type(self.value) not in (int, float):
            self.wrong("a number")
        if not abs(self.value) <= limits.NUMBER:
            refuse("number", self.path, f"The number is beyond {limits.NUMBER:g}.")
        return self.value

    def literal(self) -> Literal:
        """Return a number, or a tensor from lists of lists, within the limits on literals."""
        if type(self.value) not in (int, float, list):
            self.wrong("a number or lists of numbers")
        value = self._tupled(self.value, _DEPTH)
        if fault := literal_fault(value):
            refuse("number", self.path, f"The literal {fault}.")
        return value

    def datum(self) -> Any:
        """Return a parameter's value: null, a bool, a number, a short string, or lists of these as tuples."""
        value = self._tupled(self.value, _DEPTH)
        todo = [value]
        while todo:
            item = todo.pop()
            if isinstance(item, tuple):
                todo.extend(item)
            elif isinstance(item, dict):
                Reader(item, self.path).wrong("a value or a list")
            elif isinstance(item, str):
                if len(item) > limits.NAME or not item.isprintable() or not item.isascii():
                    refuse(
                        "limit", self.path, f"A string is not plain text of at most {limits.NAME} characters."
                    )
            elif item is not None and type(item) is not bool:
                Reader(item, self.path).number()
        return value

    def _tupled(self, value: Any, depth: int) -> Any:
        if not isinstance(value, list):
            return value
        if depth == 0:
            refuse("limit", self.path, f"More than {_DEPTH} lists inside each other.")
        if len(value) > limits.ELEMENTS:
            refuse("limit", self.path, f"The list has {len(value)} values; the limit is {limits.ELEMENTS}.")
        return tuple(self._tupled(item, depth - 1) for item in value)

    def wrong(self, needed: str) -> NoReturn:
        """Refuse the value, because `needed` was expected."""
        refuse("type", self.path, f"Found {self._shown()} where {needed} is needed.")

    def _shown(self) -> str:
        if self.value is None or isinstance(self.value, dict):
            return "null" if self.value is None else "an object"
        if not isinstance(self.value, (list, tuple)):
            text = ascii(self.value)
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        text = json.dumps(self.value)
        return text if len(text) <= _SHOWN else "a list"


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
      GraphError: `graph` is no `Graph` or has a native node, or `indent` is no such number.
    """
    without_natives(known_graph(graph), "a link or JSON")
    indent = indent if indent is None else whole_number("indent", indent, 0, 16)
    document: dict[str, Any] = {
        FORMAT: _version(graph),
        "nodes": [_node_data(grad_nodes.own_slots(node)) for node in graph.nodes],
    }
    # As of nodes, what has its default value is left out.
    for region in graph.regions:
        data = {"name": region.name, "nodes": sorted(region.nodes)}
        if region.policy != POLICIES[0]:
            data["policy"] = region.policy
        if region.saved:
            data["saved"] = sorted(region.saved)
        document.setdefault("regions", []).append(data)
    for group in graph.groups:
        data = {"name": group.name, "nodes": sorted(group.nodes)}
        if group.branches:
            data["branches"] = True
        document.setdefault("groups", []).append(data)
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
    top = Reader(parsed(known_text(text)), "$").object((FORMAT, "nodes", "output"), ("regions", "groups"))
    if not 1 <= top[FORMAT].integer() <= VERSION:
        message = f"The document has version {top[FORMAT].value}; this program reads up to {VERSION}."
        refuse("version", f"$.{FORMAT}", message, "Reload the page to get the newest program.")
    nodes = tuple(_node(item) for item in top["nodes"].items(limits.NODES))
    regions = top["regions"].items(limits.REGIONS) if "regions" in top else ()
    groups = top["groups"].items(limits.GROUPS) if "groups" in top else ()
    output = None if top["output"].value is None else top["output"].string()
    graph = Graph(nodes, tuple(map(_region, regions)), output, tuple(map(_group, groups)))
    # An unfinished graph may have problems, but not such as no edit could have made.
    if faults := [problem for problem in problems(graph) if problem.code not in UNFINISHED]:
        place = {node.name: f"$.nodes[{i}]" for i, node in enumerate(graph.nodes)}
        raise GraphError(
            replace(
                problem,
                code=f"json-{problem.code}",
                message=f"At {place.get(problem.node or '', '$')}: {problem.message}",
            )
            for problem in faults[: limits.PROBLEMS]
        )
    return graph


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


def parsed(text: str, most: int = limits.JSON) -> Any:
    """Parse a JSON document of at most `most` characters.

    Raises:
      GraphError: it is longer, no JSON, too deep, or has a key twice or a number that JSON has not.
    """
    if len(text) > most:
        message = f"The document has {len(text)} characters; the limit is {most}."
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
    members = dict(pairs)
    if len(members) < len(pairs):
        twin = next(_repeated(key for key, _ in pairs))
        refuse("duplicate-key", "$", f"The key {twin[:40]!a} comes twice in one object.")
    return members


def _repeated(keys: Iterator[str]) -> Iterator[str]:
    """Yield the keys that have occurred before."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield key
        seen.add(key)


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


def _node(item: Reader) -> Node:
    optional = ("slots", "params", "rule", "position", "muted", "cut")
    data = item.object(required=("name", "op"), optional=optional)
    rule = _rule(data["rule"]) if "rule" in data else Rule()
    name, op = data["name"].string(), data["op"].string()
    most = limits.SLOTS + KINDS[rule.kind].alternative  # the alternative has a slot of its own
    slots = []
    for slot in data["slots"].items(most) if "slots" in data else ():
        is_plain = slot.value is None or isinstance(slot.value, str)
        slots.append(slot.value if is_plain else slot.literal())
    params, position = _params(data["params"]) if "params" in data else (), None
    if "position" in data:
        x, y = (axis.number() for axis in data["position"].items(2, least=2))
        position = x, y
    return Node(
        name=name,
        op=op,
        slots=tuple(slots),
        params=params,
        rule=rule,
        position=position,
        muted="muted" in data and data["muted"].boolean(),
        cut="cut" in data and data["cut"].boolean(),
    )


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
    for arg in (arguments := data["args"].items(limits.SLOTS + 2)):
        if fault := name_fault(arg.string()):
            refuse("type", arg.path, f"The argument {quoted(arg.value)} {fault}.", "Rename it.")
    args = tuple(arg.value for arg in arguments)
    if twin := next(_repeated(iter(args)), None):
        refuse(
            "type", f"{item.path}.args", f"The argument {quoted(twin)} comes twice.", "Rename one of them."
        )
    terms = data["body"].items(limits.SLOTS)
    return Rule(kind, Lambda(args, tuple(_term(term, args, limits.LAMBDA_TERMS) for term in terms)))


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
