"""Encode a graph as a link, and decode it: the JSON document, compressed to characters of a URL."""

from __future__ import annotations

import base64
import re
import sys
import zlib
from typing import NoReturn
from urllib.parse import SplitResult, urlsplit, urlunsplit

from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem, known_text, whole_number
from autodiff_viz.graph.text import quoted

# Text as URL-safe characters (zlib and base64), for URLs and for browser storage.


DAMAGED, TRUNCATED, TOO_LONG, MORE = "damaged", "truncated", "too-long", "more"
"""Reasons why a text cannot be unpacked: characters are wrong or missing, its end is missing, it would be too
long, or other data follows it."""


class Unreadable(ValueError):
    """Raised for a text that cannot be unpacked; `why` is one of the reasons above."""

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why


def packed(text: str, level: int = 9) -> str:
    """Compress `text` to letters, digits, - and _."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), level)).rstrip(b"=").decode("ascii")


def unpacked(letters: str, most: int) -> str:
    """Decompress what `packed` wrote; + and / are read as - and _, since an earlier version wrote them.

    Args:
      letters: untrusted; a few of them may unpack to gigabytes.
      most: greatest number of bytes of the text.
    Returns:
      The text.
    Raises:
      Unreadable: `letters` are not a whole packed text, or the text is longer.
    """
    unpacker = zlib.decompressobj()
    plain = letters.rstrip("=").translate({ord("+"): "-", ord("/"): "_"})
    try:
        compressed = base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
        raw = unpacker.decompress(compressed, most + 1)  # no more, however much there would be
    except (ValueError, zlib.error) as error:  # binascii.Error is a ValueError; so is a letter outside ASCII
        raise Unreadable(DAMAGED) from error
    if len(raw) > most:
        raise Unreadable(TOO_LONG)
    if not unpacker.eof:
        raise Unreadable(TRUNCATED)
    if unpacker.unused_data:
        raise Unreadable(MORE)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(DAMAGED) from error


# Links: documents in an address.


VERSION = "1"
"""First character of a payload: the version of its compression."""

_PAYLOAD = re.compile(r"[A-Za-z0-9_-]*")
_IN_ADDRESS = re.compile(r"[?&;]g=([A-Za-z0-9_-]*)")
_ADDRESS = re.compile(r"://|[?]")
_WITHOUT = (
    (
        "kept=",
        "Its graph is too large for a link.",
        "Save it as a JSON file in the browser where it was made.",
    ),
    ("tour=", "It holds a tour.", "read_tour reads it."),
    ("lesson=", "It names a lesson.", "Open it in a browser and copy the link from there."),
)


def to_link(graph: Graph, most: int = limits.LINK, *, base: str | None = None) -> str:
    """Write the graph as letters, digits, - and _, to follow `?g=` in a URL, or as a whole URL.

    Args:
      graph: any graph, including an unfinished one.
      most: greatest number of characters, without those of `base`.
      base: address of a page of this program, such as "https://host.example/"; its other parameters stay.
    Returns:
      The payload, or with `base` the address that opens the graph; `from_link` reads both.
    Raises:
      GraphError: code "link-too-long", when the payload would exceed `most` characters; "link-base", when
        `base` is no address.
    """
    most = whole_number("greatest length", most, 0, sys.maxsize)
    payload = VERSION + packed(to_json(graph, indent=None))
    if len(payload) > most:
        message = f"The graph needs a link of {len(payload)} characters; the limit is {most}."
        _refuse("too-long", message, "Save it as a JSON file, or use smaller tensors.")
    if base is None:
        return payload
    parts = parts_of(base)
    others = [part for part in parts.query.split("&") if part and not part.startswith("g=")]
    return urlunsplit(parts._replace(query="&".join([*others, f"g={payload}"])))


def parts_of(base: str) -> SplitResult:
    """Return the parts of the address of a page.

    Raises:
      GraphError: code "link-base", for what is no address.
    """
    try:
        parts = urlsplit(known_text(base))
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # brackets or a port that no address has; a GraphError is one too
        known = False
    if not known:
        _refuse("base", f"{quoted(base)} is no address.", 'Give one such as "https://host.example/".')
    return parts


def document_in(payload: str, most: int = limits.LINK) -> str:
    """Read the JSON document in a link.

    Args:
      payload: as `to_link` writes it, or the whole address that has it after `g=`.
      most: greatest number of characters of the payload.
    Returns:
      The text of the document, not yet checked.
    Raises:
      GraphError: codes "link-..." for a payload that is truncated, damaged, too long or of a newer version.
    """
    payload, most = known_text(payload).strip(), whole_number("greatest length", most, 0, sys.maxsize)
    if in_address := _IN_ADDRESS.search(payload):
        payload = in_address[1]
    elif _ADDRESS.search(payload):  # of this program, perhaps: what it has in place of a graph
        for sign, message, hint in _WITHOUT:
            if re.search(f"[?&]{sign}", payload):
                _refuse("no-graph", f"The address holds no graph. {message}", hint)
        _refuse("no-graph", "The address holds no graph: ?g= is missing.", "Copy the whole link.")
    if len(payload) > most:
        _refuse("too-long", f"The link has {len(payload)} characters; the limit is {most}.")
    if not payload:
        _refuse("truncated", "The link holds no graph.", "Copy the whole link.")
    if payload[0] != VERSION:
        if payload[0] in "23456789":
            message = f"The link has version {payload[0]}; this program reads version {VERSION}."
            _refuse("version", message, "Reload the page to get the newest program.")
        _refuse("damaged", "This is not a link of this program.", "Copy the whole link.")
    if not _PAYLOAD.fullmatch(payload[1:]):
        _refuse("damaged", "The link holds characters that no link has.", "Copy the link alone.")
    try:
        text = unpacked(payload[1:], limits.JSON)
    except Unreadable as error:
        refuse_unreadable(error)
    if not text.isascii():  # `to_json` escapes all other letters
        _refuse(*_UNREADABLE[MORE])
    return text


def refuse_unreadable(error: Unreadable) -> NoReturn:
    """Raise the GraphError for a payload that cannot be unpacked."""
    _refuse(*_UNREADABLE[error.why])


_UNREADABLE = {
    DAMAGED: ("damaged", "Some characters of the link are wrong or missing.", "Copy the whole link."),
    TOO_LONG: ("too-long", f"The link unpacks to more than {limits.JSON} characters."),
    TRUNCATED: ("truncated", "The end of the link is missing.", "Copy the whole link."),
    MORE: ("damaged", "The link holds something else after or inside the graph.", "Copy the link alone."),
}


def _refuse(code: str, message: str, hint: str = "") -> NoReturn:
    raise GraphError(Problem(f"link-{code}", message, hint))
