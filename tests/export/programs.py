"""Run exported programs, and compare their output with the lab's numbers."""

from __future__ import annotations

import contextlib
import io
import pickle
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np

from autodiff_viz.engine.trace import trace
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.model import INPUT, Graph

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}

# Runs files that import nothing of this project, each as `python file` would, and keeps their results.
RUN_ALL = """
import contextlib, io, pickle, runpy, sys
import jax, numpy
found = []
for path in sys.argv[2:]:
    jax.config.update("jax_enable_x64", False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        end = runpy.run_path(path, run_name="__main__")
    value, *gradients = (numpy.asarray(array, array.dtype) for array in (end["value"], *end["gradients"]))
    found.append((value, gradients, printed.getvalue()))
with open(sys.argv[1], "wb") as file:
    pickle.dump(found, file)
assert not any(name.startswith("autodiff_viz") for name in sys.modules)
"""


def run_alone(sources: list[str], folder: Path) -> list[tuple]:
    """(value, gradients, what was printed) of each program, from one process that has only JAX."""
    paths = [folder / f"program_{i}.py" for i in range(len(sources))]
    for path, source in zip(paths, sources, strict=True):
        path.write_text(source, encoding="utf-8")
    results = folder / "results.pickle"
    command = [sys.executable, "-I", "-W", "error", "-c", RUN_ALL, results, *paths]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pickle.loads(results.read_bytes())


def loaded(source: str, name: str = "exported") -> dict:
    """The names that a program defines; its settings of JAX are put back."""
    with jax.enable_x64(False):
        before = jax.config.jax_enable_x64
    defined = {"__name__": name}
    try:
        exec(compile(source, "program.py", "exec"), defined)
    finally:
        jax.config.update("jax_enable_x64", before)
    return defined


def run_here(source: str) -> tuple:
    """As `run_alone`, in this process."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        end = loaded(source, "__main__")
    # JAX gives a constant back as a number of its own kind, of which only `dtype` is right.
    value, *gradients = (np.asarray(array, array.dtype) for array in (end["value"], *end["gradients"]))
    return value, gradients, printed.getvalue()


def assert_same(graph: Graph, found: tuple, seed=None, dtype: str = "float32") -> None:
    """The program's value and gradients are those of `trace`."""
    lab = trace(graph, seed=seed, dtype=dtype)
    names = [node.name for node in graph.nodes if node.op == INPUT]
    value, gradients, _ = found
    pairs = [(graph.output, value, lab.value[graph.output])]
    pairs += [(name, g, lab.gradient[name]) for name, g in zip(names, gradients, strict=True)]
    for name, number, wanted in pairs:
        assert (number.dtype, number.shape) == (wanted.dtype, wanted.shape), name
        room = TOLERANCE[dtype] * max(1.0, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
        np.testing.assert_allclose(number, wanted, rtol=TOLERANCE[dtype], atol=room, err_msg=name)


def check(graph: Graph, seed=None, dtype: str = "float32") -> str:
    """Export the graph, run the program here, compare; the program."""
    source = to_python(graph, seed, dtype=dtype)
    assert_same(graph, run_here(source), seed, dtype)
    return source
