"""Write chains of sines x0 -> x1 -> ... under different checkpoint regions, as formula text."""

from __future__ import annotations


def chain(length: int) -> str:
    """No region."""
    return "x0 = 0.3\n" + _sines(0, length, 0)


def segments(length: int, count: int) -> str:
    """`count` regions of equal length, one after another."""
    each = length // count
    blocks = (f'with checkpoint("s{i}"):\n' + _sines(i * each, (i + 1) * each, 1) for i in range(count))
    return "x0 = 0.3\n" + "".join(blocks)


def halved(length: int) -> str:
    """The first half under a region, itself halved in the same way; a single sine is left alone."""
    return "x0 = 0.3\n" + _halved(0, length, 0)


def _halved(start: int, stop: int, depth: int) -> str:
    if stop - start == 1:
        return _sines(start, stop, depth)
    middle = (start + stop) // 2
    head = f'{"    " * depth}with checkpoint("s{start}_{stop}"):\n'
    return head + _halved(start, middle, depth + 1) + _halved(middle, stop, depth)


def _sines(start: int, stop: int, depth: int) -> str:
    return "".join(f"{'    ' * depth}x{i + 1} = sin(x{i})\n" for i in range(start, stop))
