"""Check that freed memory is returned to the system, and that a worker does so after its job."""

from __future__ import annotations

import os
import platform
import time

import pytest

from autodiff_viz.graph.identity import identity
from autodiff_viz.workers.free_memory import GROWTH, FreeMemory
from autodiff_viz.workers.jobs import Job
from autodiff_viz.workers.pool import Pool
from autodiff_viz.workers.watchdog import memory_of
from tests.workers import errands

BLOCK, MEGABYTES = 4_000, 120  # bytes of an allocation, below which the C library keeps what is freed
PATIENCE = 60.0

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc_trim is glibc's")


def allocated(megabytes: int) -> list[bytes]:
    return [bytes(BLOCK) for _ in range(megabytes * 2**20 // BLOCK)]


@glibc
def test_what_was_freed_between_blocks_in_use_is_returned() -> None:
    memory = FreeMemory()
    blocks = allocated(MEGABYTES)
    used = [*blocks[::100], blocks[-1]]
    del blocks
    before = memory_of(os.getpid())
    assert memory.release()
    assert memory_of(os.getpid()) < before - MEGABYTES / 2
    assert all(block == bytes(BLOCK) for block in used)


@glibc
def test_a_worker_returns_what_a_job_has_freed() -> None:
    pool = Pool(("json",))
    try:
        job = Job(identity("grown"), errands.grown_for_a_while, (MEGABYTES,))
        pool.ask("anna", job)
        process, before = pool.answer(job.key, PATIENCE).value
        end = time.monotonic() + PATIENCE
        while memory_of(process) >= before - MEGABYTES / 2 and time.monotonic() < end:
            time.sleep(0.02)
        assert 0 < memory_of(process) < before - MEGABYTES / 2
    finally:
        pool.end()


def test_nothing_is_done_before_the_process_has_grown() -> None:
    memory = FreeMemory()
    held = allocated(int(GROWTH / 4))
    assert not memory.release()
    assert len(held) > 0
