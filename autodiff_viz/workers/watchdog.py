"""Kill a server whose event loop has stopped, or that takes too much memory, and log why.

This is a process of its own, since one long operation in C lets no thread of the server run. The server
starts it by its path (`ui/server/heartbeat.py`), so that it loads nothing of the package: `python watchdog.py
PROCESS SECONDS MEGABYTES`. The event loop writes a byte to its standard input every second. The pipe ends
with the server, and the watchdog with the pipe.

It asks nothing over HTTP: a server that is full answers late, and is well.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from time import monotonic

TICK = 1.0  # seconds between two looks
WAITING = 6  # times as long a silent server may wait: for a processor, a disk, memory or a lock of its own
BEAT = 5.0  # seconds of silence that a beat makes good: an overloaded server beats more often than that


class Silence:
    """How long the event loop has been silent, in seconds of the processor that the server used meanwhile.

    So a server on a busy machine has more time, and one that only waits six times as long. Time does not
    count while the server is stopped by a signal or a debugger, nor while this process did not run either, as
    on a machine that sleeps. A beat makes good a part of the silence: between two long operations the event
    loop runs for a moment, and answers nobody.

    Args:
      most: seconds after which it is too long.
    """

    def __init__(self, most: float):
        self.most, self.counted = most, 0.0

    def is_too_long(self, passed: float, beat: bool, used: float, stopped: bool) -> bool:
        """Add the last `passed` seconds, in which the server used `used` seconds of a processor."""
        if stopped:
            self.counted = 0.0
        elif beat:
            self.counted = max(0.0, self.counted - BEAT)
        else:
            counts = min(passed, 2 * TICK)
            self.counted += max(min(used, counts), counts / WAITING)
        return self.counted >= self.most


def watch(process: int, seconds: float, megabytes: float, beats: int = 0) -> None:
    """Watch a server until it ends, or kill it.

    Args:
      process: the server, which has started this process.
      seconds: for which its event loop may be silent.
      megabytes: of memory that it may have resident; 0 for any number.
      beats: file descriptor of the pipe to which its event loop writes.
    """
    silence, at, work = Silence(seconds), monotonic(), work_of(process)
    while os.getppid() == process:
        beat = bool(select.select([beats], [], [], TICK)[0])
        if beat and not os.read(beats, 4096):
            return
        before, at = at, monotonic()
        worked, work = work, work_of(process)
        memory = memory_of(process)
        if silence.is_too_long(at - before, beat, work - worked, is_stopped(process)):
            why = f"its event loop was silent for {seconds:g} s, so nobody was answered"
        elif 0 < megabytes < memory:
            why = f"it has {memory:,.0f} MB of memory, more than its limit of {megabytes:,.0f} MB"
        else:
            continue
        _kill(process, why)
        return


def _kill(process: int, why: str) -> None:
    """Kill the server, after a line in its log if that can be written to."""
    line = f"The watchdog kills the server, process {process}: {why}.\n"
    if select.select([], [2], [], TICK)[1]:
        os.write(2, line.encode())
    if os.getppid() == process:
        os.kill(process, signal.SIGKILL)


def work_of(process: int) -> float:
    """Return seconds of CPU time used by a process; 0 where the system does not say."""
    fields = _status(process)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def is_stopped(process: int) -> bool:
    """Return whether a signal or a debugger has stopped a process."""
    return _status(process)[:1] in (["T"], ["t"])


def memory_of(process: int) -> float:
    """Return megabytes of memory that a process has resident; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _status(process: int) -> list[str]:
    """Return what Linux says of a process after its name, its state first; nothing where there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


if __name__ == "__main__":
    watch(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
