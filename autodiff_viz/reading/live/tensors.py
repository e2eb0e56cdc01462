"""Make the reader's arrays of live tensors and arrays of NumPy, with their numbers and their order in memory.

A tensor that is already part of a computation, or whose numbers are kept in a way that the reader does not
have, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.reading.functions.arrays import WIDTHS, constant
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import BOOL, FLOATS, Array, Refused, Whole
from autodiff_viz.reading.nodes.costs import sized
from autodiff_viz.reading.tensors.torch_memory import info, leaf
from autodiff_viz.reading.tensors.torch_tensors import Draws
from autodiff_viz.reading.torch.structure import Modules

EXACT = 2**53  # whole numbers up to this one are what the reader keeps them as


def array_of_tensor(reader: Reader, torch: Any, tensor: Any, name: str) -> Array:
    """Return a tensor as an input of the graph.

    Args:
      name: as the program calls it, for a message and for the node.
    Raises:
      Refused: it is not read, or has too many numbers.
    """
    called = f"`{name}`" if name else "A tensor"
    kind = str(tensor.dtype).rpartition(".")[2]
    usual = (torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))
    if type(tensor) not in usual:
        raise Refused(
            f"{called} is a {type(tensor).__module__}.{type(tensor).__qualname__}, which is not read.",
            "Give it its numbers first, or use a tensor of PyTorch's own class.",
        )
    if "strided" not in str(tensor.layout) or str(tensor.device).startswith("meta"):
        raise Refused(f"{called} is sparse or has no numbers, and is not read.", "Write to_dense().")
    if kind not in (*FLOATS, *WIDTHS, BOOL):
        raise Refused(f"{called} has the dtype {kind}, which is not read.", f"There are {', '.join(FLOATS)}.")
    if tensor.grad_fn is not None:
        raise Refused(
            f"{called} was computed before, and its gradient goes on to what it was computed from.",
            "Compute it in the function that is read, or give it detached: detach().",
            "not-leaf",
        )
    shape = tuple(int(size) for size in tensor.shape)
    check_size(called, shape)
    numbers = _numbers(torch, tensor, kind)
    if not np.isfinite(numbers).all() and tensor.requires_grad:
        raise Refused(
            f"{called} has a NaN or an infinity in it.",
            "Give the state before that step: everything that is computed from it is NaN.",
            "not-finite",
        )
    dtype = Whole(kind) if kind in WIDTHS else kind
    finite = np.isfinite(numbers)
    held = constant(reader, np.where(finite, numbers, 0.0), "torch", dtype)
    made = Array(held.held, "torch", dtype)
    hint = name.replace(".", "_")
    if kind == "float64":
        reader.state(Draws).wide = True
    if tensor.requires_grad:
        leaf(reader, made, hint)
    else:
        made.held = reader.builder.input(made.held, hint)
        reader.builder.kinds[made.held.number] = dtype
    if isinstance(tensor, torch.nn.Parameter):
        reader.state(Modules).parameters[made] = None
        if tensor.requires_grad:
            reader.builder.drafts[made.held.number].params["trainable"] = True
    if not finite.all():
        made = _with_infinities(reader, made, numbers)
    if not tensor.is_contiguous():
        info(reader, made).places = _places(shape, tensor.stride())
    return made


def array_of_numpy(reader: Reader, array: np.ndarray, name: str) -> Array:
    """Return an array of NumPy as an input of the graph.

    Raises:
      Refused: it is not read, or has too many numbers.
    """
    kind = array.dtype.name
    if type(array) is not np.ndarray or kind not in ("float32", "float64", "bool", *WIDTHS):
        raise Refused(f"`{name}` is an array of {kind}, which is not read.", "Use float32 or float64.")
    check_size(f"`{name}`", array.shape)
    _check_exact(f"`{name}`", array)
    made = constant(reader, array, "numpy", Whole(kind) if kind in WIDTHS else kind)
    made.held = reader.builder.input(made.held, name.replace(".", "_"))
    reader.builder.kinds[made.held.number] = made.dtype
    return made


def check_size(called: str, shape: Sequence[int]) -> None:
    """Refuse a tensor that no graph holds.

    Raises:
      Refused: code "too-large".
    """
    count = prod(shape)
    if count > limits.ELEMENTS or len(shape) > limits.RANK:
        raise Refused(
            f"{called} has {count:,} numbers in the shape {list(shape)}; a tensor has at most "
            f"{limits.ELEMENTS:,} on {limits.RANK} axes here.",
            "Make a smaller model of the same classes: its gradients go the same ways.",
            "too-large",
        )


def _numbers(torch: Any, tensor: Any, kind: str) -> np.ndarray:
    plain = tensor.detach().cpu()
    # NumPy has no bfloat16; both dtypes of 16 bits are exact in float32.
    plain = plain.float() if kind in ("bfloat16", "float16") else plain
    numbers = np.array(plain.numpy())
    _check_exact("A tensor", numbers)
    return numbers.astype(np.float64)


def _check_exact(called: str, numbers: np.ndarray) -> None:
    if numbers.dtype.kind not in "iu" or not numbers.size:
        return
    if max(int(numbers.max()), -int(numbers.min())) > EXACT:
        raise Refused(f"{called} has whole numbers beyond 2**53, which are not read.", "Use smaller numbers.")


def _with_infinities(reader: Reader, made: Array, numbers: np.ndarray) -> Array:
    """Return a tensor with its infinities, which no constant holds, as a mask of attention has them."""
    for odd, value in (
        (np.isposinf(numbers), float("inf")),
        (np.isneginf(numbers), float("-inf")),
        (np.isnan(numbers), float("nan")),
    ):
        if odd.any():
            where = constant(reader, odd.astype(float), "torch", BOOL)
            made = reader.make("where", [where, value, made], dtype=made.dtype)
    return made


def _places(shape: tuple[int, ...], strides: Sequence[int]) -> np.ndarray:
    """Return where the elements of a tensor are in its memory, which need not stand one after the other."""
    span = (
        1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        if prod(shape)
        else 0
    )
    memory = np.arange(sized((span,))[0], dtype=np.int32)
    steps = [stride * memory.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(memory, shape, steps)


def check_memory(reader: Reader, tensors: Sequence[tuple[Any, Array]]) -> None:
    """Refuse a change in place of memory that several tensors share: the reader has one for each.

    Raises:
      Refused: there is one.
    """
    by_memory: dict[int, list[Array]] = {}
    for tensor, made in tensors:
        by_memory.setdefault(tensor.untyped_storage().data_ptr(), []).append(made)
    for sharing in by_memory.values():
        changed = [one for one in sharing if info(reader, one).storage.changes]
        if len(sharing) > 1 and changed:
            label = info(reader, changed[0]).label or "A tensor"
            raise Refused(
                f"{label} is changed in place, and another tensor shares its memory.",
                "Give each a memory of its own: clone().",
                "shared-memory",
            )
