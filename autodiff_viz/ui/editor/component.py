"""The canvas as a Streamlit component: sends a drawing to the browser, receives its edits exactly once.

The browser's code is plain ES modules in `web/`. Streamlit resends a component's source with every changed
message, so the source travels in an element of its own that never changes (and is therefore sent once); the
canvas element carries a shim of three lines and the drawing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache, partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any
from uuid import uuid4

import streamlit as st

Edit = dict[str, Any]

WEB = Path(__file__).parent / "web"
EDITS_AT_ONCE = 1_000  # more edits than anybody makes between two runs are not a person's
_IMPORT = re.compile(r'from "\./(\w+\.js)"')

_LOADER = """
const sources = %(sources)s;
const urls = {};
for (const [name, text] of sources) {
  const linked = text.replace(/from "\\.\\/(\\w+\\.js)"/g, (_, other) => `from "${urls[other]}"`);
  urls[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
}
const code = (globalThis[%(name)s] ??= {});
code.module = import(urls["main.js"]);
code.css = %(css)s;
code.arrived?.();
export default () => {};
"""

_SHIM = """
const code = (globalThis[%(name)s] ??= {});
const here = code.module ? null : new Promise((arrived) => (code.arrived = arrived));
export default async (component) => (await here, (await code.module).default(component, code.css));
"""


def canvas(drawing: dict[str, Any], *, key: str, on_edit: Callable[[list[Edit]], None]) -> None:
    """Draw `drawing` and call `on_edit` with the edits that the user makes on it.

    Args:
      drawing: JSON-safe, as `web/types.js` describes it, without `key` and `ack`, which are added here.
        Coordinates are pixels; numbers that are shown come as text, since NaN cannot travel as a number.
      key: of the element, and of what it keeps in the session.
      on_edit: called before the next run with the new edits in the order in which they were made, each
        `{"seq": int, "kind": str, ...}` and each exactly once, however often the browser sent it. They
        come from outside: their fields must be checked.
    """
    source, draw = _renderers()
    inbox = st.session_state.setdefault(_inbox(key), {"key": uuid4().hex, "ack": 0})
    with st.container(gap=None):
        draw(key=key, data={**drawing, **inbox}, on_outbox_change=partial(_deliver, key, on_edit))
        source(key=f"{key}_source")


def fresh(message: Any, inbox: dict[str, Any]) -> list[Edit]:
    """The edits of one browser message that `inbox` (`key`, `ack`) has not had, in order.

    A message to another session, or one that is not made as the browser makes it, holds none.
    """
    if not isinstance(message, dict) or message.get("key") != inbox["key"]:
        return []
    edits = message.get("edits")
    if not isinstance(edits, list) or len(edits) > EDITS_AT_ONCE or not all(map(_is_edit, edits)):
        return []
    new = {edit["seq"]: edit for edit in edits if edit["seq"] > inbox["ack"]}
    return [new[seq] for seq in sorted(new)]


def _is_edit(edit: Any) -> bool:
    return isinstance(edit, dict) and type(edit.get("seq")) is int and isinstance(edit.get("kind"), str)


def _deliver(key: str, on_edit: Callable[[list[Edit]], None]) -> None:
    inbox = st.session_state[_inbox(key)]
    edits = fresh(st.session_state[key].get("outbox"), inbox)
    if edits:
        inbox["ack"] = edits[-1]["seq"]  # first: an edit that fails must not come back for ever
        on_edit(edits)


def _inbox(key: str) -> str:
    return f"{key}_inbox"


@cache
def _renderers() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The element that carries the source, and the canvas element."""
    modules, css = bundle(WEB), (WEB / "canvas.css").read_text("utf-8")
    digest = hashlib.sha256(json.dumps([modules, css]).encode()).hexdigest()[:12]
    texts = {"name": f"autodiff_viz_{digest}", "sources": modules, "css": css}
    fields = {field: json.dumps(text) for field, text in texts.items()}
    source = st.components.v2.component("autodiff_viz_source", js=_LOADER % fields)
    return source, st.components.v2.component("autodiff_viz_canvas", js=_SHIM % fields)


def bundle(folder: Path, entry: str = "main.js") -> list[tuple[str, str]]:
    """(name, text) of `entry` and of every module it imports, each after all that it imports itself.

    Raises:
      graphlib.CycleError: modules import each other in a circle; a blob: URL cannot.
    """
    texts: dict[str, str] = {}
    imports: dict[str, set[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = (folder / name).read_text("utf-8")
            imports[name] = set(_IMPORT.findall(texts[name]))
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]
