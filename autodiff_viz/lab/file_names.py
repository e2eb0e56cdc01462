"""Name the files that the page writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "download_python": "autodiff_graph.py",
        "download_torch": "autodiff_graph_torch.py",
        "download_notebook": "autodiff_graph.ipynb",
        "download_marimo": "autodiff_graph_marimo.py",
        "download_report": "autodiff_report.md",
        "download_figure": "autodiff_figure.html",
        "download_handout": "autodiff_handout.html",
        "download_json": "autodiff_graph.json",
        "download_tour": "autodiff_tour.json",
        "download_twins": "autodiff_a_and_b.zip",
    }
)
"""Names of files, by the key of the button that saves one."""
