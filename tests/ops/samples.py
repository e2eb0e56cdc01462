"""Generate inputs for an op's examples, and central differences for comparison with derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autodiff_viz.ops.catalog import OPS

CLEARANCE = 0.05  # distance from a kink; well beyond the step of the differences
STEP = 1e-6

OF_ARRAYS = [op for op in OPS.values() if not op.of_graph]
WIRED = [op for op in OF_ARRAYS if op.slots]
ELEMENTWISE = [op for op in WIRED if op.elementwise]


def examples_of(ops):
    """One pytest parameter (op, shapes, params) for each example of each op."""
    return [_case(op, *example) for op in ops for example in op.examples]


def last_example_of(ops):
    """The last example of each op, which is the most intricate one, where every shape would be slow."""
    return [_case(op, *op.examples[-1]) for op in ops]


def _case(op, shapes, params):
    return pytest.param(op, shapes, params, id=name_of(op, shapes, params))


def name_of(op, shapes, params):
    """What tells an example from all others."""
    return f"{op.name}-{shapes}-{params}"


def of_every_example(work, dtype):
    """`work(op, params, arrays)` of each example of each op, by the example's name.

    All in one program: XLA takes some 20 ms for a program however small it is, and there are hundreds.
    """
    cases = [(op, *example) for op in WIRED for example in op.examples]
    with jax.enable_x64(dtype == np.float64):
        drawn = [[*map(jnp.asarray, sample(op, shapes, dtype))] for op, shapes, _ in cases]
        program = jax.jit(
            lambda drawn: [
                work(op, params, arrays) for (op, _, params), arrays in zip(cases, drawn, strict=True)
            ]
        )
        found = program(drawn)
    return {name_of(*case): each for case, each in zip(cases, found, strict=True)}


def sample(op, shapes, dtype=np.float64, seed=0):
    """Arrays of these shapes, drawn from the op's domain and clear of its kinks."""
    rng = np.random.default_rng(seed)
    domain = op.domain * len(shapes) if op.variadic else op.domain
    return [
        _clear(rng.uniform(*ends, shape), op.kinks).astype(dtype)
        for ends, shape in zip(domain, shapes, strict=True)
    ]


def _clear(values, kinks):
    values = np.asarray(values)
    for kink in kinks:
        side = np.where(values < kink, -1.0, 1.0)
        values = np.where(np.abs(values - kink) < CLEARANCE, kink + side * CLEARANCE, values)
    return values


def central_difference(function, arrays, slot, seed):
    """d<seed, function(*arrays)> by each element of `arrays[slot]`, in float64."""
    found = np.zeros_like(arrays[slot])
    for place in np.ndindex(found.shape):
        ends = []
        for step in (STEP, -STEP):
            moved = [array.copy() for array in arrays]
            moved[slot][place] += step
            ends.append(np.sum(seed * function(*moved)))
        found[place] = (ends[0] - ends[1]) / (2 * STEP)
    return found
