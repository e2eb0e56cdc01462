"""Read what a training of PyTorch has beside its model: batches of data, copies, generators, loss scales."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autodiff_viz.graph.model import IDENTITY, Rule
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions.arrays import known, shape_of
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Instance, Native, Refused, method_of
from autodiff_viz.reading.nodes.builder import Ref
from autodiff_viz.reading.nodes.costs import LibraryError, pay_values
from autodiff_viz.reading.tensors.torch_memory import info, leaf
from autodiff_viz.reading.tensors.torch_random import Generator
from autodiff_viz.reading.tensors.torch_tensors import TENSOR, TORCH, Draws, tensor, whole
from autodiff_viz.reading.torch.optimizers import Optimizer
from autodiff_viz.reading.torch.structure import Modules

# Data.


@dataclass(frozen=True, eq=False)
class TensorDataset:
    """Rows of tensors."""

    tensors: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class DataLoader:
    """Batches of a dataset, in order."""

    dataset: Any
    size: int
    drop_last: bool
    collate: Any


@known("torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset", table=TORCH)
def tensor_dataset(reader: Reader, *tensors: Array) -> TensorDataset:
    """Read a dataset of tensors, a row each."""
    if len({shape_of(reader, one)[0] for one in tensors}) != 1:
        raise LibraryError("Size mismatch between tensors")
    return TensorDataset(tensors)


@known("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader", table=TORCH)
def data_loader(
    reader: Reader,
    dataset: Any,
    batch_size: int = 1,
    shuffle: Any = False,
    collate_fn: Any = None,
    drop_last: bool = False,
    num_workers: int = 0,
    pin_memory: bool = False,
    generator: Any = None,
    **options: Any,
) -> DataLoader:
    """Read batches of a dataset, which come in order."""
    if shuffle:
        raise Refused("A shuffled DataLoader is not read.", "Write shuffle=False.", "drawn")
    if options or type(batch_size) is not int or batch_size < 1:
        raise Refused("DataLoader is read with a dataset and a batch_size.")
    return DataLoader(dataset, batch_size, bool(drop_last), collate_fn)


def rows_of(reader: Reader, dataset: Any, node: ast.AST) -> list[Any]:
    """Return what a dataset has, one by one."""
    if isinstance(dataset, Instance):
        count = _method(reader, dataset, "__len__", node)
        pay_values(count)
        return [_method(reader, dataset, "__getitem__", node, i) for i in range(count)]
    return reader.items(dataset, node)


def _method(reader: Reader, one: Instance, name: str, node: ast.AST, *args: Any) -> Any:
    return reader.call(reader.attribute(one, name, node), list(args), {}, node)


def dataset_items(reader: Reader, dataset: TensorDataset, node: ast.AST) -> list[Any]:
    """Return the rows of a dataset."""
    return [dataset_item(reader, dataset, i, node) for i in range(shape_of(reader, dataset.tensors[0])[0])]


def dataset_item(reader: Reader, dataset: TensorDataset, index: Any, node: ast.AST) -> tuple:
    """Return rows of a dataset."""
    return tuple(reader.handlers.item[Array](reader, one, index, node) for one in dataset.tensors)


def batches(reader: Reader, loader: DataLoader, node: ast.AST) -> list[Any]:
    """Return the batches of a dataset."""
    drawn = reader.state(Draws).generator
    if drawn.seeded:
        drawn.skip(2)  # PyTorch draws a seed for its workers, which takes 64 bits
    rows = rows_of(reader, loader.dataset, node)
    ends = range(0, len(rows), loader.size)
    parts = [rows[i : i + loader.size] for i in ends]
    if loader.drop_last and parts and len(parts[-1]) < loader.size:
        parts.pop()
    return [
        reader.call(loader.collate, [one], {}) if loader.collate else _together(reader, one) for one in parts
    ]


def _together(reader: Reader, rows: list[Any]) -> Any:
    """Return rows as a batch: tensors are stacked, and so is each part of a tuple or dictionary."""
    first = rows[0]
    if isinstance(first, (tuple, list)):
        return [_together(reader, list(column)) for column in zip(*rows, strict=True)]
    if isinstance(first, dict):
        return {key: _together(reader, [one[key] for one in rows]) for key in first}
    if isinstance(first, float):
        raise Refused("A DataLoader makes float64 of Python's numbers.", "Put tensors in the dataset.")
    if not isinstance(first, (Array, int)):
        raise Refused("A DataLoader is read of tensors.")
    made = reader.make("stack", [tensor(reader, one) for one in rows], axis=0)
    made.dtype = tensor(reader, first).dtype
    return made


def loader_attribute(reader: Reader, loader: DataLoader, name: str, node: ast.AST) -> Any:
    """Return what a loader has: its dataset, the size of a batch."""
    known_ = {"dataset": loader.dataset, "batch_size": loader.size, "drop_last": loader.drop_last}
    if name in known_:
        return known_[name]
    raise Refused(f"A DataLoader has no {name!r} that is read.", at=node)


def dataset_attribute(reader: Reader, dataset: TensorDataset, name: str, node: ast.AST) -> Any:
    """Return the tensors of a dataset."""
    if name == "tensors":
        return dataset.tensors
    raise Refused(f"A TensorDataset has no {name!r} that is read.", at=node)


# Copies.


@known("copy.deepcopy")
def deepcopy(reader: Reader, value: Any, memo: Any = None) -> Any:
    """Read a copy of a module, a tensor, or lists and dictionaries of them."""
    return _copy(reader, value, {})


def _copy(reader: Reader, value: Any, done: dict[int, Any]) -> Any:
    pay_values(1)
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, Array):
        if value.framework == "jax":  # which nothing changes in place
            return value
        if value.framework != "torch":
            raise Refused("deepcopy() is read of PyTorch's tensors and modules.")
        done[id(value)] = _copied_tensor(reader, value)
    elif isinstance(value, Instance):
        made = done[id(value)] = Instance(value.of)
        made.fields = {key: _copy(reader, one, done) for key, one in value.fields.items()}
        hooks = reader.state(Modules).hooks
        for (owner, name), functions in list(hooks.items()):
            if owner is value:
                hooks[made, name] = list(functions)
    elif type(value) in (list, tuple):
        done[id(value)] = type(value)(_copy(reader, one, done) for one in value)
    elif type(value) is dict:
        done[id(value)] = {key: _copy(reader, one, done) for key, one in value.items()}
    elif isinstance(value, (Optimizer, Generator, DataLoader, TensorDataset)):
        raise Refused("deepcopy() is read of tensors and modules.")
    else:
        return value
    return done[id(value)]


def _copied_tensor(reader: Reader, x: Array) -> Array:
    if x.requires_grad and not x.leaf:
        raise LibraryError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
            "the moment.",
            "Write detach().clone().",
        )
    x = reader.fresh(x)
    held = reader.builder.add(IDENTITY, [x.held], Rule(STOP)) if isinstance(x.held, Ref) else x.held
    made = Array(held, "torch", x.dtype)
    if x.requires_grad:
        made = leaf(reader, made)
    if x in reader.state(Modules).parameters:
        reader.state(Modules).parameters[made] = None
    elif (grad := info(reader, x).grad) is not None:
        info(reader, made).grad = _copied_tensor(reader, grad)
    return made


# Generators.


@known("torch.Generator", table=TORCH)
def own_generator(reader: Reader, device: Any = None) -> Generator:
    """Read a generator of its own, which begins with PyTorch's usual seed."""
    made = Generator()
    made.seed(67280421310721)  # c10::detail::default_rng_seed_val
    return made


def generator_attribute(reader: Reader, one: Generator, name: str, node: ast.AST) -> Native:
    """Return what a generator has: `manual_seed`."""

    def seed(seed: Any) -> Generator:
        one.seed(whole(reader, seed))
        return one

    return method_of("A generator", {"manual_seed": seed}, name, node)


def _from_its_own(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that draws from the generator which it is given."""

    def draw(reader: Reader, *args: Any, generator: Any = None, **keywords: Any) -> Any:
        if generator is None:
            return function(reader, *args, **keywords)
        draws = reader.state(Draws)
        outside, draws.generator = draws.generator, generator
        try:
            return function(reader, *args, **keywords)
        finally:
            draws.generator = outside

    return draw


for _name in ("rand", "randn", "normal", "randint", "randperm"):
    TORCH[f"torch.{_name}"] = _from_its_own(TORCH[f"torch.{_name}"])
for _name in ("normal_", "uniform_"):
    TENSOR[_name] = _from_its_own(TENSOR[_name])
for _name in [name for name in TORCH if name.startswith("torch.nn.init.") and name.endswith("_")]:
    TORCH[_name] = _from_its_own(TORCH[_name])


# Loss scales.


@dataclass(frozen=True, eq=False)
class GradScaler:
    """A scaler of losses that is switched off, as it is on a machine without a GPU."""


@known("torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler", table=TORCH)
def grad_scaler(reader: Reader, device: Any = "cuda", enabled: bool = True, **options: Any) -> GradScaler:
    """Read a scaler of losses: without a GPU it changes no number."""
    if device == "cpu" and enabled:
        raise Refused("A GradScaler of the CPU is not read.", "Write enabled=False.")
    reader.say(reader.line, "without a GPU a GradScaler is switched off: it scales by 1")
    return GradScaler()


def scaler_attribute(reader: Reader, scaler: GradScaler, name: str, node: ast.AST) -> Native:
    """Return a method of a scaler of losses."""

    def step(optimizer: Any, *args: Any) -> Any:
        return reader.call(reader.attribute(optimizer, "step"), list(args), {})

    known: dict[str, Callable[..., Any]] = {
        "scale": lambda outputs: outputs,
        "unscale_": lambda optimizer: None,
        "step": step,
        "update": lambda new_scale=None: None,
        "get_scale": lambda: 1.0,
        "is_enabled": lambda: False,
        "state_dict": dict,
        "load_state_dict": lambda state_dict: None,
    }
    return method_of("A GradScaler", known, name, node)


TORCH["torch.set_default_device"] = lambda reader, device: None


def install(reader: Reader) -> None:
    """Teach a reader the parts of a training."""
    reader.handlers.items[TensorDataset] = dataset_items
    reader.handlers.items[DataLoader] = batches
    reader.handlers.item[TensorDataset] = dataset_item
    reader.handlers.attribute[TensorDataset] = dataset_attribute
    reader.handlers.attribute[DataLoader] = loader_attribute
    reader.handlers.attribute[GradScaler] = scaler_attribute
    reader.handlers.attribute[Generator] = generator_attribute
