"""Delta-encode drawings, so that only changes are sent. web/canvas/state/delta.js applies them.

A drawing is a JSON object without null. A patch of an object has its changed fields, with null for a removed
one, as in JSON Merge Patch (RFC 7396). A list of records with unique names, such as nodes and wires, is
patched by name: `{"gone": [name], "set": {name: patch}, "new": [record], "order": [name]}`, without empty
parts. Any other list is sent whole. No field turns from a list into an object.
"""

from __future__ import annotations

from typing import Any

KEPT = 8  # drawings that may be in flight when the browser acknowledges one

Json = Any


def delta(before: dict[str, Json], after: dict[str, Json]) -> dict[str, Json]:
    """Return the patch that turns `before` into `after`; empty when they are equal."""
    if before is after:  # most records are reused: see canvas/drawing.py
        return {}
    patch: dict[str, Json] = {name: None for name in before if name not in after}
    for name, now in after.items():
        then = before.get(name)
        if now != then:
            patch[name] = _change(then, now)
    return patch


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


def _change(then: Json, now: Json) -> Json:
    """Return the patch of one field."""
    if isinstance(then, dict) and isinstance(now, dict):
        return delta(then, now)
    if isinstance(then, list) and isinstance(now, list):
        olds, news = _named(then), _named(now)
        if olds is not None and news is not None:
            return _records(olds, news)
    return now


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
    return {part: found for part, found in parts.items() if found}


def _named(items: Json) -> dict[str, Json] | None:
    """Return the records of a list by name; None if it is no list of records with unique names."""
    if not isinstance(items, list):
        return None
    found: dict[str, Json] = {}
    for item in items:
        name = _name(item) if isinstance(item, dict) else None
        if name is None or name in found:
            return None
        found[name] = item
    return found


def _name(record: dict[str, Json]) -> str | None:
    """Return the name of a record; of a wire, its target and slot."""
    if "to" in record and "slot" in record:
        return f"{record['to']}:{record['slot']}"
    name = record.get("id", record.get("name"))
    return name if isinstance(name, str) else None


def without_nulls(data: Json) -> Json:
    """Return JSON without the fields that are null, at any depth: in a patch, null removes a field."""
    if isinstance(data, dict):
        return {name: without_nulls(field) for name, field in data.items() if field is not None}
    return [without_nulls(item) for item in data] if isinstance(data, list | tuple) else data
