"""Test that an op of the interpreter gives the bits of a program of its own, and that tapes go on rightly."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.engine.live_path.arrays import SMALL, Arrays
from autodiff_viz.engine.live_path.compiling import QUICK, rounded
from autodiff_viz.engine.live_path.kernels import kernel, tangent_kernel
from autodiff_viz.engine.live_path.numbers import ROW, ROWS, Tape, branches, read
from autodiff_viz.engine.trace import precision, trace
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.language.parse import parse
from autodiff_viz.ops.catalog import OPS
from tests.work import programs_compiled

FLOAT = "float32"
NUMBERS = (0.3, -1.7)


def names(count: int, dtype: str = FLOAT) -> list[str]:
    ops = branches(dtype).ops
    return [name for name in OPS if name in ops and len(ops[name].contributions) == count]


ALONE = [(name, count) for count in (1, 2) for name in names(count)]


def test_ops_on_one_and_on_two_numbers_share_programs_and_ops_with_parameters_do_not():
    assert {"sin", "exp", "relu", "abs", "sign"} <= set(names(1))
    assert {"add", "mul", "div", "maximum", "dot"} <= set(names(2))
    assert not {"sum", "softmax", "dropout", "matmul"} & {*names(1), *names(2)}
    assert "where" in names(3)


def alone(name: str, dtype: str) -> Callable:
    return jax.jit(OPS[name].apply, compiler_options=rounded(QUICK, dtype))


def pulled_alone(name: str, dtype: str) -> Callable:
    def pull(cotangent: jax.Array, *arguments: jax.Array) -> tuple[jax.Array, ...]:
        return jax.vjp(OPS[name].apply, *arguments)[1](cotangent)

    return jax.jit(pull, compiler_options=rounded(QUICK, dtype))


def bits(found: object) -> list[bytes]:
    return [np.asarray(array).tobytes() for array in jax.tree.leaves(found)]


@pytest.mark.parametrize(("name", "count"), ALONE)
def test_value_and_pullback_have_the_bits_of_the_op_compiled_alone(name, count):
    arguments = [jnp.float32(x) for x in NUMBERS[:count]]
    found = kernel(name, (), ((),) * count, tuple(range(count)), FLOAT)
    assert bits(found.run(*arguments)) == bits(alone(name, FLOAT)(*arguments))
    if all(found.carries):
        cotangent = jnp.float32(0.7)
        expected = pulled_alone(name, FLOAT)(cotangent, *arguments)
        assert bits(found.pull(cotangent, *arguments)) == bits(expected)
        _, passed = found.pull_back([jnp.float32(0.2), jnp.float32(0.5)], arguments, None)
        assert bits(passed) == bits(
            pulled_alone(name, FLOAT)(jnp.float32(0.2) + jnp.float32(0.5), *arguments)
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", ["gelu", "mul", "pow"])
def test_so_it_is_in_other_dtypes(name, dtype):
    count = len(OPS[name].slots)
    with precision(dtype):
        arguments = [jnp.asarray(x, dtype) for x in (0.3, 1.7)[:count]]
        found = kernel(name, (), ((),) * count, tuple(range(count)), dtype)
        assert name in names(count, dtype)
        assert bits(found.run(*arguments)) == bits(alone(name, dtype)(*arguments))
        cotangent = jnp.asarray(0.7, dtype)
        assert bits(found.pull(cotangent, *arguments)) == bits(
            pulled_alone(name, dtype)(cotangent, *arguments)
        )


@pytest.mark.parametrize("batched", [(True, False), (False, True), (True, True)])
def test_samples_of_one_slot_or_both_are_mapped_over(batched):
    samples = jnp.asarray([0.5, -1.25, 3.0], jnp.float32)
    x, y = (samples if flag else jnp.float32(2.0) for flag in batched)
    found = kernel("mul", (), ((), ()), (0, 1), FLOAT, True)
    np.testing.assert_array_equal(found.run(x, y), np.asarray(x) * np.asarray(y))
    for passed, factor in zip(found.pull(jnp.float32(4.0), x, y), (y, x), strict=True):
        np.testing.assert_array_equal(passed, np.broadcast_to(4.0 * np.asarray(factor), 3))


def test_a_slot_without_samples_is_not_mapped_over():
    found = kernel("mul", (), ((), ()), (0,), FLOAT, True)
    cotangents = jnp.asarray([1.0, -2.0], jnp.float32)
    assert found.run(jnp.float32(3.0), jnp.float32(5.0)) == 15.0
    np.testing.assert_array_equal(found.pull(cotangents, jnp.float32(3.0), jnp.float32(5.0))[0], [5.0, -10.0])


def test_the_tangents_of_an_op_on_numbers_are_those_of_jvp():
    push = tangent_kernel("div", (), ((), ()), (0, 1), FLOAT)
    x, y = jnp.float32(3.0), jnp.float32(4.0)
    by_hand = 0.5 / 4.0, -2.0 * 3.0 / 16.0  # dx / y, -x dy / y^2
    np.testing.assert_allclose(push((jnp.float32(0.5), jnp.float32(2.0)), x, y), by_hand, rtol=1e-6)


@pytest.mark.parametrize(("size", "freed"), [(1, True), (SMALL, True), (SMALL + 1, False)])
def test_a_small_array_that_was_read_is_no_longer_kept_by_jax(size, freed):
    theirs = jnp.arange(size, dtype=jnp.float32) + 0
    watched = weakref.ref(theirs)
    arrays = Arrays({"a": theirs}, FLOAT, lambda _: (size,))
    del theirs
    found = arrays["a"]
    gc.collect()
    assert (watched() is None) is freed
    np.testing.assert_array_equal(found, np.arange(size))
    assert arrays["a"] is found
    assert not arrays.is_symbolic_zero("a")


def test_a_graph_of_numbers_compiles_nothing_once_another_has_run():
    trace(parse("x = 0.5\ny = sin(x)")).gradient["x"]
    other = parse("x = 0.5\na = arctan(x) / 3.0\nb = rewrite(a * x, lambda v: tanh(v))\nc = softplus(b) - a")
    assert programs_compiled(lambda: dict(trace(other).gradient)) == 0


def double(tape: Tape, times: int) -> list:
    add = kernel("add", (), ((), ()), (0, 1), FLOAT).run
    numbers = [tape.put(np.float32(1.0))]
    for _ in range(times):
        numbers.append(add(numbers[-1], numbers[-1]))
    return numbers


def test_a_tape_that_is_read_in_between_goes_on_from_there():
    tape = Tape(FLOAT)
    numbers = double(tape, 20)
    assert read(numbers[20]) == 2.0**20
    numbers.append(kernel("mul", (), ((), ()), (0, 1), FLOAT).run(numbers[-1], np.float32(0.5)))
    assert [float(read(x)) for x in numbers] == [*(2.0**i for i in range(21)), 2.0**19]


def test_a_tape_may_be_longer_than_what_one_call_computes():
    tape, sub = Tape(FLOAT), kernel("sub", (), ((), ()), (0, 1), FLOAT).run
    last = tape.put(np.float32(0.0))
    for _ in range(3 * ROWS + 10):
        last = sub(last, np.float32(1.0))
        read(last) if len(tape.rows) == 100 * ROW else None
    assert read(last) == -(3 * ROWS + 10.0)


def test_rows_of_a_scratch_are_removed_and_those_before_stay():
    tape = Tape(FLOAT)
    numbers = double(tape, 3)
    read(numbers[-1])
    for _ in range(2):
        with tape.scratch():
            assert read(kernel("square", (), ((),), (0,), FLOAT).run(numbers[-1])) == 64.0
    assert len(tape.rows) == 4 * ROW
    numbers += double(tape, 2)
    assert [float(read(x)) for x in numbers] == [1.0, 2.0, 4.0, 8.0, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_each_position_of_a_sweep_has_the_bits_of_a_trace_there(dtype):
    text = "x = {}\ny = -1.5\na = exp(sin(x) * y) / (x - 0.3)\nb = tanh(a) * stop_gradient(x)\nz = b * cos(b)"
    positions = [-2.0, 0.0, 0.7, 1.3]
    swept = sweep(trace(parse(text.format(0.5)), dtype=dtype), "x", positions)
    for i, at in enumerate(positions):
        alone = trace(parse(text.format(at)), dtype=dtype)
        assert [swept.along(swept.value[n], n)[i].tobytes() for n in "xyabz"] == bits(
            [alone.value[n] for n in "xyabz"]
        )
        assert swept.gradient[i].tobytes() == alone.gradient["x"].tobytes()
    assert "y" not in swept.swept


@pytest.mark.parametrize("name", ["mul", "div", "pow", "where", "clip", "tanh", "arctan"])
def test_tangents_have_the_bits_of_jvp_compiled_alone(name):
    count = len(OPS[name].slots)
    operands, dots = [jnp.float32(x) for x in (1.0, 0.3, 1.7)[:count]], [jnp.float32(0.7)] * count

    def alone_of(slot: int) -> jax.Array:
        def along(dot: jax.Array, *some: jax.Array) -> jax.Array:
            moved = lambda x: OPS[name].apply(*some[:slot], x, *some[slot + 1 :])  # noqa: E731
            return jax.jvp(moved, (some[slot],), (dot,))[1]

        return jax.jit(along, compiler_options=QUICK)(dots[slot], *operands)

    slots = tuple(i for i in range(count) if (name, i) != ("where", 0))  # a condition has no tangent
    push = tangent_kernel(name, (), ((),) * count, slots, FLOAT)
    assert bits(push([dots[i] for i in slots], *operands)) == bits([alone_of(i) for i in slots])
