"""Exchange messages with the app as a browser's outbox does: at-least-once delivery, acknowledged edits.

`web/connection/edit_sender.js` is the browser's implementation. All parts of the protocol that a simulated
visitor needs are here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState

Edit = dict[str, Any]

CANVAS = "canvas"
"""Key of the component that takes the edits."""

STILL = 0.03  # seconds without an edit after which the other parts of the page are asked for
LAST = 70_000  # characters at the end of a message in which all but the drawing is; an address may be long
AT_ONCE = 500  # edits in a message
AGAIN, MOST = 3.0, 24.0  # seconds until an unanswered message is sent again; doubled up to the second

_WORD = re.compile(r'"key": ?"([0-9a-f]+)", ?"ack": ?(\d+), ?"from": ?')
_REV = re.compile(r'"rev": ?(\d+)')
_SOCKET = re.compile(r'"socket": ?"([^"]+)"')
_PAGE = re.compile(r'"page": ?true, ?"due"')
_REST = re.compile(r'"due": ?(?:true|false), ?"rest": ?(\d+), ?"turn": ?(\d+)')
_TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class Word(NamedTuple):
    """The part of a component's data that is meant for its outbox.

    Attributes:
      key: of the server's session.
      ack: number of the last edit that has been applied.
      rev: number of the drawing; None for a component that has none.
      rest: seconds until the other parts of the page can be asked for, and the number to ask with; None if
        nobody needs to ask.
      page: whether a run of Streamlit has to draw them.
      socket: name of the session, for the lab's own websocket.
    """

    key: str
    ack: int
    rev: int | None = None
    rest: tuple[float, int] | None = None
    page: bool = False
    socket: str = ""


def read(data: str) -> Word | None:
    """Parse the word at the end of a component's data; None for a component that takes no edits."""
    found = _WORD.search(data, max(0, len(data) - LAST))
    if found is None:
        return None
    rev, rest = _REV.search(data), _REST.search(data, max(0, len(data) - LAST))
    socket = _SOCKET.search(data)
    return Word(
        found[1],
        int(found[2]),
        int(rev[1]) if rev else None,
        (max(int(rest[1]) / 1000, STILL), int(rest[2])) if rest else None,
        _PAGE.search(data) is not None,
        socket[1] if socket else "",
    )


def edits_message(word: Word, edits: Sequence[Edit], seen: bool = False) -> dict[str, Any]:
    """Return the message that posts the `edits` that are not confirmed, at most `AT_ONCE`.

    `seen` says whether the place of the figure is in view.
    """
    have = {} if word.rev is None else {"have": word.rev, "seen": seen}
    return {"key": word.key, "edits": [*edits[:AT_ONCE]], **have}


def rest_message(word: Word, seen: bool = False) -> dict[str, Any]:
    """Return the message that asks for the other parts of the page."""
    return {**edits_message(word, (), seen), "rest": word.rest and word.rest[1]}


def trigger(component: str, message: dict[str, Any]) -> WidgetState:
    """Return a message as Streamlit takes it, from the component with this id."""
    text = json.dumps([{"event": "outbox", "value": message}])
    return WidgetState(id=_TRIGGERS.format(component), json_trigger_value=text)
