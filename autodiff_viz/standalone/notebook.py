"""Show graphs, traces and the lab in notebooks: a graph as a picture, a trace as a figure in a frame."""

from __future__ import annotations

from html import escape

from autodiff_viz.canvas.svg import picture
from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.launch import Page
from autodiff_viz.standalone.write import to_html

HEIGHT = 460  # px
SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals"
NODES = 60  # of a larger graph a cell shows the picture: a notebook keeps whatever its cells show


def shown_in_notebook(thing: Graph | Trace | Page) -> str | None:
    """Return what a notebook shows, as HTML; None where there is nothing to draw.

    A frame without an origin of its own (`sandbox`) holds the figure: several on a page do not meet, and none
    reads the notebook.
    """
    if isinstance(thing, Page):
        link = f'<p><a href="{escape(thing)}" target="_blank" rel="noopener">Open the lab</a></p>'
        return link if thing.graph is None else f"{shown_in_notebook_as(thing.graph, thing)}{link}"
    if isinstance(thing, Trace):
        return shown_in_notebook_as(thing, None)
    return picture(thing)


def shown_in_notebook_as(thing: Graph | Trace, base: str | None) -> str | None:
    """Return the figure of a graph or a trace in a frame; its picture where it has no figure."""
    graph = thing.graph if isinstance(thing, Trace) else thing
    if len(graph.nodes) > NODES:
        return picture(thing)
    try:
        file = to_html(thing, base=base, check=False)
    except (
        GraphError
    ):  # a part of a graph, or one with a function of this process: it has a picture all the same
        return picture(thing)
    title = escape(f"Gradient of {graph.output}: interactive figure")
    return (
        f'<iframe title="{title}" sandbox="{SANDBOX}" loading="lazy" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0" srcdoc="{escape(file)}"></iframe>'
    )
