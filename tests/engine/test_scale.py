"""Test `scale_gradient(x, c)`: x forward, and c times what arrives backward.

Expected numbers are worked out by hand, or by Optax, PyTorch, and beside all other rules HIPS autograd and a
tape in plain Python (test_against_autograd.py, test_against_tape.py).
"""

import json
import math

import jax
import numpy as np
import optax
import pytest

from autodiff_viz.engine.finite_differences import check_inputs
from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.engine.verify import verify
from autodiff_viz.engine.whole_program.remat import Runs
from autodiff_viz.explain.sweep.compute import sweep
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Rule
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.actions import set_function, set_rule, typed
from autodiff_viz.lab.state import start
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.training.compute import train
from tests.export.programs import check

TEXT = "x = 3.0\na = scale_gradient(x * x, 0.5)\ny = a * 4.0"
FACTORS = [0.5, -1.0, 2.0, 0.0, 1.0]


@pytest.mark.parametrize("factor", FACTORS)
def test_the_arriving_cotangent_is_multiplied(factor):
    found = trace(parse(TEXT.replace("0.5", str(factor))))
    assert found.value["y"] == 36.0  # forward it is nothing
    assert found.cotangent["a"] == 4.0  # what arrives is what arrives
    assert found.passed["a", 0] == found.passed["a", 1] == 4.0 * factor * 3.0
    assert found.cotangent["x"] == 4.0 * factor * 6.0
    assert verify(found).agrees


def test_it_acts_on_an_input_too():
    found = trace(parse("x = scale_gradient(3.0, -2.0)\ny = x * x"))
    assert (found.cotangent["x"], found.gradient["x"]) == (6.0, -12.0)
    assert verify(found).agrees


@pytest.mark.nightly
@pytest.mark.parametrize("factor", FACTORS)
def test_optax_has_the_same_gradient(factor):
    text = f"x = [[0.5, -1.0], [2.0, 0.25]]\na = scale_gradient(tanh(x @ x), {factor})\ny = sum(a * sin(x))"
    found = trace(parse(text))

    def theirs(x):
        return jax.numpy.sum(optax.scale_gradient(jax.numpy.tanh(x @ x), factor) * jax.numpy.sin(x))

    expected = jax.grad(theirs)(np.array([[0.5, -1.0], [2.0, 0.25]], np.float32))
    np.testing.assert_allclose(found.gradient["x"], expected, rtol=1e-5, atol=1e-6)


def test_pytorch_has_the_same_gradient():
    torch = pytest.importorskip("torch")
    x = torch.tensor(0.7, requires_grad=True)
    scaled = torch.exp(x)
    scaled.register_hook(lambda v: 0.25 * v)
    (scaled * scaled * x).backward()
    found = trace(parse("x = 0.7\na = scale_gradient(exp(x), 0.25)\ny = a * a * x"))
    assert found.gradient["x"] == pytest.approx(float(x.grad), rel=1e-6)


def test_a_scale_of_0_passes_a_zero_and_a_stop_passes_nothing():
    rewritten = "x = 2.0\na = rewrite(x * 1.0, lambda v: v + 7.0)\ny = {}"
    assert trace(parse(rewritten.format("scale_gradient(a, 0.0)"))).gradient["x"] == 7.0
    assert trace(parse(rewritten.format("stop_gradient(a)"))).gradient["x"] == 0.0


def test_central_differences_are_not_scaled():
    found = trace(parse(TEXT))
    (difference,) = check_inputs(found).values()
    assert difference.true == pytest.approx(24.0)  # d 4x^2 / dx at 3
    assert difference.declared == 12.0


def test_a_region_runs_it_again_and_it_keeps_nothing_of_its_own():
    text = 'x = 2.0\nwith checkpoint("r"):\n    a = {}\n    b = a * a\ny = b * x'
    plain, scaled = (trace(parse(text.format(a))) for a in ("sin(x)", "scale_gradient(sin(x), 0.5)"))
    assert scaled.runs == plain.runs
    assert scaled.runs["a"] == Runs(forward=1, backward=1, kept=1)
    assert [r.shape for r in scaled.residuals] == [r.shape for r in plain.residuals]


def test_along_a_sweep_every_sample_is_scaled():
    curve = sweep(trace(parse("x = 1.0\na = scale_gradient(x * x, 0.5)\ny = a * a")), "x", [1.0, 2.0])
    np.testing.assert_allclose(curve.gradient, [0.5 * 4 * 1**3, 0.5 * 4 * 2**3], rtol=1e-6)


@pytest.mark.parametrize("factor", [0.5, -1.0])
def test_training_moves_by_the_scaled_gradient(factor):
    line = parse(f"w = parameter(1.0)\nu = scale_gradient(w, {factor})\nloss = (u * 3.0 - 9.0) ** 2.0")
    found = train(line, optimizer="sgd", rate=0.01, steps=2)
    w = 1.0
    for _ in range(2):
        w -= 0.01 * factor * 2 * (3 * w - 9) * 3
    assert found.parameters["w"] == pytest.approx(w, rel=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "x = scale_gradient([1.0, 2.0], -0.25)\ny = sum(exp(x))",
        'x = 2.0\nwith checkpoint("r"):\n    a = scale_gradient(sin(x), 3.0)\n    b = a * a\ny = b * x',
        "x = 2.0\nscale = x * 3.0\ny = scale_gradient(scale * scale, 1e-3)",
    ],
)
def test_an_exported_file_has_the_same_numbers(text):
    assert "scale_gradient(" in check(parse(text))
    check(parse(text), dtype="float64")


def test_text_documents_and_links_hold_it():
    graph = parse(TEXT)
    assert graph["a"].rule == Rule("scale", number=0.5)
    assert parse(show(graph)) == graph
    assert from_json(to_json(graph)) == graph
    assert from_link(to_link(graph)) == graph
    assert parse("x = 3.0\na = scale_gradient(x * x, scale=0.5)")["a"] == graph["a"]


def test_only_a_document_with_it_has_the_version_that_has_it():
    assert json.loads(to_json(parse(TEXT)))["autodiff_viz"] == 5
    assert json.loads(to_json(parse("x = 3.0\ny = stop_gradient(x * x)")))["autodiff_viz"] == 1


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"kind": "scale"}, "json-missing-key"),
        ({"kind": "scale", "number": "1"}, "json-type"),
        ({"kind": "scale", "number": True}, "json-type"),
        ({"kind": "scale", "number": 1e31}, "json-number"),
        ({"kind": "scale", "number": 1.0, "args": ["v"], "body": ["v"]}, "json-unknown-key"),
        ({"kind": "stop", "number": 1.0}, "json-unknown-key"),
    ],
)
def test_a_document_with_a_rule_that_is_none_is_refused(rule, code):
    document = json.loads(to_json(parse(TEXT)))
    next(node for node in document["nodes"] if node["name"] == "a")["rule"] = rule
    with pytest.raises(GraphError) as refused:
        from_json(json.dumps(document))
    assert [problem.code for problem in refused.value.problems] == [code]


@pytest.mark.parametrize("number", [math.nan, math.inf, (1.0, 2.0), True, "1", None])
def test_its_number_is_finite_and_one(number):
    graph = parse(TEXT)
    nodes = [
        n if n.name != "a" else type(n)("a", n.op, n.slots, rule=Rule("scale", number=number))
        for n in graph.nodes
    ]
    (problem,) = diagnose(type(graph)(tuple(nodes), (), "y"))
    assert (problem.code, problem.node) == ("bad-rule", "a")


@pytest.mark.parametrize(
    "text",
    ["scale_gradient(x)", "scale_gradient(x, y)", "scale_gradient(x, [1.0])", "scale_gradient(x, ...)"],
)
def test_a_formula_needs_one_number_written_out(text):
    with pytest.raises(GraphError) as refused:
        parse(f"x = 1.0\ny = 2.0\nz = {text}")
    assert [problem.line for problem in refused.value.problems] == [3]


def test_on_the_canvas_it_begins_with_a_half_and_takes_another_number():
    lab = set_rule(typed(start(), "x = 2.0\ny = sin(x)"), "y", "scale")
    assert lab.graph["y"].rule == Rule("scale", number=0.5)
    assert set_function(lab, "y", "-1").graph["y"].rule == Rule("scale", number=-1.0)


@pytest.mark.parametrize("text", ["[1.0]", "1e400", "x", "", "lambda v: v"])
def test_what_is_no_number_is_refused_and_the_rule_stays(text):
    lab = set_rule(typed(start(), "x = 2.0\ny = sin(x)"), "y", "scale")
    after = set_function(lab, "y", text)
    assert after.notice
    assert after.graph == lab.graph
