"""Link codec: the graph's JSON document, compressed to characters that a URL may hold."""

from __future__ import annotations

import re
from typing import NoReturn

from autodiff_viz.graph import limits
from autodiff_viz.graph.argument_types import known_text
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.compression import DAMAGED, MORE, TOO_LONG, TRUNCATED, Unreadable, packed, unpacked
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem

VERSION = "1"
"""First character of a payload: the version of its compression."""

_PAYLOAD = re.compile(r"[A-Za-z0-9_-]*")
_IN_ADDRESS = re.compile(r"[?&]g=([^&#]*)")


def to_link(graph: Graph, most: int = limits.LINK) -> str:
    """Write the graph as letters, digits, - and _, to follow `?g=` in a URL.

    Args:
      graph: any graph, including an unfinished one.
      most: greatest number of characters.
    Returns:
      The payload, which `from_link` reads.
    Raises:
      GraphError: code "link-too-long", when the payload would exceed `most` characters.
    """
    payload = VERSION + packed(to_json(graph, indent=None))
    if len(payload) > most:
        message = f"The graph needs a link of {len(payload)} characters; the limit is {most}."
        _refuse("too-long", message, "Save it as a JSON file, or use smaller tensors.")
    return payload


def document_in(payload: str, most: int = limits.LINK) -> str:
    """Read the JSON document in a link.

    Args:
      payload: as `to_link` writes it, or a URL with the payload after `g=`.
      most: greatest number of characters of the payload.
    Returns:
      The text of the document, not yet checked.
    Raises:
      GraphError: codes "link-..." for a payload that is truncated, damaged, too long or of a newer version.
    """
    payload = known_text(payload).strip()
    if in_address := _IN_ADDRESS.search(payload):
        payload = in_address[1]
    if len(payload) > most:
        _refuse("too-long", f"The link has {len(payload)} characters; the limit is {most}.")
    if not payload:
        _refuse("truncated", "The link holds no graph.", "Copy the whole link.")
    if payload[0] != VERSION:
        if payload[0] in "23456789":
            message = f"The link has version {payload[0]}; this program reads version {VERSION}."
            _refuse("version", message, "Reload the page to get the newest program.")
        _refuse("damaged", "This is not a link of this program.", "Copy the whole link.")
    return _inflated(payload[1:])


def _inflated(payload: str) -> str:
    if not _PAYLOAD.fullmatch(payload):
        _refuse("damaged", "The link holds characters that no link has.", "Copy the link alone.")
    try:
        text = unpacked(payload, limits.JSON)
    except Unreadable as error:
        _refuse(*_UNREADABLE[error.why])
    if not text.isascii():
        _refuse(*_UNREADABLE[MORE])
    return text


_UNREADABLE = {
    DAMAGED: ("damaged", "Some characters of the link are wrong or missing.", "Copy the whole link."),
    TOO_LONG: ("too-long", f"The link unpacks to more than {limits.JSON} characters."),
    TRUNCATED: ("truncated", "The end of the link is missing.", "Copy the whole link."),
    MORE: ("damaged", "The link holds something else after or inside the graph.", "Copy the link alone."),
}


def _refuse(code: str, message: str, hint: str = "") -> NoReturn:
    raise GraphError(Problem(f"link-{code}", message, hint))
