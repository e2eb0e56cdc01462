"""Test that what the warnings of a trace claim is true of it: shapes, labels, and grad nodes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from autodiff_viz.engine.sentence import Claim
from autodiff_viz.engine.trace import (
    BROADCAST,
    CLASSES,
    INDEPENDENT,
    LABELS,
    NO_PATH,
    OF_SUM,
    OUTSIDE,
    SPAN,
    ZERO,
    Trace,
    outside,
    strays,
    sums,
    trace,
)
from autodiff_viz.graph.model import GRAD
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from tests.engine.test_nonfinite_claims import DTYPES, troubled_traces
from tests.explain.claims import unclaimed
from tests.seeds import seeded


def read(found: Trace, name: str) -> list[np.ndarray]:
    """What a node reads, its constants rounded to the dtype."""
    slots = found.graph[name].slots
    with np.errstate(over="ignore"):
        return [
            found.value[s] if isinstance(s, str) else np.asarray(s, float).astype(found.dtype) for s in slots
        ]


def upstream(found: Trace, name: str, with_z: bool = True) -> set[str]:
    """A node and all from which a path leads to it, through what grad nodes differentiate or not."""
    node = found.graph[name]
    producers = {producer for slot, producer in node.wires if with_z or node.op != GRAD or slot}
    return {name}.union(*(upstream(found, each, with_z) for each in producers))


def check(claim: Claim, found: Trace) -> None:
    """Check one claim."""
    names, numbers = claim.names, claim.numbers
    if claim.kind == BROADCAST:
        *shapes, result = numbers
        arrays = read(found, names[0])
        assert shapes == [array.shape for array in arrays]
        assert np.broadcast(*arrays).shape == result
        assert max(array.size for array in arrays) < np.prod(result)
    elif claim.kind == LABELS:
        arrays = read(found, names[0])
        classes = (found.value[names[0]] if len(arrays) == 1 else arrays[0]).shape[-1]
        one_hot = found.graph[names[0]].op == "one_hot"
        for label in numbers:
            assert any(
                np.array_equal(label, each, equal_nan=True) for each in arrays[-1].ravel().astype(float)
            )
            assert (np.round(label) if one_hot else label) not in range(classes)
    elif claim.kind == CLASSES:
        arrays = read(found, names[0])
        logits = found.value[names[0]] if len(arrays) == 1 else arrays[0]
        assert numbers == (0, logits.shape[-1] - 1)
    elif claim.kind in (OUTSIDE, SPAN):
        x, places = read(found, names[0])[:2]
        # The last axis, unless there are updates: those of the tests go to the first one.
        size = len(x) if len(found.graph[names[0]].slots) == 3 else x.shape[-1]
        if claim.kind == SPAN:
            assert numbers == (-size, size - 1)
        for place in numbers if claim.kind == OUTSIDE else ():
            assert any(np.array_equal(place, each, equal_nan=True) for each in places.ravel().astype(float))
            assert np.round(place) not in range(-size, size)
    elif claim.kind == ZERO:
        assert not found.value[names[0]].any()
    elif claim.kind == NO_PATH:
        assert names[0] not in upstream(found, names[1])
    elif claim.kind == INDEPENDENT:
        assert names[0] not in upstream(found, names[1], with_z=False)
    else:
        assert claim.kind == OF_SUM
        of, grad = names
        assert found.value[of].shape == numbers != ()
        ones = trace(replace(found.graph, output=of), found.inputs, dtype=found.dtype)
        right = ones.cotangent[found.graph[grad].slots[1]].astype(float)
        # XLA fuses a select into the product after it: under jit 0 stands where op by op 0 * inf is NaN.
        finite = np.isfinite(right)
        np.testing.assert_allclose(found.value[grad].astype(float)[finite], right[finite], rtol=0.02)


def check_all(found: Trace) -> int:
    """Check the warnings of a trace and return how many there are."""
    said = [(doubt.text, doubt.claims) for doubt in found.doubts if doubt.kind != "shadowed-argument"]
    said += [(statement.text.partition(": ")[2], statement.claims) for statement in sums(found)]
    for text, claims in said:
        assert not unclaimed(text, claims), text
        for claim in claims:
            check(claim, found)
    return len(said)


SIDES = "[1.0, 2.0]", "[1.0, 2.0, 3.0]", "[[1.0], [2.0]]", "[[1.0, 0.0, 2.0]]", "2.0", "[[[1.0]], [[2.0]]]"
LINES = (
    "{a} + {b}", "maximum({a}, {b})", "where({a}, {b}, {c})", "{a} * {a}", "mean_squared_error({a}, {b})",
    "one_hot({a}, num_classes=2)", "sin({a})", "sum({a}, axis=0)", "grad({a}, {b})", "grad({c}, {b})",
    "softmax_cross_entropy_with_integer_labels([[1.0, 2.0], [0.0, 3.0]], {a})", "{a} ** [2.0, 0.6]",
    "one_hot([2.6, -1.0, 257.0], num_classes=257)", "at_add({a}, {b}, 1.0)", "take_along_axis({a}, {b})",
    "take({a}, {b}, axis=-1)", "stop_gradient({a}) * {b}", "0.5 * {a} - {b}",
)  # fmt: skip


def mixed_traces(seed: int) -> list[Trace]:
    """Traces of one random program of shapes, labels and grad nodes, in each dtype; none if it cannot run."""
    random, names = Random(seeded(seed)), ["a", "b", "c"]
    lines = [f"{name} = {random.choice(SIDES)}" for name in names]
    for i in range(9):
        a, b, c = (random.choice(names) for _ in range(3))
        lines.append(f"n{i} = {random.choice(LINES).format(a=a, b=b, c=c)}")
        try:
            trace(parse("\n".join(lines)))
        except GraphError:
            lines.pop()
        else:
            names.append(f"n{i}")
    return [trace(parse("\n".join(lines)), dtype=dtype) for dtype in DTYPES]


@pytest.mark.sampled(60)
@pytest.mark.parametrize("seed", range(60))
def test_every_warning_on_a_random_graph_is_true(seed):
    for found in mixed_traces(seed):
        assert check_all(found) >= len([*strays(found), *outside(found)])


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(60, 600, 3))
def test_so_is_that_on_many(start):
    seeds = range(start, start + 3)
    told = [check_all(found) for seed in seeds for found in (*mixed_traces(seed), *troubled_traces(seed))]
    assert any(told)


LOGITS = (
    "z = [[1.0, 2.0, 3.0], [3.0, 4.0, 1.0]]\ny = softmax_cross_entropy_with_integer_labels(z, {})\nreturn y"
)


@pytest.mark.parametrize(
    ("text", "dtype", "said"),
    [
        # one_hot rounds 2.6 to 3, and the label is 2.6
        ("y = one_hot([2.6, 0.0], num_classes=3)", "float32", "The label names no class: 2.6. "),
        (LOGITS.format("[1234567.0, -1.0]"), "float32", "The labels name no class: \u22121, 1234567. "),
        (LOGITS.format("[0.9, 1.0]"), "float32", "The label names no class: 0.9. "),
        (LOGITS.format("[2.001, 1.0]"), "float32", "The label names no class: 2.001. "),
        (LOGITS.format("[2.001, 1.0]"), "bfloat16", ""),  # which has 2 there
        ("y = one_hot([256.0, 2.0], num_classes=257)", "bfloat16", ""),  # which rounds 257 to 256
    ],
)
def test_the_labels_that_are_named_are_those_of_the_trace(text, dtype, said):
    found = trace(parse(text), dtype=dtype)
    assert [stray.text.startswith(said) for stray in strays(found)] == [True] * bool(said)
    assert check_all(found) == bool(said)


@pytest.mark.parametrize(
    ("text", "dtype", "said"),
    [
        ("y = take([1.0, 2.0, 3.0], [0.0, -3.0, 2.4])", "float32", ""),
        (
            "y = take([1.0, 2.0, 3.0], [0.0, 3.0, -4.0])", "float32",
            "The places lie outside: \u22124, 3. The axis has places from \u22123 to 2.",
        ),
        (
            "y = at_add([1.0, 2.0], [2.6, 1.0], 5.0)", "float32",
            "The place lies outside: 2.6. The axis has places from \u22122 to 1.",
        ),
        ("y = take(broadcast_to(1.0, shape=(257,)), 256.0)", "bfloat16", ""),
    ],
)  # fmt: skip
def test_the_places_that_are_named_are_those_of_the_trace(text, dtype, said):
    found = trace(parse(text), dtype=dtype)
    assert [doubt.text for doubt in outside(found)] == [said] * bool(said)
    assert check_all(found) == bool(said)


def test_what_another_grad_node_differentiates_has_a_path_to_it():
    """g = d(x * x)/dw is 0 and reads x, by the wire of its z alone, so that dg/dx is 0."""
    found = trace(parse("x = 2.0\nw = 3.0\nz = x * x\ng = grad(z, w)\nh = grad(g, x)"))
    assert [doubt.text for doubt in found.doubts] == [
        "the gradient is zero: no path leads from 'w' to 'z'.",
        "the gradient is zero: 'g' does not depend on 'x'.",
    ]
    assert check_all(found) == 2
