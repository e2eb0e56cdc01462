"""Draw QR codes of links, for the page."""

from __future__ import annotations

import segno

from autodiff_viz.graph.identity import remembered
from autodiff_viz.lab.share import QrCode

MOST_VERSION, LEVEL = 25, "m"
"""The largest QR code, 117 modules a side, so that on a stage of 720 px a module has 5 px; and its error
correction, by which a phone may misread a seventh of it."""

QUIET = 4  # modules of margin, as ISO/IEC 18004 demands


@remembered(32)
def qr_code(text: str) -> QrCode | None:
    """Return the QR code of a text; None if it does not fit `MOST_VERSION`."""
    try:
        made = segno.make(text, error=LEVEL, micro=False)
    except segno.DataOverflowError:
        return None
    if made.version > MOST_VERSION:
        return None
    rows = [bytes(row) for row in made.matrix]
    return QrCode(made.version, len(rows) + 2 * QUIET, "".join(map(_row_path, range(len(rows)), rows)))


def _row_path(y: int, row: bytes) -> str:
    """Return the dark stretches of a row as rectangles, one module high."""
    parts, x = [], 0
    while (start := row.find(1, x)) >= 0:
        end = row.find(0, start)
        x = len(row) if end < 0 else end
        parts.append(f"M{start + QUIET} {y + QUIET}h{x - start}v1h{start - x}z")
    return "".join(parts)
