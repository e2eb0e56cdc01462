"""Convert a jaxpr to a graph, equation by equation: calls are opened, and each primitive becomes an op."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jax.interpreters.partial_eval import dce_jaxpr

from autodiff_viz.engine.whole_program.jaxprs import CALLS, NAMES, opened, primitive_of
from autodiff_viz.functions.equations import Equation, Shape, Value, constant, numbers
from autodiff_viz.functions.known_functions import BEGUN_BY, OURS, argsorted, op_begun, op_called
from autodiff_viz.functions.native_ops import NO_REVERSE, native_op
from autodiff_viz.functions.nodes import Frame, Held, Nodes, NoTerm, Ref, Terms
from autodiff_viz.functions.places import PLACED
from autodiff_viz.functions.primitives import PRIMITIVES, reshaped
from autodiff_viz.functions.source_names import JAX, SourceNames
from autodiff_viz.graph import limits
from autodiff_viz.graph.identity import identity
from autodiff_viz.graph.model import IDENTITY, INPUT, Lambda, Rule
from autodiff_viz.graph.policies import POLICIES, TAKING_NAMES
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.rule_kinds import FOLLOW, PULLBACK, STOP
from autodiff_viz.ops.catalog import OPS

REMAT = frozenset({"remat2", "checkpoint", "RematTraced"})
CUSTOM = frozenset({"custom_jvp_call", "custom_vjp_call"})
SILENT = frozenset({"broadcast_in_dim", "convert_element_type", "reshape", "squeeze", "stop_gradient"})
"""Primitives that may come twice within one expression of the source."""

MOVES = frozenset({
    "argmax", "argmin", "broadcast_in_dim", "concatenate", "convert_element_type", "copy", "cumsum",
    "expand_dims", "reduce_sum", "reshape", "slice", "split", "squeeze", "top_k", "transpose",
})  # fmt: skip
"""Primitives of whole numbers that an op of floats does as well."""

OF_TWO = frozenset({"hypot", "logaddexp", "remainder"})
"""Functions of JAX of two arrays that an op calls by the same name."""

WRITTEN_OUT = 16  # elements of a constant that stands in a slot; a larger one is an input
LARGEST = 1e29  # a number with more digits before the point is written as a product
POWER = 2.0**64


class Converter:
    """Converts the equations of one function, whose floats have the dtype `usual`."""

    def __init__(self, out: Nodes | Terms, usual: Any, names: SourceNames | None = None):
        self.out, self.usual, self.names = out, usual, names or SourceNames()
        self.unreversed: list[str] = []
        self.mapped = False  # whether the function is one of rows, along axes that no op of ours knows
        self.constant_names: dict[int, str] = {}
        self._arrays: dict[bytes, Held] = {}

    def run(self, jaxpr: Any, constants: Sequence[Value], arguments: Sequence[Value]) -> list[Value]:
        """Convert an open jaxpr and return its results."""
        env: dict[Any, Value] = dict(zip(jaxpr.constvars, constants, strict=True))
        env.update(zip(jaxpr.invars, arguments, strict=True))

        def read(atom: Any) -> Value:
            return (
                constant(np.asarray(atom.val, atom.aval.dtype))
                if isinstance(atom, core.Literal)
                else env[atom]
            )

        ends = {atom for atom in jaxpr.outvars if not isinstance(atom, core.Literal)}
        equations, frames = jaxpr.eqns, self.out.frames
        scopes: list[Frame] = []
        places = [self.names.places(each) for each in equations]
        run_of: set[str] = set()
        at = 0
        while at < len(equations):
            source, count = equations[at], 1
            name, _ = primitive_of(source)
            operands = tuple(map(read, source.invars))
            avals = tuple(atom.aval for atom in source.outvars)
            equation = Equation(name, source, operands, avals)
            scopes = _entered(scopes, source)
            self.out.frames = [*frames, *scopes]
            mark = len(self.out.drafts) if isinstance(self.out, Nodes) else 0
            if all(each.constant for each in operands) and not source.effects:
                results = _values(equation, constant=True)
            else:
                begun = (
                    op_begun(equations, at, ends)
                    if name in BEGUN_BY and self._is_usual(operands[-1])
                    else None
                )
                if begun is not None:
                    op, given, count = begun
                    equation = _last(equations[at : at + count], env, read)
                    source = equation.source
                    results = [self.emit(op, (self.held(operands[-1]),), equation.avals[0], **given)]
                else:
                    results = self._applied(equation)
            for i, value in enumerate(results):
                if value.equation is None and value.numbers is None:
                    value.equation, value.index = equation, i
            end = at + count - 1
            within = end + 1 < len(equations) and places[end] and places[end + 1] == places[end]
            run_of |= {name} - SILENT
            if within and primitive_of(equations[end + 1])[0] in run_of:
                within = False  # the expression begins anew, in a loop
            if not within:
                run_of = set()
                self._name(self.names.of(source), results, mark)
            env.update(zip(source.outvars, results, strict=True))
            at += count
        self.out.frames = frames
        return [read(atom) for atom in jaxpr.outvars]

    def _name(self, target: Any, results: Sequence[Value], mark: int) -> None:
        """Give nodes the names of the source; one that was there before keeps the name that it has."""
        if not isinstance(self.out, Nodes):
            return
        names = target if isinstance(target, tuple) else (target,) * (len(results) == 1)
        for name, value in zip(names, results, strict=False) if len(names) == len(results) else ():
            if name and isinstance(value.held, Ref):
                draft = self.out.drafts[value.held.number]
                if draft.op != INPUT and (value.held.number >= mark or not draft.hint):
                    draft.hint = name

    # What primitives' functions are given.

    def emit(
        self, op: Any, slots: Sequence[Held], like: Any, rule: Rule | None = None, **given: Any
    ) -> Value:
        """Add a node whose value is of the shape and dtype of `like`."""
        shape = tuple(map(int, like.shape))
        return Value(shape, like.dtype, held=self.out.add(op, slots, shape, rule, **given))

    def elementwise(self, op: str, operands: Sequence[Value], like: Any) -> Value:
        """Add a node of an op that broadcasts: it reads what its operands are copies of."""
        shape = tuple(like.shape)
        thin = [self._thin(each) for each in operands]
        if np.broadcast_shapes(*[each for _, each in thin]) != shape:
            whole = next(i for i, each in enumerate(operands) if each.shape == shape)
            thin[whole] = self.held(operands[whole]), shape
        return self.emit(op, [held for held, _ in thin], like)

    def is_in_graph(self, value: Value) -> bool:
        """Return whether a value is a constant, or something in the graph stands for it."""
        return value.constant or any(each is not None for each in (value.held, value.thin, value.later))

    def held(self, value: Value) -> Held:
        """Return what stands for a value in the graph; what nothing stands for becomes a native node."""
        if value.held is not None:
            return value.held
        if value.constant:
            return self._constant(value)
        if value.thin is not None:
            value.held = self.out.add("broadcast_to", (value.thin[0],), value.shape, shape=value.shape)
        elif value.later is not None:
            value.held = value.later()
        else:
            self._native([value])
        return value.held

    def _thin(self, value: Value) -> tuple[Held, Shape]:
        if value.constant:
            array = np.asarray(numbers(value))
            if array.size and (array.size == 1 or (array == array.flat[0]).all()):
                return self._number(array.flat[0]), ()
            copied = value.equation if value.numbers is None else None
            if copied is not None and copied.name == "broadcast_in_dim" and len(copied.operands) == 1:
                (whole,), places = copied.operands, copied.params["broadcast_dimensions"]
                first = len(value.shape) - len(whole.shape)
                if tuple(places) == tuple(range(first, len(value.shape))):
                    return self._thin(whole)
        if value.thin is not None and value.held is None:
            return value.thin
        return self.held(value), value.shape

    def _constant(self, value: Value) -> Held:
        array = np.asarray(numbers(value))
        if array.dtype.kind not in "biufV" or jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
            raise _unwritten(value)
        if array.size and (array == array.flat[0]).all():
            number = self._number(array.flat[0])
            return (
                number
                if not array.shape
                else self.out.add("broadcast_to", (number,), array.shape, shape=array.shape)
            )
        exact = array if array.dtype.kind != "V" else array.astype(np.float32)
        if np.isfinite(exact).all() and (np.abs(exact) <= LARGEST).all():
            if 0 < array.size <= WRITTEN_OUT:
                return self._literal(exact)
            key = identity(exact)
            if key not in self._arrays:
                name = self.constant_names.get(id(value.numbers), "")
                if not name and value.equation is not None:
                    target = self.names.of(value.equation.source)
                    name = target if isinstance(target, str) else ""
                self._arrays[key] = self.out.array(exact, name)
            return self._arrays[key]
        if not array.size:
            raise _unwritten(value)
        # An input has finite numbers only: the others are put in their places.
        usual = np.isfinite(exact) & (np.abs(exact) <= LARGEST)
        held = self._constant(constant(np.where(usual, exact, exact.dtype.type(0))))
        for odd in np.unique(exact[~usual]):
            here = np.isnan(exact) if np.isnan(odd) else exact == odd
            mask = self._constant(constant(here))
            held = self.out.add("where", (mask, self._number(odd), held), array.shape)
        return held

    def _literal(self, array: np.ndarray) -> Held:
        rows = [self._number(each) for each in array.ravel()]
        return _nested(rows, array.shape)

    def _number(self, number: Any) -> Held:
        """Return a number as a slot holds it; what a formula cannot write is computed."""
        exact = float(number)
        if np.isnan(exact):
            return self.out.add("div", (0.0, 0.0), ())
        if np.isinf(exact):
            return self.out.add("div", (1.0 if exact > 0 else -1.0, 0.0), ())
        if abs(exact) > LARGEST:
            return self.out.add("mul", (exact / POWER, POWER), ())
        short = isinstance(number, np.floating) and number.dtype.itemsize < 8
        return float(str(number)) if short else exact

    # Equations.

    def _is_usual(self, value: Value) -> bool:
        return value.dtype == self.usual

    def _is_ours(self, value: Value) -> bool:
        """Return whether a float of the graph can hold a value, or it is a place or a count."""
        return value.is_bool or value.is_int or self._is_usual(value)

    def _applied(self, equation: Equation) -> list[Value]:
        name = equation.name
        if name in NAMES:
            return self._named(equation)
        if name in REMAT:
            return self._checkpointed(equation)
        if name in CUSTOM:
            return self._custom(equation)
        if name in CALLS:
            return self._called(equation)
        if name == "cond":
            return self._cond(equation)
        if name == "scan" and equation.params["length"] <= limits.LOOP:
            return self._scan(equation)
        if name in NO_REVERSE:
            self.unreversed.append(name)
        if name in PRIMITIVES and all(map(self._is_ours, (*equation.operands, *_values(equation)))):
            # Arithmetic of whole numbers is JAX's own; they are moved, compared and converted as floats are.
            counts = any(value.is_int for value in _values(equation)) and name not in MOVES
            unknown = any(each.is_int and not self.is_in_graph(each) for each in equation.operands)
            if not counts and (not unknown or name in PLACED):
                results = PRIMITIVES[name](self, equation)
                if results is not None:
                    return results
        return self._natives(equation)

    def _natives(self, equation: Equation) -> list[Value]:
        """Return an equation's results as native nodes; those that no float can hold stay in JAX's form."""
        results = _values(equation)
        read = [
            value
            for value, variable in zip(results, equation.source.outvars, strict=True)
            if value.is_float and type(variable).__name__ != "DropVar"
        ]
        if len(read) > 1 and all(map(self._is_usual, read)):
            # One node for all of them, so that a rule of the user's sees all cotangents at once.
            self._native(read)
        else:
            for value in read:
                self.held(value)
        return results

    def _native(self, values: Sequence[Value]) -> None:
        """Add a native node that computes values."""
        if isinstance(self.out, Terms):
            raise NoTerm
        for value in values:
            if not _is_representable(value) and not value.is_int:
                raise _unwritten(value)
        op, leaves = native_op(values, self.usual)
        slots = [self.held(leaf) for leaf in leaves]
        if len(slots) > limits.SLOTS:
            message = f"{op.label!r} reads {len(slots)} arrays; a node has at most {limits.SLOTS} slots."
            raise GraphError(Problem("too-many-slots", message, "Put some of the arrays into one."))
        if len(values) == 1:
            values[0].held = self.out.add(op, slots, values[0].shape)
            return
        sizes = [prod(value.shape) for value in values]
        row = self.out.add(op, slots, (sum(sizes),))
        start = 0
        for value, size in zip(values, sizes, strict=True):
            piece = Value(
                (size,),
                value.dtype,
                held=self.out.add("getitem", (row,), (size,), index=((start, start + size, None),)),
            )
            value.held, start = reshaped(self, piece, value).held, start + size

    def _inlined(self, jaxpr: Any, operands: Sequence[Value], frame: Frame | None = None) -> list[Value]:
        frames = self.out.frames
        self.out.frames = [*frames, frame] if frame else frames
        constants = [constant(each) for each in getattr(jaxpr, "consts", ())]
        results = self.run(opened(jaxpr), constants, operands)
        self.out.frames = frames
        return results

    def _called(self, equation: Equation) -> list[Value]:
        operands = equation.operands
        jaxpr, name = equation.params[CALLS[equation.name]], equation.params.get("name", "")
        if name in OURS and (OPS[OURS[name][0]].elementwise or not self.mapped):
            op, given = OURS[name]
            return [self.emit(op, [self.held(each) for each in operands], equation.avals[0], **given)]
        if _is_of_jax(opened(jaxpr)):
            known = self._known(equation, name)
            if known is not None:
                return known
            return self._inlined(jaxpr, operands)
        return self._inlined(jaxpr, operands, Frame(name) if name and name != "<lambda>" else None)

    def _known(self, equation: Equation, name: str) -> list[Value] | None:
        """Return the result of a function of JAX that is an op; None for any other."""
        x, *others = equation.operands
        aval = equation.avals[0]
        if name in OF_TWO and len(others) == 1 and self._is_usual(x) and self._is_usual(others[0]):
            return [self.elementwise(name, equation.operands, aval)]
        if name == "clip" and len(others) == 2 and x.shape == tuple(aval.shape) and self._is_usual(x):
            # Called by their names, the ends come in the order of the alphabet.
            names = opened(equation.params[CALLS[equation.name]]).debug_info.arg_names
            ends = others[::-1] if names[1:] == ("max", "min") else others
            return [self.elementwise("clip", (x, *ends), aval)] if {*names[1:]} == {"min", "max"} else None
        if name == "_one_hot" and x.is_int and x.held is not None and tuple(aval.shape[:-1]) == x.shape:
            return [self.emit("one_hot", (x.held,), aval, num_classes=int(aval.shape[-1]))]
        if name == "argsort" and self._is_usual(x) and not others:
            given = argsorted(equation.source)
            return None if given is None else [self.emit("argsort", (self.held(x),), aval, **given)]
        if x.is_float and self._is_usual(x) and (found := op_called(equation.source)) is not None:
            op, given = found
            return [self.emit(op, (self.held(x),), aval, **given)]
        return None

    def _named(self, equation: Equation) -> list[Value]:
        (x,) = equation.operands
        name = primitive_of(equation.source)[1]["name"]
        regions = [frame for frame in self.out.frames if name in frame.names]
        if regions and isinstance(held := self.held(x), Ref):
            for frame in regions:
                frame.saved.add(held.number)
        return [x]

    def _checkpointed(self, equation: Equation) -> list[Value]:
        params = primitive_of(equation.source)[1]
        policy, names = _policy(params["policy"])
        if isinstance(self.out, Terms):
            return self._inlined(params["jaxpr"], equation.operands)
        given = getattr(opened(params["jaxpr"]).debug_info, "func_name", "") or "block"
        return self._inlined(params["jaxpr"], equation.operands, Frame(given.strip("<>"), policy, names))

    def _cond(self, equation: Equation) -> list[Value]:
        """Take the branch that the arguments of this call take."""
        which, *operands = equation.operands
        branches = equation.params["branches"]
        if isinstance(self.out, Terms) and not which.constant:
            raise NoTerm
        taken = int(np.clip(np.asarray(numbers(which)), 0, len(branches) - 1))
        return self._inlined(branches[taken], operands)

    def _scan(self, equation: Equation) -> list[Value]:
        """Write the steps of a loop one after another."""
        given, body, length = equation.params, equation.params["jaxpr"], equation.params["length"]
        if "ft_in" in given:  # from JAX 0.12 on
            kept, carried, _ = (len(part) for part in given["ft_in"].unpack())
        else:
            kept, carried = given["num_consts"], given["num_carry"]
        if isinstance(self.out, Nodes) and length * len(opened(body).eqns) > limits.NODES:
            return self._natives(equation)
        constants, carry = equation.operands[:kept], list(equation.operands[kept : kept + carried])
        rows = equation.operands[kept + carried :]
        steps: list[list[Value]] = [[] for _ in range(length)]
        name = getattr(opened(body).debug_info, "func_name", "step").strip("<>")
        for step in reversed(range(length)) if given["reverse"] else range(length):
            now = [self._row(each, step) for each in rows]
            results = self._inlined(
                body, [*constants, *carry, *now], Frame(f"{'step' if name == 'lambda' else name}_{step}")
            )
            carry, steps[step] = results[:carried], results[carried:]
        stacked = [
            self._stacked([step[i] for step in steps], aval)
            for i, aval in enumerate(equation.avals[carried:])
        ]
        return [*carry, *stacked]

    def _row(self, value: Value, step: int) -> Value:
        if value.constant:
            return constant(numbers(value)[step])
        if value.held is None and value.thin is None:
            raise _unwritten(value)
        like = jax.ShapeDtypeStruct(value.shape[1:], value.dtype)
        return self.emit("getitem", (self.held(value),), like, index=(step,))

    def _stacked(self, values: Sequence[Value], like: Any) -> Value:
        if all(each.constant for each in values) and values:
            return constant(jnp.stack([jnp.asarray(numbers(each)) for each in values]))
        if not values or not _is_representable(like):
            raise GraphError(Problem("not-a-graph-value", f"A loop gives {like}, which no node can hold."))
        return self.emit("stack", [self.held(each) for each in values], like)

    def _custom(self, equation: Equation) -> list[Value]:
        """Write a function with a rule of its own: forward its equations, backward its rule."""
        jaxpr = equation.params[CALLS[equation.name]]
        name = getattr(opened(jaxpr).debug_info, "func_name", "") or "custom"
        if _is_of_jax(opened(jaxpr)) and (known := self._known(equation, name)) is not None:
            return known
        if isinstance(self.out, Terms):  # of a pullback the values alone are needed
            return self._inlined(jaxpr, equation.operands)
        moved = [each for each in equation.operands if each.is_float and not each.constant]
        plain = (
            isinstance(self.out, Nodes)
            and len(equation.avals) == 1
            and all(each.constant or self._is_usual(each) for each in equation.operands)
            and equation.avals[0].dtype == self.usual
        )
        if not moved:
            return self._inlined(jaxpr, equation.operands)
        function = self._pullback(equation, moved) if plain else None
        if function is None:
            return self._natives(equation)
        mark = len(self.out.drafts)
        (value,) = self._inlined(jaxpr, equation.operands, Frame(name))
        if self._is_one_op(value, moved, mark):
            self.out.drafts[mark].rule = Rule(PULLBACK, function)
            self._name(name, [value], 0)
            return [value]
        # As of `first`: of the value itself it passes nothing.
        function = Lambda(("v", "y", *function.args[1:]), (0.0, *function.body))
        # Nothing goes back by the equations themselves, not even 0 times an infinite slope.
        stopped = self._stopped(value, mark)
        ruled = self.emit(
            "first", (stopped, *[self.held(each) for each in moved]), value, Rule(PULLBACK, function)
        )
        self._name(name, [ruled], 0)
        return [ruled]

    def _is_one_op(self, value: Value, moved: Sequence[Value], mark: int) -> bool:
        """Return whether a function is one op of what it differentiates by, which can have the rule."""
        if len(self.out.drafts) != mark + 1 or value.held != Ref(mark):
            return False
        draft = self.out.drafts[mark]
        return draft.rule.kind == FOLLOW and draft.slots == tuple(self.held(each) for each in moved)

    def _stopped(self, value: Value, mark: int) -> Held:
        """Return a value that passes nothing on: of a node made since `mark` that nothing reads, itself."""
        held = self.held(value)
        if not isinstance(held, Ref):
            return held
        draft = self.out.drafts[held.number]
        if held.number < mark or draft.op == INPUT or draft.rule.kind != FOLLOW or self._is_read(held, mark):
            return self.out.add(IDENTITY, (held,), value.shape, Rule(STOP))
        draft.rule = Rule(STOP)
        return held

    def _is_read(self, held: Ref, mark: int) -> bool:
        return any(held in draft.slots for draft in self.out.drafts[mark:])

    def _pullback(self, equation: Equation, moved: Sequence[Value]) -> Lambda | None:
        """Return the rule of a function as a lambda of our ops; None where it cannot be written as one."""
        known = [each if each in moved else numbers(each) for each in equation.operands]

        def pull(v: jax.Array, *arrays: jax.Array) -> tuple[jax.Array, ...]:
            def run(*arrays: jax.Array) -> jax.Array:
                given = iter(arrays)
                return equation.run([next(given) if isinstance(each, Value) else each for each in known])[0]

            return jax.vjp(run, *arrays)[1](v)

        try:
            like = [
                jax.ShapeDtypeStruct(each.shape, each.dtype) for each in (equation_value(equation), *moved)
            ]
            program = jax.make_jaxpr(pull)(*like)
            arguments = ("v", *[f"x_{i + 1}" for i in range(len(moved))])
            values = [
                Value(each.shape, each.dtype, held=name) for each, name in zip(like, arguments, strict=True)
            ]
            terms = Converter(Terms(), self.usual, self.names)
            needed, _ = dce_jaxpr(program.jaxpr, [True] * len(moved), instantiate=True)
            results = terms.run(needed, [constant(each) for each in program.consts], values)
            body = tuple(terms.held(each) for each in results)
        except (NoTerm, GraphError):
            return None
        return Lambda((*arguments, "out"), body)


def _last(sources: Sequence[Any], env: dict[Any, Value], read: Any) -> Equation:
    """Return the last of some equations, whose numbers follow from those before it."""
    for source in sources:
        operands, avals = tuple(map(read, source.invars)), tuple(atom.aval for atom in source.outvars)
        equation = Equation(primitive_of(source)[0], source, operands, avals)
        env.update(zip(source.outvars, _values(equation), strict=True))
    return equation


def equation_value(equation: Equation) -> Value:
    """Return the first result of an equation."""
    return _values(equation)[0]


def _values(equation: Equation, constant: bool = False) -> list[Value]:
    return [
        Value(
            tuple(getattr(aval, "shape", ())),
            getattr(aval, "dtype", np.dtype(bool)),
            equation,
            i,
            constant=constant,
        )
        for i, aval in enumerate(equation.avals)
    ]


def _is_representable(aval: Any) -> bool:
    """Return whether floats can hold such values exactly: floats, and what is true or false."""
    return jax.dtypes.issubdtype(aval.dtype, np.floating) or aval.dtype == np.bool_


def _unwritten(value: Value) -> GraphError:
    made = f" of {value.equation.name!r}" if value.equation is not None else ""
    message = f"A value{made} has dtype {value.dtype} and shape {list(value.shape)}, which no node can hold."
    return GraphError(Problem("no-node-holds", message, "The nodes of a graph hold floats."))


def _nested(flat: Sequence[Any], shape: Shape) -> Any:
    if len(shape) <= 1:
        return tuple(flat)
    size = len(flat) // shape[0]
    return tuple(_nested(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0]))


def _entered(scopes: list[Frame], equation: Any) -> list[Frame]:
    """Return the frames of an equation's named scopes; a scope that goes on keeps its frame."""
    names = [each.name for each in equation.source_info.name_stack.stack if type(each).__name__ == "Scope"]
    names = [name for name in names if "->" not in name]  # jnp.einsum gives one to each product
    same = 0
    while same < min(len(scopes), len(names)) and scopes[same].name == names[same]:
        same += 1
    return [*scopes[:same], *[Frame(name) for name in names[same:]]]


def _is_of_jax(jaxpr: Any) -> bool:
    """Return whether a function is one of JAX itself, not of its user."""
    info = getattr(jaxpr.debug_info, "func_src_info", None) or ""
    return JAX in info


def _policy(policy: Any) -> tuple[str, frozenset[str]]:
    """Return the name of a checkpoint policy, and the names that it saves.

    Raises:
      GraphError: no region has such a policy.
    """
    if policy is None:
        return POLICIES[0], frozenset()
    for name in POLICIES:
        if name not in TAKING_NAMES and policy is getattr(jax.checkpoint_policies, name):
            return name, frozenset()
    kind = getattr(policy, "__qualname__", type(policy).__name__)
    if kind.startswith(("save_only_these_names", "SaveOnlyTheseNames")):
        cells = [cell.cell_contents for cell in getattr(policy, "__closure__", None) or ()]
        for names in (*cells, *getattr(policy, "__dict__", {}).values()):
            if isinstance(names, frozenset | set | tuple | list) and all(isinstance(n, str) for n in names):
                return TAKING_NAMES[0], frozenset(names)
    message = f"A checkpointed call has the policy {kind.split('.')[0]!r}, which no region has."
    raise GraphError(Problem("unknown-policy", message, f"Use one of {', '.join(POLICIES)}."))
