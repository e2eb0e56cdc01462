"""Test when the lab is shown in a notebook's cell, and what it needs."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import jax.numpy as jnp
import pytest

import autodiff_viz as av
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.notebook import opened

HEAVY = ("anywidget", "traitlets", "IPython", "ipywidgets", "plotly", "streamlit")


def test_importing_the_package_imports_nothing_of_a_notebook():
    code = f"import sys, autodiff_viz; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def kernel(monkeypatch, shell):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.delitem(sys.modules, "marimo", raising=False)


def test_a_kernel_is_a_notebook_and_a_terminal_is_none(monkeypatch):
    kernel(monkeypatch, SimpleNamespace(kernel=object()))
    assert opened.is_notebook()
    kernel(monkeypatch, SimpleNamespace())
    assert not opened.is_notebook()
    kernel(monkeypatch, None)
    assert not opened.is_notebook()
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True))
    assert opened.is_notebook()


def test_without_the_libraries_it_says_what_to_install(monkeypatch):
    kernel(monkeypatch, SimpleNamespace(kernel=object()))
    monkeypatch.setattr(opened, "NEEDS", ("anywidget_that_is_missing",))
    opened._module.cache_clear()
    with pytest.raises(GraphError, match=r"pip install \"autodiff_viz\[notebook\]\""):
        av.lab(av.parse("x = 1.0\ny = x * x"))


def test_in_a_notebook_the_lab_is_a_widget_of_a_graph_a_trace_a_reading_or_a_function(monkeypatch):
    pytest.importorskip("anywidget")
    kernel(monkeypatch, SimpleNamespace(kernel=object()))
    opened._module.cache_clear()
    graph = av.parse("x = 3.0\ny = x * x")
    reading = av.read("import jax.numpy as jnp\nx = jnp.array(3.0)\ny = x * x")
    shown = [(graph,), (av.trace(graph),), (reading,), (lambda x: x * x, jnp.float32(3.0))]
    gradients = [float(next(iter(av.lab(*each).trace.gradient.values()))) for each in shown]
    assert gradients == [6.0] * 4
