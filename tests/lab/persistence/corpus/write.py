"""Write the corpus of this version: `python -m tests.lab.persistence.corpus.write NAME` makes NAME.json.gz.

A corpus says what a version wrote and what it meant, and is never written anew: another version writes a file
of its own, beside it. The test beside this folder opens everything in all of them.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.policies import POLICY
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import KINDS
from autodiff_viz.lab.actions import set_dtype, set_input, set_policy, set_seed, typed, undone
from autodiff_viz.lab.blocks import BLOCKS
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.lessons import open_lesson
from autodiff_viz.lab.persistence.address import documents, from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.state import Lab, opened, start
from autodiff_viz.language.documents import from_json
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.lessons.gallery import LESSONS
from autodiff_viz.ops.catalog import OPS
from tests.lab.random_walks import walks
from tests.strategies import graphs

FOLDER = Path(__file__).parent

RULED = """w = parameter([[0.5, -0.25], [1.0, 2.0]])
x = input([1.0, 2.0], low=-3.0, high=3.0)
u = input(shape=(2,), seed=7)
r = rewrite(dense(x, w, u), lambda v: v * 0.5)
p = custom(exp(r), pullback=lambda v, r, y: v * y)
b = backward_as(round(p), p)
k = scale_gradient(stop_gradient(b) + b, -0.5)
m = bypass(sin(k))
with branches("gate"):
    with group("gate_1"):
        c = cut(tanh(m))
loss = sum(c * c)
g = grad(loss, x)
return loss"""
REGIONS = """x = [1.0, 2.0]
with checkpoint("one"):
    a = sin(x)
    with checkpoint("in"):
        b = a * a
z = sum(b)"""
TEXTS = {
    "all rules": RULED,
    "numbers": "x = 1e-45\ny = 9.9999999e29\nz = -0.0\na = [0.1, 1e21, 7]\nb = x + y * z - sum(a)",
    "places": "x = 2.0\ny = sin(x)\nz = y * y\n# positions: x -40 7.5, y 200 0, z 400.5 12",
    "loops": "x = 1.0\ndef f(v):\n    return sin(v) + v\nfor i in range(3):\n    h = f(x) * i\nz = h_0 + h_2",
    "second derivative": "x = 0.5\ny = x ** 3\nd = grad(y, x)\ne = grad(d, x)",
    **{f"rule {name}": f"x = 2.0\ny = {kind.example}" for name, kind in KINDS.items() if kind.example},
    **{f"block {name}": f"x = {block.example}" for name, block in BLOCKS.items()},
}


def named_graphs() -> Iterator[tuple[str, Graph]]:
    """Yield the graphs whose link, document and text are kept, with their names."""
    for lesson in LESSONS:
        for index in range(len(lesson.steps)):
            yield f"{lesson.key} {index}", open_lesson(start(), lesson.key, index).graph
    for op in OPS.values():
        if not op.of_graph:
            yield f"op {op.name}", _examples(op)
    for name, text in TEXTS.items():
        yield name, parse(text)
    for policy, record in POLICY.items():
        saved = frozenset({"a"}) if record.takes_names else frozenset()
        yield (
            f"policy {policy}",
            set_policy(opened(start(), parse(REGIONS), "Open"), "one", policy, saved).graph,
        )
    yield from _random()


def _examples(op: Any) -> Graph:
    """Return a graph with each example of an op, its inputs drawn."""
    nodes: list[Node] = []
    for number, (shapes, given_params) in enumerate(op.examples):
        read = [f"i{number}_{slot}" for slot in range(len(shapes))]
        for name, shape in zip(read, shapes, strict=True):
            source = params(shape=shape, seed=number) if shape else params(value=0.5)
            nodes.append(Node(name, INPUT, (), source))
        nodes.append(Node(f"n{number}", op.name, tuple(read), params(**given_params)))
    return Graph(tuple(nodes), (), nodes[-1].name if nodes else None)


def _random(count: int = 40) -> list[tuple[str, Graph]]:
    """Return random graphs of the tests' strategy that a document can express."""
    found: list[tuple[str, Graph]] = []

    @seed(29)
    @settings(
        max_examples=8 * count, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(graphs(min_nodes=3, max_nodes=8))
    def draw(graph: Graph) -> None:
        try:
            is_same = from_json(to_json(graph)) == graph == parse(show(graph))
        except GraphError:
            return
        if is_same and len(found) < count and (graph.regions or graph.groups or len(graph.nodes) > 5):
            found.append((f"random {len(found)}", graph))

    draw()
    return found


def named_sessions() -> Iterator[tuple[str, Lab]]:
    """Yield the labs whose address and stored history are kept, with their names."""
    worked = typed(start(), "# mine\nx = 0.5\na = sin(x)\nb = a * 2.0\nz = b + a")
    for value in (0.25, -0.0, 1e-7):
        worked = set_input(worked, "x", value, fresh=True)
    worked = set_dtype(set_seed(worked, 2.0), "float16")
    worked = _edited(
        worked,
        {"kind": "group", "nodes": ["a", "b"]},
        {"kind": "collapse", "group": "group", "on": True},
        {"kind": "checkpoint", "nodes": ["b"]},
        {"kind": "mute", "nodes": ["b"], "on": True},
        {"kind": "cut_after", "nodes": ["a"], "on": True},
        {"kind": "rules", "nodes": ["a"], "rule": "stop"},
        {"kind": "figure", "figure": "runs"},
        {"kind": "select", "node": "a"},
    )
    yield "worked", worked
    yield "two steps back", undone(undone(worked))
    yield "with a draft", typed(worked, "x = 0.5\ny = sin(")
    compared = _edited(worked, {"kind": "without", "what": "rule", "name": "a"}, {"kind": "flip"})
    yield "compared", compared
    yield (
        "forward",
        _edited(worked, {"kind": "forward", "on": True}, {"kind": "tangent", "node": "x", "value": "2"}),
    )
    other = opened(compared, parse(RULED), "Open a formula")
    other = _edited(other, {"kind": "branches", "group": "gate", "k": 3}, {"kind": "pin"})
    yield "another document", other
    yield "back in the first document", undone(undone(undone(other)))
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        yield f"in {dtype}", set_dtype(open_lesson(start(), LESSONS[0].key), dtype)
    for lesson in LESSONS:
        for index in range(len(lesson.steps)):
            yield f"lesson {lesson.key} {index}", open_lesson(start(), lesson.key, index)
    for walk in range(8):
        *_, (_, _, last) = walks(walk + 1, 20, seed=3)
        yield f"walk {walk}", last


def _edited(lab: Lab, *edits: Mapping[str, Any]) -> Lab:
    after = reduce(edited, edits, lab)
    assert not after.notice, after.notice
    return after


def stored(lab: Lab) -> dict[str, Any]:
    """Return what the browser keeps of a lab: the query of its address, and its history as text."""
    return {"query": to_query(lab), "trail": {**trail(lab.history).data, "documents": documents(lab)}}


def reopened(data: Mapping[str, Any]) -> Lab:
    """Return the lab of an address once the browser has handed over the stored history."""
    new = from_query(data["query"])
    return edited(new, {"seq": 1, "kind": "kept", "trail": data["trail"], "link": None})


def meaning(lab: Lab) -> dict[str, Any]:
    """Return all that an address and a stored history say of a lab, its graphs as documents."""
    choices = dict(lab.choices)
    return {
        "document": to_json(lab.graph, None),
        "text": lab.history.present.text,
        "seed": None if lab.seed is None else show_literal(lab.seed),
        "pinned": _pinned(lab.pinned),
        "dtype": lab.dtype, "selected": lab.selected, "figure": lab.figure,
        "swept": choices.get("swept"),
        "scale": choices.get("scale", 1.0), "draws": choices.get("draws", 1000),
        "lesson": lab.lesson, "variant": lab.variant,
        "draft": lab.draft, "shelved": lab.shelved, "step": lab.step,
        "forward": None if lab.forward is None else [list(pair) for pair in lab.forward],
        "ranges": [list(each) for each in lab.ranges],
        "collapsed": sorted(lab.collapsed.intersection(group.name for group in lab.graph.groups)),
        "plan": repr(lab.plan),
        "at": len(lab.history.past),
        "steps": [_step(entry) for entry in lab.history.entries],
    }  # fmt: skip


def _step(entry: Any) -> dict[str, Any]:
    return {
        "label": entry.label,
        "document": to_json(entry.graph, None),
        "text": entry.text,
        "pinned": _pinned(entry.pinned),
        "folds": None if entry.folds is None else list(entry.folds),
        "setting": repr(entry.setting),
        "of": entry.document,
    }


def _pinned(pinned: Any) -> list[Any] | None:
    return None if pinned is None else [to_json(pinned.graph, None), pinned.text, pinned.letter]


def _kept(graph: Graph) -> dict[str, str]:
    document, text = to_json(graph, None), show(graph)
    of_text = to_json(parse(text), None)  # nodes and frames may stand in another order
    return {
        "link": to_link(graph),
        "document": document,
        "text": text,
        **({} if of_text == document else {"document of text": of_text}),
    }


def corpus() -> dict[str, Any]:
    """Return the corpus of this version."""
    from_address = {
        name: {**stored(lab), "means": meaning(reopened(stored(lab)))} for name, lab in named_sessions()
    }
    kept = {name: _kept(graph) for name, graph in named_graphs()}
    return {"graphs": kept, "sessions": from_address}


def write(name: str) -> None:
    """Write the corpus of this version under a name that no other one has.

    Raises:
      FileExistsError: one has it.
    """
    with (FOLDER / f"{name}.json.gz").open("xb") as file:
        text = json.dumps(corpus(), ensure_ascii=True, separators=(",", ":"), sort_keys=True)
        file.write(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    write(sys.argv[1])
