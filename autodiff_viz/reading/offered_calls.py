"""Offer a call of a PyTorch module that a text defines and does not make, with sizes that fit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice

from autodiff_viz.graph.syntax_tree import syntax_tree

TRIED = 8  # calls that are read before none is offered
OTHER = "4"
SIZES = {
    "bias": "True", "causal": "False", "channels": "4", "classes": "3", "depth": "1", "dropout": "0.0",
    "eps": "1e-5", "experts": "2", "head": "2", "heads": "2", "hidden": "8", "inner": "8", "kernel": "3",
    "kernel_size": "3", "layer": "1", "layers": "1", "n_head": "2", "n_heads": "2", "num_heads": "2",
    "out": "3", "output": "3", "p": "0.0", "padding": "0", "rank": "2", "ratio": "2", "stride": "1",
    "topk": "1", "vocab": "10",
}  # fmt: skip
"""What a constructor gets for a parameter, by a word of its name; for any other `OTHER`."""

INPUTS = (
    "torch.randn(2, {first})",
    "torch.randn(1, 3, {first})",
    "torch.randn(1, {first}, 5, 5)",
    "torch.tensor([[1, 2, 0]])",
)
"""What `forward` may take: rows, a sequence of rows, a picture, places in a table."""


def size_for(name: str) -> str:
    """Return what a constructor gets for a parameter of this name."""
    words = name.lower().split("_")
    known = [SIZES[word] for word in (name.lower(), *reversed(words)) if word in SIZES]
    return known[0] if known else OTHER


def _needed(function: ast.FunctionDef) -> list[str] | None:
    """Return which parameters a call has to give, but for self; None where it needs keywords."""
    given = function.args
    if any(default is None for default in given.kw_defaults):
        return None
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    return names[1 : len(names) - len(given.defaults)]


def _method(module: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((one for one in module.body if isinstance(one, ast.FunctionDef) and one.name == name), None)


def calls(text: str) -> Iterator[str]:
    """Yield calls of the last module that a text defines, the likeliest first."""
    body = syntax_tree(text).body
    imported = [
        alias.asname or alias.name for one in body if isinstance(one, ast.Import) for alias in one.names
    ]
    imports = "" if "torch" in imported else "import torch\n\n"
    modules = [
        one
        for one in body
        if isinstance(one, ast.ClassDef) and _method(one, "forward") and not one.decorator_list
    ]
    if not modules:
        return
    module = modules[-1]
    made, forward = _method(module, "__init__"), _method(module, "forward")
    of_constructor = _needed(made) if made else []
    of_forward = _needed(forward) if forward else None
    if of_constructor is None or not of_forward:
        return
    sizes = [size_for(name) for name in of_constructor]
    first = next((size for size in sizes if size.isdigit()), OTHER)
    for pattern in INPUTS:
        given = ", ".join([pattern.format(first=first)] * len(of_forward))
        for part in ("", "[0]"):  # of a module that returns a tuple
            call = f"{module.name}({', '.join(sizes)})({given}){part}.sum().backward()"
            yield f"{imports}torch.manual_seed(0)\n{call}\n"


def offered_call(text: str, is_read: Callable[[str], bool]) -> str:
    """Return lines to put below a text, which make its last module and call it; "" if none are known to fit.

    Args:
      is_read: whether a whole text can be read, with a graph.
    """
    return next((call for call in islice(calls(text), TRIED) if is_read(f"{text.rstrip()}\n\n{call}")), "")
