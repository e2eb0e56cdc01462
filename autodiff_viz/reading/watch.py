"""Keep steps of a training loop of PyTorch, whose graphs can be made later: `watch(model, loss)`.

What a step needs is the state of the model before its update, its inputs and its loss. The loop goes on as it
is; a few numbers are copied at each step, and few steps are kept.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_viz.graph.problem import GraphError, Problem, kind_of, whole_number
from autodiff_viz.graph.shown import Shown
from autodiff_viz.graph.text import listed
from autodiff_viz.reading.from_torch import ModelReading, from_torch

KEPT = 16  # steps, beside the first one with a NaN and the one before it
BYTES = 64_000_000  # of the states and inputs of all kept steps
CLOSE = 1e-3  # how far the loss of a kept state may be from that of the step, as a part of it


@dataclass(frozen=True, eq=False)
class WatchedStep:
    """A step of a training loop that was kept.

    Attributes:
      number: of the step, from 0: as many updates came before it.
      loss: as the loop has computed it.
      watch: what has kept it.
      state: parameters and buffers before its update, by name.
      modes: whether each module of the model was in training mode, in PyTorch's order.
      inputs: what the loss was computed of.
    """

    number: int
    loss: float
    watch: Watch = field(repr=False)
    state: Mapping[str, Any] = field(repr=False)
    modes: tuple[bool, ...] = field(repr=False)
    inputs: tuple[Any, ...] = field(repr=False)

    def reading(self, check: bool = False) -> ModelReading:
        """Make the graph of the step, as `from_torch` does.

        The model has its present state again after it. Its memory was changed meanwhile, so that PyTorch
        refuses the backward pass of what was computed before.

        Args:
          check: whether to compare it with PyTorch's own run.
        Returns:
          The reading; `av.lab(reading)` opens it.
        Raises:
          GraphError: as `from_torch`; or the kept state has another loss than the step had.
        """
        with _loaded(self.watch.model, self.state, self.modes):
            made = from_torch(self.watch.loss, *self.inputs, check=check)
        loss = float(made.values()["output"].sum())
        same = math.isclose(loss, self.loss, rel_tol=CLOSE, abs_tol=CLOSE * CLOSE)
        if not same and not (math.isnan(loss) and math.isnan(self.loss)):
            message = (
                f"The loss of step {self.number} was {self.loss:.6g}, and its kept state has {loss:.6g}."
            )
            hint = "Call watch.step(loss, ...) before optimizer.step(), with the inputs of the loss."
            if _draws(made):
                message = f"{message} It draws random numbers, and other ones each time."
                hint = "Draw them in the loop, and give them to the loss and to watch.step(loss, ...)."
            raise GraphError(Problem("other-state", message, hint))
        return made


class Watch(Shown):
    """Keeps steps of a training loop; see `watch`.

    Attributes:
      model: the module whose state is kept.
      loss: the function of the inputs that is differentiated.
      losses: of all steps.
    """

    def __init__(self, model: Any, loss: Callable[..., Any], every: int, keep: int):
        self.model, self.loss = model, loss
        self.losses: list[float] = []
        self._every, self._keep = every, keep
        self._kept: dict[int, WatchedStep] = {}
        self._always: set[int] = set()  # the first with a NaN, and the one before it
        self._last: WatchedStep | None = None

    def step(self, loss: Any, *inputs: Any) -> None:
        """Note a step: after the loss was computed, and before the optimizer's update.

        Args:
          loss: the tensor, or its number.
          *inputs: what the loss function was called with.
        """
        number, value = len(self.losses), float(loss.item() if hasattr(loss, "item") else loss)
        self.losses.append(value)
        state = {name: one.detach().clone() for name, one in self.model.state_dict().items()}
        modes = tuple(one.training for one in self.model.modules())
        made = WatchedStep(number, value, self, state, modes, tuple(_copied(one) for one in inputs))
        if not math.isfinite(value) and not self._always:
            # Where the parameters have a NaN already, the step before has made it.
            for one in (self._last, made):
                if one is not None:
                    self._kept[one.number] = one
                    self._always.add(one.number)
        elif number % self._every == 0:
            self._kept[number] = made
            self._thin()
        self._last = made

    def _thin(self) -> None:
        """Let every other step go while there are too many, so that those that stay are spread evenly."""
        usual = [number for number in self._kept if number not in self._always]
        while len(usual) > 1 and (len(usual) > self._keep or self._bytes() > BYTES):
            self._every *= 2
            for number in [number for number in usual if number % self._every]:
                del self._kept[number]
            usual = [number for number in usual if number in self._kept]

    def _bytes(self) -> int:
        return sum(
            one.numel() * one.element_size()
            for step in self._kept.values()
            for one in (*step.state.values(), *step.inputs)
            if hasattr(one, "element_size")
        )

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps that are kept."""
        return tuple(sorted(self._kept))

    @property
    def first_nan(self) -> int | None:
        """The number of the first step whose loss is no finite number; None if all are."""
        return next((i for i, loss in enumerate(self.losses) if not math.isfinite(loss)), None)

    def __getitem__(self, number: int) -> WatchedStep:
        if number not in self._kept:
            kept = listed([str(one) for one in self.steps], 20)
            raise GraphError(Problem("no-step", f"Step {number} was not kept.", f"There are {kept}."))
        return self._kept[number]

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is not None and self._last is not None:  # the step at which the loop has failed
            self._kept[self._last.number] = self._last
            self._always.add(self._last.number)
        self._last = None


def watch(model: Any, loss: Callable[..., Any], *, every: int = 1, keep: int = KEPT) -> Watch:
    """Keep steps of a training loop of PyTorch, to open any of them later.

        with av.watch(model, loss_of) as watch:
            for x, y in batches:
                loss = loss_of(x, y)
                optimizer.zero_grad()
                loss.backward()
                watch.step(loss, x, y)
                optimizer.step()
        av.lab(watch[watch.steps[-1]].reading())

    Kept are the first steps, then fewer and fewer that are spread evenly, and always the first one whose loss
    is no finite number, with the one before it, and the last one before an error.

    Args:
      model: the module that is trained.
      loss: the function of the inputs that is differentiated; its source is read (see `from_torch`).
      every: of how many steps one is kept at first.
      keep: how many steps are kept at most, beside those that always are; also, 64 MB.
    Returns:
      What keeps them: `step(loss, *inputs)` is called before each update; `steps`, `watch[number]` and
      `losses` have what was kept.
    Raises:
      GraphError: `model` is no module of PyTorch, `loss` cannot be called, or a number is out of range.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        message = f"A module of PyTorch is needed; found {kind_of(model)}."
        raise GraphError(Problem("not-a-module", message, "Write watch(model, loss)."))
    if not callable(loss):
        message = f"A function of the inputs is needed; found {kind_of(loss)}."
        raise GraphError(Problem("not-a-function", message, "Write watch(model, lambda x, y: ...)."))
    every, keep = whole_number("every", every, 1, 10**9), whole_number("keep", keep, 1, 1_000)
    return Watch(model, loss, every, keep)


def _copied(one: Any) -> Any:
    """Return an input as it is now, for a loop may use its memory again."""
    if isinstance(one, (list, tuple)):
        return type(one)([_copied(each) for each in one])
    if isinstance(one, dict):
        return {key: _copied(each) for key, each in one.items()}
    if isinstance(one, np.ndarray):
        return one.copy()
    if not hasattr(one, "requires_grad"):
        return one
    return one.detach().clone().requires_grad_(one.requires_grad)


@contextmanager
def _loaded(model: Any, state: Mapping[str, Any], modes: Sequence[bool]) -> Iterator[None]:
    """Let a model have another state, and other modes, for a while."""
    present = {name: one.detach().clone() for name, one in model.state_dict().items()}
    now = [one.training for one in model.modules()]

    def load(state: Mapping[str, Any], modes: Sequence[bool]) -> None:
        model.load_state_dict(state)
        for one, mode in zip(model.modules(), modes, strict=True):
            one.training = mode

    load(state, modes)
    try:
        yield
    finally:
        load(present, now)


def _draws(made: ModelReading) -> bool:
    """Return whether a gradient depends on numbers that the loss draws."""
    try:
        made.answers()
    except GraphError as error:
        return any(problem.code == "drawn" for problem in error.problems)
    return False
