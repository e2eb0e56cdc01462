"""Limit how many programs are compiled in the server for one address, and for all (token buckets).

Which programs there are is shared by all visitors, so a class that opens one lesson needs few; who asks for
ever new shapes has each compiled, in a tenth of a second of the one processor that all visitors share.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem

ADDRESSES = 1_000  # that are remembered

TOO_MANY = Problem(
    "too-many-compiled",
    f"These ops have shapes that are new here, and {limits.PROGRAMS} programs or more have just been "
    "compiled for your address.",
    "Wait a moment, then change the graph again; or use the same shapes more often.",
)
BUSY = Problem(
    "too-many-compiled",
    "These ops have shapes that are new here, and the server compiles as much as it may for other visitors.",
    "Wait a moment, then change the graph again.",
)


@dataclass(slots=True)
class _Bucket:
    """What may still be compiled at once, as of `at`, in seconds of `monotonic`."""

    left: float
    at: float

    def refill(self, most: int, a_minute: int, now: float) -> None:
        self.left, self.at = min(most, self.left + (now - self.at) * a_minute / 60), now


class Allowance:
    """Count of the programs that were compiled lately, by address and in all."""

    def __init__(self) -> None:
        now = monotonic()
        self._lock = Lock()
        self._all = _Bucket(limits.PROGRAMS_OF_ALL, now)
        self._own: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, address: Hashable, now: float | None = None) -> None:
        """Count one more program for an address.

        Raises:
          GraphError: it, or all together, have had too many.
        """
        now = monotonic() if now is None else now
        with self._lock:
            own = self._own.setdefault(address, _Bucket(limits.PROGRAMS, now))
            self._own.move_to_end(address)
            while len(self._own) > ADDRESSES:
                self._own.popitem(last=False)
            own.refill(limits.PROGRAMS, limits.PROGRAMS_A_MINUTE, now)
            self._all.refill(limits.PROGRAMS_OF_ALL, limits.PROGRAMS_OF_ALL_A_MINUTE, now)
            if own.left < 1:
                raise GraphError(TOO_MANY)
            if self._all.left < 1:
                raise GraphError(BUSY)
            own.left -= 1
            self._all.left -= 1


ALLOWANCE = Allowance()
