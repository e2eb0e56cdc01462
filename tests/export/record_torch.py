"""Record what PyTorch computes of the exported files, by a Python that has torch beside the project's own.

    python -m venv /tmp/real && /tmp/real/bin/pip install torch
    python -m tests.export.record_torch /tmp/real/bin/python

It writes `torch_runs.json`: by case, a digest of the text that ran (of its syntax tree without
fractions), the value and gradients that PyTorch gave, and two sums of the fractions. CI, which has no
torch, holds today's text and the lab's numbers to these. With a second argument `random` it runs random
graphs instead, and records nothing.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from math import isfinite
from pathlib import Path
from random import randrange
from typing import Any

import numpy as np

import autodiff_viz as av
from autodiff_viz.export.torch_source import to_torch
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.lessons.evaluate import graph_of
from autodiff_viz.lessons.gallery import LESSONS
from tests.export.test_ops import graph_of as graph_of_op
from tests.export.test_rules import NESTED, REGIONS, RULES, policy
from tests.ops.samples import OF_ARRAYS

RUNS = Path(__file__).with_name("torch_runs.json")

Case = tuple[Graph, object, str]

TWICE = {
    "second": "x = 0.7\ny = sin(x) * x ** 3\ng = grad(y, x)\nz = g * g",
    "fourth power": "x = 0.7\ny = x ** 4\ng = grad(y, x)\nh = grad(g, x)\nz = h + x",
    "constant": "x = 2.0\ny = 3.0 * x\ng = grad(y, x)\nh = grad(g, x)\nz = h + g * 2.0",
    "penalty": "x = [0.5, -1.0]\nw = [[1.0, 2.0], [0.5, -0.25]]\n"
    "d = sum(tanh(x @ w))\ng = grad(d, x)\nz = (norm(g) - 1.0) ** 2",
    "by a stopped node": "x = 0.6\ns = stop_gradient(sin(x))\ny = s * s * x\ng = grad(y, s)\nz = g * x",
    "inside a region": 'x = 0.6\nwith checkpoint("r"):\n    y = sin(x) * x\n    g = grad(y, x)\nz = g * y',
    "around a region": 'x = 0.6\nwith checkpoint("r"):\n    a = sin(x)\n    y = a * x\n'
    "g = grad(y, x)\nz = g * g",
    "with a rule": "x = 0.6\nr = rewrite(sin(x), lambda v: 2.0 * v)\ny = r * x\ng = grad(y, x)\nz = g * g",
    "with a pullback": "x = 0.6\nr = custom(sin(x), pullback=lambda v, x, y: v * y * x)\n"
    "y = r * x\ng = grad(y, x)\nz = g * g",
    "unused": "x = 0.6\nw = 2.0\ny = w * w\ng = grad(y, x)\nz = g + x",
    "by a function of a constant derivative": "x = 0.6\ny = sin(x)\ng = grad(stop_gradient(y), x)\n"
    "a = square(g)\nb = a + x\nh = grad(b, a)\nz = h * x",
    "itself": "x = [0.6, 1.0]\ny = sin(x)\ng = grad(y, y)\nz = g * y",
}
CORNERS = {
    "abs": "x = [-1.0, 0.0, 2.0]\ny = abs(x)",
    "clip": "x = [-2.0, -1.0, 0.0, 1.0, 2.0]\ny = clip(x, -1.0, 1.0)",
    "leaky": "x = [-1.0, 0.0, 2.0]\ny = leaky_relu(x)",
    "relu": "x = [-1.0, 0.0, 2.0]\ny = relu(x) + elu(x)",
    "max": "x = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]\ny = max(x, axis=1) + min(x, axis=1)",
    "maximum": "x = [1.0, 2.0]\nw = [1.0, 3.0]\ny = maximum(x, w) * minimum(x, w)",
    "maximum before infinity": "x = [-1.0, 0.0, 4.0]\ny = sqrt(maximum(x, 0.0))",
    "minimum before infinity": "x = [1.0, 0.0]\nw = [[0.0], [2.0]]\ny = log(minimum(x, w))",
    "norm": "x = [0.0, 0.0]\ny = norm(x)",
    "power": "x = [0.0, 1.0, 2.0]\nw = [0.0, 0.0, 1.5]\ny = x ** w",
    "power 0": "x = [0.0, 1.0]\ny = x ** 0.0",
    "power of 0": "w = [0.0, 1.0]\ny = 0.0 ** w",
    "nan at where": "x = [0.0, 4.0]\ny = where(x > 0.0, sqrt(x), 0.0)",
    "a flat op after infinity": "x = [0.0, 1.0]\ny = sign(log(x)) + x",
    "arcs": "x = [1.0, 1.5, 4.0]\ny = arccosh(x) + arcsinh(1e9 * x) + arctanh(1.0 / x)",
    "angle": "x = [0.0, 0.0, 3.0, -3.0]\nw = [0.0, 2.0, -4.0, 0.0]\ny = arctan2(x, w)",
    "length": "x = [0.0, 0.0, 3.0, -3.0]\nw = [0.0, 2.0, -4.0, 0.0]\ny = hypot(x, w)",
    "cube root": "x = [-8.0, 0.0, 27.0]\ny = cbrt(x)",
    "powers of 2": "x = [0.0, 0.25, 1000.0]\ny = log2(x) + log10(x) + exp2(x) + rsqrt(x)",
    "tails": "x = [-30.0, 0.0, 5.0, 30.0]\ny = erfc(x) + sinh(x) / cosh(x)",
    "sum of powers": (
        "x = [0.0, 1000.0, 1.0]\nw = [0.0, 1.0, 0.0]\ni = log([0.0, 1.0, 0.0])\n"
        "y = logaddexp(x, w) + logaddexp(x - i, w - i)"
    ),
    "negative steps": "x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\ny = x[::-1, 2:0:-1] * x[0, ::-2]",
    "set backwards": "x = [1.0, 2.0, 3.0]\nv = [5.0, 7.0]\ny = x.at[2:0:-1].set(v * v) * x",
    "sorted ties": "x = [2.0, 1.0, 2.0]\ny = sort(x, descending=True) * [1.0, 2.0, 3.0]",
    "places": "x = [1.0, 2.0, 3.0]\nk = [0.0, 2.0, -1.0, 2.0]\ny = take(x, k) * take(x, 2.0 * k[1] - 3.0)",
    "places outside": "x = [1.0, 2.0]\nk = [2.0, -3.0, -2.0]\ny = take(x, k)",
    "places outside that are added to": "x = [0.0, 1.0]\nk = [2.0, 0.0, -3.0, -1.0]\n"
    "v = [1.0, 2.0, 3.0, 4.0]\ny = sqrt(at_add(x, k, v) - [2.0, 1.0])",
    "a place that is computed": "x = [[1.0, 3.0, 3.0], [2.0, 5.0, 4.0]]\n"
    "y = take_along_axis(x, argmax(x, axis=1, keepdims=True)) * take(x, argmax(x), axis=1)",
    "no place": "x = [1.0, 2.0]\nk = [0.0, 1.0]\ny = take(x, log(k - k) * 0.0)",
    "softplus": "x = [-30.0, 0.0, 30.0]\ny = softplus(x)",
    "std": "x = [1.0, 1.0]\ny = norm(x - mean(x))",
}


INNER = {
    "a rewrite": "rewrite(x, lambda v: 0.5)",
    "a rewrite of an op": "rewrite(sin(x), lambda v: v + 0.5)",
    "a pullback": "custom(sin(x), pullback=lambda v, a, y: 0.5)",
}
"""Rules that pass something back whatever arrives, unless nothing arrives at all."""
MIDDLE = {
    "nothing": "h * 1.0",
    "a logarithm": "log(h)",
    "abs": "abs(h)",
    "a relu": "relu(h)",
    "a power": "h ** w",
    "a maximum": "maximum(h, w)",
    "a scale": "scale_gradient(h, 2.0)",
    "a rewrite": "rewrite(h, lambda v: 2.0 * v)",
    "a pullback": "custom(sin(h), pullback=lambda v, a, y: v * 2.0)",
    "straight through": "backward_as(sin(h), h)",
}
CLOSING = {
    "an alternative": "backward_as({}, w)",
    "an alternative to an op": "backward_as(sin({}), w * 2.0)",
    "a stop": "stop_gradient({})",
    "a floor": "floor({})",
    "a comparison": "greater({}, 0.1)",
    "a condition": "where({} > 0.1, w, 2.0)",
    "a constant alternative": "backward_as(sin({}), 3.0)",
}
"""What passes nothing to its hole: JAX does not run a rule behind it."""
PASSING = {
    "a pullback of 0": "custom(sin({}), pullback=lambda v, a, y: 0.0 * v)",
    "a scale of 0": "scale_gradient(sin({}), 0.0)",
    "a factor of 0": "{} * 0.0",
    "a relu": "relu({} - 99.0)",
    "an element beside": "stack([{}, w])[1]",
}
"""What passes a 0: there a rule behind it is run."""


def behind(inner: str, middle: str, closing: str) -> str:
    """Return a text with a rule behind something that passes nothing, or a 0."""
    return f"x = 0.7\nw = 1.5\nh = {inner}\nm = {middle}\ny = {closing.format('m')}\nz = y + w"


def behind_all() -> Iterator[tuple[str, str]]:
    """Yield all of these texts, by name."""
    for closings in (CLOSING, PASSING):
        for closing, middle, inner in product(closings, MIDDLE, INNER):
            yield f"{inner}, {middle}, {closing}", behind(INNER[inner], MIDDLE[middle], closings[closing])


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the cases that are recorded, by name: every lesson, rule, region, op and corner."""
    for lesson in LESSONS:
        for i, variant in enumerate(lesson.steps):
            yield f"lesson {lesson.key} {i}", (graph_of(variant), variant.seed, "float32")
    for kind, texts in {"rule": RULES, "region": REGIONS, "grad": TWICE, "corner": CORNERS}.items():
        for name, text in texts.items():
            dtype = "float64" if kind in ("grad", "corner") else "float32"
            yield f"{kind} {name}", (av.parse(text), None, dtype)
    # One of a few, each inner, middle and closing one often: `random` runs all.
    for name, text in [*behind_all()][::7]:
        yield f"behind {name}", (av.parse(text), None, "float64")
    nested = NESTED.format(outer=policy("dots_saveable"), inner=policy("save_only_these_names", "h", "k"))
    yield "nested regions", (av.parse(nested), None, "float32")
    for op in OF_ARRAYS:
        for i, example in enumerate(op.examples):
            yield f"op {op.name} {i}", (graph_of_op(op, example), None, "float64" if i % 2 else "float32")


RUN_ALL = """
import contextlib, io, json, runpy, sys, warnings
import torch
warnings.simplefilter("ignore")
results = []
for path in sys.stdin.read().split():
    try:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            end = runpy.run_path(path, run_name="__main__")
        code = end["forward"].__code__
        inputs = [end[name] for name in code.co_varnames[: code.co_argcount]]
        gradients = [torch.zeros_like(x) if x.grad is None else x.grad for x in inputs]
        results.append([each.detach().double().tolist() for each in (end["value"], *gradients)])
    except Exception as error:
        results.append(f"{type(error).__name__}: {error}")
json.dump({"version": torch.__version__, "results": results}, sys.stdout)
"""


def run_torch(python: str, sources: list[str]) -> dict[str, object]:
    """Run the files under a Python with torch: its version, and value and gradients of each."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"program_{i}.py" for i in range(len(sources))]
        for path, source in zip(paths, sources, strict=True):
            path.write_text(source, "utf-8")
        done = subprocess.run(
            [python, "-I", "-c", RUN_ALL], input="\n".join(map(str, paths)), capture_output=True, text=True,
            check=True,
        )  # fmt: skip
    return json.loads(done.stdout)


def digest(source: str) -> str:
    """Return a digest of what a file computes, without comments, docstrings and fractions (see `sums`)."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and isfinite(node.value):
            node.value = "a number"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    return hashlib.sha256(repr(_plain(tree)).encode()).hexdigest()[:16]


def sums(source: str) -> list[float]:
    """Return the sum of the sizes of all fractions of a file, and one with weights that tell their order.

    XLA draws a lesson's weights with other last bits by how it compiles: no digit is safe from that.
    """
    numbers = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    numbers = np.array([n for n in numbers if isinstance(n, float) and isfinite(n)], np.float64)
    return [float(np.abs(numbers).sum()), float(numbers @ np.cos(np.arange(numbers.size)))]


def _plain(node: Any) -> Any:
    """Return a syntax tree without fields that are empty, which Pythons write differently."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, _plain(value)) for name, value in ast.iter_fields(node) if value not in ([], None)]
    return [type(node).__name__, *fields]


def difference(case: Case, numbers: list) -> str:
    """Return what differs between the lab and a run, in words; empty if nothing does."""
    graph, seed, dtype = case
    lab = av.trace(graph, seed=seed, dtype=dtype)
    names = [node.name for node in graph.nodes if node.op == INPUT]
    pairs = [(graph.output, lab.value[graph.output]), *((name, lab.gradient[name]) for name in names)]
    room = {"float32": 2e-5, "float64": 1e-11}[dtype]
    for (name, array), given in zip(pairs, numbers, strict=True):
        number = np.asarray(given, np.float64)
        if number.shape != array.shape:
            return f"{name}: shape {number.shape}, not {array.shape}"
        largest = np.abs(array[np.isfinite(array)]).max(initial=1.0)
        if not np.allclose(number, array, rtol=room, atol=room * largest, equal_nan=True):
            return f"{name}: {number.ravel()[:6]}, not {array.ravel()[:6]}"
    return ""


def main(python: str, kind: str = "") -> None:
    """Run all cases, say which differ, and write the numbers down."""
    named = dict(cases()) if kind != "random" else dict(random_cases())
    texts = {}
    for name, (graph, seed, dtype) in named.items():
        try:
            texts[name] = to_torch(graph, seed, dtype=dtype)
        except Exception as error:
            print(f"{name}: not written, {type(error).__name__}: {error}")
    named = {name: named[name] for name in texts}
    run = run_torch(python, list(texts.values()))
    wrong, kept = 0, {"version": run["version"]}
    for (name, case), numbers in zip(named.items(), run["results"], strict=True):
        fault = numbers if isinstance(numbers, str) else difference(case, numbers)
        if fault:
            wrong += 1
            print(f"{name}: {fault}")
            if kind == "random" and wrong <= 12:
                print(av.show(case[0]))
        else:
            kept[name] = [digest(texts[name]), numbers, sums(texts[name])]
    print(f"{len(named) - wrong} of {len(named)} agree, torch {run['version']}")
    if kind != "random":
        rows = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in kept.items()]
        RUNS.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def random_cases(count: int = 300) -> Iterator[tuple[str, Case]]:
    """Yield random graphs: numbers with every rule and nested regions, tensors, derivatives with rules."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    from autodiff_viz.engine.live_path.check import diagnose
    from tests.engine.references.random_grads import random_text
    from tests.engine.references.scalar_graphs import ruled_regions, scalar_graphs
    from tests.export.test_random_graphs import TENSOR_OPS, TENSORS
    from tests.strategies import graphs

    tensors = graphs(TENSOR_OPS, min_nodes=2, literals=TENSORS, empty=False, positions=False)
    kept: list[Graph] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(scalar_graphs(), ruled_regions(), tensors))
    def collect(graph: Graph) -> None:
        if not diagnose(graph):
            kept.append(graph)

    collect()
    texts = [random_text(randrange(10**9)) for _ in range(count)]
    kept += [av.parse(text) for text in (*texts, *(text for _, text in behind_all()))]
    for i, graph in enumerate(kept):
        yield f"random {i}", (graph, None, "float64" if i % 2 else "float32")


if __name__ == "__main__":
    main(*sys.argv[1:])
