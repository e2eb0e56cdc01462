"""Draw the numbers that PyTorch draws on a CPU after `torch.manual_seed`.

The generator is MT19937, which NumPy has too; what PyTorch makes of its bits is written here. The tests hold
the draws to numbers that PyTorch drew.

Sources: Matsumoto and Nishimura, Mersenne Twister, ACM TOMACS 8 (1998); Box and Muller, Annals of
Mathematical Statistics 29 (1958).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.reading.nodes.costs import CALLED, Refused, pay, sized

Shape = tuple[int, ...]


@dataclass(eq=False)
class Generator:
    """A generator of PyTorch.

    Attributes:
      seeded: whether the text has fixed its seed; otherwise nobody knows what it draws.
    """

    seeded: bool = False
    _bits: Any = None
    _next: float | None = None
    examples: Any = field(default_factory=lambda: np.random.default_rng(0))

    def seed(self, seed: int) -> None:
        """Start anew from a seed."""
        pay(CALLED)
        self.seeded, self._next = True, None
        self._bits = np.random.RandomState(seed & 0xFFFFFFFF)._bit_generator

    def skip(self, words: int) -> None:
        """Draw 32 bits so many times, for nothing."""
        self._words(words)

    def _words(self, count: int) -> np.ndarray:
        return self._bits.random_raw(count)

    def _uniform(self, count: int) -> np.ndarray:
        return (self._words(count).astype(np.int64) & (2**24 - 1)) * 2.0**-24

    def _doubles(self, count: int) -> np.ndarray:
        words = self._words(2 * count).astype(np.uint64)
        return ((words[::2] << np.uint64(32) | words[1::2]) & np.uint64(2**53 - 1)) * 2.0**-53

    def uniform(
        self, shape: Shape, low: float = 0.0, high: float = 1.0, dtype: str = "float32"
    ) -> np.ndarray:
        """Draw between two numbers."""
        sized(shape)
        if not self.seeded:
            return self.examples.uniform(low, high, shape).astype(np.float32)
        if dtype == "float64":
            drawn = self._doubles(prod(shape))
            return (drawn * (high - low) + low).reshape(shape)
        drawn = self._uniform(prod(shape)).astype(np.float32)
        return (drawn * np.float32(high - low) + np.float32(low)).astype(np.float32).reshape(shape)

    def normal(self, shape: Shape, mean: float = 0.0, std: float = 1.0, dtype: str = "float32") -> np.ndarray:
        """Draw from a normal distribution: fewer than 16 numbers one by one, more in blocks of 16."""
        size = prod(sized(shape))
        if not self.seeded:
            return self.examples.normal(mean, std, shape).astype(np.float32)
        kind = np.float64 if dtype == "float64" else np.float32
        if size < 16:
            numbers = np.array([self._one() * std + mean for _ in range(size)], float)
            return numbers.astype(kind).reshape(shape)
        drawn = self._draws(size, kind)
        whole = size - size % 16
        numbers = np.empty(sized((size,)), kind)
        numbers[:whole] = _blocks(drawn[:whole], kind)
        if size % 16:
            numbers[-16:] = _blocks(self._draws(16, kind), kind)
        return (numbers * kind(std) + kind(mean)).astype(kind).reshape(shape)

    def _draws(self, count: int, kind: type) -> np.ndarray:
        if kind is np.float64:
            return self._doubles(count)
        return self._uniform(count).astype(np.float32)

    def _one(self) -> float:
        if self._next is not None:
            number, self._next = self._next, None
            return number
        first, second = map(float, self._doubles(2))
        angle, size = 2 * math.pi * first, math.sqrt(-2 * math.log1p(-second))
        self._next = size * math.sin(angle)
        return size * math.cos(angle)

    def integers(self, low: int, high: int, shape: Shape) -> np.ndarray:
        """Draw whole numbers from `low` to below `high`."""
        sized(shape)
        if not self.seeded:
            return self.examples.integers(low, high, shape)
        if not 0 < high - low < 2**32:
            raise Refused("Whole numbers are drawn from fewer than 2**32 here.")
        return low + (self._words(prod(shape)).astype(np.int64) % (high - low)).reshape(shape)

    def permutation(self, n: int) -> np.ndarray:
        """Draw an order of the numbers below n."""
        sized((n,))
        if not self.seeded:
            return self.examples.permutation(n)
        order = list(range(n))
        for i, word in enumerate(self._words(max(n - 1, 0)).tolist()):
            other = i + word % (n - i)
            order[i], order[other] = order[other], order[i]
        return np.array(order)


def _blocks(drawn: np.ndarray, kind: type) -> np.ndarray:
    """Return normal numbers of uniform ones, each 16 by themselves: eight sizes, then eight angles."""
    rows = drawn.reshape(-1, 2, 8)
    size = np.sqrt(kind(-2) * np.log(kind(1) - rows[:, 0]))
    angle = kind(2 * math.pi) * rows[:, 1]
    return np.stack([size * np.cos(angle), size * np.sin(angle)], axis=1).astype(kind).reshape(-1)
