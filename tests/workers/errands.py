"""Define functions that the tests give to workers."""

import os
import time
from pathlib import Path

from autodiff_viz.workers.bounds import Bound, bounded, computing_apart
from autodiff_viz.workers.jobs import report
from autodiff_viz.workers.watchdog import memory_of


def product(a: float, b: float) -> float:
    return a * b


def length(data: bytes) -> int:
    return len(data)


def blank(count: int) -> bytes:
    return bytes(count)


def process() -> int:
    return os.getpid()


def niceness() -> int:
    return os.nice(0)


def without_end() -> None:
    while True:
        pass


def worked(seconds: float = 0.05) -> float:
    """Use the processor for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def grown_for_a_while(megabytes: int) -> tuple[int, float]:
    """Allocate small blocks, keep one in 200; return the process and its memory then."""
    blocks = [bytes(4_000) for _ in range(megabytes * 2**20 // 4_000)]
    _memory.extend([*blocks[::200], blocks[-1]])
    del blocks
    return os.getpid(), memory_of(os.getpid())


def asleep() -> None:
    time.sleep(3600)


def slow(seconds: float, value: int) -> int:
    time.sleep(seconds)
    return value


def mistaken() -> None:
    raise ValueError("nothing fits")


def killed() -> None:
    os.abort()


def through_jax(x: float) -> float:
    import jax  # as engine functions have it loaded

    return float(jax.grad(lambda x: x * x)(x))


def note(file: str, word: str) -> None:
    with Path(file).open("a") as notes:
        notes.write(word)


def greeting() -> str:
    return os.environ["GREETING"]


def reporting(file: str, whole: int) -> str:
    """Report each of `whole` steps, as fast as it goes, then wait until a file exists."""
    for done in range(whole + 1):
        report(done, whole, "steps")
        time.sleep(0.15 if done == whole - 1 else 0.0)
    while not Path(file).exists():
        time.sleep(0.01)
    return "done"


_memory = []


def keep(megabytes: int) -> int:
    """Keep so much memory until the process ends."""
    _memory.append(b"\1" * (megabytes * 2**20))
    return os.getpid()


OWN, APART = Bound(0.3, 50.0), Bound(0.6, 400.0)


def compare_for_ever() -> bool:
    """Compare nested lists: one call in C, which nothing in Python interrupts."""
    a, b = [[[0] * 9_999] * 9_999] * 9_999, [[[0] * 9_999] * 9_998 + [[0] * 9_999]] * 9_999
    with bounded(OWN, APART):
        return a == b


def read_without_end(text: str) -> bool:
    """Stand in for a reader that compares for ever."""
    return compare_for_ever()


def filled(megabytes: int) -> str:
    with bounded(OWN, APART):
        return _allocated(megabytes)


def filled_apart(megabytes: int) -> tuple[str, str, str]:
    """Allocate as much before, inside and after what is counted apart."""
    with bounded(OWN, APART):
        before = _allocated(megabytes)
        with computing_apart():
            inside = _allocated(megabytes)
        return before, inside, _allocated(megabytes)


def _allocated(megabytes: int) -> str:
    try:
        return f"{len(bytearray(megabytes * 2**20)) // 2**20} MB"
    except MemoryError:
        return "no"


def worked_apart(own: float, apart: float) -> float:
    """Use the processor for so long, twice: the parts that count apart between the others."""
    with bounded(OWN, APART):
        for _ in range(2):
            worked(own / 2)
            with computing_apart():
                worked(apart / 2)
    return own + apart


def worked_after(seconds: float) -> float:
    """Use the processor after the bound has ended."""
    with bounded(OWN, APART):
        pass
    return worked(seconds)
