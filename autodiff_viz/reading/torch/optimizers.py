"""Read PyTorch's optimizers: a step is an update in place, without a gradient."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Refused, method_of
from autodiff_viz.reading.nodes.costs import LibraryError
from autodiff_viz.reading.tensors.torch_memory import change, info
from autodiff_viz.reading.tensors.torch_tensors import TORCH, Ops, new_tensor
from autodiff_viz.reading.torch.folds import norm
from autodiff_viz.reading.torch.modules import zero_gradients

Step = Callable[[Ops, dict[str, Any], Array, Array, dict[str, Any]], Array]
"""Return a new value, of the group's options, the parameter, its gradient and what is kept for it."""


@dataclass(eq=False)
class Optimizer:
    """What an optimizer of the text is.

    Attributes:
      name: its name.
      groups: its `param_groups`.
      step: computes a parameter's new value.
      kept: what it keeps for each parameter from step to step.
    """

    name: str
    groups: list[dict[str, Any]]
    step: Step
    kept: dict[Array, dict[str, Any]] = field(default_factory=dict)


def optimizer(name: str, **defaults: Any) -> Callable[[Step], Step]:
    """Register an optimizer with the defaults of its options; one that is None cannot be given."""

    def register(step: Step) -> Step:
        def make(reader: Reader, params: Any, *args: Any, **given: Any) -> Optimizer:
            options = {**dict(zip(defaults, args, strict=False)), **given}
            for ignored in ("foreach", "fused", "capturable", "differentiable"):
                options.pop(ignored, None)
            groups = []
            items = reader.items(params) if not isinstance(params, Array) else [params]
            if not items:
                raise LibraryError("optimizer got an empty parameter list")
            for one in items if isinstance(items[0], dict) else [{"params": items}]:
                group = {**defaults, **options, **one}
                given_params = group["params"]
                group["params"] = [given_params] if isinstance(given_params, Array) else list(given_params)
                if unknown := {key for key in group if key not in defaults and key != "params"}:
                    raise Refused(
                        f"{name} is not read with {', '.join(sorted(unknown))}.", "Write the update out."
                    )
                for parameter in group["params"]:
                    if not parameter.leaf:
                        raise LibraryError("can't optimize a non-leaf Tensor")
                groups.append(group)
            return Optimizer(name, groups, step)

        TORCH[f"torch.optim.{name}"] = make
        return step

    return register


def _direction(o: Ops, group: dict[str, Any], p: Array, g: Array, decays: bool = True) -> Array:
    """Return the gradient, turned and with the decay of weights."""
    if group.get("maximize"):
        g = o.neg(g)
    return o.add(g, o.mul(group["weight_decay"], p)) if decays and group["weight_decay"] else g


@optimizer("SGD", lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False)
def sgd(o: Ops, group: dict[str, Any], p: Array, g: Array, kept: dict[str, Any]) -> Array:
    """Step along the gradient, or along a running sum of gradients."""
    g = _direction(o, group, p, g)
    if group["momentum"]:
        before = kept.get("sum")
        kept["sum"] = (
            g if before is None else o.add(o.mul(group["momentum"], before), o.mul(1 - group["dampening"], g))
        )
        g = o.add(g, o.mul(group["momentum"], kept["sum"])) if group["nesterov"] else kept["sum"]
    return o.sub(p, o.mul(group["lr"], g))


def _adam(decoupled: bool) -> Step:
    def step(o: Ops, group: dict[str, Any], p: Array, g: Array, kept: dict[str, Any]) -> Array:
        if group["amsgrad"]:
            raise Refused("Adam is read without amsgrad.", "Write the update out.")
        g = _direction(o, group, p, g, not decoupled)
        if decoupled and group["weight_decay"]:
            p = o.mul(1 - group["lr"] * group["weight_decay"], p)
        first, second = group["betas"]
        count = kept["step"] = kept.get("step", 0) + 1
        mean, square = o.mul(1 - first, g), o.mul(1 - second, o.square(g))
        kept["mean"] = mean if count == 1 else o.add(o.mul(first, kept["mean"]), mean)
        kept["square"] = square if count == 1 else o.add(o.mul(second, kept["square"]), square)
        size = o.add(o.div(o.sqrt(kept["square"]), math.sqrt(1 - second**count)), group["eps"])
        return o.sub(p, o.mul(group["lr"] / (1 - first**count), o.div(kept["mean"], size)))

    return step


optimizer("Adam", lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, maximize=False)(
    _adam(False)
)
optimizer("AdamW", lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, maximize=False)(
    _adam(True)
)


@optimizer(
    "RMSprop", lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, maximize=False
)
def rmsprop(o: Ops, group: dict[str, Any], p: Array, g: Array, kept: dict[str, Any]) -> Array:
    """Step along the gradient over a running mean of its size."""
    if group["momentum"] or group["centered"]:
        raise Refused("RMSprop is read without momentum and centered.", "Write the update out.")
    g = _direction(o, group, p, g)
    square = o.mul(1 - group["alpha"], o.square(g))
    kept["square"] = square if "square" not in kept else o.add(o.mul(group["alpha"], kept["square"]), square)
    return o.sub(p, o.mul(group["lr"], o.div(g, o.add(o.sqrt(kept["square"]), group["eps"]))))


@optimizer(
    "Adagrad", lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, maximize=False
)
def adagrad(o: Ops, group: dict[str, Any], p: Array, g: Array, kept: dict[str, Any]) -> Array:
    """Step along the gradient over the sum of its sizes."""
    g = _direction(o, group, p, g)
    count = kept["step"] = kept.get("step", 0) + 1
    before = kept.get("sum", group["initial_accumulator_value"])
    kept["sum"] = o.add(before, o.square(g))
    rate = group["lr"] / (1 + (count - 1) * group["lr_decay"])
    return o.sub(p, o.mul(rate, o.div(g, o.add(o.sqrt(kept["sum"]), group["eps"]))))


def all_parameters(one: Optimizer) -> list[Array]:
    """Return the parameters of all groups."""
    return [parameter for group in one.groups for parameter in group["params"]]


def take_step(reader: Reader, one: Optimizer) -> None:
    """Update every parameter that has a gradient."""
    with reader.grad_enabled(False):
        for group in one.groups:
            for parameter in group["params"]:
                about = info(reader, parameter)
                if about.grad is None:
                    continue
                kept = one.kept.setdefault(parameter, {})
                plain = Array(reader.fresh(parameter).held, "torch", parameter.dtype)
                # What it keeps of a gradient is a copy: the next backward() may add to that in place.
                gradient = Array(reader.fresh(about.grad).held, "torch", parameter.dtype)
                new = one.step(Ops(reader), group, plain, gradient, kept)
                change(reader, parameter, Array(new.held, "torch", parameter.dtype))


def optimizer_attribute(reader: Reader, one: Optimizer, name: str, node: ast.AST) -> Any:
    """Return what an optimizer has: zero_grad, step, param_groups."""
    if name == "param_groups":
        return one.groups

    def zero(set_to_none: bool = True) -> None:
        zero_gradients(reader, all_parameters(one), set_to_none)

    def step(closure: Any = None) -> Any:
        loss = None
        if closure is not None:
            with reader.grad_enabled(True):
                loss = reader.call(closure, [], {})
        take_step(reader, one)
        return loss

    return method_of("An optimizer", {"step": step, "zero_grad": zero}, name, node)


Rate = Callable[[float, float, int, int], float]
"""Return the next rate of a group: of that which it has, its first one, the count of steps and its place."""


@dataclass(eq=False)
class Schedule:
    """What changes the rates of an optimizer's groups.

    Attributes:
      of, rate, first: it, what changes them, and those that they had.
      count: of steps; making a schedule is one that counts 0.
    """

    of: Optimizer
    rate: Rate
    first: list[float]
    count: int = 0

    def set_rates(self) -> None:
        """Give each group its rate."""
        for i, (group, first) in enumerate(zip(self.of.groups, self.first, strict=True)):
            try:
                group["lr"] = self.rate(group["lr"], first, self.count, i)
            except (ArithmeticError, TypeError):
                raise Refused("A schedule is not read with these numbers.", "Write others.") from None


def _schedule(one: Optimizer, rate: Rate) -> Schedule:
    # As in PyTorch, a second schedule knows the rates that were before the first one.
    made = Schedule(one, rate, [group.setdefault("initial_lr", group["lr"]) for group in one.groups])
    made.set_rates()
    return made


SCHEDULES = "torch.optim.lr_scheduler."


@arrays.known(f"{SCHEDULES}StepLR", table=TORCH)
def step_lr(reader: Reader, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> Schedule:
    """Read a rate that shrinks after so many steps each."""
    return _schedule(
        optimizer, lambda rate, _, count, i: rate if count == 0 or count % step_size else rate * gamma
    )


@arrays.known(f"{SCHEDULES}MultiStepLR", table=TORCH)
def multi_step_lr(reader: Reader, optimizer: Optimizer, milestones: Any, gamma: float = 0.1) -> Schedule:
    """Read a rate that shrinks after some steps."""
    places = [plain_number(one) for one in reader.items(milestones)]
    return _schedule(optimizer, lambda rate, _, count, i: rate * gamma ** places.count(count))


@arrays.known(f"{SCHEDULES}ExponentialLR", table=TORCH)
def exponential_lr(reader: Reader, optimizer: Optimizer, gamma: float) -> Schedule:
    """Read a rate that shrinks at each step."""
    return _schedule(optimizer, lambda rate, _, count, i: rate * gamma if count else rate)


@arrays.known(f"{SCHEDULES}ConstantLR", table=TORCH)
def constant_lr(
    reader: Reader, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5
) -> Schedule:
    """Read a rate that is a share of the first one for some steps."""
    if not 0.0 <= plain_number(factor) <= 1.0:
        raise LibraryError("Constant multiplicative factor expected to be between 0 and 1.")

    def rate(now: float, _: float, count: int, i: int) -> float:
        return now * factor if count == 0 else now * (1.0 / factor) if count == total_iters else now

    return _schedule(optimizer, rate)


@arrays.known(f"{SCHEDULES}LinearLR", table=TORCH)
def linear_lr(
    reader: Reader,
    optimizer: Optimizer,
    start_factor: float = 1.0 / 3,
    end_factor: float = 1.0,
    total_iters: int = 5,
) -> Schedule:
    """Read a rate that goes evenly from one share to another."""
    if not (0.0 < plain_number(start_factor) <= 1.0 and 0.0 <= plain_number(end_factor) <= 1.0):
        raise LibraryError("Multiplicative factors expected to be between 0 and 1.")
    more = end_factor - start_factor

    def rate(now: float, _: float, count: int, i: int) -> float:
        if count == 0:
            return now * start_factor
        if count > total_iters:
            return now
        return now * (1.0 + more / (total_iters * start_factor + (count - 1) * more))

    return _schedule(optimizer, rate)


@arrays.known(f"{SCHEDULES}PolynomialLR", table=TORCH)
def polynomial_lr(reader: Reader, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> Schedule:
    """Read a rate that goes to 0 as a power."""

    def rate(now: float, _: float, count: int, i: int) -> float:
        if count == 0 or count > total_iters:
            return now
        return now * ((1.0 - count / total_iters) / (1.0 - (count - 1) / total_iters)) ** power

    return _schedule(optimizer, rate)


@arrays.known(f"{SCHEDULES}CosineAnnealingLR", table=TORCH)
def cosine_annealing_lr(reader: Reader, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> Schedule:
    """Read a rate that goes down as a cosine, and up again."""

    def rate(now: float, first: float, count: int, i: int) -> float:
        if count == 0:
            return now
        if (count - 1 - T_max) % (2 * T_max) == 0:
            return now + (first - eta_min) * (1 - math.cos(math.pi / T_max)) / 2
        share = (1 + math.cos(math.pi * count / T_max)) / (1 + math.cos(math.pi * (count - 1) / T_max))
        return share * (now - eta_min) + eta_min

    return _schedule(optimizer, rate)


def _by_function(reader: Reader, optimizer: Optimizer, lr_lambda: Any) -> Callable[[int, int], float]:
    """Return what functions of the text say of a count of steps: one for all groups, or one for each."""
    functions = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else None
    if functions is not None and len(functions) != len(optimizer.groups):
        raise LibraryError(f"Expected {len(optimizer.groups)} lr_lambdas, but got {len(functions)}")
    return lambda count, i: plain_number(reader.call(functions[i] if functions else lr_lambda, [count], {}))


def plain_number(value: Any) -> float:
    """Return a number of a schedule, which no gradient passes."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused("A schedule is read of plain numbers.", "Write a number, or use the module math.")
    return value


@arrays.known(f"{SCHEDULES}LambdaLR", table=TORCH)
def lambda_lr(reader: Reader, optimizer: Optimizer, lr_lambda: Any) -> Schedule:
    """Read a rate that is the first one times what a function says."""
    share = _by_function(reader, optimizer, lr_lambda)
    return _schedule(optimizer, lambda _, first, count, i: first * share(count, i))


@arrays.known(f"{SCHEDULES}MultiplicativeLR", table=TORCH)
def multiplicative_lr(reader: Reader, optimizer: Optimizer, lr_lambda: Any) -> Schedule:
    """Read a rate that changes by what a function says."""
    share = _by_function(reader, optimizer, lr_lambda)
    return _schedule(optimizer, lambda now, _, count, i: now * share(count, i) if count else now)


def schedule_attribute(reader: Reader, one: Schedule, name: str, node: ast.AST) -> Any:
    """Return what a schedule has: step, get_last_lr."""

    def step() -> None:
        one.count += 1
        one.set_rates()

    known = {"step": step, "get_last_lr": lambda: [group["lr"] for group in one.of.groups]}
    return method_of("A schedule", known, name, node)


# Gradients.


def _given(reader: Reader, parameters: Any) -> list[Array]:
    given = [parameters] if isinstance(parameters, Array) else reader.items(parameters)
    return [one for one in given if info(reader, one).grad is not None]


def _clip_norm(reader: Reader, parameters: Any, max_norm: float, norm_type: float = 2.0, **_: Any) -> Array:
    """Read `clip_grad_norm_`: all gradients shrink so that their common length is at most a number."""
    those, o = _given(reader, parameters), Ops(reader)
    if not those:  # no backward() yet
        return new_tensor(reader, 0.0, None)
    with reader.grad_enabled(False):
        grads = [reader.fresh(info(reader, one).grad) for one in those]  # type: ignore[arg-type]
        lengths = [norm(reader, grad, norm_type) for grad in grads]
        total = norm(reader, o.stack(*lengths, axis=0), norm_type)
        share = o.minimum(o.div(max_norm, o.add(total, 1e-6)), 1.0)
        for grad in grads:
            change(reader, grad, o.mul(grad, share))
    return total


def _clip_value(reader: Reader, parameters: Any, clip_value: float, **_: Any) -> None:
    """Read `clip_grad_value_`."""
    if not _given(reader, parameters):
        raise LibraryError("clip_grad_value_() needs a gradient.", "Call backward() before.")
    with reader.grad_enabled(False):
        for one in _given(reader, parameters):
            grad = reader.fresh(info(reader, one).grad)  # type: ignore[arg-type]
            change(reader, grad, Ops(reader).clip(grad, -float(clip_value), float(clip_value)))


TORCH["torch.nn.utils.clip_grad_norm_"] = TORCH["torch.nn.utils.clip_grad.clip_grad_norm_"] = _clip_norm
TORCH["torch.nn.utils.clip_grad_value_"] = _clip_value


def _to_vector(reader: Reader, parameters: Any) -> Array:
    flat = [TORCH["torch.reshape"](reader, one, -1) for one in reader.items(parameters)]
    return reader.make("concatenate", flat, axis=0)


TORCH["torch.nn.utils.parameters_to_vector"] = _to_vector


def install(reader: Reader) -> None:
    """Teach a reader optimizers."""
    reader.handlers.attribute[Optimizer] = optimizer_attribute
    reader.handlers.attribute[Schedule] = schedule_attribute
