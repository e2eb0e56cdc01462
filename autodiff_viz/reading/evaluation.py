"""Compute the numbers of values of a text: those that an index needs, and those that it asks for.

A derivative by an array is the cotangent that a pass through the graph of its output brings there, so that
many derivatives of one output cost one pass, and no graph has more grad nodes than it may.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import jax.numpy as jnp
import numpy as np

from autodiff_viz.engine.trace import Trace, precision, trace, trace_part
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, Literal
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, STOP
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.builder import Builder, Held, Ref
from autodiff_viz.reading.costs import sized
from autodiff_viz.workers.bounds import computing_apart


@dataclass(eq=False)
class Evaluation:
    """Numbers of values, computed when they are asked for.

    Attributes:
      builder: has the nodes.
      dtype: in which they are computed.
    """

    builder: Builder
    dtype: str = "float32"
    _values: dict[int, np.ndarray] = field(default_factory=dict)
    _passes: dict[tuple[int, int, int], tuple[Trace, dict[int, str]]] = field(default_factory=dict)
    _above: dict[int, bool] = field(default_factory=dict)

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
                self._values[held.number] = self._computed(held)
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
        graph, names = self.builder.part([ref], {})
        self.builder.pay_to_run(names)
        return np.asarray(trace_part(graph, dtype=self.dtype).value[names[ref.number]])

    def cotangent(self, root: Ref, wrt: Ref) -> np.ndarray:
        """Return the derivative of a number by an array."""
        above = self.builder.ancestors(root)
        if wrt.number not in above:
            return np.zeros(sized(self.builder.shape(wrt) or ()), self.dtype)
        cut = self._cut(above, wrt)
        # Without derivatives among what it reads, one pass brings the cotangents of all arguments.
        key = (root.number, len(self.builder.drafts), wrt.number if cut else -1)
        if key not in self._passes:
            graph, names = self.builder.part([root], cut)
            self.builder.pay_to_run(names, passes=3)  # backward for two
            with computing_apart():
                self._passes[key] = trace(graph, dtype=self.dtype), names
        traced, names = self._passes[key]
        if wrt.number not in names:  # all ways to it are stopped
            return np.zeros(sized(self.builder.shape(wrt) or ()), self.dtype)
        return np.asarray(traced.cotangent[names[wrt.number]])

    def _cut(self, above: set[int], wrt: Ref) -> dict[int, Literal]:
        """Return the numbers of values that are computed from derivatives and pass nothing to an array.

        They are those that do not read it, and stopped ones. A pass does not go behind them, so a loop of
        many steps of descent is a pass for each step, and not one graph with a grad node for each step.
        """
        cut: dict[int, Literal] = {}
        reads, inside = {wrt.number}, set()
        for number in sorted(above):
            draft = self.builder.drafts[number]
            if any(isinstance(slot, Ref) and slot.number in reads for slot in draft.slots):
                reads.add(number)
                if draft.op == GRAD:  # which needs what is between its ends as it is
                    inside |= self.builder.between(*(slot.number for slot in draft.slots))
        for number in sorted(above - inside):
            draft = self.builder.drafts[number]
            if (number in reads - {wrt.number} and draft.rule.kind != STOP) or not self._has_grads(number):
                continue
            value = self.value(Ref(number))
            if np.isfinite(value).all() and np.abs(value).max(initial=0.0) <= limits.NUMBER:
                cut[number] = _literal(value)
        return cut

    def _has_grads(self, number: int) -> bool:
        if number not in self._above:
            drafts = self.builder.drafts
            for n in sorted(self.builder.ancestors(Ref(number))):
                slots = [slot.number for slot in drafts[n].slots if isinstance(slot, Ref)]
                self._above[n] = drafts[n].op == GRAD or any(self._above.get(slot, False) for slot in slots)
        return self._above[number]


def _literal(value: np.ndarray) -> Literal:
    return tuple(map(_literal, value)) if value.ndim else float(value)
