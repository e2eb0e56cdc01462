"""Bundle ES modules: link the browser's modules into one script.

The modules `import {...}` and `export` const, class, function or default function, at the beginning of a line
and in no other way.
"""

from __future__ import annotations

import json
import posixpath
import re
from graphlib import TopologicalSorter
from pathlib import Path

WEB = Path(__file__).parents[1]  # modules are named by their path from here
_IMPORT = re.compile(r'from "(\.{1,2}/[\w./]+\.js)"')
_COMMENT = re.compile(r"/\*\*.*?\*/[ \n]*|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)  # a quarter of the source
_NAMED = re.compile(r'from "([\w./]+\.js)"')  # after `_named_from_root`
_IMPORTED = re.compile(r'^import \{([^}]*)\} from ("[\w./]+\.js");', re.MULTILINE)
_EXPORTED = re.compile(r"^export (default )?((?:const|class|function) (\w+))", re.MULTILINE)


def linked(modules: list[tuple[str, str]]) -> str:
    """Return one script that runs the modules and stores their exports in the object `modules`.

    The browser loads it in one request: module by module, the canvas would come after everything that the
    rest of the page has to load.
    """
    return "\n".join(_as_function(name, text) for name, text in modules)


def _as_function(name: str, text: str) -> str:
    exports = [f"default: {word}" if default else word for default, _, word in _EXPORTED.findall(text)]
    body = _EXPORTED.sub(r"\2", _IMPORTED.sub(_as_constants, text))
    return f"modules[{json.dumps(name)}] = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _as_constants(found: re.Match[str]) -> str:
    return f"const {{{found[1].replace(' as ', ': ')}}} = modules[{found[2]}];"


def bundle(entry: str, root: Path = WEB) -> list[tuple[str, str]]:
    """Return (name, text) of `entry` and of the modules that it imports, in topological order.

    Comments are removed. Modules are named by their path from `root`, in their imports too.

    Raises:
      graphlib.CycleError: modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _named_from_root(name, _COMMENT.sub("", (root / name).read_text("utf-8")))
            imports[name] = _NAMED.findall(texts[name])  # in source order: all servers get the same
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]


def _named_from_root(name: str, text: str) -> str:
    here = posixpath.dirname(name)
    return _IMPORT.sub(lambda found: f'from "{posixpath.normpath(posixpath.join(here, found[1]))}"', text)
