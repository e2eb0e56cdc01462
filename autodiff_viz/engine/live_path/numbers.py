"""Record the ops on numbers of a pass, and compute them in one call of a compiled interpreter.

XLA computes an op on numbers in some nanoseconds and takes some microseconds to be called. So an op on
`Number`s only writes a row on their tape. When one of them is read, all new rows are computed at once, by a
program whose data is the tape: the same for all graphs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autodiff_viz.engine.live_path.compiling import QUICK, compiled, rounded
from autodiff_viz.engine.live_path.op_calls import runner
from autodiff_viz.engine.live_path.pullbacks import Slots, carries, pull_of, push_of, unchanged
from autodiff_viz.graph.dtypes import DTYPES
from autodiff_viz.graph.identity import remembered
from autodiff_viz.ops.catalog import OPS

# What a row may compute


KEEP, ADD = 0, 1
"""Codes of the first two branches: a given number keeps its value; two contributions are added."""

UNCHANGED = -1
"""In place of the position of a contribution among the results of a row: it is the arriving cotangent."""


APART = frozenset(
    (
        "tan", "exp2", "log2", "log10", "logaddexp", "erfc", "arctan2", "sinh", "cosh", "arcsinh", "arccosh",
        "arctanh", "rsqrt", "cbrt", "hypot", "remainder",
    )
)  # fmt: skip
"""Ops that are compiled alone all the same: with JAX 0.12 a branch of `tan` has another last bit; the others
are rare, and every visitor would wait for their branches."""


class NumberOp(NamedTuple):
    """An op that takes numbers alone, and gives one.

    Attributes:
      run, pull: codes of branches; `push` those of forward mode, one for each slot.
      contributions: for each slot, the position of its contribution among the results of `pull`; None is a
        symbolic zero.
    """

    run: int
    pull: int
    push: tuple[int, ...]
    contributions: tuple[int | None, ...]


class Branches(NamedTuple):
    """The branches of the interpreter by code; those from `pushes` on are of forward mode.

    A branch takes a cotangent or tangent and three operands, and has three results.
    """

    functions: list[Callable]
    pushes: int
    ops: dict[str, NumberOp]


@remembered(len(DTYPES))
def branches(dtype: str) -> Branches:
    """Return the branches of a dtype: all ops of the catalog that take numbers alone and give one."""
    number, runs = jax.ShapeDtypeStruct((), jnp.dtype(dtype)), {}
    for name, op in OPS.items():
        run, count = runner(op, (), dtype, 0), len(op.slots)
        if op.params or op.variadic or name in APART or not 1 <= count <= 3:
            continue
        try:
            value = jax.eval_shape(run, *[number] * count)
        except (TypeError, ValueError, IndexError, AssertionError):
            continue
        if (value.shape, value.dtype) == (number.shape, number.dtype):
            runs[name] = run, count
    functions, pushes, ops = [lambda v, a, b, c: (a, a, a), lambda v, a, b, c: (a + b,) * 3], [], {}
    first = len(functions) + 2 * len(runs)
    for name, (run, count) in runs.items():
        slots, samples = tuple(range(count)), [number] * count
        pull = pull_of(run, slots)
        facts = zip(carries(run, samples, slots), unchanged(pull, (), dtype, samples), slots, strict=True)
        contributions = tuple([(UNCHANGED if same else i) if has else None for has, same, i in facts])
        code, codes = len(functions), tuple([first + len(pushes) + i for i in slots])
        ops[name] = NumberOp(code, code + 1, codes, contributions)
        taken = [lambda v, *xs, run=run: (run(*xs),), pull]
        moved = [lambda v, *xs, push=push: push((v,), *xs) for push in [push_of(run, (i,)) for i in slots]]
        functions += [partial(_branch, function, count) for function in taken]
        pushes += [partial(_branch, function, count) for function in moved]
    return Branches(functions + pushes, first, ops)


def _branch(function: Callable, count: int, v: jax.Array, *operands: jax.Array) -> tuple[jax.Array, ...]:
    return (*function(v, *operands[:count]), v, v)[:3]


# Rows, and the program that computes them

ROW = 5
"""Length of a row: a code, the place of a cotangent or tangent, and those of three operands.

A row that begins at place p has its results at p, p + 1 and p + 2 of the memory. What a branch does not need
is the first place again.
"""

ROWS, SWEPT = 512, 64  # rows that one call of the program computes; and of a tape with samples
FEW = 16  # samples, at least; their number is rounded up to a power of two
PROGRAMS = 32  # that are kept; each holds about 6 MB


@remembered(PROGRAMS, lambda *key: key)
def _program(dtype: str, pushes: bool, samples: int | None) -> Callable:
    """Return `program(memory, rows, count)`, which computes so many rows; its first call compiles it.

    Args:
      pushes: whether some are of forward mode, whose branches take the compiler most of its time.
      samples: the length of the memory's first of two axes; None if it has one. Samples are computed one
        after another, by the instructions of a single one, which give the same bits.
    """
    table = branches(dtype)
    functions = table.functions if pushes else table.functions[: table.pushes]

    def compute(memory: jax.Array, rows: jax.Array, count: jax.Array) -> jax.Array:
        def step(at: jax.Array, memory: jax.Array) -> jax.Array:
            row = lax.dynamic_slice(rows, (at * ROW,), (ROW,))
            numbers = [lax.dynamic_index_in_dim(memory, row[i], keepdims=False) for i in range(1, ROW)]
            results = jnp.stack(lax.switch(row[0], functions, *numbers))
            return lax.dynamic_update_slice_in_dim(memory, results, at * ROW, 0)

        return lax.fori_loop(0, count, step, memory)

    def mapped(memory: jax.Array, rows: jax.Array, count: jax.Array) -> jax.Array:
        return lax.map(lambda each: compute(each, rows, count), memory)

    return compiled(compute if samples is None else mapped, rounded(QUICK, dtype), fixed=True)


class Number:
    """A number of a tape, or one for each sample; `np.asarray` reads it."""

    __slots__ = ("place", "tape")

    def __init__(self, tape: Tape, place: int):
        self.tape, self.place = tape, place

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(read(self), dtype)

    @property
    def ndim(self) -> int:
        """Number of axes: 1 if it depends on samples."""
        return np.ndim(read(self))

    @property
    def size(self) -> int:
        """Number of elements."""
        return np.size(read(self))


class Tape:
    """The numbers of a pass: those that are given, and those that rows compute.

    Attributes:
      rows: all rows, end to end.
      samples: how many there are; None if no number has samples.
      pushes: whether a row is of forward mode.
    """

    def __init__(self, dtype: str, samples: int | None = None):
        self.dtype, self.samples, self.pushes, self.rows = dtype, samples, False, array("i")
        self._given: dict[int, Any] = {}
        self._computed = np.zeros(0, dtype)  # the memory of all rows that are computed
        self._swept = bytearray()  # of these, whether they depend on samples

    def put(self, number: Any) -> Number:
        """Add a given number, or one for each sample."""
        place = len(self.rows)
        self.rows.extend((KEEP, place, place, place, place))
        self._given[place] = number
        return Number(self, place)

    def read(self, place: int) -> Any:
        """Return a number, or one for each sample that it depends on."""
        if place in self._given:
            return self._given[place]
        self.run()
        if self.samples is None:
            return self._computed[place]
        whole = self._computed[:, place]
        return whole[: self.samples] if self._swept[place // ROW] else whole[0]

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Remove the rows that are added inside `with`, whose numbers nobody reads afterwards."""
        end = len(self.rows)
        try:
            yield
        finally:
            del self.rows[end:], self._swept[end // ROW :]
            self._given = {place: number for place, number in self._given.items() if place < end}
            self._computed = self._computed[..., :end]

    def run(self) -> None:
        """Compute the rows that are not computed yet."""
        first = self._computed.shape[-1]
        if len(self.rows) in (first, len(self._given) * ROW):  # nothing is new, or nothing but given numbers
            return
        given = [pair for pair in self._given.items() if pair[0] >= first]
        while first < len(self.rows):
            self._run_some(first, given)
            first = self._computed.shape[-1]

    def _run_some(self, first: int, given: list[tuple[int, Any]]) -> None:
        """Compute rows from the place `first` on, as many as the program takes; `given` are new numbers."""
        samples, length = self.samples, ROW * (ROWS if self.samples is None else SWEPT)
        new = self.rows[first : first + length]
        rows, end = np.zeros(length, np.int32), first + len(new)
        rows[: len(new)] = new
        # What they read of earlier rows follows in the memory, behind what they compute.
        kept = (2 * length,) if samples is None else (max(FEW, 1 << (samples - 1).bit_length()), 2 * length)
        memory = np.zeros(kept, self.dtype)
        if first:
            read = rows[: len(new)].reshape(-1, ROW)[:, 1:]
            earlier = read < first
            places = read[earlier]
            read -= first
            read[earlier] = np.arange(length, length + len(places))
            memory[..., length : length + len(places)] = self._computed[..., places]
        for place, number in given:
            if first <= place < end and samples is None:
                memory[place - first] = number
            elif first <= place < end:
                memory[:samples, place - first] = number
        if samples is not None:
            for at in range(0, len(new), ROW):
                reads = [place for place in new[at + 1 : at + ROW] if place < first + at]
                swept = any(self._swept[place // ROW] for place in reads)
                self._swept.append(swept or np.ndim(self._given.get(first + at)) > 0)
        with jax.enable_x64(True) if DTYPES[self.dtype].wide else nullcontext():
            program = _program(self.dtype, self.pushes, None if samples is None else len(memory))
            results = np.asarray(program(memory, rows, np.int32(len(new) // ROW)))[..., : len(new)].copy()
        self._computed = np.concatenate((self._computed, results), -1) if first else results


def read(value: Any) -> Any:
    """Return a `Number` as an array, and anything else as it is."""
    return value.tape.read(value.place) if type(value) is Number else value


def reading(program: Callable) -> Callable:
    """Return a program, which takes arrays, as a function that takes `Number`s too."""
    return lambda *arguments: program(*[read(x) for x in arguments])


# Kernels of numbers. What they give is a `Number` if one that they take is; otherwise it is computed at once.


def _converted(function: Callable, dtype: str, numbers: Sequence[Any]) -> Any:
    """Call a function of `Number`s with numbers that are not all on a tape."""
    given = next((x.tape for x in numbers if type(x) is Number), None)
    tape = given or Tape(dtype, max((len(x) for x in numbers if np.ndim(x)), default=None))
    results = function(*[x if type(x) is Number else tape.put(np.asarray(x)) for x in numbers])
    if given is not None:
        return results
    return read(results) if type(results) is Number else [*map(read, results)]


def add(a: Any, b: Any) -> Number:
    """Add two numbers, one of which at least is a `Number`."""
    try:
        tape, row = a.tape, (ADD, a.place, a.place, b.place, a.place)
    except AttributeError:
        return _converted(add, "", (a, b))
    added = Number(tape, len(tape.rows))
    tape.rows.extend(row)
    return added


def running(op: NumberOp, dtype: str) -> Callable[..., Any]:
    """Return `run` of an op, as of `kernels.Kernel`."""
    code, count = op.run, len(op.contributions)

    def run(a: Any, b: Any = None, c: Any = None) -> Any:
        try:
            x, tape = a.place, a.tape
            row = code, x, x, x if b is None else b.place, x if c is None else c.place
        except AttributeError:
            return _converted(run, dtype, (a, b, c)[:count])
        value = Number(tape, len(tape.rows))
        tape.rows.extend(row)
        return value

    return run


def pulling(op: NumberOp, dtype: str, slots: Slots) -> Callable[..., Sequence[Any]]:
    """Return `pull` of an op, as of `kernels.Kernel`."""
    code, positions, count = op.pull, [op.contributions[slot] for slot in slots], len(op.contributions)
    if all(i is None or i == UNCHANGED for i in positions):
        return lambda v, *operands: [None if i is None else v for i in positions]

    def pull(v: Any, a: Any, b: Any = None, c: Any = None) -> Sequence[Any]:
        try:
            x, tape = v.place, v.tape
            row = code, x, a.place, x if b is None else b.place, x if c is None else c.place
        except AttributeError:
            return _converted(pull, dtype, (v, a, b, c)[: count + 1])
        at = len(tape.rows)
        tape.rows.extend(row)
        return [None if i is None else v if i == UNCHANGED else Number(tape, at + i) for i in positions]

    return pull


def pushing(op: NumberOp, dtype: str, slots: Slots) -> Callable[..., Sequence[Any]]:
    """Return the forward mode of an op, as of `kernels.tangent_kernel`."""

    def push_one(code: int, *numbers: Any) -> Any:
        try:
            tape, places = numbers[0].tape, [x.place for x in numbers]
        except AttributeError:
            return _converted(partial(push_one, code), dtype, numbers)
        added, tape.pushes = Number(tape, len(tape.rows)), True
        tape.rows.extend((code, *places, *places[:1] * (ROW - 1 - len(places))))
        return added

    def push(tangents: Sequence[Any], *operands: Any) -> Sequence[Any]:
        return [push_one(op.push[i], v, *operands) for i, v in zip(slots, tangents, strict=True)]

    return push
