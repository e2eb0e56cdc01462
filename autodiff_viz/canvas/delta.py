"""Delta-encode drawings, so that only changes are sent. web/canvas/state/delta.js applies them.

A drawing is a JSON object without null. A patch of an object has its changed fields, with null for a removed
one, as in JSON Merge Patch (RFC 7396). A list of records with unique names, such as nodes and wires, is
patched by name: `{"gone": [name], "set": {name: patch}, "new": [record], "order": [name]}`, without empty
parts. Any other list is sent whole. A long text, such as the formula, is patched in one place: `{"splice":
[at, so many go, "what comes"]}`, counted in UTF-16 as the browser counts. No field turns from a list or a
text into an object.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

LONG = 500  # characters of a text from which on it is not sent whole
KEPT = 8  # drawings that may be in flight when the browser acknowledges one

Json = Any


def delta(before: dict[str, Json], after: dict[str, Json]) -> dict[str, Json]:
    """Return the patch that turns `before` into `after`; empty when they are equal."""
    if before is after:  # as most records are: canvas/drawing.py reuses those that have not changed
        return {}
    patch: dict[str, Json] = {name: None for name in before if name not in after}
    for name, now in after.items():
        then = before.get(name)
        if now == then:
            continue
        patch[name] = now
        if isinstance(then, dict) and isinstance(now, dict):
            patch[name] = delta(then, now)
        elif isinstance(then, str) and isinstance(now, str) and len(now) > LONG:
            patch[name] = _splice(then, now)
        elif isinstance(then, list) and isinstance(now, list):
            olds, news = _named(then), _named(now)
            if olds is not None and news is not None:
                patch[name] = _records(olds, news)
    return patch


def _splice(then: str, now: str) -> Json:
    """Return the patch of a text; the text itself where most of it is another one."""
    most = min(len(then), len(now))
    head = bisect_left(range(1, most + 1), True, key=lambda n: then[:n] != now[:n])
    most -= head
    tail = bisect_left(range(1, most + 1), True, key=lambda n: then[-n:] != now[-n:])
    if head + tail < len(now) / 2:
        return now
    at, gone = _units(then[:head]), _units(then[head : len(then) - tail])
    return {"splice": [at, gone, now[head : len(now) - tail]]}


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def shared(before: Json, after: Json) -> Json:
    """Return `after` with its unchanged parts replaced by the same objects of `before`.

    Several drawings of one graph then take little more memory than one (structural sharing).
    """
    if before is after or not isinstance(after, dict | list):
        return after
    if isinstance(before, dict) and isinstance(after, dict):
        if before == after:
            return before
        return {name: shared(before.get(name), now) for name, now in after.items()}
    then, now = _named(before), _named(after)
    if then and now:
        return before if before == after else [shared(then.get(name), item) for name, item in now.items()]
    return after


def _records(olds: dict[str, Json], news: dict[str, Json]) -> dict[str, Json]:
    """Return the patch of a list of named records."""
    changed = {name: delta(old, news[name]) for name, old in olds.items() if name in news}
    added = [name for name in news if name not in olds]
    order = [*changed, *added]
    parts = {
        "gone": [name for name in olds if name not in news],
        "set": {name: patch for name, patch in changed.items() if patch},
        "new": [news[name] for name in added],
        "order": [] if order == list(news) else list(news),
    }
    return {part: content for part, content in parts.items() if content}


def _named(items: Json) -> dict[str, Json] | None:
    """Return the records of a list by name; None if it is no list of records with unique names."""
    if not isinstance(items, list):
        return None
    records: dict[str, Json] = {}
    for item in items:
        if not isinstance(item, dict):
            return None
        # A wire has no name: a slot takes one wire, so that its target and slot name it.
        is_wire = "to" in item and "slot" in item
        name = f"{item['to']}:{item['slot']}" if is_wire else item.get("id", item.get("name"))
        if not isinstance(name, str) or name in records:
            return None
        records[name] = item
    return records


def without_nulls(data: Json) -> Json:
    """Return JSON without the fields that are null, at any depth: in a patch, null removes a field."""
    if isinstance(data, dict):
        return {name: without_nulls(field) for name, field in data.items() if field is not None}
    return [without_nulls(item) for item in data] if isinstance(data, list | tuple) else data
