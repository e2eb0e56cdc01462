"""Test exported PyTorch files by what PyTorch gave when they ran (see `record_torch`), and by their text."""

import ast
import builtins
import json
from math import isnan

import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from tests.export.record_torch import PASSING, RUNS, behind_all, cases, difference, digest, sums

RECORDED = json.loads(RUNS.read_text("utf-8"))
CASES = dict(cases())


def unknown_names(source: str) -> set[str]:
    """Return the names that a file reads and nowhere defines."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    made |= {alias.asname or alias.name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)
             for alias in node.names}  # fmt: skip
    read = {node.id for node in nodes if isinstance(node, ast.Name)}
    return read - made - set(dir(builtins)) - {"__name__"}


def test_every_case_has_run_in_pytorch():
    assert set(CASES) | {"version"} == set(RECORDED)


@pytest.mark.sampled(90)
@pytest.mark.parametrize("name", CASES)
def test_the_text_is_the_one_that_ran_and_gave_the_labs_numbers(name):
    graph, seed, dtype = CASES[name]
    source = av.to_torch(graph, seed, dtype=dtype)
    ran, numbers, (size, ordered) = RECORDED[name]
    assert digest(source) == ran, "the text has changed: run tests/export/record_torch.py again"
    assert sums(source) == pytest.approx([size, ordered], rel=0, abs=1e-5 * size)
    assert difference(CASES[name], numbers) == ""
    assert unknown_names(source) == set()


def test_slopes_that_pytorch_takes_otherwise_are_jaxs():
    """By the two libraries' documentation: |x| at 0 has slope 1 in JAX and 0 in PyTorch."""
    assert RECORDED["corner abs"][1][1] == [-1.0, 1.0, 1.0]
    assert RECORDED["corner clip"][1][1] == [0.0, 0.5, 1.0, 0.5, 0.0]
    nothing, _, kept = RECORDED["corner maximum before infinity"][1][1]  # 0 · ∞, ½ · ∞ and 1/(2 · √4)
    assert isnan(nothing)
    assert kept == 0.25
    assert RECORDED["corner leaky"][1][1] == [0.01, 1.0, 1.0]


def test_behind_what_passes_nothing_no_rule_runs_and_behind_what_passes_0_it_does():
    """By JAX's documentation of symbolic zeros: a rule is not called where there is no cotangent."""
    for name, text in behind_all():
        if f"behind {name}" in RECORDED:
            _, gradient, _ = RECORDED[f"behind {name}"][1]
            assert (gradient != 0) == name.endswith(tuple(f", {each}" for each in PASSING)), text


SHARED = "x = 0.6\nn = rewrite(x, lambda v: {})\ny = square(n)\ng = grad(y, {})\nz = y * g"


def test_a_rule_that_pytorch_would_apply_to_a_sum_is_refused_in_words():
    """g = 2 n, so 2 y and then g arrive at n in PyTorch, together; in JAX each by itself."""
    with pytest.raises(GraphError, match="'n' is not linear in what arrives"):
        av.to_torch(av.parse(SHARED.format("v * v", "x")))
    assert "grad" in av.to_torch(av.parse(SHARED.format("2.0 * v", "x")))  # a sum of products: the same
    assert "grad" in av.to_torch(av.parse(SHARED.format("v * v", "n")))  # n itself is not run again


def test_a_clip_in_front_of_a_slope_without_end_gives_nan_as_in_jax():
    """PyTorch's own clip leaves out what it does not pass: pytorch/pytorch #8069."""
    value, gradient = RECORDED["lesson clip-nan 0"][1]
    assert value == 0.0
    assert isnan(gradient)
    assert "Chosen" not in av.to_torch(CASES["corner clip"][0])


def test_the_file_says_which_numbers_are_expected():
    source = av.to_torch(av.parse("x = 10.0\ny = x * x"))
    assert 'print("y =", value)  # expected: 100\n' in source
    assert 'print("gradient of x =", x.grad)  # expected: 20\n' in source


@pytest.mark.parametrize("name", ["torch", "ctx", "checkpoint", "value", "Abs", "forward", "v"])
def test_a_name_may_be_one_that_the_file_uses(name):
    source = av.to_torch(av.parse(f"{name} = 2.0\ny = custom(abs({name}), pullback=lambda v, a, y: v * y)"))
    assert unknown_names(source) == set()
    assert f"gradient of {name} =" in source


def test_too_many_random_numbers_are_refused_in_words():
    with pytest.raises(GraphError, match="random numbers"):
        av.to_torch(av.parse("x = 1.0\ny = x * sum(uniform(shape=(200, 200)))"))


def test_a_policy_is_said_in_a_comment():
    region = 'with checkpoint("r", policy="everything_saveable"):'
    source = av.to_torch(av.parse(f"x = 1.0\n{region}\n    y = sin(x)"))
    assert "# JAX keeps everything (everything_saveable); PyTorch runs all of it again" in source
