"""Read `einops` with patterns that are written out: a new shape, an order of axes, a new shape."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp

from autodiff_viz.reading.functions.arrays import known
from autodiff_viz.reading.functions.library_calls import jax_function
from autodiff_viz.reading.language.values import Refused
from autodiff_viz.reading.nodes.costs import LibraryError

TOKEN = re.compile(r"\(|\)|\.\.\.|[A-Za-z_]\w*|1|\s+")
LONGEST = 400  # characters of a pattern
UNPAIRED = "The brackets of a pattern of einops are pairs, and none is in another."

Side = list[list[str]]
"""The axes of one side of a pattern, each as the names of those that it is composed of."""


def _side(text: str, rank: int | None = None) -> Side:
    """Return one side of a pattern; with the rank of its array `...` stands for axes of its own."""
    axes: Side = []
    inside: list[str] | None = None
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise Refused(
                f"The pattern of einops has {text[at]!r}, which is not read.", "Write names of axes."
            )
        at, token = found.end(), found[0]
        if token in "()" and (token == "(") != (inside is None):
            raise Refused(UNPAIRED)
        if token == "(":
            inside = []
        elif token == ")":
            axes.append(inside or [])
            inside = None
        elif token.isspace():
            continue
        elif inside is not None:
            inside.append(token)
        else:
            axes.append([token])
    if inside is not None:
        raise Refused(UNPAIRED)
    if rank is not None and ["..."] in axes:
        place, count = axes.index(["..."]), rank - len(axes) + 1
        axes[place : place + 1] = [[f"...{i}"] for i in range(count)]
    return axes


def _pattern(pattern: Any, lengths: Mapping[str, int]) -> tuple[str, str]:
    if not isinstance(pattern, str) or pattern.count("->") != 1 or len(pattern) > LONGEST:
        raise Refused("A pattern of einops is a text such as 'b (h d) -> b h d'.")
    left, _, right = pattern.partition("->")
    if unknown := [name for name in lengths if name not in re.findall(r"\w+", pattern)]:
        raise Refused(f"The pattern of einops has no axis {', '.join(unknown)}.", "Leave its length out.")
    return left, right


def _spread(right: Side, left: Side) -> Side:
    """Return the right side with the axes that `...` is on the left."""
    rest = [axis for axis in left if axis[0].startswith("...")] if left else []
    made: Side = []
    for axis in right:
        if axis == ["..."]:
            made += rest
        else:
            made.append(
                [one for name in axis for one in ([one[0] for one in rest] if name == "..." else [name])]
            )
    return made


def _sizes(left: Side, shape: Sequence[int], given: Mapping[str, int]) -> dict[str, int]:
    """Return the length of each named axis."""
    if len(left) != len(shape):
        raise LibraryError(f"Wrong shape: expected {len(left)} dims. Received {len(shape)}-dim tensor.")
    sizes = {"1": 1, **given}
    for axis, size in zip(left, shape, strict=True):
        missing = [name for name in axis if name not in sizes]
        if len(missing) > 1:
            raise LibraryError(f"Could not infer sizes for {{{', '.join(missing)}}}")
        held = prod(sizes[name] for name in axis if name in sizes)
        if missing:
            sizes[missing[0]] = size // held if held else 0
        if prod(sizes[name] for name in axis) != size:
            raise LibraryError(f"Shape mismatch, can't divide axis of length {size} in chunks of {held}")
    return sizes


def _elementary(tensor: jax.Array, left: Side, sizes: Mapping[str, int]) -> tuple[jax.Array, list[str]]:
    """Return an array with one axis for each name but "1", and these names."""
    names = [name for axis in left for name in axis if name != "1"]
    return tensor.reshape([sizes[name] for name in names]), names


def _composed(tensor: jax.Array, names: list[str], right: Side, sizes: Mapping[str, int]) -> jax.Array:
    """Return an array with the axes of a right side, all of whose names it has."""
    wanted = [name for axis in right for name in axis if name != "1"]
    if sorted(wanted) != sorted(names):
        odd = sorted({*wanted} ^ {*names})
        raise LibraryError(
            f"Identifiers only on one side of expression (should be on both): {{{', '.join(odd)}}}"
        )
    order = [names.index(name) for name in wanted]
    if order != list(range(len(order))):
        tensor = tensor.transpose(order)
    return tensor.reshape([prod(sizes[name] for name in axis) for axis in right])


def _read(tensor, pattern, axes_lengths):
    """Return an array with all axes of the left side, their names, the right side, and the sizes of axes."""
    texts = _pattern(pattern, axes_lengths)
    left = _side(texts[0], tensor.ndim)
    sizes = _sizes(left, tensor.shape, axes_lengths)
    return *_elementary(tensor, left, sizes), _spread(_side(texts[1]), left), sizes


@known("einops.rearrange")
@jax_function
def rearrange(tensor, pattern, **axes_lengths):
    """Return the elements in other axes."""
    return _composed(*_read(tensor, pattern, axes_lengths))


@known("einops.reduce")
@jax_function
def reduce(tensor, pattern, reduction, **axes_lengths):
    """Return a mean, sum, maximum, minimum or product over the axes that the right side does not have."""
    folds = {"mean": jnp.mean, "sum": jnp.sum, "max": jnp.max, "min": jnp.min, "prod": jnp.prod}
    if reduction not in folds:
        raise Refused(f"reduce() is read with {', '.join(folds)}.")
    made, names, right, sizes = _read(tensor, pattern, axes_lengths)
    kept = [name for axis in right for name in axis]
    gone = tuple(i for i, name in enumerate(names) if name not in kept)
    made = folds[reduction](made, axis=gone) if gone else made
    return _composed(made, [name for name in names if name in kept], right, sizes)


@known("einops.repeat")
@jax_function
def repeat(tensor, pattern, **axes_lengths):
    """Return the elements once for each place of the axes that only the right side has."""
    made, names, right, sizes = _read(tensor, pattern, axes_lengths)
    new = [name for axis in right for name in axis if name != "1" and name not in names]
    if missing := [name for name in new if name not in sizes]:
        raise LibraryError(f"Specify sizes for new axes in repeat: {{{', '.join(missing)}}}")
    made = jnp.broadcast_to(made, (*[sizes[name] for name in new], *made.shape))
    return _composed(made, [*new, *names], right, sizes)
