"""Compute the numbers of values of a text: those that an index needs, and those that it asks for.

A derivative by an array is the cotangent that a pass through the graph of its output brings there, so that
many derivatives of one output cost one pass, and no graph has more grad nodes than it may.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.trace import precision, trace, trace_part
from autodiff_viz.engine.whole_program.once import Pass, pass_once, values_once
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, Graph, Literal
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, STOP
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.nodes.builder import Builder, Held, Ref, refs
from autodiff_viz.reading.nodes.costs import sized
from autodiff_viz.workers.bounds import computing_apart

OF_AN_OP, OF_A_NODE = 60, 8  # ms to compile an op of some shapes, and a node of a program


@dataclass(eq=False)
class Evaluation:
    """Numbers of values, computed when they are asked for.

    Attributes:
      builder: has the nodes.
      dtype: in which they are computed.
      once: whether no more will be asked, so that a graph may be compiled as one program. Where a text asks
        for numbers while it is read, as a condition in a loop does, the programs of single ops serve again.
    """

    builder: Builder
    dtype: str = "float32"
    once: bool = False
    _values: dict[int, np.ndarray] = field(default_factory=dict)
    _passes: dict[tuple[int, int, int], tuple[Pass, dict[int, str]]] = field(default_factory=dict)
    _above: dict[int, bool] = field(default_factory=dict)

    def prepare(self, values: Iterable[Held]) -> None:
        """Compute the numbers of several values at once, as far as no derivative is among what they read."""
        wanted = [one for one in values if isinstance(one, Ref) and one.number not in self._values]
        wanted = list(dict.fromkeys(one for one in wanted if not self._has_grads(one.number)))
        if wanted:
            with computing_apart():
                self._compute(wanted)

    def _compute(self, refs: Sequence[Ref]) -> None:
        graph, names = self.builder.part(refs, {})
        self.builder.pay_to_run(names)
        found = (
            values_once(graph, [names[ref.number] for ref in refs], self.dtype)
            if self._is_one_program(names)
            else trace_part(graph, dtype=self.dtype).value
        )
        self._values.update({ref.number: np.asarray(found[names[ref.number]]) for ref in refs})

    def _is_one_program(self, numbers: Collection[int]) -> bool:
        """Return whether one program of all nodes is compiled sooner than one for each op and shape."""
        return self.once and self.builder.programs(numbers) * OF_AN_OP > len(numbers) * OF_A_NODE

    def value(self, held: Held) -> np.ndarray:
        """Return the numbers of a value.

        Raises:
          GraphError: something in it does not fit.
        """
        if not isinstance(held, Ref):
            return np.asarray(held, "float64" if self.dtype == "float64" else "float32")
        if held.number not in self._values:
            if self._has_grads(held.number):  # in order, so that no chain of them is a chain of calls
                for number in sorted(self.builder.ancestors(held)):
                    if self._above[number] and number not in self._values:
                        self._values[number] = self._computed(Ref(number))
            else:
                self.prepare([held])
        return self._values[held.number]

    def _computed(self, ref: Ref) -> np.ndarray:
        with computing_apart():
            return self._computed_here(ref)

    def _computed_here(self, ref: Ref) -> np.ndarray:
        draft = self.builder.drafts[ref.number]
        if draft.op == GRAD:
            return self.cotangent(*draft.slots)  # type: ignore[arg-type]
        if self._has_grads(ref.number) and draft.slots:
            with precision(self.dtype):
                slots = draft.slots[:-1] if draft.rule.kind == BACKWARD_AS else draft.slots
                op = OPS[draft.op]
                given = [jnp.asarray(self.value(slot), self.dtype) for slot in slots]
                return np.asarray(op.apply(*given, **draft.params))
        self._compute([ref])
        return self._values[ref.number]

    def cotangent(self, root: Ref, wrt: Ref) -> np.ndarray:
        """Return the derivative of a number by an array."""
        above = self.builder.ancestors(root)
        if wrt.number not in above:
            return np.zeros(sized(self.builder.shape(wrt) or ()), self.dtype)
        cut = self._cut(above, root, wrt)
        # Without derivatives among what it reads, one pass brings the cotangents of all arguments.
        key = (root.number, len(self.builder.drafts), wrt.number if cut else -1)
        if key not in self._passes:
            graph, names = self.builder.part([root], cut)
            self.builder.pay_to_run(names, passes=3)  # backward for two
            with computing_apart():
                run = pass_once if self._is_one_program(names) else _pass
                found = self._passes[key] = run(graph, self.dtype), names
            if not cut:
                self._values.update({number: found[0].value[name] for number, name in names.items()})
        traced, names = self._passes[key]
        if wrt.number not in names:  # all ways to it are stopped
            return np.zeros(sized(self.builder.shape(wrt) or ()), self.dtype)
        return traced.cotangent[names[wrt.number]]

    def passes(self) -> Iterator[tuple[int, dict[int, np.ndarray]]]:
        """Yield the node that each pass began at, with the numbers of nodes."""
        for (root, _, _), (found, names) in self._passes.items():
            yield root, {number: found.value[name] for number, name in names.items() if name in found.value}

    def _cut(self, above: set[int], root: Ref, wrt: Ref) -> dict[int, Literal]:
        """Return the numbers of values that are computed from derivatives and pass nothing to an array.

        They are those that do not read it, and stopped ones. A pass does not go behind them, so a loop of
        many steps of descent is a pass for each step, and not one graph with a grad node for each step.
        """
        drafts = self.builder.drafts
        reads, inside = {wrt.number}, set()
        for number in sorted(above):
            if any(slot.number in reads for slot in refs(drafts[number].slots)):
                reads.add(number)
                if drafts[number].op == GRAD:  # which needs what is between its ends as it is
                    inside |= self.builder.between(*(slot.number for slot in refs(drafts[number].slots)))
        cut: dict[int, Literal] = {}
        reached, waiting = set(), [root.number]
        while waiting:  # only as far as the pass goes
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            passes = number in reads and number != wrt.number and drafts[number].rule.kind != STOP
            if self._has_grads(number) and not passes and number not in inside:
                value = self.value(Ref(number))
                if np.isfinite(value).all() and np.abs(value).max(initial=0.0) <= limits.NUMBER:
                    cut[number] = _literal(value)
                    continue
            waiting += [slot.number for slot in refs(drafts[number].slots)]
        return cut

    def _has_grads(self, number: int) -> bool:
        if number not in self._above:
            drafts = self.builder.drafts
            for n in sorted(self.builder.ancestors(Ref(number))):
                slots = [slot.number for slot in drafts[n].slots if isinstance(slot, Ref)]
                self._above[n] = drafts[n].op == GRAD or any(self._above.get(slot, False) for slot in slots)
        return self._above[number]


def _pass(graph: Graph, dtype: str) -> Pass:
    traced = trace(graph, dtype=dtype)
    return Pass(dict(traced.value), dict(traced.cotangent))


def _literal(value: np.ndarray) -> Literal:
    return tuple(map(_literal, value)) if value.ndim else float(value)
