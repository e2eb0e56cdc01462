"""List the parameters of PyTorch's modules, what is in them, and names of parameters in answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from autodiff_viz.reading.language.reader import Reader
from autodiff_viz.reading.language.values import Array, Instance
from autodiff_viz.reading.nodes.costs import WALKED, LibraryError, pay_values
from autodiff_viz.reading.tensors.torch_memory import info


@dataclass(eq=False)
class Modules:
    """What modules a text makes.

    Attributes:
      parameters: tensors that are parameters, and not only tensors at a module.
      tops: modules that the text gives a name, with the name.
      hooks: of a module, or None for all, functions by the name of what registers them.
    """

    parameters: dict[Array, None] = field(default_factory=dict)
    tops: list[tuple[str, Instance]] = field(default_factory=list)
    hooks: dict[tuple[Instance | None, str], list[Any]] = field(default_factory=dict)


def children(instance: Instance) -> Iterator[tuple[str, Instance]]:
    """Yield the modules of a module, by name."""
    for name, value in instance.fields.items():
        if isinstance(value, Instance):
            yield name, value


def named_parameters(reader: Reader, instance: Instance) -> list[tuple[str, Array]]:
    """Return the parameters of a module by name: its own first, then those of its modules."""
    known, found = reader.state(Modules).parameters, {}
    for begin, one in named_modules(instance):
        for name, value in one.fields.items():
            if isinstance(value, Array) and value in known:
                found.setdefault(value, f"{begin}.{name}" if begin else name)
    return [(name, value) for value, name in found.items()]


def named_modules(instance: Instance) -> Iterator[tuple[str, Instance]]:
    """Yield a module and all modules in it, each once, by its first name; one may hold itself."""
    seen, waiting = set(), [("", instance)]
    while waiting:
        name, one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        pay_values(WALKED + 2 * len(one.fields))
        yield name, one
        inside = [(f"{name}.{own}" if name else own, value) for own, value in children(one)]
        waiting += reversed(inside)


def named_tensors(reader: Reader, instance: Instance) -> list[tuple[str, Array]]:
    """Return parameters and buffers by name."""
    parameters = named_parameters(reader, instance)
    mine = {id(value) for _, value in parameters}
    buffers = [
        (f"{begin}.{name}" if begin else name, value)
        for begin, one in named_modules(instance)
        for name, value in one.fields.items()
        if isinstance(value, Array) and id(value) not in mine and name in one.fields.get("_buffers", ())
    ]
    return parameters + buffers


def labels(reader: Reader) -> tuple[dict[Array, str], dict[str, str]]:
    """Return the names of parameters in answers, and other names of the same.

    A parameter has the name that its module gives it; where two modules of the text give the same name, the
    module's own is put before it.
    """
    state = reader.state(Modules)
    inside = {id(one) for _, top in state.tops for _, one in children_of_all(top)}
    tops: list[tuple[str, Instance]] = []
    for name, top in state.tops:
        if id(top) not in inside and all(top is not one for _, one in tops):
            tops.append((name, top))
    paths: dict[str, list[tuple[str, Array]]] = {}
    for name, top in tops:
        for path, one in named_parameters(reader, top):
            paths.setdefault(path, []).append((name, one))
    names: dict[Array, str] = {}
    aliases: dict[str, str] = {}
    for path, several in paths.items():
        different = {id(one) for _, one in several}
        for name, one in several:
            long = f"{name}.{path}"
            if len(different) == 1:
                names[one] = path
                aliases[long] = path
            else:
                names[one] = long
    return names, aliases


def name_nodes(reader: Reader) -> None:
    """Give the nodes of parameters the names that answers have for these: with one module that of the
    parameter in it, with several that of the module too."""
    names, aliases = labels(reader)
    long = {short: whole for whole, short in aliases.items()}
    for one, label in names.items():
        # A parameter of a Sequential is "0.weight", which is no name: its module's own is put before it.
        name = label if not label[:1].isdigit() else long.get(label, label)
        for ref in {*info(reader, one).sources, *([one.held] if one.is_node else [])}:
            if reader.builder.drafts[ref.number].hint:
                reader.builder.drafts[ref.number].hint = name.replace(".", "_")


def children_of_all(instance: Instance) -> Iterator[tuple[str, Instance]]:
    """Yield all modules inside a module, without itself."""
    for name, one in named_modules(instance):
        if one is not instance:
            yield name, one


@contextmanager
def with_parameters(reader: Reader, module: Instance, values: dict[str, Any]) -> Iterator[None]:
    """Let a module have other tensors in the place of its own for a while."""
    before = []
    for path, value in values.items():
        *way, name = path.split(".")
        owner: Any = module
        for step in way:
            owner = owner.fields.get(step) if isinstance(owner, Instance) else None
        if not isinstance(owner, Instance) or name not in owner.fields:
            raise LibraryError(f"The module has no parameter {path!r}.")
        before.append((owner, name, owner.fields[name]))
        owner.fields[name] = value
    try:
        yield
    finally:
        for owner, name, value in reversed(before):
            owner.fields[name] = value
