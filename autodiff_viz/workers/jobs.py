"""What worker processes are asked, and what they answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 10.0  # of work that a job may take
NICE = 10  # of workers: what visitors wait for comes first
TOO_LONG, BROKEN, DROPPED = "too long", "broken", "dropped"
"""Why a job has no answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """What to work out.

    Attributes:
      key: the identity of all that the answer follows from, the function too.
      function: a function at the top of a module.
      arguments: plain data.
      seconds: of work, after which the worker is killed.
      long: it may take more than moments, or much memory.
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
        """(module, function, arguments), as a worker takes it."""
        return self.function.__module__, self.function.__qualname__, self.arguments


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a job: its `value`, or why there is none."""

    value: Any = None
    why: str = ""


def done_here(job: Job) -> Answer:
    """The answer of a job that is done in this process."""
    try:
        return Answer(job.function(*job.arguments))
    except Exception as error:
        _log.exception("a job broke")
        return Answer(why=f"{BROKEN}: {type(error).__name__}")
