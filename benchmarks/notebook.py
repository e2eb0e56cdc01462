"""Measure what an edit by hand costs a notebook's kernel: applied, evaluated, and written for the browser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from autodiff_viz.messages.envelope import answer_text
from autodiff_viz.notebook.session import NotebookSession
from autodiff_viz.standalone.data import lab_of
from benchmarks.clock import ratio, times
from benchmarks.engine import fresh
from benchmarks.graphs import Example
from benchmarks.peers import jax_eager
from benchmarks.table import Row

SIZE, ROUNDS = 30, 40


def edits() -> Iterator[Row]:
    """Compare edits in a notebook with the function written by hand, run eagerly."""
    examples = fresh(SIZE, ROUNDS)
    cells = [_Cell(each) for each in examples]
    peers = [jax_eager(each) for each in examples]
    stop, slide, eager = times(
        ROUNDS,
        lambda i: cells[i].send("rules", nodes=[cells[i].middle], rule="stop"),
        lambda i: cells[i].send("slide", name="x1", value=0.5 + i / 512),
        lambda i: peers[i](),
    )
    for what, taken in (("stop gate", stop), ("slider step", slide)):
        yield Row(
            f"{SIZE} nodes in a notebook: {what} with its message / eager jax.vjp", ratio(taken, eager), 1.0
        )


class _Cell:
    """A notebook's cell: it sends edits, and has the drawing of each answer."""

    def __init__(self, shown: Example) -> None:
        self.middle = shown.graph.nodes[SIZE // 2].name
        self.session = NotebookSession(lab_of(shown.graph))
        self.last = self.session.take({"have": None})
        self.numbers = count(1)

    def send(self, kind: str, **fields: object) -> str:
        edit = {"kind": kind, "seq": next(self.numbers), **fields}
        self.last = self.session.take({"key": self.last.key, "have": self.last.rev, "edits": [edit]})
        return answer_text(self.last)
