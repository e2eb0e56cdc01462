"""The canvas as a Streamlit component: sends a drawing to the browser, receives its edits exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from autodiff_viz.graph.model import FOLLOW
from autodiff_viz.ui.component import Edit, draw
from autodiff_viz.views.cards import HEIGHT, WIDTH
from autodiff_viz.views.delta import delta, shared
from autodiff_viz.views.palette import palette

Edited = Callable[[list[Edit], set[Any]], None]


def canvas(drawing: dict[str, Any], *, key: str, on_edit: Edited) -> None:
    """Draw `drawing` and call `on_edit` with the edits that the user makes on it.

    Only what has changed travels, since a drawing that the browser says that it has: whatever got lost on the
    way, the two never differ.

    Args:
      drawing: as `web/types.js` describes it, without `rev`, `key`, `ack` and the palette. Coordinates are
        pixels; numbers that are shown come as text.
      key: of the element.
      on_edit: called with the new edits, as `ui.component.draw` says, and with the numbers of the refused
        edits of which the browser has shown why.
    """

    def hear(message: dict[str, Any]) -> None:
        _sent(key)["have"] = message.get("have")

    def deliver(edits: list[Edit]) -> None:
        on_edit([edit for edit in edits if edit["kind"] != RESYNC], _refused(_sent(key)))

    data = _news(_sent(key), lean(drawing))
    draw("editor", data, key=key, on_edit=deliver, on_message=hear, constants=palette)


def _sent(key: str) -> dict[str, Any]:
    """By the number of its message, each drawing that the browser may have; the last number that it said."""
    return st.session_state.setdefault(f"{key}_sent", {"rev": 0, "have": None, "drawings": {}})


def _refused(sent: dict[str, Any]) -> set[Any]:
    have = sent["have"]
    drawing = sent["drawings"].get(have, {}) if type(have) is int else {}
    return {notice.get("seq") for notice in drawing.get("notice", ())}


def _news(sent: dict[str, Any], drawing: dict[str, Any]) -> dict[str, Any]:
    """The message for a drawing: all of it, or what changed since one that the browser has."""
    drawings, rev = sent["drawings"], sent["rev"] + 1
    have = sent["have"] if type(sent["have"]) is int and sent["have"] in drawings else None
    last = drawings.get(sent["rev"])
    kept = [number for number in drawings if number == have or number > rev - KEPT]
    sent["rev"], sent["drawings"] = rev, {**{n: drawings[n] for n in kept}, rev: shared(last, drawing)}
    if have is None:
        return {"rev": rev, "full": drawing}
    return {"rev": rev, "base": have, "patch": delta(drawings[have], drawing)}


RESYNC = "resync"  # an edit that asks for nothing but a drawing
KEPT = 8  # drawings that may still be on their way when the browser says which one it has


USUAL = {"rule": FOLLOW, "connected": True, "w": WIDTH, "h": HEIGHT}


def lean(data: Any) -> Any:
    """`data` without what `web/lean.js` puts back: fields that hold nothing or what they usually hold, and
    what another field says already."""
    if isinstance(data, dict):
        fields = {name: lean(field) for name, field in data.items()}
        return {name: field for name, field in fields.items() if not _spare(fields, name, field)}
    return [lean(item) for item in data] if isinstance(data, list | tuple) else data


def _spare(fields: dict[str, Any], name: str, field: Any) -> bool:
    if name == "symbol":
        return field == fields.get("op")
    if name == "text":
        return field == fields.get("literal")
    if name.endswith("Full"):
        return field == fields.get(name.removesuffix("Full"))
    if name in USUAL:
        return field == USUAL[name]
    return field is None or field is False or field in ("", [])
