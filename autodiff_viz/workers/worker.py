"""Represent a worker process, for the pool that has started it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

from autodiff_viz.workers.jobs import SHORT, Job, Lane, Report
from autodiff_viz.workers.watchdog import memory_of, work_of

PATIENCE = 12  # wall-clock limit as a multiple of the CPU limit: workers of low priority may have to wait

COUNTS_CPU_TIME = Path("/proc/self/stat").exists()
"""Whether the system says how much CPU time a process has used."""


@dataclass(slots=True)
class Worker:
    """A worker process and its connection.

    `job` is the running job. It is killed after `seconds` of CPU time, after `deadline`, when it is
    `cancelled`, or when it has used none since `moved` for as long as the job may use it: the process is
    stopped or blocked. `lane` is the kind of its jobs; `since` is when it became idle.
    `report` is the newest one of the job. `least` is its memory when it was forked, in megabytes.
    """

    process: int
    connection: Connection
    lane: Lane = SHORT
    job: Job | None = None
    asker: Hashable = None
    seconds: float = 0.0
    deadline: float = 0.0
    cancelled: bool = False
    work: float = 0.0
    moved: float = 0.0
    since: float = field(default_factory=monotonic)
    report: Report | None = None
    least: float = 0.0

    def __post_init__(self) -> None:
        self.least = memory_of(self.process)

    @property
    def grown(self) -> float:
        """Megabytes by which the process has grown since the fork."""
        return memory_of(self.process) - self.least

    def begin(self, asker: Hashable, job: Job) -> None:
        """Record the start of a job, with its limits."""
        self.asker, self.job, self.cancelled, self.report = asker, job, False, None
        self.work, self.moved = work_of(self.process), monotonic()
        self.seconds = self.work + job.seconds
        self.deadline = self.moved + PATIENCE * job.seconds

    def is_over(self) -> bool:
        """Return whether the job has exceeded a limit; to be asked often."""
        now, work = monotonic(), work_of(self.process)
        if work != self.work:
            self.work, self.moved = work, now
        stalled = COUNTS_CPU_TIME and now - self.moved >= self.job.seconds
        return stalled or self.deadline <= now or work >= self.seconds
