"""Which edits of the browser have been applied: counted in the session, and stamped on the address.

The browser keeps every edit until it has been confirmed. After a reload or a restart of the server a new
session opens the graph of the address; the stamp on it says which edits that graph has in it, so that the
browser sends the others, and only those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

import streamlit as st

STAMP = "at"
"""Of the address: `key.canvas.formula.sliders`, the session and the last edit that it had of each."""

MAILED = ("canvas", "formula", "sliders")
"""Keys of the components that send edits."""

_INBOX = "inbox"
_STAMPED = re.compile(r"[0-9a-f]{10}" + r"\.[0-9]{1,9}" * len(MAILED))


def open_inbox(query: Mapping[str, str]) -> None:
    """Note, as a session begins, which edits of an earlier one are in the graph of its address."""
    _inbox()["from"] = read_stamp(query.get(STAMP, ""))


def word(name: str) -> dict[str, Any]:
    """What a component is told: the session's `key`, the last edit that it had (`ack`), and in `from` the
    same of the session whose graph this one has opened, or null."""
    inbox = _inbox()
    key, acks = inbox["from"] or (None, {})
    return {"key": inbox["key"], "ack": acked(name), "from": [key, acks[name]] if name in acks else None}


def acked(name: str) -> int:
    """The number of the last edit that has been applied; 0 before the first."""
    return _inbox()["acks"].get(name, 0)


def confirm(name: str, ack: int) -> None:
    """Edits up to `ack` have been applied."""
    _inbox()["acks"][name] = ack


def rewind(query: Mapping[str, str]) -> None:
    """An earlier address of this session has been opened: what came after it is not in its graph. When the
    browser never heard of that (the connection was lost on the way) it sends it again."""
    key, acks = read_stamp(query.get(STAMP, "")) or (None, {})
    if key == _inbox()["key"]:
        _inbox()["acks"] = acks


def stamp() -> str:
    """What stands on an address whose graph has all edits so far."""
    return ".".join([_inbox()["key"], *(str(acked(name)) for name in MAILED)])


def read_stamp(text: str) -> tuple[str, dict[str, int]] | None:
    """(key, last edit by component) of a stamp; None for anything else."""
    if not _STAMPED.fullmatch(text):
        return None
    key, *acks = text.split(".")
    return key, dict(zip(MAILED, map(int, acks), strict=True))


def _inbox() -> dict[str, Any]:
    return st.session_state.setdefault(_INBOX, {"key": token_hex(5), "acks": {}, "from": None})
