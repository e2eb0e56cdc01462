"""Find what a text calls each number: a name, a part of a list or a dictionary, an attribute of an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_viz.graph.problem import GraphError
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    INT,
    Array,
    Instance,
    Unknown,
    is_unknown,
    leaves,
    names_of,
)
from autodiff_viz.reading.nodes.builder import Held, Ref
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.tensors import own_dtypes
from autodiff_viz.reading.tensors.torch_memory import info
from autodiff_viz.reading.torch.autograd import as_path
from autodiff_viz.reading.torch.structure import labels


class Values(dict):
    """Numbers by name; an attribute that the text gives no name is found too: `x.grad`, `layer.w`."""

    def __init__(self, found: dict[str, np.ndarray], attribute: Callable[[str], np.ndarray | None]):
        super().__init__(found)
        self.attribute = attribute

    def __missing__(self, name: str) -> np.ndarray | None:
        self[name] = found = self.attribute(name)
        return found


def named_values(reader: Reader) -> dict[str, Any]:
    """Return the arrays and numbers that a text gives a name, parts of lists and dictionaries by their path.

    Raises:
      Refused: as `leaves`.
    """
    return {
        f"{name}.{path}" if path else name: leaf
        for name, value in reader.scope.names.items()
        if reader.is_known(value)
        for path, leaf in leaves(value)
        if reader.is_known(leaf) and _is_number(leaf)
    }


def attribute(reader: Reader, name: str) -> Any:
    """Return what code finds under a name with dots or brackets: `x.grad`, `params[0].grad`, `layer.w`.

    Raises:
      KeyError: the text has no number of that name.
      GraphError: nobody knows it, since a statement was not read.
    """
    first, *steps = as_path(name).split(".")
    one = reader.scope.names[first]
    for step in steps:
        is_grad = isinstance(one, Array) and one.framework == "torch" and step == "grad"
        one = info(reader, one).grad if is_grad else _parts(one)[step]
        if not reader.is_known(one):
            cause = one if isinstance(one, Unknown) else reader.unread.objects[id(one)][1]
            raise is_unknown(name, cause.line)
    if one is not None and not _is_number(one):
        raise KeyError(name)
    return one


def label(reader: Reader, name: str) -> str:
    """Return the name in answers of what code finds under another, `params[0].grad`; "" if it has none."""
    try:
        one = attribute(reader, as_path(name).removesuffix(".grad"))
    except (KeyError, GraphError):
        return ""
    return labels(reader)[0].get(one, info(reader, one).label) if isinstance(one, Array) else ""


def numbers_of(reader: Reader, values: dict[str, Any], evaluation: Evaluation) -> dict[str, np.ndarray]:
    """Return the numbers of arrays, and numbers as they are.

    Raises:
      GraphError: one cannot be computed.
    """
    held = {
        name: reader.builder.resolved(reader.fresh(one).held)
        for name, one in values.items()
        if isinstance(one, Array)
    }
    exact = {name: _exact(reader, values[name], one) for name, one in held.items()}
    evaluation.prepare(one for name, one in held.items() if exact[name] is None)
    return {
        name: np.asarray(one)
        if name not in held
        else evaluation.value(held[name])
        if exact[name] is None
        else exact[name]
        for name, one in values.items()
    }


def _exact(reader: Reader, value: Array, held: Held) -> np.ndarray | None:
    if value.dtype == INT and not isinstance(held, Ref):
        return np.asarray(held, np.float64)
    return own_dtypes.exact_values(reader, held)


def _is_number(value: Any) -> bool:
    return isinstance(value, Array) or type(value) in (int, float, bool)


def _parts(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {str(key): one for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return dict(zip(names_of(value) or map(str, range(len(value))), value, strict=True))
    return value.fields if isinstance(value, Instance) else {}
