"""Explore automatic differentiation: build a graph, change its gradients and see what JAX computes.

import autodiff_viz as av

graph = av.parse("x = 10.0\\nc = cos(x)\\nwith checkpoint('square'):\\n    s = c * c")
trace = av.trace(graph)
trace.cotangent["x"], trace.runs["s"]

`read` makes a graph of code of JAX, PyTorch, TensorFlow or NumPy, without running it; `from_function` one of
a JAX function and its arguments; `from_torch` one of a live PyTorch model and its inputs; `watch`
keeps steps of its training for that. `lab` opens the page on a graph, a function or a link; in a notebook it
is live in a cell, and `widget` gives that by name.

A trace is explained by

- `play`: the steps of the pass in the order in which JAX runs them; `memory`: what is live after
  each of them (`xla_memory`: what XLA plans), and `plans`: checkpoint regions with their peak and re-runs;
- `why_zero`: why nothing arrives at a node; `nonfinite_origin`: where a NaN or an infinity comes from;
  `precision`: which numbers leave the range of their dtype;
- `paths`: the paths whose products add up to a cotangent; `compare`: where two graphs part; `lints`: what is
  legal and rarely meant, with a mend;
- `jvp`: the tangents of forward mode (`verify_tangents` checks them); `jacobian`: rows and columns;
  `sweep`: all numbers along one input; `field`: both gradients over a plane of two numbers, and what descends
  along them; `rule_check`: what a rule declares beside the true derivative;
  `statistics`: mean and variance of each cotangent over draws of noise.

`judge` judges an answer to a `Question` about a trace, and names the usual mistake behind a wrong one.
`limits` sets how large graphs and tensors may be on your own machine.
`verify` compares a trace with the whole program, `check_inputs` and `check_node` with central differences.
`train` trains the parameters of a graph, `training_to_python` writes that as a file, and
`prediction_surface` evaluates what it predicts between its data points; `segments` differentiates a graph
one segment at a time, and `train_by_segments` trains it so. `to_python`, `to_torch`, `to_notebook` and
`to_marimo` write a graph as files that run without this package, `to_html` as one that shows it without a
server, and `report` writes it for an issue. A `Tour` has `Step`s, each a state of the page with its words;
`tour_to_json`, `tour_to_link` and `read_tour` write and read one.
Answers show themselves: in a notebook as a figure, a picture or a table, printed as text. A mistake of the
caller raises `GraphError`, whose `problems` give the place of the mistake and how to correct it.

A name is loaded when it is first used: `import autodiff_viz` alone loads neither JAX nor what reads code.
"""

import re
import sys
from importlib import import_module
from pathlib import Path as _File
from types import ModuleType
from typing import Any

from autodiff_viz.graph.shown import register
from autodiff_viz.graph.version import VERSION

__version__ = VERSION

_LINE = re.compile(r"^from ([\w.]+) import (.+)$", re.MULTILINE)
_PLACES = {
    word.split()[-1]: (module, word.split()[0])
    for module, words in _LINE.findall(_File(__file__).with_suffix(".pyi").read_text("utf-8"))
    for word in words.split(", ")
}
"""By public name the module that has it, and its name there."""

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    """Load a public name."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, there = _PLACES[name]
    if module == __name__:
        return import_module(f"{module}.{there}")
    found = getattr(import_module(module), there)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})


class _Names(ModuleType):
    """The package, in which no folder takes the place of a function of the same name."""

    # Python sets `autodiff_viz.segments` to the folder whenever a module of it is imported.
    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _PLACES or _PLACES[name][0] == __name__ or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Names

register(lambda *given: import_module("autodiff_viz.standalone.notebook").bundle_of(*given))
