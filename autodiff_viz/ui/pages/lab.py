"""Draw the lab page: canvas, formula, inputs, inspector and figure of one graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from autodiff_viz.ui.address import entered, write_address
from autodiff_viz.ui.fragments import LAB, Draw, whole_page
from autodiff_viz.ui.lab.component import draw_lab, place
from autodiff_viz.ui.panels.claims import draw_open_claims
from autodiff_viz.ui.panels.curves import draw_curves
from autodiff_viz.ui.panels.figure import draw_chooser, draw_figure, draw_second
from autodiff_viz.ui.panels.formula import draw_formula_head
from autodiff_viz.ui.panels.lesson import draw_lesson
from autodiff_viz.ui.panels.problems import draw_problems
from autodiff_viz.ui.panels.segments import draw_segments
from autodiff_viz.ui.panels.settings import draw_settings
from autodiff_viz.ui.panels.surface import draw_surface
from autodiff_viz.ui.panels.tensor import draw_tensor
from autodiff_viz.ui.panels.track import draw_track
from autodiff_viz.ui.panels.train import draw_train
from autodiff_viz.ui.panels.tries import draw_tries
from autodiff_viz.views.lab import Lab
from autodiff_viz.views.page.parts import SHOWS

FIGURE = "figure_place"  # key of the container of the figure, which lab/web/sight.js watches


def page() -> None:
    """Draw the page: the canvas first, slower parts after it.

    After an edit only the parts that it has changed are drawn again, not this page. The keys of the
    containers are for `lab.css`, which places them: a dock of plots below the canvas, a column beside both,
    and the bar above them. `ui/workbench/web` says which of them are open.
    """
    here = entered()
    write_address(here)
    with whole_page(here, DRAWS) as draw:
        frame = st.container(key="lab")
        draw(LAB, frame)
        _draw_bar(frame.container(key="topbar"), draw)
        _draw_side(frame.container(key="side"), here.lab, draw)
        _draw_dock(frame.container(key="dock"), draw)


def _draw_bar(bar: DeltaGenerator, draw: Callable[..., None]) -> None:
    with bar:
        place("bar")
    draw("settings", bar)
    with bar:
        place("check")


def _draw_side(side: DeltaGenerator, lab: Lab, draw: Callable[..., None]) -> None:
    with side:
        place("panels")
    draw_lesson(side.container(key="lesson_panel"), lab, draw)
    draw("problems", side)
    with side:
        place("notes")
    panel = side.container(key="formula_panel")
    draw("formula_head", panel)
    with panel:
        place("formula")
    with side:
        place("sliders")
    panel = side.container(key="inspector")
    with panel:
        place("node")
    draw("tensor", panel)


def _draw_dock(dock: DeltaGenerator, draw: Callable[..., None]) -> None:
    with dock:
        place("plots")
    panel = dock.container(key="train_panel")
    for name in ("train", "track", "curves", "surface"):
        draw(name, panel)
    draw("segments", dock.container(key="segments_panel"))
    with dock.container(key="twins_panel"):
        place("twins")
    panel = dock.container(key="figure_panel")
    draw("chooser", panel)
    with panel:
        place("paths")
    draw("figure", panel.container(key=FIGURE))
    draw("second", dock.container(key="second_panel"))


DRAWS: Mapping[str, Draw] = {
    LAB: draw_lab,
    "problems": lambda lab, view: draw_problems(SHOWS["problems"](lab, view)),
    "formula_head": draw_formula_head,
    "settings": draw_settings,
    "tensor": draw_tensor,
    "train": draw_train,
    "track": draw_track,
    "curves": draw_curves,
    "surface": draw_surface,
    "segments": draw_segments,
    "tries": draw_tries,
    "claims": draw_open_claims,
    "chooser": draw_chooser,
    "figure": draw_figure,
    "second": draw_second,
}
