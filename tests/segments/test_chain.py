"""Test that the chain of segments gives the whole graph's gradient, against a tape and work by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.whole_program.program import dynamic_params
from autodiff_viz.graph.cuts import graph_segments
from autodiff_viz.graph.model import INPUT
from autodiff_viz.graph.mute import played
from autodiff_viz.language.parse import parse
from autodiff_viz.segments.chain import forward, handed, parts, silent_wires, with_input_rules
from autodiff_viz.segments.compute import angle, curves, division
from autodiff_viz.training.state import Settings
from tests.engine.references import tape
from tests.engine.references.scalar_graphs import scalar_graphs
from tests.engine.references.test_against_tape import allowed
from tests.work import programs_compiled

TWO = parse("x = 2.0\nw = parameter(3.0)\nu = parameter(0.5)\nh = cut(x * w * w)\nz = sin(h * u)")


def divided(text: str, **inputs: object):
    graph = parse(text)
    return division(graph, trace(graph, inputs))


@settings(max_examples=40)
@given(graph=scalar_graphs(), share=st.integers(0, 2**10 - 1))
def test_with_every_rule_and_any_cuts_the_chain_gives_the_tapes_gradient(graph, share):
    cuts = [replace(n, cut=n.op != INPUT and bool(share >> i & 1)) for i, n in enumerate(graph.nodes)]
    graph = replace(graph, nodes=tuple(cuts))
    traced = trace(graph)
    whole = parts(graph, "float32", silent_wires(traced).chained)
    if not whole:
        return
    inputs = {name: np.asarray(value) for name, value in traced.inputs.items()}
    run = forward(whole, inputs, dynamic_params(played(graph)))
    seed = np.ones((), np.float32)
    found = with_input_rules(graph, inputs, handed(whole, run, seed))
    exact, bounds = tape.record(graph, seed=1.0), allowed(graph, 1.0, "float32")
    for name, number in found.items():
        assert abs(float(number) - exact.gradient[name]) <= bounds.gradient[name], name


def test_a_rule_of_a_shared_parameter_acts_on_the_sum():
    # 2 from the first segment, 3 from the second: clipped to 4 together, to 5 if each were clipped alone
    text = "w = rewrite(parameter(1.0), lambda v: clip(v, -4.0, 4.0))\na = cut(w * 2.0)\nz = a + w * 3.0"
    found = divided(text)
    assert len(found.links) == 2
    assert found.difference == 0.0


def test_where_nothing_arrives_a_rule_does_nothing_across_a_cut_too():
    text = "x = rewrite(2.0, lambda v: 1.0)\na = cut(sin(x))\nz = stop_gradient(a) + x - x"
    assert divided(text.replace(" + x - x", "")).difference == 0.0
    assert divided(text).difference == 0.0


# Gradients by hand, at x = 2, w = 3. The grad nodes run again what is before a cut, after it, or both.
GRADS = {
    # h = w x; y = h^3; g = 3 h^2; z = g + y: dz/dw = (6 h + 3 h^2) x
    "by the value at the cut": (
        "h = cut(w * x)\ny = h * h * h\ng = grad(y, h)\nz = g + y",
        (6 * 6 + 3 * 36) * 2,
    ),
    # y = w^2 x^3; g = 3 w^2 x^2; z = g^2: dz/dw = 2 g (6 w x^2)
    "cut after the gradient": ("y = w * w * x * x * x\ng = cut(grad(y, x))\nz = g * g", 2 * 108 * 72),
    # h = w x; y = h^2 x; g = dy/dx = 3 w^2 x^2; z = g + h: dz/dw = 6 w x^2 + x
    "across the cut": ("h = cut(w * x)\ny = h * h * x\ng = grad(y, x)\nz = g + h", 72 + 2),
    # y = sin(w) x^2; g = 2 x sin w, u = dg/dw = 2 x cos w; z = u y: by w
    "a gradient of a gradient": (
        "s = cut(sin(w))\ny = s * x * x\ng = grad(y, x)\nu = cut(grad(g, w))\nz = u * y",
        -4 * np.sin(3.0) * 4 * np.sin(3.0) + 4 * np.cos(3.0) * 4 * np.cos(3.0),
    ),
}


@pytest.mark.parametrize("case", GRADS)
def test_grad_nodes_run_again_what_is_in_other_segments_and_the_chain_is_still_the_gradient(case):
    text, by_hand = GRADS[case]
    graph = parse("x = 2.0\nw = parameter(3.0)\n" + text)
    assert len(graph_segments(graph)) >= 2
    found = trace(graph)
    assert found.cotangent["w"] == pytest.approx(by_hand, rel=1e-5)
    assert division(graph, found).difference <= 1e-5 * abs(by_hand)
    assert curves(graph, Settings("sgd", 1e-6), 3).difference <= 1e-6


RULED = "w = rewrite(parameter(2.0), lambda v: 0.5)\nu = parameter(3.0)\n"


@pytest.mark.parametrize(
    "rest",
    [
        "a = cut(stop_gradient(w))\nloss = square(u) + a",
        "a = cut(floor(w))\nloss = square(u) + a",
        "a = cut(sin(w))\nloss = square(u) + stop_gradient(a)",
        "a = cut(sin(w))\nb = cut(where(a, u, 2.0))\nloss = square(b)",
    ],
)
def test_no_way_moves_a_parameter_that_receives_nothing(rest):
    found = divided(RULED + rest)
    assert (found.difference, found.product) == (0.0, 0.0)


@pytest.mark.parametrize("last", ["square(u) + a", "square(u) + stop_gradient(a)"])
def test_nor_does_the_broken_way_within_a_segment(last):
    # a gives 0 to w and 1 to u of the first segment; 2 u in the last one
    found = divided(f"{RULED}a = cut(stop_gradient(w) + u)\nloss = {last}")
    assert found.angle == pytest.approx(0.0, abs=1e-4)  # (0, 7) and (0, 7), or (0, 6) and (0, 7)


def test_a_jacobian_is_of_one_value_though_a_rule_stands_on_another():
    # a and b are given together; the rule of b acts where something arrives at b, and not for a's Jacobian
    rule = "lambda v: clip(v, 0.5, 9.0)"  # the identity on what arrives, and on 1
    lines = f"h = sin(w)\na = cut(h * 2.0)\nb = cut(rewrite(h * 3.0, {rule}))\nloss = a * b"
    found = divided("w = parameter(0.5)\n" + lines)
    assert found.product < 1e-12


def test_the_broken_way_is_the_derivative_of_each_segments_own_output():
    # true: cos(h u) u 2 x w by w, cos(h u) h by u; broken: 2 x w = 12 by w, the last one is right
    found = division(TWO, trace(TWO))
    h = 2.0 * 9.0
    true = np.cos(h * 0.5) * np.array([0.5 * 12.0, h])
    broken = np.array([12.0, true[1]])
    between = np.degrees(np.arccos(true @ broken / np.linalg.norm(true) / np.linalg.norm(broken)))
    assert found.angle == pytest.approx(between, rel=1e-5)
    assert found.angles == {"w": pytest.approx(180.0), "u": pytest.approx(0.0, abs=1e-4)}


def test_angles_are_between_vectors_and_nothing_has_none():
    assert angle(np.array([1.0, 0.0]), np.array([1.0, 1.0])) == pytest.approx(45.0)
    assert angle(np.array([1.0, 0.0]), np.array([1.0, 1e-9])) == pytest.approx(np.degrees(1e-9))
    assert angle(np.zeros(2), np.ones(2)) is None


def test_the_product_of_jacobians_is_the_gradient_in_float64():
    assert division(TWO, trace(TWO)).product < 1e-14


def test_a_mean_over_the_batch_joins_the_examples_so_that_the_matrix_is_full():
    data = "x = input(shape=(3, 2), seed=0)\nw = parameter(shape=(2, 2), seed=1)\n"
    each = data + "h = cut(x @ w)\nz = cut({})\ns = sum(z)"
    alone, joined = divided(each.format("sin(h)")), divided(each.format("h - mean(h, axis=0)"))
    sides = [found.links[1].jacobians[0].sides for found in (alone, joined)]
    assert sides == [(3, 2, 2), (6, 6)]
    assert [found.links[1].jacobians[0].elements for found in (alone, joined)] == [12, 36]


def test_matrices_that_are_too_large_are_not_worked_out_and_it_says_so():
    text = "w = parameter(shape=(40, 40), seed=0)\nh = cut(sin(w))\nz = sum(h)"
    found = divided(text)
    assert found.links[0].jacobians[0].elements == 1600 * 1600
    assert found.product is None
    assert "2,560,000 elements" in found.too_large


def test_values_and_cotangents_do_not_depend_on_cuts():
    plain = replace(TWO, nodes=tuple(replace(node, cut=False) for node in TWO.nodes))
    a, b = trace(TWO), trace(plain)
    assert all(np.array_equal(a.cotangent[name], b.cotangent[name]) for name in a.cotangent)
    assert graph_segments(plain) == ()


def chain(nodes: int) -> str:
    lines = [f"n{i + 1} = {'cut(sin(n{}))' if i == 3 else 'sin(n{})'}".format(i) for i in range(nodes)]
    return "\n".join(["n0 = 0.5", *lines])


def test_a_longer_chain_is_differentiated_by_segments_without_compiling_anything_more():
    divided(chain(8))
    assert programs_compiled(lambda: divided(chain(40))) == 0
