"""Export two graphs and their difference as one file."""

from __future__ import annotations

from difflib import unified_diff
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from autodiff_viz.export.python_source import program
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.show import show


def twins_texts(a: Graph, b: Graph, seed: Any = None, dtype: str = FLOAT32) -> dict[str, str]:
    """Write two graphs as JAX programs and their formulas, each with the unified difference from A to B.

    Args:
      a, b: the graphs.
      seed, dtype: as `av.to_python` takes them, of both.
    Returns:
      Texts by file name; without the programs if one of the graphs is unfinished.
    """
    texts = _with_difference({"a.txt": show(a), "b.txt": show(b)}, "formulas.diff")
    try:
        programs = {"a.py": program(a, seed, dtype), "b.py": program(b, seed, dtype)}
    except GraphError:
        return texts
    return {**_with_difference(programs, "programs.diff"), **texts}


def _with_difference(pair: dict[str, str], name: str) -> dict[str, str]:
    """Return two texts by file name, with the unified difference from the first to the second."""
    lines = (text.splitlines(keepends=True) for text in pair.values())
    return {**pair, name: "".join(unified_diff(*lines, *pair))}


def twins_file(a: Graph, b: Graph, seed: Any = None, dtype: str = FLOAT32) -> bytes:
    """Return the texts of two graphs as a zip file, whose bytes follow from the graphs alone."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as file:
        for name, text in twins_texts(a, b, seed, dtype).items():
            file.writestr(ZipInfo(name), text, ZIP_DEFLATED)
    return buffer.getvalue()
