"""Measure how long ten editors wait while another visitor does what takes the server longest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.crowd import PERIOD, RAMP, at_rest, later, quantile, visit
from benchmarks.outbox import Edit
from benchmarks.server import Server, server, until_warm
from benchmarks.table import Row
from benchmarks.visitor import SOON, Editor

OTHERS, SIZE, SECONDS = 10, 30, 16
FELT = 0.05  # seconds more at the 95th percentile of the others
EVERY = 2.0  # seconds between two messages of the attacker


Act = Sequence[Edit] | str
"""A message with these edits, or the key of a button that is pressed."""

Acts = Sequence[Act]
"""What the attacker does, in turn and again."""


def chain(length: int) -> str:
    """Return the formula of a chain of this many nodes."""
    lines = [f"n{i} = sin(n{i - 1})" for i in range(2, length)]
    return "\n".join(["x = 0.5", "n1 = cos(x)", *lines, f"return n{length - 1}"])


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


def text(formula: str) -> list[Edit]:
    """Return the edit that opens a formula."""
    return [{"kind": "type", "text": formula, "fresh": True}]


def rules(names: Sequence[str]) -> list[list[Edit]]:
    """Return one message for each of these nodes, which sets its rule."""
    return [[{"kind": "rules", "nodes": [name], "rule": "stop"}] for name in names]


def slides(name: str) -> list[list[Edit]]:
    """Return messages that move a slider."""
    return [[{"kind": "slide", "name": name, "value": 0.1 * n, "fresh": True}] for n in range(1, 6)]


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
    "14 tensors of 65,536": lambda: [text(large(14)), *rules(["t3", "t9", "t12"])],
}


def hostile() -> Iterator[Row]:
    """Measure each attack in turn, beside the same editors without one."""
    with server("app.py") as app:
        until_warm(app)
        asyncio.run(_beside(app, None, 0))  # warm-up
        for number, (what, attack) in enumerate(ATTACKS.items(), 1):
            calm, felt = asyncio.run(_beside(app, attack(), 1000 * number))
            words = f"others' 95th percentile beside {what}: seconds more ({calm:.3f} to {felt:.3f})"
            yield Row(words, max(0.0, felt - calm), FELT)


async def _beside(app: Server, attack: Acts | None, first: int) -> tuple[float, float]:
    """Return the 95th percentile of the others' actions before the attack and during it, in seconds."""
    tabs = [Editor(app.address, size=SIZE, seed=first + i) for i in range(OTHERS)]
    await asyncio.gather(*(later(RAMP * i / OTHERS, tab.open()) for i, tab in enumerate(tabs)))
    await asyncio.gather(*map(at_rest, tabs))
    calm = await _crowd(tabs)
    felt = calm
    if attack is not None:
        one = Editor(app.address, size=5, seed=first + 999)
        await one.open()
        attacking = asyncio.create_task(_attack(one, attack))
        felt = await _crowd(tabs)
        attacking.cancel()
        await one.close()
    await asyncio.gather(*(tab.close() for tab in tabs))
    return calm, felt


async def _crowd(tabs: Sequence[Editor]) -> float:
    start, taken = time.perf_counter(), []
    visits = (visit(tab, start + PERIOD * i / OTHERS, start + SECONDS, taken) for i, tab in enumerate(tabs))
    await asyncio.gather(*visits)
    return quantile(sorted(taken), 0.95)


async def _attack(tab: Editor, attack: Acts) -> None:
    number = 0
    while True:
        for act in attack:
            if isinstance(act, str):
                await _press(tab, act)
            else:
                edits = [{**edit, "seq": number + i} for i, edit in enumerate(act, 1)]
                number += len(edits)
                tab.pending = []
                await tab.post({"key": tab.word.key, "edits": edits, "have": tab.word.rev, "seen": True})
            await asyncio.sleep(EVERY)


async def _press(tab: Editor, key: str) -> None:
    """Press a button as soon as it is on the page."""
    while key not in tab.elements:
        await asyncio.sleep(SOON)
    button = tab.elements[key]
    await tab.send(WidgetState(id=button.id, trigger_value=True), button.fragment)
