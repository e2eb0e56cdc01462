"""Write figures that live without a server; what they need is loaded with the first of them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from autodiff_viz.engine.trace import Trace
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.lessons.tour import Tour

PAGE = "autodiff_viz.standalone.page"
PIXELS = 1_500_000  # of a picture; a larger graph has fewer for each px
NEEDS = "plotly"  # which the rooms of the explanations draw with


def to_html(
    shown: Graph | Trace | Tour,
    *,
    title: str = "",
    text: str = "",
    pinned: Graph | Trace | None = None,
    base: str | None = None,
    check: bool = True,
) -> str:
    """Write a graph as one HTML file that shows it without a server, opened from disk or put on any page.

    It has the canvas of the page: pan, zoom, wires and nodes that answer with their numbers, why nothing
    arrives, paths, the pass to be played, sliders. All numbers are computed here and stand in the file, which
    asks nothing of any host; what would need new ones is said, with a link to the lab. The page's libraries
    are needed to make it: `pip install "autodiff_viz[app]"`. Numbers that questions hide stand in it too,
    packed, since it judges answers by itself: nobody reads them by chance, and they are no secret.

    Args:
      shown: a complete graph, a trace for its numbers, seed and dtype, or a tour, whose steps are gone
        through, and whose questions are asked before the numbers are shown.
      title: stands above the graph; the graph's output if it is empty.
      text: what the figure is about, in plain text.
      pinned: another graph or trace to flip to, as A; `shown` is then B.
      base: address of a page of this program, such as "https://host.example/", for the link; None for none.
      check: whether the file says if one whole-program `jax.vjp` has the same numbers, which takes a moment.
    Returns:
      The text of the file, UTF-8.
    Raises:
      GraphError: the graph has a problem, `shown` or `pinned` is none of these, a text is too
        long, `base` is no address, or the page's libraries are missing.
    """
    return _page().html_from(shown, title, text, pinned, base, check)


def cell_of(shown: Graph | Trace | Tour, base: str | None) -> Any:
    """Return the figure of a cell of a notebook, as `page.cell_figure`.

    Raises:
      GraphError: it cannot be run, or the page's libraries are missing.
    """
    return _page().cell_figure(shown, base)


def painted(svg: str, pixels: int = PIXELS) -> Any:
    """Return the picture as PNG with its width and height, as `painted.painted`; None without Pillow."""
    return _painter().painted(svg, pixels) if find_spec("PIL") else None


@cache
def _painter() -> ModuleType:
    """Return the module that paints pictures, which loads Pillow."""
    return import_module("autodiff_viz.standalone.painted")


@cache
def _page() -> ModuleType:
    """Return the module that writes figures, which loads what the page needs.

    Raises:
      GraphError: that is not installed.
    """
    if find_spec(NEEDS) is None:
        message = "The page's libraries are not installed."
        raise GraphError(Problem("no-app", message, 'Install them: pip install "autodiff_viz[app]".'))
    return import_module(PAGE)
