"""Test cotangents as sums over paths, against hand work and all paths of random graphs in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

import jax
import numpy as np
import pytest
from hypothesis import given

from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.explain.paths.compute import Paths, paths
from autodiff_viz.graph.edits import with_constant
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.graph.rule_kinds import BACKWARD_AS, PULLBACK, REWRITE, STOP
from autodiff_viz.language.parse import parse
from tests.engine.references import tape
from tests.engine.references.scalar_graphs import scalar_graphs

RATIO = """logp = [-1.2, -0.7]
adv = [1.0, -1.0]
ratio = exp(logp - {})
loss = -mean(ratio * adv)"""
TD = """w = 0.5
q = w * 2.0
target = {}(1.0 + 0.9 * (w * 3.0))
loss = 0.5 * square(target - q)"""
CHAIN = "w = 0.5\nh0 = 1.0\nh1 = w * h0\nh2 = w * {}\nh3 = w * {}"
REVERSAL = """h = 1.0
label = square(h - 3.0)
domain = square(2.0 * rewrite(h, lambda v: {} * v) - 1.0)
total = label + domain"""
NEWTON = """a = 2.0
x1 = 0.5 * (1.0 + a / 1.0)
x2 = 0.5 * (x1 + a / x1)
s = {}
x3 = 0.5 * (s + a / s)"""
CLIPPED = """w = 2.0
h0 = 1.0
h1 = {f}(w * h0{g})
h2 = {f}(w * h1{g})
h3 = {f}(w * h2{g})"""
CLIP = {"f": "rewrite", "g": ", lambda v: clip(v, -1.0, 1.0)"}
ACCUMULATED = """w = 1.0
a = mean([1.0] * w)
b = mean([2.0, 3.0, 4.0] * w)
loss = 0.5 * (a + b)"""
D2, X2, X1 = 0.3611111, 17 / 12, 1.5


def asked(text: str, name: str, **how) -> Paths:
    return paths(trace(parse(text)), name, **how)


def assert_adds_up(found: Paths, whole: Trace) -> None:
    """Each product is its start times its factors, and all products and the rest are the cotangent."""
    for path in found.paths:
        assert abs(path.start) * abs(prod(path.factors)) == pytest.approx(path.size, rel=1e-9, abs=1e-300)
        assert [wire[0] for wire in path.wires] == [*path.nodes[1:]]
        if path.product.size == 1:
            assert path.start * prod(path.factors) == pytest.approx(path.product.item(), rel=1e-9)
    total = sum((path.product for path in found.paths), found.rest)
    summed = sum(path.size for path in found.paths)  # where large ones cancel, their rounding stays
    room = 1e-6 + 32 * np.finfo(whole.cotangent[found.name].dtype).eps * summed
    np.testing.assert_allclose(total, whole.cotangent[found.name], rtol=1e-5, atol=room)


# By hand: the text, the node, the products, and how many paths pass nothing whatever the numbers are.
SUMS = {
    "a ratio with its stop": (RATIO.format("stop_gradient(logp)"), "logp", [[-0.5, 0.5]], 1),
    "a ratio without: two paths that cancel": (
        RATIO.format("logp"), "logp", [[-0.5, 0.5], [0.5, -0.5]], 0
    ),
    "the bootstrap target, stopped": (TD.format("stop_gradient"), "w", [-2.7], 1),
    "the bootstrap target, not stopped": (TD.format(""), "w", [3.645, -2.7], 0),
    "a chain of three steps": (CHAIN.format("h1", "h2"), "w", [0.25, 0.25, 0.25], 0),
    "a stop on h1: a summand less": (CHAIN.format("stop_gradient(h1)", "h2"), "w", [0.25, 0.25], 1),
    "a stop on h2: one is left": (CHAIN.format("h1", "stop_gradient(h2)"), "w", [0.25], 2),
    "gradient reversal": (REVERSAL.format("-0.5"), "h", [-4.0, -2.0], 0),
    "gradient reversal, the sign turned twice": (REVERSAL.format("0.5"), "h", [-4.0, 2.0], 0),
    "unrolled": (
        NEWTON.format("identity(x2)"), "a",
        # x3 by a; then through x2, once to s and once below a: by a in x2, and through x1 likewise
        [0.5 / X2, 0.25 / X1, -0.5 / X2**2 * 2 * 0.5 / X1, 0.125, -0.25 * X2**-2, -0.25 * X1**-2,
         0.25 * 2 / (X1 * X2) ** 2], 0,
    ),
    "the last step alone": (NEWTON.format("stop_gradient(x2)"), "a", [0.5 / X2], 6),
    "not clipped": (CLIPPED.format(f="", g=""), "w", [4.0, 4.0, 4.0], 0),
    "clipped on the way": (CLIPPED.format(**CLIP), "w", [4.0, 2.0, 1.0], 0),
    "two batches of unequal size": (ACCUMULATED, "w", [1.5, 0.5], 0),
    "scaled": ("x = 3.0\nz = scale_gradient(x * x, 0.5)", "x", [1.5, 1.5], 0),
    "itself": ("x = 3.0\nz = x * x", "z", [1.0], 0),
    "no path": ("x = 3.0\ny = 2.0\nz = y * y\nreturn z", "x", [], 0),
    "a dead relu passes 0": ("x = -3.0\nz = relu(x) + 2.0 * x", "x", [2.0, 0.0], 0),
    "a comparison passes nothing": ("x = 3.0\nz = greater(x, 0.0) * x", "x", [1.0], 1),
}  # fmt: skip


@pytest.mark.parametrize("case", SUMS)
def test_the_summands_are_those_worked_by_hand(case):
    text, name, products, closed = SUMS[case]
    whole = trace(parse(text))
    found = paths(whole, name)
    assert_adds_up(found, whole)
    assert (found.count, found.closed, found.exact) == (len(products), closed, True)
    sizes = [path.size for path in found.paths]
    assert sizes == sorted(sizes, reverse=True)
    told = sorted(np.ravel(path.product).tolist() for path in found.paths)
    for one, by_hand in zip(told, sorted(np.ravel(p).tolist() for p in products), strict=True):
        assert one == pytest.approx(by_hand, rel=2e-5)


def test_factors_follow_the_nodes_from_the_one_asked_about_to_the_output():
    path = asked(CHAIN.format("h1", "h2"), "w").paths[-1]
    assert path.nodes == ("w", "h1", "h2", "h3")
    assert path.wires == (("h1", 0), ("h2", 1), ("h3", 1))
    assert path.factors == (1.0, 0.5, 0.5)


def test_the_seed_is_what_a_path_starts_with():
    whole = trace(parse("x = 3.0\nz = x * x"), seed=2.0)
    found = paths(whole, "x")
    assert [(p.start, p.factors, p.product.item()) for p in found.paths] == [(2.0, (3.0,), 6.0)] * 2
    assert_adds_up(found, whole)


def test_a_rule_that_is_not_linear_shares_what_it_passes_among_the_paths():
    # 3 and 1 arrive at a, which passes 2 of these 4: 1.5 and 0.5.
    text = "x = 1.0\na = rewrite(x, lambda v: clip(v, -2.0, 2.0))\nz = 3.0 * a + a"
    found = asked(text, "x")
    assert found.shared == ("a",)
    assert [path.product.item() for path in found.paths] == [1.5, 0.5]
    assert [path.factors[0] for path in found.paths] == [0.5, 0.5]


def test_a_rule_that_passes_something_back_although_0_arrives_begins_a_path():
    text = "x = 2.0\nb = rewrite(x, lambda v: 0.5)\nz = 0.0 * b"
    found = asked(text, "x")
    assert [(p.nodes, p.of_rule, p.product.item()) for p in found.paths] == [
        (("x", "b"), True, 0.5),
        (("x", "b", "z"), False, 0.0),
    ]


def test_a_region_changes_no_path():
    plain = CHAIN.format("h1", "h2")
    inside = plain.replace("h2 =", "with checkpoint('c'):\n    h2 =")
    assert [p.product.item() for p in asked(inside, "w").paths] == [0.25] * 3
    assert asked(inside, "w").paths[1].factors == asked(plain, "w").paths[1].factors


LADDER = "x0 = 1.0\n" + "\n".join(f"x{i + 1} = x{i} * 0.75 + x{i} * 0.5" for i in range(20))


def test_a_ladder_of_a_million_paths():
    # The sum is 1.25^20; C(20, k) paths have k halves and 20 - k three quarters.
    whole = trace(parse(LADDER))
    found = paths(whole, "x0", most=30)
    assert_adds_up(found, whole)
    assert (found.count, found.exact) == (2**20, True)
    products = [path.product.item() for path in found.paths]
    assert products == pytest.approx([0.75**20, *[0.75**19 * 0.5] * 20, *[0.75**18 * 0.25] * 9], rel=1e-12)
    assert found.rest == pytest.approx(1.25**20 - sum(products), rel=1e-6)


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda graph: paths(graph, "x"), "not-a-trace"),
        (lambda graph: paths(trace(graph), "no"), "unknown-node"),
        (lambda graph: paths(trace(graph), "x", most=0), "bad-number"),
        (lambda graph: paths(trace(graph), "x", most=2.0), "bad-number"),
        (lambda graph: paths(trace(graph), "x", most=10**9), "bad-number"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(ask, code):
    with pytest.raises(GraphError) as refused:
        ask(parse("x = 2.0\nz = x * x"))
    assert [problem.code for problem in refused.value.problems] == [code]


def test_a_tampered_factor_is_refused():
    whole = trace(parse(CHAIN.format("h1", "h2")))
    found = paths(whole, "w")
    bent = replace(found.paths[0], factors=(0.5,))
    with pytest.raises(AssertionError):
        assert_adds_up(replace(found, paths=(bent, *found.paths[1:])), whole)
    more = replace(found.paths[0], factors=(0.5,), product=np.asarray(0.5))
    with pytest.raises(AssertionError):
        assert_adds_up(replace(found, paths=(more, *found.paths[1:])), whole)


# In plain Python


def by_enumeration(graph: Graph, name: str) -> tuple[list[float], int]:
    """Products of all paths, by the tape's derivatives, and how many pass nothing whatever the numbers are.

    Where 0 arrives at a rule that passes something, the path begins there.
    """
    whole, closed = tape.record(graph), 0

    def walk(at: str, below: float) -> Iterator[float]:
        nonlocal closed
        if at == graph.output:
            yield below
        for node in graph.nodes:
            for slot, producer in node.wires:
                if producer != at:
                    continue
                factor, added = factor_of(node, slot, whole)
                if added:
                    yield below * added
                if factor is None:
                    closed += sum(1 for _ in ways(node.name))
                else:
                    yield from walk(node.name, below * factor)

    def ways(at: str) -> Iterator[None]:
        if at == graph.output:
            yield None
        for node in graph.nodes:
            for _, producer in node.wires:
                if producer == at:
                    yield from ways(node.name)

    return list(walk(name, 1.0)), closed


def factor_of(node, slot: int, whole: tape.Tape) -> tuple[float | None, float]:
    kind, arrived = node.rule.kind, whole.cotangent[node.name]
    if kind == STOP or (kind == BACKWARD_AS and slot < len(node.slots) - 1):
        return None, 0.0
    if kind not in (BACKWARD_AS, PULLBACK) and slot in tape.FLAT.get(node.op, ()):
        return None, 0.0
    if kind in (REWRITE, PULLBACK):
        passed = whole.passed[node.name, slot]
        return (passed / arrived, 0.0) if arrived else (0.0, passed)
    if kind == BACKWARD_AS:
        return 1.0, 0.0
    scale = node.rule.number if kind == "scale" else 1.0
    return scale * tape.PARTIALS[node.op](*tape.operands(node, whole))[slot], 0.0


def is_heard(graph: Graph, name: str) -> bool:
    """Return whether something arrives at every reader: a rule at which nothing ever arrives does not run."""
    silent = trace(graph).cotangent.is_symbolic_zero
    return not any(silent(node.name) for node in graph.nodes) and name in graph


@given(scalar_graphs(max_nodes=12))
def test_the_paths_of_a_random_graph_are_those_of_an_enumeration_in_plain_python(graph):
    with jax.enable_x64():
        whole = trace(graph, dtype="float64")
        for name in graph.by_name:
            found = paths(whole, name, most=8)
            assert_adds_up(found, whole)
            if not is_heard(graph, name):
                continue
            products, closed = by_enumeration(graph, name)
            assert (found.count, found.closed) == (len(products), closed)
            largest = sorted(map(abs, products), reverse=True)[:8]
            assert [path.size for path in found.paths] == pytest.approx(largest, rel=1e-6, abs=1e-9)


def test_a_rule_at_which_nothing_ever_arrives_begins_no_path():
    whole = trace(parse("x = 1.0\na = rewrite(x + x, lambda v: 0.5)\nz = stop_gradient(-a)"))
    assert whole.cotangent["x"] == 0
    assert_adds_up(paths(whole, "x"), whole)


# Tensors

NET = """x = [[0.5, -1.0], [1.5, 2.0], [-0.3, 0.2]]
W = [[0.4, -0.6, 0.2], [0.1, 0.9, -0.5]]
h = tanh(x @ W)
g = h * sigmoid(h) + h
loss = mean(square(sum(g, axis=1) + sum(x, axis=1)))"""


def along(whole: Trace, path) -> np.ndarray:
    """The cotangent if every node on the path reads constants in all slots but that of the path."""
    graph = whole.graph
    for name, slot in path.wires:
        for other, producer in whole.graph[name].wires:
            if other != slot:
                graph = with_constant(graph, name, other, literal(whole.value[producer]))
    return trace(graph, {path.nodes[0]: whole.value[path.nodes[0]]}).cotangent[path.nodes[0]]


def literal(array: np.ndarray):
    return float(array) if array.ndim == 0 else tuple(literal(part) for part in array)


@pytest.mark.parametrize("name", ["x", "W"])
def test_the_product_of_a_path_of_tensors_is_the_gradient_with_all_else_held(name):
    whole = trace(parse(NET))
    found = paths(whole, name)
    assert (found.count, found.exact) == ({"x": 4, "W": 3}[name], True)
    assert_adds_up(found, whole)
    for path in found.paths:
        np.testing.assert_allclose(path.product, along(whole, path), rtol=1e-5, atol=1e-7)


def test_where_paths_of_tensors_are_many_the_rest_is_summed_and_none_is_called_the_largest():
    text = "x0 = [1.0, 2.0]\n" + "\n".join(f"x{i + 1} = sin(x{i}) + x{i} * 0.5" for i in range(12))
    whole = trace(parse(text + "\nz = sum(x12)"))
    found = paths(whole, "x0", most=6)
    assert_adds_up(found, whole)
    assert (found.count, len(found.paths), found.exact) == (2**12, 6, False)
    assert paths(whole, "x9", most=8).exact


@pytest.mark.parametrize(
    ("rule", "begins"),
    [
        ("rewrite(x * x, lambda v: v / norm(v))", 0),
        ("rewrite(x * x, lambda v: clip(v, -1.0, 1.0))", 0),
        ("rewrite(x * x, lambda v: v + 1.0)", 2),  # 0 arrives at the last element
        ("custom(sum(x), pullback=lambda v, x, out: square(v) * x)", 1),
        ("custom(sum(x), pullback=lambda v, x, out: v * x)", 0),
    ],
)
def test_whatever_a_rule_does_to_a_tensor_the_paths_add_up(rule, begins):
    whole = trace(parse(f"x = [1.0, -2.0, 3.0]\na = {rule}\nz = sum(a * [3.0, 1.0, 0.0]) + sum(sin(a))"))
    if rule.endswith("v + 1.0)"):
        whole = trace(parse(f"x = [1.0, -2.0, 3.0]\na = {rule}\nz = sum(a * [3.0, 1.0, 0.0])"))
    found = paths(whole, "x")
    assert_adds_up(found, whole)
    assert sum(path.of_rule for path in found.paths) == begins


def test_the_z_of_a_grad_node_is_no_path():
    """MAML, row 13: 1.4 directly and 1.4 * -0.1 * 3 through g, which reads theta and not inner."""
    text = (
        "theta = 2.0\ninner = 1.5 * square(theta)\ng = grad(inner, theta)\na = theta - 0.1 * g\nz = square(a)"
    )
    found = asked(text, "theta")
    assert found.closed == 0
    assert {path.nodes[1] for path in found.paths} == {"g", "a"}
    through = asked(text, "inner")
    assert (through.count, through.closed) == (0, 0)


def test_a_node_without_a_way_to_a_tensor_has_no_paths():
    found = asked("x = 1.0\ny = [1.0, 2.0]\nz = y * y\nreturn z", "x")
    assert (found.paths, found.count, found.closed, float(found.rest)) == ((), 0, 0, 0.0)
