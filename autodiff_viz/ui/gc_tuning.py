"""Tune Python's cyclic garbage collector for many visitors in one process.

A collection stops all threads, and a full one walks all that all visitors have: 1.8 s with a hundred of them.
So the oldest generation is collected while nobody acts. A session that has ended is a cycle of Streamlit's
objects: under load that lasts, it is collected once for many visitors who have left.

Streamlit collects after every rerun; `postScriptGC = false` in `.streamlit/config.toml` leaves collection to
Python's own schedule, which is made slower: a run makes thousands of objects, most of which are gone at its
end. `make bench` measures both.
"""

from __future__ import annotations

import gc

YOUNG, MIDDLE, OLD = 5_000, 10, 200
"""Net allocations after which generation 0 is collected, its collections after which 1 is, and so on."""

LEFT = 2  # collections of generation 1 after which a full collection is worth its time
DEPARTURES = 20  # visitors who have left, after whom it is worth it while others act

_departed: list[None] = []  # one entry for each since the last collection for them


def tune() -> None:
    """Set the thresholds of the collector."""
    gc.set_threshold(YOUNG, MIDDLE, OLD)


def exempt() -> None:
    """Collect, then exempt from collection what is left: the modules and what they have loaded."""
    gc.collect()
    gc.freeze()


def collect_if_due() -> None:
    """Collect the oldest generation, if that is worth its time; to be called while nobody acts."""
    if is_due(gc.get_count()[2]):
        gc.collect()


def note_departure() -> None:
    """Note that a visitor has left; collect if many have."""
    _departed.append(None)
    if len(_departed) >= DEPARTURES:
        _departed.clear()
        gc.collect()


def is_due(pending: int) -> bool:
    """Return whether to collect after so many collections of generation 1 since the last full one."""
    return pending >= LEFT
