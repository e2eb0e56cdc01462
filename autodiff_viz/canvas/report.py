"""Write a report of a graph, to paste into an issue: code, numbers, versions, link, picture (Markdown)."""

from __future__ import annotations

import platform

import numpy as np

from autodiff_viz.canvas.svg import picture
from autodiff_viz.engine.live_path.passes import ARRIVING
from autodiff_viz.engine.trace import Trace, precision, trace
from autodiff_viz.engine.verify import verify, whole_program
from autodiff_viz.engine.versions import versions
from autodiff_viz.export.notebooks import fenced, in_cell, numbers
from autodiff_viz.export.python_source import program
from autodiff_viz.graph import limits
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError, known_graph
from autodiff_viz.language.show import show


def report(thing: Graph | Trace, *, base: str | None = None) -> str:
    """Write a report of a graph or a trace as Markdown, to paste into an issue.

    It has the link, the formula, each node's value and cotangent beside those that JAX computes of the whole
    program with one `jax.vjp`, the program of `av.to_python`, the versions, and the picture as SVG text:
    GitHub shows no SVG that stands in the text, so it is to be saved as a file and dropped into the issue.

    Args:
      thing: a complete graph, or a trace for its numbers, seed and dtype.
      base: address of a page of this program, such as "https://host.example/", for the link.
    Returns:
      The text.
    Raises:
      GraphError: the graph has a problem, or `base` is no address.
    """
    lab = thing if isinstance(thing, Trace) else trace(known_graph(thing))
    graph = lab.graph
    verdict = verify(lab)
    with precision(lab.dtype):
        values, _, cotangents = whole_program(lab)
    rows = []
    for node in order(graph):
        computed = values.get(node.name), cotangents.get((node.name, ARRIVING))
        shown = [lab.value[node.name], computed[0], lab.cotangent[node.name], computed[1]]
        cells = ["" if each is None else in_cell(numbers(np.asarray(each))) for each in shown]
        rows.append(f"| {in_cell(node.name)} | {' | '.join(cells)} |")
    agrees = "All agree." if verdict.agrees else f"They differ most at {in_cell(verdict.where)}."
    made = {**versions(), "Python": platform.python_version(), "platform": platform.platform()}
    parts = [
        f"### Gradient of {in_cell(graph.output)}",
        _link(graph, base),
        "**Formula**",
        fenced(show(graph, positions=False)),
        f"**Numbers** ({lab.dtype}): of the lab, and of `jax.vjp` of the whole program. {agrees}",
        "\n".join(
            ["| node | value | by JAX | cotangent | by JAX |", "|---|---|---|---|---|", *rows],
        ),
        _details("Runnable JAX", fenced(program(graph, lab.seed, lab.dtype), "python")),
        _details(
            "Picture (SVG: save it as graph.svg and drop the file here)", fenced(picture(lab) or "", "xml")
        ),
        "**Versions** " + ", ".join(f"{name} {in_cell(version)}" for name, version in made.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _link(graph: Graph, base: str | None) -> str:
    """Return a line with the link; without an address of the lab, how to open the payload."""
    try:
        link = to_link(graph, base=base)
    except GraphError as error:
        if error.problems[0].code != "link-too-long":
            raise
        return f"Too large for a link of {limits.LINK:,} characters: the formula is all of it."
    if base is not None:
        return f"[Open in the lab](<{link}>)"
    return f"Open: put this behind `?g=` in the lab's address, or `av.from_link` it.\n\n{fenced(link)}"


def _details(title: str, text: str) -> str:
    """Return a part that is folded; the empty lines let Markdown read what is in it."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
