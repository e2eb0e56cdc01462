"""Write a report of a graph: Markdown to paste into an issue, with code, numbers, versions, link and picture."""

from __future__ import annotations

import platform
from html import escape
from typing import Any

from autodiff_viz.canvas.svg import picture
from autodiff_viz.engine.trace import Trace, trace
from autodiff_viz.engine.versions import versions
from autodiff_viz.engine.whole_program.gradients import whole_program
from autodiff_viz.export.notebooks import fenced, in_cell, numbers
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph import limits
from autodiff_viz.graph.dtypes import FLOAT32
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.order import order
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.language.show import show
