"""Find what is unknown since a statement was not read: what it would have set, and what it may have changed.

Reading goes on behind such a statement, so that what follows must not take a number for known that the
statement changes. What it sets is in its syntax. What it changes is found by its calls: of a function that is
known to change nothing, nothing is unknown; of all else, the objects that the call names, with all that can
be reached from them. A function of the text counts with its own statements.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from autodiff_viz.reading.functions import arrays
from autodiff_viz.reading.functions.python_library import Random
from autodiff_viz.reading.jax.random import Seeds
from autodiff_viz.reading.language.blank import Bar, Blank, is_blank
from autodiff_viz.reading.language.reader import LIBRARIES, USUAL, Reader, Unread
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
    Super,
    Unknown,
    arrays_of,
)
from autodiff_viz.reading.nodes.builder import Ref
from autodiff_viz.reading.nodes.costs import budget, pay, pay_values
from autodiff_viz.reading.tensorflow.tapes import Variables
from autodiff_viz.reading.tensors.torch_memory import Memory
from autodiff_viz.reading.tensors.torch_random import Generator
from autodiff_viz.reading.tensors.torch_tensors import TENSOR, Draws
from autodiff_viz.reading.torch.autograd import Autograd

ENDS = re.compile(
    r"^(set_grad_enabled|set_default_dtype|set_default_tensor_type|set_detect_anomaly|set_floatx"
    r"|set_global_policy|set_policy|disable_eager_execution|enable_x64|register_\w*hook)$"
)
"""Names of what changes all that follows: behind such a statement that was not read nothing can be."""

DERIVATIVES = re.compile(
    r"^(\w*grad|\w*gradients?|value_and_grad|elementwise_grad|grad_and_aux|backward|jac\w*|batch_jacobian|hess\w*|[vj]jp"
    r"|linearize|[hv][hv]p|\w*_vjp|\w*_jvp|linear_transpose|minimize)$"
)
"""Names of functions that differentiate, and of what they leave."""

DECLARES = re.compile(
    r"^((zero|no|enable|requires|block)_grad|(stop|custom|apply)_gradients?|custom_[vj]jp|linear_transpose)$"
)
"""Those of them that are called and differentiate nothing."""

RUNS_ANYTHING = frozenset(["exec", "eval", "globals", "locals"])
"""Python's own functions that may do the same."""

DRAWS = re.compile(
    r"rand|normal|uniform|bernoulli|multinomial|poisson|dropout|sample|init|shuffle|gumbel|exponential"
    r"|geometric|cauchy|permutation|choice|seed|rrelu"
)
"""Parts of the names of functions that draw from the generator of a library."""

# fmt: off
NEVER_DRAW = frozenset(
    [
        "numpy", "math", "jax", "flax", "optax", "equinox", "haiku", "tensorflow", "keras",
        "pandas", "os", "sys", "json", "re", "time", "datetime", "copy", "itertools", "functools",
        "collections", "csv", "pickle", "pathlib", "string", "dataclasses", "typing", "abc",
        "requests", "urllib", "glob", "operator", "random", "einops", "PIL", "cv2", "tiktoken",
        "inspect", "io", "zipfile", "gzip", "struct", "enum", "argparse",
    ]
)
# fmt: on
"""Libraries that change nothing of what they get, and draw from no generator of NumPy or PyTorch."""

FUNCTIONAL = frozenset(["jax", "optax", "haiku", "equinox", "flax"])
"""Libraries whose objects change nothing that they are given either, but for flax.nnx."""

DRAW_ALONE = frozenset(["sklearn", "scipy", "torchvision", "random"])
"""Libraries that change nothing of what they get, and may draw."""

# fmt: off
CHANGE_NOTHING = frozenset(
    [
        "items", "keys", "values", "get", "copy", "index", "count", "split", "join", "format",
        "strip", "lower", "upper", "startswith", "endswith", "replace", "read", "readlines",
        "splitlines", "close", "decode", "encode", "rstrip", "lstrip", "union", "intersection",
        "difference", "issubset", "most_common", "at", "set", "astype", "conj", "conjugate", "var",
        "std", "nonzero", "round", "cumprod", "fft", "parameters", "named_parameters",
        "state_dict", "children", "modules", "named_modules", "buffers", "named_children",
        "named_buffers", "get_last_lr", "cpu", "cuda", "gradient", "jacobian", "apply", "compile",
        "as_text", "summary", "init", "numpy", "item", "tolist", "get_weights",
    ]
)
# fmt: on
"""Methods that change nothing that they are called on or with."""

# fmt: off
PURE_BUILTINS = frozenset(
    [
        "range", "len", "sum", "zip", "enumerate", "reversed", "list", "tuple", "dict", "set",
        "frozenset", "float", "int", "bool", "abs", "max", "min", "print", "round", "pow",
        "isinstance", "map", "filter", "any", "all", "str", "repr", "hasattr", "getattr", "super",
        "sorted", "iter", "type", "id", "hash", "ord", "chr", "complex", "bytes", "divmod",
        "callable", "slice", "object", "open", "input", "property", "staticmethod", "classmethod",
        "issubclass", "format", "vars", "dir", "display", "hex", "bin", "help", "Exception",
        "ValueError", "TypeError", "RuntimeError", "NotImplementedError", "AssertionError",
        "KeyError",
    ]
)
# fmt: on

CHANGING_PATHS = re.compile(
    r"_$|^torch\.nn\.utils\.|^torch\.optim\.lr_scheduler\.|^torch\.optim\.swa_utils\.|^torch\.autograd\.backward$"
    r"|^torch\.(set|swap)_|^numpy\.(copyto|put|place|putmask|fill_diagonal|put_along_axis|random\.shuffle)"
    r"|\.assign|scatter_(update|nd_update|nd_add)|^random\.shuffle$|^torch\.distributed"
)
"""Functions of libraries that change what they get."""


@dataclass(eq=False)
class Facts:
    """What the syntax of statements says of their effects.

    Attributes:
      stores: names that they set.
      locals: these, and names of functions and comprehensions in them.
      globals: names that they declare to be those of a scope outside.
      loads: names that they read, also inside of functions.
      fresh: names that they set to new lists, dictionaries and texts alone.
      targets: expressions whose element or attribute they set.
      calls: their calls.
    """

    stores: set[str] = field(default_factory=set)
    locals: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    loads: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    targets: list[ast.expr] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)


_NEW = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant, ast.JoinedStr)


def facts_of(body: Iterable[ast.AST]) -> Facts:
    """Return what the syntax of statements, or of an expression, says of their effects."""
    made, kept = Facts(), set()
    waiting: list[tuple[ast.AST, bool]] = []  # whether names that it sets are its own
    for one in body:
        if isinstance(one, ast.FunctionDef):  # which is not called here
            made.stores.add(one.name)
            made.loads |= names_in(one)
            waiting += [(each, False) for each in one.decorator_list]
        else:
            waiting.append((one, False))
    count = 0
    while waiting:
        node, inner = waiting.pop()
        count += 1
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                made.loads.add(node.id)
            else:
                made.stores |= set() if inner else {node.id}
                kept.add(node.id)
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            made.stores |= set() if inner else {node.name}
            kept.add(node.name)
            waiting += [(one, inner) for one in node.decorator_list]
            waiting += [(one, True) for one in node.body]
            if isinstance(node, ast.ClassDef):
                waiting += [(one, inner) for one in node.bases]
            else:
                waiting.append((node.args, True))
            continue
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            inner = True
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            made.stores |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            made.globals |= set(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            made.stores.add(node.name)
        elif isinstance(node, ast.Assign):
            new = isinstance(node.value, _NEW) or (
                isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Name)
                and node.value.func.id in ("list", "dict", "set")
            )
            names = {one.id for one in node.targets if isinstance(one, ast.Name)}
            if new:
                made.fresh |= names - kept
                waiting.append((node.value, inner))
                waiting += [(one, inner) for one in node.targets if not isinstance(one, ast.Name)]
                made.stores |= set() if inner else names
                continue
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            # Of a list, a tensor or an array of NumPy it changes the object.
            made.targets.append(node.target)
            made.loads.add(node.target.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            made.targets.append(node)
        elif isinstance(node, ast.Call):
            made.calls.append(node)
        elif isinstance(node, ast.arg):
            kept.add(node.arg)
        if isinstance(node, ast.Attribute):
            made.attributes.add(node.attr)
        waiting += [(one, inner) for one in ast.iter_child_nodes(node)]
    made.fresh -= kept
    made.locals = kept | made.stores
    pay(count // 4)
    return made


_METHODS = (Function, Property, ClassMethod, Native)


def names_in(node: ast.AST) -> set[str]:
    """Return the names that an expression reads."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


@dataclass(eq=False)
class Effects:
    """What statements may do.

    Attributes:
      objects: what they may change.
      stepped: the same, but for what stands in `.grad`.
      reads: what they name: their values may share memory with it.
      names: names of scopes outside that they set, with the scopes.
      backward: whether they may add to `.grad` of any tensor.
      unknown_call: whether they call what nobody knows.
      draws: whether they may draw from a generator.
      ends: what they name that changes all that follows.
      functional: whether what they call changes nothing, now or later.
      asks: whether they may ask for a derivative.
      differentiates: the first line of theirs that calls what differentiates; 0 if none does.
      words: the names that they read and set, and those of the arguments of what they call.
    """

    objects: list[Any] = field(default_factory=list)
    stepped: list[Any] = field(default_factory=list)
    reads: list[Any] = field(default_factory=list)
    names: list[tuple[Scope, str]] = field(default_factory=list)
    backward: bool = False
    unknown_call: bool = False
    draws: bool = False
    ends: str = ""
    functional: bool = True
    asks: bool = False
    differentiates: int = 0
    words: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Known:
    """The facts of functions, by their body in the syntax tree, which all closures of one have in common."""

    of: dict[int, tuple[Any, Facts]] = field(default_factory=dict)


def _facts_of_function(reader: Reader, function: Function) -> Facts:
    known = reader.state(Known).of
    if id(function.body) not in known:
        found = facts_of([function.body] if isinstance(function.body, ast.expr) else function.body)
        found.locals |= {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
        known[id(function.body)] = function.body, found
    return known[id(function.body)][1]


def effects_of(reader: Reader, body: Iterable[ast.AST], scope: Scope) -> Effects:
    """Return what statements may do that are read in a scope."""
    made = Effects()
    facts = facts_of(body)
    made.reads = [value for name in facts.loads if (value := _found(scope, name)) is not None]
    seen: set[int] = set()
    reach: list[Any] = []
    work: list[tuple[Facts, Scope, bool]] = [(facts, scope, False)]
    waiting: list[Any] = list(made.reads)
    changed: list[Any] = []
    attributes: set[str] = set()
    lines: list[int] = []
    done: set[tuple[int, int]] = set()
    wild = False
    while work or waiting:
        for one in reachable(waiting, seen):
            reach.append(one)
            function = one.function if isinstance(one, (Property, ClassMethod)) else one
            if isinstance(function, Function) and (id(function.body), id(function.scope)) not in done:
                done.add((id(function.body), id(function.scope)))
                work.append((_facts_of_function(reader, function), function.scope, True))
        waiting = []
        if not work:
            break
        own, where, is_function = work.pop()
        pay(4 + 2 * (len(own.calls) + len(own.targets)))
        made.words |= own.loads | own.locals
        attributes |= own.attributes
        lines += [call.lineno for call in own.calls if _differentiates(_end(call.func))]
        if is_function:
            waiting = [value for n in own.loads - own.locals if (value := _found(where, n)) is not None]
        for name in own.globals & own.stores:
            outer = where if is_function else where.outer
            at = outer.find(name) if outer is not None else None
            made.names.append((at or _outermost(where), name))
        for expressions in _changes(reader, own, where, made):
            names = set().union(*map(names_in, expressions))
            wild = wild or bool(names & (own.locals - own.globals))
            changed += [value for n in names if (value := _found(where, n)) is not None]
    made.objects = reach if wild else list(reachable(changed))
    # Who has no result can call no backward that reaches other leaves than those it has.
    made.backward |= made.unknown_call and any(isinstance(one, Array) and _is_result(one) for one in reach)
    made.ends = made.ends or next(filter(ENDS.match, sorted(attributes)), "")
    ends = [one.name.rpartition(".")[2] for one in reach if isinstance(one, (Path, Native))]
    made.asks = any(map(DERIVATIVES.match, (*attributes, *ends)))
    # A function that differentiates may have a name of the text's own: `step = jax.grad(f)`.
    lines += [call.lineno for call in facts.calls if any(map(_differentiates, ends))]
    made.differentiates = min(lines, default=0)
    return made


def _end(function: ast.expr) -> str:
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _differentiates(name: str) -> bool:
    return DERIVATIVES.match(name) is not None and DECLARES.match(name) is None


def _is_result(one: Array) -> bool:
    return one.framework == "torch" and one.requires_grad and not one.leaf


def _outermost(scope: Scope) -> Scope:
    while scope.outer is not None:
        scope = scope.outer
    return scope


def _found(scope: Scope, name: str) -> Any:
    at = scope.find(name)
    return None if at is None else at.names[name]


def _changes(reader: Reader, facts: Facts, scope: Scope, made: Effects) -> Iterator[list[ast.expr]]:
    """Yield what each target and each call may change, as the expressions that name it."""
    for target in facts.targets:
        base = target
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if isinstance(base, ast.Name) and base.id not in facts.locals and _is_library(reader, base, scope):
            made.ends = made.ends or base.id  # a part of a library is replaced
        direct = isinstance(target, (ast.Attribute, ast.Subscript)) and isinstance(target.value, ast.Name)
        if direct and target.value.id in facts.fresh:
            continue
        yield [base]
    for call in facts.calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        yield from _of_call(reader, call, given, facts, scope, made)


def _is_library(reader: Reader, node: ast.expr, scope: Scope) -> bool:
    found = _value(reader, node, scope)
    return isinstance(found, Path) and not is_blank(found.name)


def _value(reader: Reader, node: ast.expr, scope: Scope) -> Any:
    """Return what an expression of names and attributes stands for, as far as that is known unread."""
    if isinstance(node, ast.Name):
        found = _found(scope, node.id)
        if found is None and node.id in USUAL and node.id not in reader.builtins:
            return Path(USUAL[node.id])
        return found
    if isinstance(node, ast.Attribute):
        owner = _value(reader, node.value, scope)
        if isinstance(owner, Path):
            return Path(f"{owner.name}.{node.attr}")
        if isinstance(owner, Instance):
            found = owner.fields.get(node.attr)
            return owner.of.members.get(node.attr) if found is None and isinstance(owner.of, Class) else found
    return None


def _of_call(
    reader: Reader, call: ast.Call, given: list[ast.expr], facts: Facts, scope: Scope, made: Effects
) -> Iterator[list[ast.expr]]:
    if not _is_functional(reader, call, facts, scope):
        made.functional = False
    function = call.func
    while isinstance(function, ast.Call):  # of jax.grad(f)(x) the first
        function = function.func
    root = function
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    local = isinstance(root, ast.Name) and root.id in facts.locals
    of = None if local else _value(reader, function, scope)
    inside = {keyword.arg for keyword in call.keywords}
    if isinstance(function, ast.Name) and of is None and not local and function.id in PURE_BUILTINS:
        return
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if isinstance(function, ast.Name) and of is None and name in RUNS_ANYTHING:
        made.ends = made.ends or name
    if isinstance(of, Path):
        if is_blank(of.name) or of.name.startswith("tqdm"):
            return
        _draws_of_path(reader, of.name, made)
        made.backward |= of.name == "torch.autograd.backward"
        root = of.name.partition(".")[0]
        if CHANGING_PATHS.search(of.name) or inside & {"out", "inplace"} or _is_update(of.name):
            yield given
        elif root not in LIBRARIES and root not in NEVER_DRAW | DRAW_ALONE:
            made.draws = True
            made.unknown_call = True
            yield given
        return
    if isinstance(of, (Function, Class)) or (isinstance(of, Native) and of.inner is not None):
        return  # its own statements say what it changes
    if type(of).__module__.endswith(("jax_custom_rules", "jax_transforms")):
        return  # so it is of a function with a rule of its own
    if isinstance(of, Blank):
        return
    if isinstance(of, Instance):
        made.draws = made.draws or not isinstance(of.of, Class)
        if not isinstance(of.of, Class) and ("Norm" in of.of or of.fields.get("inplace")):
            yield [function, *given]
        return
    if isinstance(function, ast.Attribute) and not isinstance(of, Unknown):
        receiver = function.value
        holder = None if local else _value(reader, receiver, scope)
        if isinstance(holder, Unknown) and holder.functional:
            return
        if isinstance(holder, Array) and holder.framework == "jax":
            return
        if isinstance(holder, (str, int, float, Blank, Bar)) or _is_at(receiver):
            return
        if name == "backward":
            made.backward = True
            return
        made.draws |= bool(DRAWS.search(name))
        tensors = name in TENSOR or name in arrays.METHODS
        if not name.endswith("_") and (name in CHANGE_NOTHING or (tensors and name != "register_hook")):
            return
        if isinstance(receiver, ast.Name) and receiver.id in facts.fresh:
            return
        if isinstance(holder, (list, dict)):
            yield [receiver]
            return
        if name == "step" and not given:  # of an optimizer: not what stands in .grad
            names = names_in(receiver) - facts.locals
            made.stepped += reachable(v for n in names if (v := _found(scope, n)) is not None)
            if names_in(receiver) & facts.locals:
                yield [receiver]
            return
        if isinstance(holder, (Instance, Class, Super)) and isinstance(of, (Function, Property, ClassMethod)):
            return
        made.draws = True
        made.unknown_call = True
        yield [receiver, *given]
        return
    if isinstance(of, Unknown) and of.functional:
        return
    made.draws = True
    made.unknown_call = True
    yield [function, *given]


def _is_functional(reader: Reader, call: ast.Call, facts: Facts, scope: Scope) -> bool:
    """Whether a call is of a library whose objects never change what they are given, or of such an object."""
    base = call.func
    while isinstance(base, (ast.Attribute, ast.Call)):
        base = base.func if isinstance(base, ast.Call) else base.value
    if not isinstance(base, ast.Name) or base.id in facts.locals:
        return False
    found = _value(reader, base, scope)
    if isinstance(found, Unknown):
        return found.functional
    path = found.name if isinstance(found, Path) else ""
    whole = ast.unparse(call.func)
    return path.partition(".")[0] in FUNCTIONAL and "nnx" not in path and "nnx" not in whole


def _is_update(path: str) -> bool:
    """Whether a function of TensorFlow changes a variable."""
    return path.startswith("tensorflow.") and ".assign" in path


def _is_at(node: ast.expr) -> bool:
    """Whether an expression is JAX's `x.at[i]`, whose methods return a copy."""
    return (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "at"
    )


def _draws_of_path(reader: Reader, path: str, made: Effects) -> None:
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    if root == "torch":
        built = path.startswith("torch.nn.") and last[:1].isupper()
        made.draws |= built or bool(DRAWS.search(last)) or "distributions" in path or "utils.data" in path
    elif path.startswith("numpy.random.") or root not in LIBRARIES | dict.fromkeys(NEVER_DRAW):
        made.draws = True


def reachable(values: Iterable[Any], seen: set[int] | None = None) -> Iterator[Any]:
    """Yield values and all that they hold, each once, but for what the reader itself keeps.

    Args:
      seen: identities of what is left out, to which those of all that is yielded are added.
    """
    seen = set() if seen is None else seen
    waiting = list(values)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (str, int, float, type(None))):
            continue
        seen.add(id(one))
        yield one
        held: Iterable[Any] = ()
        if isinstance(one, dict):
            held = one.values()
        elif isinstance(one, (list, set)):
            held = one
        elif isinstance(one, tuple):
            held = tuple.__iter__(one)
        elif isinstance(one, Instance):
            held = [*one.fields.values(), one.of]
        elif isinstance(one, Class):
            held = [member for member in one.members.values() if isinstance(member, _METHODS)]
        elif isinstance(one, Array):
            held = (getattr(one, "base", None),)
        elif isinstance(one, Unknown):
            held = one.holds
        elif isinstance(one, Native):
            cells = getattr(one.call, "__closure__", None) or ()
            held = [one.inner, *one.attributes.values(), *(_held_by(cell) for cell in cells)]
        elif is_dataclass(one) and not isinstance(one, (type, Path, Function, Class, Property, Scope)):
            held = [getattr(one, each.name) for each in fields(one)]
        held = [each for each in held if not isinstance(each, Reader)]
        pay_values(2 + len(held))
        waiting += held


def _held_by(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet set
        return None


def not_read(reader: Reader, statement: ast.stmt, refused: Refused) -> None:
    """Note what is unknown since a statement was refused.

    Raises:
      Refused: nothing that follows can be read.
    """
    if refused.cause is None:
        reader.unread.refused.setdefault(statement, refused)
        reader.unread.needs.pop(statement, None)
    elif statement not in reader.unread.refused:
        reader.unread.needs[statement] = refused.cause
    if name := forget(reader, [statement], refused.cause).ends:
        reader.unread.refused.pop(statement, None)
        raise _ending(refused, name)


def _ending(refused: Refused, name: str) -> Refused:
    """Return a refusal behind which nothing can be read."""
    says = f"{refused.message} `{name}` counts for all that follows, which is not read therefore."
    ends = Refused(says, refused.hint, refused.code, refused.at)
    ends.ends = True
    return ends


def forget(reader: Reader, body: list[ast.stmt], cause: Unknown | None) -> Effects:
    """Note what is unknown since statements were not read; return what they may do."""
    reader.unread.forgotten = True
    scope = reader.scope
    effects = effects_of(reader, body, scope)
    line = body[0].lineno if cause is None else cause.line
    holds = tuple(one for one in reachable(effects.reads) if _changes_at_all(reader, one))
    functional = effects.functional and all(isinstance(one, ast.Assign) for one in body)
    for one in body:
        for name in facts_of([one]).stores:
            outer = scope.outer.find(name) if name in scope.globals and scope.outer else None
            at = line if cause is not None else one.lineno
            (outer or scope).names[name] = Unknown(at, name, one, holds, functional)
    if effects.asks:
        reader.unread.asked.append((body[0].lineno, frozenset(effects.words)))
    reader.unread.differentiated = reader.unread.differentiated or effects.differentiates
    for where, name in effects.names:
        where.names[name] = Unknown(line, name, body[0], holds)
    names = {id(value): name for name, value in _outermost(scope).names.items()}
    because = {id(one): Unknown(line, names.get(id(one), ""), body[0]) for one in effects.objects}
    _forget_objects(reader, effects.objects, because, True)
    because = {id(one): Unknown(line, names.get(id(one), ""), body[0]) for one in effects.stepped}
    _forget_objects(reader, effects.stepped, because, False)
    if effects.backward:
        reader.state(Autograd).ran = True
        for one, about in list(reader.state(Memory).of.items()):
            if one.requires_grad:
                _forget_gradient(
                    reader, one, about, Unknown(line, about.label and f"{about.label}.grad", body[0])
                )
    if effects.draws:
        for one in (
            reader.state(Draws).generator,
            *(each for each in effects.reads if isinstance(each, Generator)),
        ):
            one.seeded = False
        reader.state(Seeds).seeded = False
        reader.state(Random).seeded = False
    return effects


def _changes_at_all(reader: Reader, one: Any) -> bool:
    """Return whether a value is one that can be changed, or a function that may change another."""
    if isinstance(one, Array):
        return one.framework in ("torch", "numpy") or id(one) in reader.state(Variables).by_id
    return not isinstance(one, (Path, tuple, Class, str, int, float))


def _is_forgotten(reader: Reader, one: Any) -> bool:
    """Return whether a value is one that is unknown once it may have been changed."""
    return _changes_at_all(reader, one) and not isinstance(one, (Function, Property, Native, Unknown))


def _forget_objects(
    reader: Reader, objects: Iterable[Any], because: Mapping[int, Unknown], gradients: bool
) -> None:
    """Note that objects are unknown, with the arrays that share their memory."""
    known = reader.state(Memory).of
    storages: dict[int, Unknown] = {}
    wholes: dict[int, Unknown] = {}
    for one in objects:
        if not _is_forgotten(reader, one):
            continue
        cause = because[id(one)]
        reader.unread.objects[id(one)] = one, cause
        if isinstance(one, Array):
            wholes[id(_whole(one))] = cause
            if isinstance(one.held, Ref):
                reader.unread.numbers[one.held.number] = cause
            if one in known:
                storage = known[one].storage
                storages[id(storage)] = cause
                reader.unread.objects[id(storage)] = storage, cause
    for other in arrays_of(_outermost(reader.scope).names.values()) if wholes else ():
        if id(_whole(other)) in wholes:
            reader.unread.objects[id(other)] = other, wholes[id(_whole(other))]
    pay((len(known) if storages else 0) // 4)
    for other, about in list(known.items()) if storages else ():
        if (cause := storages.get(id(about.storage))) is None:
            continue
        reader.unread.objects[id(other)] = other, cause
        for ref in (other.held, *about.sources):
            if isinstance(ref, Ref):
                reader.unread.numbers[ref.number] = cause
        if gradients:
            _forget_gradient(reader, other, about, cause)


def _whole(one: Array) -> Array:
    """Return the array that one is a view of, or itself."""
    while (above := getattr(one, "base", None)) is not None:
        one = above
    return one


def _forget_gradient(reader: Reader, one: Array, about: Any, cause: Unknown) -> None:
    about.grad = Array(0.0, "torch", one.dtype)
    reader.unread.objects[id(about.grad)] = about.grad, cause


def forget_rest(reader: Reader, body: list[ast.stmt]) -> None:
    """Note what is unknown since reading has ended before these statements of a text."""
    reader.scope = _outermost(reader.scope)
    try:
        with budget():  # what came before is shown, however many steps it took
            forget(reader, body, None)
    except (Refused, RecursionError):  # a text that nobody can say more of
        for name in reader.scope.names:
            reader.scope.names[name] = Unknown(body[0].lineno, name, body[0])
        for one, about in list(reader.state(Memory).of.items()):
            _forget_gradient(reader, one, about, Unknown(body[0].lineno, about.label, body[0]))


def aside(reader: Reader, node: ast.expr, refused: Refused) -> None:
    """Note that an expression was refused whose value is only shown."""
    shown = ast.copy_location(ast.Expr(node), node)
    effects = forget(reader, [shown], refused.cause)
    if effects.ends:
        raise _ending(refused, effects.ends)
    changes = [one for one in (*effects.objects, *effects.stepped) if _is_forgotten(reader, one)]
    if refused.cause is not None:
        reader.unread.needs.setdefault(node, refused.cause)
    elif effects.asks or effects.backward or effects.names or changes or facts_of([node]).stores:
        reader.unread.refused.setdefault(node, refused)
    else:
        reader.say(node, f"what is shown here is left out: {refused.message.rstrip('.')}")


def asks(reader: Reader, node: ast.expr) -> bool:
    """Return whether an expression may ask for a derivative, itself or by what it calls."""
    return effects_of(reader, [node], reader.scope).asks


def extent(reader: Reader, body: list[ast.stmt], done: int) -> tuple[int, int]:
    """Return how many statements a text has, and how many of them were not read: all but the first ones.

    What stands in a block counts by itself; a function or a class is one statement.
    """
    found = {*reader.unread.refused, *reader.unread.needs}
    waiting = [(one, i >= done) for i, one in enumerate(body)]
    total = missing = 0
    while waiting:
        one, whole = waiting.pop()
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            continue
        blocks = [part for name in ("body", "orelse", "finalbody") for part in getattr(one, name, ())]
        handlers = [part for handler in getattr(one, "handlers", ()) for part in handler.body]
        whole = whole or one in found
        is_block = bool(blocks) and not isinstance(one, (ast.FunctionDef, ast.ClassDef))
        total += 1
        missing += bool(whole or (not is_block and found and any(each in found for each in ast.walk(one))))
        if is_block:
            waiting += [(part, whole) for part in (*blocks, *handlers)]
    return total, missing


def install(reader: Reader) -> None:
    """Let reading go on behind what is refused."""
    reader.handlers.not_read, reader.handlers.aside, reader.handlers.asks = not_read, aside, asks


__all__ = ["Unread", "extent", "forget", "forget_rest", "install"]
