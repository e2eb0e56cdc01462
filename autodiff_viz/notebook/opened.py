"""Open the lab in a notebook; what it needs is loaded with the first one."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lab.launch import graph_of

WIDGET = "autodiff_viz.notebook.widget"
NEEDS = ("anywidget", "plotly")


def widget(shown: Any = None, *args: Any, height: int = 520) -> Any:
    """Show the lab in a notebook's cell, live: this process computes, and no server is started.

    `pip install "autodiff_viz[notebook]"` installs what it needs. What is done by hand is in `widget.graph`,
    `widget.trace` and `widget.selected`, which can be observed (`widget.observe(f, "graph")`); setting them
    moves the canvas.

    Args:
      shown: a graph, a trace, a reading; a JAX function or a PyTorch model, with its arguments after it (see
        `from_function`, `from_torch`); a link, a JSON document or a text of code (see `read`). None:
        what a newcomer finds.
      *args: arguments of the function, or inputs of the model.
      height: of the cell, in px.
    Returns:
      A widget of anywidget.
    Raises:
      GraphError: there is no graph in `shown`, or the libraries are missing.
    """
    if isinstance(shown, Trace):
        return _module().widget_of(shown, height)
    return _module().widget_of(graph_of(shown, args), height)


def is_notebook() -> bool:
    """Return whether this process computes for a notebook: a kernel of Jupyter, or marimo."""
    marimo = sys.modules.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


@cache
def _module() -> ModuleType:
    """Return the module of the widget, which loads what it needs.

    Raises:
      GraphError: that is not installed.
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        message = f"The lab in a notebook needs {' and '.join(missing)}."
        hint = (
            'Install it: pip install "autodiff_viz[notebook]", and restart the kernel. '
            "Or give a port, av.lab(graph, port=8501), for the page of the lab."
        )
        raise GraphError(Problem("no-widget", message, hint))
    return import_module(WIDGET)
