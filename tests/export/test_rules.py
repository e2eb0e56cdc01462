"""Test rules and checkpoint regions in an exported program."""

from dataclasses import replace

import jax
import pytest

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import Region
from autodiff_viz.graph.policies import POLICIES, POLICY
from autodiff_viz.language.parse import parse
from tests.export.programs import check, run_here

RULES = {
    "stop": "x = 2.0\ny = x * stop_gradient(sin(x))",
    "stop at an input": "x = stop_gradient(2.0)\ny = x * x",
    "rewrite": "x = 30.0\nz = log(rewrite(x, lambda v: 0.5)) + sin(x)",
    "rewrite an op": "x = [1.0, 2.0]\ny = rewrite(exp(x), lambda v: clip(v * 3.0, -1.0, 1.0))\nz = y * y",
    "rewrite an input": "x = rewrite(2.0, lambda v: -v)\ny = exp(x)",
    "rewrite to the shape": "x = [[1.0, 2.0], [3.0, 4.0]]\ny = rewrite(x, lambda v: [1.0, -1.0]) * 2.0",
    "rewrite to a mean": "x = [1.0, 2.0, 3.0]\ny = square(rewrite(x, lambda v: mean(v)))",
    "rewrite to a number": "x = [1.0, 2.0, 3.0]\ny = square(rewrite(x, lambda v: 0.25))",
    "rewrite with noise": "x = [1.0, 2.0]\ny = rewrite(x, lambda v: v + normal(shape=(2,), seed=4)) ** 2",
    "rewrite nothing": "x = 2.0\ny = floor(rewrite(x, lambda v: 1.0 / v))",
    "pullback": "x = 3.0\ny = custom(exp(x), pullback=lambda v, x, y: v * y)",
    "pullback of two": "a = 3.0\nb = [1.0, 2.0]\ny = custom(a * b, pullback=lambda v, a, b, y: (y[0], v))",
    "pullback of one twice": "a = 3.0\ny = custom(a * a, pullback=lambda v, p, q, y: (v * p, 0.0))",
    "pullback with a constant": "a = 3.0\ny = custom(a ** 2, pullback=lambda v, a, y: v * a)",
    "pullback to a shape": "a = [1.0, 2.0]\ny = custom(sum(a), pullback=lambda v, a, y: v)",
    "pullback to numbers": "a = [1.0, 2.0]\ny = custom(sum(a), pullback=lambda v, a, y: 2.0)",
    "backward_as": "x = 1.7\nr = backward_as(round(x), x)\ny = r * r",
    "backward_as an expression": "x = [-2.0, 1.0]\nr = backward_as(sign(x), tanh(3.0 * x))\ny = r * x",
    "backward_as a constant": "x = 1.7\ny = x * backward_as(exp(x), 2.0)",
    "backward_as of noise": "x = [1.0, 2.0]\ny = backward_as(uniform(shape=(2,), seed=1), x) * x",
    "backward_as of a comparison": "x = [1.0, -2.0]\ny = backward_as(x > 0.0, x) * 3.0",
    "backward_as of a step": """x = 1.5
c = backward_as(sin(x), floor(x))
d = custom(square(c), pullback=lambda v, c, y: v)""",
    "a constant that a rule divides by": """x = rewrite(2.0, lambda v: 1.0 / (v - v))
y = custom(sin(x), pullback=lambda v, x, y: 0.1)""",
    "a constant that a rule reads": """x = 2.0
b = custom(ones_like(x), pullback=lambda v, x, y: 1.0 / (y - y))
c = rewrite(b, lambda v: 3.0)""",
    "names of the program": "x = 2.0\ny = custom(exp(x), pullback=lambda _, residuals, jnp: _ * jnp)",
    "a rule on a rule": "x = 2.0\ny = exp(rewrite(stop_gradient(x), lambda v: 1.0 / (v - v)))",
}


@pytest.mark.parametrize("text", RULES.values(), ids=RULES)
def test_a_rule_agrees(text):
    check(parse(text))


@pytest.mark.parametrize("text", RULES.values(), ids=RULES)
def test_a_rule_agrees_inside_a_region(text):
    graph = parse(text)
    everything = Region("whole", frozenset(node.name for node in graph.nodes))
    check(replace(graph, regions=(everything,)))


def test_a_constant_that_a_region_passes_is_printed_as_the_lab_shows_it():
    region = 'with checkpoint("r"):\n    a = custom(sin(x), pullback=lambda v, x, y: 0.1)'
    graph = parse(f"x = rewrite(2.0, lambda v: v * 3.0)\n{region}")
    assert run_here(to_python(graph))[2] == "a = 0.9092974\ngradient of x = 0.3\n"  # not 0.30000000000000004


NESTED = """x = [[0.5, -1.0], [2.0, 0.25]]
w = input(shape=(2, 2), seed=3)
with checkpoint("outer"{outer}):
    h = tanh(x @ w)
    with checkpoint("inner"{inner}):
        k = sin(h) * exp(h)
        m = k @ w
    g = sum(m, axis=0) * k
y = sum(g * h)
"""


def policy(name: str, *saved: str) -> str:
    names = f", names=({''.join(f'{s!r}, ' for s in saved)})" if saved else ""
    return f', policy="{name}"{names}'


CHOICES = [policy(name, *(("h", "k") if POLICY[name].takes_names else ())) for name in POLICIES]


@pytest.mark.parametrize("outer", CHOICES, ids=POLICIES)
@pytest.mark.parametrize("inner", CHOICES, ids=POLICIES)
def test_nested_regions_agree_with_every_policy(outer, inner):
    check(parse(NESTED.format(outer=outer, inner=inner)))


REGIONS = {
    "of noise alone": 'x = 2.0\nwith checkpoint("r"):\n    u = uniform(seed=3)\ny = x * u',
    "of inputs alone": 'with checkpoint("r"):\n    x = 2.0\ny = x * x',
    "with an input inside": 'with checkpoint("r"):\n    x = 2.0\n    y = sin(x)\nz = y * x',
    "with two results": 'x = 2.0\nwith checkpoint("r"):\n    a = sin(x)\n    b = cos(a)\ny = a * b',
    "that nobody needs": 'x = 2.0\nwith checkpoint("r"):\n    a = sin(x)\ny = x * x',
    "that holds the output": 'x = 2.0\nwith checkpoint("r"):\n    a = sin(x)\n    y = exp(a)',
    "that begins with another": """x = 2.0
with checkpoint("r"):
    with checkpoint("s"):
        y = sin(x)
    z = y * x
""",
}


@pytest.mark.parametrize("text", REGIONS.values(), ids=REGIONS)
def test_a_region_agrees(text):
    check(parse(text))


@pytest.mark.parametrize("choice", CHOICES, ids=POLICIES)
def test_the_program_keeps_as_much_for_the_backward_pass_as_the_lab_says(choice):
    graph = parse(NESTED.format(outer=choice, inner=""))
    names: dict = {"__name__": "program"}
    exec(compile(check(graph), "program.py", "exec"), names)
    _, pull = jax.vjp(names["forward"], names["x"], names["w"])
    kept = {id(array): array.shape for array in jax.tree.leaves(pull)}
    assert sorted(kept.values()) == sorted(r.shape for r in trace(graph).residuals)
