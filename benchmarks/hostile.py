"""Measure how long ten editors wait while another visitor does what takes the server longest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from benchmarks.attack import CONNECTIONS, Acts, Attack, chain, repeated, rules, text
from benchmarks.crowd import PERIOD, RAMP, at_rest, later, quantile, visit
from benchmarks.outbox import Edit
from benchmarks.server import Server, server, until_warm
from benchmarks.strange import STRANGE
from benchmarks.table import Row
from benchmarks.visitor import Editor

OTHERS, SIZE, SECONDS = 10, 30, 16
WATCHED = 0.25  # seconds between two readings of the server's memory
FELT = 0.05  # seconds more at the 95th percentile of the others


def shapes(count: int) -> str:
    """Return the formula of a graph with tensors of so many different shapes, three nodes each."""
    lines = [f"v{i} = {[0.5] * i}\na{i} = sin(v{i})\ns{i} = sum(a{i})" for i in range(1, count + 1)]
    return "\n".join([*lines, f"return s{count}"])


def trainable(length: int) -> str:
    """Return the formula of a chain of this many nodes whose first one is trained."""
    lines = [f"n{i} = sin(n{i - 1})" for i in range(2, length)]
    return "\n".join(
        ["w = parameter(0.5)", "n1 = cos(w)", *lines, f"loss = square(n{length - 1})", "return loss"]
    )


def regions(blocks: int, depth: int) -> str:
    """Return the formula of nested checkpoint regions, `blocks` beside one another and `depth` deep."""
    lines, last = ["x = 0.5"], "x"
    for block in range(blocks):
        for level in range(depth):
            indent = "    " * level
            lines.append(f'{indent}with checkpoint("r{block}_{level}"):')
            for node in range(5):
                name = f"n{block}_{level}_{node}"
                lines.append(f"{indent}    {name} = sin({last})")
                last = name
    return "\n".join([*lines, f"return {last}"])


def wide(inputs: int, nodes: int) -> str:
    """Return the formula of a sum over chains, one for each input."""
    each = nodes // inputs
    lines = [f"x{i} = 0.{i + 1}" for i in range(inputs)]
    for i in range(inputs):
        lines += [f"c{i}_{j} = sin({f'c{i}_{j - 1}' if j else f'x{i}'})" for j in range(each)]
    terms = " + ".join(f"c{i}_{each - 1}" for i in range(inputs))
    return "\n".join([*lines, f"total = {terms}", "return total"])


def large(count: int) -> str:
    """Return the formula of so many tensors of 65,536 elements."""
    lines = [f"t{i} = sin(t{i - 1})" for i in range(1, count)]
    return "\n".join(
        ["t0 = input(shape=[256, 256], seed=0)", *lines, f"loss = sum(t{count - 1})", "return loss"]
    )


def slides(name: str) -> list[list[Edit]]:
    """Return messages that move a slider."""
    return [[{"kind": "slide", "name": name, "value": 0.1 * n, "fresh": True}] for n in range(1, 6)]


def drawn(count: int, length: int) -> list[list[Edit]]:
    """Return messages that each import so many tensors of this length, with other numbers each time."""
    graphs = [
        Graph(
            tuple(Node(f"t{k}", INPUT, (), params(value=(n / 2,) * length)) for k in range(count)), (), "t0"
        )
        for n in range(4)
    ]
    return [[{"kind": "import", "text": to_json(graph, None)}] for graph in graphs]


def pasted() -> list[list[Edit]]:
    """Return messages with half a character, and other texts that are cut off or upside down."""
    pieces = ("\ud83d", "\ude00", "\0", "\u2028", "\u202e", "a" + "\u0301" * 1000, "(" * 1999)
    return [text(f"x = 1.0  # {piece}\ny = {piece}x") for piece in pieces]


ADDED: list[Edit] = [{"kind": "add", "op": "sin", "position": [i, i]} for i in range(500)]


def cut(name: str) -> list[Edit]:
    """Return the edit that cuts the graph after a node."""
    return [{"kind": "cut_after", "nodes": [name], "on": True}]


CHECKED: list[Edit] = [{"kind": "check", "on": True}]
START_OVER, TRAIN = "train_over", "train_go"
ATTACKS: dict[str, Callable[[], Acts]] = {
    "2,000 nodes, edited and checked": lambda: [text(chain(2000)), CHECKED, *rules(["n5", "n900"])],
    "500 nodes added by each message": lambda: [ADDED, ADDED, ADDED],
    "390 nodes of 130 shapes": lambda: [text(shapes(130)), *rules(["a7", "a90", "a120"])],
    "a chain of 300 cut": lambda: [text(chain(300)), cut("n150"), *rules(["n5", "n9"])],
    "a chain of 2,000 cut": lambda: [text(chain(2000)), cut("n1000"), *rules(["n5", "n9"])],
    "a chain of 1,000 trained": lambda: [text(trainable(1000)), TRAIN, *rules(["n5", "n9"]), START_OVER],
    "300 nodes in regions 6 deep": lambda: [text(regions(10, 6)), *rules(["n1_2_3", "n4_4_1"])],
    "24 sliders of 254 nodes": lambda: [text(wide(24, 230)), *slides("x3")],
    "12 tensors of 40,000 imported again and again": lambda: drawn(12, 40_000),
    "half characters": pasted,
    "14 tensors of 65,536": lambda: [text(large(14)), *rules(["t3", "t9", "t12"])],
}


def hostile() -> Iterator[Row]:
    """Measure each attack in turn, beside the same editors without one."""
    with server("app.py") as app:
        until_warm(app)
        asyncio.run(_beside(app, None, 0))  # warm-up
        each = {**{what: repeated(acts) for what, acts in ATTACKS.items()}, **CONNECTIONS, **STRANGE}
        for number, (what, attack) in enumerate(each.items(), 1):
            calm, felt, grown = asyncio.run(_beside(app, attack, 1000 * number))
            words = f"others' 95th percentile beside {what}: seconds more"
            words += f" ({calm:.3f} to {felt:.3f}; {grown:+.0f} MB)"
            yield Row(words, max(0.0, felt - calm), FELT)


async def _beside(app: Server, attack: Attack | None, first: int) -> tuple[float, float, float]:
    """Return the 95th percentile of the others' actions before the attack and during it, in seconds.

    And by how many megabytes the server's memory grew, at most.
    """
    tabs = [Editor(app.address, size=SIZE, seed=first + i) for i in range(OTHERS)]
    await asyncio.gather(*(later(RAMP * i / OTHERS, tab.open()) for i, tab in enumerate(tabs)))
    await asyncio.gather(*map(at_rest, tabs))
    calm = await _crowd(tabs)
    felt, before, sizes = calm, app.megabytes, [app.megabytes]
    if attack is not None:
        watching = asyncio.create_task(_watch(app, sizes))
        attacking = asyncio.create_task(attack(app, first + 999))
        felt = await _crowd(tabs)
        for task in (attacking, watching):
            task.cancel()
        await asyncio.gather(attacking, watching, return_exceptions=True)
    await asyncio.gather(*(tab.close() for tab in tabs))
    return calm, felt, max(sizes) - before


async def _watch(app: Server, sizes: list[float]) -> None:
    """Note the server's memory, which is short-lived where a message is unpacked."""
    while True:
        sizes.append(app.megabytes)
        await asyncio.sleep(WATCHED)


async def _crowd(tabs: Sequence[Editor]) -> float:
    start, taken = time.perf_counter(), []
    visits = (visit(tab, start + PERIOD * i / OTHERS, start + SECONDS, taken) for i, tab in enumerate(tabs))
    await asyncio.gather(*visits)
    return quantile(sorted(taken), 0.95)
