"""Read JAX's transformations: derivatives become grad nodes, checkpoints regions, custom rules rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.model import GRAD, IDENTITY, Rule
from autodiff_viz.graph.policies import POLICIES
from autodiff_viz.graph.rule_kinds import STOP
from autodiff_viz.reading.functions.arrays import (
    as_literal,
    constant,
    known,
    parameter_names,
    r_array,
    reshape,
    shape_of,
    untraced,
)
from autodiff_viz.reading.functions.declared import Detached, OwnRule, OwnRules, passed_by
from autodiff_viz.reading.functions.indexing import lies_outside
from autodiff_viz.reading.functions.inner_derivatives import as_nodes, depends, outside, product
from autodiff_viz.reading.functions.rows import Rows, enter_rows, leave_rows, mapping, spread
from autodiff_viz.reading.functions.terms import Terms
from autodiff_viz.reading.jax.outside import check_traced, check_unchanged, kinds_of, outside_of
from autodiff_viz.reading.jax.random import Key
from autodiff_viz.reading.language.reader import Reader, Request
from autodiff_viz.reading.language.values import (
    BOOL,
    INT,
    Array,
    Native,
    Refused,
    arrays_in,
    leaves,
    mapped,
    tree_mapped,
)
from autodiff_viz.reading.nodes.builder import SEED, Builder, Frame, Ref, node_name
from autodiff_viz.reading.nodes.costs import sized
from autodiff_viz.reading.nodes.evaluation import Evaluation
from autodiff_viz.reading.numpy.own_functions import check_name, takes_array

ROWS = 64  # of a Jacobian


@known("lax.stop_gradient")
def stop_gradient(reader: Reader, x: Any) -> Any:
    """Read a stop: the same value, and no gradient."""

    def stopped(leaf: Any) -> Any:
        return (
            reader.make(IDENTITY, [leaf], rule=Rule(STOP))
            if isinstance(leaf, Array) and leaf.is_node
            else leaf
        )

    return tree_mapped(stopped, x)


@dataclass
class Tracing:
    """What JAX is transforming while a text is read.

    Attributes:
      bits: how many transformations there were; each marks its arrays with a bit of its own.
      depth: how many derivatives are being read, one inside the other.
      made: the nodes that each call of what is differentiated has made, first and last, from inside out.
    """

    bits: int = 0
    depth: int = 0
    made: list[range] = field(default_factory=list)

    def bit(self) -> int:
        """Return a bit that no other transformation has."""
        self.bits += 1
        return 1 << self.bits


def marked(value: Any, bit: int) -> Any:
    """Return the arrays of an argument as known by dtype and shape alone to a transformation."""
    return tree_mapped(
        lambda leaf: replace(leaf, traced=leaf.traced | bit) if isinstance(leaf, Array) else leaf, value
    )


def unmarked(value: Any, bit: int) -> Any:
    """Return the arrays of a result as a transformation hands them on."""
    return tree_mapped(
        lambda leaf: replace(leaf, traced=leaf.traced & ~bit) if isinstance(leaf, Array) else leaf, value
    )


LOOPS = frozenset(["scan", "fori_loop"])
"""Loops that JAX differentiates in reverse."""


@contextmanager
def staged(reader: Reader, name: str) -> Iterator[int]:
    """Read what follows as something that JAX compiles: no branch can depend on the numbers of an array."""
    bit = reader.state(Tracing).bit()
    outside, rules = (reader.compiled, reader.staged), reader.state(OwnRules)
    reader.compiled, reader.staged = name, reader.staged | bit
    rules.loops += name in LOOPS
    try:
        yield bit
    finally:
        reader.compiled, reader.staged = outside
        rules.loops -= name in LOOPS


def as_array(reader: Reader, value: Any) -> Any:
    """Return a number as the array that JAX makes of it; anything else as it is."""
    if isinstance(value, bool):
        return Array(float(value), "jax", BOOL)
    if isinstance(value, int):
        return Array(float(value), "jax", INT)
    return Array(reader.held(value), "jax", reader.usual_float()) if isinstance(value, float) else value


@known("jax.jit", "jax.pjit")
def jit(
    reader: Reader,
    function: Any = None,
    static_argnums: Any = (),
    static_argnames: Any = (),
    **options: Any,
) -> Any:
    """Read `jax.jit`, which changes no number; inside it no branch can depend on the numbers of an array."""
    if function is None:
        return Native(lambda _, args, kw: jit(reader, args[0], static_argnums, static_argnames), "jit")
    numbers = {static_argnums} if type(static_argnums) is int else set(static_argnums or ())
    names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames or ())

    def call(_: Reader, args: list, keywords: dict) -> Any:
        known_names = parameter_names(function)
        fixed = {i % max(len(args), 1) for i in numbers} | {
            i for i, name in enumerate(known_names[: len(args)]) if name in names
        }
        names_fixed = names | {known_names[i] for i in numbers if -len(known_names) <= i < len(known_names)}
        with staged(reader, "jit") as bit:

            def given(value: Any) -> Any:
                return marked(tree_mapped(lambda leaf: as_array(reader, leaf), value), bit)

            args = [one if i in fixed else given(one) for i, one in enumerate(args)]
            keywords = {key: one if key in names_fixed else given(one) for key, one in keywords.items()}
            static = [args[i] for i in sorted(fixed) if i < len(args)]
            static += [one for key, one in keywords.items() if key in names_fixed]
            check_traced(reader, function, kinds_of(reader, args, keywords), static)
            value = reader.call(function, args, keywords)
        return unmarked(value, bit)

    return Native(call, "jit", function)


@known("jax.named_call", "functools.wraps", "jax.named_scope", "jax.profiler.annotate_function")
def same(reader: Reader, function: Any = None, **options: Any) -> Any:
    """Read what changes no number: the function itself."""
    if function is None or isinstance(function, str):
        return Native(lambda _, args, kw: args[0], "same")
    return function


HANDED_ON = frozenset(
    (
        "sum", "mean", "prod", "max", "min", "any", "all", "std", "var", "reshape", "ravel",
        "transpose", "squeeze", "clip", "argmax", "argmin", "argsort", "cumsum", "cumprod",
        "repeat", "take", "trace", "diagonal", "swapaxes", "round", "around", "ptp", "shape",
        "ndim", "size", "amax", "amin",
    )
)  # fmt: skip
"""Functions of NumPy that call the array's own method, and so take JAX's arrays under a derivative."""


def check_call(reader: Reader, path: str, args: list) -> None:
    """Refuse what JAX refuses: NumPy's functions of arrays without numbers, and lists for arrays."""
    check_name(path)
    module, _, name = path.rpartition(".")
    converts = module in ("math", "numpy", "numpy.linalg", "scipy.special")
    converts = converts and not (module == "numpy" and name in HANDED_ON)
    traced = any(isinstance(one, Array) and one.framework == "jax" and one.traced for one in args)
    if converts and traced:
        raise untraced(f"{module}.{name}")
    if module == "jax.numpy" and args and isinstance(args[0], list) and takes_array(name):
        raise Refused(
            f"jnp.{name}() takes an array, and JAX refuses a list.", "Write jnp.array([...]).", "list"
        )


@known("jax.block_until_ready", "jax.device_put", "jax.device_get", "lax.pvary")
def handed_on(reader: Reader, value: Any, *device: Any) -> Any:
    """Read what moves arrays and changes none."""
    return value


@known("jax.ensure_compile_time_eval", "jax.named_scope")
def nothing(reader: Reader, *_: Any) -> None:
    """Refuse contexts, which are handled where they are entered."""
    raise Refused("This is not read.")


@known("jax.config.update")
def config(reader: Reader, name: Any, value: Any) -> None:
    """Read a setting of JAX: of those that change numbers, double precision alone."""
    if name == "jax_enable_x64":
        reader.wide = bool(value)
        return
    if name in ("jax_platform_name", "jax_platforms"):
        return
    if name in ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit") and not value:
        return
    raise Refused(f"The setting {name!r} is not read.", "Leave it out if it changes no number.")


@known(
    "numpy.testing.assert_allclose",
    "numpy.testing.assert_array_equal",
    "numpy.testing.assert_array_almost_equal",
)
def asserted(reader: Reader, *_: Any, **__: Any) -> None:
    """Read a check of numbers as `assert` is."""
    reader.say(reader.line, "a check of numbers is left out: the page shows every number")


@known("functools.partial", "jax.tree_util.Partial")
def partial(reader: Reader, function: Any, *given: Any, **keywords: Any) -> Native:
    """Read a function with some arguments given."""

    def call(_: Reader, args: list, more: dict) -> Any:
        return reader.call(function, [*given, *args], {**keywords, **more})

    return Native(call, "partial", _Left(function, len(given)))


@dataclass(eq=False)
class _Left:
    """A function of which the first arguments have been given, as far as its parameters' names go."""

    function: Any
    given: int
    inner: Any = None

    def parameters(self) -> list[str]:
        """Return the names of what is left."""
        return parameter_names(self.function)[self.given :]


def argument(
    reader: Reader, value: Any, name: str, bit: int = 0, hips: bool = False
) -> tuple[Any, list[tuple[str, Array, Array]]]:
    """Return an argument that is differentiated by, and (name, given, own node) of each array in it.

    What is given may also reach the function through its scope, and only the way through the argument counts.
    So the argument gets a node of its own, which `merged` removes again where there is no other way.
    """
    owns: list[tuple[str, Array, Array]] = []
    paths = iter(leaves(value))
    active = reader.state(Rows).active

    def own(leaf: Any) -> Any:
        path, _ = next(paths)
        label = ".".join(part for part in (name, path) if part)
        if not isinstance(leaf, (int, float, Array)):
            raise Refused(f"It cannot be differentiated by {label}, which is no array.")
        if isinstance(leaf, int) or (isinstance(leaf, Array) and leaf.dtype in (INT, BOOL)):
            raise Refused(
                f"JAX differentiates by floats only, and {label} is an integer.",
                "Write a point: 2.0.",
                "integer",
            )
        if not isinstance(leaf, Array):
            leaf = Array(reader.held(leaf), "jax", reader.usual_float())
        if active and isinstance(reader.builder, Builder):
            # Each row has a derivative of its own, even by what all rows share.
            node = spread(reader, leaf, tuple(active)) if tuple(active) != leaf.rows else reader.copied(leaf)
            if not node.is_node:
                node = replace(node, held=reader.builder.input(node.held, node_name(label)))
            elif node.held == leaf.held:
                node = reader.copied(node)
        elif leaf.is_node or not isinstance(reader.builder, Builder):
            node = reader.copied(leaf)
        else:
            held = reader.builder.input(leaf.held, node_name(label))
            node = leaf = replace(leaf, held=held)
        dtype = node.dtype if reader.wide or node.dtype != "float64" or hips else "float32"
        framework = node.framework if node.framework in ("torch", "tf") else "numpy" if hips else "jax"
        node = replace(node, framework=framework, dtype=dtype, traced=node.traced | bit)
        owns.append((label, leaf, node))
        return node

    return (mapped if hips else tree_mapped)(own, value), owns


def merged(reader: Reader, owns: list[tuple[str, Array, Array]], first: int) -> None:
    """Let the nodes made since `first` read what was given where nothing else leads to it."""
    for _, given, own in owns:
        if own is given or not isinstance(own.held, Ref) or not isinstance(given.held, Ref):
            continue
        if own.held == given.held or own.rows != given.rows or not isinstance(reader.builder, Builder):
            continue
        later = reader.builder.drafts[first:]
        old, new = given.held, own.held
        copy = reader.builder.drafts[new.number]
        # What was computed from it before may be read too, as the other argument of f(x, x + 1).
        from_it = {old}
        for number in range(old.number + 1, first):
            if any(slot in from_it for slot in reader.builder.drafts[number].slots):
                from_it.add(Ref(number))
        if any(slot in from_it for draft in later if draft is not copy for slot in draft.slots):
            continue
        for draft in later:
            if draft is not copy:
                draft.slots = tuple(old if slot == new else slot for slot in draft.slots)
        own.held = old
        reader.builder.merged[new.number] = old


@dataclass
class Differentiated:
    """A call of a function whose arguments have nodes of their own."""

    value: Any
    owns: list[tuple[str, Array, Array]]
    arguments: list[Any]
    made: range = range(0)  # the nodes that it has made


def call_at(
    reader: Reader,
    function: Any,
    args: list,
    keywords: dict,
    argnums: list[int],
    hips: bool = False,
    apart: bool = False,
) -> Differentiated:
    """Call a function with the chosen arguments as nodes that it is differentiated by.

    Args:
      apart: whether they stay nodes of their own in any case.
    """
    if isinstance(reader.builder, Terms):
        args, keywords = as_nodes(reader, list(args)), as_nodes(reader, keywords)
        with outside(reader):
            return call_at(reader, function, args, keywords, argnums, hips, apart)
    names = parameter_names(function)
    args, owns, chosen = list(args), [], {}
    first, tracing = len(reader.builder.drafts), reader.state(Tracing)
    bit = tracing.bit()
    for i in argnums:
        if not -len(args) <= i < len(args):
            raise Refused(f"argnums names argument {i}, and {len(args)} are given.")
        i %= len(args)
        if i in chosen:
            continue
        args[i], mine = argument(reader, args[i], names[i] if i < len(names) else f"arg{i}", bit, hips)
        owns += mine
        chosen[i] = args[i]
    tracing.depth += 1
    try:
        value = reader.call(function, args, keywords)
    finally:
        tracing.depth -= 1
    if not apart:
        merged(reader, owns, first)
    tracing.made.append(range(first, len(reader.builder.drafts)))
    arguments = [chosen[i % len(args)] for i in argnums]
    return Differentiated(unmarked(value, bit), owns, arguments, tracing.made[-1])


@contextmanager
def _inside(reader: Reader) -> Iterator[None]:
    """Read what follows as derivatives inside another, which are no answers."""
    reader.state(Tracing).depth += 1
    try:
        yield
    finally:
        reader.state(Tracing).depth -= 1


def _of_nodes(reader: Reader, call: Any) -> Any:
    """Return a function that is called with nodes, also in a declared derivative."""

    def called(_: Reader, args: list, keywords: dict) -> Any:
        if not isinstance(reader.builder, Terms):
            return call(_, args, keywords)
        args, keywords = as_nodes(reader, list(args)), as_nodes(reader, keywords)
        with outside(reader), _inside(reader):
            return call(_, args, keywords)

    return called


def _argnums(argnums: Any) -> tuple[list[int], bool]:
    if type(argnums) is int:
        return [argnums], True
    if isinstance(argnums, (tuple, list)) and all(type(one) is int for one in argnums):
        return list(argnums), False
    raise Refused("argnums is a whole number, or a tuple of them.")


def scalar_root(reader: Reader, value: Any) -> Array:
    """Return the output of a function that `grad` differentiates, which is one number."""
    if isinstance(value, float):
        return constant(reader, value, "jax", reader.usual_float())
    if (isinstance(value, Array) and value.dtype in (INT, BOOL)) or isinstance(value, int):
        raise Refused(
            "grad() needs a function that returns a float, and this returns a whole number.",
            "Convert it: x.astype(float).",
            "integer",
        )
    if not isinstance(value, Array):
        raise Refused(
            "grad() needs a function that returns one number.", "With more than that, add has_aux=True."
        )
    if shape_of(reader, value) != ():
        raise Refused(
            f"grad() needs a function that returns one number, and this returns shape "
            f"{list(shape_of(reader, value))}.",
            "Sum it up, or use jacrev or vjp.",
            "not-scalar",
        )
    return value


@dataclass
class Loops:
    """The nodes that come out of loops of unknown length, by which JAX cannot differentiate in reverse."""

    made: set[int] = field(default_factory=set)


def _reversible(reader: Reader, root: Array, done: Differentiated) -> None:
    owns = [own for _, _, own in done.owns if own.is_node]
    for number in reader.state(Loops).made & passed_by(reader.builder, root.held).keys():
        if _leads_to(reader, owns, number):
            raise Refused(
                "JAX does not differentiate a while_loop in reverse, nor a fori_loop with computed limits.",
                "Use scan, or a fori_loop between numbers that are written out.",
                "while-loop",
            )


def _met_rules(reader: Reader, numbers: Iterable[int], done: Differentiated) -> Iterator[OwnRule]:
    """Yield the rules at some nodes to which a derivative by the arguments of a call comes."""
    rules, owns = reader.state(OwnRules).made, {own.held.number for _, _, own in done.owns if own.is_node}
    for number in sorted(set(rules).intersection(numbers)):
        if any(owns & passed_by(reader.builder, wire.held).keys() for wire in rules[number].wires):
            yield rules[number]


def _pull_rules(reader: Reader, done: Differentiated) -> None:
    """Note that a call is differentiated in reverse, which takes its rules at once, also where nothing reads
    what they give: a derivative from outside sees their forward functions."""
    for rule in _met_rules(reader, done.made, done):
        rule.pulled.append(done)
        if (
            rule.loops > reader.state(OwnRules).loops
        ):  # of a loop JAX keeps what the rule computes, and no rule
            rule.itself = False


def _refuse_rules(reader: Reader, root: Array, done: Differentiated, forward: bool, eager: bool) -> None:
    """Refuse a derivative through functions with rules of their own of which JAX takes another one, or none.

    A rule is differentiated with what the forward function computes, and not by itself again; so it is read
    where both derivatives are equal.

    Args:
      eager: whether JAX pushes tangents while it calls, also through what nothing reads.
    """
    owns = [own for _, _, own in done.owns if own.is_node]
    passed = passed_by(reader.builder, root.held) if root.is_node else {}
    way = {*passed}
    for number in sorted(reader.state(Detached).numbers & way):
        if passed[number] and _leads_to(reader, owns, number):
            raise Refused(
                "A rule of its own that stops a gradient, or calls a function with a rule, is not read where "
                "its derivative is differentiated.",
                "Write the rule out in other functions.",
            )
    for number in way if forward else ():
        if lies_outside(reader, number) and _leads_to(reader, owns, number):
            raise Refused(
                "A place outside of an array is read in reverse mode: forward mode passes a tangent there.",
                "Use a place inside, or jax.grad, jax.vjp or jax.jacrev.",
                "forward",
            )
    for rule in _met_rules(reader, way.union(done.made if eager else ()), done):
        inside = any(one is not done for one in rule.pulled)
        if forward and rule.reverse and (not inside or rule.itself):
            raise Refused(
                "JAX refuses this: can't apply forward-mode autodiff (jvp) to a custom_vjp function.",
                "Use reverse mode: jax.grad, jax.vjp or jax.jacrev.",
                "forward",
            )
        if inside and rule.made.held.number in way and not rule.itself and not rule.checked:
            _check_rule(reader, rule)


def _leads_to(reader: Reader, owns: list[Array], number: int) -> bool:
    """Return whether a node is computed from an argument that is differentiated by."""
    read = reader.builder.ancestors(Ref(number))
    return any(own.held.number in read for own in owns)


def _check_rule(reader: Reader, rule: OwnRule) -> None:
    """Check that a rule passes what its forward function does, here at least."""
    seed = as_literal(
        np.cos(np.arange(prod(reader.builder.shape(rule.made.held) or ()))).reshape(
            reader.builder.shape(rule.made.held) or ()
        )
    )
    totals = []
    for one in (rule.made, rule.value):
        product_ = reader.builder.add("mul", [one.held, seed])
        totals.append(reader.builder.add("sum", [product_]) if reader.builder.shape(product_) else product_)
    numbers = Evaluation(reader.builder, "float64" if reader.wide else "float32")
    for wire in rule.wires:
        by = reader.builder.resolved(wire.held)
        passed, own = (numbers.cotangent(total, by) for total in totals)
        if not np.allclose(passed, own, rtol=1e-4, atol=1e-6):
            raise Refused(
                "This rule passes another derivative than its function has, and where a derivative is "
                "differentiated JAX takes that of the function.",
                "Let the forward function call the function itself.",
            )
    rule.checked = True


def gradients(
    reader: Reader, root: Array, done: Differentiated, asked: bool = True, forward: bool = False
) -> Any:
    """Return the derivatives of a number by each argument, and note that they were asked for."""
    by_own = {}
    _refuse_rules(reader, root, done, forward, forward)
    if not forward:
        _pull_rules(reader, done)
    if root.is_node and not forward:
        _reversible(reader, root, done)
    for label, _, own in done.owns:
        if (
            root.is_node
            and isinstance(own.held, Ref)
            and own.held.number in reader.builder.ancestors(root.held)
        ):
            made = reader.gradient(root, own)
        else:
            made = reader.make("zeros_like", [own])
        by_own[id(own)] = replace(made, traced=root.traced)
        # A derivative inside another is no answer: what the text asks for is that of the outer.
        if asked and not reader.state(Tracing).depth:
            reader.requests.append(
                Request(label, root.held if root.is_node else None, own.held, reader.site, made.held)
            )
    if root.is_node and not reader.state(Tracing).depth:
        reader.roots.append(root.held)
    return [tree_mapped(lambda leaf: by_own[id(leaf)], one) for one in done.arguments]


def _grad(
    reader: Reader, function: Any, argnums: Any = 0, has_aux: Any = False, with_value: bool = False
) -> Native:
    chosen, one = _argnums(argnums)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        done = call_at(reader, function, args, keywords, chosen)
        value, aux = done.value, None
        if has_aux:
            if not isinstance(value, (tuple, list)) or len(value) != 2:
                raise Refused("With has_aux the function returns two values: (loss, aux).")
            value, aux = value
        root = scalar_root(reader, value)
        found = gradients(reader, root, done)
        result = found[0] if one else tuple(found)
        if with_value:
            return ((root, aux) if has_aux else root), result
        return (result, aux) if has_aux else result

    return Native(_of_nodes(reader, call), "grad", function)


def _bare(options: dict[str, Any]) -> None:
    """Refuse options that change what a derivative is; those of sharding change no number."""
    wrong = {key for key, value in options.items() if key != "reduce_axes" and value}
    if wrong:
        raise Refused(f"This derivative is not read with {', '.join(sorted(wrong))}.")


@known("jax.grad")
def grad(reader: Reader, fun: Any, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Native:
    """Read `jax.grad`."""
    _bare(options)
    return _grad(reader, fun, argnums, has_aux)


@known("jax.value_and_grad")
def value_and_grad(
    reader: Reader, fun: Any, argnums: Any = 0, has_aux: bool = False, **options: Any
) -> Native:
    """Read `jax.value_and_grad`."""
    _bare(options)
    return _grad(reader, fun, argnums, has_aux, with_value=True)


def pulled(reader: Reader, value: Array, cotangent: Any) -> Array:
    """Return the number whose gradient is the cotangent pulled back: the sum of their product."""
    if _all_ones(reader, cotangent) and shape_of(reader, cotangent) == shape_of(reader, value):
        return value  # the usual seed: an array is differentiated from ones
    product = reader.make("mul", [value, r_array(reader, cotangent)])
    return product if shape_of(reader, value) == () else reader.make("sum", [product])


def _all_ones(reader: Reader, cotangent: Any) -> bool:
    """Whether a cotangent is ones whatever the inputs are."""
    if not isinstance(cotangent, Array):
        return cotangent == 1.0
    if cotangent.is_constant:
        return bool((np.asarray(cotangent.held) == 1.0).all())
    draft = reader.builder.drafts[cotangent.held.number] if isinstance(reader.builder, Builder) else None
    if draft is None or draft.op != "ones_like":
        return False
    draft.hint = draft.hint or SEED  # left out unless the text reads it elsewhere
    return True


def _leads(reader: Reader, done: Differentiated, cotangent: Any) -> bool:
    """Return whether a cotangent is computed from an argument that is differentiated by."""
    roots = [one.held for one in arrays_in(cotangent) if one.is_node and not _all_ones(reader, one)]
    return not reader.builder.ancestors(*roots).isdisjoint(own.held.number for _, _, own in done.owns)


@known("jax.vjp")
def vjp(reader: Reader, fun: Any, *primals: Any, has_aux: bool = False) -> tuple:
    """Read `jax.vjp`: the value, and a function that pulls a cotangent back."""
    rows = tuple(reader.state(Rows).active)

    def at_primals(apart: bool = False) -> tuple[Differentiated, Any, Any]:
        done = call_at(reader, fun, list(primals), {}, list(range(len(primals))), apart=apart)
        _pull_rules(reader, done)
        value, aux = done.value if has_aux else (done.value, None)
        return done, value, aux

    first, value, aux = at_primals()

    def pull(_: Reader, args: list, keywords: dict) -> tuple:
        inside = depends(reader, args[0])
        if isinstance(reader.builder, Terms) and not inside:
            given = as_nodes(reader, args)
            with outside(reader), _inside(reader):
                return pull(_, given, keywords)
        # Under another vmap each row has a derivative of its own, so the function is read once more there.
        done, outputs = (first, value) if tuple(reader.state(Rows).active) == rows else at_primals()[:2]
        if not inside and _leads(reader, done, args[0]):
            # Its own way to the arguments is none of the function's, and an outer derivative goes both.
            done, outputs = at_primals(apart=True)[:2]
        pairs = list(zip(leaves(outputs), leaves(args[0]), strict=False))
        if len(leaves(outputs)) != len(leaves(args[0])):
            raise Refused("The pullback takes a cotangent of the same form as the value.")
        total: Any = None
        products: dict[int, Array] = {}
        for (_, output), (_, seed) in pairs:
            if not isinstance(output, Array):
                continue
            seed = r_array(reader, seed)
            if shape_of(reader, seed) != shape_of(reader, output):
                raise Refused(
                    f"The cotangent has shape {list(shape_of(reader, seed))}, and the value has "
                    f"{list(shape_of(reader, output))}.",
                    "",
                    "shape",
                )
            if isinstance(seed, int) or (isinstance(seed, Array) and seed.dtype == INT):
                raise Refused(
                    "JAX needs a cotangent of floats, as the value is.", "Write a point: 1.0.", "integer"
                )
            if inside:
                for _, _, own in done.owns:
                    part = product(reader, output, own, seed)
                    before = products.get(id(own))
                    products[id(own)] = part if before is None else reader.make("add", [before, part])
                continue
            part = pulled(reader, output, seed)
            total = part if total is None else reader.make("add", [total, part])
        if inside:
            return tuple(tree_mapped(lambda leaf: products[id(leaf)], one) for one in done.arguments)
        return tuple(gradients(reader, total, done))

    back = Native(pull, "pullback")
    return (value, back, aux) if has_aux else (value, back)


@known("jax.jvp")
def jvp(reader: Reader, fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> tuple:
    """Read `jax.jvp`, forward mode."""
    primals, tangents = reader.items(primals), reader.items(tangents)
    done = call_at(reader, fun, primals, {}, list(range(len(primals))))
    value, aux = done.value if has_aux else (done.value, None)
    along = tangent_of(reader, fun, primals, tangents, done, value, has_aux)
    return (value, along, aux) if has_aux else (value, along)


@known("jax.linearize")
def linearize(reader: Reader, fun: Any, *primals: Any) -> tuple:
    """Read `jax.linearize`: the value, and a function of the tangents."""
    rows = tuple(reader.state(Rows).active)

    def at_primals() -> Differentiated:
        return call_at(reader, fun, list(primals), {}, list(range(len(primals))))

    first = at_primals()

    def push(_: Reader, args: list, keywords: dict) -> Any:
        # Under another vmap each row has a tangent of its own, so the function is read once more there.
        done = first if tuple(reader.state(Rows).active) == rows else at_primals()
        return tangent_of(reader, fun, list(primals), args, done, done.value, False, False)

    return first.value, Native(push, "jvp")


def tangent_of(
    reader: Reader,
    fun: Any,
    primals: list,
    tangents: list,
    done: Differentiated,
    value: Any,
    has_aux: bool,
    eager: bool = True,
) -> Any:
    """Return the tangent of each array of a value; `eager` is as of `_refuse_rules`.

    It is read as two pullbacks: the first is linear in its cotangent, so its own pullback is the tangent.
    Where that would be a third derivative, the Jacobian is multiplied with the tangents.
    """
    inside = depends(reader, tangents)
    if isinstance(reader.builder, Terms) and not inside:
        primals, tangents = as_nodes(reader, primals), as_nodes(reader, tangents)
        with outside(reader), _inside(reader):
            return tangent_of(reader, fun, primals, tangents, done, value, has_aux, eager)
    pairs = list(zip(done.owns, leaves(tangents), strict=False))
    if len(done.owns) != len(leaves(tangents)):
        raise Refused("jvp() takes a tangent for each array of its arguments.")
    if inside:  # a rule of forward mode gets 0 for the tangents of other arguments
        pairs = [(own, one) for own, one in pairs if not (isinstance(one[1], float) and one[1] == 0.0)]
    for (label, _, own), (_, tangent) in pairs:
        shape = shape_of(reader, r_array(reader, tangent)) if not isinstance(tangent, (int, float)) else ()
        if shape != shape_of(reader, own):
            raise Refused(
                f"The tangent of {label} has shape {list(shape)}, and it has {list(shape_of(reader, own))}."
            )
        if isinstance(tangent, int) or (isinstance(tangent, Array) and tangent.dtype == INT):
            raise Refused(
                "JAX needs tangents of floats, as the arguments are.", "Write a point: 1.0.", "integer"
            )

    def one(output: Any) -> Any:
        if not isinstance(output, Array) or output.dtype in (INT, BOOL):
            return 0.0 if not isinstance(output, Array) else reader.make("zeros_like", [output])
        if inside:
            total: Any = None
            for (_, _, own), (_, tangent) in pairs:
                part = product(reader, output, own, r_array(reader, tangent), forward=True)
                total = part if total is None else reader.make("add", [total, part])
            return total
        reached = reader.builder.ancestors(output.held) if output.is_node else set()
        live = [(own, tangent) for (_, _, own), (_, tangent) in pairs if own.held.number in reached]
        _refuse_rules(reader, output, done, True, eager)
        if not live:
            return reader.make("zeros_like", [output])
        derived = any(reader.builder.drafts[number].op == GRAD for number in reached)
        if shape_of(reader, output) == ():
            products = [(reader.gradient(output, own), tangent) for own, tangent in live]
            return _dotted(reader, products)
        if derived:
            return _by_rows(reader, fun, primals, tangents, value, output, has_aux)
        # A constant: one that read the output would be computed anew inside of each derivative.
        zeros = as_literal(np.zeros(sized(reader.builder.shape(output.held))))
        seed = replace(output, held=reader.builder.input(zeros, SEED))
        total = reader.make("sum", [reader.make("mul", [output, seed])])
        return reader.gradient(
            _dotted(reader, [(reader.gradient(total, own), tangent) for own, tangent in live]), seed
        )

    along = tree_mapped(one, value)
    if inside:
        return along
    if len(done.owns) == 1 and isinstance(along, Array) and along.is_node and not reader.state(Tracing).depth:
        reader.requests.append(Request(done.owns[0][0], None, done.owns[0][2].held, reader.site, along.held))
    return along


def _dotted(reader: Reader, products: list[tuple[Array, Any]]) -> Array:
    total: Any = None
    for slope, tangent in products:
        part = reader.make("mul", [slope, r_array(reader, tangent)])
        part = part if shape_of(reader, slope) == () else reader.make("sum", [part])
        total = part if total is None else reader.make("add", [total, part])
    return total


def _by_rows(
    reader: Reader, fun: Any, primals: list, tangents: list, value: Any, output: Array, has_aux: bool
) -> Array:
    """Return a tangent as the Jacobian times the tangents, one row for each element of the output."""
    place = [path for path, leaf in leaves(value) if leaf is output]
    shape = shape_of(reader, output)
    count = prod(shape)
    if count > ROWS or len(place) != 1:
        raise Refused(f"This tangent is read of at most {ROWS} outputs.", "", "too-large")
    with mapping(reader, count) as level:
        again = call_at(reader, fun, primals, {}, list(range(len(primals))))
        whole = again.value[0] if has_aux else again.value
        (row,) = [leaf for path, leaf in leaves(whole) if path == place[0]]
        total = _element(reader, row, shape, level)
        slopes = [
            (reader.gradient(total, own), t)
            for (_, _, own), (_, t) in zip(again.owns, leaves(tangents), strict=True)
        ]
        each = _dotted(reader, slopes)
    return reshape(reader, leave_rows(reader, each, level, 0), shape)


def _element(reader: Reader, value: Array, shape: tuple[int, ...], level: int) -> Array:
    """Return for each row another element of a value: the product with a row of the unit matrix, summed."""
    count = prod(shape)
    unit = np.eye(*sized((count, count))).reshape(count, *shape)
    seeds = replace(constant(reader, unit, "jax", value.dtype), rows=(level,))
    product = reader.make("mul", [value, seeds])
    return reader.make("sum", [product]) if shape else product


def _jacobian(
    reader: Reader,
    function: Any,
    argnums: Any = 0,
    has_aux: bool = False,
    forward: bool = False,
    **options: Any,
) -> Native:
    chosen, one = _argnums(argnums)
    _bare(options)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        before = outside_of(reader, function)
        value, aux = dry_run(reader, function, args, keywords, chosen, has_aux)
        check_unchanged(reader, before, "a Jacobian", function)

        def of_output(path: str, output: Any) -> list[Any]:
            shape = shape_of(reader, output) if isinstance(output, Array) else ()
            return rows(reader, function, args, keywords, chosen, has_aux, path, shape, forward=forward)

        found_paths = leaves(value)
        if len(found_paths) == 1 and found_paths[0][0] == "":
            each = of_output("", value)
            result = each[0] if one else tuple(each)
        else:
            by_path = iter([of_output(path, leaf) for path, leaf in found_paths])
            result = tree_mapped(lambda leaf: (lambda f: f[0] if one else tuple(f))(next(by_path)), value)
        return (result, aux) if has_aux else result

    return Native(_of_nodes(reader, call), "jacobian", function)


def dry_run(
    reader: Reader,
    function: Any,
    args: list,
    keywords: dict,
    chosen: list[int],
    has_aux: bool,
    hips: bool = False,
) -> tuple[Any, Any]:
    """Return what a function returns, whose shapes say how many rows its Jacobian has."""
    first = len(reader.builder.drafts)
    done = call_at(reader, function, args, keywords, chosen, hips)
    reader.builder.replaced |= set(range(first, len(reader.builder.drafts)))
    if not has_aux:
        return done.value, None
    if not isinstance(done.value, (tuple, list)) or len(done.value) != 2:
        raise Refused("With has_aux the function returns two values: (output, aux).")
    return done.value[0], done.value[1]


def rows(
    reader: Reader,
    function: Any,
    args: list,
    keywords: dict,
    chosen: list[int],
    has_aux: bool,
    path: str,
    shape: tuple[int, ...],
    hips: bool = False,
    forward: bool = False,
) -> list[Any]:
    """Return the derivative of every element of an output by each argument: one pullback for all elements."""
    count = prod(shape)
    if count > ROWS:
        raise Refused(f"A Jacobian is read of at most {ROWS} outputs.", "Use fewer.", "too-large")
    asked = path == "" and not reader.state(Tracing).depth
    with mapping(reader, count) as level:
        done = call_at(reader, function, args, keywords, chosen, hips)
        whole = done.value[0] if has_aux else done.value
        (output,) = [leaf for one, leaf in leaves(whole) if one == path]
        output = (
            output if isinstance(output, Array) else constant(reader, output, "jax", reader.usual_float())
        )
        total = _element(reader, output, shape, level)
        each = gradients(reader, total, done, asked=False, forward=forward)

    def whole_of(slope: Array) -> Array:
        inner = leave_rows(reader, slope, level, 0)
        return reshape(reader, inner, (*shape, *shape_of(reader, inner)[1:]))

    found = [tree_mapped(whole_of, one) for one in each]
    if asked:
        for (label, _, own), (_, slope) in zip(done.owns, leaves(found), strict=False):
            reader.requests.append(Request(label, None, own.held, reader.site, slope.held))
    return found


@known("jax.jacobian", "jax.jacrev")
def jacrev(reader: Reader, fun: Any, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Native:
    """Read a Jacobian."""
    return _jacobian(reader, fun, argnums, has_aux, **options)


@known("jax.jacfwd")
def jacfwd(reader: Reader, fun: Any, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Native:
    """Read a Jacobian by forward mode: the same numbers, also through loops of unknown length."""
    return _jacobian(reader, fun, argnums, has_aux, forward=True, **options)


@known("jax.hessian")
def hessian(reader: Reader, fun: Any, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Native:
    """Read `jax.hessian`: the Jacobian of the gradient."""
    _bare(options)
    return _jacobian(reader, _grad(reader, fun, argnums, has_aux), argnums, has_aux, forward=True)


@known("jax.vmap", "jax.pmap")
def vmap(
    reader: Reader,
    fun: Any = None,
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_size: Any = None,
    **options: Any,
) -> Native:
    """Read `jax.vmap` as what it means: the function of each row, for all rows at once."""
    if fun is None:
        return Native(lambda _, args, kw: vmap(reader, args[0], in_axes, out_axes, axis_size), "vmap")
    if options.get("axis_name") is not None or options.get("spmd_axis_name") is not None:
        raise Refused("vmap with a named axis is not read.", "Sum over the results instead.")

    def call(_: Reader, args: list, keywords: dict) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise Refused(f"in_axes names {len(axes)} arguments, and {len(args)} are given.")
        pairs = [_with_axes(arg, axis) for arg, axis in zip(args, axes, strict=True)]
        sizes = {_count(reader, leaf, axis) for one in pairs for leaf, axis in one if axis is not None}
        sizes |= {_count(reader, leaf, 0) for _, leaf in leaves(keywords)}
        if axis_size is not None:
            sizes.add(axis_size)
        if len(sizes) != 1:
            raise Refused("vmap needs arrays of one length." if sizes else "vmap needs an array to map over.")
        (size,) = sizes
        with mapping(reader, size) as level:
            inside = [
                _entered(reader, arg, iter([axis for _, axis in one]), level)
                for arg, one in zip(args, pairs, strict=True)
            ]
            named = tree_mapped(lambda leaf: _enter(reader, leaf, level, 0), keywords)
            value = reader.call(fun, inside, named)
            return _left(reader, value, out_axes, level)

    return Native(call, "vmap", fun)


def _with_axes(arg: Any, axis: Any) -> list[tuple[Any, Any]]:
    """Return (leaf, axis) of an argument, whose axes may be given by a form of their own."""
    if axis is None or type(axis) is int:
        return [(leaf, axis) for _, leaf in leaves(arg)]
    if isinstance(arg, dict) and isinstance(axis, dict):
        return [pair for key in sorted(arg, key=str) for pair in _with_axes(arg[key], axis.get(key))]
    if isinstance(arg, (tuple, list)) and isinstance(axis, (tuple, list)) and len(arg) == len(axis):
        return [pair for one, its in zip(arg, axis, strict=True) for pair in _with_axes(one, its)]
    raise Refused("in_axes does not have the form of the arguments.")


def _count(reader: Reader, leaf: Any, axis: int) -> int:
    shape = leaf.shape if isinstance(leaf, Key) else shape_of(reader, leaf) if isinstance(leaf, Array) else ()
    if not -len(shape) <= axis < len(shape):
        raise Refused("vmap needs an array with an axis to map over, and one of these has none.")
    return shape[axis]


def _enter(reader: Reader, leaf: Any, level: int, axis: int) -> Any:
    return leaf.entered(level, axis) if isinstance(leaf, Key) else enter_rows(reader, leaf, level, axis)


def _entered(reader: Reader, arg: Any, axes: Iterator[Any], level: int) -> Any:
    def enter(leaf: Any) -> Any:
        axis = next(axes)
        return leaf if axis is None else _enter(reader, leaf, level, axis)

    return tree_mapped(enter, arg)


def _left(reader: Reader, value: Any, axes: Any, level: int) -> Any:
    if axes is None or type(axes) is int:

        def leave(leaf: Any) -> Any:
            if isinstance(leaf, Key):
                return leaf.left(level)
            if not isinstance(leaf, (Array, int, float)):
                raise Refused("A function under vmap returns arrays.")
            if axes is None:
                if isinstance(leaf, Array) and level in leaf.rows:
                    raise Refused("out_axes is None, and this result has rows.")
                return leaf
            return leave_rows(reader, leaf, level, axes)

        return tree_mapped(leave, value)
    if isinstance(value, (tuple, list)) and isinstance(axes, (tuple, list)) and len(value) == len(axes):
        return type(value)(_left(reader, one, its, level) for one, its in zip(value, axes, strict=True))
    if isinstance(value, dict) and isinstance(axes, dict):
        return {key: _left(reader, one, axes[key], level) for key, one in value.items()}
    raise Refused("out_axes does not have the form of the results.")


@known("jax.checkpoint", "jax.remat", "jax.ad_checkpoint.checkpoint", "jax.ad_checkpoint.remat")
def checkpoint(
    reader: Reader, fun: Any = None, policy: Any = None, prevent_cse: Any = True, static_argnums: Any = ()
) -> Native:
    """Read a checkpoint: the nodes of a call are a region."""
    if fun is None:
        return Native(lambda _, args, kw: checkpoint(reader, args[0], policy), "checkpoint")
    name, saved = _policy(policy)

    def call(_: Reader, args: list, keywords: dict) -> Any:
        check_traced(reader, fun, ("checkpoint", kinds_of(reader, args, keywords)))
        if isinstance(reader.builder, Builder):
            args = [
                Array(reader.builder.input(reader.held(a), n), "jax", reader.usual_float())
                if isinstance(a, float)
                else a
                for a, n in zip(args, [*parameter_names(fun), *["x"] * len(args)], strict=False)
            ]
        if not isinstance(reader.builder, Builder) or len(reader.builder.open_frames) >= limits.REGION_DEPTH:
            return reader.call(fun, args, keywords)
        with reader.frame(Frame(getattr(fun, "name", "block"), name, saved)):
            return reader.call(fun, args, keywords)

    return Native(call, "checkpoint", fun)


@dataclass(frozen=True)
class Policy:
    """A policy of a checkpoint, and the names that it saves."""

    name: str
    saved: tuple[str, ...] = ()


@known("jax.checkpoint_policies.save_only_these_names", "jax.checkpoint_policies.SaveOnlyTheseNames")
def save_only(reader: Reader, *names: str) -> Policy:
    """Read a policy that saves what has one of these names."""
    return Policy("save_only_these_names", names)


@known("jax.ad_checkpoint.checkpoint_name")
def checkpoint_name(reader: Reader, x: Any, name: str) -> Any:
    """Read the name by which a policy knows a value."""

    def named(leaf: Any) -> Any:
        if (
            not isinstance(leaf, Array)
            or not isinstance(reader.builder, Builder)
            or not isinstance(name, str)
        ):
            return leaf
        draft = reader.builder.drafts[leaf.held.number] if leaf.is_node else None
        if draft is None or draft.hint:  # it has a name of its own
            leaf = reader.copied(leaf)
            draft = reader.builder.drafts[leaf.held.number]
        draft.hint = name
        return leaf

    return tree_mapped(named, x)


OTHER_NAMES = {
    "checkpoint_dots": "dots_saveable",
    "checkpoint_dots_with_no_batch_dims": "dots_with_no_batch_dims_saveable",
}


def _policy(policy: Any) -> tuple[str, tuple[str, ...]]:
    if policy is None:
        return POLICIES[0], ()
    name = getattr(policy, "name", "").rpartition(".")[2]
    name = OTHER_NAMES.get(name, name)
    if name in POLICIES:
        return name, tuple(getattr(policy, "saved", ()))
    raise Refused("This policy is not read.", f"There are {', '.join(POLICIES)}.")


def install(reader: Reader) -> None:
    """Teach a reader what JAX refuses of arrays that it transforms."""
    reader.handlers.check_call = check_call
