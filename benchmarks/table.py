"""Report ratios, with a target where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One ratio. `target` is its upper limit; None for a ratio that is only informative."""

    what: str
    ratio: float
    target: float | None = None

    @property
    def met(self) -> bool:
        """Whether the ratio is within its target, or has none."""
        return self.target is None or self.ratio <= self.target


def show(title: str, rows: Iterable[Row]) -> list[Row]:
    """Print the rows as they come, and return them."""
    print(f"\n{title:<84}{'ratio':>9}{'target':>9}", flush=True)
    return [_shown(row) for row in rows]


def _shown(row: Row) -> Row:
    target = "" if row.target is None else f"{row.target:g}"
    verdict = "" if row.target is None else "met" if row.met else "MISSED"
    print(f"  {row.what:<82}{row.ratio:>9.3g}{target:>9}  {verdict}".rstrip(), flush=True)
    return row
