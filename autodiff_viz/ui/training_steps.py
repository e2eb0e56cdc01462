"""Make training steps in separate processes, so that the server spends no time or memory on compilation.

A process can be killed. It keeps what it has compiled and is given the steps of the same program again. It
has no other state that the server does not have: if it is killed, only the call is lost.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from threading import Condition, local
from time import monotonic

from autodiff_viz.engine.compilation_cache import variables
from autodiff_viz.engine.training.state import Settings, State
from autodiff_viz.engine.training.updates import Records
from autodiff_viz.engine.training.worker_steps import advance_plain, plain
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ui.work import kept
from autodiff_viz.workers.fork_client import Template
from autodiff_viz.workers.jobs import NICE
from autodiff_viz.workers.worker import PATIENCE, work_of

PROCESSES = 2  # at a time; visitors share them, in turn
SECONDS = 60.0  # of work for one call
LOOK = 0.05  # seconds between two checks whether the call is still wanted
GRACE = 0.1  # seconds that a call that is no longer wanted has to finish
IDLE = 60.0  # seconds without a call after which a process ends
LOADED = ("autodiff_viz.engine.training.worker_steps",)

_log = logging.getLogger(__name__)


class NotWanted(Exception):
    """The call was ended, since nobody waits for it any more."""


class _Here(local):
    """State of the call that this thread makes: whether somebody waits for it."""

    wanted: Callable[[], bool] | None = None


_here = _Here()


@contextmanager
def as_long_as(wanted: Callable[[], bool]) -> Iterator[None]:
    """End calls of this thread once `wanted` returns False."""
    _here.wanted = wanted
    try:
        yield
    finally:
        _here.wanted = None


@dataclass(slots=True, eq=False)
class _Process:
    """A process and the programs that have been requested of it."""

    number: int
    connection: Connection
    programs: set[bytes] = field(default_factory=set)
    busy: bool = True
    since: float = field(default_factory=monotonic)


class Steps:
    """A pool of at most `most` processes that make training steps."""

    def __init__(self, most: int = PROCESSES):
        self._most, self._free = most, Condition()
        self._processes: list[_Process] = []
        self._template = Template(LOADED, variables(kept()))
        self._ended = False

    def advance(
        self, graph: Graph, state: State, steps: int, settings: Settings, dtype: str
    ) -> tuple[State, Records]:
        """Advance a training as `engine.training.advance` does, in another process.

        Raises:
          GraphError: as `advance`; or the call takes too long, or the process broke down.
          NotWanted: see `as_long_as`.
        """
        program = identity((tuple((n.name, n.op, n.slots) for n in graph.nodes), settings.optimiser, dtype))
        process = self._taken(program)
        try:
            found = self._called(process, (graph, plain(state), steps, settings, dtype))
        finally:
            self._give_back(process)
        if isinstance(found[0], Problem):
            raise GraphError(found)
        return found

    def end(self) -> None:
        """Kill all processes, when the server ends."""
        with self._free:
            self._ended = True
            for process in [*self._processes]:
                self._kill(process)
            self._template.end()

    def _taken(self, program: bytes) -> _Process:
        """Return an idle process, preferably one that has compiled `program`, or fork one, up to `most`."""
        with self._free:
            while not self._ended:
                free = [process for process in self._processes if not process.busy]
                chosen = next((each for each in free if program in each.programs), None)
                if chosen is None and len(self._processes) < self._most:
                    chosen = self._forked()
                chosen = chosen or next(iter(free), None)
                if chosen is not None:
                    chosen.busy = True
                    chosen.programs.add(program)
                    return chosen
                self._free.wait(LOOK)
                if not _is_wanted():
                    break
        raise NotWanted

    def _forked(self) -> _Process:
        try:
            process = _Process(*self._template.fork(NICE))
        except OSError as error:
            raise GraphError(_BROKEN) from error
        self._processes.append(process)
        return process

    def _called(self, process: _Process, arguments: tuple) -> tuple:
        since, deadline, unwanted = work_of(process.number), monotonic() + PATIENCE * SECONDS, None
        try:
            process.connection.send((advance_plain.__module__, advance_plain.__qualname__, arguments))
            while not process.connection.poll(LOOK):
                if not _is_wanted():
                    unwanted = unwanted or monotonic()
                    if monotonic() - unwanted >= GRACE:
                        raise NotWanted
                if work_of(process.number) - since >= SECONDS or monotonic() >= deadline:
                    raise GraphError(_TOO_LONG)
            done, found = process.connection.recv()
        except (EOFError, OSError, NotWanted, GraphError) as error:
            with self._free:
                self._kill(process)
            raise GraphError(_BROKEN) if isinstance(error, EOFError | OSError) else error from error
        if not done:
            _log.error("steps of a training broke: %s", found)
            raise GraphError(_BROKEN)
        return found

    def _give_back(self, process: _Process) -> None:
        with self._free:
            process.busy, process.since = False, monotonic()
            self._free.notify()

    def end_idle(self) -> None:
        """Kill the processes idle for a while, and after the last one the forkserver template."""
        with self._free:
            for process in [*self._processes]:
                if not process.busy and process.since + IDLE <= monotonic():
                    self._kill(process)
            if not self._processes:
                self._template.end()

    def _kill(self, process: _Process) -> None:
        if process in self._processes:
            self._processes.remove(process)
            process.connection.close()
            with suppress(ProcessLookupError):
                os.kill(process.number, signal.SIGKILL)


def _is_wanted() -> bool:
    return _here.wanted is None or _here.wanted()


_TOO_LONG = Problem(
    "too-long",
    f"The steps of this graph take more than {SECONDS:g} seconds to compile or to run, which is the limit.",
    "A smaller graph, or smaller tensors.",
)
_BROKEN = Problem("broken", "The process that trains broke down, perhaps for lack of memory.", "Try again.")
