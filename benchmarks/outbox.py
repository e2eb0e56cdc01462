"""How edits travel between a browser and the app: what a component's outbox is sent, and what its data says.

The browser's side of it is `ui/web/mail.js`. All that a simulated visitor knows of it is here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from streamlit.proto.WidgetStates_pb2 import WidgetState

Edit = dict[str, Any]

LAB = "lab"
"""Key of the component that takes all edits, on a page that has one."""

DRAWN, BY_KIND = "canvas", {"move": "sliders", "text": "formula"}
"""On a page that has none: key of the component that draws the graph, and keys by the kind of an edit."""

STILL = 0.3  # seconds after a confirmation until the browser asks for the panels, if no other edit follows
AT_ONCE = 500  # edits in a message
RESEND, MOST_RESEND = 3.0, 24.0  # seconds until what is not confirmed is posted again, and at most

_WORD = re.compile(r'"key": "([0-9a-f]+)", "ack": (\d+), "from": ')
_REV = re.compile(r'"rev": (\d+)')
_TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class Word(NamedTuple):
    """What a component's data says to its outbox.

    Attributes:
      key: of the server's session.
      ack: number of the last edit that has been applied.
      rev: number of the drawing; None of a component that has none.
    """

    key: str
    ack: int
    rev: int | None


def component_of(kind: str, there: Container[str]) -> str:
    """Key of the component to which an edit of this kind is posted, of those that are `there`."""
    return LAB if LAB in there else BY_KIND.get(kind, DRAWN)


def draws(name: str) -> bool:
    """Whether the component with this key draws the graph."""
    return name in (LAB, DRAWN)


def read(data: str) -> Word | None:
    """The word at the end of a component's data; None of one that takes no edits."""
    found = _WORD.search(data, max(0, len(data) - 200))
    rev = _REV.search(data)
    return Word(found[1], int(found[2]), int(rev[1]) if rev else None) if found else None


def edits_message(word: Word, edits: Sequence[Edit]) -> dict[str, Any]:
    """The message that posts all `edits` that are not confirmed."""
    have = {} if word.rev is None else {"have": word.rev}
    return {"key": word.key, "edits": [*edits[:AT_ONCE]], **have}


def rest_message(word: Word, number: int) -> dict[str, Any] | None:
    """The message that asks for the panels once the hands are still, after the edit of this number."""
    return {"key": word.key, "edits": [], "rest": number}


def trigger(component: str, message: dict[str, Any]) -> WidgetState:
    """A message as Streamlit takes it, from the component with this id."""
    text = json.dumps([{"event": "outbox", "value": message}])
    return WidgetState(id=_TRIGGERS.format(component), json_trigger_value=text)
