"""Read the body of a declared derivative as terms of a lambda, in place of nodes.

A lambda is closed: what the body takes from outside becomes an argument, and a slot of the node that
declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autodiff_viz.engine.live_path.check import term_shape
from autodiff_viz.graph import limits
from autodiff_viz.graph.model import Call, Rule, Term, names_in
from autodiff_viz.graph.model import params as as_params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.text import numbered
from autodiff_viz.ops.catalog import OPS
from autodiff_viz.reading.language.values import Refused
from autodiff_viz.reading.nodes.builder import Builder, Ref, TooLarge

Shape = tuple[int, ...]


class Terms:
    """Stands in for the builder while the body of a declared derivative is read.

    Attributes:
      captured: the nodes that the body reads, with the names of the arguments that stand for them.
      stopped: whether something in it is detached, which only a derivative of the derivative tells.
    """

    def __init__(self, outer: Builder, given: Mapping[str, Shape | None], wires: Mapping[int, str]) -> None:
        self.outer, self.lines = outer, outer.lines
        self.shapes: dict[str, Shape | None] = dict(given)
        self.wires, self.captured = wires, {}  # type: Mapping[int, str], dict[int, str]
        self.made = 0
        self.elementwise, self.stopped = True, False

    def add(self, op: str, slots: Iterable[Any], rule: Rule | None = None, **params: Any) -> Term:
        """Return the term of an op.

        Raises:
          Refused: it has a rule of its own, which a term cannot have.
        """
        if rule is not None:
            raise Refused(
                "A stop or a rule inside a declared derivative is not read.", "Write the numbers it passes."
            )
        self.made += 1
        if self.made > limits.LAMBDA_TERMS:
            raise TooLarge(f"A declared derivative has at most {limits.LAMBDA_TERMS} operations.")
        self.elementwise &= OPS[op].elementwise
        return Call(op, tuple(self.term(slot) for slot in slots), as_params(**params))

    def term(self, held: Any) -> Term:
        """Return what stands for a value: the argument for a node."""
        if not isinstance(held, Ref):
            return held
        if held.number in self.wires:
            return self.wires[held.number]
        if held.number not in self.captured:
            name = numbered("r", set(self.shapes))
            self.captured[held.number], self.shapes[name] = name, self.outer.shape(held)
        return self.captured[held.number]

    def used(self, terms: Iterable[Term]) -> dict[int, str]:
        """Return the captured nodes that terms read."""
        names = names_in(terms)
        return {number: name for number, name in self.captured.items() if name in names}

    def shape(self, held: Any) -> Shape | None:
        """Return the shape of a term; None if something in it does not fit."""
        term = self.term(held)
        if isinstance(term, str):
            return self.shapes.get(term)
        try:
            return term_shape(term, {name: shape for name, shape in self.shapes.items() if shape is not None})
        except GraphError:
            return None
