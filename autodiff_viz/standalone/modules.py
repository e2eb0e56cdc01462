"""Bundle the browser's ES modules into one script.

The modules `import {...}` and `export` const, class, function or default function, at the beginning of a line
and in no other way. What is imported by `import("./x.js")` is no part of the script: it comes when it is
used first. A page that needs only a part of them gets the declarations that its entry reaches (tree
shaking), written without the spaces that only people read.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from autodiff_viz.standalone.tokens import NAME, Token, compact, tokens, words_of

WEB = Path(__file__).parents[1] / "web"  # modules are named by their path from here
_IMPORT = re.compile(r'(from |import\()"(\.{1,2}/[\w./]+\.js)"')
_COMMENT = re.compile(r"/\*\*.*?\*/[ \n]*|^ *//[^\n]*\n", re.DOTALL | re.MULTILINE)  # a quarter of the source
_INDENT = re.compile(r"^ +", re.MULTILINE)
_NAMED = re.compile(r'from "([\w./]+\.js)"')  # once it is named from the root
_LATER = re.compile(r'\bimport\(("[\w./]+\.js")\)')
_IMPORTED = re.compile(r'^import \{([^}]*)\} from ("[\w./]+\.js");', re.MULTILINE)
_EXPORTED = re.compile(r"^export (default )?((?:async )?(?:const|class|function) (\w+))", re.MULTILINE)


def linked(modules: list[tuple[str, str]]) -> str:
    """Return one script that runs the modules that `modules` has not, and stores their exports there.

    The browser loads it in one request: module by module, the canvas would come after everything that the
    rest of the page has to load. `import("x.js")` becomes `part("x.js")`, of whoever takes it.
    """

    def as_constants(statement: re.Match[str]) -> str:
        """Return `import {a as b} from "x.js"` as `const {a: b} = modules["x.js"]`."""
        return f"const {{{statement[1].replace(' as ', ': ')}}} = modules[{statement[2]}];"

    functions = []
    for name, text in modules:
        # A function for each module, so that names of two modules do not clash; it returns what is exported.
        exports = [f"default: {word}" if default else word for default, _, word in _EXPORTED.findall(text)]
        body = _LATER.sub(r"part(\1)", _EXPORTED.sub(r"\2", _IMPORTED.sub(as_constants, text)))
        returned = f"return {{ {', '.join(exports)} }};"
        functions.append(f"modules[{json.dumps(name)}] ??= (() => {{\n{body}\n{returned}\n}})();")
    return "\n".join(functions)


def bundle(entry: str, root: Path = WEB) -> list[tuple[str, str]]:
    """Return (name, text) of `entry` and of the modules that it imports, in topological order.

    Comments and indentation are removed; no string has a line break in it. Modules are named by their path
    from `root`, in their imports too.

    Raises:
      graphlib.CycleError: modules import each other in a circle.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _INDENT.sub("", _source(name, root))
            imports[name] = _NAMED.findall(texts[name])  # in source order: all servers get the same
            waiting.extend(imports[name])
    return [(name, texts[name]) for name in TopologicalSorter(imports).static_order()]


def imported_later(modules: list[tuple[str, str]]) -> list[str]:
    """Return the names of the modules that bundled modules import when they are used first."""
    return [json.loads(name) for _, text in modules for name in _LATER.findall(text)]


def _source(name: str, root: Path) -> str:
    """Return the text of a module without comments of whole lines, its imports named from the root."""
    folder = posixpath.dirname(name)
    text = _COMMENT.sub("", (root / name).read_text("utf-8"))
    return _IMPORT.sub(lambda at: f'{at[1]}"{posixpath.normpath(posixpath.join(folder, at[2]))}"', text)


# Tree shaking. A statement of a module begins where a line begins with a letter; what it declares and which
# names it uses is read off its tokens. A module is assumed to do nothing when it is loaded but declare.

_DECLARED = re.compile(r"^(?:export )?(?:default )?(?:async )?(?:const|let|class|function) (\w+)")
_DESTRUCTURED = re.compile(r"^(?:export )?(?:const|let) [\[{]([^=]*)[\]}] =")
_STATEMENT = re.compile(r"^(?=[A-Za-z])", re.MULTILINE)
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement at the top of a module.

    Attributes:
      text: its source.
      declares: names that it declares.
      uses: names that stand in it, but for those of properties.
    """

    text: str
    declares: frozenset[str]
    uses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Module:
    """A module in pieces.

    Attributes:
      imports: (module, name there) by local name.
      statements: all others, in order.
      exports: local names by exported name.
    """

    imports: Mapping[str, tuple[str, str]]
    statements: tuple[Statement, ...]
    exports: Mapping[str, str]

    def declaring(self, name: str) -> int | None:
        """Return the index of the statement that declares a name; None if none does."""
        return next((i for i, each in enumerate(self.statements) if name in each.declares), None)


def divided(text: str) -> Module:
    """Return the pieces of a module's text, as `_source` gives it."""
    imports = {}
    for names, module in _IMPORTED.findall(text):
        for written in filter(None, (part.strip() for part in names.split(","))):
            there, _, here = written.partition(" as ")
            imports[here or there] = (json.loads(module), there)
    pieces = _STATEMENT.split(_IMPORTED.sub("", text))
    exports = {DEFAULT if default else word: word for default, _, word in _EXPORTED.findall(text)}
    return Module(imports, tuple(_statement(piece) for piece in pieces if piece.strip()), exports)


def _statement(text: str) -> Statement:
    several = _DESTRUCTURED.match(text)
    one = _DECLARED.match(text)
    # Of `{ tab: TAB }` the name after the colon is declared.
    declares = re.findall(r"\w+(?= *(?:,|=|$))", several[1].strip()) if several else [one[1]] if one else []
    return Statement(text, frozenset(declares), frozenset(_names(tokens(text))))


def _names(found: list[Token]) -> Iterator[str]:
    """Yield the names that tokens use, but for those of properties."""
    before = ""
    for token in found:
        if token.kind == NAME and before != ".":
            yield token.text
        if token.inside:
            yield from _names(token.inside)
        if token.text.strip():
            before = token.text


def shaken(entry: str, in_place: Mapping[str, str], root: Path = WEB) -> list[tuple[str, str]]:
    """Return (name, text) of the modules that `entry` needs, each with what is needed of it, in order.

    Args:
      entry: the module whose default export is the program.
      in_place: modules that stand in the place of others, by the name of the other.
    Raises:
      KeyError: a module imports a name that another one does not export.
    """
    modules: dict[str, Module] = {}
    needed: dict[str, set[int]] = {}
    imported: dict[str, set[str]] = {}
    waiting = [(entry, DEFAULT)]
    while waiting:
        name, word = waiting.pop()
        if name not in modules:
            modules[name] = divided(_source(name, root))
            needed[name], imported[name] = set(), set()
        module = modules[name]
        local = module.exports[word]
        reached = [local]
        while reached:
            one = reached.pop()
            if one in module.imports:
                if one not in imported[name]:
                    imported[name].add(one)
                    path, there = module.imports[one]
                    waiting.append((in_place.get(path, path), there))
                continue
            at = module.declaring(one)
            if at is not None and at not in needed[name]:
                needed[name].add(at)
                reached.extend(module.statements[at].uses)
    order = {
        name: sorted({in_place.get(path, path) for path, _ in map(modules[name].imports.get, imported[name])})
        for name in modules
    }
    return [
        (name, _text(modules[name], needed[name], imported[name], in_place))
        for name in TopologicalSorter(order).static_order()
    ]


def _text(module: Module, needed: set[int], imported: set[str], in_place: Mapping[str, str]) -> str:
    """Return the text of a module with the statements that are needed, and imports for them alone."""
    by_path: dict[str, list[str]] = {}
    for local in sorted(imported):
        path, there = module.imports[local]
        written = local if local == there else f"{there} as {local}"
        by_path.setdefault(in_place.get(path, path), []).append(written)
    lines = [f'import {{ {", ".join(names)} }} from "{path}";\n' for path, names in sorted(by_path.items())]
    return "".join([*lines, *(module.statements[i].text for i in sorted(needed))])


def nested(modules: list[tuple[str, str]]) -> str:
    """Return one script of shaken modules, in which what is exported is known to all that come after.

    A name that two modules export is known by another name, and taken over where it is imported.
    """
    names: dict[tuple[str, str], str] = {}
    known: set[str] = set()
    functions = []
    for path, text in modules:
        taken = []
        for imported, module in _IMPORTED.findall(text):
            for written in filter(None, (part.strip() for part in imported.split(","))):
                there, _, here = written.partition(" as ")
                outside = names[json.loads(module), there]
                if outside != (here or there):
                    taken.append((here or there, outside))
        exports = []
        for default, _, word in _EXPORTED.findall(text):
            outside = word if word not in known else f"{word}${len(known)}"
            known.add(outside)
            names[path, DEFAULT if default else word] = outside
            exports.append((word, outside))
        body = _EXPORTED.sub(r"\2", _IMPORTED.sub("", text))
        inside = ", ".join(word for word, _ in exports)
        outside = ", ".join(word if word == other else f"{word}: {other}" for word, other in exports)
        # As arguments, since the module may have a name of its own that is the one outside.
        known_as, given = (", ".join(pair[i] for pair in taken) for i in (0, 1))
        function = f"({known_as}) => {{ {body} return {{ {inside} }}; }}"
        functions.append(f"const {{ {outside} }} = ({function})({given});")
    return "\n".join(functions)


def script_of(entry: str, in_place: Mapping[str, str], root: Path = WEB) -> str:
    """Return one script that declares what `entry` exports, without what it does not need.

    Raises:
      KeyError: a module imports a name that another one does not export.
    """
    modules = shaken(entry, in_place, root)
    others = "\n".join(text for name, text in modules if name not in DATA)
    shared = re.findall(r"\w+", " ".join(one or several for one, several in _OF_SHARED.findall(others)))
    kept = {CONSTANTS: (_RECORD, frozenset(shared)), ICONS: (_ICON, words_of(others))}
    told = ((name, _told(text, *kept[name]) if name in kept else text) for name, text in modules)
    return compact(nested([(name, _OF_MENUS.sub("", text) if name in DATA else text) for name, text in told]))


CONSTANTS, ICONS = "base/constants.js", "base/icons.js"
DATA = {CONSTANTS, ICONS}
"""Modules with data, of which the records go that no other module names."""

_OF_MENUS = re.compile(r'"(action|says|key|replaces|keeps|takesNames)": ("[^"]*"|\w+),? ?|, "\w+": false')
"""Fields of rules and policies that only menus and fields read: a figure has none."""

_OF_SHARED = re.compile(r"\bshared\.(\w+)|\{([^}]*)\} = shared;")
_RECORD = re.compile(r'^  "(\w+)": .*,\n', re.MULTILINE)
_ICON = re.compile(r'^  (\w+):\s+"[^"]*",\n', re.MULTILINE)


def _told(text: str, record: re.Pattern[str], words: Set[str]) -> str:
    """Return a module's text without the records that no other module names; data names rules."""
    start = text.index("export const shared") if "export const shared" in text else 0
    kept = record.sub(lambda found: found[0] if found[1] in words else "", text[start:])
    return text[:start] + kept
