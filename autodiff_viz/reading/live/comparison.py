"""Compare a reading of a live model with what PyTorch computes: its value, and the gradient of each tensor.

The model runs as it is, and everything that this changes is put back: gradients, tensors, attributes of
modules, and the generators of random numbers.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed

ROUNDED = {"float32": 2.0**-23, "float64": 2.0**-52, "bfloat16": 2.0**-8, "float16": 2.0**-11}
"""How far apart two neighbours of 1 are in a dtype."""

ORDERS = 1024
"""Roundings of its largest number by which two right arrays may differ: both sum up the same products, in
another order, and each sum is rounded."""

CANCELLED = 64
"""The same of the largest gradient of all: where large terms cancel, as those of a bias in front of a
BatchNorm do, what is left is their roundings."""


@dataclass(frozen=True)
class Compared:
    """One array of PyTorch beside that of the reading.

    Attributes:
      name: of the tensor; "value" of what is differentiated.
      difference: the largest one; None where one of the two has no gradient and the other has.
      allowed: what roundings in another order may amount to.
      shape: of the array; None if both say that there is no gradient.
    """

    name: str
    difference: float | None
    allowed: float
    shape: tuple[int, ...] | None

    @property
    def agrees(self) -> bool:
        """Whether the difference is one of roundings."""
        return self.difference is not None and self.difference <= self.allowed

    def __str__(self) -> str:
        if self.shape is None and self.difference == 0.0:
            return f"{self.name}: no gradient, in both"
        if self.difference is None:
            return f"{self.name}: DIFFERS: one has a gradient, and the other has none of this shape"
        says = "agrees" if self.agrees else "DIFFERS"
        by = f"{self.difference:.2g} of at most {self.allowed:.2g}"
        return f"{self.name}{list(self.shape or ())}: {says}, by {by}"


@dataclass(frozen=True)
class ModelCheck(Shown):
    """A reading of a model beside PyTorch's own run of it.

    Attributes:
      compared: the value, then each tensor that requires a gradient.
      version: of the PyTorch that ran.
    """

    compared: tuple[Compared, ...]
    version: str

    @property
    def agrees(self) -> bool:
        """Whether all arrays agree."""
        return all(one.agrees for one in self.compared)

    def __str__(self) -> str:
        apart = [one.name for one in self.compared if not one.agrees]
        says = f"{listed(apart, 8)} differ{'s' * (len(apart) == 1)}" if apart else "all agree"
        head = f"Beside PyTorch {self.version}, {len(self.compared)} arrays: {says}."
        return "\n".join([head, *(f"  {one}" for one in self.compared)])

    __repr__ = __str__


def compared(name: str, theirs: Any, ours: Any, dtype: str, largest: float = 0.0) -> Compared:
    """Return two arrays beside each other; None stands for no gradient.

    Args:
      dtype: in which PyTorch computed its own.
      largest: number of all gradients of the model.
    """
    if theirs is None or ours is None:
        return Compared(name, 0.0 if theirs is ours else None, 0.0, None)
    a, b = np.asarray(theirs, np.float64), np.asarray(ours, np.float64)
    if a.shape != b.shape:
        return Compared(name, None, 0.0, a.shape)
    odd = ~np.isfinite(a) | ~np.isfinite(b)
    difference = float(np.abs(a[~odd] - b[~odd]).max(initial=0.0))
    if not np.array_equal(a[odd], b[odd], equal_nan=True):
        difference = float("inf")
    allowed = ROUNDED[dtype] * (ORDERS * _largest(a) + CANCELLED * largest)
    return Compared(name, difference, allowed + float(np.finfo(np.float32).tiny), a.shape)


def _largest(array: Any) -> float:
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


def run_of(
    torch: Any, call: Callable[[], Any], tensors: Iterable[Any], modules: Iterable[Any]
) -> tuple[np.ndarray, dict[int, Any]]:
    """Run a model and its backward pass, put everything back, and return the numbers.

    Args:
      call: runs the model, and returns what is differentiated; None if it has run the backward pass itself.
      tensors: all that it reads, with its parameters.
      modules: all modules of it.
    Returns:
      The value, and by the identity of each tensor its gradient, None where it has none.
    """
    tensors = list(tensors)
    with _put_back(torch, tensors, list(modules)):
        for one in tensors:
            if one.requires_grad:
                one.grad = None
        value = call()
        if value is not None:
            value.backward()
        gradients = {id(one): None if one.grad is None else numbers(one.grad) for one in tensors}
        return (np.asarray(np.nan) if value is None else numbers(value)), gradients


def numbers(tensor: Any) -> np.ndarray:
    """Return the numbers of a tensor of PyTorch in double precision."""
    return np.array(tensor.detach().cpu().double().numpy())


@contextmanager
def _put_back(torch: Any, tensors: list[Any], modules: list[Any]) -> Iterator[None]:
    """Let a model run, and put back what that changes."""
    drawn = torch.get_rng_state(), random.getstate(), np.random.get_state()
    gradients = [(one, one.grad) for one in tensors if one.requires_grad]
    before = [(one, one.detach().clone()) for one in tensors]
    attributes = [(vars(one), dict(vars(one))) for one in modules]
    attributes += [
        (inside, inside.copy())
        for one in modules
        for inside in vars(one).values()
        if type(inside) in (dict, OrderedDict, set)
    ]
    lists = [(one, list(one)) for module in modules for one in vars(module).values() if type(one) is list]
    try:
        yield
    finally:
        for one, kept in attributes:
            one.clear()
            one.update(kept)
        for one, kept in lists:
            one[:] = kept
        with torch.no_grad():
            for one, kept in before:
                if ((one != kept) & ((one == one) | (kept == kept))).any():
                    one.copy_(kept)
        for one, gradient in gradients:
            one.grad = gradient
        torch.set_rng_state(drawn[0])
        random.setstate(drawn[1])
        np.random.set_state(drawn[2])


def check_of(
    version: str,
    value: tuple[Any, Any],
    gradients: Mapping[str, tuple[Any, Any, str]],
    dtype: str,
) -> ModelCheck:
    """Return the arrays of PyTorch beside those of a reading.

    Args:
      version: of PyTorch.
      value: PyTorch's and ours; None for ours if the model runs its backward pass itself.
      gradients: by name, PyTorch's, ours and the dtype.
      dtype: of the value.
    """
    of_torch = [np.asarray(one[0], np.float64) for one in gradients.values() if one[0] is not None]
    largest = max(map(_largest, of_torch), default=0.0)
    first = [] if value[1] is None else [compared("value", *value, dtype, largest)]
    rest = [compared(name, *one, largest) for name, one in gradients.items()]
    return ModelCheck((*first, *rest), version)
