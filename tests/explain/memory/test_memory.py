"""Test what is live after each step: elements and bytes, who computes it and who reads it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_viz as av
from autodiff_viz.explain.memory.compute import Memory, memory, xla_memory
from autodiff_viz.explain.play.backward_program import Factor
from tests.engine.references.scalar_graphs import muted_graphs, ruled_regions, scalar_graphs


def of(text: str) -> Memory:
    return memory(av.trace(av.parse(text)))


FORK = "x = 0.6\ny = 1.5\na = sin(x)\nb = a * y\nz = b + exp(a)"


def test_what_a_fork_holds_by_hand():
    """The peak is after z's pullback: a, y, cos(x) and exp(a) are kept, and z passes two contributions."""
    found = of(FORK)
    assert [step.live for step in found.steps] == [1, 2, 3, 4, 5, 4, 6, 5, 4, 2, 1, 0]
    assert (found.peak, found.at_step, found.turn, found.kept) == (6, 6, 5, 4)
    at_turn = {"a": 1, "y": 1, "exp_1": 1, Factor("a", 0): 1}
    assert found.held[found.turn] == at_turn
    assert found.held[6] == {**at_turn, ("z", 0): 1, ("z", 1): 1}
    assert found.held[-1] == {}


def test_who_keeps_what_for_whom():
    found = of(FORK)
    at_turn = {
        array.array: (array.node, found.readers(array, found.turn)) for array in found.holds(found.turn)
    }
    assert at_turn == {
        "a": ("a", ("b",)),
        "y": ("y", ("b",)),
        "exp_1": ("exp_1", ("exp_1",)),
        Factor("a", 0): ("a", ("a",)),
    }


def test_a_stop_holds_no_array_of_its_own_and_what_arrives_there_is_never_computed():
    """x; sin(x), which the stop returns as it is; the product, when x is done with; sum. Kept: sin(x).
    Backward: the seed, broadcast; what goes to x, but not x times the seed, which would go to the stop."""
    found = of("x = [1.0, 2.0, 3.0]\na = sin(x)\nb = stop_gradient(a)\ny = sum(b * x)")
    assert [step.live for step in found.steps] == [3, 6, 6, 6, 3, 6, 3, 3, 0]

    a, x = jnp.sin(jnp.arange(3.0)), jnp.arange(3.0)
    assert jax.lax.stop_gradient(a) is a
    _, pull = jax.vjp(lambda x: jnp.sum(jax.lax.stop_gradient(jnp.sin(x)) * x), x)
    products = [e for e in jax.make_jaxpr(pull)(1.0).eqns if e.primitive.name == "mul"]
    assert len(products) == 1


def test_bytes_of_a_mask_are_fewer_than_those_of_its_floats():
    """relu keeps x > 0, one byte each; three floats are live before it, in float64 of 8 bytes each."""
    graph = av.parse("x = [1.0, -2.0, 3.0]\ny = sum(relu(x))")
    for dtype, width in (("float32", 4), ("float64", 8)):
        found = memory(av.trace(graph, dtype=dtype))
        assert (found.bytes[0], found.bytes[found.turn]) == (3 * width, 3)
        assert found.steps[0].live == found.kept == 3


KEPT = [
    ("row 38, plain", "x = [1.0, 2.0, 3.0]\na = sin(x)\nb = sin(a)\ny = sum(b)", 6),
    (
        "row 38, last stage",
        'x = [1.0, 2.0, 3.0]\na = sin(x)\nwith checkpoint("last"):\n    b = sin(a)\ny = sum(b)',
        6,
    ),
    (
        "row 38, both",
        'x = [1.0, 2.0, 3.0]\nwith checkpoint("both"):\n    a = sin(x)\n    b = sin(a)\ny = sum(b)',
        3,
    ),
    (
        "row R11, stop at the output",
        "x = [1.0, 2.0, 3.0]\na = sin(x)\nb = sin(a)\nc = sin(b)\ny = sum(x * stop_gradient(c))",
        3,
    ),
    (
        "row R11, stop at the input",
        "x = [1.0, 2.0, 3.0]\na = sin(stop_gradient(x))\nb = sin(a)\nc = sin(b)\ny = sum(x * c)",
        3,
    ),
]


@pytest.mark.parametrize(("text", "kept"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_published_reports_of_what_a_checkpoint_keeps(text, kept):
    assert of(text).kept == kept


def bodies(steps: int, inside: bool) -> str:
    """`s = sin(h); c = cos(s); h_next = h + c`, so many times."""
    lines, pad = ["h0 = 0.5"], "    " if inside else ""
    for i in range(steps):
        lines += [f'with checkpoint("step_{i}"):'] if inside else []
        lines += [f"{pad}s{i} = sin(h{i})", f"{pad}c{i} = cos(s{i})", f"{pad}h{i + 1} = h{i} + c{i}"]
    return "\n".join(lines)


@pytest.mark.parametrize(("steps", "plain", "checkpointed"), [(4, 8, 4), (8, 16, 8)])
def test_a_checkpointed_loop_keeps_one_value_a_step_in_place_of_two(steps, plain, checkpointed):
    """Row 39: h alone, in place of cos(h) and sin(s); each sine runs a second time."""
    assert of(bodies(steps, False)).kept == plain
    found = of(bodies(steps, True))
    assert found.kept == checkpointed
    again = [step.node for step in found.steps if step.again and step.node in step.writes]
    assert sum(name.startswith("s") for name in again) == steps


def test_a_checkpoint_inside_a_checkpoint_keeps_its_input_alone():
    """Row R9: of the backward runs 2, 2, 1, 1, JAX keeps 2, 1, 1, 0."""
    found = of(
        'v0 = 0.5\nwith checkpoint("outer"):\n    with checkpoint("inner"):\n        v1 = sin(v0)\n'
        "        v2 = sin(v1)\n    v3 = sin(v2)\n    v4 = sin(v3)"
    )
    assert (found.kept, found.reruns) == (1, 4)
    runs = [sum(s.again and s.node == name for s in found.steps) for name in ("v1", "v2", "v3", "v4")]
    assert runs == [2, 2, 1, 1]


@settings(max_examples=40)
@given(graph=st.one_of(scalar_graphs(), ruled_regions(), muted_graphs()))
def test_what_is_held_is_what_has_been_written_and_is_still_to_be_read(graph):
    """Each array once: the backward pass has other arrays of the same name, and they are told apart."""
    whole = av.trace(graph)
    found = memory(whole)
    for i, step in enumerate(found.steps):
        assert sum(found.held[i].values()) == step.live == sum(a.elements for a in found.holds(i))
        assert found.bytes[i] == sum(a.bytes for a in found.holds(i))
    for array in found.arrays:
        assert array.array in found.steps[array.written].writes
        assert found.steps[array.written].node == array.node
        assert all(array.array in found.steps[i].reads for i in array.reads)
    read = [residual for residual in whole.residuals if residual.consumers]
    assert found.kept == sum(residual.elements for residual in read)
    assert found.bytes[found.turn] == sum(residual.bytes for residual in read)


def test_xla_counts_what_goes_in_and_out_and_its_own_buffers():
    """In: x, 400 bytes, and the seed, 4. Out: the sum and a gradient like x, and pointers to these two."""
    found = xla_memory(av.trace(av.parse("x = input(shape=(100,), seed=1)\ny = sum(exp(sin(x)))")))
    assert found.arguments == 404
    assert 404 <= found.outputs <= 404 + 2 * 8
    assert found.temporary >= 0
