"""Register the floating-point formats in which a graph can be computed, with their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = "float16", "bfloat16", "float32", "float64"


@dataclass(frozen=True, slots=True)
class Dtype:
    """A binary floating-point format.

    Attributes:
      name: as NumPy and JAX write it.
      bits: of the significand, with the implied leading one.
      most: the largest exponent: numbers below 2^(most + 1) are finite.
      digits: significant decimal digits that are shown at most.
      wide: whether JAX must be configured to keep 64 bits.

    Source: IEEE 754-2019, table 3.5; for bfloat16 Kalamkar et al., arXiv:1905.12322, table 1.
    """

    name: str
    bits: int
    most: int
    digits: int
    wide: bool = False

    @property
    def half(self) -> bool:
        """Whether a number takes 16 bits."""
        return self.name in (FLOAT16, BFLOAT16)

    @property
    def eps(self) -> float:
        """Distance from 1 to the next larger number."""
        return 2.0 ** (1 - self.bits)

    @property
    def max(self) -> float:
        """The largest finite number."""
        return (2.0 - self.eps) * 2.0**self.most

    @property
    def tiny(self) -> float:
        """The smallest normal number: smaller ones have fewer digits."""
        return 2.0 ** (1 - self.most)

    @property
    def least(self) -> float:
        """The smallest subnormal number."""
        return self.tiny * self.eps


DTYPES: Mapping[str, Dtype] = {
    each.name: each
    for each in (
        Dtype(FLOAT32, bits=24, most=127, digits=7),
        Dtype(FLOAT64, bits=53, most=1023, digits=16, wide=True),
        Dtype(FLOAT16, bits=11, most=15, digits=4),
        Dtype(BFLOAT16, bits=8, most=127, digits=3),
    )
}
"""By name, in the order in which they are offered."""
