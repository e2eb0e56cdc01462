"""Make random edits as a person could on the present graph, so that most are accepted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from autodiff_viz.canvas.arrange import standing
from autodiff_viz.canvas.palette import palette
from autodiff_viz.graph import edits
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import REWRITE, RULE_KINDS
from autodiff_viz.graph.subgraph import extract
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from tests.seeds import seeded

TEXTS = (
    "x = 10.0\ny = exp(x)\nz = sin(y) * x + 2.0\nu = cos(z)\nv = u - y",
    "x = 0.5\nw = parameter(0.3)\na = tanh(x * w)\nwith checkpoint('inner'):\n    b = sin(a)\n    c = b * b\n"
    "with group('head'):\n    d = exp(c)\n    e = d + a\nz = rewrite(e, lambda v: -v) + 1.0",
    "x = 1.0\nf = cut(tanh(x))\nwith branches('gate'):\n    with group('gate_1'):\n        g_1 = square(f)\n"
    "    with group('gate_2'):\n        g_2 = square(f)\nz = g_1 + g_2 + backward_as(round(x), x)",
    "x = 1.0\nw_1 = parameter(0.5)\nwith branches('experts'):\n    with group('expert_1'):\n"
    "        h_1 = tanh(x * w_1)\n    with group('expert_2'):\n        w_2 = parameter(0.5)\n"
    "        h_2 = tanh(x * w_2)\nloss = square(h_1 + h_2)",
    "x = [1.0, 2.0, 3.0]\nm = softmax(x)\ns = sum(m * x)\nwith checkpoint('outer'):\n"
    "    with checkpoint('inner'):\n        t = exp(s)\n    r = t * s\nz = stop_gradient(r) + t",
)
DEEP = (
    "x = 0.7\n" + "".join(f"w_{i} = parameter(0.{i})\n" for i in range(1, 7)) + "a_1 = tanh(x * w_1)\n"
    "with group('deep'):\n    a_2 = tanh(a_1 * w_2)\n    a_3 = tanh(a_2 * w_3 + w_4)\n"
    "z = sin(a_3 * w_5) + w_6 * a_1"
)
"""With so many nodes that its parameters are tabs."""

ADDED = (
    "input",
    "sin",
    "mul",
    "where",
    "stack",
    "uniform",
    "matmul",
    "identity",
    "parameter",
    "random",
    "max",
)
TYPED = ("1", "-2.5", "0", "1e-3", "[1.0, 2.0]", "7.25")


def walks(count: int, steps: int, seed: int = 0) -> Iterator[tuple[Lab, dict[str, Any], Lab]]:
    """(lab, edit, lab after it) for every accepted edit of `count` random walks."""
    for index in range(count):
        chance = Random(seeded(seed * 100_003 + index))
        text = (*TEXTS, DEEP if index % 4 == 3 else None)[index % (len(TEXTS) + 1)]
        lab = start() if text is None else opened(start(), parse(text), "Open")
        for _ in range(steps):
            edit = _edit(lab, chance)
            after = edited(lab, edit) if edit else lab
            if after is lab or after.notice:
                continue
            yield lab, edit, after
            lab = after


def _edit(lab: Lab, chance: Random) -> dict[str, Any] | None:
    """A random edit of a random kind; None where the graph has nothing for it."""
    kind = chance.choice(list(MAKERS)) if lab.graph.nodes else "add"
    made = MAKERS[kind](lab, chance)
    return None if made is None else {"kind": kind, **made}


def _some(lab: Lab, chance: Random, most: int = 3) -> list[str]:
    names = [node.name for node in lab.graph.nodes]
    return chance.sample(names, min(len(names), chance.randint(1, most)))


def _one(lab: Lab, chance: Random) -> str:
    return chance.choice(lab.graph.nodes).name


def _slot(lab: Lab, name: str, chance: Random) -> int:
    return chance.randrange(max(len(lab.graph[name].slots), 1))


def _place(chance: Random) -> list[int]:
    return [chance.randint(-500, 500), chance.randint(-500, 500)]


def _wire(lab: Lab, chance: Random) -> tuple[str, str, int] | None:
    wires = [(source, node.name, slot) for node in lab.graph.nodes for slot, source in node.wires]
    return chance.choice(wires) if wires else None


def _frame(frames: Any, chance: Random) -> str | None:
    return chance.choice(sorted(frame.name for frame in frames)) if frames else None


def _connect(lab: Lab, chance: Random) -> dict[str, Any]:
    to = _one(lab, chance)
    return {"from": _one(lab, chance), "to": to, "slot": _slot(lab, to, chance)}


def _disconnect(lab: Lab, chance: Random) -> dict[str, Any] | None:
    wire = _wire(lab, chance)
    return wire and {"to": wire[1], "slot": wire[2]}


def _rewire(lab: Lab, chance: Random) -> dict[str, Any] | None:
    wire = _wire(lab, chance)
    if wire is None:
        return None
    to = _one(lab, chance)
    return {"from": wire[0], "oldTo": wire[1], "oldSlot": wire[2], "to": to, "slot": _slot(lab, to, chance)}


def _insert(lab: Lab, chance: Random) -> dict[str, Any] | None:
    wire = _wire(lab, chance)
    if wire is None:
        return None
    source, to, slot = wire
    return {"node": _one(lab, chance), "from": source, "to": to, "slot": slot, "position": _place(chance)}


def _add(lab: Lab, chance: Random) -> dict[str, Any]:
    wire = _wire(lab, chance) if lab.graph.nodes else None
    reads = {"from": wire[0], "slot": 0} if wire and chance.random() < 0.5 else None
    feeds = {"to": wire[1], "slot": wire[2]} if wire and chance.random() < 0.4 else None
    return {"op": chance.choice(OPS), "position": _place(chance), "wire": reads, "feeds": feeds}


def _constant(lab: Lab, chance: Random) -> dict[str, Any]:
    name = _one(lab, chance)
    node = lab.graph[name]
    return {
        "node": name,
        "slot": None if node.op == INPUT else _slot(lab, name, chance),
        "text": chance.choice(TYPED),
    }


def _function(lab: Lab, chance: Random) -> dict[str, Any] | None:
    rewritten = [node.name for node in lab.graph.nodes if node.rule.kind == REWRITE]
    text = chance.choice(("lambda v: v * 0.5", "lambda v: -v"))
    return {"node": chance.choice(rewritten), "text": text} if rewritten else None


def _paste(lab: Lab, chance: Random) -> dict[str, Any]:
    """What was copied from the canvas, or typed elsewhere."""
    graph = edits.with_positions(lab.graph, standing(lab.graph))
    copied = show(extract(graph, _some(lab, chance)))
    return {
        "text": chance.choice((copied, copied, "q = sin(x)", "q_1 = 2.0\nr = exp(q_1)")),
        "at": _place(chance),
    }


def _regroup(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame(lab.graph.frames, chance)
    if name is None:
        return None
    held = next(frame.nodes for frame in lab.graph.frames if frame.name == name)
    joins = chance.random() < 0.5
    others = sorted(set(lab.graph.by_name) - held) if joins else sorted(held)
    if not others:
        return None
    moved = chance.sample(others, min(len(others), chance.randint(1, 2)))
    change = {name: moved}
    return {
        "positions": {one: _place(chance) for one in moved},
        "join": change if joins else {},
        "leave": {} if joins else change,
    }


def _region(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame(lab.graph.regions, chance)
    return name and {"region": name, "nodes": _some(lab, chance)}


def _uncheckpoint(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame(lab.graph.regions, chance)
    return name and {"region": name}


def _policy(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame(lab.graph.regions, chance)
    return name and {"region": name, "policy": chance.choice(POLICIES), "saved": _some(lab, chance)}


def _rename_region(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame(lab.graph.frames, chance)
    return name and {"region": name, "name": f"frame {chance.randint(1, 5)}"}


def _of_group(**fields: Any) -> Any:
    def make(lab: Lab, chance: Random) -> dict[str, Any] | None:
        name = _frame(lab.graph.groups, chance)
        return name and {"group": name, **{key: value(chance) for key, value in fields.items()}}

    return make


def _of_branches(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame([group for group in lab.graph.groups if group.branches], chance)
    return name and {"group": name, "k": chance.randint(1, 4)}


def _tune(lab: Lab, chance: Random) -> dict[str, Any] | None:
    name = _frame([group for group in lab.graph.groups if group.branches], chance)
    branch = _frame(lab.graph.groups, chance) if chance.random() < 0.7 else None
    return name and {"group": name, "branch": branch}


def _move(lab: Lab, chance: Random) -> dict[str, Any]:
    return {"positions": {name: _place(chance) for name in _some(lab, chance)}}


def _on(chance: Random) -> bool:
    return chance.random() < 0.6


def _nodes(lab: Lab, chance: Random) -> dict[str, Any]:
    return {"nodes": _some(lab, chance)}


OPS = (*ADDED, *(op["op"] for group in palette() for op in group["ops"]))
MAKERS: dict[str, Any] = {
    "select": lambda lab, chance: {"node": _one(lab, chance)},
    "move": _move,
    "rules": lambda lab, chance: {**_nodes(lab, chance), "rule": chance.choice(RULE_KINDS)},
    "output": lambda lab, chance: {"node": _one(lab, chance)},
    "constant": _constant,
    "connect": _connect,
    "disconnect": _disconnect,
    "rewire": _rewire,
    "insert": _insert,
    "add": _add,
    "delete": _nodes,
    "cut": _nodes,
    "mute": lambda lab, chance: {**_nodes(lab, chance), "on": _on(chance)},
    "cut_after": lambda lab, chance: {**_nodes(lab, chance), "on": _on(chance)},
    "function": _function,
    "regroup": _regroup,
    "region": _region,
    "policy": _policy,
    "rename_region": _rename_region,
    "rename": lambda lab, chance: {"node": _one(lab, chance), "name": f"n{chance.randint(1, 30)}"},
    "checkpoint": _nodes,
    "uncheckpoint": _uncheckpoint,
    "group": _nodes,
    "ungroup": _of_group(),
    "collapse": _of_group(on=_on),
    "make_branches": _nodes,
    "branches": _of_branches,
    "tune": _tune,
    "duplicate": lambda lab, chance: {**_nodes(lab, chance), "by": [40, 40]},
    "paste": _paste,
    "arrange": lambda lab, chance: {},
    "undo": lambda lab, chance: {},
    "redo": lambda lab, chance: {},
}
