"""Simulate a chain of one-number ops with checkpoint regions, by a program of its own.

It computes each value when the value is requested, without equations. JAX says only what `tanh` keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import jax

BARE = -1

# What the pullback of each op needs: its own result as the op gives it ("y"), the value that it reads ("x"),
# a factor that is computed of its input ("fx") or of its own result ("fy").
# The slope of tanh is (1 - y)(1 + y). JAX 0.10 keeps y and a factor, JAX 0.12 the slope as one array.
_KEPT = len(jax.tree.leaves(jax.vjp(jax.numpy.tanh, 1.0)[1]))
TANH = {2: ("y", "fy"), 1: ("fy",)}[_KEPT]
NEEDS = {"sin": ("fx",), "exp": ("y",), "tanh": TANH, "log": ("x",), "neg": ()}


@dataclass
class Chain:
    """A run of `ops` one after another from an input; `region` is the number of each one's region, or BARE.

    A region keeps the results in `saved` under their names: a reader finds them there, but not the op's own
    pullback, which reads the result before it gets its name.
    """

    ops: Sequence[str]
    region: Sequence[int]
    saved: frozenset[int] = frozenset()
    time: int = 0
    written: dict = field(default_factory=dict)
    read: dict = field(default_factory=dict)
    reruns: int = 0

    def run(self) -> tuple[int, int, int]:
        """Return (peak, kept at the turn, values recomputed)."""
        last = len(self.ops)
        self._step(("first", 0))
        for i in range(1, last + 1):
            self._look(("first", i - 1))
            made = [("first", i)]
            if self.region[i - 1] == BARE:
                made += [("factor", i, n) for n in NEEDS[self.ops[i - 1]] if n[0] == "f"]
            self._step(*made)
        turn = self.time - 1
        for i in range(last, 0, -1):
            mine = self.region[i - 1]
            if mine != BARE and (i == last or self.region[i] != mine):
                self._again([j for j in range(1, last + 1) if self.region[j - 1] == mine])
            if i < last:
                self._look(("passed", i + 1))
            for need in NEEDS[self.ops[i - 1]]:
                self._look(self._where(i, need))
            self._step(("passed", i))
        self._look(("passed", 1))
        self._step()
        live = [sum(a <= t < self.read.get(k, -1) for k, a in self.written.items()) for t in range(self.time)]
        return max(live), live[turn], self.reruns

    def _step(self, *made: tuple) -> None:
        self.written.update(dict.fromkeys(made, self.time))
        self.time += 1

    def _look(self, array: tuple) -> None:
        self.read[array] = self.time

    def _where(self, i: int, need: str) -> tuple:
        """The array that the pullback of op i reads."""
        if self.region[i - 1] == BARE:
            return {"y": ("first", i), "x": ("first", i - 1)}.get(need, ("factor", i, need))
        return {"y": ("second", i), "x": self._value(i - 1, i)}.get(need, ("again", i, need))

    def _value(self, i: int, reader: int) -> tuple:
        """The value i as op `reader` finds it in its region's second run: recomputed, or kept."""
        inside = i > 0 and self.region[i - 1] == self.region[reader - 1]
        return ("second", i) if inside and i not in self.saved else ("first", i)

    def _again(self, members: list[int]) -> None:
        wanted = {self._where(i, need) for i in members for need in NEEDS[self.ops[i - 1]]}
        for i in reversed(members):  # what computing these needs
            if wanted & {("second", i), ("again", i, "fx")}:
                wanted.add(self._value(i - 1, i))
            if ("again", i, "fy") in wanted:
                wanted |= {("second", i), self._value(i - 1, i)}
        for i in members:
            made = [array for array in wanted if array[1] == i and array[0] in ("second", "again")]
            if any(array[0] == "second" or array[2] == "fx" for array in made):
                self._look(self._value(i - 1, i))
            self.reruns += ("second", i) in made
            if made:
                self._step(*made)


def every(nodes: int) -> Iterator[tuple[tuple[int, ...], frozenset[int]]]:
    """Every way to put neighbours into regions, with every set of saved results inside, but the last."""
    for cuts in product(("bare", "new", "on"), repeat=nodes):
        region, fits = [], True
        for i, cut in enumerate(cuts):
            fits = fits and (cut != "on" or (i > 0 and region[-1] != BARE))
            if fits:
                region.append(
                    BARE if cut == "bare" else max([*region, -1]) + 1 if cut == "new" else region[-1]
                )
        if fits:
            inside = [i for i in range(1, nodes) if region[i - 1] != BARE]
            for chosen in product((False, True), repeat=len(inside)):
                yield tuple(region), frozenset(i for i, yes in zip(inside, chosen, strict=True) if yes)
