"""Read JAX's functions of nested tuples, lists and dictionaries of arrays, and NamedTuples that are such."""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from autodiff_viz.graph import limits
from autodiff_viz.graph.syntax_tree import syntax_tree
from autodiff_viz.reading.functions.arrays import known, r_array, reshape, shape_of
from autodiff_viz.reading.language.operators import as_written, equal, written
from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import (
    Array,
    Class,
    ClassMethod,
    Function,
    Native,
    Property,
    Refused,
    Scope,
    Static,
    in_tree_order,
    leaves,
    names_of,
    tree_mapped,
)
from autodiff_viz.reading.nodes.costs import NAMES, LibraryError, pay


def _form(value: Any) -> Any:
    """Return the form of a tree: what nests what, without the leaves."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: _form(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, [_form(one) for one in value])
    return "*"


@known("tree.map", "jax.tree_map", "jax.tree_multimap", "tree.multimap")
def tree_map(reader: Reader, f: Any, tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    """Read a function of each leaf of a tree, and of those at its place in others."""
    if is_leaf is not None:
        return _map_until(reader, f, tree, rest, is_leaf)
    if any(not equal(_form(other), _form(tree)) for other in rest):
        raise Refused("tree_map() needs trees of one form.")
    others = [iter([leaf for _, leaf in leaves(one)]) for one in rest]
    return tree_mapped(lambda leaf: reader.call(f, [leaf, *(next(one) for one in others)], {}), tree)


def _map_until(reader: Reader, f: Any, tree: Any, rest: tuple, is_leaf: Any) -> Any:
    if reader.truth(reader.call(is_leaf, [tree], {})) or not isinstance(tree, (dict, list, tuple)):
        return reader.call(f, [tree, *rest], {})
    if isinstance(tree, dict):
        return {
            key: _map_until(reader, f, one, tuple(o[key] for o in rest), is_leaf) for key, one in tree.items()
        }
    parts = [_map_until(reader, f, one, tuple(o[i] for o in rest), is_leaf) for i, one in enumerate(tree)]
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


@known("tree.leaves")
def tree_leaves(reader: Reader, tree: Any) -> list[Any]:
    """Read the leaves of a tree."""
    return [leaf for _, leaf in leaves(tree)]


# How the steps of a path are called, and what each of them holds.
DictKey, SequenceKey, GetAttrKey = (
    namedtuple("DictKey", ["key"]),
    namedtuple("SequenceKey", ["idx"]),
    namedtuple("GetAttrKey", ["name"]),
)
_STEPS = (DictKey, SequenceKey, GetAttrKey)


def _with_paths(value: Any, path: tuple = ()) -> list[tuple[tuple, Any]]:
    """Return (path, leaf) of a tree, in the order of its leaves."""
    if value is None:
        return []
    if not isinstance(value, (dict, tuple, list)):
        return [(path, value)]
    if isinstance(value, dict):
        parts = [(DictKey(key), value[key]) for key in in_tree_order(value)]
    elif hasattr(value, "_fields"):
        parts = [(GetAttrKey(name), one) for name, one in zip(value._fields, value, strict=True)]
    else:
        parts = [(SequenceKey(i), one) for i, one in enumerate(value)]
    return [pair for step, one in parts for pair in _with_paths(one, (*path, step))]


@known("tree.map_with_path")
def tree_map_with_path(reader: Reader, f: Any, tree: Any, *rest: Any) -> Any:
    """Read a function of each leaf of a tree and of the way to it."""
    leaves(tree)  # refuses one that is nested too deep
    paths = iter([path for path, _ in _with_paths(tree)])
    called = Native(lambda _, args, keywords: reader.call(f, [next(paths), *args], keywords), "map_with_path")
    return tree_map(reader, called, tree, *rest)


@known("tree.leaves_with_path")
def tree_leaves_with_path(reader: Reader, tree: Any) -> list[tuple]:
    """Read the leaves of a tree, each with the way to it."""
    leaves(tree)
    return _with_paths(tree)


@known("tree.flatten_with_path")
def tree_flatten_with_path(reader: Reader, tree: Any) -> tuple[list[tuple], Form]:
    """Read a tree as its leaves with the ways to them, and its form."""
    return tree_leaves_with_path(reader, tree), Form(tree)


@known("tree.keystr")
def keystr(reader: Reader, keys: Any, *, simple: bool = False, separator: str = "") -> str:
    """Read the way to a leaf as JAX writes it."""
    if not isinstance(keys, tuple) or not all(isinstance(one, _STEPS) for one in keys):
        raise Refused("keystr() takes the way to a leaf.")
    if simple:
        return written([part for (one,) in keys for part in (separator, str(one))][1:])
    forms = {DictKey: "[{!r}]", SequenceKey: "[{!r}]", GetAttrKey: ".{}"}
    return written([part for one in keys for part in (separator, forms[type(one)].format(one[0]))][1:])


class Form:
    """What `tree_structure` returns: a tree whose leaves are to be filled."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def filled(self, items: list[Any]) -> Any:
        """Return the tree with other leaves.

        Raises:
          Refused: there are too few or too many.
        """
        if len(items) != len(leaves(self.tree)):
            raise Refused(f"This tree has {len(leaves(self.tree))} leaves, and {len(items)} are given.")
        each = iter(items)
        return tree_mapped(lambda _: next(each), self.tree)


@known("tree.structure")
def tree_structure(reader: Reader, tree: Any) -> Form:
    """Read the form of a tree."""
    return Form(tree)


@known("tree.flatten")
def tree_flatten(reader: Reader, tree: Any) -> tuple[list[Any], Form]:
    """Read a tree as its leaves and its form."""
    return tree_leaves(reader, tree), Form(tree)


@known("tree.unflatten")
def tree_unflatten(reader: Reader, treedef: Any, leaves: Any) -> Any:
    """Read a tree from its form and its leaves."""
    if not isinstance(treedef, Form):
        raise Refused("tree_unflatten() takes a form and leaves.")
    return treedef.filled(list(reader.items(leaves)))


@known("tree.reduce")
def tree_reduce(reader: Reader, f: Any, tree: Any, *start: Any) -> Any:
    """Read the leaves of a tree, joined one after the other."""
    total: Any = start[0] if start else None
    for leaf in tree_leaves(reader, tree):
        total = leaf if total is None else reader.call(f, [total, leaf], {})
    return total


@known("tree.all")
def tree_all(reader: Reader, tree: Any) -> bool:
    """Read whether all leaves hold."""
    return all(reader.truth(leaf) for leaf in tree_leaves(reader, tree))


@known("tree.transpose")
def tree_transpose(reader: Reader, outer: Form, inner: Form, tree: Any) -> Any:
    """Refuse to turn trees inside out."""
    raise Refused("tree_transpose() is not read.", "Use tree_map.")


@known("jax.flatten_util.ravel_pytree")
def ravel_tree(reader: Reader, tree: Any) -> tuple[Array, Native]:
    """Read a tree as one vector, and the function that leads back."""
    items = [r_array(reader, leaf) for _, leaf in leaves(tree)]
    arrays = [
        one if isinstance(one, Array) else Array(reader.held(one), "jax", reader.usual_float())
        for one in items
    ]
    shapes = [shape_of(reader, one) for one in arrays]
    flat = [reshape(reader, one, -1) for one in arrays]
    if not flat:
        raise Refused("This tree has no leaves.")
    whole = flat[0] if len(flat) == 1 else reader.make("concatenate", flat, axis=0)

    def back(_: Reader, args: list, keywords: dict) -> Any:
        if len(args) != 1:
            raise Refused("unravel() takes one vector.")
        parts, start = [], 0
        for shape in shapes:
            size = 1
            for one in shape:
                size *= one
            piece = reader.make("getitem", [args[0]], index=((start, start + size, None),))
            parts.append(reshape(reader, piece, shape))
            start += size
        return Form(tree).filled(parts)

    return whole, Native(back, "unravel")


@known("collections.namedtuple")
def new_record(reader: Reader, typename: Any, field_names: Any) -> Any:
    """Read a type of tuples whose elements have names."""
    names = field_names.replace(",", " ").split() if isinstance(field_names, str) else list(field_names)
    return record_type(str(typename) or "Record", names, {})


def record_type(
    name: str, names: list[str], defaults: dict[str, Any], members: Any = None, static: Collection[str] = ()
) -> Native:
    """Return what makes tuples of a type whose elements have names.

    Args:
      static: the names of elements that are no leaves of a tree.
    """
    if len(names) > NAMES:
        raise Refused(f"A tuple has at most {NAMES} names here.", "", "too-large")
    pay(100 + len(names))  # Python compiles a class for it
    try:
        made = namedtuple(name, names, defaults=[defaults[one] for one in names if one in defaults])
    except (ValueError, TypeError) as error:
        raise Refused(f"{error}.".capitalize()) from None
    made.members = dict(members or {})  # type: ignore[attr-defined]

    def call(reader: Reader, args: list, keywords: dict) -> Any:
        try:
            whole = made(*args, **keywords)
        except TypeError as error:
            about = str(error).partition(")")[2].strip()
            raise Refused(f"{name} is not made of these values: {about}.") from None
        return made(*(_element(reader, one, own in static) for own, one in zip(names, whole, strict=True)))

    return Native(call, name)


@dataclass(frozen=True, eq=False)
class Field:
    """What `dataclasses.field` returns: the default of an element, or what makes one for each record."""

    default: Any = None
    factory: Any = None
    static: bool = False


def _element(reader: Reader, value: Any, static: bool) -> Any:
    if isinstance(value, Field):
        value = value.default if value.factory is None else reader.call(value.factory, [], {})
    return Static(value) if static and not isinstance(value, Static) else value


NO_DEFAULT = object()


@known("dataclasses.field", "flax.struct.field", "equinox.field", "chex.field")
def data_field(
    reader: Reader,
    *,
    default: Any = NO_DEFAULT,
    default_factory: Any = None,
    metadata: Any = None,
    static: bool = False,
    pytree_node: bool = True,
    repr: bool = True,
) -> Field:
    """Read what a dataclass says of one of its elements."""
    if default is NO_DEFAULT and default_factory is None:
        raise Refused("A field without a default is not read.", "Write its name and its type alone.")
    static = bool(static or not pytree_node or (metadata or {}).get("static"))
    return Field(default, default_factory, static)


DATACLASSES = frozenset(["dataclass", "register_dataclass"])


def class_made(reader: Reader, made: Class, node: ast.ClassDef) -> Any:
    """Return what a class of the text is: of a NamedTuple or a dataclass, what makes tuples with names."""
    decorators = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    words = {as_written(one, limits.NAME).rpartition(".")[2] for one in decorators}
    words |= {
        as_written(one.args[0], limits.NAME).rpartition(".")[2]
        for one in node.decorator_list
        if isinstance(one, ast.Call) and one.args
    }
    record = any(base in ("typing.NamedTuple", "NamedTuple") for base in made.bases)
    if not record and not words & DATACLASSES:
        return made
    if not record and words & {"dataclass"} and "__post_init__" in made.members:
        return _with_init(reader, made, node)
    own = {"__init__", "__post_init__", "__iter__", "__eq__"} & {*made.members}
    if own:
        raise Refused(f"A dataclass with {min(own)}() of its own is not read.", "Write a function.", at=node)
    names = [
        one.target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]
    usual = dict(made.members)
    static = {name for name in names if isinstance(usual.get(name), Field) and usual[name].static}
    for call in node.decorator_list:
        if isinstance(call, ast.Call) and "register_dataclass" in as_written(call, limits.NAME):
            if len(call.args) > 1 or any(
                one.arg not in ("data_fields", "meta_fields") for one in call.keywords
            ):
                raise Refused("register_dataclass() is read with data_fields and meta_fields.", at=call)
            for keyword in call.keywords:
                if keyword.arg == "meta_fields":
                    static |= set(reader.items(reader.value(keyword.value), keyword.value))
    if "tree_flatten" in made.members:
        static |= _kept_apart(reader, record_type(made.name, names, usual, made.members), names, made, node)
    return record_type(made.name, names, usual, made.members, static)


def _with_init(reader: Reader, made: Class, node: ast.ClassDef) -> Class:
    """Return a dataclass that computes elements of its own as a class, with the `__init__` that it gets."""
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    names = [one.target.id for one in fields if isinstance(one.target, ast.Name)]
    if any(isinstance(one, Field) for one in made.members.values()) or made.above or len(fields) > NAMES:
        raise Refused("A dataclass with __post_init__() is read without field() and without a base.", at=node)
    first = next((i for i, one in enumerate(fields) if one.value is not None), len(fields))
    if any(one.value is None for one in fields[first:]):
        raise LibraryError("non-default argument follows default argument", at=node)
    lines = [f"def __init__({', '.join(['self', *names])}):", *(f"self.{name} = {name}" for name in names)]
    (init,) = syntax_tree("\n    ".join([*lines, "self.__post_init__()"])).body
    assert isinstance(init, ast.FunctionDef)
    for each in ast.walk(init):
        ast.copy_location(each, node)
    init.args.defaults = [one.value for one in fields[first:] if one.value is not None]
    with reader.inside(Scope({}, reader.scope)):
        reader.run([init])
        own = reader.scope.names["__init__"]
    own.owner = made
    made.members["__init__"] = own  # type: ignore[index]
    return made


def _kept_apart(reader: Reader, new: Native, names: list[str], made: Class, node: ast.ClassDef) -> set[str]:
    """Return the elements that `tree_flatten` of a class keeps apart from the leaves.

    Raises:
      Refused: it does more than that, or `tree_unflatten` does not lead back.
    """
    marks = [Static(name) for name in names]  # what is handed on stays itself
    flat = reader.call(made.members["tree_flatten"], [new.call(reader, marks, {})], {}, node)
    back = made.members.get("tree_unflatten")
    if isinstance(flat, (tuple, list)) and len(flat) == 2 and isinstance(back, ClassMethod):
        children = [one for one in reader.items(flat[0]) if isinstance(one, str)]
        again = reader.call(back.function, [new, flat[1], flat[0]], {}, node)
        in_order = [name for name in names if name in children]
        whole = isinstance(again, tuple) and [getattr(one, "value", one) for one in again] == names
        if whole and children == in_order and len(children) == len(flat[0]):
            return {*names} - {*children}
    raise Refused(
        f"{made.name}.tree_flatten() is read if it returns elements in their order, and what is kept apart.",
        at=node,
    )


def record_attribute(reader: Reader, value: Any, name: str, node: ast.AST) -> Any:
    """Return an element of a tuple by its name, or a method of such a tuple."""
    if name in value._fields:
        return _plain(value[value._fields.index(name)])
    if name in ("_replace", "replace"):
        return Native(lambda _, args, keywords: _replaced(value, keywords), name)
    if name == "_asdict":
        return Native(
            lambda _, args, keywords: dict(zip(value._fields, map(_plain, value), strict=True)), name
        )
    if name == "_fields":
        return value._fields
    member = getattr(type(value), "members", {}).get(name)
    if isinstance(member, Function):
        return Native(lambda _, args, keywords: reader.call(member, [value, *args], keywords), name)
    if isinstance(member, Property):
        return reader.call(member.function, [value], {}, node)
    if member is not None and not isinstance(member, ClassMethod):
        return member
    raise Refused(f"This tuple has no {name!r}.", f"It has {', '.join(value._fields)}.", at=node)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Static) else value


@known("dataclasses.replace")
def replaced(reader: Reader, obj: Any, **changes: Any) -> Any:
    """Read a copy of a dataclass with other values for some of its elements."""
    if not names_of(obj):
        raise Refused("replace() takes a dataclass.")
    return _replaced(obj, changes)


def _replaced(value: Any, keywords: dict[str, Any]) -> Any:
    old = dict(zip(value._fields, value, strict=True))
    new = {name: Static(one) if isinstance(old.get(name), Static) else one for name, one in keywords.items()}
    try:
        return value._replace(**new)
    except (ValueError, TypeError) as error:
        raise Refused(f"{error}.".capitalize()) from None


def install(reader: Reader) -> None:
    """Teach a reader tuples whose elements have names."""
    reader.handlers.record_attribute = record_attribute
    reader.handlers.class_made = class_made
