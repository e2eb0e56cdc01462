"""Check what holds for every graph that is read: it can be written, run, exported, shown and trained."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from autodiff_viz.engine.live_path.check import diagnose
from autodiff_viz.engine.trace import trace
from autodiff_viz.explain.catalog import FIGURES
from autodiff_viz.explain.remat.view import residuals_say, runs_say
from autodiff_viz.explain.tensor.figure import heatmaps, histograms
from autodiff_viz.explain.tensor.view import is_tensor, parts, summary, written
from autodiff_viz.explain.verification.view import differs_say, verification
from autodiff_viz.export.python_source import to_python
from autodiff_viz.graph import limits
from autodiff_viz.graph.codec import to_json
from autodiff_viz.graph.link import to_link
from autodiff_viz.graph.model import INPUT, Graph, Region
from autodiff_viz.graph.problem import GraphError
from autodiff_viz.lab.edits.apply import edited
from autodiff_viz.lab.edits.document import imported
from autodiff_viz.lab.evaluate import LabView, lab_view, sweep_tables
from autodiff_viz.lab.parts import PARTS
from autodiff_viz.lab.persistence.address import from_query, to_query
from autodiff_viz.lab.persistence.history import trail
from autodiff_viz.lab.segments import segments_view
from autodiff_viz.lab.state import Lab, formula_text, start
from autodiff_viz.lab.training import trains
from autodiff_viz.lab.training_panel import progress, run_log, train_view
from autodiff_viz.language.documents import from_json, from_link
from autodiff_viz.language.parse import parse
from autodiff_viz.language.show import show
from autodiff_viz.segments.figure import SEGMENT_FIGURES
from autodiff_viz.training.run import advanced

STEPS = 2
FEW = 8  # nodes of graphs of which slow figures are made too


def exactly(graph: Graph) -> tuple:
    """The graph with types and signs of zero: 1, 1.0 and True are equal, and so are 0.0 and -0.0, but they
    are not the same. The order of nodes, regions and groups means nothing."""
    nodes = sorted(graph.nodes, key=lambda node: node.name)
    frames = [(f.name, sorted(f.nodes), *_rest(f)) for f in sorted(graph.frames, key=lambda f: f.name)]
    return [repr(node) for node in nodes], frames, graph.output


def _rest(frame: object) -> tuple:
    if isinstance(frame, Region):
        return frame.policy, sorted(frame.saved)
    return (frame.branches,)  # type: ignore[attr-defined]


def holds_of_text(graph: Graph) -> None:
    """It is itself again from its document, its link and its formula."""
    assert exactly(from_json(to_json(graph))) == exactly(graph)
    assert exactly(from_link(to_link(graph, limits.JSON), limits.JSON)) == exactly(graph)
    assert exactly(parse(show(graph))) == exactly(graph)


def holds_of_numbers(graph: Graph) -> None:
    """It runs and is exported, or a problem says why not."""
    diagnose(graph)
    for work in (trace, to_python):
        with suppress(GraphError):
            work(graph)


def holds_of_page(graph: Graph) -> None:
    """The page opens it from its address, shows each part of it whatever is selected, and trains it."""
    with np.errstate(all="ignore"):  # numbers may be anything; what is said of them is another test's
        lab = from_query({"g": to_link(graph, limits.JSON)}, limits.JSON)
        assert (lab.notice, exactly(lab.graph)) == ((), exactly(graph))
        assert from_query(to_query(lab), limits.JSON).graph == graph
        assert exactly(imported(start(), to_json(graph)).graph) == exactly(graph)
        edited(start(), {"kind": "paste", "text": to_json(graph), "at": [0, 0]})
        json.dumps(trail(lab.history).data)
        formula_text(lab)
        view = lab_view(lab)
        json.dumps(view.drawing, allow_nan=False)
        for name in (None, *graph.by_name):
            _parts(replace(lab, selected=name), view)
        _figures(lab, view)
        _training(lab, view)


def _parts(lab: Lab, view: LabView) -> None:
    """All that the page shows when this node is selected."""
    for part in PARTS.values():
        part.data(lab, view)
    name = lab.selected
    if is_tensor(view.trace, name):
        _tensor(name, parts(view.graph, view.trace, name))
    if name is None or not view.is_program:
        return
    with suppress(GraphError):
        runs_say(view.trace.runs[name])
        residuals_say(view.trace, name)
    if view.graph[name].op != INPUT:
        differs_say(view.trace, name)


def _tensor(name: str, found: Iterable) -> None:
    for part in found:
        summary(part.array)
        written(part.array)
    heatmaps(found, name)
    histograms(found, name)


def _figures(lab: Lab, view: LabView) -> None:
    """The figures under the canvas, the checks beside them, the tables of the sliders, the segments."""
    if not view.complete:
        return
    for figure in FIGURES.values():
        if figure.slow and len(view.graph.nodes) > FEW:
            continue  # a worker makes it, and may take seconds
        with suppress(GraphError):
            figure.build(view.trace, None)
            figure.text(view.trace, None)
    verification(view.trace)
    sweep_tables(view, view.sweeps)
    found = segments_view(lab, view)
    if found is not None and found.division is not None:
        SEGMENT_FIGURES["sizes"].build(found.division)


def _training(lab: Lab, view: LabView) -> None:
    """A few steps, the last of them on view."""
    offered = train_view(lab, view)
    if offered is None or offered.refused:
        return
    begun = trains(lab, STEPS)
    after = replace(begun, training=advanced(begun.training, STEPS))
    view = lab_view(after)
    _parts(replace(after, selected=lab.graph.output), view)
    progress(after, view)
    run_log(after, view)
