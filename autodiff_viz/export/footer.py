"""Write the formula of a graph below its exported file, in comments, and find it there again.

Code does not say all of a graph: no number depends on a group, a cut or the range of a slider. Nobody need
trust a footer: whoever finds one exports its graph once more and compares the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import DTYPES, FLOAT32
from autodiff_viz.graph.model import Graph, Literal
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.literals import show_literal
from autodiff_viz.language.parse import parse, parse_literal
from autodiff_viz.language.show import show

HEAD = "# As a formula, by which the lab reads this file back while its code is unchanged:"
LINE, SETTING = "#: ", "#= "
_DTYPE, _SEED, _ORDER = "dtype ", "seed ", "order "


class Footer(NamedTuple):
    """What the footer of a file says that it was written from.

    Attributes:
      graph, seed, dtype: as the writers of files take them.
      line: of the text, from 1, where the footer begins.
    """

    graph: Graph
    seed: Literal | None
    dtype: str
    line: int


def with_footer(code: str, graph: Graph, seed: Any, dtype: str) -> str:
    """Return a file with its footer; as it is where both are longer than what is read."""
    formula = show(graph, positions=False)
    settings = []
    if dtype != FLOAT32:
        settings.append(_DTYPE + dtype)
    if seed is not None:
        settings.append(_SEED + show_literal(_literal(np.asarray(seed, np.float64).tolist())))
    if names := _other_order(graph, formula):
        settings.append(_ORDER + " ".join(names))
    lines = [HEAD, *(SETTING + one for one in settings), *(LINE + one for one in formula.splitlines())]
    whole = f"{code}\n\n" + "\n".join(lines) + "\n"
    return whole if len(whole) <= limits.TEXT else code


def _literal(numbers: Any) -> Literal:
    return tuple(map(_literal, numbers)) if isinstance(numbers, list) else float(numbers)


def _other_order(graph: Graph, formula: str) -> list[str]:
    """Return the names of the nodes in their order, on which that of the lines depends, if the formula has
    another.
    """
    names = [node.name for node in graph.nodes]
    try:
        return names if names != [node.name for node in parse(formula).nodes] else []
    except GraphError:  # nothing that a formula can say
        return []


def footer_in(text: str) -> Footer | None:
    """Return the footer of a text; None if it has none that can be read."""
    first = next((i for i, line in enumerate(text.splitlines()) if line.strip() == HEAD), None)
    if first is None:
        return None
    formula, settings = [], {_DTYPE: FLOAT32, _SEED: "", _ORDER: ""}
    for line in _marked(text.splitlines()[first + 1 :]):
        if line.startswith(SETTING):
            word, _, said = line.removeprefix(SETTING).partition(" ")
            settings[f"{word} "] = said
        else:
            formula.append(line.removeprefix(LINE).removeprefix(LINE.strip()))
    try:
        graph = parse("\n".join(formula))
        seed = parse_literal(settings[_SEED]) if settings[_SEED] else None
    except GraphError:
        return None
    names = settings[_ORDER].split()
    if names:
        if sorted(names) != sorted(graph.by_name):
            return None
        graph = replace(graph, nodes=tuple(graph[name] for name in names))
    if settings[_DTYPE] not in DTYPES or not graph.nodes:
        return None
    return Footer(graph, seed, settings[_DTYPE], first + 1)


def _marked(lines: list[str]) -> Iterator[str]:
    """Yield the lines that follow as long as they are of a footer, without their indentation."""
    for line in lines:
        line = line.strip() if line.strip() in (LINE.strip(), SETTING.strip()) else line.lstrip()
        if not line.startswith((LINE.strip(), SETTING.strip())):
            return
        yield line
