"""Write the pages of the Python interface from its docstrings: one for each folder of the package."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import autodiff_viz as av
from website.pages import Page

TOP = "Python"
ROOT = Path(av.__file__).parent
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields|Source):[ ]*(.*)$")
_FIELD = re.compile(r"^  (\*{0,2}\w[\w, *]*): (.*)$")


def api_pages() -> Iterator[Page]:
    """Yield the list of all names, and a page for each folder of the package."""
    rooms: dict[str, list[str]] = {}
    for name in av.__all__:
        shown = getattr(av, name)
        module = shown.__name__ if inspect.ismodule(shown) else shown.__module__
        rooms.setdefault(module.split(".")[1], []).append(name)
    order = [room for room in _order() if room in rooms] + sorted(rooms.keys() - {*_order()})
    rows = [
        f"| [`{name}`]({room}.md#{name.lower()}) | {_first(getattr(av, name)).replace('|', '&#124;')} |"
        for room in order
        for name in sorted(rooms[room], key=str.lower)
    ]
    lead, _, rest = inspect.getdoc(av).partition("\n\n")
    code, _, words = rest.partition("\n\n") if rest.startswith("import") else ("", "", rest)
    table = "\n".join(["| name | what it does |", "| --- | --- |", *rows])
    about = "Every function and record of autodiff_viz, from its docstrings."
    body = f"{lead}\n\n```python\n{code}\n\n{words.split(chr(10) * 2)[0]}\n```\n\n{table}"
    yield Page("api/index.md", "The Python interface", body, about, section=(TOP,))
    for room in order:
        says = _room(room)
        names = sorted(rooms[room], key=_functions_first)
        body = "\n\n".join([says, *(_entry(name, getattr(av, name)) for name in names)])
        title = f"autodiff_viz: {room}"
        about = f"{says} {', '.join(names)}"
        yield Page(f"api/{room}.md", title, body, about, section=(TOP,), label=room)


def _order() -> list[str]:
    """Return the folders of the package as the map of the architecture lists them."""
    text = (ROOT.parent / "docs" / "architecture.md").read_text("utf-8")
    return re.findall(r"^\| `autodiff_viz/(\w+)` \|", text, re.MULTILINE)


def _room(room: str) -> str:
    """Return what a folder is, in the words of its own docstring."""
    return ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8"))) or ""


def _functions_first(name: str) -> tuple[bool, str]:
    return inspect.isclass(getattr(av, name)), name.lower()


def _first(shown: Any) -> str:
    """Return the first sentence of a docstring."""
    return re.split(r"(?<=\.)\s", " ".join((inspect.getdoc(shown) or "").split()))[0]


def _entry(name: str, shown: Any) -> str:
    """Return what is said of a name: how it is called, and its docstring."""
    head = f"## `{name}` {{ #{name.lower()} }}"
    kind = types.ModuleType if inspect.ismodule(shown) else type(shown)
    parts = [head]
    if kind is not types.ModuleType:
        parts.append(f"```python\n{_called(name, shown)}\n```")
    parts.append(_words(inspect.getdoc(shown) or ""))
    if inspect.isclass(shown):
        parts += _members(name, shown)
    return "\n\n".join(parts)


def _members(name: str, shown: type) -> Iterator[str]:
    """Yield the public methods and properties of a class that say what they do."""
    for member, own in vars(shown).items():
        function = own.fget if isinstance(own, property) else getattr(own, "__func__", own)
        if member.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        called = f"{name}.{member}" if isinstance(own, property) else _called(f"{name}.{member}", function)
        head = f"### `{name}.{member}` {{ #{name.lower()}.{member} }}"
        yield "\n\n".join((head, f"```python\n{called}\n```", _words(inspect.getdoc(function))))


class _Bare(str):
    """An annotation that is written as it stands in the source, without quotes and paths before its names."""

    __slots__ = ()

    def __repr__(self) -> str:
        return re.sub(r"(?<![\w.])(?:\w+\.)+(?=[A-Za-z])", "", self)


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _called(name: str, shown: Any) -> str:
    """Return a call as it is written, one argument a line where it is long."""
    try:
        signature = inspect.signature(shown)
    except (TypeError, ValueError):
        return name
    kept = [
        each.replace(annotation=_bare(each.annotation))
        for key, each in signature.parameters.items()
        if key != "self" and not key.startswith("_")
    ]
    gives = "" if inspect.isclass(shown) else _bare(signature.return_annotation)
    arrow = "" if gives in ("", inspect.Signature.empty) else f" -> {gives!r}"
    written = f"({', '.join(map(str, kept))}){arrow}"
    if len(name) + len(written) <= 88:
        return name + written
    return f"{name}(\n" + "".join(f"    {each},\n" for each in kept) + f"){arrow}"


def _words(doc: str) -> str:
    """Return a docstring as Markdown: its sections as lists."""
    parts: list[str] = []
    for line in doc.splitlines():
        section, field = _SECTION.match(line), _FIELD.match(line)
        if section:
            parts += ["", f"**{section[1]}**", "", section[2]]
        elif field:
            parts.append(f"- `{field[1]}`: {field[2]}")
        else:
            parts.append(line.strip() if not line.startswith("    ") or parts[-1:] else line)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(parts))
    outside = re.split(r"(`[^`]*`)", text)  # of code, which is written as it is
    return "".join(part if at % 2 else part.replace("<", "&lt;") for at, part in enumerate(outside))
