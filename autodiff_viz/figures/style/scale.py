"""Scale an axis of signed sizes: linear, or symmetric logarithmic if the sizes span many decades."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, copysign, floor, isfinite, log10
from typing import Any

from autodiff_viz.figures.style.theme import power
from autodiff_viz.graph.text.text_format import MINUS

WIDE = 1000.0  # largest over smallest size from which a linear axis would hide the small ones
STEPS = 3  # at most this many powers of ten are named on each side of zero
ROOM = 0.06  # share of the axis left free beyond the longest bar


@dataclass(frozen=True, slots=True)
class Scale:
    """Map from sizes to places on the axis.

    `unit` is 0 for a linear axis. Otherwise sizes far below it are drawn in proportion, and sizes far above
    it by their logarithm.
    """

    low: float
    high: float
    unit: float = 0.0

    def place(self, size: float) -> float:
        """Return the place of `size` (finite) on the axis."""
        return copysign(log10(1 + abs(size) / self.unit), size) if self.unit else size

    @property
    def range(self) -> list[float]:
        """The two ends of the axis, with zero between them."""
        low, high = self.place(self.low), self.place(self.high)
        room = ROOM * (high - low)
        return [low - room if low < 0 else 0.0, high + room if high > 0 else 0.0]

    def ticks(self) -> dict[str, Any]:
        """Return the ticks of the axis, at powers of ten if it is logarithmic."""
        if not self.unit:
            return {"nticks": 5, "tickangle": 0}
        powers = self._powers(max(-self.low, self.high))
        up = [10.0**one for one in powers if 10.0**one <= self.high]
        down = [-(10.0**one) for one in powers if 10.0**one <= -self.low]
        sizes = [*down, 0.0, *reversed(up)]  # powers come largest first
        return {
            "tickvals": [self.place(size) for size in sizes],
            "ticktext": [_power(size) for size in sizes],
        }

    def _powers(self, largest: float) -> range:
        first, last = round(log10(self.unit)), floor(log10(largest))
        return range(last, first, -max(1, ceil((last - first) / STEPS)))


def scale_for(sizes: Iterable[float]) -> Scale:
    """Return an axis that shows all finite ones of `sizes`."""
    finite = [float(size) for size in sizes if isfinite(size)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if low >= 0 and high <= 0:
        return Scale(0.0, 1.0)
    smallest = min(abs(size) for size in finite if size)
    wide = max(-low, high) > WIDE * smallest
    return Scale(min(low, 0.0), max(high, 0.0), 10.0 ** floor(log10(smallest)) if wide else 0.0)


def _power(size: float) -> str:
    if not size:
        return "0"
    return f"{MINUS if size < 0 else ''}{power(10, round(log10(abs(size))))}"
