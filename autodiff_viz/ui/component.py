"""What the project's own Streamlit components share: their source sent once, their edits received once.

A component's browser code is plain ES modules, which `import {...}` and `export` const, class, function or
default function, at the beginning of a line and in no other way. Streamlit resends a component's source with
every changed message, so the source travels in an element of its own that never changes (and is therefore
sent once); the component's element carries a shim of a few lines and the data.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Callable
from functools import cache, partial
from graphlib import TopologicalSorter
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import streamlit as st

from autodiff_viz.graph import limits
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.ui.inbox import MAILED, confirm, word
from autodiff_viz.ui.session import act
from autodiff_viz.ui.whole import whole
from autodiff_viz.views.lab import refused

Edit = dict[str, Any]

WEB = Path(__file__).parent  # modules are named by their path from here
_IMPORT = re.compile(r'from "(\.{1,2}/[\w./]+\.js)"')
_COMMENT = re.compile(r"/\*\*.*?\*/[ \n]*|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)  # a quarter of the source
_NAMED = re.compile(r'from "([\w./]+\.js)"')  # after `_named_from_root`

_IMPORTED = re.compile(r'^import \{([^}]*)\} from ("[\w./]+\.js");', re.MULTILINE)
_EXPORTED = re.compile(r"^export (default )?((?:const|class|function) (\w+))", re.MULTILINE)

_LOADER = """
const code = (globalThis[%(name)s] ??= {});
const modules = {};
%(source)s
code.main = modules[%(entry)s].default;
code.css = %(css)s;
code.constants = %(constants)s;
code.arrived?.();
export default () => {};
"""

_SHIM = """
const code = (globalThis[%(name)s] ??= {});
const here = code.main ? null : new Promise((arrived) => (code.arrived = arrived));
export default async (component) => {
  await here;
  return code.main(component, code.css, code.constants);
};
"""


def draw(
    folder: str,
    data: dict[str, Any],
    *,
    key: str,
    on_edit: Callable[[list[Edit]], None],
    constants: Callable[[], Any] = dict,
    on_message: Callable[[dict[str, Any]], None] = lambda message: None,
) -> None:
    """Draw the component of `folder` with `data` and call `on_edit` with the edits that come back.

    Args:
      folder: below this one, such as "editor"; its `web/` has a `main.js` and style sheets.
      data: JSON-safe, without `key`, `ack` and `from`, which are added here for the browser's outbox. NaN
        cannot travel as a number.
      key: of the element; one of `inbox.MAILED`.
      on_edit: called before the next run with the new edits in the order in which they were made, each
        `{"seq": int, "kind": str, ...}` and each exactly once, however often the browser sent it. They
        come from outside: their fields must be checked.
      on_message: called with every message to this session, before its edits: for what goes with them.
      constants: makes data that is the same for everybody: it travels once, with the source.
    """
    source, element = _renderers(folder, constants)
    st.session_state[_receiver(key)] = (on_edit, on_message)
    element(key=key, data={**data, **word(key)}, on_outbox_change=partial(_deliver, key))
    source(key=f"{key}_source")  # lab.css takes it out of the flow, or it would leave a gap


def fresh(message: Any, inbox: dict[str, Any]) -> list[Edit]:
    """The edits of one browser message that `inbox` (`key`, `ack`) has not had, in order.

    A message to another session, or one that is not made as the browser makes it, holds none.
    """
    if not isinstance(message, dict) or message.get("key") != inbox["key"]:
        return []
    edits = message.get("edits")
    if not isinstance(edits, list) or len(edits) > limits.EDITS or not all(map(_is_edit, edits)):
        return []
    new = {edit["seq"]: edit for edit in edits if edit["seq"] > inbox["ack"]}
    return [new[seq] for seq in sorted(new)]


def fault(message: dict[str, Any]) -> Problem | None:
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


@whole()
def _deliver(key: str) -> None:
    """Hand on what has come from a component, and with it what came from the others, in the order in which it
    was made: Streamlit has an order of its own, in which a formula typed before a node was deleted could come
    after that, and bring the node back."""
    arrived = [found for name in (*MAILED, key) for found in _arrived(name)]
    in_order = sorted(arrived, key=lambda found: found[0])
    for name, group in groupby(in_order, key=lambda found: found[1]):
        on_edit, _ = st.session_state[_receiver(name)]
        on_edit([edit for _, _, edit in group])


def _arrived(key: str) -> list[tuple[float, str, Edit]]:
    """(when it was made, `key`, edit) for each new edit of a component, which is noted as done."""
    # Nothing as the page is left: the browser sends it again.
    message = (st.session_state.get(key) or {}).get("outbox")
    if not isinstance(message, dict):
        return []
    if problem := fault(message):
        act(refused, GraphError(problem))
        return []
    if message.get("key") != word(key)["key"]:
        return []
    _, on_message = st.session_state[_receiver(key)]
    on_message(message)
    edits = fresh(message, word(key))
    if edits:
        confirm(key, edits[-1]["seq"])  # first: an edit that fails must not come back for ever
    moments = accumulate(map(_made, edits), max)  # in their own order, whatever the clock did
    return [(made, key, edit) for made, edit in zip(moments, edits, strict=True)]


def _made(edit: Edit) -> float:
    made = edit.get("made")
    return float(made) if type(made) in (int, float) and 0 <= made < 1e15 else 0.0


def _receiver(key: str) -> str:
    return f"{key}_receiver"


@cache
def _renderers(folder: str, constants: Callable[[], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The element that carries the source, and the component's own."""
    entry = f"{folder}/web/main.js"
    sheets = sorted((WEB / folder / "web").glob("*.css"))
    source, css = linked(bundle(entry)), "\n".join(sheet.read_text("utf-8") for sheet in sheets)
    texts = {"entry": entry, "css": css, "constants": constants()}
    digest = hashlib.sha256(json.dumps([source, texts]).encode()).hexdigest()[:12]
    fields = {field: json.dumps(text) for field, text in {**texts, "name": f"autodiff_viz_{digest}"}.items()}
    loader = st.components.v2.component(
        f"autodiff_viz_{folder}_source", js=_LOADER % {**fields, "source": source}
    )
    return loader, st.components.v2.component(f"autodiff_viz_{folder}", js=_SHIM % fields)


def linked(modules: list[tuple[str, str]]) -> str:
    """The modules as one script that fills the object `modules`. The browser loads it in one step: module by
    module, the canvas would come after all that the rest of the page has to load."""
    return "\n".join(_as_function(name, text) for name, text in modules)


def _as_function(name: str, text: str) -> str:
    exports = [f"default: {word}" if default else word for default, _, word in _EXPORTED.findall(text)]
    body = _EXPORTED.sub(r"\2", _IMPORTED.sub(_as_constants, text))
    return f"modules[{json.dumps(name)}] = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _as_constants(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = modules[{found[2]}];"


def bundle(entry: str, root: Path = WEB) -> list[tuple[str, str]]:
    """(name, text) of `entry` and of every module it imports, each after all that it imports itself, without
    its comments.

    Modules are named by their path from `root`, in their imports too.

    Raises:
      graphlib.CycleError: modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, set[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _named_from_root(name, _COMMENT.sub("", (root / name).read_text("utf-8")))
            imports[name] = set(_NAMED.findall(texts[name]))
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]


def _named_from_root(name: str, text: str) -> str:
    here = posixpath.dirname(name)
    return _IMPORT.sub(lambda found: f'from "{posixpath.normpath(posixpath.join(here, found[1]))}"', text)
