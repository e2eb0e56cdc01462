"""Wait in the server's own loop for answers of workers, without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from autodiff_viz.ui.worker_jobs import workers
from autodiff_viz.workers.jobs import DROPPED, Job

WITHIN = 60.0  # seconds for which answers are waited for
LOOK = 1.0  # seconds between two looks without being woken

Awaited = Callable[[], bool]
"""Returns whether answers of workers are still to come."""


class _Waiting:
    """Those who wait for answers of workers."""

    def __init__(self) -> None:
        self.events: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            workers().listen(lambda: loop.is_closed() or loop.call_soon_threadsafe(self._wake))

    def _wake(self) -> None:
        for event in self.events:
            event.set()


_waiting = _Waiting()


async def answered(awaited: Awaited, within: float = WITHIN) -> None:
    """Wait until nothing of it is still to come, at most so many seconds."""
    _waiting.listen()
    event = asyncio.Event()
    _waiting.events.add(event)
    try:
        async with asyncio.timeout(within):
            while awaited():
                # Looked at now and then too: what is taken back by whoever else asked for it wakes nobody.
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await event.wait()
                event.clear()
    except TimeoutError:
        pass
    finally:
        _waiting.events.discard(event)


async def made(request: Request, kind: str, job: Job, within: float) -> Any:
    """Return what a worker makes for a request; None if it cannot, or not within so many seconds.

    It goes on then, and a later request has the answer. The visitors of one address take turns.
    """
    job = replace(job, origin=request.client and request.client.host)
    await run_in_threadpool(workers().ask, (kind, job.origin, job.key), job)
    await answered(lambda: workers().answer(job.key) is None, within)
    answer = workers().answer(job.key)
    if answer and answer.why == DROPPED:
        workers().take(job.key)  # for want of room: the next request tries again
    return answer.value if answer and not answer.why else None
