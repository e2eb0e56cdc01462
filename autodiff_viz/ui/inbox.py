"""Which edits of the browser have been applied: counted in the session, and stamped on the address.

The browser keeps every edit until it has been confirmed. After a reload or a restart of the server a new
session opens the graph of the address; the stamp on it says which edits that graph has in it, so that the
browser sends the others, and only those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Problem

Edit = dict[str, Any]

STAMP = "at"
"""Of the address: `key.number`, the session and the last edit that it had."""

_STAMPED = re.compile(r"([0-9a-f]{10})\.([0-9]{1,9})")


@dataclass(slots=True)
class Inbox:
    """Attributes:
    key: names the session.
    ack: number of the last edit that has been applied; 0 before the first.
    before: the same of the session whose graph this one has opened.
    """

    key: str = field(default_factory=lambda: token_hex(5))
    ack: int = 0
    before: tuple[str, int] | None = None

    @property
    def word(self) -> dict[str, Any]:
        """What the browser's outbox is told."""
        return {"key": self.key, "ack": self.ack, "from": self.before}

    @property
    def stamp(self) -> str:
        """What stands on an address whose graph has all edits so far."""
        return f"{self.key}.{self.ack}"

    def rewind(self, query: Mapping[str, str]) -> None:
        """Note that an earlier address of this session has been opened: what came after it is not in its
        graph. When the browser never heard of that (the connection was lost on the way) it sends it again."""
        key, ack = read_stamp(query.get(STAMP, "")) or (None, 0)
        if key == self.key:
            self.ack = ack


def read_stamp(text: str) -> tuple[str, int] | None:
    """(key, last edit) of a stamp; None for anything else."""
    found = _STAMPED.fullmatch(text)
    return (found[1], int(found[2])) if found else None


def fresh(message: Any, inbox: Inbox) -> list[Edit]:
    """The edits of one browser message that `inbox` has not had, in order.

    A message to another session, or one that is not made as the browser makes it, holds none.
    """
    if not isinstance(message, dict) or message.get("key") != inbox.key:
        return []
    edits = message.get("edits")
    if not isinstance(edits, list) or len(edits) > limits.EDITS or not all(map(_is_edit, edits)):
        return []
    new = {edit["seq"]: edit for edit in edits if edit["seq"] > inbox.ack}
    return [new[seq] for seq in sorted(new)]


def fault(message: Mapping[str, Any]) -> Problem | None:
    """Why a browser message is not read, for the page to say so; None when it is."""
    edits = message.get("edits")
    if "refused" in message:  # by ui/wire.py
        what = f"brackets nested more than {limits.MESSAGE_DEPTH} deep"
    elif isinstance(edits, list) and len(edits) > limits.EDITS:
        what = f"{len(edits):,} edits at once; at most {limits.EDITS:,} are done"
    else:
        return None
    return Problem("bad-message", f"The browser sent what is not read here: {what}.", "Reload the page.")


def _is_edit(edit: Any) -> bool:
    return isinstance(edit, dict) and type(edit.get("seq")) is int and isinstance(edit.get("kind"), str)
