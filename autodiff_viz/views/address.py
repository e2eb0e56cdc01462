"""The lab in the address bar: everything that a reload must bring back, as query parameters."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import replace

from autodiff_viz.engine.arrays import FLOAT32, FLOAT64
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import from_link, to_link
from autodiff_viz.graph.model import Literal
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.amend import amended
from autodiff_viz.language.parse import parse_literal
from autodiff_viz.language.show import show_literal
from autodiff_viz.views.actions import typed
from autodiff_viz.views.lab import Lab, opened, refused, start, with_text

GRAPH, SEED, DTYPE, SELECTED, FIGURE, SWEPT, LESSON, VARIANT, TEXT, DRAFT, SHELVED, RANGES, FOLDED = (
    "g",
    "seed",
    "dtype",
    "node",
    "figure",
    "sweep",
    "lesson",
    "variant",
    "text",
    "draft",
    "shelved",
    "range",
    "folded",
)


def to_query(lab: Lab) -> dict[str, str]:
    """Query parameters for `lab`; what has its usual value is left out."""
    ranges = ",".join(f"{name}:{low!r}:{high!r}" for name, low, high in lab.ranges if name in lab.graph)
    found = {
        GRAPH: to_link(lab.graph),
        SEED: None if lab.seed is None else show_literal(lab.seed),
        DTYPE: None if lab.dtype == FLOAT32 else lab.dtype,
        SELECTED: lab.selected,
        FIGURE: None if lab.figure == "cotangents" else lab.figure,
        SWEPT: lab.swept,
        LESSON: lab.lesson,
        VARIANT: str(lab.variant) if lab.variant else None,
        TEXT: None if lab.history.present.text is None else _packed(lab.history.present.text),
        DRAFT: None if lab.draft is None else _packed(lab.draft),
        SHELVED: None if lab.shelved is None else _packed(lab.shelved),
        RANGES: ranges,
        FOLDED: ",".join(sorted(group.name for group in lab.graph.groups if group.name in lab.collapsed)),
    }
    return {key: value for key, value in found.items() if value}


def from_query(query: Mapping[str, str]) -> Lab:
    """The lab of an address. What cannot be read is left out, with the reason in `notice`."""
    lab = start()
    if not query.get(GRAPH):
        return lab
    try:
        lab = replace(opened(lab, from_link(query[GRAPH]), "Open a link"), document=0)
    except GraphError as error:
        return refused(lab, error)
    lab = replace(lab, history=replace(lab.history, past=()))
    lab = replace(lab, lesson=query.get(LESSON), variant=_whole(query.get(VARIANT)))
    lab = replace(lab, seed=_seed(query.get(SEED)), ranges=_ranges(query.get(RANGES, "")))
    lab = replace(lab, dtype=FLOAT64 if query.get(DTYPE) == FLOAT64 else FLOAT32)
    lab = replace(lab, figure=query.get(FIGURE) or lab.figure)
    folded = {group.name for group in lab.graph.groups}.intersection(query.get(FOLDED, "").split(","))
    lab = replace(lab, collapsed=frozenset(folded))
    names = lab.graph.by_name
    selected, swept = query.get(SELECTED), query.get(SWEPT)
    lab = replace(lab, selected=selected if selected in names else None)
    lab = replace(lab, swept=swept if swept in names else None, shelved=_unpacked(query.get(SHELVED, "")))
    text, draft = (_unpacked(query.get(key, "")) for key in (TEXT, DRAFT))
    if text is not None:
        lab = with_text(lab, amended(text, lab.graph))
    return lab if draft is None else typed(lab, draft)


def _seed(text: str | None) -> Literal | None:
    try:
        return parse_literal(text) if text else None
    except GraphError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if abs(number) <= limits.NUMBER else None


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else 0


def _ranges(text: str) -> tuple[tuple[str, float, float], ...]:
    found = []
    for entry in text.split(",")[: limits.NODES]:
        name, _, ends = entry.partition(":")
        low, high = (_number(end) for end in [*ends.split(":"), "", ""][:2])
        if low is not None and high is not None and low < high:
            found.append((name, low, high))
    return tuple(found)


def _packed(text: str) -> str:
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).rstrip(b"=").decode("ascii")


def _unpacked(payload: str) -> str | None:
    if not payload or len(payload) > limits.LINK:
        return None
    try:
        packed = base64.b64decode(payload + "=" * (-len(payload) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(packed, limits.TEXT).decode()
    except (binascii.Error, zlib.error, ValueError):
        return None
    return text if unpacker.eof else None
