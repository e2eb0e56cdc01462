"""Share a state of the lab: its whole link, its short link, and the QR code of one of them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import segno

from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import remembered
from autodiff_viz.lab.persistence.address import KEPT, to_query
from autodiff_viz.lab.persistence.short_link import short_query, written
from autodiff_viz.lab.state import Lab

BASE = "base"
"""Name of the address of the page itself, in a request; the other names are parameters of the link."""

MOST_VERSION = 20
"""The largest QR code: 97 modules a side, so that on a stage of 720 px a module has 6 px."""

DENSE = 10
"""The largest version that a phone reads from the last row, as wide as a tenth of the distance."""

QUIET = 4  # modules of margin, as ISO/IEC 18004 demands


@dataclass(frozen=True, slots=True)
class QrCode:
    """A QR code as a drawing.

    Attributes:
      version: from 1 to 40.
      size: modules a side, with the margin.
      path: the dark modules as an SVG path, of which a module is one unit.
    """

    version: int
    size: int
    path: str


@remembered(32)
def qr_code(text: str) -> QrCode | None:
    """Return the QR code of a text; None if it does not fit `MOST_VERSION`."""
    try:
        made = segno.make(text, error="l", micro=False)
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


def share_data(lab: Lab, wish: Mapping[str, str]) -> dict[str, Any]:
    """Return the links and the code of a state as the browser shows them.

    Args:
      wish: the page's own address as `BASE`, and parameters to be added to the link. Untrusted.
    Returns:
      `wish` itself; the whole `link`, the `short` one, each with those parameters; `code` as a drawing, or None,
      with the reason in `says`; the short `query` of the state alone.
    """
    base = wish.get(BASE, "")[: limits.LINE].partition("?")[0].partition("#")[0]
    added = {key: value for key, value in wish.items() if key != BASE}
    state = short_query(lab)
    whole, short = {**to_query(lab), **added}, {**state, **added}
    link, brief = (base + (f"?{written(query)}" if query else "") for query in (whole, short))
    code = qr_code(brief)
    return {
        "wish": dict(wish),
        "link": link,
        "short": brief,
        "query": written(state),
        "elsewhere": KEPT in whole,
        "code": code and {"version": code.version, "size": code.size, "path": code.path},
        "says": _says(lab, state, brief, code),
    }


def _says(lab: Lab, state: dict[str, str], link: str, code: QrCode | None) -> str:
    """Return what is to be known of the code, in a sentence; "" for nothing."""
    if KEPT in state:
        return "This graph is too large for a link: this browser alone keeps it. Share it as a file."
    if code is None:
        return f"The link has {len(link):,} characters, too many for a QR code.{_without(lab, len(link))}"
    if code.version > DENSE:
        return f"A dense code, of {len(link):,} characters: from far away some phones fail.{_without(lab, len(link))}"
    return ""


def _without(lab: Lab, length: int) -> str:
    """Return which part of the state makes a link long, and by how much; "" if none does."""
    history, now = lab.history, lab.history.present
    bare = replace(now.graph, nodes=tuple(replace(node, position=None) for node in now.graph.nodes))
    parts = {
        "the graph that is pinned": replace(lab, history=replace(history, present=now._replace(pinned=None))),
        "the places of the nodes": replace(lab, history=replace(history, present=now._replace(graph=bare))),
        "the training": replace(lab, training=None, step=None),
        "the unfinished text": replace(lab, draft=None, mistakes=(), shelved=None),
    }
    costs = {name: length - len(written(short_query(other))) for name, other in parts.items() if other != lab}
    name, cost = max(costs.items(), key=lambda cost: cost[1], default=("", 0))
    return f" Without {name} it has {cost:,} fewer." if cost > length // 10 else ""
