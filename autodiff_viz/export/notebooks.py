"""Write a graph as a notebook of Jupyter or marimo, which runs the exported JAX program and checks it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_viz.engine.arguments import known_dtype
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.versions import describe_versions
from autodiff_viz.export.expressions import data, written
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.model import INPUT, Graph
from autodiff_viz.language.printer import INDENT
from autodiff_viz.language.show import show

SHOWN = 8  # numbers of an array that stand in a table
ROOM = 64.0  # times the distance from 1 to the next number: how far other versions of JAX may be off


def to_notebook(graph: Graph, seed: Any = None, *, dtype: str = FLOAT32) -> str:
    """Write the graph as a Jupyter notebook that needs only jax.

    Its cells say what it is, show the formula, run the program of `to_python`, list the numbers that are
    expected and check them.

    Args:
      graph: complete (no empty slot, no cycle).
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The text of the .ipynb file, JSON of nbformat 4.
    Raises:
      GraphError: the graph has a problem, or the seed does not fit its output.
    """
    parts = _parts(graph, seed, known_dtype(dtype))
    cells = [
        _cell("markdown", 0, parts.about),
        _cell("markdown", 1, f"## Formula\n\n{fenced(parts.formula)}"),
        _cell("code", 2, parts.program),
        _cell("code", 3, parts.run),
        _cell("markdown", 4, f"## Expected\n\n{parts.table}"),
        _cell("code", 5, parts.check),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def to_marimo(graph: Graph, seed: Any = None, *, dtype: str = FLOAT32) -> str:
    """Write the graph as a marimo app: a Python file with the cells of `to_notebook`.

    Open it by `marimo edit graph.py`; it needs marimo and jax.

    Args:
      graph: complete (no empty slot, no cycle).
      seed: cotangent of the output, broadcast to its shape; ones by default.
      dtype: "float16", "bfloat16", "float32" or "float64".
    Returns:
      The text of the .py file.
    Raises:
      GraphError: the graph has a problem, or the seed does not fit its output.
    """
    parts = _parts(graph, seed, known_dtype(dtype))
    # Names that begin with "_" belong to one cell of marimo alone, so program and run are one cell.
    texts = [parts.about, f"## Formula\n\n{fenced(parts.formula)}", f"## Expected\n\n{parts.table}"]
    about, formula, table = (f"mo.md({written(data(text))})\nreturn" for text in texts)
    cells = [
        ("", "import marimo as mo\nreturn (mo,)"),
        ("mo", about),
        ("mo", formula),
        ("", f"{parts.program}\n\n{parts.run}\nreturn gradients, value"),
        ("mo", table),
        ("gradients, value", f"{parts.check}\nreturn"),
    ]
    body = "\n\n\n".join(
        f"@app.cell\ndef _({reads}):\n" + "\n".join(f"{INDENT}{line}".rstrip() for line in text.split("\n"))
        for reads, text in cells
    )
    return (
        '# /// script\n# dependencies = ["jax", "marimo"]\n# ///\n\nimport marimo\n\napp = marimo.App()\n\n\n'
        f'{body}\n\n\nif __name__ == "__main__":\n{INDENT}app.run()\n'
    )


def notebook_program(graph: Graph, seed: Any, dtype: str) -> str:
    """Write the code of the cells of `to_notebook`, one after the other.

    Raises:
      GraphError: as `to_notebook`.
    """
    parts = _parts(graph, seed, dtype)
    return "\n\n".join([parts.program, parts.run, parts.check])


def fenced(text: str, language: str = "") -> str:
    """Return a text as a code block of Markdown, whose fence is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def in_cell(text: str) -> str:
    """Return a text as code in a cell of a Markdown table: nothing in it is markup, and it ends no cell."""
    flat = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    return f"{fence} {flat} {fence}" if "`" in flat else f"`{flat}`"


def numbers(array: np.ndarray) -> str:
    """Return an array with the digits of its precision; a long one ends in dots."""
    digits = DTYPES[str(array.dtype)].digits
    flat = [f"{float(each):.{digits}g}" for each in array.ravel()[:SHOWN]]
    if not array.ndim:
        return flat[0]
    shape = f" of shape {list(array.shape)}" if array.ndim > 1 or array.size > SHOWN else ""
    return f"[{', '.join(flat)}{', ...' if array.size > SHOWN else ''}]{shape}"


@dataclass(frozen=True)
class _Parts:
    """The texts of a notebook's cells."""

    about: str
    formula: str
    program: str
    run: str
    table: str
    check: str


def _parts(graph: Graph, seed: Any, dtype: str) -> _Parts:
    source = to_python(graph, seed, dtype=dtype)
    head, _, main = source.partition('\n\n\nif __name__ == "__main__":\n')
    program = head.partition('"""\n\n')[2]
    lab = trace(graph, seed=seed, dtype=dtype)
    names = [node.name for node in graph.nodes if node.op == INPUT]
    rows = [f"| {in_cell(graph.output)} | {in_cell(numbers(lab.value[graph.output]))} |"]
    rows += [f"| gradient of {in_cell(name)} | {in_cell(numbers(lab.gradient[name]))} |" for name in names]
    return _Parts(
        about=f"# The graph of {in_cell(graph.output)}\n\nIts value and the gradient of every input, by JAX. "
        f"The numbers that are expected are those of {describe_versions()}.",
        formula=show(graph, positions=False),
        program=program,
        run="\n".join(line.removeprefix(INDENT) for line in main.rstrip().split("\n")),
        table="\n".join(["| | expected |", "|---|---|", *rows]),
        check=_check(lab, names),
    )


def _check(lab: Trace, names: list[str]) -> str:
    """Write the lines that compare. They read no input, so that names of their own may be those of inputs."""
    wanted = [lab.value[lab.output], *(lab.gradient[name] for name in names)]
    room = ROOM * DTYPES[lab.dtype].eps
    rows = []
    for name, array in zip([lab.output, *(f"gradient of {name}" for name in names)], wanted, strict=True):
        largest = np.abs(array[np.isfinite(array)].astype(float)).max(initial=1.0)
        rows.append(f"{INDENT}({name!r}, {_literal(array)}, {room * largest:.1e}),")
    given = "[value, *gradients]" if names else "[value]"
    return "\n".join(
        [
            "import numpy as _np",
            "",
            "_expected = [",
            *rows,
            "]",
            f"for (_name, _wanted, _room), _number in zip(_expected, {given}):",
            f"{INDENT}_np.testing.assert_allclose(_number, _wanted, {room:.1e}, _room, err_msg=_name)",
            'print("All numbers are as expected.")',
        ]
    )


def _literal(array: np.ndarray) -> str:
    """Write an array as nested lists; NaN and infinities as calls of `float`."""
    digits = 9 if DTYPES[str(array.dtype)].digits < 9 else 17

    def one(number: float) -> str:
        return f"{number:.{digits}g}" if np.isfinite(number) else f'float("{number}")'

    def rows(part: np.ndarray) -> str:
        return one(float(part)) if not part.ndim else f"[{', '.join(map(rows, part))}]"

    return rows(array)


def _cell(kind: str, place: int, text: str) -> dict[str, Any]:
    """Return a cell; nbformat has its text as lines with their ends."""
    own = {"execution_count": None, "outputs": []} if kind == "code" else {}
    lines = text.splitlines(keepends=True)
    return {"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": lines, **own}
