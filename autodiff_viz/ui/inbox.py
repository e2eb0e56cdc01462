"""Acknowledge the browser's edits: exactly-once application over at-least-once delivery.

The browser keeps every edit until it is acknowledged. The session counts the edits that it has applied, and
the address carries a stamp with that count. After a reload or a restart of the server a new session opens the
graph of the address; its stamp says which edits the graph contains, so that the browser sends only the
others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import Problem
from autodiff_viz.graph.text import well_formed
from autodiff_viz.lab.persistence.address import STAMP

TOO_MANY = "too many"
"""In place of a message that has too many values (`ui/server/websocket.py`)."""

Edit = dict[str, Any]

_STAMPED = re.compile(r"([0-9a-f]{10})\.([0-9]{1,9})")


@dataclass(slots=True)
class Inbox:
    """Count of the edits that a session has applied.

    Attributes:
      key: names the session.
      ack: number of the last edit that has been applied; 0 before the first.
      before: `(key, ack)` of the session whose graph this one has opened.
    """

    key: str = field(default_factory=lambda: token_hex(5))
    ack: int = 0
    before: tuple[str, int] | None = None

    @property
    def stamp(self) -> str:
        """The stamp of an address whose graph contains all edits so far."""
        return f"{self.key}.{self.ack}"

    def rewind(self, query: Mapping[str, str]) -> None:
        """Take the count back to that of an earlier address of this session, which has been opened.

        Edits after it are not in its graph. If their acknowledgement has not reached the browser (the
        connection was lost), the browser sends them again.
        """
        key, ack = read_stamp(query.get(STAMP, "")) or (None, 0)
        if key == self.key:
            self.ack = ack


def read_stamp(text: str) -> tuple[str, int] | None:
    """Return (key, last edit) of a stamp; None for any other text."""
    stamped = _STAMPED.fullmatch(text)
    return (stamped[1], int(stamped[2])) if stamped else None


def fresh(message: Any, inbox: Inbox) -> list[Edit]:
    """Return the edits of one browser message that `inbox` has not applied, in order.

    Lone surrogates in their texts are replaced. None are returned for a message to another session or for a
    malformed one.
    """
    if not isinstance(message, dict) or message.get("key") != inbox.key:
        return []
    edits = message.get("edits")
    if not isinstance(edits, list) or len(edits) > limits.EDITS or not all(map(_is_edit, edits)):
        return []
    new = {edit["seq"]: well_formed(edit) for edit in edits if edit["seq"] > inbox.ack}
    return [new[seq] for seq in sorted(new)]


def fault(message: Mapping[str, Any]) -> Problem | None:
    """Return the reason why a browser message cannot be read, for the page to show; None if it can be."""
    edits = message.get("edits")
    if message.get("refused") == TOO_MANY:
        what = f"{limits.MESSAGE_PARTS:,} values or more at once"
    elif "refused" in message:  # set by ui/server/websocket.py
        what = f"brackets nested more than {limits.MESSAGE_DEPTH} deep"
    elif isinstance(edits, list) and len(edits) > limits.EDITS:
        what = f"{len(edits):,} edits at once; at most {limits.EDITS:,} are done"
    else:
        return None
    return Problem("bad-message", f"The browser sent what is not read here: {what}.", "Reload the page.")


def _is_edit(edit: Any) -> bool:
    return isinstance(edit, dict) and type(edit.get("seq")) is int and isinstance(edit.get("kind"), str)
