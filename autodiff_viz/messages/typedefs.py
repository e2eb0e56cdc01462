"""Write the records of messages as types for the browser's scripts, which TypeScript checks against them.

`python -m autodiff_viz.lab.shared_constants` writes the file `web/messages.js`; a test fails if it is out of
date.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import msgspec
from msgspec import Struct, structs
from msgspec import inspect as types

from autodiff_viz.messages import edits, envelope

HEAD = """// @ts-check
// Declare the types of the messages between browser and server, as Python's records have them. Types only.
// `python -m autodiff_viz.lab.shared_constants` writes this file from autodiff_viz/messages.
"""

ENDS = (edits.Producer, edits.Consumer, edits.Trail, edits.QuestionRecord)
"""Records that are parts of edits."""


def typedefs() -> str:
    """Return the text of the module: a type for each record, with one line for each field."""
    kinds = tuple(edits.KINDS.values())
    parts = [HEAD, *map(_typedef, (*ENDS, *kinds)), _union(kinds)]
    return "\n".join([*parts, *map(_typedef, (envelope.Message, envelope.Answer)), "export {};\n"])


def _name(record: type[Struct]) -> str:
    return f"{record.__name__}Edit" if issubclass(record, edits.Edit) else record.__name__


def _union(kinds: tuple[type[Struct], ...]) -> str:
    lines = "".join(f"\n *   {_name(kind)} |" for kind in kinds).removesuffix(" |")
    return (
        f"/**\n * An edit without its number.\n *\n * @typedef {{({lines}\n * )}} NewEdit\n */\n\n"
        "/** An edit with its number in the session. @typedef {NewEdit & { seq: number }} Edit */\n"
    )


def _typedef(record: type[Struct]) -> str:
    """Return a type: what the docstring says of the record, then of each field."""
    text, _, attributes = inspect.getdoc(record).partition("\nAttributes:\n")
    said = dict(re.findall(r"^  (\w+): (.+(?:\n    .+)*)", attributes, re.M))
    lines = [" ".join(text.split()), "", f"@typedef {{object}} {_name(record)}"]
    tag = record.__struct_config__.tag
    if tag is not None:
        lines.append(f'@property {{"{tag}"}} kind')
    own = [each for each in structs.fields(record) if tag is None or each.name != "seq"]
    for each in own:
        name = each.encode_name if each.required else f"[{each.encode_name}]"
        words = " ".join(said[each.name].split())
        lines.append(f"@property {{{_js_type(types.type_info(each.type))}}} {name} {words}")
    return "/**\n" + "\n".join(f" * {line}".rstrip() for line in lines) + "\n */\n"


def _js_type(info: Any) -> str:
    """Return the type of a field in TypeScript's notation."""
    match info:
        case types.Metadata(extra={"js": str(text)}):
            return text
        case types.Metadata(type=inner):
            return _js_type(inner)
        case types.IntType() | types.FloatType():
            return "number"
        case types.StrType():
            return "string"
        case types.BoolType():
            return "boolean"
        case types.NoneType():
            return "null"
        case types.LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in values)
        case types.ListType(item_type=item):
            inner = _js_type(item)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case types.TupleType(item_types=items):
            return f"[{', '.join(map(_js_type, items))}]"
        case types.DictType(value_type=value):
            return f"Record<string, {_js_type(value)}>"
        case types.UnionType(types=options):
            shown = [each for each in options if getattr(each, "cls", None) is not msgspec.UnsetType]
            return " | ".join(map(_js_type, shown))
        case types.StructType(cls=cls):
            return _name(cls)
    return "any"
