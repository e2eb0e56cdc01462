"""Generate documents that are almost graphs: real graphs, with a few random changes of their structure."""

from __future__ import annotations

import base64
import copy
import json
import re
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from autodiff_viz.graph.codec import FORMAT, to_json
from autodiff_viz.graph.model import Graph, Node, params
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import KINDS, RULE_KINDS
from autodiff_viz.language.parse import parse
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ops.catalog import OPS
from tests.language.samples import SPECS, automatic
from tests.ops.samples import sample
from tests.strategies import graphs

FORMULAS = (
    "",
    "x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + stop_gradient(exp(a))",
    """x = 30.0
a = log(rewrite(x, lambda v: 0.5)) + sin(x)
b = custom(exp(x), pullback=lambda v, x, y: v * y)
c = backward_as(round(x), x)
with checkpoint("square"):
    d = c * c
with group("head"):
    e = tanh(d) + d
f = cut(tanh(e))
with branches("gate"):
    with group("gate_1"):
        g_1 = square(f)
z = a + stop_gradient(b) + g_1
# positions: x 0 40, z 120 -40.5""",
    """x = input([[1.0, -2.0, 0.5]], low=-5.0, high=5.0)
w = parameter(shape=(3, 2), init="he_normal", seed=7)
b = parameter([0.0, 0.1])
h = relu(dense(x, w, b))
with checkpoint("out", policy="save_only_these_names", names=("h2",)):
    h2 = bypass(dropout(h, rate=0.25, seed=3)) + uniform(shape=(2,), low=0.9, high=1.1, seed=4)
    y = h2[0, 1:] * h2[..., None, -1]
loss = mean(square(cut(sum(y, axis=0, keepdims=True))))""",
    """x = 2.0
y = 3.0
with checkpoint("outer", policy="dots_saveable"):
    p = custom(x * y, pullback=lambda v, a, b, p: (v * b, -(v * a)[()]))
    with checkpoint("inner"):
        q = cut(bypass(rewrite(p + 1, lambda v: clip(v, -1.0, 1.0))))
        r = concatenate([stack([q, 2.0]), [1.0, -0.0]])
z = sum(r) + ...
return q""",
)
"""Beside the lessons and the examples of ops: every rule, frame, mark and source."""

NAMES = ("x", "y", "z", "v", "h", "sin_1", "add_1", "stop_gradient_1", "x_01", "_", "sin", "input", "group")
NO_NAMES = ("", "lambda", "None", "__init__", "été", "\ud800", "a b", "...", "x" * 65, "0", "1x", '"', "\n")
NUMBERS = (0, 1, 2, 3, -1, -2, 64, 65, 65_536, 65_537, 2**31 - 1, 2**31, 2**63, 10**30, 10**31, 10**400)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 1e-320, 1e-30, 1e15, 1e30, 1.1e30, 3.4e38, 1e300)
LISTS = (
    *([], [[]], [0], [1.0], [-0.0, 0], [1, 2, 3], [[1, 2], [3]], [None], ["..."], [[None, None, None]]),
    *([[1, 2]], [True], [{}], [[0, 3, 0]], [-1], [2, 1.0], [-2], [0, 0], [1] * 7, ["x"], [0.5] * 65),
)
TERMS: tuple[Any, ...] = (
    {},
    {"op": "sin", "args": ["v"]},
    {"op": "mul", "args": ["v", 2.0], "params": {}},
    {"op": "sum", "args": ["v"], "params": {"axis": 0}},
    {"op": "concatenate", "args": [["v"]]},
)
ODD = (None, True, False, "ab", "VALID", *NAMES, *NO_NAMES, *NUMBERS, *FLOATS, *LISTS, *TERMS)

PARAMS = (
    *("value", "shape", "seed", "init", "low", "high", "trainable", "axis", "keepdims", "index", "axes"),
    *("extra", "k" * 65),
)
KEYS = (
    *(FORMAT, "nodes", "regions", "groups", "output", "name", "op", "slots", "params", "rule", "position"),
    *("muted", "cut", "kind", "args", "body", "policy", "saved", "branches", *PARAMS),
)
NUMBERED = tuple(kind for kind in KINDS.values() if kind.number is not None)
WORDS = (*OPS, "input", "parameter", *RULE_KINDS, *POLICIES)

ODD_NUMBERS = ("1e400", "-0", "-0.0", "1E2", "NaN", "-Infinity", "9" * 5_000, "0.1e1", "1e-400", "00", "true")

Document = dict[str, Any]
Change = Callable[[Document, Random], None]


def as_data(graph: Graph) -> Document:
    return json.loads(to_json(graph, indent=None))


def formulas() -> tuple[str, ...]:
    """Of the lessons, and those above."""
    return (*(variant.formula for lesson in LESSONS for variant in lesson.steps), *FORMULAS)


@cache
def documents() -> tuple[Document, ...]:
    """Of the lessons' graphs, of the examples of every op, of the formulas above."""
    examples = [_example(op, *example) for op in OPS.values() for example in op.examples]
    return tuple(as_data(graph) for graph in (*map(parse, formulas()), *examples))


def _example(op: Any, shapes: Any, given: dict[str, Any]) -> Graph:
    values = [_literal(array.tolist()) for array in sample(op, shapes)] if op.slots else []
    inputs = tuple(Node(f"x{i}", "input", (), params(value=value)) for i, value in enumerate(values))
    return Graph((*inputs, Node("y", op.name, tuple(n.name for n in inputs), params(**given))), (), "y")


def _literal(value: Any) -> Any:
    return tuple(map(_literal, value)) if isinstance(value, list) else round(value, 3)


@st.composite
def mutants(draw: DrawFn) -> str:
    """The text of a document that was a graph's before it was changed in one to four places."""
    drawn = st.one_of(graphs(SPECS), automatic()).map(as_data)
    base = draw(st.one_of(st.sampled_from(documents()), st.sampled_from(documents()), drawn))
    return mutant(base, draw(st.randoms(use_true_random=True)))


def mutant(base: Document, random: Random) -> str:
    """The document with a few changes after which it may still be a graph's, and a few of any kind."""
    document = {"": copy.deepcopy(base)}  # so that the whole of it has a place too
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        random.choice(MILD)(document, random)
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        random.choice(WILD)(document, random)
    text = json.dumps(document.get("", ""), indent=random.choice((None, 1)))
    return _misspelt(text, random) if random.random() < 0.02 else text


def packed(text: str) -> str:
    """The link of a document that `to_link` would never write."""
    return "1" + base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


def _misspelt(text: str, random: Random) -> str:
    """The text with a number that is written oddly, or without a part of it."""
    at = random.randrange(len(text))
    digits = [i for i, letter in enumerate(text) if letter.isdigit()]
    if digits and random.random() < 0.7:
        at = random.choice(digits)
        return text[:at] + random.choice(ODD_NUMBERS) + text[at + 1 :]
    return text[:at] + text[at + random.randrange(1, 4) :]


def _place(document: Document, random: Random) -> tuple[Any, Any]:
    """A place in the document as (what holds it, key or index). Every level is as likely as the others,
    however many numbers a tensor has."""
    held, key = document, ""
    while held and random.random() < 0.85:
        inner = held[key]
        if not isinstance(inner, (dict, list)) or not inner:
            break
        held, key = inner, random.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    return held, key


def _replace(document: Document, random: Random) -> None:
    held, key = _place(document, random)
    held[key] = copy.deepcopy(random.choice(ODD))


def _delete(document: Document, random: Random) -> None:
    held, key = _place(document, random)
    if held is not document:
        del held[key]


def _nudge(document: Document, random: Random) -> None:
    """Another type or another sign for a number, another name for a name."""
    for _ in range(20):
        held, key = _place(document, random)
        value = held[key]
        if type(value) in (int, float):
            held[key] = random.choice((-value, value + 1, float(value), int(value), bool(value), str(value)))
        elif type(value) is bool:
            held[key] = random.choice((not value, int(value), None))
        elif type(value) is str:
            held[key] = random.choice((*WORDS, *NAMES, *NO_NAMES))
        else:
            continue
        return


def _copy(document: Document, random: Random) -> None:
    """Put something of the document, or of another one, into another place."""
    source = document if random.random() < 0.7 else {"": random.choice(documents())}
    held, key = _place(source, random)
    piece = copy.deepcopy(held[key])
    held, key = _place(document, random)
    if isinstance(held, list) and random.random() < 0.5:
        held.insert(key, piece)
    else:
        held[key] = piece


def _swap(document: Document, random: Random) -> None:
    (one, a), (other, b) = _place(document, random), _place(document, random)
    first, second = copy.deepcopy(one[a]), copy.deepcopy(other[b])
    one[a] = second
    if b in other if isinstance(other, dict) else b < len(other):
        other[b] = first


def _wrap(document: Document, random: Random) -> None:
    """Put something into lists, or into ops: a few times or very often."""
    held, key = _place(document, random)
    times = random.choice((1, 1, 2, 7, 60, 70, 200))
    for _ in range(times):
        term = {"op": random.choice(("sin", "neg", "getitem")), "args": [held[key]]}
        held[key] = term if times > 7 or random.random() < 0.3 else [held[key]]


def _unwrap(document: Document, random: Random) -> None:
    held, key = _place(document, random)
    inner = held[key]
    if isinstance(inner, (dict, list)) and inner:
        held[key] = random.choice(list(inner.values()) if isinstance(inner, dict) else inner)


def _add_key(document: Document, random: Random) -> None:
    """Give an object another key, that of another kind of object perhaps."""
    for _ in range(20):
        held, key = _place(document, random)
        if isinstance(held[key], dict):
            held[key][random.choice(KEYS)] = copy.deepcopy(random.choice(ODD))
            return


def _nodes(document: Document) -> list[Document]:
    nodes = document[""].get("nodes") if isinstance(document[""], dict) else None
    return [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []


def _change_params(document: Document, random: Random) -> None:
    """Set a parameter that the op has, or one of any op, to something odd."""
    if nodes := _nodes(document):
        node = random.choice(nodes)
        op = OPS.get(node.get("op")) if isinstance(node.get("op"), str) else None
        known = [param.name for param in op.params] if op else []
        given = node.setdefault("params", {})
        if isinstance(given, dict):
            given[random.choice([*known, *known, *known, *PARAMS])] = copy.deepcopy(random.choice(ODD))


def _change_node(document: Document, random: Random) -> None:
    """Give a node another rule, mark, op or number of slots."""
    if nodes := _nodes(document):
        node = random.choice(nodes)
        names = [n.get("name", "x") for n in nodes]
        key = random.choice(("rule", "rule", "muted", "cut", "op", "slots", "position"))
        node[key] = {
            "rule": lambda: _rule(random, names),
            "muted": lambda: True,
            "cut": lambda: True,
            "op": lambda: random.choice(WORDS),
            "slots": lambda: [
                random.choice((*names, *names, None, *NUMBERS, *FLOATS, *LISTS))
                for _ in range(random.choice((0, 1, 1, 2, 2, 3, 64)))
            ],
            "position": lambda: random.choices((0, -0.0, 1, 0.5, -1e6, 1e7, "0", None), k=2),
        }[key]()


def _rule(random: Random, names: list[Any]) -> Document:
    rule: Document = {"kind": random.choice(RULE_KINDS)}
    if random.random() < 0.7:
        args = random.choices(("v", "a", *names), k=random.choice((0, 1, 1, 3, 3, 4)))
        rule["args"] = args
        rule["body"] = random.choices((*args, 0.5, *TERMS), k=random.choice((0, 1, 1, 2)))
    if random.random() < 0.3:
        rule["number"] = random.choice((*NUMBERS, *FLOATS, *LISTS, None))
    return rule


def _add_frames(document: Document, random: Random) -> None:
    """Regions and groups of any nodes: one, or one inside the other, or many of the same."""
    if not isinstance(document[""], dict):
        return
    names = [node.get("name", "x") for node in _nodes(document)]
    for i in range(random.choice((1, 1, 2, 7, 65))):
        kind = random.choice(("regions", "groups"))
        frame: Document = {
            "name": random.choice(NO_NAMES) if random.random() < 0.05 else f"frame {i}",
            "nodes": random.sample(names, random.randrange(len(names) + 1)) or names[:1],
        }
        if random.random() < 0.3:
            frame |= {"policy": random.choice(POLICIES)} if kind == "regions" else {"branches": True}
        if kind == "regions" and random.random() < 0.3:
            frame["saved"] = random.sample(names, random.randrange(len(names) + 1))
        frames = document[""].setdefault(kind, [])
        if isinstance(frames, list):
            frames.append(frame)


def _rename(document: Document, random: Random) -> None:
    """Give a node another name wherever it stands, rather one that a step in an expression could have."""
    if nodes := _nodes(document):
        old, stem = random.choice(nodes).get("name"), random.choice((*OPS, "stop_gradient", "cut", "x"))
        new = random.choice((*NAMES, f"{stem}_{random.randrange(12)}", f"{stem}_{random.randrange(1, 4)}"))
        document[""] = _renamed(document[""], old, new)


def _renamed(value: Any, old: Any, new: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, old, new) for inner in value]
    return new if isinstance(old, str) and value == old else value


def _rewire(document: Document, random: Random) -> None:
    """Put another wire, a number or nothing into a slot."""
    nodes = _nodes(document)
    held = [(i, node["slots"]) for i, node in enumerate(nodes) if node.get("slots")]
    if held:
        i, slots = random.choice(held)
        before = [node.get("name") for node in nodes[:i]] or [None]
        wires = (random.choice(before), random.choice(before), random.choice(nodes).get("name"))
        if isinstance(slots, list):
            slots[random.randrange(len(slots))] = random.choice((*wires, None, 2, -0.0, 1e30, [1, -0.0]))


def _reset(document: Document, random: Random) -> None:
    """Set a parameter of an op, or of an input, to something that it takes."""
    if nodes := _nodes(document):
        node = random.choice(nodes)
        op = OPS.get(node.get("op")) if isinstance(node.get("op"), str) else None
        if op is None:
            node["params"] = copy.deepcopy(random.choice(GIVEN))
        elif op.params:
            param = random.choice(op.params)
            fitting = [*param.choices] or FITTING.get(param.kind, ODD)
            node["params"] = {**(node.get("params") or {}), param.name: random.choice(fitting)}


def _rerule(document: Document, random: Random) -> None:
    """Give a node a rule with as many arguments and results as it has wires."""
    if nodes := _nodes(document):
        node = random.choice(nodes)
        slots = node.get("slots") if isinstance(node.get("slots"), list) else []
        wires = sum(isinstance(slot, str) for slot in slots)
        args = random.sample(("v", "a", "b", "c", "y", *NAMES[5:10]), min(9, wires + 2))
        terms = (*args, 0.5, -0.0, *({"op": "mul", "args": [name, -2.0]} for name in args))
        node["rule"] = random.choice(
            (
                {"kind": "stop"},
                *({"kind": kind.name, "number": random.choice(FLOATS)} for kind in NUMBERED),
                {"kind": "rewrite", "args": args[:1], "body": [random.choice((args[0], 0.0, TERMS[0]))]},
                {"kind": "pullback", "args": args, "body": random.choices(terms, k=max(wires, 1))},
            )
        )


def _mark(document: Document, random: Random) -> None:
    """Mute a node or cut after it, move it, or make it the output."""
    if nodes := _nodes(document):
        node = random.choice([node for node in nodes if node.get("slots")] or nodes)
        key = random.choice(("muted", "cut", "position", "output"))
        if key == "output":
            document[""]["output"] = node.get("name")
        else:
            node[key] = True if key != "position" else [random.choice((0, -0.0, 40, 0.5)), -1e6]


def _shuffle(document: Document, random: Random) -> None:
    """Put the nodes into another order, which means nothing."""
    if len(_nodes(document)) > 1:
        random.shuffle(document[""]["nodes"])


def _reop(document: Document, random: Random) -> None:
    """Give a node another op with as many slots."""
    if nodes := _nodes(document):
        node = random.choice(nodes)
        slots = node.get("slots")
        if isinstance(slots, list):
            like = [op.name for op in OPS.values() if op.variadic or len(op.slots) == len(slots)]
            node["op"] = random.choice(like or [*OPS])


GIVEN: tuple[Document, ...] = (
    *({"value": 3}, {"value": -0.0}, {"value": [[1, 2.0]]}, {"value": 1e30}, {"shape": []}),
    *({"shape": [2, 1], "seed": 5}, {"shape": [2, 3], "trainable": True, "init": "he_uniform"}),
    *({"value": 0.5, "trainable": True}, {"value": 2.0, "trainable": False}),
    {"value": 1.5, "low": 0, "high": 10**6},
)
FITTING: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, 3, -1, 65_536),
    "float": (0.0, -0.0, 0, 1, 0.5, 1e-30, -1e30),
    "bool": (True, False, None),
    "axis": (0, 1, -1, -2, 5, None),
    "axes": ([0], [1, 0], [0, 1], [-1, 0], []),
    "shape": ([], [1], [3], [2, 3], [0], [65_536], [2] * 6),
    "new_shape": ([-1], [1, -1], [3, 2], [], [6]),
    "seed": (0, 1, 7, 2**31 - 1),
    "index": ([0], [-1], [], ["...", 0], [None], [[0, 2, None]], [[None, None, -1], 0], [[1, None, 2]]),
}

MILD: tuple[Change, ...] = (
    *(_rename, _rewire, _rewire, _reset, _reset, _rerule, _rerule, _mark, _mark, _shuffle, _reop),
    _add_frames,
)
WILD: tuple[Change, ...] = (
    *(_replace, _replace, _delete, _nudge, _nudge, _copy, _swap, _wrap, _unwrap, _add_key),
    *(_change_params, _change_params, _change_node, _change_node),
)


def mistyped(text: str, random: Random) -> str:
    """The formula with a few words, numbers or signs in the place of others, as a hasty hand leaves it."""
    pieces = re.findall(r"\w+|\s+|[^\w\s]", text)
    for _ in range(random.choice((1, 1, 2, 3))):
        place = random.randrange(len(pieces) or 1)
        change = random.choice((random.choice(pieces or [""]), random.choice(TYPED), ""))
        pieces[place : place + random.choice((0, 1, 1, 1, 3))] = [change]
    return "".join(pieces)


TYPED = (
    *(*WORDS, *NAMES, "bypass", "cut", "custom", "rewrite", "-", "(", ")", "[", "]", "...", "()", "[]", ", "),
    *("0", "-1", "-0.0", "1e30", "65536", "True", "None", "axis=0", "shape=(0, -1)", "seed=-1", "    ", "\n"),
    *("\nwith checkpoint('r'):\n    ...\n", "cut(2.0)", "bypass(3.0)", "lambda: 0.0", "lambda v: ()"),
)
