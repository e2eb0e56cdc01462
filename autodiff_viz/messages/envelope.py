"""Declare the messages between browser and server that carry edits one way and drawings the other.

They are the same on both connections, the lab's own websocket and Streamlit's channel. What the browser sends
is untrusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, ValidationError, convert, field, json, structs

from autodiff_viz.graph import limits

Pair = tuple[str, str]

Sweeps = Annotated[Raw, Meta(extra={"js": 'import("./canvas/scrub.js").Sent[]'})]
Play = Annotated[Raw, Meta(extra={"js": 'import("./explain/play.js").Sent'})]
Shared = Annotated[Raw, Meta(extra={"js": 'import("./share/links.js").Shared'})]
"""JSON of other records, whose types stand in the scripts named here."""


class Message(Struct, frozen=True, omit_defaults=True):
    """A message of the browser.

    Attributes:
      key: names the session that it is for.
      edits: those that have not been acknowledged, in order; each is one of `messages/edits.py`.
      have: number of the drawing that the browser has.
      seen: whether the place of the figure is in view.
      panel: name of the plot that is in view in place of figures, such as the training; "" for none.
      second: name of the figure beside it.
      large: whether the type is large.
      high: whether the place of the figures is high.
      noticed: numbers of the refused edits whose reasons the browser has shown.
      details: whether the table of the check is open.
      want: tables that sliders wait for, by input with the key of its table.
      play: state of the numbers whose pass is to be played.
      stepped: state of the numbers whose pass the user has stepped back and forth.
      share: the page's own address and what is to be added to a link, if links and a QR code are requested.
      rest: number of the last answer, in a request for the other parts of the page.
      stop: whether the code that is being read is not to be read on.
      refused: in place of all else, why the server has not read the message.
    """

    key: str | None = None
    edits: list[dict[str, Any]] = field(default_factory=list)
    have: int | None = None
    seen: bool = False
    panel: str = ""
    second: str | None = None
    large: bool = False
    high: bool = False
    noticed: Annotated[list[int | None], Meta(max_length=limits.EDITS)] = field(default_factory=list)
    details: bool = False
    want: Annotated[list[Pair], Meta(max_length=limits.NODES)] = field(default_factory=list)
    play: int | None = None
    stepped: int | None = None
    share: Annotated[dict[str, str], Meta(max_length=limits.SHARED)] = field(default_factory=dict)
    rest: int | UnsetType = UNSET
    stop: bool = False
    refused: str | None = None


_TYPES: Mapping[str, Any] = {each.encode_name: each.type for each in structs.fields(Message)}


def read_message(data: Mapping[str, Any]) -> Message:
    """Decode a message from outside; a field of another type than the browser sends is left out."""
    try:
        return convert(data, Message)
    except ValidationError:
        return convert({name: data[name] for name in _TYPES if name in data and _fits(name, data)}, Message)


def _fits(name: str, data: Mapping[str, Any]) -> bool:
    try:
        convert(data[name], _TYPES[name])
    except ValidationError:
        return False
    return True


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message to the browser.

    Whatever message is lost, browser and server agree: it has the difference from the drawing that the
    browser says that it has, or all of the drawing.

    Attributes:
      rev: number of the newest drawing.
      base: number of the drawing that `patch` changes.
      full: the whole drawing.
      patch: the difference, as `canvas/delta.py` writes it.
      socket: name of the session, a secret, for the lab's own websocket.
      tables: for sliders.
      page: whether a run of Streamlit has to draw the rest of the page.
      due: whether the rest of the page is to be drawn.
      rest: ms after which the browser asks for the rest of the page; null for never.
      turn: number of the message.
      seen: whether the server knows that the figure is in view.
      key: names the session.
      ack: number of the last edit that has been applied.
      before: the session whose graph this one has opened, and the last edit in that graph.
      play: the steps of the pass, once requested.
      share: links and a QR code, once requested.
      query: of the address, over the lab's own websocket.
    """

    rev: int
    base: int | UnsetType = UNSET
    full: Raw | UnsetType = UNSET
    patch: Raw | UnsetType = UNSET
    socket: str
    tables: Sweeps
    page: bool
    due: bool
    rest: float | None
    turn: int
    seen: bool
    key: str
    ack: int
    before: tuple[str, int] | None = field(name="from")
    play: Play | UnsetType = UNSET
    share: Shared | UnsetType = UNSET
    query: str | UnsetType = UNSET


def encoded(data: Any) -> Raw:
    """Return data as JSON that is put into a message as it stands."""
    return Raw(json.encode(data))


def answer_text(answer: Answer) -> str:
    """Return an answer as JSON."""
    return json.encode(answer).decode()


def streamlit_data(answer: Answer) -> dict[str, Any]:
    """Return an answer as the data of a Streamlit component, with what is encoded already as texts.

    Streamlit need not serialise a text again, nor does it search a text for tables, which loads pandas
    (60 MB).
    """
    data = {each.encode_name: getattr(answer, each.name) for each in structs.fields(answer)}
    return {
        name: bytes(value).decode() if isinstance(value, Raw) else value
        for name, value in data.items()
        if value is not UNSET
    }
