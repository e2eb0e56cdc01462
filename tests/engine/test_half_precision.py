"""Test float16 and bfloat16 against NumPy's and ml_dtypes' arithmetic, one rounding for each operation."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from autodiff_viz.engine.finite_differences import check_node
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import INPUT, Graph, Node, params
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.parse import parse
from autodiff_viz.training.compute import train
from tests.export.programs import run_here

HALVES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SMALL = parse("w = 1.0\ny = (w * 0.0001220703125) * 0.0001220703125")  # 2^-13 twice

VALUE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "square": lambda a: a * a,
    "neg": lambda a: -a,
}
PULLED = {
    "add": lambda v, a, b: (v, v),
    "sub": lambda v, a, b: (v, -v),
    "mul": lambda v, a, b: (v * b, a * v),
    "square": lambda v, a: (v * (a + a),),
    "neg": lambda v, a: (-v,),
}


def drawn(rng: np.random.Generator) -> Graph:
    """A graph of 12 ops on two numbers, in which each node is read at most twice: sums have one order."""
    nodes = [Node(name, INPUT, (), params(value=float(rng.normal()))) for name in ("x0", "x1")]
    for i in range(12):
        op = rng.choice(list(VALUE))
        free = [n.name for n in nodes if sum(n.name in m.slots for m in nodes) < 2]
        slots = tuple(rng.choice(free, len(VALUE[op].__code__.co_varnames), replace=False))
        nodes.append(Node(f"n{i}", str(op), tuple(map(str, slots))))
    return Graph(tuple(nodes), (), nodes[-1].name)


def by_hand(graph: Graph, kind: type) -> tuple[dict, dict]:
    """Values and cotangents, each operation one of NumPy's on numbers of this kind."""
    value, cotangent = {}, {}
    for node in graph.nodes:
        given = [value[slot] for slot in node.slots]
        value[node.name] = VALUE[node.op](*given) if given else kind(node.param("value"))
    cotangent[graph.output] = kind(1)
    for node in reversed(graph.nodes):
        if not node.slots or node.name not in cotangent:
            continue
        parts = PULLED[node.op](cotangent[node.name], *(value[slot] for slot in node.slots))
        for slot, part in zip(node.slots, parts, strict=True):
            cotangent[slot] = cotangent[slot] + part if slot in cotangent else part
    return value, cotangent


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", HALVES)
def test_live_path_and_whole_program_round_after_each_operation(dtype):
    rng = np.random.default_rng(3)
    for _ in range(20):
        graph = drawn(rng)
        with np.errstate(all="ignore"):
            value, cotangent = by_hand(graph, HALVES[dtype])
        found = trace(graph, dtype=dtype)
        assert {name: array.item() for name, array in found.value.items()} == pytest.approx(
            {name: float(number) for name, number in value.items()}, rel=0, abs=0, nan_ok=True
        )
        for name, number in cotangent.items():
            assert found.cotangent[name].dtype == HALVES[dtype]
            np.testing.assert_array_equal(found.cotangent[name], number, err_msg=name)
        checked = verify(found)
        assert (checked.agrees, checked.worst) == (True, 0.0)


def test_a_sum_of_contributions_is_rounded_before_it_is_pulled_back():
    """1 + 2^-11 is 1 in float16. Unrounded, times 1 + 2^-10, it would round to 1 + 2^-9."""
    graph = parse("x = 1.0\nn = x * 1.0009765625\ny = n + n * 0.00048828125")
    found = trace(graph, dtype="float16")
    assert (float(found.cotangent["n"]), float(found.cotangent["x"])) == (1.0, 1.0009765625)


@pytest.mark.parametrize(
    ("dtype", "scale", "arrives"),
    [
        ("float16", 1.0, 0.0),  # 2^-26 is less than half of the smallest subnormal, 2^-24
        ("float16", 1024.0, 2.0**-16),
        ("bfloat16", 1.0, 2.0**-26),
        ("float32", 1.0, 2.0**-26),
        ("float64", 1.0, 2.0**-26),
    ],
)
def test_a_loss_scale_saves_what_float16_loses(dtype, scale, arrives):
    """Row 32 of the questions; worked by hand."""
    found = trace(SMALL, seed=scale, dtype=dtype)
    assert float(found.cotangent["w"]) == arrives
    assert verify(found).agrees


def test_a_wrong_last_place_but_three_is_refused():
    """The room of a 16-bit number is 2 units in its last place, not 16."""
    found = trace(parse("x = 1.5\ny = sin(x) * x"), dtype="bfloat16")
    wrong = dict(found.cotangent)
    wrong["x"] = (wrong["x"].astype(np.float32) * (1 + 4 * 2.0**-7)).astype(wrong["x"].dtype)
    assert verify(found).agrees
    assert not verify(replace(found, cotangent=wrong)).agrees


def test_a_finite_difference_of_a_short_step_is_0_in_float16():
    """R5: 1 + 1e-4 is 1 in float16; the cotangent is float16's cosine."""
    found = sweep(trace(parse("x = 1.0\ny = sin(x)"), dtype="float16"), "x", [1.0, 1.0001])
    assert found.value["y"][0] == found.value["y"][1] == np.float16(np.sin(1.0))
    assert found.gradient[0] == np.float16(np.cos(1.0))


def test_a_literal_too_large_for_float16_is_infinite_and_a_given_value_is_refused():
    graph = parse("x = 1.0\ny = x + 1e5")
    assert np.isposinf(trace(graph, dtype="float16").value["y"])
    assert trace(graph, dtype="bfloat16").value["y"] == ml_dtypes.bfloat16(1e5)
    with pytest.raises(GraphError, match="float16 has no room for"):
        trace(graph, {"x": 1e5}, dtype="float16")


def test_a_draw_is_that_of_float32_rounded():
    graph = parse(
        "x = input(shape=(5,), seed=2)\nn = normal(shape=(5,), seed=3)\ny = sum(dropout(x + n, 0.3))"
    )
    wide, half = trace(graph), trace(graph, dtype="bfloat16")
    for name in ("x", "n"):
        np.testing.assert_array_equal(half.value[name], wide.value[name].astype(ml_dtypes.bfloat16))
    np.testing.assert_array_equal(half.passed["y", 0] != 0, wide.passed["y", 0] != 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", HALVES)
def test_the_exported_program_runs_in_the_dtype(dtype):
    graph = parse(
        "x = [1.0, 2.0]\nw = parameter(shape=(2, 2), seed=1)\nk = argmax(x)\nh = one_hot(k, num_classes=2)\n"
        "g = greater(x, [1.5, 1.5]) * custom(x, pullback=lambda v, x, y: 2.0)\n"
        "r = x @ w + uniform(shape=(2,), low=0.5)\nloss = sum(h * g + r)"
    )
    found, (value, gradients, _) = trace(graph, dtype=dtype), run_here(to_python(graph, dtype=dtype))
    assert value.dtype == HALVES[dtype]
    np.testing.assert_array_equal(value, found.value["loss"])
    for name, gradient in zip(found.gradient, gradients, strict=True):
        assert gradient.dtype == HALVES[dtype]
        np.testing.assert_array_equal(gradient, found.gradient[name], err_msg=name)


@pytest.mark.parametrize("dtype", HALVES)
def test_training_computes_in_the_dtype(dtype):
    """Three steps of gradient descent on (w - 1.5)^2 with rate 0.1 by hand, each operation rounded."""
    kind = HALVES[dtype]
    graph = parse("x = 1.5\nw = parameter(1.0)\nloss = square(w - x)")
    w, rate = kind(1.0), kind(0.1)
    expected = []
    for _ in range(3):
        gap = w - kind(1.5)
        expected.append(float(gap * gap))
        w = w + rate * -(kind(2) * gap)
    found = train(graph, steps=3, rate=0.1, dtype=dtype)
    assert found.loss.tolist() == expected
    assert float(found.parameters["w"]) == float(w)


def test_differences_at_an_infinite_number_raise_nothing():
    found = trace(parse("x = 300.0\ny = square(x)\nz = neg(y)"), dtype="float16")  # 90,000 is infinite
    assert check_node(found, "z")[0].declared.tolist() == [-1.0]


def test_adam_is_refused_in_float16_in_words():
    """Its epsilon, 1e-8, is less than half of 2^-24, so 0 / (0 + 0) is NaN."""
    graph = parse("w = parameter(1.0)\nloss = square(w * 0.0)")
    with pytest.raises(GraphError, match="Adam adds 1e-8"):
        train(graph, optimizer="adam", steps=1, dtype="float16")
    assert float(train(graph, optimizer="adam", steps=2, dtype="bfloat16").parameters["w"]) == 1.0
