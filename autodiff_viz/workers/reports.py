"""Report the progress of a running job: a job calls `report`; the pool keeps each job's newest report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

PERIOD = 0.1  # seconds between two reports that are sent; those between are dropped


@dataclass(frozen=True, slots=True)
class Report:
    """How far a job is: `done` of `whole`, counted in `unit`, a plural noun; "" for a mere share."""

    done: int
    whole: int
    unit: str = ""

    @property
    def words(self) -> str:
        """Such as "300 of 1,000 draws" or "30 %"."""
        if self.unit:
            return f"{self.done:,} of {self.whole:,} {self.unit}"
        return f"{100 * self.done // max(1, self.whole)} %"


class _Sender:
    """Where this process sends its reports: nowhere, except in a worker."""

    send: Callable[[Report], object] | None = None
    last = 0.0
    part, parts = 0, 1


def send_reports(send: Callable[[Report], object]) -> None:
    """Send the reports of all jobs of this process from now on."""
    _Sender.send = send


def report(done: int, whole: int, unit: str = "") -> None:
    """Report how far the job is that calls this; without effect where no worker runs it."""
    now = monotonic()
    if _Sender.send is not None and now - _Sender.last >= PERIOD:
        _Sender.last = now
        _Sender.send(Report(_Sender.part * whole + done, _Sender.parts * whole, unit))


@contextmanager
def as_part(part: int, parts: int) -> Iterator[None]:
    """Count what is reported inside as one of several equal parts of the job; `part` counts from 0."""
    before = _Sender.part, _Sender.parts
    _Sender.part, _Sender.parts = part, parts
    try:
        yield
    finally:
        _Sender.part, _Sender.parts = before
