"""Remove numbers from a trace: what reads it, drawing and inspector alike, then has no way to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from functools import cached_property
from typing import TypeVar

import numpy as np

from autodiff_viz.engine.nonfinite import Origin
from autodiff_viz.engine.trace import ARRIVES, PASSED, SHAPE, VALUE, Doubt, Place, Trace
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import INPUT

K = TypeVar("K", str, tuple[str, int])


class Concealed(Trace):
    """A trace without the numbers that it hides; `known_trace` refuses it.

    Its mappings lack them, as those of a graph that can only in part be evaluated, so what draws such graphs
    draws these. What is said of all numbers, such as where a NaN begins, is not said.
    """

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """None: a doubt may say a number."""
        return ()

    @cached_property
    def nonfinite_origins(self) -> tuple[Origin, ...]:
        """None: an origin may say a number, or that one is NaN."""
        return ()

    @cached_property
    def identity(self) -> bytes:
        """The identity of the whole trace, and of what is hidden of it."""
        whole = Trace.identity.func(self)  # not by `super`, which would be kept under the same name
        return identity((whole, tuple(sorted(map(repr, self.hidden)))))


def conceal(trace: Trace, places: Collection[Place]) -> Trace:
    """Return the trace without the numbers at these places.

    The value of an input whose numbers stand in the formula is not hidden: it is on view in any case.
    """
    hidden = frozenset(place for place in places if not _is_given(trace, place))
    if not hidden:
        return trace
    kept = {field.name: getattr(trace, field.name) for field in fields(trace)}
    kept["value"] = _without(trace.value, {place[1] for place in hidden if place[0] == VALUE})
    kept["inputs"] = {name: array for name, array in trace.inputs.items() if name in kept["value"]}
    kept["cotangent"] = _without(trace.cotangent, {place[1] for place in hidden if place[0] == ARRIVES})
    kept["gradient"] = {name: array for name, array in trace.gradient.items() if name in kept["cotangent"]}
    kept["passed"] = _without(trace.passed, {place[1:] for place in hidden if place[0] == PASSED})
    kept["chosen"] = ()
    made = Concealed(**kept)
    object.__setattr__(made, "hidden", hidden)
    return made


def _is_given(trace: Trace, place: Place) -> bool:
    """Return whether the formula says the number, as of an input that no training has changed."""
    if place[0] not in (VALUE, SHAPE):
        return False
    node = trace.graph.by_name.get(place[1])
    written = node.param("value") if node is not None and node.op == INPUT else None
    if written is None:
        return False
    return np.array_equal(np.asarray(written, trace.dtype), trace.value[place[1]], equal_nan=True)


def _without(arrays: Mapping[K, np.ndarray], hidden: Collection[K]) -> dict[K, np.ndarray]:
    return {key: array for key, array in arrays.items() if key not in hidden}
