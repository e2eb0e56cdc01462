"""Measure visitors beside each other: how many the app holds, and a bare Streamlit page under the same load
in the same run; how many two processes behind nginx hold.

Also a class that opens a lesson at one moment, and memory. Both servers run on this machine beside the
simulated visitors, with the app's own settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlencode

from benchmarks.crowd import acting, opening
from benchmarks.replicas import COUNT, Replicas, replicas
from benchmarks.server import Server, server, until_at_rest, until_warm
from benchmarks.tab import Tab
from benchmarks.table import Row
from benchmarks.visitor import Editor, Reader, Ticker

SIZE = 30
ALONE, SECONDS = 10, 20  # visitors with whom processor time is measured; seconds of each load
STEPS, STEPS_OF_REPLICAS = (5, 10, 25, 50, 100), (25, 50, 100, 180)
HELD = 0.3  # seconds at the 95th percentile
CPU, CPU_SEEN = 15 / 2, 25 / 2  # processor time of an action, in runs of a bare page; with the figure in view
CLASSES = {100: 3.0, 200: 6.0}  # seconds, by size
LESSON = "fork"
MEMORY = {"1 visitor": 450, "at rest": 400, "200 visitors": 700}  # megabytes

At = Server | Replicas
Tabs = Callable[[At, int], Sequence[Tab]]


def editors(app: At, count: int, first: int = 0) -> list[Tab]:
    """Return editors, each with a graph of its own; those of another `first` have other graphs."""
    return [Editor(app.address, size=SIZE, seed=first + i) for i in range(count)]


def watchers(app: At, count: int, first: int) -> list[Tab]:
    """Return editors who have the figure in view."""
    return [Editor(app.address, size=SIZE, seed=first + i, seen=True) for i in range(count)]


def tickers(bare: Server, count: int) -> list[Tab]:
    """Return visitors of the bare page."""
    return [Ticker(bare.address) for _ in range(count)]


def readers(app: Server, count: int) -> list[Tab]:
    """Return readers of one and the same lesson."""
    return [Reader(app.address, urlencode({"lesson": LESSON})) for _ in range(count)]


def visitors() -> Iterator[Row]:
    """Measure the app and the bare page, in turn."""
    with server("app.py") as app, server("benchmarks/bare_page.py") as bare:
        until_warm(app)
        opening(editors(app, 1))
        yield Row("megabytes, warm and 1 visitor: at once", app.megabytes, MEMORY["1 visitor"])
        until_at_rest(app)
        yield Row("megabytes, warm and 1 visitor: at rest", app.megabytes, MEMORY["at rest"])
        yield from _processor(app, bare)
        mine = yield from _held("the app", app, editors, target=1.0)
        theirs = yield from _held("a bare page", bare, tickers)
        yield Row(f"visitors held, of {STEPS}: a bare page / the app", theirs / max(mine, 0.1), 1.0)
        for count, wanted in CLASSES.items():
            took, beside = opening(readers(app, count)), opening(tickers(bare, count))
            yield Row(f"{count} open a lesson at once: seconds to the last canvas", took, wanted)
            yield Row(f"{count} open a lesson at once: last canvas / last bare page", took / beside)
        yield Row("megabytes, after 200 visitors at once", app.megabytes, MEMORY["200 visitors"])
    with replicas() as both:  # when the others have ended: they share this machine's processors
        if both is None:
            print("No nginx is installed, so replicas are not measured.")
        else:
            acting(editors(both, ALONE), both, SECONDS / 4)
            who = f"{COUNT} replicas behind nginx"
            yield from _held(who, both, editors, target=1.0, steps=STEPS_OF_REPLICAS)


def _processor(app: Server, bare: Server) -> Iterator[Row]:
    """Measure actions that make graphs which the server has never seen."""
    acting(editors(app, ALONE, 1000), app, SECONDS / 4)  # warm-up
    acting(tickers(bare, ALONE), bare, SECONDS / 4)
    theirs = acting(tickers(bare, ALONE), bare, SECONDS).cpu
    mine = acting(editors(app, ALONE, 2000), app, SECONDS)
    what = f"{SIZE} nodes: the server's processor time of an action / of a run of a bare page"
    yield Row(f"{what} ({1000 * mine.cpu:.1f} / {1000 * theirs:.1f} ms)", mine.cpu / theirs, CPU)
    checks = f"its checks in workers / a run of a bare page ({1000 * mine.workers:.1f} ms)"
    yield Row(checks, mine.workers / theirs)
    acting(watchers(app, ALONE, 3000), app, SECONDS / 4)
    seen = acting(watchers(app, ALONE, 4000), app, SECONDS)
    what = "the server's with the figure in view / a run of a bare page"
    yield Row(f"{what} ({1000 * seen.cpu:.1f} ms)", seen.cpu / theirs, CPU_SEEN)


def _held(
    who: str, at: At, tabs: Tabs, target: float | None = None, steps: Sequence[int] = STEPS
) -> Iterator[Row]:
    """Yield a row for each number of visitors up to the first that is too many; return the most held."""
    most = 0
    for count in steps:
        found = acting(tabs(at, count), at, SECONDS)
        yield Row(f"{who}, {count} visitors: 95th percentile / {HELD} s", found.p95 / HELD, target)
        if found.p95 >= HELD:
            break
        most = count
    return most
