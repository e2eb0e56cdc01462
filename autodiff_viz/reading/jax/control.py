"""Read JAX's own loops and branches: unrolled, or as the numbers say, where JAX knows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autodiff_viz.graph.model import INPUT
from autodiff_viz.reading.functions.arrays import getitem, known, shape_of
from autodiff_viz.reading.jax.outside import check_traced, check_unchanged, kinds_of, outside_of
from autodiff_viz.reading.jax.random import Key, key_item
from autodiff_viz.reading.jax.transforms import (
    Loops,
    Tracing,
    as_array,
    marked,
    staged,
    stop_gradient,
    unmarked,
)
from autodiff_viz.reading.language.reader import STEPS, Reader
from autodiff_viz.reading.language.values import (
    BOOL,
    INT,
    NOWHERE,
    Array,
    Native,
    Refused,
    arrays_in,
    leaves,
    tree_mapped,
)
from autodiff_viz.reading.nodes.builder import Builder, Ref
from autodiff_viz.reading.numpy.array_functions import flip


def _same_form(before: Any, after: Any, name: str) -> None:
    first, second = leaves(before), leaves(after)
    if [path for path, _ in first] != [path for path, _ in second]:
        raise Refused(f"The body of {name} must return a carry of the same form as it gets.")


def _settled(value: Any, after: Any, weak: list[bool], name: str) -> Any:
    """Return a carry with the dtypes that it keeps.

    A number that the text writes out takes the dtype that the body makes of it; an array must keep its own.

    Raises:
      Refused: a carry changes its dtype.
    """
    kinds = iter(zip(leaves(value), leaves(after), weak, strict=True))

    def one(_: Any) -> Any:
        (_, before), (_, later), free = next(kinds)
        if isinstance(before, Key) or isinstance(later, Key):
            if isinstance(before, Key) and isinstance(later, Key) and before.shape == later.shape:
                return before
            raise Refused(f"The carry of {name} begins or ends as a key, and not both.", "", "carry")
        if before.dtype == later.dtype:
            return before
        if free and before.dtype in (INT, BOOL) and later.dtype not in (INT, BOOL):
            return replace(before, dtype=later.dtype)
        if {before.dtype, later.dtype} & {INT, BOOL}:
            raise Refused(
                f"The carry of {name} begins as {before.dtype} and becomes {later.dtype}, which JAX refuses.",
                "Begin with a point: 0.0.",
                "carry",
            )
        return before

    return tree_mapped(one, value)


def _weak(value: Any) -> list[bool]:
    return [isinstance(leaf, (int, float)) for _, leaf in leaves(value)]


def _carry(reader: Reader, value: Any, bit: int) -> Any:
    return marked(tree_mapped(lambda leaf: as_array(reader, leaf), value), bit)


@known("lax.scan")
def scan(
    reader: Reader,
    f: Any,
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> tuple:
    """Read `lax.scan`, step by step."""
    arrays = arrays_in(xs)
    arrays += [leaf for _, leaf in leaves(xs) if isinstance(leaf, Key)]
    shapes = [one.shape if isinstance(one, Key) else shape_of(reader, one) for one in arrays]
    counts = {shape[0] if shape else 0 for shape in shapes}
    if length is not None:
        counts.add(length)
    if len(counts) != 1 or type(next(iter(counts))) is not int:
        raise Refused("scan needs arrays of one length, or a length that is written out.")
    (count,) = counts
    _limited(count, "scan")
    with staged(reader, "scan") as bit:
        carry, outputs, weak = _carry(reader, init, bit), [], _weak(init)
        check_traced(reader, f, ("scan", kinds_of(reader, carry, xs)))
        before = outside_of(reader, f)
        for i in reversed(range(count)) if reverse else range(count):
            part = marked(tree_mapped(lambda leaf, i=i: _row(reader, leaf, i), xs), bit)
            result = reader.call(f, [carry, part], {})
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise Refused("The body of scan returns (carry, output).")
            after = _carry(reader, result[0], bit)
            _same_form(carry, after, "scan")
            _settled(carry, after, weak, "scan")
            carry, weak = after, [False] * len(weak)
            if not outputs:
                check_unchanged(reader, before, "scan", f)
            outputs.append(tree_mapped(lambda leaf: as_array(reader, leaf), result[1]))
    if reverse:
        outputs.reverse()
    reader.say(reader.line, f"`scan` is unrolled: {count} steps")
    return unmarked(carry, bit), unmarked(_stacked(reader, outputs), bit)


def _row(reader: Reader, leaf: Any, i: int) -> Any:
    if isinstance(leaf, Key):
        return key_item(reader, leaf, i, NOWHERE)
    return getitem(reader, leaf, i) if isinstance(leaf, Array) else leaf


def _limited(count: int, name: str) -> None:
    if not 0 < count <= STEPS:
        raise Refused(f"A {name} of {count} steps is not unrolled.", f"At most {STEPS} are.", "too-large")


def _stacked(reader: Reader, results: list[Any]) -> Any:
    columns = [leaves(one) for one in results]
    stacked = iter(
        reader.make("stack", [column[i][1] for column in columns], dtype=columns[0][i][1].dtype, axis=0)
        if len(columns) <= 64
        else _long_stack(reader, [column[i][1] for column in columns])
        for i in range(len(columns[0]))
    )
    return tree_mapped(lambda _: next(stacked), results[0])


def _long_stack(reader: Reader, parts: list[Array]) -> Array:
    """Return a stack of more arrays than one op takes."""
    blocks = [reader.make("stack", parts[i : i + 64], axis=0) for i in range(0, len(parts), 64)]
    return reader.make("concatenate", blocks, axis=0)


@known("lax.map")
def map_rows(reader: Reader, f: Any, xs: Any) -> Any:
    """Read `lax.map`, step by step."""
    return scan(reader, _ignoring(f), 0, xs)[1]


def _ignoring(f: Any) -> Any:
    return Native(lambda reader, args, keywords: (args[0], reader.call(f, [args[1]], {})), "map")


@known("lax.fori_loop")
def fori_loop(
    reader: Reader, lower: Any, upper: Any, body_fun: Any, init_val: Any, unroll: Any = None
) -> Any:
    """Read `lax.fori_loop`, step by step; with limits that are computed it is a `while_loop`."""
    if any(isinstance(one, Array) and one.rows for one in (lower, upper)):
        going = Native(lambda _, args, kw: reader.make("less", [args[0][0], upper], dtype=BOOL), "going")

        def step(_: Reader, args: list, keywords: dict) -> tuple:
            i, value = args[0]
            return reader.make("add", [i, 1.0], dtype=INT), reader.call(body_fun, [i, value], {})

        return while_loop(reader, going, Native(step, "step", body_fun), (lower, init_val))[1]
    ends = [
        one
        if type(one) is int
        else int(reader.numbers(replace(one, traced=0)))
        if isinstance(one, Array)
        else None
        for one in (lower, upper)
    ]
    if None in ends:
        raise Refused("fori_loop is read between whole numbers.")
    first, last = ends
    fixed = type(lower) is int and type(upper) is int
    if last <= first:
        return init_val
    _limited(last - first, "fori_loop")
    with staged(reader, "fori_loop") as bit:
        value, weak = _carry(reader, init_val, bit), _weak(init_val)
        check_traced(reader, body_fun, ("fori_loop", fixed, kinds_of(reader, value)))
        before = outside_of(reader, body_fun)
        for i in range(first, last):
            after = _carry(
                reader, reader.call(body_fun, [Array(float(i), "jax", INT, traced=bit), value], {}), bit
            )
            if i == first:
                check_unchanged(reader, before, "fori_loop", body_fun)
            _same_form(value, after, "fori_loop")
            _settled(value, after, weak, "fori_loop")
            value, weak = after, [False] * len(weak)
    reader.say(reader.line, f"`fori_loop` is unrolled: {last - first} steps")
    value = unmarked(value, bit)
    return value if fixed else _looped(reader, value)


def _looped(reader: Reader, value: Any) -> Any:
    """Return what comes out of a loop of unknown length, by which JAX differentiates forward only."""

    def mark(leaf: Any) -> Any:
        if isinstance(leaf, Array) and leaf.is_node:
            leaf = reader.copied(leaf)
            reader.state(Loops).made.add(leaf.held.number)
        return leaf

    return tree_mapped(mark, value)


@known("lax.while_loop")
def while_loop(reader: Reader, cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    """Read `lax.while_loop`, as many steps as the numbers say."""
    value, weak = tree_mapped(lambda leaf: as_array(reader, leaf), init_val), _weak(init_val)
    for function in (cond_fun, body_fun):
        check_traced(reader, function, ("while_loop", kinds_of(reader, value)))
    count, before = 0, outside_of(reader, cond_fun, body_fun)
    while True:
        with staged(reader, "while_loop") as bit:
            going = unmarked(reader.call(cond_fun, [marked(value, bit)], {}), bit)
        by_row = isinstance(going, Array) and bool(going.rows)
        if not (reader.numbers(replace(going, rows=(), traced=0)).any() if by_row else _holds(reader, going)):
            break
        count += 1
        _limited(count, "while_loop")
        with staged(reader, "while_loop") as bit:
            if by_row:
                after = _going_on(reader, body_fun, going, value, bit)
            else:
                after = _carry(reader, reader.call(body_fun, [marked(value, bit)], {}), bit)
        if count == 1:
            check_unchanged(reader, before, "while_loop", cond_fun, body_fun)
        _same_form(value, after, "while_loop")
        _settled(value, after, weak, "while_loop")
        value, weak = unmarked(after, bit), [False] * len(weak)
    reader.say(reader.line, f"`while_loop` runs {count} steps with these numbers, and the graph has these")
    return _looped(reader, value)


def _going_on(reader: Reader, body_fun: Any, going: Array, value: Any, bit: int) -> Any:
    """Return the carry after a step that only some rows take, as JAX has it: the others keep theirs."""
    if reader.state(Tracing).depth:  # a slope of a row that has ended may be infinite
        keep = Native(lambda _, args, keywords: args[0], "keep")
        return _carry(reader, _chosen(reader, [keep, body_fun], going, [value]), bit)
    after = _carry(reader, reader.call(body_fun, [marked(value, bit)], {}), bit)
    _same_form(value, after, "while_loop")
    if any(isinstance(leaf, Key) for _, leaf in leaves(value)):
        raise Refused("Inside vmap the rows of a while_loop go different ways, and a key is in its carry.")
    olds = iter([leaf for _, leaf in leaves(value)])
    return tree_mapped(lambda new: reader.make("where", [going, new, next(olds)], dtype=new.dtype), after)


def _holds(reader: Reader, value: Any) -> bool:
    """Return whether a condition of JAX's own branch or loop holds; compiled code may ask too."""
    if not isinstance(value, Array):
        return bool(value)
    numbers = reader.numbers(replace(value, traced=0))
    if numbers.size != 1:
        raise Refused("A condition is one truth value.")
    return bool(numbers.item())


@known("lax.cond")
def cond(
    reader: Reader, pred: Any, true_fun: Any, false_fun: Any, *operands: Any, operand: Any = None
) -> Any:
    """Read `lax.cond`: the branch that the numbers choose; with rows, both and a choice between them."""
    given = [*operands] if operand is None else [operand]
    if isinstance(pred, Array) and pred.rows:
        return _chosen(reader, [false_fun, true_fun], pred, given)
    taken = _holds(reader, pred)
    reader.say(reader.line, f"`cond` takes its {'first' if taken else 'second'} branch with these numbers")
    return _branch(reader, true_fun if taken else false_fun, given)


def _branch(reader: Reader, function: Any, operands: list) -> Any:
    check_traced(reader, function, ("cond", kinds_of(reader, operands)))
    before = outside_of(reader, function)
    with staged(reader, "cond") as bit:
        value = reader.call(
            function,
            [marked(tree_mapped(lambda leaf: as_array(reader, leaf), one), bit) for one in operands],
            {},
        )
        value = tree_mapped(lambda leaf: as_array(reader, leaf), value)
    check_unchanged(reader, before, "a branch", function)
    return unmarked(value, bit)


GENTLE = frozenset(
    (
        "add", "sub", "mul", "neg", "square", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "maximum",
        "minimum", "where", "identity", "sum", "mean", "max", "min", "dot", "matmul", "reshape", "transpose",
        "expand_dims", "broadcast_to", "getitem", "at_set", "stack", "concatenate", "zeros_like", "ones_like",
        INPUT,
    )
)  # fmt: skip
"""Ops with finite slopes wherever their arguments are finite."""


def _chosen(reader: Reader, functions: list, which: Array, operands: list) -> Any:
    """Return for each row the result of the branch that a number names."""
    which = reader.make("clip", [which, 0.0, float(len(functions) - 1)], dtype=INT)
    results = [_of_rows(reader, function, operands, which, i) for i, function in enumerate(functions)]
    flat = [leaves(one) for one in results]
    made: list[Any] = [leaf for _, leaf in flat[-1]]
    for i in reversed(range(len(flat) - 1)):
        below = reader.make("less_equal", [which, float(i)], dtype=BOOL)
        made = [
            reader.make("where", [below, one, other]) for (_, one), other in zip(flat[i], made, strict=True)
        ]
    items = iter(made)
    return tree_mapped(lambda _: next(items), results[-1])


def _of_rows(reader: Reader, function: Any, operands: list, which: Array, number: int) -> Any:
    """Return what a branch makes of all rows.

    A slope may be infinite in rows of another branch, and 0 times infinity is NaN; so JAX lets the operands
    pass nothing there, and what the branch reads from outside is such an operand.

    Raises:
      Refused: such an op reads something from outside that is no operand.
    """
    first = len(reader.builder.drafts) if isinstance(reader.builder, Builder) else 0
    result = _branch(reader, function, operands)
    if not isinstance(reader.builder, Builder):
        return result
    if all(draft.op in GENTLE for draft in reader.builder.drafts[first:]):
        return result
    reader.builder.replaced |= set(range(first, len(reader.builder.drafts)))
    here = reader.make("equal", [which, float(number)], dtype=BOOL)

    def only_here(leaf: Any) -> Any:
        if not isinstance(leaf, Array) or not leaf.is_node or leaf.dtype in (INT, BOOL):
            return leaf
        stopped = replace(stop_gradient(reader, replace(leaf, rows=())), rows=leaf.rows)
        return replace(reader.make("where", [here, leaf, stopped], dtype=leaf.dtype), traced=leaf.traced)

    given = [tree_mapped(only_here, one) for one in operands]
    own = {leaf.held.number for _, leaf in leaves(given) if isinstance(leaf, Array) and leaf.is_node}
    first = len(reader.builder.drafts)
    result = _branch(reader, function, given)
    steep: set[int] = set()  # the nodes that lead to such an op
    for at in range(len(reader.builder.drafts) - 1, first - 1, -1):
        draft = reader.builder.drafts[at]
        if draft.op not in GENTLE or at in steep:
            steep |= {slot.number for slot in draft.slots if isinstance(slot, Ref)}
    if any(at < first and at not in own for at in steep):
        raise Refused(
            "Under vmap a branch with a slope that may be infinite is read of its operands alone.",
            "Give the branch what it reads as an operand: lax.cond(p, f, g, x, y).",
        )
    return result


@known("lax.switch")
def switch(reader: Reader, index: Any, branches: Any, *operands: Any) -> Any:
    """Read `lax.switch`: the branch that a number names, the nearest if there is no such."""
    functions = list(reader.items(branches))
    if isinstance(index, Array) and index.rows:
        return _chosen(reader, functions, index, list(operands))
    number = int(reader.numbers(replace(index, traced=0))) if isinstance(index, Array) else index
    if type(number) is not int or not functions:
        raise Refused("switch takes a whole number and a list of functions.")
    number = max(0, min(number, len(functions) - 1))
    reader.say(reader.line, f"`switch` takes branch {number} with these numbers")
    return _branch(reader, functions[number], list(operands))


@known("lax.associative_scan")
def associative_scan(reader: Reader, fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Read `lax.associative_scan`, from the first to the last."""
    if axis or not arrays_in(elems):
        raise Refused("associative_scan is read along the first axis.")
    count = shape_of(reader, arrays_in(elems)[0])[0]
    _limited(count, "associative_scan")
    if reverse:
        elems = tree_mapped(lambda leaf: flip(reader, leaf, 0), elems)
    results: list[Any] = []
    for i in range(count):
        part = tree_mapped(lambda leaf, i=i: getitem(reader, leaf, i), elems)
        results.append(part if not results else reader.call(fn, [results[-1], part], {}))
    whole = _stacked(reader, results)
    return tree_mapped(lambda leaf: flip(reader, leaf, 0), whole) if reverse else whole
