"""Join the lab to a notebook as a widget of anywidget: its traits follow what is done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

from anywidget import AnyWidget
from traitlets import Any as AnyTrait
from traitlets import Instance, Int, Unicode, observe

from autodiff_viz.canvas.arrange import as_first_seen
from autodiff_viz.canvas.svg import overview, picture
from autodiff_viz.engine.trace import Trace, with_output
from autodiff_viz.graph.model import Graph
from autodiff_viz.graph.problem import GraphError, Problem
from autodiff_viz.graph.shown import PLAIN
from autodiff_viz.graph.text import counted
from autodiff_viz.lab.state import Lab, start
from autodiff_viz.messages.envelope import Answer, answer_text
from autodiff_viz.notebook.document import code, module
from autodiff_viz.notebook.session import NotebookSession
from autodiff_viz.standalone.data import lab_at, lab_of
from autodiff_viz.standalone.notebook import PNG, SVG, bundle_of

STILL = (PLAIN, PNG, SVG)
"""What a cell shows where no kernel is: text and picture."""

NOT_LIVE = "Start the kernel and run this cell to make it live."
PICTURED = 200  # nodes: a notebook keeps the picture
HEIGHT = 520  # px


class LabWidget(AnyWidget):
    """The lab in a notebook.

    Attributes:
      graph: the graph on view; set it to show another one, which undo takes back.
      trace: its numbers; None where it cannot be run.
      selected: name of the selected node; None for none.
      state: number of what is on view. The browser sets it, so that a cell of marimo that uses the widget
        runs again.
      height: of the cell, in px.
    """

    _esm = module()
    graph = Instance(Graph)
    trace = AnyTrait(None, allow_none=True)
    selected = Unicode(None, allow_none=True)
    state = Int(0).tag(sync=True)
    height = Int(HEIGHT).tag(sync=True)
    version = Unicode("").tag(sync=True)
    still = Unicode("").tag(sync=True)
    says = Unicode("").tag(sync=True)

    def __init__(self, lab: Lab, height: int = HEIGHT) -> None:
        self._session = NotebookSession(lab)
        self._follows = False  # whether traits are being set to what is on view
        self._kept: Any = None  # graph and trace of the picture that a notebook keeps
        self._figure: Any = None  # the one that the browser has
        # JupyterLab has messages answered in a thread of their own (a subshell), beside the cell that runs.
        self._turn = RLock()
        present = self._session.present.view
        super().__init__(
            graph=lab.graph,
            trace=self._session.trace,
            selected=lab.selected,
            height=height,
            version=code().version,
            still=_picture(lab.graph, present.trace),
            says=_says(lab.graph),
        )
        self._kept = lab.graph, self._session.trace
        self.on_msg(self._heard)

    # From the browser.

    def _heard(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Answer a message of the browser."""
        with self._turn:
            self._read(content)

    def _read(self, content: Any) -> None:
        kind = content.get("kind") if isinstance(content, dict) else None
        if kind == "code":
            self.send({"kind": kind, "text": code().script, "html": code().html})
        elif kind == "plotly":
            self.send({"kind": kind, "text": _plotly()})
        elif kind == "open":
            self._figure = None
            self._answer(self._session.take({"have": None}))
        elif kind == "message" and isinstance(content.get("message"), dict):
            self._answer(self._session.take(content["message"]))

    def _answer(self, reply: Answer) -> None:
        """Send an answer, with the figure where it is another one, and let the traits follow."""
        content = {"kind": "answer", "text": answer_text(reply), "state": reply.rev}
        figure = self._session.figure()
        if figure is not None and figure is not self._figure:
            self._figure = figure
            content["figure"] = figure._asdict()
        self._follow()
        self.send(content)
        if self._session.is_settled:
            self._keep()

    def _keep(self) -> None:
        """Keep the picture of what is on view, for a notebook that is saved with its widgets."""
        lab, trace = self._session.lab, self._session.trace
        if self._kept is None or self._kept[0] is not lab.graph or self._kept[1] is not trace:
            self._kept = lab.graph, trace
            with self.hold_sync():
                self.still, self.says = _picture(lab.graph, trace), _says(lab.graph)

    def _follow(self) -> None:
        """Set the traits to what is on view: observers see each change once."""
        with self._following():
            lab = self._session.lab
            if lab.graph is not self.graph:
                self.graph = lab.graph
            if self._session.trace is not self.trace:
                self.trace = self._session.trace
            self.selected = lab.selected

    @contextmanager
    def _following(self) -> Iterator[None]:
        before, self._follows = self._follows, True
        try:
            yield
        finally:
            self._follows = before

    # From Python.

    @observe("graph", "trace", "selected")
    def _set(self, change: Any) -> None:
        """Show what a trait has been set to in Python.

        Raises:
          GraphError: there is no such node.
        """
        with self._turn:
            if not self._follows and self.comm:
                self._show(change)

    def _show(self, change: Any) -> None:
        try:
            if change.name == "graph":
                self._session.open(change.new)
            elif change.name == "selected":
                self._session.select(change.new)
            elif isinstance(change.new, Trace):
                self._session.open(lab_at(with_output(change.new)).graph)
            else:
                raise GraphError(Problem("not-a-trace", "A trace is needed.", "Write trace(graph)."))
        except GraphError:
            self._follow()
            raise
        self._answer(self._session.answer())

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the widget, with text and picture for where no kernel is."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        shown = self._session.trace or self._session.lab.graph
        return {**data, **bundle_of(shown, STILL, None, NOT_LIVE)}, metadata


def _picture(graph: Graph, trace: Trace | None) -> str:
    """Return the picture of a graph; of a large one an overview."""
    return picture(trace or graph) or "" if len(graph.nodes) <= PICTURED else overview(graph).svg


def _says(graph: Graph) -> str:
    return f"{graph.output}: {counted(len(graph.nodes), 'node')}"


def _plotly() -> str:
    """Return Plotly's script, which its Python package has; "" where it has none."""
    package = find_spec("plotly")
    script = Path(package.origin).parent / "package_data" / "plotly.min.js" if package else None
    return script.read_text("utf-8") if script and script.is_file() else ""


def widget_of(shown: Graph | Trace | None, height: int = HEIGHT) -> LabWidget:
    """Return the widget of a graph or a trace; None: of what a newcomer finds."""
    if shown is None:
        return LabWidget(start(), height)
    lab = lab_at(with_output(shown)) if isinstance(shown, Trace) else lab_of(shown)
    graph, cards = as_first_seen(lab.graph)
    return LabWidget(replace(lab_of(graph, lab.seed, lab.dtype), collapsed=cards), height)
