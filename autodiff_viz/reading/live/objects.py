"""Represent live objects as the reader's values: tensors, modules, functions and classes with their source.

Functions are read from their files by the code that is loaded, so what a decorator or a patch has made of one
is what is read. Names are looked up when a function asks for them, in its own module and closure: what the
model does not use is not converted, and may be anything.
"""

from __future__ import annotations

import ast
import functools
import sys
import sysconfig
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autodiff_viz.reading.jax.trees import record_type
from autodiff_viz.reading.language.reader import LIBRARIES, UNREAD_METHODS, Reader
from autodiff_viz.reading.language.sets import made as set_of
from autodiff_viz.reading.language.values import (
    Array,
    Class,
    ClassMethod,
    Function,
    Instance,
    Native,
    Path,
    Property,
    Refused,
    Scope,
)
from autodiff_viz.reading.live.layers import CONTAINERS, layer_fields, layer_name
from autodiff_viz.reading.live.sources import Sources
from autodiff_viz.reading.live.tensors import array_of_numpy, array_of_tensor, check_memory
from autodiff_viz.reading.tensors.torch_tensors import Device
from autodiff_viz.reading.torch.hooks import handle
from autodiff_viz.reading.torch.modules import FORWARD, HOOKS, NN
from autodiff_viz.reading.torch.structure import Modules

HOOKS_AT = {name: f"_{name.removeprefix('full_')}s" for name in HOOKS}
"""Where a module keeps its hooks, by the name of what registers them."""

GLOBAL_HOOKS = {name: f"_global{at}" for name, at in HOOKS_AT.items()}

STATE = frozenset(["training", "_parameters", "_buffers", "_modules"])
"""What is kept of a module in ways of its own; its other attributes are looked up when they are asked for."""

NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")
"""Classes of Python's whose objects are only their attributes."""


class Lazy(dict):
    """Names that are looked up in a live object when they are asked for; what is set here comes first."""

    def __init__(self, find: Callable[[str], Any], known: Callable[[], Iterable[str]]):
        super().__init__()
        self.find, self.known = find, known

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.known()

    def __missing__(self, name: str) -> Any:
        if name not in self.known():
            raise KeyError(name)
        return self.find(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is under a name."""
        try:
            return self[name]
        except KeyError:
            return default


class Members(Lazy):
    """The members of a class, all of whose names are listed."""

    def __iter__(self):
        return iter(self.known())

    def keys(self):
        """Return the names."""
        return self.known()


class Opaque:
    """An object that nothing is read of: it may be kept, passed on and compared with None, and no more."""

    def __init__(self, name: str, one: Any):
        self.name, self.is_member = name, isinstance(one, Enum)
        kind = type(one)
        self.kind = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")

    def refused(self, at: ast.AST | None = None) -> Refused:
        """Return why it cannot be used."""
        what = f"`{self.name}`" if self.name else "This"
        return Refused(
            f"{what} is an object of the class {self.kind}, which is not read.",
            "Keep in the model what it computes with: numbers, texts, tensors, modules, lists of these.",
            "not-read",
            at,
        )

    def __bool__(self) -> bool:
        raise self.refused()

    def __eq__(self, other: object) -> bool:
        if self.is_member:  # a member of an enumeration is itself alone
            return self is other
        raise self.refused()

    __hash__ = object.__hash__


class Live:
    """Converts live objects to the values of a reader, each once.

    Attributes:
      tensors: what became of tensors.
      modules: the live modules that were read.
    """

    def __init__(self, reader: Reader, scratch: Reader, torch: Any, sources: Sources):
        self.reader, self.scratch, self.torch, self.sources = reader, scratch, torch, sources
        self.tensors: list[tuple[Any, Array]] = []
        self.modules: list[Any] = []
        self._made: dict[int, Any] = {}
        self._classes: dict[type, Class] = {}
        self._kept: list[Any] = []  # so that no identity is used again
        self._inside = 0  # modules that are being read
        self._libraries = {name for name in (*LIBRARIES, *sys.stdlib_module_names) if _is_installed(name)}
        self._paths = self._known_paths()
        handlers = reader.handlers
        for what_is_done in (handlers.attribute, handlers.item, handlers.items, handlers.call):
            what_is_done[Opaque] = _refuse
        handlers.attribute[ModuleType] = self._of_namespace
        self._hooks(None, torch.nn.modules.module, GLOBAL_HOOKS)
        self._read_patches()

    def _known_paths(self) -> dict[int, str]:
        """Return the names of functions and classes of libraries by identity: few know where they are."""
        found: dict[int, str] = {}
        for path in self.reader.tables:
            first, *rest = path.split(".")
            one = sys.modules.get(first) if rest and first in self._libraries else None
            for step in rest:
                one = getattr(one, step, None)
            if callable(one) and not self._is_patch(one):
                self._kept.append(one)
                found.setdefault(id(one), path)
        return found

    def _is_patch(self, one: Any) -> bool:
        """Return whether a function was written by the program, wherever it stands."""
        return type(one) is FunctionType and not self._is_library(one.__globals__.get("__name__", ""))

    def _read_patches(self) -> None:
        """Let the reader call what the program has put in the place of functions and methods of PyTorch.

        Raises:
          Refused: it is an operator of tensors.
        """
        reader, tensor = self.reader, self.torch.Tensor
        for path in [path for path in reader.tables if path.startswith("torch.")]:
            one: Any = self.torch
            for step in path.split(".")[1:]:
                one = getattr(one, step, None)
            if self._is_patch(one):
                reader.tables[path] = functools.partial(self._call_patch, one)
        own = {name: one for cls in tensor.__mro__ for name, one in vars(cls).items() if self._is_patch(one)}
        if operators := [name for name in own if name.startswith("__")]:
            raise Refused(f"The program has replaced `{operators[0]}` of tensors, which is not read.")
        known = reader.handlers.attribute["torch"]

        def attribute(reader: Reader, x: Array, name: str, node: ast.AST) -> tuple[bool, Any]:
            if name not in own:
                return known(reader, x, name, node)
            return True, Native(
                lambda _, args, keywords: reader.call(self.value(own[name]), [x, *args], keywords), name
            )

        reader.handlers.attribute["torch"] = attribute

    def _call_patch(self, function: FunctionType, reader: Reader, *args: Any, **keywords: Any) -> Any:
        return reader.call(self.value(function), [*args], keywords)

    def value(self, one: Any, name: str = "") -> Any:
        """Return the reader's value of an object.

        Args:
          one: the object.
          name: as the program calls it.
        Raises:
          Refused: it is a tensor that is not read, or a function without a source.
        """
        kind = type(one)
        if one is None or one is Ellipsis or kind in (bool, int, str, slice):
            return one
        if isinstance(one, float):  # NumPy's too, which Python computes with as with its own
            return float(one)
        if id(one) not in self._made:
            self._kept.append(one)
            made = self._convert(one, name)
            self._made[id(one)] = made
        return self._made[id(one)]

    def _convert(self, one: Any, name: str) -> Any:
        kind, torch = type(one), self.torch
        if isinstance(one, torch.Tensor):
            return self._tensor(one, name)
        if isinstance(one, torch.nn.Module):
            return self._module(one, name)
        if isinstance(one, torch.Size):
            return tuple(one)
        if isinstance(one, (torch.dtype, torch.memory_format)):
            return Path(str(one))
        if isinstance(one, torch.device):
            return Device()
        if kind in (list, tuple):
            items = [self.value(each, f"{name}.{i}") for i, each in enumerate(one)]
            return items if kind is list else tuple(items)
        if kind in (dict, OrderedDict):
            return {key: self.value(each, f"{name}.{key}") for key, each in one.items()}
        if kind in (set, frozenset):
            return set_of(self.reader, [self.value(each) for each in one])
        if kind is range:
            return list(one)
        if isinstance(one, np.ndarray):
            return array_of_numpy(self.reader, one, name)
        if kind is FunctionType:
            return self._function(one)
        if kind is MethodType:
            return self._method(one)
        if kind is functools.partial:
            return self._partial(one)
        if isinstance(one, type):
            return self._class(one)
        if kind is ModuleType:
            return Path(one.__name__) if self._is_library(one.__name__) else one
        if id(one) in self._paths:
            return Path(self._paths[id(one)])
        if kind is BuiltinFunctionType and isinstance(one.__module__, str):
            return Path(f"{one.__module__}.{one.__name__}")
        if isinstance(one, tuple) and hasattr(kind, "_fields"):
            return self.reader.call(self.value(kind), [self.value(each) for each in one], {})
        plain = f"{kind.__module__}.{kind.__qualname__}" in NAMESPACES
        if isinstance(one, Enum) or (self._is_library(kind.__module__) and not plain):
            return Opaque(name, one)
        return self._object(one, name)

    def _is_library(self, module: Any) -> bool:
        return not isinstance(module, str) or module.partition(".")[0] in self._libraries

    def _of_namespace(self, reader: Reader, module: ModuleType, name: str, node: ast.AST) -> Any:
        if not hasattr(module, name):
            raise Refused(f"The module {module.__name__} has no {name!r}.", at=node)
        return self.value(getattr(module, name), name)

    # Tensors.

    def _tensor(self, tensor: Any, name: str) -> Array:
        made = array_of_tensor(self.reader, self.torch, tensor, name)
        self.tensors.append((tensor, made))
        if not self._inside:  # one of a module has the name that this gives it
            self.reader.named(made, name or "x")
        for register, at in (
            ("register_hook", "_backward_hooks"),
            ("register_post_accumulate_grad_hook", "_post_accumulate_grad_hooks"),
        ):
            for hook in (getattr(tensor, at, None) or {}).values():
                self.reader.methods["torch"][register](self.reader, made, self.value(hook, "hook"))
        return made

    def check_memory(self) -> None:
        """Refuse a change in place of memory that several of the tensors share.

        Raises:
          Refused: there is one.
        """
        check_memory(self.reader, self.tensors)

    # Functions.

    def _function(self, function: FunctionType) -> Any:
        if id(function) in self._paths:
            return Path(self._paths[id(function)])
        if not self._is_library(function.__globals__.get("__name__", "")):
            return self._read(function)
        # A decorator of a library, such as torch.no_grad(), has made it of a function below it.
        inner, depth = function, 0
        while self._is_library(inner.__globals__.get("__name__", "")) and id(inner) not in self._paths:
            depth += 1
            inner = getattr(inner, "__wrapped__", None)
            if type(inner) is not FunctionType:
                return Path(f"{function.__module__}.{function.__qualname__}")
        if id(inner) in self._paths:
            return Path(self._paths[id(inner)])
        made: Any = self._read(inner)
        decorators = getattr(self.sources.function(inner), "decorator_list", [])[-depth:]
        if len(decorators) < depth:
            by = function.__globals__["__name__"]
            raise Refused(
                f"`{inner.__qualname__}` was wrapped by {by}, which is not read.",
                "Write it as a decorator above the function.",
            )
        with self.reader.inside(self._scope(inner)):
            for one in reversed(decorators):
                made = self.reader.call(self.reader.value(one), [made], {}, one)
        return made

    def _read(self, function: FunctionType) -> Function:
        tree = self.sources.function(function)
        if shared := _sets_outside(tree) & set(function.__code__.co_freevars):
            raise Refused(
                f"`{function.__qualname__}` sets {', '.join(sorted(shared))} of the function around it, "
                "which has ended.",
                "Keep it in a list or an object.",
                at=tree,
            )
        made = Function(function.__name__, tree.args, tree.body, self._scope(function))
        self._made[id(function)] = made
        keywords = function.__kwdefaults__ or {}
        made.defaults = [self.value(one) for one in function.__defaults__ or ()]
        made.kw_defaults = [self.value(keywords.get(one.arg)) for one in tree.args.kwonlyargs]
        return made

    def _scope(self, function: FunctionType) -> Scope:
        names = function.__globals__
        if id(names) not in self._made:
            self._kept.append(names)
            find = functools.partial(self._named, names)
            self._made[id(names)] = Scope(Lazy(find, lambda: names))
        around = self._made[id(names)]
        cells = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:  # it has no value yet
                continue
        return Scope(Lazy(functools.partial(self._named, cells), lambda: cells), around) if cells else around

    def _named(self, names: Mapping[str, Any], name: str) -> Any:
        made = self.value(names[name], name)
        if isinstance(made, Path):
            self.reader.frameworks.add(LIBRARIES.get(made.name.partition(".")[0], ""))
        return made

    def _method(self, method: MethodType) -> Native:
        function, owner = method.__func__, method.__self__
        itself = self.value(owner)
        made = self.value(function)
        for one in (owner if isinstance(owner, type) else type(owner)).__mro__:
            for name, member in vars(one).items():
                if getattr(member, "__func__", member) is function and isinstance(made, Function):
                    self._of_class(one, member, name)  # so that super() in it knows the class
        return Native(
            lambda reader, args, keywords: reader.call(made, [itself, *args], keywords),
            function.__name__,
            made,
        )

    def _partial(self, one: functools.partial) -> Native:
        function, first = self.value(one.func), [self.value(each) for each in one.args]
        named = {key: self.value(each, key) for key, each in one.keywords.items()}
        return Native(
            lambda reader, args, keywords: reader.call(function, [*first, *args], {**named, **keywords}),
            "partial",
            function,
        )

    # Classes.

    def _class(self, cls: type) -> Any:
        if id(cls) in self._paths:
            return Path(self._paths[id(cls)])
        if cls.__module__ == "builtins" and cls.__name__ in self.reader.builtins:
            return Native(self.reader.builtins[cls.__name__], cls.__name__, walks=False)
        if self._is_library(cls.__module__):
            return Path(self._path_of(cls))
        names = getattr(cls, "_fields", None)
        if issubclass(cls, tuple) and names:
            usual = {key: self.value(one) for key, one in cls._field_defaults.items()}
            methods = {
                key: self.value(one)
                for key, one in vars(cls).items()
                if type(one) is FunctionType and not key.startswith("_")
            }
            return record_type(cls.__name__, list(names), usual, methods)
        generated = is_dataclass(cls) and "__init__" in vars(cls) and "__post_init__" not in vars(cls)
        if generated and all(one.init and one.default_factory is MISSING for one in fields(cls)):
            usual = {one.name: self.value(one.default) for one in fields(cls) if one.default is not MISSING}
            return record_type(cls.__name__, [one.name for one in fields(cls)], usual)
        return self._class_read(cls)

    def _path_of(self, cls: type) -> str:
        for begin, module in ((NN, self.torch.nn), ("torch.autograd.", self.torch.autograd)):
            if getattr(module, cls.__name__, None) is cls:
                return begin + cls.__name__
        return f"{cls.__module__}.{cls.__qualname__}"

    def _class_read(self, cls: type) -> Class:
        """Return a class as the reader's, whatever calling it makes."""
        if cls in self._classes:
            return self._classes[cls]
        own = [one for one in cls.__mro__ if not self._is_library(one.__module__)]
        for one in own:
            if taken := sorted((UNREAD_METHODS | {"__getattr__"}) & vars(one).keys()):
                raise Refused(
                    f"The class {one.__qualname__} has `{taken[0]}`, which is not read.",
                    "Set what it sets in __init__.",
                )
        bases = [
            one.__name__ if one in own else self._path_of(one) for one in cls.__mro__[1:] if one is not object
        ]
        known = {name for one in own for name in vars(one)}
        layer = layer_name(cls, self.torch.nn) if issubclass(cls, self.torch.nn.Module) else ""
        if layer in FORWARD:  # it computes what a layer of PyTorch does, whose forward() it inherits
            known.add("forward")
        made = Class(cls.__name__, tuple(bases), Members(functools.partial(self._member, cls), lambda: known))
        self._classes[cls] = made
        made.above = tuple(self._class_read(one) for one in cls.__bases__ if one in own)
        return made

    def _member(self, cls: type, name: str) -> Any:
        """Return a member of a class: a method, or a value that all its objects share."""
        for one in cls.__mro__:
            if self._is_library(one.__module__):
                continue
            for known in (name, f"_{one.__name__.lstrip('_')}{name}"):
                if known in vars(one):
                    return self._of_class(one, vars(one)[known], name)
        layer = layer_name(cls, self.torch.nn)
        return Native(
            lambda reader, args, keywords: FORWARD[layer](reader, args[0].fields, *args[1:], **keywords),
            "forward",
        )

    def _of_class(self, owner: type, member: Any, name: str) -> Any:
        if isinstance(member, staticmethod):
            made = self.value(member.__func__)
            if isinstance(made, Function):
                made.static = True
        elif isinstance(member, classmethod):
            made = ClassMethod(self.value(member.__func__))
        elif isinstance(member, property):
            made = Property(self.value(member.fget))
        elif hasattr(type(member), "__get__") and not callable(member):
            made = Opaque(name, member)  # such as a cached_property
        else:
            made = self.value(member, name)
        function = made.function if isinstance(made, (ClassMethod, Property)) else made
        if isinstance(function, Function) and isinstance(member, (FunctionType, classmethod, property)):
            function.owner = function.owner or self._class_read(owner)
        return made

    # Objects.

    def _object(self, one: Any, name: str) -> Any:
        if not hasattr(one, "__dict__") or isinstance(one, (dict, list, tuple, set, str, bytes)):
            return Opaque(name, one)
        made = Instance(self._class_read(type(one)), name=name)
        self._made[id(one)] = made
        made.fields = self._attributes(one, frozenset())
        return made

    def _attributes(self, one: Any, others: frozenset[str]) -> Lazy:
        """Return the attributes of an object, which are looked up when they are asked for."""
        private = [f"_{cls.__name__.lstrip('_')}__" for cls in type(one).__mro__]

        def plain(key: str) -> str:
            """Return a name as the class writes it: Python puts the class before a private one."""
            begin = next((each for each in private if key.startswith(each)), "")
            return key[len(begin) - 2 :] if begin else key

        names = {plain(key): key for key in vars(one) if key not in others}
        if len(names) < len(vars(one).keys() - others):
            raise Refused(f"Two classes of {type(one).__qualname__} have private names that are alike.")
        return Lazy(lambda key: self.value(vars(one)[names[key]], key), lambda: names)

    def _module(self, module: Any, name: str) -> Instance:
        cls, torch = type(module), self.torch
        self.modules.append(module)
        if "parametrizations" in module._modules:
            raise Refused(
                f"`{name or cls.__name__}` has a parametrization, which is not read.",
                "Remove it: torch.nn.utils.parametrize.remove_parametrizations(module, name).",
            )
        layer, library = layer_name(cls, torch.nn), self._is_library(cls.__module__)
        for inside in (
            "_orig_mod",
            "module",
        ):  # of torch.compile, and of what runs a model on several devices
            if library and inside in module._modules:
                raise Refused(
                    f"`{self._path_of(cls)}` is not read.", f"Give the model that is in it: model.{inside}."
                )
        if library and self._is_patch(cls.forward):
            raise Refused(
                f"The program has replaced forward() of `{self._path_of(cls)}`, which is not read.",
                "Write a class with that forward().",
            )
        if "forward" in vars(module):
            raise Refused(
                f"`{name or cls.__name__}` has a forward() of its own beside that of its class "
                f"{cls.__name__}, which is not read.",
                "Write a class with that forward().",
            )
        if any("__call__" in vars(one) and not self._is_library(one.__module__) for one in cls.__mro__):
            raise Refused(
                f"The class {cls.__name__} has a __call__() of its own, which is not read.",
                "Write forward().",
            )
        made = Instance(NN + layer if library and layer else self._path_of(cls) if library else "")
        self._made[id(module)] = made
        if not library:
            made.of = self._class_read(cls)
        made.name = name.rpartition(".")[2] if not name.rpartition(".")[2].isdigit() else ""
        made.fields = self._attributes(module, STATE)
        made.fields["training"] = bool(module.training)
        self._state(module, made, name)
        if layer:
            for key, setting in layer_fields(layer, module, self.value, self.scratch).items():
                made.fields.setdefault(key, setting)
        self._hooks(made, module, HOOKS_AT)
        if not self._inside:
            self.reader.state(Modules).tops.append((name or "model", made))
        return made

    def _state(self, module: Any, made: Instance, name: str) -> None:
        """Give a module its parameters, buffers and modules, in PyTorch's order."""
        self._inside += 1
        try:
            buffers = [key for key, one in module._buffers.items() if one is not None]
            if buffers:
                made.fields["_buffers"] = tuple(buffers)
            for store in (module._parameters, module._buffers, module._modules):
                for key, one in store.items():
                    if hasattr(type(module), key):  # Python finds that of the class first
                        raise Refused(
                            f"`{key}` is both in an object of {type(module).__name__} and in its class.",
                            "Give one of them another name.",
                        )
                    made.fields[key] = self.value(one, f"{name}.{key}" if name else key)
        finally:
            self._inside -= 1
        layer = made.of.removeprefix(NN) if isinstance(made.of, str) else ""
        if layer in CONTAINERS and len(module) != len(made.fields) - 1 - ("_buffers" in made.fields):
            raise Refused(
                f"`{name or layer}` holds something else than parameters and modules, which is not read.",
                "Keep it in a list of Python's.",
            )

    def _hooks(self, instance: Instance | None, owner: Any, at: Mapping[str, str]) -> None:
        """Register the hooks of a live module, or those of all modules, with the reader."""
        with_keywords = {
            key
            for name in ("_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs")
            for key in getattr(owner, name, ())
        }
        for name, attribute in at.items():
            for key, hook in (getattr(owner, attribute, None) or {}).items():
                if key in with_keywords:
                    raise Refused("A hook with with_kwargs=True is not read.", "Register it without.")
                if "backward" in name and getattr(owner, "_is_full_backward_hook", True) is False:
                    raise Refused(
                        "A hook of register_backward_hook() is not read.",
                        "Register it by register_full_backward_hook().",
                    )
                functions = self.reader.state(Modules).hooks.setdefault((instance, name), [])
                handle(functions, self._hook(hook))

    def _hook(self, hook: Any) -> Any:
        cls = type(hook)
        if self._is_library(cls.__module__) and cls.__module__.startswith("torch."):
            raise Refused(
                f"The hook {cls.__module__}.{cls.__name__} is not read.",
                "Remove it: torch.nn.utils has remove_weight_norm, remove_spectral_norm and prune.remove.",
            )
        return self.value(hook, "hook")


def _is_installed(name: str) -> bool:
    """Return whether a module is Python's or a library: a program may have a file that is called like one."""
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    own = "site-packages" not in file and "dist-packages" not in file
    return not (own and file and not file.startswith(sysconfig.get_path("stdlib")))


def _refuse(reader: Reader, one: Opaque, *rest: Any) -> Any:
    raise one.refused(next((each for each in reversed(rest) if isinstance(each, ast.AST)), None))


def _sets_outside(tree: ast.AST) -> set[str]:
    """Return the names that a function sets in the functions around it."""
    return {name for one in ast.walk(tree) if isinstance(one, ast.Nonlocal) for name in one.names}
