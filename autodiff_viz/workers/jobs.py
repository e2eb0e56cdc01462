"""Describe jobs and answers: the records that the server and its worker processes exchange."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 10.0  # of CPU time that a job may take
NICE = 17  # niceness of workers: the server, which visitors wait for, comes first
TOO_LONG, BROKEN, DROPPED = "too long", "broken", "dropped"
"""Reasons why a job has no answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a pure function, to be run in a worker process.

    Attributes:
      key: identity of all that the answer depends on, including the function.
      function: a function at the top level of a module.
      arguments: plain data, which can be pickled.
      seconds: CPU time after which the worker is killed.
      long: whether it may take more than moments, or much memory.
      niceness: of the process of a long job.
    """

    key: bytes
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float = SECONDS
    long: bool = False
    niceness: int = NICE

    @property
    def message(self) -> tuple[str, str, tuple[Any, ...]]:
        """(module, function, arguments), in the form in which a worker receives it."""
        return self.function.__module__, self.function.__qualname__, self.arguments


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a job: its `value`, or the reason `why` there is none."""

    value: Any = None
    why: str = ""


def done_here(job: Job) -> Answer:
    """Run a job in this process and return its answer."""
    try:
        return Answer(job.function(*job.arguments))
    except Exception as error:
        _log.exception("a job broke")
        return Answer(why=f"{BROKEN}: {type(error).__name__}")
